// The engine over a small world: what it starts, finds again, and never does twice.
#include "engine/engine.h"

#include <gtest/gtest.h>

#include "engine/run_folder.h"
#include "journal/event_codec.h"
#include "support/machine.h"
#include "support/story.h"

namespace baton::test {
namespace {

using Fate = FaultyJournal::Fate;

Plan inner_plan(std::string_view graph) {
  Plan plan = plan_of(graph);
  for (Step& s : plan.steps) {
    Work work = *s.work;
    work.runtime = "inner";
    s.work = std::make_shared<const Work>(std::move(work));
  }
  return plan;
}

TEST(Engine, RunsADiamondWithItsMiddleAtOnce) {
  Machine machine{plan_of("a; b: a; c: a; d: b c"), 2};
  machine.start_engine();
  machine.pass(Millis{1500});
  EXPECT_EQ(machine.host.alive("r"), 2U);
  machine.pass(Millis{5000});
  EXPECT_EQ(machine.engine->run("r")->state(), RunState::completed);
  EXPECT_EQ(machine.clock.now(), time_from_ms(1'006'500));
  EXPECT_EQ(machine.engine->run("r")->finished(), time_from_ms(1'003'000));
}

/// One skill, which somebody edits whenever it was read.
class EditedSkill final : public DialectRun {
 public:
  Briefing brief(const baton::Run& run, StepIndex step, int /*attempt*/) override {
    if (run.step(step).work->skill != "writer") return {};
    const std::string body = "Version " + std::to_string(++reads_) + ".";
    return {.skill = SkillText{body, "/s/writer", {"/s/writer/references/a.md"}}};
  }

