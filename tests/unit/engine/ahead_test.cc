// Chains of commands: the host goes on by itself, on conditions that are on record.
#include <gtest/gtest.h>

#include "support/machine.h"
#include "support/story.h"

namespace baton::test {
namespace {

using Fate = FaultyJournal::Fate;

/// `a` is at work, and those behind it are admitted.
void begin(Machine& machine) {
  machine.start_engine();
  machine.pass(Millis{500});
}

TEST(EngineAhead, AChainGoesOnWhileNobodyLooks) {
  Machine machine{plan_of("a; b: a; c: b"), 1};
  begin(machine);
  machine.kill_engine();
  machine.pass(Millis{10'000});
  EXPECT_EQ(machine.starts("b"), 1);
  EXPECT_EQ(machine.starts("c"), 1);
  machine.start_engine();
  machine.pass(Millis{100});
  EXPECT_EQ(machine.engine->run("r")->state(), RunState::completed);
  EXPECT_EQ(machine.engine->run("r")->finished() - machine.clock.now(), Millis{-100});
  EXPECT_EQ(machine.step("c").attempts.front().finished, time_from_ms(1'003'000));
}

TEST(EngineAhead, ManyThatAreReadyWaitAtTheHostAndNoMoreStartThanMay) {
  std::string graph = "a";
  for (int n = 0; n < 300; ++n) graph += "; s" + std::to_string(n);
  for (const auto& [jobs, ahead] : {std::pair{2, 64U}, std::pair{8, 128U}}) {
    Machine machine{plan_of(graph), jobs};
    begin(machine);
    EXPECT_EQ(machine.host.alive("r"), static_cast<std::size_t>(jobs));
    EXPECT_EQ(machine.host.count("r", FakeHost::State::waiting), ahead) << jobs;
  }
}

TEST(EngineAhead, NothingFollowsAFailure) {
  Machine machine{plan_of("a; b: a; c: b"), 1};
  machine.outcomes["a"] = {.lasts = Millis{1000}, .exit = 1};
  begin(machine);
  ASSERT_EQ(machine.host.count("r", FakeHost::State::waiting), 2U);
  machine.pass(Millis{600});
  EXPECT_EQ(machine.engine->run("r")->state(), RunState::failed);
  EXPECT_EQ(machine.starts("b") + machine.starts("c"), 0);
  EXPECT_TRUE(machine.step("c").attempts.empty());
  EXPECT_EQ(machine.host.count("r", FakeHost::State::waiting), 0U);
}

TEST(EngineAhead, AFailureThatIsTriedAgainIsFollowedThen) {
  Plan plan = plan_of("a; b: a");
  plan.steps[0].policy.retries = 1;
  Machine machine{std::move(plan), 1};
  machine.outcomes["a"] = {.lasts = Millis{1000}, .exit = 1};
  begin(machine);
  machine.pass(Millis{600});
  machine.outcomes["a"].exit = 0;
  machine.pass(Millis{10'000});
  EXPECT_EQ(machine.engine->run("r")->state(), RunState::completed);
  EXPECT_EQ(machine.starts("a", 2), 1);
  EXPECT_EQ(machine.starts("b"), 1);
}

TEST(EngineAhead, OneThatEndedTooLateIsNotFollowed) {
  Plan plan = plan_of("a; b: a");
  plan.steps[0].policy.timeout = Millis{2000};
  plan.steps[0].policy.stop_grace = Millis{60'000};
  Machine machine{std::move(plan), 1};
  machine.outcomes["a"] = {.lasts = Millis{2500}, .heeds_term = false};
  begin(machine);
  machine.pass(Millis{10'000});
  EXPECT_EQ(machine.step("a").state, StepState::failed);
  EXPECT_EQ(machine.starts("b"), 0);
}

TEST(EngineAhead, PausedItStandsStillAsAWhole) {
  Machine machine{plan_of("a; b: a"), 1};
  begin(machine);
  machine.ask("pause");
  machine.pass(Millis{60'000});
  EXPECT_EQ(machine.starts("b"), 0);
  machine.ask("resume");
  machine.pass(Millis{600});
  EXPECT_EQ(machine.starts("b"), 1);
}

TEST(EngineAhead, AHolderThatDiesTakesTheConditionsWithIt) {
  Machine machine{plan_of("a; b: a; c: b"), 1};
  machine.outcomes["a"] = {.lasts = Millis{1000}, .heeds_term = false};
  begin(machine);
  machine.host.holder_died();
  machine.pass(Millis{60'000});
  EXPECT_EQ(machine.step("a").attempts.size(), 2U);
  EXPECT_EQ(machine.step("b").attempts.size(), 1U);
  EXPECT_EQ(machine.engine->run("r")->state(), RunState::completed);
}

TEST(EngineAhead, WhatWasAdmittedButNeverAskedForIsAskedForByTheNextEngine) {
  for (const bool ended : {false, true}) {
    Machine machine{plan_of("a; b: a"), 1};
    machine.start_engine();
    ASSERT_TRUE(machine.settle());
    machine.host.deliver();
    machine.journal.fate_of_append = [] { return Fate::lost_reply; };
    machine.clock.set(machine.clock.now() + Millis{10});
    ASSERT_FALSE(machine.settle()) << "b's admission is on record, and nobody knows";
    machine.kill_engine();
    machine.journal.fate_of_append = [] { return Fate::well; };
    ASSERT_TRUE(machine.replayed().is_conditional(step_index(1)));
    if (ended) machine.pass(Millis{5000});
    machine.start_engine();
    machine.pass(Millis{5000});
    EXPECT_EQ(machine.engine->run("r")->state(), RunState::completed);
    EXPECT_EQ(machine.starts("b"), 1);
    EXPECT_EQ(machine.step("b").attempts.size(), 1U);
  }
}

}  // namespace
}  // namespace baton::test
