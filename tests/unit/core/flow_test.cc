// Steps with a flow: conditions, gates, items, rounds.
#include <gtest/gtest.h>

#include "core/facts.h"
#include "support/story.h"

namespace baton::test {
namespace {

using Announced = command::Announce::Kind;
using enum TurnVerdict;

const Flow on_output{.when = "steps.a.output.ok"};
const Flow over_output{.for_each = "steps.a.output"};
const Flow rounds{.until = "output.ok", .loop_max = 3};
const Flow gate{.gate = true, .question = "Publish?"};

TEST(Turns, ComeWhenTheNeedsAreMetAndNotBefore) {
  Story story{"a; b: a"};
  story.with_flow("b", on_output).begin();
  EXPECT_TRUE(story.commanded<command::TakeTurn>().empty());
  story.does("a");
  const auto turns = story.commanded<command::TakeTurn>();
  ASSERT_EQ(turns.size(), 1U);
  EXPECT_EQ(turns[0].step, story.step("b"));
  EXPECT_EQ(story.state("b"), StepState::pending);
  EXPECT_EQ(story.run.state(), RunState::running);
  story.turns("b", go);
  EXPECT_EQ(story.state("b"), StepState::ready);
  story.all_goes_well();
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST(Turns, AreAskedForAgainByWhoeverTakesTheRunUp) {
  Story story{"a; b: a"};
  story.with_flow("b", on_output).begin().does("a");
  const auto outstanding = story.run.outstanding();
  ASSERT_EQ(outstanding.size(), 1U);
  EXPECT_EQ(std::get<command::TakeTurn>(outstanding[0]).round, 1);
}

TEST(Turns, AnswersThatDoNotFitChangeNothing) {
  Story story{"a; b: a"};
  story.with_flow("b", on_output).begin().turns("b", go);
  EXPECT_EQ(story.states(), "a:ready b:pending");
  story.does("a");
  story.happens(event::TurnTaken{story.step("b"), 2, 1, go, "", "", nullptr, {}, ""});
  story.happens(event::TurnTaken{story.step("b"), 1, 2, go, "", "", nullptr, {}, ""});
  EXPECT_EQ(story.state("b"), StepState::pending);
}

TEST(Turns, FillInTheWorkAndARetryKeepsIt) {
  Story story{"a; b: a"};
  story.with_flow("b", Flow{.deferred = true});
  story.policy("b").retries = 1;
  story.begin().does("a");
  auto filled = std::make_shared<const Work>(Work{.command = {"echo", "seven"}});
  story.happens(event::TurnTaken{story.step("b"), 1, 1, go, "", "", filled, {}, ""});
  EXPECT_EQ(story.run.step(story.step("b")).work->command[1], "seven");
  story.begins("b").fails("b").after(Millis{2000}).fires(TimerId::Kind::retry, "b");
  EXPECT_EQ(story.state("b"), StepState::ready) << "its turn has been: it is not asked for again";
  EXPECT_EQ(story.run.step(story.step("b")).work->command[1], "seven");
}

TEST(Conditions, AFalseOneIsNoFailure) {
  Story story{"a; b: a"};
  story.with_flow("b", on_output).begin().does("a").turns("b", skip);
  EXPECT_EQ(story.states(), "a:completed b:skipped");
  EXPECT_EQ(story.run.state(), RunState::completed);
  EXPECT_EQ(error_of(story.run), std::nullopt);
}

TEST(Conditions, WhatNeedsASkippedStepIsSkippedUnlessItHasAConditionOfItsOwn) {
  Story story{"a; b: a; c: b; d: c; e: b a; f: e"};
  story.with_flow("b", on_output).with_flow("e", on_output).begin().does("a").turns("b", skip);
  EXPECT_EQ(story.states(), "a:completed b:skipped c:skipped d:skipped e:pending f:pending");
  story.turns("e", go).does("e").does("f");
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST(Conditions, AFailedNeedStillSkipsAStepWithACondition) {
  Story story{"a; b: a"};
  story.with_flow("b", on_output).begin().begins("a").fails("a", false);
  EXPECT_EQ(story.state("b"), StepState::skipped);
  EXPECT_EQ(story.run.state(), RunState::failed);
}

TEST(Conditions, AreLookedAtAgainWhenTheirNeedsRunAgain) {
  Story story{"a; b: a"};
  story.with_flow("b", on_output).begin().does("a").turns("b", skip);
  story.happens(event::RetryAsked{story.step("a")}).does("a");
  EXPECT_EQ(story.state("b"), StepState::pending);
  story.turns("b", go).does("b");
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST(Joins, CompleteByThemselvesAndAreSkippedOnlyWithAllTheyNeed) {
  Story story{"a; b; join: a b; after: join"};
  story.with_nothing("join").with_flow("a", on_output).with_flow("b", on_output).begin();
  story.turns("a", skip);
  EXPECT_EQ(story.state("join"), StepState::pending);
  story.turns("b", go).does("b");
  EXPECT_EQ(story.state("join"), StepState::completed);
  EXPECT_EQ(story.state("after"), StepState::ready);

  Story none{"a; b; join: a b; after: join"};
  none.with_nothing("join").with_flow("a", on_output).with_flow("b", on_output).begin();
  none.turns("a", skip).turns("b", skip);
  EXPECT_EQ(none.states(), "a:skipped b:skipped join:skipped after:skipped");
  EXPECT_EQ(none.run.state(), RunState::completed);
}

TEST(Gates, WaitForAPersonAndGoOnWhenApproved) {
  Story story{"a; b: a; c: b"};
  story.with_flow("b", gate).begin().does("a").turns("b", go);
  EXPECT_EQ(story.state("b"), StepState::waiting);
  EXPECT_EQ(story.run.state(), RunState::reviewing);
  EXPECT_EQ(error_of(story.run)->message, "step 'b': Publish?");
  story.happens(event::GateAnswered{{}, true, ""});
  EXPECT_EQ(story.run.state(), RunState::running);
  story.does("b").does("c");
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST(Gates, DoNotHoldUpWhatDoesNotNeedThem) {
  Story story{"a; b; c: b"};
  story.with_flow("a", gate).begin().turns("a", go);
  EXPECT_EQ(story.run.state(), RunState::running);
  story.does("b").does("c");
  EXPECT_EQ(story.run.state(), RunState::reviewing);
}

TEST(Gates, ByThemselvesCompleteWhenApproved) {
  Story story{"a; b: a"};
  story.with_nothing("a").with_flow("a", gate).begin().turns("a", go);
  story.happens(event::GateAnswered{story.step("a"), true, ""});
  EXPECT_EQ(story.states(), "a:completed b:ready");
}

TEST(Gates, ARejectionEndsTheRunAsRejected) {
  Story story{"a; b: a"};
  story.with_flow("a", gate).begin().turns("a", go);
  story.happens(event::GateAnswered{{}, false, "not yet"});
  EXPECT_EQ(story.states(), "a:failed b:skipped");
  EXPECT_EQ(story.run.state(), RunState::rejected);
  EXPECT_EQ(error_of(story.run, story.step("a"))->code, "gate-rejected");
  EXPECT_NE(error_of(story.run, story.step("a"))->message.find("not yet"), std::string::npos);
}

TEST(Gates, ARetryDoesNotPassThemByItself) {
  Story story{"a; b: a"};
  story.with_flow("b", gate).begin().does("a").turns("b", go);
  story.happens(event::RetryAsked{});
  EXPECT_EQ(story.state("b"), StepState::waiting);
  story.happens(event::GateAnswered{{}, true, ""}).begins("b").fails("b");
  story.happens(event::ResumeAsked{}).turns("b", go);
  EXPECT_EQ(story.state("b"), StepState::ready) << "approved once: a failure of the work does not ask again";
}

TEST(Gates, BeforeItemsHoldThemBackUntilApproved) {
  Story story{"a; b: a; c: b"};
  Flow guarded = over_output;
  guarded.gate = true;
  story.with_flow("b", guarded).begin().does("a").turns("b", go, "b.1; b.2");
  EXPECT_EQ(story.states(), "a:completed b:waiting c:pending") << "nothing is made before a person has said yes";
  EXPECT_EQ(story.run.state(), RunState::reviewing);
  story.happens(event::GateAnswered{{}, true, ""});
  EXPECT_EQ(story.states(), "a:completed b:pending c:pending") << "its turn comes once more";
  story.turns("b", go, "b.1; b.2");
  EXPECT_EQ(story.states(), "a:completed b:pending c:pending b.1:ready b.2:ready");
  story.does("b.1").does("b.2").turns("b", done).all_goes_well();
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST(Gates, BeforeItemsThatAreRejectedMakeNone) {
  Story story{"a; b: a"};
  Flow guarded = over_output;
  guarded.gate = true;
  story.with_flow("b", guarded).begin().does("a").turns("b", go, "b.1; b.2");
  story.happens(event::GateAnswered{{}, false, "no"});
  EXPECT_EQ(story.states(), "a:completed b:failed");
  EXPECT_EQ(story.run.state(), RunState::rejected);
  story.happens(event::RetryAsked{story.step("b")}).turns("b", go, "b.1");
  EXPECT_EQ(story.states(), "a:completed b:waiting") << "it asks again";
}

TEST(Gates, CanBeCancelled) {
  Story story{"a; b: a"};
  story.with_flow("a", gate).begin().turns("a", go).happens(event::CancelAsked{"me"});
  EXPECT_EQ(story.run.state(), RunState::cancelled);
  story.happens(event::GateAnswered{{}, true, ""});
  EXPECT_EQ(story.run.state(), RunState::cancelled);
}

TEST(FanOut, MakesAStepForEachItemAndJoinsThem) {
  Story story{"a; each: a; after: each"};
  story.with_flow("each", over_output).begin().does("a").turns("each", go, "each.1; each.2; each.3");
  EXPECT_TRUE(story.announced(Announced::plan_extended));
  EXPECT_EQ(story.states(), "a:completed each:pending after:pending each.1:ready each.2:ready each.3:ready");
  story.does("each.2").does("each.1");
  EXPECT_EQ(story.state("each"), StepState::pending);
  story.does("each.3");
  EXPECT_EQ(story.commanded<command::TakeTurn>().back().round, 2);
  story.turns("each", done);
  EXPECT_EQ(story.state("after"), StepState::ready);
  story.does("after");
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST(FanOut, NeedsInsideABodyCountFromItsFirstStep) {
  Story story{"a; each"};
  story.with_flow("each", over_output).begin().turns("each", go, "each.1.x; each.1.y: each.1.x");
  EXPECT_EQ(story.state("each.1.y"), StepState::pending);
  story.does("each.1.x");
  EXPECT_EQ(story.state("each.1.y"), StepState::ready);
}

TEST(FanOut, APartThatHasNothingToDoIsDoneAtOnceAndMetOnce) {
  Story story{"each"};
  story.with_flow("each", over_output).begin();
  event::TurnTaken turn{.step = story.step("each"), .generation = 1, .round = 1, .verdict = go};
  turn.made = plan_of("each.1.join; each.1.x: each.1.join").steps;
  turn.made[0].work = std::make_shared<const Work>();
  story.happens(turn);
  EXPECT_EQ(story.states(), "each:pending each.1.join:completed each.1.x:ready");
}

TEST(FanOut, AFailedItemIsRunAgainAloneAndTheOthersStayDone) {
  Story story{"each; after: each"};
  story.with_flow("each", over_output).begin().turns("each", go, "each.1; each.2");
  story.does("each.1").begins("each.2").fails("each.2", false);
  EXPECT_EQ(story.states(), "each:skipped after:skipped each.1:completed each.2:failed");
  EXPECT_EQ(story.run.state(), RunState::failed);
  story.happens(event::ResumeAsked{});
  EXPECT_EQ(story.states(), "each:pending after:pending each.1:completed each.2:ready");
  story.does("each.2").turns("each", done).does("after");
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST(FanOut, ARetryOfTheWholeMakesItsItemsAnew) {
  Story story{"a; each: a"};
  story.with_flow("each", over_output).begin().does("a").turns("each", go, "each.1; each.2");
  story.does("each.1").does("each.2").turns("each", done);
  story.happens(event::RetryAsked{story.step("a")}).does("a");
  const auto turn = story.commanded<command::TakeTurn>().back();
  EXPECT_EQ(turn.generation, 2);
  EXPECT_EQ(turn.round, 1);
  story.turns("each", go, "each.r2.1").does("each.r2.1").turns("each", done);
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST(FanOut, AnItemThatIsRunAgainWhileAnotherIsAtWorkIsJoinedToo) {
  Story story{"each; after: each"};
  story.with_flow("each", over_output).begin().turns("each", go, "each.1; each.2");
  story.begins("each.2").begins("each.1").fails("each.1", false);
  story.happens(event::RetryAsked{story.step("each.1")}).does("each.1").ends("each.2");
  EXPECT_EQ(story.state("each"), StepState::pending);
  story.turns("each", done).does("after");
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST(FanOut, ItemsThatWereLeftOutDoNotLeaveOutTheWhole) {
  Story story{"each; after: each"};
  story.with_flow("each", over_output).begin().turns("each", go, "each.1; each.2");
  story.does("each.1");
  story.happens(event::CancelAsked{"me"}).happens(event::RetryAsked{});
  EXPECT_EQ(story.states(), "each:pending after:pending each.1:completed each.2:ready")
      << "what was done before the cancellation stays done";
}

TEST(Loops, MakeARoundAtATimeUntilTheyAreDone) {
  Story story{"again; after: again"};
  story.with_flow("again", rounds).begin().turns("again", go, "again.1").does("again.1");
  story.turns("again", go, "again.2");
  EXPECT_EQ(story.states(), "again:pending after:pending again.1:completed again.2:ready");
  story.does("again.2").turns("again", done).does("after");
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST(Loops, ThatFindNoEndFail) {
  Story story{"again; after: again"};
  story.with_flow("again", rounds).begin().turns("again", go, "again.1").does("again.1").turns("again", fail);
  EXPECT_EQ(story.states(), "again:failed after:skipped again.1:completed");
  EXPECT_EQ(error_of(story.run, story.step("again"))->code, "loop-exhausted");
  story.happens(event::ResumeAsked{});
  EXPECT_EQ(story.commanded<command::TakeTurn>().back().generation, 2);
}

TEST(Turns, OfACancelledStepAreForgotten) {
  Story story{"each"};
  story.with_flow("each", over_output).begin().happens(event::CancelAsked{"me"});
  EXPECT_EQ(story.run.state(), RunState::cancelled);
  story.turns("each", go, "each.1");
  EXPECT_EQ(story.states(), "each:cancelled");
}

TEST(Turns, TakenWhilePausedStartNothing) {
  Story story{"a"};
  story.with_flow("a", on_output).begin().happens(event::PauseAsked{"me"}).turns("a", go);
  EXPECT_EQ(story.run.next_ready(), std::nullopt);
  story.happens(event::ResumeAsked{});
  EXPECT_NE(story.run.next_ready(), std::nullopt);
}

TEST(Found, StepsCountAsCompletedFromTheStart) {
  Story story{"a; b: a; c: b"};
  const StepIndex a = step_index(0);
  story.happens(event::RunCreated{std::make_shared<const Plan>(story.plan), story.settings, {{a, "d1"}}});
  story.happens(event::DriverTook{1, "here", 1});
  EXPECT_EQ(story.states(), "a:completed b:ready c:pending");
  EXPECT_EQ(story.run.digest_of(a), "d1");
  EXPECT_EQ(story.attempts("a"), 0);
}

TEST(Outputs, OneThatChangedAndPassesRunsItsDependantsAgain) {
  Story story{"a; b: a; x"};
  story.with_output("a").begin().does("a").checked("a", true).does("b").does("x");
  EXPECT_EQ(story.run.state(), RunState::completed);
  story.happens(event::OutputChanged{story.step("a"), {{"rule", true, ""}}, "new"});
  EXPECT_EQ(story.states(), "a:completed b:ready x:completed");
  EXPECT_EQ(story.run.digest_of(story.step("a")), "new");
}

TEST(Outputs, OneThatChangedAndFailsRunsItsStepAgainWithTheFeedback) {
  Story story{"a; b: a"};
  story.with_output("a").begin().does("a").checked("a", true).does("b");
  story.happens(event::OutputChanged{story.step("a"), {{"rule", false, "too short"}}, "new"});
  EXPECT_EQ(story.states(), "a:ready b:pending");
  EXPECT_EQ(story.run.attempt(story.step("a"), 1)->detail->checks[0].message, "too short");
}

TEST(Quiet, AttemptsAreWarnedOfOnceAndThenStopped) {
  Story story{"a"};
  story.policy("a").stall = Millis{1000};
  story.policy("a").retries = 1;
  story.begin().begins("a");
  story.happens(event::AttemptQuiet{story.step("a"), 1, Millis{1000}});
  EXPECT_TRUE(story.announced(Announced::step_quiet));
  EXPECT_TRUE(story.commanded<command::StopAttempt>().empty());
  story.happens(event::AttemptQuiet{story.step("a"), 1, Millis{1500}});
  EXPECT_FALSE(story.announced(Announced::step_quiet));
  story.happens(event::AttemptQuiet{story.step("a"), 1, Millis{2000}});
  EXPECT_EQ(story.commanded<command::StopAttempt>().size(), 1U);
  story.fails("a");
  EXPECT_EQ(story.run.attempt(story.step("a"), 1)->detail->failure->code, "attempt-stalled");
  EXPECT_EQ(story.state("a"), StepState::waiting);
}

TEST(Parking, AUsageLimitParksTheRunUntilItsReset) {
  Story story{"a; b; c: a"};
  story.begin().begins("b").begins("a");
  Failure limit{"agent-usage-limit", "used up", true};
  limit.parked_until = story.now + Millis{3'600'000};
  story.ends("a", limit);
  EXPECT_EQ(story.run.state(), RunState::parked);
  EXPECT_EQ(story.run.parked_until(), limit.parked_until);
  EXPECT_EQ(story.run.next_ready(), std::nullopt);
  story.ends("b");
  EXPECT_EQ(story.state("b"), StepState::completed) << "what was at work ends in its own time";
  EXPECT_TRUE(story.run.has_work());
  story.after(Millis{3'600'000}).fires(TimerId::Kind::retry, "a");
  EXPECT_EQ(story.run.state(), RunState::running);
  EXPECT_EQ(story.run.of(story.step("a")).retries_used, 0);
  story.does("a").does("c");
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST(Parking, AResetThatIsNearIsWaitedForAndOneFarAwayParks) {
  for (const auto& [wait, state] : {std::pair{Millis{59'000}, RunState::running}, {Millis{61'000}, RunState::parked}}) {
    Story story{"a"};
    story.policy("a").retries = 1;
    story.begin().begins("a");
    Failure limit{"agent-rate-limited", "429", true};
    limit.retry_after = wait;
    story.ends("a", limit);
    EXPECT_EQ(story.run.state(), state);
    EXPECT_EQ(story.state("a"), StepState::waiting);
  }
}

TEST(Parking, CanBePausedResumedAndCancelled) {
  Story story{"a"};
  story.begin().begins("a");
  Failure limit{"agent-usage-limit", "used up", true};
  limit.parked_until = story.now + Millis{100'000};
  story.ends("a", limit).happens(event::ResumeAsked{});
  EXPECT_EQ(story.run.state(), RunState::parked) << "asking does not bring the quota back";
  story.happens(event::PauseAsked{"me"});
  EXPECT_EQ(story.run.state(), RunState::paused);
  story.happens(event::ResumeAsked{}).happens(event::CancelAsked{"me"});
  EXPECT_EQ(story.run.state(), RunState::cancelled);
}

TEST(StepBudgets, WarnThenPauseAndGoingOnGrantsThemOnceMore) {
  Story story{"a"};
  story.with_budget("a", {.nano_usd = 1'000'000'000}).begin().begins("a");
  story.uses("a", 10, Cost{850'000'000});
  EXPECT_TRUE(story.announced(Announced::budget_warning));
  EXPECT_EQ(story.run.state(), RunState::running);
  story.uses("a", 10, Cost{1'100'000'000});
  EXPECT_EQ(story.run.state(), RunState::paused);
  EXPECT_NE(story.run.pause_reason().find("step 'a'"), std::string::npos);
  EXPECT_NE(story.run.pause_reason().find("$1.10 spent"), std::string::npos);
  story.happens(event::ResumeAsked{}).uses("a", 10, Cost{1'900'000'000});
  EXPECT_EQ(story.run.state(), RunState::running);
  story.uses("a", 10, Cost{2'000'000'000});
  EXPECT_EQ(story.run.state(), RunState::paused);
}

event::AttemptUsed all_of(const Story& story, std::string_view id, std::int64_t nano_usd) {
  return {story.step(id), story.attempts(id), Usage{{10, 0, 0, 0}, Cost{nano_usd}}, true};
}

TEST(LastSteps, ThatPassABudgetWithTheirLastWordCompleteTheRun) {
  for (const bool by_step : {false, true}) {
    Story story{"a; b: a"};
    if (by_step) {
      story.with_budget("b", {.nano_usd = 1'000'000'000});
    } else {
      story.settings.cost_budget = Cost{1'000'000'000};
    }
    story.begin().does("a").begins("b");
    story.happens(all_of(story, "b", 1'200'000'000));
    EXPECT_EQ(story.run.state(), RunState::running) << by_step;
    EXPECT_TRUE(story.announced(Announced::budget_warning));
    EXPECT_TRUE(story.commanded<command::FreezeAttempts>().empty());
    EXPECT_EQ(by_step, !story.run.has_used_up_budget());
    EXPECT_EQ(story.run.used_of_budget(), by_step ? "" : "$1.20 of $1.00");
    story.ends("b");
    EXPECT_EQ(story.run.state(), RunState::completed);
  }
}

TEST(LastSteps, ThatPassABudgetWithMoreToComeOrInTheMidstOfTheirWorkPauseTheRun) {
  Story more{"a; b: a"};
  more.settings.cost_budget = Cost{1'000'000'000};
  more.begin().begins("a").happens(all_of(more, "a", 1'200'000'000));
  EXPECT_EQ(more.run.state(), RunState::paused);
  Story beside{"a; b"};
  beside.settings.cost_budget = Cost{1'000'000'000};
  beside.begin().begins("a").begins("b").happens(all_of(beside, "a", 1'200'000'000));
  EXPECT_EQ(beside.run.state(), RunState::paused) << "the other one goes on spending";
  Story midst{"a"};
  midst.settings.cost_budget = Cost{1'000'000'000};
  midst.begin().begins("a").uses("a", 10, Cost{1'200'000'000});
  EXPECT_EQ(midst.run.state(), RunState::paused);
}

TEST(LastSteps, ThatPassedABudgetAndHaveToRunAgainPauseTheRunBeforeTheyDo) {
  Story story{"a"};
  story.policy("a").retries = 1;
  story.settings.cost_budget = Cost{1'000'000'000};
  story.begin().begins("a").happens(all_of(story, "a", 1'200'000'000)).fails("a");
  story.after(Millis{2000}).fires(TimerId::Kind::retry, "a");
  EXPECT_EQ(story.run.state(), RunState::paused);
  EXPECT_EQ(story.run.next_ready(), std::nullopt);
  RunSettings more = story.settings;
  more.cost_budget = Cost{5'000'000'000};
  story.happens(event::SettingsChanged{more}).happens(event::ResumeAsked{}).does("a");
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST(LastSteps, AreThoseOfACompositeToo) {
  Story story{"each"};
  story.settings.cost_budget = Cost{1'000'000'000};
  story.with_flow("each", {.for_each = "[1]"}).begin().turns("each", go, "each.1").begins("each.1");
  story.happens(all_of(story, "each.1", 1'200'000'000)).ends("each.1").turns("each", done);
  EXPECT_EQ(story.run.state(), RunState::completed);
  Story again{"again"};
  again.settings.cost_budget = Cost{1'000'000'000};
  again.with_flow("again", {.until = "output.ok", .loop_max = 3}).begin().turns("again", go, "again.1");
  again.begins("again.1").happens(all_of(again, "again.1", 1'200'000'000)).ends("again.1");
  again.turns("again", go, "again.2");
  EXPECT_EQ(again.run.state(), RunState::paused) << "another round would cost more";
}

TEST(StepBudgets, CountAllAttemptsAndTurnsToo) {
  Story story{"a"};
  story.policy("a").retries = 1;
  story.with_budget("a", {.turns = 10}).begin().begins("a");
  story.happens(event::AttemptUsed{story.step("a"), 1, Usage{{1, 0, 0, 0}, Cost{}, 6}}).fails("a");
  story.after(Millis{2000}).fires(TimerId::Kind::retry, "a").begins("a");
  story.happens(event::AttemptUsed{story.step("a"), 2, Usage{{1, 0, 0, 0}, Cost{}, 4}});
  EXPECT_EQ(story.run.state(), RunState::paused);
}

TEST(Budgets, OfTurnsPauseTheRun) {
  Story story{"a"};
  story.settings.turn_budget = 5;
  story.begin().begins("a");
  story.happens(event::AttemptUsed{story.step("a"), 1, Usage{{1, 0, 0, 0}, Cost{}, 5}});
  EXPECT_EQ(story.run.state(), RunState::paused);
  EXPECT_NE(story.run.pause_reason().find("5 turns"), std::string::npos);
}

TEST(Budgets, AnUnknownPriceIsSaidOnceWhereDollarsAreCounted) {
  Story story{"a"};
  story.settings.cost_budget = Cost{1'000'000'000};
  story.begin().begins("a").uses("a", 10);
  EXPECT_TRUE(story.announced(Announced::cost_unknown));
  story.commands.clear();
  story.uses("a", 20);
  EXPECT_FALSE(story.announced(Announced::cost_unknown));
  EXPECT_EQ(story.run.cost(), std::nullopt);
}

TEST(Budgets, OfTimeWarnWithAFifthLeft) {
  Story story{"a"};
  story.settings.time_budget = Millis{10'000};
  story.begin().begins("a");
  EXPECT_EQ(story.due_in(TimerId::Kind::time_warning), Millis{8'000});
  story.after(Millis{8'000}).fires(TimerId::Kind::time_warning);
  EXPECT_TRUE(story.announced(Announced::budget_warning));
  EXPECT_EQ(story.run.state(), RunState::running);
}

TEST(Attempts, ANoteIsKeptOfOneThatEndedWell) {
  Story story{"a"};
  story.begin().begins("a");
  story.happens(event::AttemptEnded{.step = story.step("a"),
                                    .attempt = 1,
                                    .exit = 0,
                                    .finished = story.now,
                                    .note = Failure{"response-truncated", "cut short", false}});
  EXPECT_EQ(story.state("a"), StepState::completed);
  EXPECT_EQ(story.run.attempt(story.step("a"), 1)->detail->failure->code, "response-truncated");
}

}  // namespace
}  // namespace baton::test