 private:
  int reads_ = 0;
};

TEST(Engine, TellsEachAttemptItsSkillAsItIsNowAndResultsByTheirPaths) {
  Plan plan = plan_of("a; b: a");
  plan.steps[0].work = std::make_shared<const Work>(Work{.output = "a.json", .runtime = "inner"});
  plan.steps[1].work = std::make_shared<const Work>(
      Work{.skill = "writer", .mission = "Write.", .output = "b.json", .runtime = "inner"});
  plan.steps[1].policy.retries = 1;
  Machine machine{plan};
  EditedSkill skill;
  machine.dialect = &skill;
  machine.outcomes["a"] = {.lasts = Millis{10}, .output = R"({"secret":"text of a"})"};
  machine.outcomes["b"] = {.lasts = Millis{10}};
  machine.start_engine();
  machine.pass(Millis{5000});
  EXPECT_EQ(machine.step("b").state, StepState::failed) << "an output that was never written is a failed check";
  const auto prompt = [&](int n) { return machine.files.files[run_folder("/p/.baton", "r").prompt("b", n)]; };
  EXPECT_TRUE(prompt(1).starts_with("# Skill: writer\n\nVersion 1.\n")) << prompt(1);
  EXPECT_TRUE(prompt(2).starts_with("# Skill: writer\n\nVersion 2.\n")) << prompt(2);
  for (const char* line : {"\nSkill folder: /s/writer\n", "\nSkill file: /s/writer/references/a.md\n",
                           "\nResult of step 'a': a.json\n", "\nOutput: b.json\n"}) {
    EXPECT_NE(prompt(1).find(line), std::string::npos) << line << prompt(1);
  }
  EXPECT_EQ(prompt(2).find("text of a"), std::string::npos) << "results travel by path";
  EXPECT_EQ(prompt(1).find("previous attempt"), std::string::npos);
  EXPECT_NE(prompt(2).find("previous attempt"), std::string::npos);
}

TEST(Engine, NeverRunsMoreProcessesThanJobs) {
  Machine machine{plan_of("a; b; c; d; e; f"), 2};
  machine.start_engine();
  for (int n = 0; n < 40; ++n) {
    machine.pass(Millis{100});
    ASSERT_LE(machine.host.alive("r"), 2U);
  }
  EXPECT_EQ(machine.engine->run("r")->finished(), time_from_ms(1'003'000)) << "two at a time, without a gap";
}

TEST(Engine, KilledInAnyCallToItsWorldStartsEveryStepExactlyOnce) {
  // First without a death, to know how many calls there are; then dying in each of them.
  const auto calls_of = [](std::uint64_t die_in) {
    Machine machine{plan_of("a; b: a")};
    machine.mortality.die_in(die_in);
    for (int lives = 0; lives < 3; ++lives) {
      try {
        machine.start_engine();
        machine.pass(Millis{5000});
        break;
      } catch (const Crash&) {
        machine.kill_engine();
      }
    }
    EXPECT_EQ(machine.replayed().state(), RunState::completed) << "dying in call " << die_in;
    EXPECT_EQ(machine.starts("a"), 1) << "dying in call " << die_in;
    EXPECT_EQ(machine.starts("b"), 1) << "dying in call " << die_in;
    EXPECT_EQ(machine.starts("a", 2) + machine.starts("b", 2), 0) << "dying in call " << die_in;
    return machine.mortality.calls();
  };
  const std::uint64_t calls = calls_of(0);
  ASSERT_GT(calls, 10U);
  for (std::uint64_t n = 1; n <= calls; ++n) (void)calls_of(n);
}

TEST(Engine, ALostReplyLosesNothingAndRepeatsNothing) {
  for (int which = 1; which <= 4; ++which) {
    Machine machine{plan_of("a; b: a")};
    int appends = 0;
    machine.journal.fate_of_append = [&] { return ++appends == which ? Fate::lost_reply : Fate::well; };
    machine.start_engine();
    Status done;
    for (int n = 0; n < 100 && done; ++n) {
      done = machine.settle();
      if (done) machine.clock.set(machine.clock.now() + Millis{100});
      machine.host.catch_up();
    }
    ASSERT_FALSE(done) << which;
    EXPECT_EQ(done.error().code, "journal-unknown");
    machine.kill_engine();
    machine.start_engine();
    machine.pass(Millis{5000});
    EXPECT_EQ(machine.replayed().state(), RunState::completed);
    EXPECT_EQ(machine.starts("a") + machine.starts("b") + machine.starts("a", 2) + machine.starts("b", 2), 2);
  }
}

TEST(Engine, AFullDiskStopsItBeforeAnythingHappensInTheWorld) {
  Machine machine{plan_of("a")};
  machine.journal.fate_of_append = [] { return Fate::fails; };
  machine.start_engine();
  EXPECT_EQ(machine.settle().error().code, "disk-full");
  EXPECT_TRUE(machine.host.processes().empty());
}

TEST(Engine, FindsALiveAttemptAgain) {
  Machine machine{plan_of("a")};
  machine.start_engine();
  machine.pass(Millis{500});
  machine.kill_engine();
  machine.start_engine();
  machine.pass(Millis{100});
  EXPECT_EQ(machine.step("a").attempts.size(), 1U);
  EXPECT_EQ(machine.step("a").state, StepState::running);
  machine.pass(Millis{1000});
  EXPECT_EQ(machine.engine->run("r")->state(), RunState::completed);
  EXPECT_EQ(machine.engine->run("r")->finished(), time_from_ms(1'001'000));
}

TEST(Engine, LearnsOfAnExitThatItWasNotThereFor) {
  Machine machine{plan_of("a")};
  machine.outcomes["a"] = {.lasts = Millis{1000}, .exit = 3};
  machine.start_engine();
  machine.pass(Millis{500});
  machine.kill_engine();
  machine.pass(Millis{60'000});
  machine.start_engine();
  machine.pass(Millis{10});
  ASSERT_EQ(machine.step("a").state, StepState::failed);
  EXPECT_EQ(machine.step("a").attempts[0].exit, 3);
  EXPECT_EQ(machine.step("a").attempts[0].finished, time_from_ms(1'001'000)) << "when it was, not when it was heard";
}

TEST(Engine, AnAttemptWhoseHolderDiedIsUnknownAndTriedAgain) {
  for (const bool there : {true, false}) {
    Machine machine{plan_of("a")};
    machine.start_engine();
    machine.pass(Millis{500});
    if (!there) machine.kill_engine();
    machine.host.holder_died();
    if (!there) machine.start_engine();
    machine.pass(Millis{10'000});
    ASSERT_EQ(machine.step("a").attempts.size(), 2U) << there;
    EXPECT_EQ(machine.step("a").attempts[0].state, AttemptState::unknown);
    EXPECT_EQ(machine.step("a").state, StepState::completed);
  }
}

TEST(Engine, AnAdmittedAttemptThatWasNeverStartedIsStartedNow) {
  Machine machine{plan_of("a")};
  machine.start_engine();
  std::uint64_t appends = 0;
  machine.journal.fate_of_append = [&] {
    ++appends;
    return Fate::lost_reply;  // on record, but the engine stops before it starts anything
  };
  ASSERT_FALSE(machine.settle());
  ASSERT_EQ(machine.starts("a"), 0);
  machine.kill_engine();
  machine.journal.fate_of_append = [] { return Fate::well; };
  machine.start_engine();
  machine.pass(Millis{5000});
  EXPECT_EQ(machine.starts("a"), 1);
  EXPECT_EQ(machine.step("a").attempts.size(), 1U);
  EXPECT_EQ(machine.step("a").state, StepState::completed);
}

TEST(Engine, ACancelledAttemptThatWasNeverStartedStaysSo) {
  Machine machine{plan_of("a; b; c"), 1};
  machine.start_engine();
  machine.pass(Millis{500});
  ASSERT_EQ(machine.host.count("r", FakeHost::State::waiting), 2U);
  machine.ask("cancel");
  machine.journal.fate_of_append = [] { return Fate::lost_reply; };
  ASSERT_FALSE(machine.settle());
  machine.kill_engine();
  machine.host.holder_died();  // and with it the line of those that waited
  machine.journal.fate_of_append = [] { return Fate::well; };
  machine.start_engine();
  machine.pass(Millis{10'000});
  EXPECT_EQ(machine.engine->run("r")->state(), RunState::cancelled);
  EXPECT_EQ(machine.starts("b"), 0);
  EXPECT_EQ(machine.starts("c"), 0);
}

TEST(Engine, AfterARebootNothingOfBeforeIsAlive) {
  Machine machine{plan_of("a; b")};
  machine.outcomes["b"] = {.lasts = Millis{200}};
  machine.start_engine();
  machine.pass(Millis{500});
  machine.host.machine_died(0);
  machine.kill_engine();
  machine.boot = "boot-2";
  machine.start_engine();
  machine.pass(Millis{10});
  EXPECT_EQ(machine.step("a").attempts[0].state, AttemptState::unknown);
  EXPECT_EQ(machine.step("b").attempts.size(), 1U) << "its end was on record";
  machine.pass(Millis{5000});
  EXPECT_EQ(machine.engine->run("r")->state(), RunState::completed);
}

TEST(Engine, AnAttemptInsideItGoesOnAfterACrash) {
  Machine machine{inner_plan("a; b: a")};
  machine.outcomes["a"] = {.lasts = Millis{1000}, .usage = {{10, 5, 0, 0}, Cost{3}}};
  machine.start_engine();
  machine.pass(Millis{600});
  machine.kill_engine();
  machine.start_engine();
  machine.pass(Millis{500});
  EXPECT_EQ(machine.step("a").state, StepState::completed);
  EXPECT_EQ(machine.step("a").attempts.size(), 1U);
  EXPECT_EQ(machine.engine->run("r")->tokens().total(), 15);
}

TEST(Engine, APauseIsCarriedOutAlsoWhereTheOneWhoRecordedItDied) {
  for (const bool resumed : {false, true}) {
    Machine machine{plan_of("a; b"), 1};
    machine.outcomes["a"] = {.lasts = Millis{5000}};
    machine.start_engine();
    machine.pass(Millis{100});
    machine.ask("pause");
    if (resumed) {
      ASSERT_TRUE(machine.settle());
      ASSERT_TRUE(machine.host.is_frozen("r"));
      machine.ask("resume");
    }
    machine.journal.fate_of_append = [] { return Fate::lost_reply; };
    ASSERT_FALSE(machine.settle());
    machine.kill_engine();
    machine.journal.fate_of_append = [] { return Fate::well; };
    machine.start_engine();
    ASSERT_TRUE(machine.settle());
    EXPECT_EQ(machine.host.is_frozen("r"), !resumed);
    machine.pass(Millis{60'000});
    EXPECT_EQ(machine.engine->run("r")->state(), resumed ? RunState::completed : RunState::paused);
  }
}

TEST(Engine, WhatEndedDuringAPauseDoesNotKeepTheRestFrozen) {
  Machine machine{plan_of("a; z; b: a z")};
  machine.host.notice_delay_max = Millis{0};
  machine.start_engine();
  machine.pass(Millis{999});
  machine.clock.set(machine.clock.now() + Millis{1});
  machine.host.catch_up();  // ended, but the engine has not heard of it
  machine.ask("pause");
  ASSERT_TRUE(machine.engine->tick());
  machine.pass(Millis{1000});
  ASSERT_EQ(machine.engine->run("r")->in_flight(), 0U);
  machine.ask("resume");
  machine.pass(Millis{5000});
  EXPECT_EQ(machine.engine->run("r")->state(), RunState::completed);
}

TEST(Engine, AnExitToldTwiceIsAcknowledgedOnlyOnceItIsOnRecord) {
  Machine machine{plan_of("a")};
  machine.host.says_twice = 1;
  bool early = false;
  machine.host.watch.acknowledged = [&](const AttemptKey&) {
    const baton::Run run = machine.replayed();
    early = early || run.of(step_index(0)).state == StepState::running;
  };
  machine.start_engine();
  machine.pass(Millis{5000});
  EXPECT_EQ(machine.engine->run("r")->state(), RunState::completed);
  EXPECT_FALSE(early);
}

TEST(Engine, ARetryOfAStepThatDoesNotExistIsNotTakenForAllOfThem) {
  Machine machine{plan_of("a")};
  machine.outcomes["a"] = {.lasts = Millis{10}, .exit = 1};
  machine.start_engine();
  machine.pass(Millis{100});
  ASSERT_EQ(machine.step("a").state, StepState::failed);
  machine.ask("retry", "nonsense");
  machine.pass(Millis{100});
  EXPECT_EQ(machine.step("a").attempts.size(), 1U);
  EXPECT_TRUE(machine.journal.requests("r")->empty()) << "nor does it wait for ever";
}

/// Keeps what the engine warns of.
class Warnings final : public Observer {
 public:
  void announced(const std::string&, const baton::Run&, const command::Announce&, Time) override {}
  void said(const std::string&, const baton::Run&, StepIndex, int, std::string_view, Time) override {}
  void warned(const std::string& /*id*/, const Fault& fault) override { all.push_back(fault); }
  std::vector<Fault> all;
};

/// Keeps when what happened, as it was told.
class Times final : public Observer {
 public:
  void announced(const std::string&, const baton::Run&, const command::Announce& what, Time at) override {
    of.emplace(what.kind, at);
  }
  void said(const std::string&, const baton::Run&, StepIndex, int, std::string_view, Time) override {}
  std::map<command::Announce::Kind, Time> of;
};

TEST(Engine, WhatIsToldHasTheTimeOfItsEventHoweverManyCameSince) {
  using enum command::Announce::Kind;
  Machine machine{plan_of("a; b: a")};
  Times told;
  machine.observer = &told;
  machine.clock.passes_at_a_look = Millis{1};
  machine.start_engine();
  machine.pass(Millis{5000});
  const baton::Run& run = *machine.engine->run("r");
  ASSERT_EQ(run.state(), RunState::completed);
  EXPECT_EQ(told.of.at(run_started), run.started());
  EXPECT_EQ(told.of.at(run_finished), run.finished());
}

TEST(Engine, ARequestNobodyUnderstandsIsToldOfAndNotKeptForEver) {
  Machine machine{plan_of("a; b: a")};
  Warnings warnings;
  machine.observer = &warnings;
  machine.start_engine();
  machine.pass(Millis{100});
  machine.ask("gate.answered", "{broken");
  machine.ask("dance", "now");
  machine.ask("retry", "nobody");
  EXPECT_TRUE(machine.journal.requests("r")->empty());
  ASSERT_EQ(warnings.all.size(), 3U);
  for (const Fault& fault : warnings.all) {
    EXPECT_EQ(fault.code, "request-not-understood");
    EXPECT_EQ(fault.severity, Severity::warning);
  }
  EXPECT_NE(warnings.all[0].message.find("'gate.answered'"), std::string::npos) << warnings.all[0].message;
  EXPECT_NE(warnings.all[1].message.find("'dance'"), std::string::npos) << warnings.all[1].message;
  machine.pass(Millis{5000});
  EXPECT_EQ(machine.engine->run("r")->state(), RunState::completed) << "the run goes on";
  EXPECT_EQ(warnings.all.size(), 3U) << "once each";
}

TEST(Engine, ARunThatHasToWaitDoesNotHoldUpTheOthers) {
  Machine machine{inner_plan("a; b; c"), 1};
  machine.start_engine();
  Plan other = plan_of("x; y; z");
  ASSERT_TRUE(machine.engine->create("q", {std::make_shared<const Plan>(other), RunSettings{.seed = 1, .jobs = 2}}));
  machine.pass(Millis{1});
  EXPECT_EQ(machine.host.alive("q"), 2U);
  EXPECT_EQ(machine.engine->run("r")->in_flight(), 1U);
  machine.pass(Millis{10'000});
  EXPECT_EQ(machine.engine->run("q")->state(), RunState::completed);
  EXPECT_EQ(machine.engine->run("r")->state(), RunState::completed);
}

TEST(Engine, StopsAnAttemptThatGivesNoSignOfLife) {
  Plan plan = plan_of("a");
  plan.steps[0].policy.stall = Millis{10'000};
  Machine machine{std::move(plan)};
  machine.outcomes["a"] = {.stuck = true};
  machine.start_engine();
  machine.pass(Millis{14'000});  // what it did before the first look, after a quarter of that, is not known
  EXPECT_EQ(machine.step("a").state, StepState::running);
  EXPECT_TRUE(machine.step("a").attempts[0].detail->quiet_told);
  machine.pass(Millis{20'000});
  EXPECT_EQ(machine.step("a").state, StepState::failed);
  EXPECT_EQ(machine.step("a").attempts[0].detail->failure->code, "attempt-stalled");
}

TEST(Engine, LeavesAnAttemptAloneThatWorksOrPrintsOrIsFrozen) {
  Plan plan = plan_of("a");
  plan.steps[0].policy.stall = Millis{10'000};
  Machine machine{std::move(plan)};
  machine.outcomes["a"] = {.stuck = true};
  machine.start_engine();
  for (int i = 0; i < 5; ++i) {
    machine.pass(Millis{8'000});
    machine.host.work[{"r", "a", 1}] += 1;
    machine.pass(Millis{8'000});
    machine.files.files["/p/.baton/runs/r/logs/a.1.out"] += "still here\n";
  }
  EXPECT_EQ(machine.step("a").state, StepState::running);
  machine.ask("pause");
  machine.pass(Millis{100'000});
  machine.ask("resume");
  machine.pass(Millis{8'000});
  EXPECT_EQ(machine.step("a").state, StepState::running);
  EXPECT_FALSE(machine.step("a").attempts[0].detail && machine.step("a").attempts[0].detail->quiet_told);
}

/// A step whose output is checked by two commands.
Plan checked_plan() {
  Plan plan = plan_of("a; b: a");
  Work work = *plan.steps[0].work;
  work.output = "a.json";
  work.checks = {{.kind = Check::Kind::command, .argv = {"lint"}}, {.kind = Check::Kind::command, .argv = {"test"}}};
  plan.steps[0].work = std::make_shared<const Work>(std::move(work));
  plan.steps[0].policy.retries = 1;
  return plan;
}

TEST(CommandChecks, RunOneAfterAnotherAndDecide) {
  Machine machine{checked_plan()};
  machine.outcomes["a"] = {.lasts = Millis{1000}, .output = "{}"};
  machine.start_engine();
  machine.pass(Millis{1500});
  EXPECT_EQ(machine.step("a").state, StepState::checking);
  EXPECT_EQ(machine.starts("a~1"), 1);
  EXPECT_EQ(machine.starts("a~2"), 0);
  machine.pass(Millis{10'000});
  EXPECT_EQ(machine.starts("a~2"), 1);
  EXPECT_EQ(machine.step("b").state, StepState::completed);
  EXPECT_EQ(machine.step("a").attempts[0].detail->checks.size(), 2U);
}

TEST(CommandChecks, OneThatFailsIsFeedbackForTheNextAttempt) {
  Machine machine{checked_plan()};
  machine.outcomes["a"] = {.lasts = Millis{1000}, .output = "{}"};
  machine.outcomes["a~2"] = {.lasts = Millis{1000}, .exit = 3};
  machine.start_engine();
  machine.pass(Millis{20'000});
  EXPECT_EQ(machine.step("a").state, StepState::failed);
  ASSERT_EQ(machine.step("a").attempts.size(), 2U);
  EXPECT_EQ(machine.starts("a~1", 2), 1);
  EXPECT_TRUE(machine.step("a").attempts[0].detail->checks[0].passed);
  EXPECT_FALSE(machine.step("a").attempts[0].detail->checks[1].passed);
}

TEST(CommandChecks, AreFoundAgainAfterACrash) {
  Machine machine{checked_plan()};
  machine.outcomes["a"] = {.lasts = Millis{1000}, .output = "{}"};
  machine.outcomes["a~1"] = {.lasts = Millis{5000}};
  machine.start_engine();
  machine.pass(Millis{2000});
  machine.kill_engine();
  machine.pass(Millis{1000});
  machine.start_engine();
  machine.pass(Millis{1000});
  EXPECT_EQ(machine.starts("a~1"), 1) << "the one at work was re-attached";
  machine.kill_engine();
  machine.pass(Millis{10'000});
  machine.start_engine();
  machine.pass(Millis{10'000});
  EXPECT_EQ(machine.starts("a~1"), 1) << "its end was on record";
  EXPECT_EQ(machine.step("b").state, StepState::completed);
}

TEST(Engine, TellsWhatAnAttemptUsedOnlyWhenThatIsNews) {
  Machine machine{inner_plan("a")};
  const Usage some{{.input = 10}, Cost{5}};
  const Usage more{{.input = 20}, Cost{9}};
  machine.outcomes["a"] = {.lasts = Millis{10}, .usage = some, .spends = {some, some, more, more}};
  machine.start_engine();
  machine.pass(Millis{5000});
  std::vector<std::int64_t> told;
  const std::vector<Event> events = machine.journal.load("r").value();
  for (const Event& e : events) {
    if (const auto* used = std::get_if<event::AttemptUsed>(&e.body)) told.push_back(used->usage.cost->nano_usd);
  }
  EXPECT_EQ(told, (std::vector<std::int64_t>{5, 9, 5}));
}

TEST(Engine, RecordsAllItsRunsInOneTransactionOrNone) {
  Machine machine{plan_of("a; b: a")};
  machine.start_engine();
  for (const char* id : {"q", "s", "t"}) {
    const auto plan = std::make_shared<const Plan>(plan_of("a; b: a"));
    ASSERT_TRUE(machine.engine->create(id, {plan, RunSettings{.seed = 1, .jobs = 2}}));
  }
  int appends = 0;
  machine.journal.fate_of_append = [&] { return ++appends, Fate::well; };
  ASSERT_TRUE(machine.engine->tick());
  EXPECT_EQ(appends, 1) << "four runs began";
  // One append fails; a second one would not.
  machine.journal.fate_of_append = [&] { return ++appends == 2 ? Fate::fails : Fate::well; };
  machine.clock.set(machine.clock.now() + Millis{1000});
  machine.host.catch_up();
  ASSERT_FALSE(machine.settle());
  for (const char* id : {"r", "q", "s", "t"}) {
    EXPECT_EQ(kind_of(machine.journal.load(id)->back().body), "attempt.admitted") << id;
  }
}

TEST(CommandChecks, AreStoppedWithTheirRun) {
  Machine machine{checked_plan()};
  machine.outcomes["a"] = {.lasts = Millis{1000}, .output = "{}"};
  machine.outcomes["a~1"] = {.stuck = true};
  machine.start_engine();
  machine.pass(Millis{2000});
  machine.ask("cancel");
  machine.pass(Millis{5000});
  EXPECT_EQ(machine.engine->run("r")->state(), RunState::cancelled);
  EXPECT_EQ(machine.host.alive("r"), 0U);
}

TEST(CommandChecks, OfACancelledStepAreEndedByTheNextEngine) {
  Machine machine{checked_plan()};
  machine.outcomes["a"] = {.lasts = Millis{1000}, .output = "{}"};
  machine.outcomes["a~1"] = {.stuck = true};
  machine.start_engine();
  machine.pass(Millis{2000});
  machine.ask("cancel");
  machine.journal.fate_of_append = [] { return Fate::lost_reply; };
  ASSERT_FALSE(machine.settle());
  machine.kill_engine();
  machine.journal.fate_of_append = [] { return Fate::well; };
  machine.start_engine();
  machine.pass(Millis{5000});
  EXPECT_EQ(machine.engine->run("r")->state(), RunState::cancelled);
  EXPECT_EQ(machine.host.alive("r"), 0U);
}

TEST(CommandChecks, LeftBehindByAHolderThatDiedAreEndedBeforeTheyRunAgain) {
  Machine machine{checked_plan()};
  machine.outcomes["a"] = {.lasts = Millis{1000}, .output = "{}"};
  machine.outcomes["a~1"] = {.stuck = true};
  machine.start_engine();
  machine.pass(Millis{2000});
  machine.kill_engine();
  machine.host.holder_died();
  machine.outcomes["a~1"] = {.lasts = Millis{1000}};
  machine.start_engine();
  machine.pass(Millis{20'000});
  EXPECT_EQ(machine.starts("a~1"), 2);
  EXPECT_EQ(machine.step("b").state, StepState::completed);
}

TEST(CommandChecks, StandStillWithTheirRun) {
  Machine machine{checked_plan()};
  machine.outcomes["a"] = {.lasts = Millis{1000}, .output = "{}"};
  machine.start_engine();
  machine.pass(Millis{1500});
  ASSERT_EQ(machine.step("a").state, StepState::checking);
  machine.ask("pause");
  machine.pass(Millis{60'000});
  EXPECT_EQ(machine.step("a").state, StepState::checking);
  machine.ask("resume");
  machine.pass(Millis{10'000});
  EXPECT_EQ(machine.engine->run("r")->state(), RunState::completed);
}

}  // namespace
}  // namespace baton::test
