#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "support/fake_host.h"
#include "support/faulty_journal.h"
#include "support/story.h"

namespace baton::test {

/// Several processes on one project: an engine each, with a host of its own, over one journal and one clock.
class Fleet {
 public:
  /// One process and the run it drives.
  struct Ship {
    Ship(Fleet& fleet, std::string its_run)
        : run(std::move(its_run)), host(fleet.clock, fleet.files, fleet.mortality, fleet.outcome_of, Draws{1}) {}
    std::string run;
    FakeHost host;
    std::unique_ptr<Engine> engine;
  };
  struct Queued final : Observer {
    void announced(const std::string& /*id*/, const Run& /*run*/, const command::Announce& /*what*/,
                   Time /*at*/) override {}
    void said(const std::string& /*id*/, const Run& /*run*/, StepIndex /*step*/, int /*attempt*/,
              std::string_view /*text*/, Time /*at*/) override {}
    void queued(const std::string& id, const Run& /*run*/, std::size_t before, Time /*at*/) override {
      told += id + ":" + std::to_string(before) + " ";
    }
    std::string told;
  };

  Fleet() { the_dead().clear(); }

  Mortality mortality;
  FakeClock clock{time_from_ms(1'000'000)};
  FakeFiles files{mortality};
  std::map<std::string, Outcome> outcomes;  ///< by "run/step", or "run/step.2" for one attempt; others take a second
  OutcomeOf outcome_of = [this](const AttemptKey& key) {
    const std::string step = key.run + "/" + key.step;
    for (const std::string& name : {step + "." + std::to_string(key.attempt), step}) {
      if (const auto found = outcomes.find(name); found != outcomes.end()) return found->second;
    }
    return Outcome{.lasts = Millis{1000}};
  };
  FakeRuntimes runtimes{outcome_of};
  FaultyJournal journal{mortality};
  SharedLimits limits;
  Queued observer;
  bool heeds_calls = true;
  std::vector<std::string> woken;  ///< runs that were to be woken, because nobody drives them
  std::vector<std::unique_ptr<Ship>> ships;

  Ship& begin(const std::string& run, const Plan& plan, int jobs = 4) {
    Ship& ship = launch(run);
    RunSettings settings;
    settings.jobs = jobs;
    EXPECT_TRUE(ship.engine->create(run, {std::make_shared<const Plan>(plan), settings}));
    return ship;
  }
  Ship& take(const std::string& run) {
    Ship& ship = launch(run);
    EXPECT_TRUE(ship.engine->take(run));
    return ship;
  }
  /// kill -9: what it held is not given back. Its attempts go on under its host.
  void kill(Ship& ship) {
    the_dead().insert(owner_of(ship));
    ship.engine.reset();
    ship.host.engine_died();
  }
  void pass(Millis time) {
    const Time until = clock.now() + time;
    for (int turns = 0; turns < 100'000; ++turns) {
      std::optional<Time> next;
      for (const auto& ship : ships) work(*ship, next);
      if (next && *next <= clock.now()) continue;
      if (!next || *next > until) break;
      clock.set(*next);
      for (const auto& ship : ships) ship->host.catch_up();
    }
    clock.set(until);
  }
  [[nodiscard]] RunSummary of(const std::string& run) { return journal.summary(run).value(); }
  /// When the run first went on, by its summary, in ms since the beginning.
  [[nodiscard]] std::int64_t started(const std::string& run) { return to_ms(of(run).started) - 1'000'000; }
  [[nodiscard]] std::int64_t finished(const std::string& run) { return to_ms(of(run).finished) - 1'000'000; }

 private:
  static std::set<std::string>& the_dead() {
    static std::set<std::string> dead;
    return dead;
  }
  std::string owner_of(const Ship& ship) { return owners_.at(&ship); }

  Ship& launch(const std::string& run) {
    Ship& ship = *ships.emplace_back(std::make_unique<Ship>(*this, run));
    Engine::Terms terms;
    owners_[&ship] = "process-" + std::to_string(ships.size());
    terms.self = {.owner = owners_[&ship], .host = "here", .pid = static_cast<int>(ships.size())};
    terms.boot = "boot";
    terms.root = "/p";
    terms.state_dir = "/p/.baton";
    terms.lease_lasts = Millis{1'000'000'000};
    terms.is_dead = [](const Lease& lease) { return the_dead().contains(lease.owner); };
    terms.call = [this](const Call& call) { hear(call); };
    ship.engine = std::make_unique<Engine>(Engine::Seams{journal, ship.host, clock, files, runtimes, &observer}, terms);
    ship.engine->share(limits);
    return ship;
  }
  void hear(const Call& call) {
    if (!call.driven) return woken.push_back(call.run);
    if (!heeds_calls) return;
    for (const auto& ship : ships) {
      if (ship->engine && ship->run == call.run) (void)ship->engine->hear_requests(call.run);
    }
  }
  void work(Ship& ship, std::optional<Time>& next) {
    const auto sooner = [&](const std::optional<Time>& t) {
      if (t && (!next || *t < *next)) next = t;
    };
    if (ship.engine) {
      while (ship.host.deliver()) {
      }
      while (ship.engine->needs_tick(clock.now())) {
        ASSERT_TRUE(ship.engine->tick());
        while (ship.host.deliver()) {
        }
      }
      sooner(ship.engine->next_due());
    }
    sooner(ship.host.next_event());
  }

  std::map<const Ship*, std::string> owners_;
};

}  // namespace baton::test
