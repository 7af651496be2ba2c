// The files that show a run's state follow the journal: soon while it goes on, always when it stops, right after a
// crash.
#include <gtest/gtest.h>

#include "dialect/markdown/sandbox_state.h"
#include "engine/engine.h"
#include "engine/markdown_run.h"
#include "support/fake_host.h"
#include "support/faulty_journal.h"
#include "support/machine.h"
#include "support/story.h"

namespace baton::test {
namespace {

constexpr const char* record_path = "/p/sandbox/box/validation.json";

/// Files that count what is written to one of them, and fail to if they are told to.
class WatchedFiles final : public Files {
 public:
  explicit WatchedFiles(FakeFiles& kept) : kept_(kept) {}
  Expected<std::optional<std::string>> read(const std::string& path, std::size_t bytes_max) override {
    return kept_.read(path, bytes_max);
  }
  std::string read_from(const std::string& path, std::uint64_t offset, std::size_t bytes_max) override {
    return kept_.read_from(path, offset, bytes_max);
  }
  Status write(const std::string& path, std::string_view content) override {
    if (path == record_path) {
      if (broken) return fault("disk-full", "injected: the disk is full");
      ++writes;
    }
    return kept_.write(path, content);
  }
  Status move(const std::string& from, const std::string& to) override { return kept_.move(from, to); }
  std::uint64_t stamp(const std::string& path) override { return kept_.stamp(path); }
  Status append(const std::string& path, std::string_view content) override { return kept_.append(path, content); }

  int writes = 0;
  bool broken = false;

 private:
  FakeFiles& kept_;
};

/// Keeps what it is told of, and what the record said when the run ended.
class Listener final : public Observer {
 public:
  explicit Listener(FakeFiles& files) : files_(files) {}
  void announced(const std::string&, const baton::Run&, const command::Announce& what, Time) override {
    if (what.kind == command::Announce::Kind::run_finished) at_the_end = files_.files[record_path];
  }
  void said(const std::string&, const baton::Run&, StepIndex, int, std::string_view, Time) override {}
  void warned(const std::string&, const Fault& fault) override { warnings.push_back(fault); }

  std::vector<Fault> warnings;
  std::string at_the_end;

 private:
  FakeFiles& files_;
};

/// A machine with one run `r` in the sandbox `box`, whose steps are rehearsed inside the engine.
class Mirroring : public ::testing::Test {
 protected:
  static Plan writing_plan(std::string_view graph) {
    Plan plan = plan_of(graph);
    for (Step& s : plan.steps) {
      Work work = *s.work;
      work.runtime = "inner";
      work.output = "sandbox/box/outputs/" + s.id + ".json";
      s.work = std::make_shared<const Work>(std::move(work));
    }
    return plan;
  }
  void begin(Plan plan, int jobs = 4) {
    settings_.jobs = jobs;
    settings_.options["sandbox"] = "box";
    plan_ = std::make_shared<const Plan>(std::move(plan));
    start_engine();
  }
  void start_engine() {
    Engine::Terms terms;
    terms.self = {.owner = "engine-" + std::to_string(++engines_), .host = "here", .pid = engines_};
    terms.root = "/p";
    terms.state_dir = "/p/.baton";
    terms.lease_lasts = Millis{3'600'000};
    terms.is_dead = [](const Lease&) { return true; };
    engine =
        std::make_unique<Engine>(Engine::Seams{journal, host, clock, watched, runtimes, &listener, &dialects_}, terms);
    if (journal.load("r")) {
      ASSERT_TRUE(engine->take("r"));
    } else {
      ASSERT_TRUE(engine->create("r", {plan_, settings_}));
    }
  }
  void pass(Millis time) {
    const Time until = clock.now() + time;
    for (;;) {
      do {
        ASSERT_TRUE(engine->tick());
      } while (engine->has_news());
      const auto due = engine->next_due();
      if (!due || *due > until) break;
      ASSERT_GT(*due, clock.now()) << "it would spin";
      clock.set(*due);
    }
    clock.set(until);
  }
  /// The record agrees with what the journal says of the run.
  void expect_in_step() {
    baton::Run run;
    const std::vector<Event> events = journal.load("r").value();
    for (const Event& e : events) (void)run.apply(e);
    EXPECT_EQ(files.files[record_path], reflect(std::nullopt, sandbox_state("r", run), "").value());
  }

  Mortality mortality;
  FakeClock clock{time_from_ms(1'000'000)};
  FakeFiles files{mortality};
  WatchedFiles watched{files};
  Listener listener{files};
  std::map<std::string, Outcome> outcomes;  ///< by step; others take 10 ms and end well
  OutcomeOf outcome_of = [this](const AttemptKey& key) {
    const auto found = outcomes.find(key.step);
    return found == outcomes.end() ? Outcome{.lasts = Millis{10}, .output = "{}"} : found->second;
  };
  FakeRuntimes runtimes{outcome_of};
  FakeHost host{clock, files, mortality, outcome_of, Draws{1}};
  FaultyJournal journal{mortality};
  std::unique_ptr<Engine> engine;

