// What sessions ask of a run: needs that are found when a turn comes, tasks that can never start, timeouts that block.
#include <gtest/gtest.h>

#include "core/facts.h"
#include "support/story.h"

namespace baton::test {
namespace {

using enum TurnVerdict;

/// Steps that need nothing by their plan, each with a turn to be taken.
struct SessionRun : testing::Test {
  Story story{"a; b; c"};

  void SetUp() override {
    for (const char* id : {"a", "b", "c"}) story.with_flow(id, Flow{.deferred = true});
  }
  /// The turn of `waiting` came, and it was found to need these.
  void finds_needs(std::string_view waiting, const std::vector<std::string>& needs) {
    event::PlanExtended e;
    e.by = story.step(waiting);
    e.first = step_index(story.run.step_count());
    for (const std::string& need : needs) e.joins.emplace_back(story.step(waiting), story.step(need));
    story.happens(std::move(e));
  }
  std::size_t turns_asked() { return story.commanded<command::TakeTurn>().size(); }
};

TEST_F(SessionRun, AStepWaitsForWhatItIsFoundToNeed) {
  story.begin();
  EXPECT_EQ(turns_asked(), 3U);
  finds_needs("b", {"a", "c"});
  EXPECT_EQ(turns_asked(), 0U);
  story.turns("a", go).turns("c", go).does("a");
  EXPECT_EQ(story.state("b"), StepState::pending);
  story.commands.clear();
  story.does("c");
  EXPECT_EQ(turns_asked(), 1U) << "its turn comes again";
  story.turns("b", go).does("b");
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST_F(SessionRun, AStepThatWentRunsAgainWithWhatItWasFoundToNeed) {
  story.begin().turns("a", go).does("a").turns("c", done);
  story.happens(event::TurnTaken{story.step("b"), 1, 1, go, "", "", nullptr, {}, "", {story.step("a")}});
  story.does("b");
  ASSERT_EQ(story.run.state(), RunState::completed);
  story.happens(event::RetryAsked{story.step("a")});
  EXPECT_EQ(story.state("b"), StepState::pending);
  EXPECT_EQ(story.state("c"), StepState::completed);
}

TEST_F(SessionRun, AStepThatMayGoWaitsIfWhatItNeedsRunsAgainMeanwhile) {
  story.begin().turns("a", go).does("a").turns("c", done);
  story.happens(event::RetryAsked{story.step("a")});
  story.happens(event::TurnTaken{story.step("b"), 1, 1, go, "", "", nullptr, {}, "", {story.step("a")}});
  EXPECT_EQ(story.state("b"), StepState::pending);
  EXPECT_EQ(story.run.needs_of(story.step("b")), std::vector{story.step("a")});
}

TEST_F(SessionRun, WhatItNeedsMayHaveFailedBefore) {
  story.begin().turns("a", fail);
  finds_needs("b", {"a"});
  EXPECT_EQ(story.state("b"), StepState::skipped);
  EXPECT_EQ(error_of(story.run, story.step("b"))->message, "it needs 'a', which failed");
  story.turns("c", done);
  EXPECT_EQ(story.run.state(), RunState::failed) << "and nobody waits for ever";
}

TEST_F(SessionRun, WhatItNeedsMayHaveCompletedBefore) {
  story.begin().turns("a", done).turns("c", done);
  story.commands.clear();
  finds_needs("b", {"a"});
  EXPECT_EQ(turns_asked(), 1U);
  story.turns("b", go).does("b");
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST_F(SessionRun, WhoWaitsForOneThatIsSkippedIsSkippedToo) {
  story.begin();
  finds_needs("c", {"b"});
  finds_needs("b", {"a"});
  story.turns("a", fail);
  EXPECT_EQ(story.states(), "a:failed b:skipped c:skipped");
}

TEST_F(SessionRun, NeedsAreThoseOfThePlanAndThoseThatWereFound) {
  story.plan.steps[1].needs = {step_index(0)};
  story.begin().turns("a", done);
  finds_needs("b", {"c"});
  EXPECT_EQ(story.run.needs_of(story.step("b")), (std::vector{story.step("a"), story.step("c")}));
  EXPECT_TRUE(story.run.needs_of(story.step("a")).empty());
}

TEST_F(SessionRun, AStepThatNeedsWhatDoesNotExistIsBlocked) {
  story.begin();
  finds_needs("c", {"b"});
  event::TurnTaken e{story.step("b"), 1, 1, block, "it depends on 'X-9'", "unknown-dependency", nullptr, {}, ""};
  story.happens(std::move(e));
  EXPECT_EQ(story.state("b"), StepState::blocked);
  EXPECT_EQ(story.state("c"), StepState::skipped);
  EXPECT_EQ(error_of(story.run, story.step("b"))->code, "unknown-dependency");
  story.turns("a", go).does("a");
  EXPECT_EQ(story.run.state(), RunState::failed);
  EXPECT_EQ(error_of(story.run)->code, "unknown-dependency");
}

TEST_F(SessionRun, ABlockedStepHasItsTurnAgainWhenTheRunIsTakenUp) {
  for (const bool resumes : {true, false}) {
    Story again{"a"};
    again.with_flow("a", Flow{.deferred = true}).begin().turns("a", block);
    ASSERT_EQ(again.run.state(), RunState::failed);
    again.commands.clear();
    again.happens(resumes ? EventBody{event::ResumeAsked{}} : EventBody{event::RetryAsked{}});
    EXPECT_EQ(again.commanded<command::TakeTurn>().size(), 1U);
    again.turns("a", go).does("a");
    EXPECT_EQ(again.run.state(), RunState::completed);
    EXPECT_EQ(error_of(again.run, again.step("a")), std::nullopt);
  }
}

struct SessionTimeouts : testing::Test {
  Story story{"a; b: a; c"};
  void time_is_up() {
    story.begin().begins("a").after(Millis{1000}).fires(TimerId::Kind::attempt_timeout, "a");
    story.ends("a", Failure{"command-killed", "signal 15", true});
  }
};

TEST_F(SessionTimeouts, BlockWhereThePolicySaysSoAndTheRestGoesOn) {
  story.policy("a") = {.retries = 3, .timeout = Millis{1000}, .timeout_blocks = true};
  time_is_up();
  EXPECT_EQ(story.states(), "a:blocked b:skipped c:ready");
  EXPECT_EQ(error_of(story.run, story.step("a"))->code, "attempt-timed-out");
  story.does("c");
  EXPECT_EQ(story.run.state(), RunState::failed);
}

TEST_F(SessionTimeouts, AreTriedAgainElsewhere) {
  story.policy("a") = {.retries = 3, .timeout = Millis{1000}};
  time_is_up();
  EXPECT_EQ(story.state("a"), StepState::waiting);
}

TEST_F(SessionTimeouts, OfACancelledRunAreCancelled) {
  story.policy("a") = {.timeout = Millis{1000}, .timeout_blocks = true};
  story.begin().begins("a").after(Millis{1000}).fires(TimerId::Kind::attempt_timeout, "a");
  story.happens(event::CancelAsked{"me"}).ends("a", Failure{"command-killed", "signal 15", true});
  EXPECT_EQ(story.state("a"), StepState::cancelled);
}

}  // namespace
}  // namespace baton::test
