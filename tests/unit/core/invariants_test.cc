// What has to hold after every event. Each test breaks one thing that nothing but a mistake of ours can break, and the
// next event stops the process.
#include <gtest/gtest.h>

#include "support/story.h"

namespace baton {

/// Reaches the private state of a run.
struct Tampering {
  Run& run;

  RunState& state() { return run.state_; }
  bool& cancelling() { return run.cancelling_; }
  bool& failed_fast() { return run.failed_fast_; }
  Timers& timers() { return run.timers_; }
  Steps& steps() { return run.steps_; }
  StepRun& step(StepIndex i) { return run.steps_.all_[at(i)]; }
  std::size_t& in_flight() { return run.steps_.in_flight_; }
  std::size_t& count(StepState s) { return run.steps_.counts_[static_cast<std::size_t>(s)]; }
};

}  // namespace baton

namespace baton::test {
namespace {

class Invariants : public ::testing::Test {
 protected:
  /// An event that changes nothing by itself, but for a step that it touches.
  void touches(std::string_view id) {
    said_.id = std::to_string(++reports_);
    said_.step = story.step(id);
    story.happens(said_);
  }
  Tampering tampering() { return {story.run}; }
  StepRun& step(std::string_view id) { return tampering().step(story.step(id)); }

  Story story{"a; b: a; c"};

