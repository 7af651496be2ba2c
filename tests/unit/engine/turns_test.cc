// Runs whose turns somebody else takes: what the engine tells him, when it asks, and what it does with his answers.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "support/machine.h"
#include "support/story.h"

namespace baton::test {
namespace {

/// Lets one step at a time go, in the order in which they were asked for; `prepares` first have work for a process.
class OneAtATime final : public DialectRun {
 public:
  std::set<std::string> prepares;
  std::map<std::string, std::vector<std::string>> needs;  ///< found when a step's turn comes
  std::vector<std::string> told;
  int asked_for_news = 0;

  [[nodiscard]] Traits traits(const baton::Run&) const override { return {.own_turns = true}; }
  void ended(const baton::Run& run, StepIndex step) override {
    told.push_back("ended " + run.step(step).id);
    if (at_work_ == step) at_work_.reset();
  }
  TurnNews take_turns(const baton::Run& run, OpenTurns& open) override {
    ++asked_for_news;
    for (const command::TakeTurn& turn : open.fresh(run)) {
      told.push_back("asked " + run.step(turn.step).id);
      line_.push_back(turn);
    }
    TurnNews news;
    if (at_work_ || line_.empty()) return news;
    const command::TakeTurn turn = line_.front();
    line_.erase(line_.begin());
    const std::string& id = run.step(turn.step).id;
    if (auto found = needs.extract(id); !found.empty()) {
      event::PlanExtended joins{turn.step, step_index(run.step_count()), {}, false, {}};
      for (const std::string& need : found.mapped()) joins.joins.emplace_back(turn.step, run.find(need).value());
      news.events.emplace_back(std::move(joins));
      news.more = true;
      return news;
    }
    at_work_ = turn.step;
    if (prepares.contains(id)) {
      news.jobs.push_back({turn, {"prepare", id}});
    } else {
      news = go(turn);
    }
    return news;
  }
  TurnNews prepared(const baton::Run& run, const command::TakeTurn& turn) override {
    told.push_back("prepared " + run.step(turn.step).id);
    return go(turn);
  }
  Briefing brief(const baton::Run& run, StepIndex step, int) override {
    return {.mission = "The mission of " + run.step(step).id + "."};
  }

 private:
  static TurnNews go(const command::TakeTurn& turn) {
    TurnNews news;
    news.events.emplace_back(
        event::TurnTaken{turn.step, turn.generation, turn.round, TurnVerdict::go, "", "", nullptr, {}, ""});
    return news;
  }

  std::vector<command::TakeTurn> line_;
  std::optional<StepIndex> at_work_;
};

Plan with_turns(std::string_view graph) {
  Plan plan = plan_of(graph);
  for (Step& step : plan.steps) step.flow = std::make_shared<const Flow>(Flow{.deferred = true});
  return plan;
}

struct OwnTurns : testing::Test {
  Machine machine{with_turns("a; b; c")};
  OneAtATime turns;

  OwnTurns() { machine.dialect = &turns; }
  void begin() { machine.start_engine(); }
  void preparations_say(const std::string& report) {
    machine.host.watch.ended = [report](const SpawnSpec& spec, bool) {
      return spec.key.step.ends_with("~task") ? std::optional{report} : std::nullopt;
    };
  }
  RunState state() { return machine.engine->run("r")->state(); }
  std::string states() {
    std::string text;
    const baton::Run& run = *machine.engine->run("r");
    for (std::size_t n = 0; n < run.step_count(); ++n) {
      text += (n > 0 ? " " : "") + std::string{name(run.of(step_index(n)).state)};
    }
    return text;
  }
};

TEST_F(OwnTurns, AreAskedForAndAnsweredAsOthersMakeRoom) {
  begin();
  machine.pass(Millis{500});
  EXPECT_EQ(states(), "running pending pending");
  machine.pass(Millis{1000});
  EXPECT_EQ(states(), "completed running pending");
  machine.pass(Millis{5000});
  EXPECT_EQ(state(), RunState::completed);
  EXPECT_EQ(turns.told, (std::vector<std::string>{"asked a", "asked b", "asked c", "ended a", "ended b", "ended c"}));
}

TEST_F(OwnTurns, AreNotLookedForWhenNothingHappened) {
  begin();
  machine.pass(Millis{500});
  const int before = turns.asked_for_news;
  ASSERT_TRUE(machine.settle());
  EXPECT_EQ(turns.asked_for_news, before);
  EXPECT_FALSE(machine.engine->needs_tick(machine.clock.now()));
}

TEST_F(OwnTurns, MayFindThatAStepNeedsAnother) {
  turns.needs = {{"a", {"c"}}};
  begin();
  machine.pass(Millis{10'000});
  EXPECT_EQ(state(), RunState::completed);
  EXPECT_EQ(machine.engine->run("r")->needs_of(step_index(0)), std::vector{step_index(2)});
  EXPECT_GT(machine.step("a").attempts[0].started, machine.step("c").attempts[0].finished - Millis{1});
}

TEST_F(OwnTurns, WaitWhileTheRunStandsStill) {
  begin();
  machine.pass(Millis{500});
  machine.ask("pause");
  machine.pass(Millis{5000});
  EXPECT_EQ(states(), "running pending pending");
  machine.ask("resume");
  machine.pass(Millis{10'000});
  EXPECT_EQ(state(), RunState::completed);
}

TEST_F(OwnTurns, MayWantAProcessFirst) {
  turns.prepares = {"b"};
  preparations_say("{\"outcome\":\"ready\"}\n");
  begin();
  machine.pass(Millis{10'000});
  EXPECT_EQ(state(), RunState::completed);
  EXPECT_EQ(machine.starts("b~task", 1001), 1);
  EXPECT_NE(std::ranges::find(turns.told, "prepared b"), turns.told.end());
}

TEST_F(OwnTurns, FailWhereThatProcessHasNothingToSay) {
  turns.prepares = {"b"};
  begin();
  machine.pass(Millis{30'000});
  EXPECT_EQ(states(), "completed failed completed") << "and nobody else";
  EXPECT_EQ(machine.engine->run("r")->flow_of(step_index(1))->code, "flow-step-failed");
}

TEST_F(OwnTurns, FindAProcessAgainThatOutlivedItsEngine) {
  turns.prepares = {"a"};
  machine.outcomes["a~task"] = {.lasts = Millis{5000}};
  preparations_say("{\"outcome\":\"ready\"}\n");
  begin();
  machine.pass(Millis{1000});
  ASSERT_EQ(machine.host.alive("r"), 1U);
  machine.kill_engine();
  OneAtATime anew;
  anew.prepares = {"a"};
  machine.dialect = &anew;
  machine.start_engine();
  machine.pass(Millis{20'000});
  EXPECT_EQ(state(), RunState::completed);
  EXPECT_EQ(machine.starts("a~task", 1001), 1) << "it is not done twice";
}

}  // namespace
}  // namespace baton::test
