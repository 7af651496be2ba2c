// Which step may start when, and what a failure does to the others.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "support/story.h"

namespace baton::test {
namespace {

TEST(Needs, AStepIsReadyWhenItsLastNeedIsCompleted) {
  Story story{"a; b: a; c: a; d: b c"};
  story.begin();
  EXPECT_EQ(story.states(), "a:ready b:pending c:pending d:pending");
  story.does("a");
  EXPECT_EQ(story.states(), "a:completed b:ready c:ready d:pending");
  story.does("c");
  EXPECT_EQ(story.state("d"), StepState::pending);
  story.does("b");
  EXPECT_EQ(story.state("d"), StepState::ready);
  story.does("d");
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST(Needs, AnAdmittedStepIsCommandedToStartOnce) {
  Story story{"a"};
  story.begin().admit("a");
  const auto starts = story.commanded<command::StartAttempt>();
  ASSERT_EQ(starts.size(), 1U);
  EXPECT_EQ(starts[0].attempt, 1);
  story.happens(event::AttemptAdmitted{story.step("a"), 1, "command", "", ""});
  story.happens(event::AttemptAdmitted{story.step("a"), 2, "command", "", ""});
  EXPECT_TRUE(story.commanded<command::StartAttempt>().empty());
  EXPECT_EQ(story.attempts("a"), 1);
}

TEST(Needs, AStepThatNeedsAnotherCannotBeAdmittedBeforeIt) {
  Story story{"a; b: a"};
  story.begin().admit("b");
  EXPECT_EQ(story.states(), "a:ready b:pending");
  EXPECT_EQ(story.run.in_flight(), 0U);
}

TEST(Needs, AFailureSkipsAllThatDependsOnItAndNothingElse) {
  Story story{"a; b: a; c: b; x; y: x; z: c y"};
  story.begin().begins("a").fails("a");
  EXPECT_EQ(story.states(), "a:failed b:skipped c:skipped x:ready y:pending z:skipped");
  for (const char* id : {"b", "c", "z"}) EXPECT_EQ(story.run.of(story.step(id)).state.cause(), story.step("a")) << id;
  EXPECT_EQ(story.run.state(), RunState::running);
  story.does("x").does("y");
  EXPECT_EQ(story.run.state(), RunState::failed);
}

TEST(Needs, AnEmptyPlanIsCompletedAtOnce) {
  Story story{Plan{}};
  story.begin();
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST(Needs, ReadyStepsStartInTheOrderTheyBecameReady) {
  Story story{"a; b; c: b; d"};
  story.begin().does("b");
  std::string order;
  while (const auto next = story.run.next_ready()) {
    order += story.run.step(*next).id;
    story.begins(story.run.step(*next).id);
  }
  EXPECT_EQ(order, "adc");
}

Plan fan(std::size_t width, bool inwards) {
  Plan plan;
  plan.workflow = "fan";
  const auto work = std::make_shared<const Work>(Work{.command = {"/bin/true"}});
  const auto add = [&](const std::string& id, std::vector<StepIndex> needs) {
    plan.steps.push_back({id, std::move(needs), work});
  };
  if (!inwards) add("hub", {});
  std::vector<StepIndex> leaves;
  for (std::size_t n = 0; n < width; ++n) {
    leaves.push_back(step_index(plan.steps.size()));
    add(fmt::format("leaf{}", n), inwards ? std::vector<StepIndex>{} : std::vector{step_index(0)});
  }
  if (inwards) add("hub", leaves);
  return plan;
}

TEST(Needs, AStepMayHaveTenThousandNeeds) {
  constexpr std::size_t width = 10'000;
  Story story{fan(width, true)};
  story.begin();
  for (std::size_t n = 0; n < width; ++n) {
    ASSERT_EQ(story.run.of(step_index(width)).state, StepState::pending) << n;
    const StepIndex i = step_index(n);
    story.happens(event::AttemptAdmitted{i, 1, "command", "", ""});
    story.happens(event::AttemptEnded{.step = i, .attempt = 1, .exit = 0});
  }
  EXPECT_EQ(story.run.of(step_index(width)).state, StepState::ready);
}

TEST(Needs, AStepMayHaveTenThousandDependants) {
  constexpr std::size_t width = 10'000;
  Story story{fan(width, false)};
  story.begin().does("hub");
  EXPECT_EQ(story.run.count(StepState::ready), width);
  Story other{fan(width, false)};
  other.begin().begins("hub").fails("hub");
  EXPECT_EQ(other.run.count(StepState::skipped), width);
  EXPECT_EQ(other.run.state(), RunState::failed);
}

TEST(Extension, AddsStepsThatWaitForTheOneThatAddedThem) {
  Story story{"a; z: a"};
  story.begin().begins("a");
  Plan more = plan_of("a; z; n; m: n");
  more.steps[2].needs = {step_index(0)};
  story.happens(event::PlanExtended{step_index(0), step_index(2), {more.steps[2], more.steps[3]}, false, {}});
  EXPECT_EQ(story.states(), "a:running z:pending n:pending m:pending");
  EXPECT_TRUE(story.announced(command::Announce::Kind::plan_extended));
  story.ends("a");
  EXPECT_EQ(story.states(), "a:completed z:ready n:ready m:pending");
  story.all_goes_well();
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST(Extension, AJoinMakesAWaitingStepWaitForTheNewOneToo) {
  Story story{"a; z: a"};
  story.begin().begins("a");
  Plan more = plan_of("a; z; n");
  more.steps[2].needs = {step_index(0)};
  story.happens(
      event::PlanExtended{step_index(0), step_index(2), {more.steps[2]}, false, {{step_index(1), step_index(2)}}});
  story.ends("a");
  EXPECT_EQ(story.states(), "a:completed z:pending n:ready");
  story.does("n");
  EXPECT_EQ(story.state("z"), StepState::ready);
}

TEST(Extension, ReplacingTheRestDropsWhatHasNotStarted) {
  Story story{"a; b; y: a; z: y"};
  story.begin().begins("a").begins("b");
  Plan more = plan_of("a; b; y; z; n");
  more.steps[4].needs = {step_index(0)};
  story.happens(event::PlanExtended{step_index(0), step_index(4), {more.steps[4]}, true, {}});
  EXPECT_EQ(story.states(), "a:running b:running y:cancelled z:cancelled n:pending");
  story.ends("a").ends("b").all_goes_well();
  EXPECT_EQ(story.run.state(), RunState::completed);
  story.happens(event::RetryAsked{story.step("a")});
  EXPECT_EQ(story.states(), "a:ready b:completed y:cancelled z:cancelled n:pending")
      << "what was dropped stays dropped";
}

TEST(Extension, AStepThatNeedsAFailedOneIsSkippedAtOnce) {
  Story story{"a; b"};
  story.begin().begins("a").fails("a").begins("b");
  Plan more = plan_of("a; b; n: a; m: n");
  story.happens(event::PlanExtended{step_index(1), step_index(2), {more.steps[2], more.steps[3]}, false, {}});
  EXPECT_EQ(story.states(), "a:failed b:running n:skipped m:skipped");
  story.ends("b");
  EXPECT_EQ(story.run.state(), RunState::failed);
}

TEST(Extension, HeardTwiceAddsOnce) {
  Story story{"a"};
  story.begin().begins("a");
  const event::PlanExtended e{step_index(0), step_index(1), {plan_of("n").steps[0]}, false, {}};
  story.happens(e).happens(e);
  EXPECT_EQ(story.run.step_count(), 2U);
}

}  // namespace
}  // namespace baton::test
