// The turns of steps with a flow.
#include "core/flows.h"

#include <gtest/gtest.h>

namespace baton::test {
namespace {

constexpr StepIndex gate_step = step_index(2);

TEST(TurnState, AwaitsTheTurnThatIsAskedForAndNoOther) {
  TurnState turn;
  turn.generation = 2;
  turn.round = 3;
  EXPECT_FALSE(turn.awaits(2, 4)) << "nothing was asked";
  turn.is = TurnState::Is::asked;
  EXPECT_TRUE(turn.awaits(2, 4));
  EXPECT_FALSE(turn.awaits(2, 3)) << "a turn that was taken";
  EXPECT_FALSE(turn.awaits(1, 4)) << "a turn of an earlier generation";
}

TEST(TurnState, SaysGoOrIsAskedNeverBoth) {
  TurnState turn;
  turn.is = TurnState::Is::went;
  EXPECT_TRUE(turn.may_start());
  EXPECT_FALSE(turn.is_asked());
}

TEST(Flows, CountTheTurnsThatAreOpen) {
  Flows flows;
  flows.ask(flows.at(gate_step));
  flows.ask(flows.at(step_index(7)));
  EXPECT_EQ(flows.turns_open(), 2U);
  EXPECT_NE(flows.forget_turn(gate_step), nullptr);
  EXPECT_NE(flows.forget_turn(gate_step), nullptr) << "forgotten twice it counts once";
  EXPECT_EQ(flows.turns_open(), 1U);
  EXPECT_EQ(flows.forget_turn(step_index(3)), nullptr);
}

TEST(Flows, HaveNoneForAStepBeforeItsFirstTurn) {
  Flows flows;
  EXPECT_EQ(flows.find(gate_step), nullptr);
  flows.at(gate_step).reason = "said so";
  EXPECT_EQ(std::as_const(flows).find(gate_step)->reason, "said so");
}

TEST(Flows, BeginAnewWithAGenerationOfTheirOwn) {
  Flows flows;
  FlowRun& flow = flows.at(gate_step);
  flow.round = 4;
  flow.made = {step_index(9)};
  flow.answer = TurnState::Answer::approved;
  flows.ask(flow);
  flows.begin_anew(gate_step);
  EXPECT_EQ(flow.generation, 2);
  EXPECT_EQ(flow.round, 0);
  EXPECT_TRUE(flow.made.empty());
  EXPECT_TRUE(flow.is_approved()) << "a person need not say it twice";
  EXPECT_FALSE(flow.is_asked());
  EXPECT_EQ(flows.turns_open(), 0U);
}

TEST(Flows, ForgetARejectionWhenTheyBeginAnew) {
  Flows flows;
  flows.at(gate_step).answer = TurnState::Answer::rejected;
  EXPECT_TRUE(flows.has_rejected());
  flows.begin_anew(gate_step);
  EXPECT_FALSE(flows.has_rejected());
}

TEST(Flows, AreCountedByWhatHolds) {
  Flows flows;
  flows.at(gate_step).round = 1;
  flows.at(step_index(7));
  EXPECT_EQ(flows.count_if([](StepIndex, const FlowRun& flow) { return flow.round > 0; }), 1U);
  EXPECT_EQ(flows.count_if([](StepIndex step, const FlowRun&) { return step == step_index(7); }), 1U);
}

TEST(FlowsDeathTest, NoTurnIsAskedForTwice) {
  Flows flows;
  flows.ask(flows.at(gate_step));
  EXPECT_DEATH(flows.ask(flows.at(gate_step)), "a turn is asked for that is open, or was taken");
}

TEST(FlowsDeathTest, NoTurnIsForgottenThatWasNotCounted) {
  Flows flows;
  flows.at(gate_step).is = TurnState::Is::asked;
  EXPECT_DEATH(flows.forget_turn(gate_step), "a turn is open that was not counted");
}

TEST(FlowsDeathTest, TurnsAreCountedFromTheFirst) {
  Flows flows;
  flows.at(gate_step).generation = 0;
  EXPECT_DEATH(flows.ask(flows.at(gate_step)), "turns are counted from nowhere");
}

TEST(FlowsDeathTest, WhatNeverBeganDoesNotBeginAnew) {
  Flows flows;
  EXPECT_DEATH(flows.begin_anew(gate_step), "a flow begins anew that never began");
}

}  // namespace
}  // namespace baton::test