 private:
  event::WorkerReported said_;
  int reports_ = 0;
};
using InvariantsDeathTest = Invariants;

TEST_F(Invariants, HoldForARunThatIsLeftAlone) {
  story.begin().begins("a");
  touches("a");
  EXPECT_EQ(story.state("a"), StepState::running);
}

TEST(RunDeathTest, IsCreatedOnceAndFirst) {
  baton::Run run;
  EXPECT_DEATH(run.apply({Time{}, event::ResumeAsked{}}), "event before RunCreated");
  Story story{"a"};
  story.begin();
  EXPECT_DEATH(story.happens(story.history.front().body), "a run is created once");
}

TEST(RunDeathTest, NoStepWaitsForNothing) {
  Story story{"a"};
  story.with_flow("a", {.for_each = "[1]"}).begin();
  EXPECT_DEATH(story.turns("a", TurnVerdict::go), "a step waits for nothing");
}

TEST_F(InvariantsDeathTest, ARunThatGoesOnIsNotFrozen) {
  story.begin().happens(event::PauseAsked{"me"});
  tampering().state() = RunState::running;
  EXPECT_DEATH(touches("a"), "a run that goes on is frozen");
}

TEST_F(InvariantsDeathTest, NoTimePassesForARunThatIsPaused) {
  story.begin();
  tampering().state() = RunState::paused;
  EXPECT_DEATH(touches("a"), "time passes for a run that is paused");
}

TEST_F(InvariantsDeathTest, NoAttemptIsInFlightWhenARunIsReviewed) {
  story.begin().begins("a");
  tampering().state() = RunState::reviewing;
  EXPECT_DEATH(touches("c"), "a run is reviewed while attempts are in flight");
}

TEST_F(InvariantsDeathTest, NothingIsAtWorkWhenARunIsOver) {
  story.begin().begins("a");
  tampering().state() = RunState::completed;
  EXPECT_DEATH(touches("c"), "a run is over while something is at work");
}

TEST_F(InvariantsDeathTest, ARunIsNotOverBeforeItsSteps) {
  story.begin();
  tampering().state() = RunState::failed;
  EXPECT_DEATH(touches("c"), "a run is over before its steps are");
}

TEST_F(InvariantsDeathTest, ARunIsParkedForSomething) {
  story.begin();
  tampering().state() = RunState::parked;
  EXPECT_DEATH(touches("c"), "a run is parked for nothing");
}

TEST_F(InvariantsDeathTest, AFailureStopsARunByStoppingIt) {
  story.begin();
  tampering().failed_fast() = true;
  EXPECT_DEATH(touches("c"), "a failure stops a run that is not being stopped");
}

TEST_F(InvariantsDeathTest, AttemptsInFlightAreThoseOfStepsThatRun) {
  story.begin();
  tampering().in_flight() = 1;
  EXPECT_DEATH(touches("c"), "more attempts are in flight than steps run");
}

TEST_F(InvariantsDeathTest, TurnsAreOpenOfPendingStepsOnly) {
  story.with_flow("a", {.when = "x"}).begin();
  step("a").state = StepStanding::completed();
  EXPECT_DEATH(touches("a"), "a turn is open of a step that has begun");
}

TEST_F(InvariantsDeathTest, NoMoreTurnsAreOpenThanStepsArePending) {
  story.with_flow("a", {.when = "x"}).begin();
  tampering().count(StepState::pending) = 0;
  EXPECT_DEATH(touches("c"), "more turns are open than steps are pending");
}

TEST_F(InvariantsDeathTest, ARunIsCancelledWhileItRuns) {
  story.begin();
  tampering().cancelling() = true;
  tampering().state() = RunState::queued;
  EXPECT_DEATH(touches("c"), "a run is cancelled that is not running");
}

TEST_F(InvariantsDeathTest, NoStepBeginsInARunThatIsBeingCancelled) {
  story.begin();
  tampering().cancelling() = true;
  EXPECT_DEATH(touches("c"), "a step of a run that is being cancelled may yet begin");
}

TEST_F(InvariantsDeathTest, AStepThatRunsHasAnAttemptAtWork) {
  story.begin().begins("a");
  step("a").attempts.back().state = AttemptState::failed;
  EXPECT_DEATH(touches("a"), "a step runs without an attempt, or not with one");
}

TEST_F(InvariantsDeathTest, AStepThatDoesNotRunHasNoAttemptAtWork) {
  story.begin().does("a");
  step("a").attempts.back().state = AttemptState::running;
  EXPECT_DEATH(touches("a"), "a step runs without an attempt, or not with one");
}

TEST_F(InvariantsDeathTest, AStepThatWaitsHasATimer) {
  story.policy("a").retries = 1;
  story.begin().begins("a").fails("a");
  tampering().timers().disarm(retry_of(story.step("a")), story.commands);
  EXPECT_DEATH(touches("a"), "a step waits for a moment that never comes, or not for it");
}

TEST_F(InvariantsDeathTest, AStepThatIsSettledHasNoTimer) {
  story.begin().does("a");
  tampering().timers().arm(retry_of(story.step("a")), Millis{1}, story.now, story.commands);
  EXPECT_DEATH(touches("a"), "a step waits for a moment that never comes, or not for it");
}

TEST_F(InvariantsDeathTest, OnlyAStepAtWorkRunsOutOfTime) {
  story.begin().does("a");
  tampering().timers().arm(timeout_of(story.step("a")), Millis{1}, story.now, story.commands);
  EXPECT_DEATH(touches("a"), "the time of a step ends that is not at work");
}

TEST_F(InvariantsDeathTest, NoMoreRetriesWaitedThanThereWere) {
  story.begin().does("a");
  step("a").backoffs = 1;
  EXPECT_DEATH(touches("a"), "more retries waited than there were");
}

TEST_F(InvariantsDeathTest, OnlyAStepWithAFlowIsAtItsGate) {
  story.begin().does("c");
  step("c").state = StepStanding::waiting_at_gate();
  EXPECT_DEATH(touches("c"), "a step without a flow is at its gate");
}

TEST_F(InvariantsDeathTest, ACompositeIsNotTriedLikeAStep) {
  story.with_flow("a", {.for_each = "[1]"}).begin();
  FlowRun* flow = tampering().steps().flows().forget_turn(story.step("a"));
  flow->is = TurnState::Is::went;
  EXPECT_DEATH(touches("a"), "a composite is tried like a step");
}

TEST_F(InvariantsDeathTest, AReadyStepsNeedsAreMet) {
  story.begin().begins("a");
  tampering().steps().graph().set_unmet(story.step("b"), 1);
  tampering().steps().graph().join(story.step("b"), story.step("c"));
  EXPECT_DEATH(story.ends("a"), "a step is ready whose needs are not met");
}

TEST_F(InvariantsDeathTest, AddedStepsNeedWhatIsThere) {
  story.begin();
  event::PlanExtended extended{.by = story.step("a"), .first = step_index(3), .steps = plan_of("x").steps};
  extended.steps[0].needs = {step_index(9)};
  EXPECT_DEATH(story.happens(extended), "a step is added that needs none");
}

TEST_F(InvariantsDeathTest, StepsAreCounted) {
  story.begin();
  tampering().count(StepState::ready) = 0;
  EXPECT_DEATH(story.admit("a"), "steps are miscounted");
}

}  // namespace
}  // namespace baton::test
