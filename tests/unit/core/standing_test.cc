// A step's state and why it is in it, always together.
#include "core/standing.h"

#include <gtest/gtest.h>

namespace baton::test {
namespace {

TEST(StepStanding, IsAStateToThoseThatOnlyAskForThat) {
  const StepStanding standing = StepStanding::waiting_at_gate();
  EXPECT_TRUE(standing == StepState::waiting);
  EXPECT_EQ(name(standing), "waiting");
  EXPECT_EQ(StepStanding{}.state(), StepState::pending);
  EXPECT_EQ(StepStanding::completed().state(), StepState::completed);
  EXPECT_EQ(StepStanding::blocked().state(), StepState::blocked);
}

TEST(StepStanding, SaysWhatAWaitingStepWaitsFor) {
  EXPECT_FALSE(StepStanding::waiting_for_time().awaits_person());
  EXPECT_TRUE(StepStanding::waiting_for_quota().waits_for_quota());
  EXPECT_FALSE(StepStanding::waiting_for_quota().awaits_person());
  EXPECT_TRUE(StepStanding::waiting_at_gate().awaits_person());
  EXPECT_TRUE(StepStanding::waiting_at_gate().is_at_gate());
  EXPECT_TRUE(StepStanding::waiting_for_decision().awaits_person());
  EXPECT_FALSE(StepStanding::waiting_for_decision().is_at_gate());
}

TEST(StepStanding, SaysWhyAStepWasSkipped) {
  const StepStanding behind = StepStanding::skipped_behind(step_index(4));
  EXPECT_EQ(behind.cause(), step_index(4));
  EXPECT_FALSE(behind.is_skipped_without_failure());
  EXPECT_FALSE(StepStanding::skipped_by_condition().cause());
  EXPECT_TRUE(StepStanding::skipped_by_condition().is_skipped_without_failure());
  EXPECT_FALSE(StepStanding::skipped_by_condition().is_skipped_by_person());
  EXPECT_TRUE(StepStanding::skipped_by_person().is_skipped_without_failure());
  EXPECT_TRUE(StepStanding::skipped_by_person().is_skipped_by_person());
}

TEST(StepStanding, SaysWhatACheckIsFor) {
  for (const StepStanding s : {StepStanding::checking(), StepStanding::checking_again(), StepStanding::answered()}) {
    EXPECT_EQ(s.state(), StepState::checking);
  }
  EXPECT_FALSE(StepStanding::checking().is_checked_again());
  EXPECT_TRUE(StepStanding::checking_again().is_checked_again());
  EXPECT_TRUE(StepStanding::answered().is_answered());
}

TEST(StepStanding, OfAStepWhosePlaceOthersTookIsCancelledUnlessItWasCompleted) {
  EXPECT_EQ(StepStanding::ready().replaced().state(), StepState::cancelled);
  EXPECT_EQ(StepStanding::completed().replaced().state(), StepState::completed);
  EXPECT_TRUE(StepStanding::completed().replaced().is_replaced());
  EXPECT_FALSE(StepStanding::skipped_behind(step_index(4)).replaced().cause()) << "the reason goes with the state";
  EXPECT_FALSE(StepStanding::cancelled().is_replaced());
}

TEST(StepStanding, TakesNoMoreThanItsCauseDoes) { EXPECT_LE(sizeof(StepStanding), 8U); }

}  // namespace
}  // namespace baton::test
