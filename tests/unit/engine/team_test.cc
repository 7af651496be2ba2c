// Runs whose workers report: what they said is heard before their end, judged with it, and shown at once.
#include <gtest/gtest.h>

#include "journal/event_codec.h"
#include "support/machine.h"
#include "support/story.h"

namespace baton::test {
namespace {

/// Lets all go, but for one step that is held until a time; judges ends by what was reported.
class Reporting : public DialectRun {
 public:
  std::optional<Time> held_until;  ///< for `b`
  std::vector<int> judged;         ///< how many reports were known when an attempt at `a` ended

  [[nodiscard]] Traits traits(const baton::Run&) const override { return {.own_turns = true, .hears_workers = true}; }
  TurnNews take_turns(const baton::Run& run, OpenTurns& open) override {
    TurnNews news;
    for (const command::TakeTurn& turn : open.all(run)) {
      if (held_until && run.step(turn.step).id == "b") {
        news.look_again = held_until;
        if (*held_until > clock->now()) continue;
      }
      news.events.emplace_back(
          event::TurnTaken{turn.step, turn.generation, turn.round, TurnVerdict::go, "", "", nullptr, {}, ""});
    }
    return news;
  }
  Briefing brief(const baton::Run&, StepIndex, int) override { return {.mission = "Work."}; }
  Judgement judge(const baton::Run& run, const Finished& ended) override {
    const auto [step, attempt] = std::pair{ended.step, ended.attempt};
    Judgement out;
    if (run.step(step).id != "a") return out;
    judged.push_back(static_cast<int>(run.reports().size()));
    if (attempt == 1 && fails_first) out.results.push_back({"worker_report", false, "it said so"});
    if (extends) {
      Step more = run.step(step);
      more.id = "a-R1";
      more.needs = {step};
      out.before.emplace_back(event::PlanExtended{
          step, step_index(run.step_count()), {more}, false, {{step_index(1), step_index(run.step_count())}}});
    }
    return out;
  }

  FakeClock* clock = nullptr;
  bool fails_first = false;
  bool extends = false;
};

Plan reporting_plan(std::string_view graph) {
  Plan plan = plan_of(graph);
  for (Step& step : plan.steps) {
    step.flow = std::make_shared<const Flow>(Flow{.deferred = true});
    auto work = std::make_shared<Work>(*step.work);
    work->output = step.id + ".md";
    work->output_format = OutputFormat::text;
    step.work = std::move(work);
    step.policy.check_retries = 1;
  }
  return plan;
}

struct WorkersReport : testing::Test {
  Machine machine{reporting_plan("a; b: a")};
  Reporting turns;

  WorkersReport() {
    turns.clock = &machine.clock;
    machine.dialect = &turns;
    machine.otherwise.output = "made";
  }
  RunState state() { return machine.engine->run("r")->state(); }
  std::string report(const std::string& id) {
    return encode(event::WorkerReported{step_index(0), 1, id, "complete", "w", "", ""});
  }
};

TEST_F(WorkersReport, IsHeardBeforeTheEndThoughNobodyRang) {
  machine.start_engine();
  machine.pass(Millis{500});
  ASSERT_TRUE(machine.journal.request({0, "r", "worker.reported", report("r1"), machine.clock.now()}));
  machine.pass(Millis{5000});
  EXPECT_EQ(state(), RunState::completed);
  EXPECT_EQ(turns.judged, std::vector{1});
  EXPECT_TRUE(machine.engine->run("r")->reports().at(0).current);
  EXPECT_TRUE(machine.journal.requests("r")->empty()) << "and answered";
}

TEST_F(WorkersReport, IsHeardByWhoeverTakesTheRunUpAfterTheEnd) {
  machine.start_engine();
  machine.pass(Millis{500});
  machine.kill_engine();
  ASSERT_TRUE(machine.journal.request({0, "r", "worker.reported", report("r1"), machine.clock.now()}));
  machine.pass(Millis{5000});
  machine.start_engine();
  machine.pass(Millis{5000});
  EXPECT_EQ(state(), RunState::completed);
  EXPECT_TRUE(machine.engine->run("r")->reports().at(0).current) << "it was said while the attempt was at work";
}

TEST_F(WorkersReport, MayFailAnAttemptThatEndedWell) {
  turns.fails_first = true;
  machine.start_engine();
  machine.pass(Millis{10'000});
  EXPECT_EQ(state(), RunState::completed);
  EXPECT_EQ(machine.step("a").attempts.size(), 2U);
}

TEST_F(WorkersReport, MayAddAStepThatOthersWaitForInTheSameCommit) {
  turns.extends = true;
  machine.start_engine();
  machine.pass(Millis{10'000});
  EXPECT_EQ(state(), RunState::completed);
  EXPECT_GE(machine.step("b").attempts[0].started, machine.step("a-R1").attempts[0].finished);
}

TEST_F(WorkersReport, TurnsAreAskedForAgainWhenTheTimeCame) {
  turns.held_until = machine.clock.now() + Millis{60'000};
  machine.start_engine();
  machine.pass(Millis{30'000});
  EXPECT_EQ(state(), RunState::running);
  EXPECT_TRUE(machine.step("b").attempts.empty());
  machine.pass(Millis{60'000});
  EXPECT_EQ(state(), RunState::completed);
}

TEST_F(WorkersReport, ARunIsSeenToOnceAllThatCouldBeginHasBegun) {
  machine.start_engine();
  EXPECT_FALSE(machine.engine->is_seen_to("r", false));
  machine.pass(Millis{100});
  EXPECT_TRUE(machine.engine->is_seen_to("r", false));
}

/// Counts how often it is asked, and what was done by then.
class FollowingFiles final : public Reporting {
 public:
  std::vector<std::size_t> begun;  ///< attempts of `b` on record, each time

  [[nodiscard]] Traits traits(const baton::Run&) const override {
    return {.files = FilePace::every_commit, .own_turns = true, .hears_workers = true};
  }
  [[nodiscard]] bool shows(const baton::Run&, StepIndex) const override { return true; }
  Expected<Shown> files(const baton::Run& run, const Read&) override {
    begun.push_back(run.of(step_index(1)).attempts.size());
    return Shown{};
  }
};

TEST_F(WorkersReport, FilesThatOthersDecideByFollowEveryCommit) {
  FollowingFiles mirror;
  mirror.clock = &machine.clock;
  machine.dialect = &mirror;
  machine.start_engine();
  machine.pass(Millis{500});
  const std::size_t before = mirror.begun.size();
  EXPECT_GE(before, 2U) << "admitted, begun";
  machine.ask("worker.reported", report("r1"));
  ASSERT_TRUE(machine.settle());
  EXPECT_GT(mirror.begun.size(), before) << "without any time passing";
}

}  // namespace
}  // namespace baton::test
