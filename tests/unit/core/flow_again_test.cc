// Steps with a flow that run again: by a retry, an edit, or because what they were made from is another.
#include <gtest/gtest.h>

#include "core/facts.h"
#include "support/story.h"

namespace baton::test {
namespace {

using enum TurnVerdict;

const Flow fan_out{.for_each = "[1,2]"};
const Flow gated_fan_out{.for_each = "[1,2]", .gate = true};
const Flow conditional{.when = "steps.a.output.x"};

event::OutputChanged edited(const Story& story, std::string_view id, bool passes = true) {
  return {story.step(id), {{"rule", passes, ""}}, "another"};
}

TEST(Composites, PutTheirListTogetherAgainWithoutRunningAnything) {
  Story story{"each; after: each"};
  story.with_flow("each", fan_out).begin().turns("each", go, "each.1; each.2");
  event::TurnTaken done_so{story.step("each"), 1, 2, done, "", "", nullptr, {}, "digest"};
  story.does("each.1").does("each.2").happens(done_so).does("after");
  ASSERT_EQ(story.run.state(), RunState::completed);
  const event::OutputChanged gone{.step = story.step("each"), .results = {}, .digest = {}, .put_together = true};
  story.commands.clear();
  story.happens(gone);
  EXPECT_EQ(story.commanded<command::TakeTurn>().back().round, 2);
  EXPECT_EQ(story.states(), "each:pending after:completed each.1:completed each.2:completed");
  story.happens(done_so);
  EXPECT_EQ(story.run.state(), RunState::completed);
  EXPECT_EQ(story.attempts("after"), 1);
  EXPECT_EQ(story.attempts("each.1"), 1);
}

TEST(Composites, WhoBuildsOnAListWaitsUntilItIsPutTogetherAgain) {
  Story story{"each; after: each"};
  story.with_flow("each", fan_out).begin().turns("each", go, "each.1");
  event::TurnTaken done_so{story.step("each"), 1, 2, done, "", "", nullptr, {}, "digest"};
  story.does("each.1").happens(done_so).begins("after").fails("after", false);
  ASSERT_EQ(story.run.state(), RunState::failed);
  story.happens(event::ResumeAsked{});
  EXPECT_EQ(story.state("after"), StepState::ready);
  story.happens(event::OutputChanged{.step = story.step("each"), .results = {}, .digest = {}, .put_together = true});
  EXPECT_EQ(story.state("after"), StepState::pending);
  EXPECT_EQ(story.run.next_ready(), std::nullopt);
  story.happens(done_so).does("after");
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST(Composites, AskAtTheirGateBeforeAnythingIsMade) {
  Story story{"each; after: each"};
  story.with_flow("each", gated_fan_out).begin().turns("each", go, "each.1");
  EXPECT_EQ(story.states(), "each:waiting after:pending");
  EXPECT_EQ(story.run.state(), RunState::reviewing);
  story.happens(event::GateAnswered{{}, true, ""});
  EXPECT_EQ(story.commanded<command::TakeTurn>().back().round, 1) << "its turn comes once more";
  story.turns("each", go, "each.1").does("each.1").turns("each", done).does("after");
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST(Composites, AGateOfADroppedItemIsNotAnsweredAnyMore) {
  Story story{"a; each: a"};
  story.with_flow("each", fan_out).begin().does("a");
  event::TurnTaken made{story.step("each"), 1, 1, go, "", "", nullptr, plan_of("each.1").steps, ""};
  made.made[0].flow = std::make_shared<const Flow>(Flow{.gate = true});
  story.happens(made).turns("each.1", go);
  EXPECT_EQ(story.state("each.1"), StepState::waiting);
  story.happens(event::RetryAsked{story.step("a")}).happens(event::GateAnswered{{}, true, ""});
  EXPECT_EQ(story.state("each.1"), StepState::cancelled);
}

TEST(Composites, ARejectionOfADroppedItemIsForgotten) {
  Story story{"a; each: a"};
  story.with_flow("each", fan_out).begin().does("a");
  event::TurnTaken made{story.step("each"), 1, 1, go, "", "", nullptr, plan_of("each.1").steps, ""};
  made.made[0].flow = std::make_shared<const Flow>(Flow{.gate = true});
  story.happens(made).turns("each.1", go).happens(event::GateAnswered{{}, false, ""});
  EXPECT_EQ(story.run.state(), RunState::rejected);
  story.happens(event::RetryAsked{story.step("a")}).begins("a").fails("a", false);
  EXPECT_EQ(story.run.state(), RunState::failed);
}

TEST(Composites, TakeTheirLastTurnAgainWhenAnItemRunsAgain) {
  Story story{"again"};
  story.with_flow("again", {.until = "output.ok", .loop_max = 3}).begin().turns("again", go, "again.1");
  story.does("again.1").turns("again", done);
  story.happens(event::RetryAsked{story.step("again.1")}).does("again.1");
  EXPECT_EQ(story.commanded<command::TakeTurn>().back().round, 2) << "no round was added";
}

TEST(Joins, WithAFlowTakeThoseThereAreToo) {
  Story story{"a; b; join: a b"};
  story.with_flow("a", conditional).with_nothing("join").with_flow("join", {.deferred = true}).begin();
  story.turns("a", skip).does("b").turns("join", go);
  EXPECT_EQ(story.state("join"), StepState::completed);
}

TEST(Joins, ThatRunAgainLeaveOthersNeedsToBeMet) {
  Story story{"a; b; join: a; c: join b"};
  story.with_nothing("join").begin().does("a").begins("b");
  EXPECT_EQ(story.state("join"), StepState::completed);
  story.happens(event::RetryAsked{story.step("join")});
  EXPECT_EQ(story.states(), "a:completed b:running join:completed c:pending");
}

TEST(Conditions, ThatSaidNoAreAskedAgainForAStepThatNeedsThem) {
  Story story{"a; b: a; c: b"};
  story.with_flow("b", conditional).begin().does("a").turns("b", skip);
  EXPECT_EQ(story.states(), "a:completed b:skipped c:skipped");
  story.happens(event::RetryAsked{story.step("c")});
  EXPECT_EQ(story.commanded<command::TakeTurn>().back().round, 1) << "only a first turn looks at the condition";
}

TEST(Edits, MakeWhatWasMadeFromThemAnew) {
  Story story{"a; each: a"};
  story.with_output("a").with_flow("each", fan_out).begin().does("a").checked("a", true);
  story.turns("each", go, "each.1").does("each.1").turns("each", done);
  ASSERT_EQ(story.run.state(), RunState::completed);
  story.happens(edited(story, "a"));
  EXPECT_EQ(story.commanded<command::TakeTurn>().back().generation, 2);
}

TEST(Edits, LetAConditionAndAGateBeLookedAtAgain) {
  Story story{"a; b: a; c: a"};
  story.with_output("a").with_flow("b", conditional).with_flow("c", {.gate = true});
  story.begin().does("a").checked("a", true).turns("b", go).turns("c", go).does("b");
  story.happens(event::GateAnswered{{}, true, ""}).does("c");
  ASSERT_EQ(story.run.state(), RunState::completed);
  story.commands.clear();
  story.happens(edited(story, "a"));
  EXPECT_EQ(story.commanded<command::TakeTurn>().size(), 2U);
  story.turns("c", go);
  EXPECT_EQ(story.state("c"), StepState::waiting) << "it was approved for another output";
}

TEST(Edits, DoNotTakeBackACancellation) {
  Story story{"a; b: a; c"};
  story.with_output("a").begin().does("a").checked("a", true).begins("b").begins("c");
  story.happens(event::CancelAsked{"me"}).happens(edited(story, "a"));
  EXPECT_TRUE(story.run.cancelling());
  story.fails("b").fails("c").happens(edited(story, "a", false));
  EXPECT_EQ(story.run.state(), RunState::cancelled);
}

Failure limit_until(Time until) { return {"agent-usage-limit", "used up", true, {}, until}; }

TEST(Parking, IsNotEndedByARetryForAnotherReason) {
  Story story{"a; b"};
  story.policy("b").retries = 1;
  story.begin().begins("a").begins("b").fails("b");
  const Time until = story.now + Millis{3'600'000};
  story.ends("a", limit_until(until));
  EXPECT_EQ(story.run.parked_until(), until);
  story.after(Millis{2000}).fires(TimerId::Kind::retry, "b");
  EXPECT_EQ(story.run.state(), RunState::parked);
  EXPECT_FALSE(story.run.next_ready());
}

TEST(Parking, OutlastsAPause) {
  Story story{"a; b; c: b"};
  story.begin().begins("a").begins("b").ends("a", limit_until(story.now + Millis{3'600'000})).ends("b");
  story.happens(event::PauseAsked{"me"}).happens(event::ResumeAsked{});
  EXPECT_EQ(story.run.state(), RunState::parked);
  EXPECT_FALSE(story.run.next_ready());
  story.happens(event::RetryAsked{story.step("a")});
  EXPECT_EQ(story.run.state(), RunState::running) << "somebody knows better";
}

TEST(Extensions, LeaveNoTurnOfWhatTheyReplacedOpen) {
  Story story{"a; b"};
  story.with_flow("b", conditional).begin().begins("a");
  event::PlanExtended e{story.step("a"), step_index(2), plan_of("n").steps, true, {}};
  story.happens(e).turns("b", go);
  EXPECT_EQ(story.state("b"), StepState::cancelled);
  story.ends("a").does("n");
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST(Extensions, ThatAStepIsToWaitForComeBeforeItsTurn) {
  Story story{"a; b"};
  story.with_flow("b", conditional).begin().begins("a");
  event::PlanExtended e{story.step("a"), step_index(2), plan_of("n").steps, false, {{story.step("b"), step_index(2)}}};
  story.happens(e).turns("b", go);
  EXPECT_EQ(story.state("b"), StepState::pending);
  story.does("n").turns("b", go);
  EXPECT_EQ(story.state("b"), StepState::ready);
}

}  // namespace
}  // namespace baton::test