 private:
  MarkdownRun markdown_{"r"};
  LentDialects dialects_{markdown_};
  std::shared_ptr<const Plan> plan_;
  RunSettings settings_;
  int engines_ = 0;
};

TEST_F(Mirroring, TheRecordIsRightBeforeAnybodyHearsOfTheEnd) {
  begin(writing_plan("a; b: a"));
  pass(Millis{1000});
  ASSERT_EQ(engine->run("r")->state(), RunState::completed);
  expect_in_step();
  EXPECT_EQ(listener.at_the_end, files.files[record_path]);
  EXPECT_NE(listener.at_the_end.find("\"status\": \"completed\""), std::string::npos);
}

TEST_F(Mirroring, ManyStepsInAMomentAreOneWrite) {
  begin(writing_plan("a; b: a; c: b; d: c; e: d; f: e; g: f; h: g"));
  pass(Millis{75});
  EXPECT_EQ(watched.writes, 0) << "seven steps are done, and their record is about to be written";
  pass(Millis{500});
  EXPECT_EQ(watched.writes, 1) << "they took less than the time between two writes";
  expect_in_step();
}

TEST_F(Mirroring, ALongStepDoesNotHoldTheRecordBack) {
  outcomes["b"] = {.stuck = true};
  begin(writing_plan("a; b: a"));
  pass(Millis{200});
  ASSERT_EQ(engine->run("r")->state(), RunState::running);
  expect_in_step();
  EXPECT_NE(files.files[record_path].find("\"validated\": true"), std::string::npos);
  const int writes = watched.writes;
  pass(Millis{100'000});
  EXPECT_EQ(watched.writes, writes) << "nothing changed, nothing is written";
}

TEST_F(Mirroring, APauseIsShownAtOnce) {
  outcomes["b"] = {.stuck = true};
  begin(writing_plan("a; b: a"));
  pass(Millis{15});
  engine->post("r", event::PauseAsked{"me"});
  pass(Millis{0});
  expect_in_step();
}

TEST_F(Mirroring, LeavingARunWritesWhatIsDue) {
  outcomes["b"] = {.stuck = true};
  begin(writing_plan("a; b: a"));
  pass(Millis{15});
  EXPECT_EQ(watched.writes, 0);
  ASSERT_TRUE(engine->release("r"));
  expect_in_step();
}

TEST_F(Mirroring, AfterACrashItIsPutRight) {
  outcomes["b"] = {.stuck = true};
  begin(writing_plan("a; b: a"));
  pass(Millis{15});
  EXPECT_EQ(files.files.count(record_path), 0U);
  engine.reset();
  start_engine();
  pass(Millis{0});
  expect_in_step();
  EXPECT_NE(files.files[record_path].find("\"validated\": true"), std::string::npos);
}

TEST_F(Mirroring, WhatIsNotOnRecordIsNotShown) {
  begin(writing_plan("a"));
  pass(Millis{0});
  journal.fate_of_append = [] { return FaultyJournal::Fate::fails; };
  clock.set(clock.now() + Millis{10});
  EXPECT_FALSE(engine->tick());
  (void)engine->release("r");
  EXPECT_EQ(files.files[record_path].find("\"validated\": true"), std::string::npos);
}

TEST_F(Mirroring, ARecordThatCannotBeWrittenIsAWarningOnce) {
  watched.broken = true;
  begin(writing_plan("a; b: a"));
  pass(Millis{1000});
  EXPECT_EQ(engine->run("r")->state(), RunState::completed);
  engine->post("r", event::RetryAsked{step_index(0)});
  pass(Millis{1000});
  ASSERT_EQ(listener.warnings.size(), 1U);
  EXPECT_EQ(listener.warnings.front().code, "disk-full");
  EXPECT_EQ(listener.warnings.front().severity, Severity::warning);
}

TEST_F(Mirroring, ABrokenRecordIsLeftAloneAndNamedOnce) {
  files.files[record_path] = "{ half";
  begin(writing_plan("a; b: a"));
  pass(Millis{1000});
  EXPECT_EQ(engine->run("r")->state(), RunState::completed);
  ASSERT_TRUE(engine->release("r"));
  EXPECT_EQ(files.files[record_path], "{ half");
  ASSERT_EQ(listener.warnings.size(), 1U);
  EXPECT_EQ(listener.warnings.front().code, "bad-validation-file");
  EXPECT_NE(listener.warnings.front().message.find("sandbox/box/validation.json"), std::string::npos);
}

TEST_F(Mirroring, WhatOthersWroteThereMeanwhileStays) {
  outcomes["b"] = {.stuck = true};
  begin(writing_plan("a; b: a"));
  pass(Millis{200});
  std::string& text = files.files[record_path];
  text.insert(text.find("\"steps\""), "\"note\": \"mine\",\n  ");
  engine->post("r", event::CancelAsked{"me"});
  pass(Millis{1000});
  EXPECT_NE(files.files[record_path].find("\"note\": \"mine\""), std::string::npos);
  EXPECT_NE(files.files[record_path].find("\"status\": \"failed\""), std::string::npos);
}

TEST(MirroringOfHeld, WhoeverDiesBeforeTheLastWordIsShownIsFollowedByAnother) {
  MarkdownRun markdown{"r"};
  int seen = 0;
  for (std::uint64_t n = 1;; ++n) {
    Machine machine{plan_of("a")};
    machine.dialect = &markdown;
    machine.options["sandbox"] = "box";
    machine.mortality.die_in(n);
    try {
      machine.start_engine();
      machine.pass(Millis{5000});
      EXPECT_FALSE(machine.host.wakes["r"]) << "all is said: nobody has to come";
      break;
    } catch (const Crash&) {
      machine.mortality.die_in(0);
    }
    const bool is_over = machine.journal.load("r") && machine.replayed().state() == RunState::completed;
    const bool is_shown = machine.files.files[record_path].find("\"status\": \"completed\"") != std::string::npos;
    if (!is_over || is_shown) continue;
    ++seen;
    EXPECT_TRUE(machine.host.wakes["r"]) << "dying in call " << n;
  }
  EXPECT_GT(seen, 0);
}

}  // namespace
}  // namespace baton::test
