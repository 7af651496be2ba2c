// A failure that stops the others; an output that cannot stand whatever its checks say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/facts.h"
#include "support/story.h"

namespace baton::test {
namespace {

struct FailFast : testing::Test {
  Story story{"a; b; c; d: a b c"};

  void SetUp() override {
    for (const char* id : {"a", "b", "c", "d"}) story.policy(id).fail_fast = true;
  }
};

// Rows 43, 44 and 46 of the workspace's checklist: siblings at work are really stopped, nothing new begins.
TEST_F(FailFast, StopsWhoeverIsAtWork) {
  story.begin().begins("a").begins("b").fails("a", false);
  EXPECT_EQ(story.states(), "a:failed b:running c:cancelled d:skipped");
  const auto stops = story.commanded<command::StopAttempt>();
  ASSERT_EQ(stops.size(), 1U);
  EXPECT_EQ(stops[0].step, story.step("b"));
  EXPECT_EQ(story.run.state(), RunState::running) << "all in flight are awaited";
  story.after(Millis{5}).fails("b");
  EXPECT_EQ(story.state("b"), StepState::cancelled);
  EXPECT_EQ(story.run.state(), RunState::failed) << "it failed: nobody cancelled it";
  EXPECT_EQ(story.run.finished(), story.now);
}

TEST_F(FailFast, WaitsUntilNothingIsTriedAgain) {
  story.policy("a").retries = 1;
  story.begin().begins("a").begins("b").fails("a");
  EXPECT_EQ(story.state("a"), StepState::waiting);
  EXPECT_TRUE(story.commanded<command::StopAttempt>().empty());
}

TEST_F(FailFast, WhatEndedWellInThatMomentStays) {
  story.begin().begins("a").begins("b").fails("a", false).ends("b");
  EXPECT_EQ(story.state("b"), StepState::completed);
  EXPECT_EQ(story.run.state(), RunState::failed);
}

TEST_F(FailFast, IsTakenUpAgainAsAWhole) {
  story.begin().begins("a").begins("b").fails("a", false).fails("b");
  ASSERT_EQ(story.run.state(), RunState::failed);
  story.happens(event::ResumeAsked{});
  EXPECT_EQ(story.states(), "a:ready b:ready c:ready d:pending");
  story.all_goes_well();
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST_F(FailFast, AFailureAfterwardsIsOneAgain) {
  story.begin().begins("a").fails("a", false);
  ASSERT_EQ(story.run.state(), RunState::failed);
  story.happens(event::RetryAsked{}).begins("a").happens(event::CancelAsked{"me"}).fails("a");
  EXPECT_EQ(story.run.state(), RunState::cancelled);
}

TEST(Failing, WithoutItOthersGoOn) {
  Story story{"a; b"};
  story.begin().begins("a").begins("b").fails("a", false);
  EXPECT_TRUE(story.commanded<command::StopAttempt>().empty());
  EXPECT_EQ(story.state("b"), StepState::running);
}

TEST(OutputRefused, FailsWithItsOwnCode) {
  Story story{"a; b: a"};
  story.with_output("a");
  story.policy("a").retries = 3;
  story.begin().begins("a").ends("a");
  story.happens(event::OutputChecked{story.step("a"), 1, {}, "d", Failure{"response-empty", "nothing", false}});
  EXPECT_EQ(story.states(), "a:failed b:skipped") << "not tried again";
  EXPECT_EQ(error_of(story.run)->code, "response-empty");
}

TEST(EmptyAnswers, AreNotAskedForAgainWhereThatIsTheRule) {
  for (const bool is_final : {true, false}) {
    Story story{"a"};
    story.policy("a").retries = 2;
    story.policy("a").empty_is_final = is_final;
    story.begin().begins("a").ends("a", Failure{"agent-empty-answer", "nothing", true});
    EXPECT_EQ(story.state("a"), is_final ? StepState::failed : StepState::waiting);
  }
}

TEST(OutputRefused, MayBeTriedAgainWhereThatCanHelp) {
  Story story{"a"};
  story.with_output("a");
  story.policy("a").retries = 1;
  story.begin().begins("a").ends("a");
  story.happens(event::OutputChecked{story.step("a"), 1, {}, "d", Failure{"x", "busy", true}});
  EXPECT_EQ(story.state("a"), StepState::waiting);
}

}  // namespace
}  // namespace baton::test
