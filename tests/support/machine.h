#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "engine/engine.h"
#include "support/fake_host.h"
#include "support/faulty_journal.h"
#include "support/lent_dialect.h"

namespace baton::test {

/// A machine with one run `r`, whose engine can be killed and started again.
class Machine {
 public:
  explicit Machine(Plan plan, int jobs = 4)
      : host(clock, files, mortality, outcome_of, Draws{1}), plan_(std::make_shared<const Plan>(std::move(plan))) {
    settings_.jobs = jobs;
  }

  Mortality mortality;
  FakeClock clock{time_from_ms(1'000'000)};
  FakeFiles files{mortality};
  std::map<std::string, Outcome> outcomes;  ///< by step, or "step.2" for one attempt
  Outcome otherwise{.lasts = Millis{1000}};
  OutcomeOf outcome_of = [this](const AttemptKey& key) {
    const auto of_attempt = outcomes.find(key.step + "." + std::to_string(key.attempt));
    if (of_attempt != outcomes.end()) return of_attempt->second;
    const auto found = outcomes.find(key.step);
    return found == outcomes.end() ? otherwise : found->second;
  };
  FakeRuntimes runtimes{outcome_of};
  FakeHost host;
  FaultyJournal journal{mortality};
  std::unique_ptr<Engine> engine;
  std::string boot = "boot-1";
  Observer* observer = nullptr;
  DialectRun* dialect = nullptr;  ///< of the run; null: that of `dialects`, if there are any
  Dialects* dialects = nullptr;
  std::map<std::string, std::string> options;  ///< what the shell remembers of the run

  /// A new process takes the run up, or begins it.
  void start_engine() {
    Engine::Terms terms;
    terms.self = {.owner = "engine-" + std::to_string(++engines_), .host = "here", .pid = engines_};
    terms.boot = boot;
    terms.root = "/p";
    terms.state_dir = "/p/.baton";
    terms.is_dead = [](const Lease&) { return true; };
    lent_ = dialect == nullptr ? nullptr : std::make_unique<LentDialects>(*dialect);
    Dialects* those = lent_ == nullptr ? dialects : lent_.get();
    engine = std::make_unique<Engine>(Engine::Seams{journal, host, clock, files, runtimes, observer, those}, terms);
    if (journal.load("r")) {
      ASSERT_TRUE(engine->take("r"));
    } else {
      settings_.options = options;
      ASSERT_TRUE(engine->create("r", {plan_, settings_}));
    }
  }
  void kill_engine() {
    engine.reset();
    host.engine_died();
    mortality.die_in(0);
  }
  /// Ticks until there is nothing to do at this moment.
  Status settle() {
    do {
      while (host.deliver()) {
      }
      if (auto done = engine->tick(); !done) return done;
    } while (engine->has_news());
    return {};
  }
  /// Lets time pass, with or without an engine.
  void pass(Millis time) {
    const Time until = clock.now() + time;
    for (;;) {
      if (engine) {
        ASSERT_TRUE(settle());
      }
      std::optional<Time> next = host.next_event();
      if (engine) {
        if (const auto due = engine->next_due(); due && (!next || *due < *next)) next = due;
      }
      if (!next || *next > until) break;
      clock.set(*next);
      host.catch_up();
    }
    clock.set(until);
  }
  [[nodiscard]] baton::Run replayed() {
    baton::Run run;
    const std::vector<Event> events = journal.load("r").value();
    for (const Event& e : events) (void)run.apply(e);
    return run;
  }
  [[nodiscard]] const StepRun& step(const std::string& id) const {
    const baton::Run& run = *engine->run("r");
    return run.of(run.find(id).value());
  }
  [[nodiscard]] int starts(const std::string& step, int attempt = 1) const {
    const auto found = host.starts().find({"r", step, attempt});
    return found == host.starts().end() ? 0 : found->second;
  }
  void ask(const std::string& kind, const std::string& argument = {}) {
    ASSERT_TRUE(journal.request({0, "r", kind, argument, clock.now()}));
    ASSERT_TRUE(engine->hear_requests("r"));
  }

 private:
  std::shared_ptr<const Plan> plan_;
  RunSettings settings_;
  int engines_ = 0;
  std::unique_ptr<LentDialects> lent_;
};

}  // namespace baton::test
