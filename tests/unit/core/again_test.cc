// Running things again because somebody asked.
#include <gtest/gtest.h>

#include "support/story.h"

namespace baton::test {
namespace {

TEST(Retry, OfAStepRunsItAndItsDependantsAgainAlsoInACompletedRun) {
  Story story{"a; b: a; c: b; x"};
  story.begin().all_goes_well();
  ASSERT_EQ(story.run.state(), RunState::completed);
  story.happens(event::RetryAsked{story.step("b")});
  EXPECT_EQ(story.states(), "a:completed b:ready c:pending x:completed");
  EXPECT_EQ(story.run.state(), RunState::running);
  EXPECT_EQ(story.run.next_attempt(story.step("b")), 2);
  story.all_goes_well();
  EXPECT_EQ(story.run.state(), RunState::completed);
  EXPECT_EQ(story.attempts("a"), 1);
  EXPECT_EQ(story.attempts("c"), 2);
}

TEST(Retry, WithoutANameRunsEveryFailedStepAgain) {
  Story story{"a; b: a; c; d: c; x"};
  story.begin().begins("a").fails("a").begins("c").fails("c").does("x");
  ASSERT_EQ(story.run.state(), RunState::failed);
  story.happens(event::RetryAsked{});
  EXPECT_EQ(story.states(), "a:ready b:pending c:ready d:pending x:completed");
  story.all_goes_well();
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST(Retry, GivesTheStepItsRetriesBack) {
  Story story{"a"};
  story.policy("a").retries = 1;
  story.begin().begins("a").fails("a").after(Millis{5000}).fires(TimerId::Kind::retry, "a").begins("a").fails("a");
  story.happens(event::RetryAsked{}).begins("a").fails("a");
  EXPECT_EQ(story.state("a"), StepState::waiting);
}

TEST(Retry, WhereNothingFailedChangesNothing) {
  Story story{"a"};
  story.begin().all_goes_well();
  story.commands.clear();
  const Time finished = story.run.finished();
  story.after(Millis{1000}).happens(event::RetryAsked{});
  EXPECT_EQ(story.run.state(), RunState::completed);
  EXPECT_EQ(story.run.finished(), finished);
  EXPECT_TRUE(story.commands.empty());
}

TEST(Retry, OfOneSideLeavesWhatTheOtherSidesFailureSkipped) {
  Story story{"a; b: a; c: a; d: b c"};
  story.begin().does("a").begins("b").fails("b").does("c");
  ASSERT_EQ(story.states(), "a:completed b:failed c:completed d:skipped");
  story.happens(event::RetryAsked{story.step("c")});
  EXPECT_EQ(story.states(), "a:completed b:failed c:ready d:skipped");
  EXPECT_EQ(story.run.of(story.step("d")).state.cause(), story.step("b"));
  story.all_goes_well();
  EXPECT_EQ(story.run.state(), RunState::failed);
}

TEST(Retry, OfASkippedStepBringsBackWhatItNeeds) {
  Story story{"a; b: a; c: b; x: a"};
  story.begin().begins("a").fails("a");
  ASSERT_EQ(story.run.state(), RunState::failed);
  story.happens(event::RetryAsked{story.step("c")});
  EXPECT_EQ(story.states(), "a:ready b:pending c:pending x:pending");
  story.all_goes_well();
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST(Retry, OfACancelledRunGoesOnWithAllOfIt) {
  for (const bool named : {false, true}) {
    Story story{"a; b: a; x; y: x"};
    story.begin().does("a").happens(event::CancelAsked{"me"});
    ASSERT_EQ(story.run.state(), RunState::cancelled);
    story.happens(event::RetryAsked{named ? std::optional{story.step("b")} : std::nullopt});
    EXPECT_EQ(story.states(), "a:completed b:ready x:ready y:pending") << named;
    story.all_goes_well();
    EXPECT_EQ(story.run.state(), RunState::completed);
  }
}

TEST(Retry, LetsAStepAtWorkGoOn) {
  Story story{"a; b: a; c: b"};
  story.begin().does("a").begins("b").happens(event::RetryAsked{story.step("a")});
  EXPECT_EQ(story.states(), "a:ready b:running c:pending");
  story.ends("b");
  EXPECT_EQ(story.state("c"), StepState::ready);
  story.all_goes_well();
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST(Retry, MakesTheNextAttemptOfAStepAtWorkWaitForItsNeeds) {
  Story story{"a; b: a"};
  story.policy("b").retries = 3;
  story.begin().does("a").begins("b").happens(event::RetryAsked{story.step("a")}).begins("a");
  story.fails("b").after(Millis{5000}).fires(TimerId::Kind::retry, "b");
  EXPECT_EQ(story.states(), "a:running b:pending");
  story.ends("a");
  EXPECT_EQ(story.state("b"), StepState::ready);
}

TEST(Retry, WhoseNeedFailsTheSecondTimeSkipsTheStepThatWasAtWork) {
  Story story{"a; b: a"};
  story.policy("b").on_unknown = OnUnknown::retry;
  story.begin().does("a").begins("b").happens(event::RetryAsked{story.step("a")}).begins("a").fails("a").vanishes("b");
  EXPECT_EQ(story.states(), "a:failed b:skipped");
  EXPECT_EQ(story.run.state(), RunState::failed);
}

TEST(Retry, WakesAPausedRun) {
  Story story{"a; b"};
  story.begin().begins("a").fails("a").begins("b").happens(event::PauseAsked{"me"}).happens(event::RetryAsked{});
  EXPECT_EQ(story.run.state(), RunState::running);
  EXPECT_EQ(story.commanded<command::ThawAttempts>().size(), 1U);
}

TEST(Retry, IsNotHeardWhileTheRunIsBeingCancelled) {
  Story story{"a; b: a"};
  story.begin().begins("a").happens(event::CancelAsked{"me"}).happens(event::RetryAsked{story.step("b")});
  EXPECT_TRUE(story.run.cancelling());
  EXPECT_EQ(story.states(), "a:running b:cancelled");
}

TEST(Retry, OfAStepThatDoesNotExistChangesNothing) {
  Story story{"a"};
  story.begin().all_goes_well();
  story.happens(event::RetryAsked{step_index(17)});
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST(Resume, OfAFailedRunGoesOnFromWhatIsIncomplete) {
  Story story{"a; b: a; c: b; x"};
  story.begin().does("a").begins("b").fails("b").does("x");
  ASSERT_EQ(story.states(), "a:completed b:failed c:skipped x:completed");
  story.happens(event::ResumeAsked{});
  EXPECT_EQ(story.states(), "a:completed b:ready c:pending x:completed");
  story.all_goes_well();
  EXPECT_EQ(story.run.state(), RunState::completed);
  EXPECT_EQ(story.attempts("a"), 1);
}

TEST(Resume, OfARunThatIsOverChangesNothing) {
  Story story{"a"};
  story.begin().all_goes_well();
  story.commands.clear();
  story.happens(event::ResumeAsked{});
  EXPECT_EQ(story.run.state(), RunState::completed);
  EXPECT_TRUE(story.commands.empty());
}

}  // namespace
}  // namespace baton::test
