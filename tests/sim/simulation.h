#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "sim/auditor.h"
#include "sim/drawn_chain.h"
#include "sim/drawn_dialects.h"
#include "sim/drawn_plan.h"
#include "sim/drawn_session.h"
#include "sim/fake_trees.h"
#include "support/fake_host.h"
#include "support/faulty_journal.h"

namespace baton::test {

/// One machine from one seed: runs, engines that die and come back, a holder, a journal, people who ask for things.
class Simulation {
 public:
  explicit Simulation(std::uint64_t seed, bool verbose = false);

  /// Until everything is over. Throws Violation.
  void run();

  [[nodiscard]] const Reached& reached() const { return reached_; }
  /// All journals, event by event.
  [[nodiscard]] std::string text() const;

 private:
  struct Planned {
    std::string id;
    event::RunCreated created;
    bool helped = false;  ///< a failed or asking run was answered once
    std::size_t asked = 0;
    int resumed = 0;
    int answered = 0;  ///< gates that waited when nothing else happened any more
    int revised = 0;   ///< how often a person asked for more at its end
  };

  void step_once();
  [[nodiscard]] std::optional<Time> next_time();
  void start_engine();
  void work();
  bool tick();
  void engine_dies(const char* how);
  void come_back_later();

  void chaos();
  void wreak(std::size_t kind);
  void ask(const std::string& run, const std::string& kind, const std::string& argument);
  void extend(const std::string& run);
  void raise_budget(const std::string& run);
  void decide(const std::string& run);
  void report(const std::string& run);
  void answer_gate(const std::string& run);
  void answer_review(Planned& planned);
  void look_after_conflicts(const Run& run);
  void listen_to_world();
  void draw_runs();
  void draw_troubles();
  void edit_output(const std::string& run);
  void tamper(const std::string& run);
  [[nodiscard]] std::string output_folder(const std::string& run) const;
  [[nodiscard]] std::vector<event::FoundStep> draw_found(const Plan& plan);
  [[nodiscard]] RunSettings draw_settings();
  bool help_on();
  void check_journals();
  void check_shares();
  void check_slots(std::size_t at_work, bool thawed);
  void check_requests();
  void note(const std::string& what);
  const Planned& any_of(Draws& draws) { return planned_[draws.below(planned_.size())]; }
  const Planned& any_run() { return any_of(draws_); }

  std::uint64_t seed_;
  bool verbose_;
  Draws draws_;
  Mix mix_;
  Reached reached_;
  Mortality mortality_;
  FakeClock clock_{time_from_ms(1'790'000'000'000)};
  FakeFiles files_{mortality_};
  OutcomeOf outcome_of_;
  FakeRuntimes runtimes_;
  FakeHost host_;
  FakeTrees trees_;
  DrawnSession session_{seed_};
  DrawnDialects dialects_{mix_, session_};
  FaultyJournal journal_{mortality_};
  Auditor auditor_;
  Draws tampering_;  ///< of its own: seeds without it draw what they always drew
  std::vector<Planned> planned_;
  std::unique_ptr<Engine> engine_;
  std::optional<Time> engine_back_;
  std::optional<Time> next_chaos_;
  Time chaos_ends_{};
  SharedLimits limits_;
  std::vector<std::string> queued_before_;  ///< runs that wanted a place when the last tick had ended
  std::set<std::string> begun_;
  std::set<std::string> frozen_before_;
  std::size_t at_work_max_ = 0;  ///< steps at once, as far as that is allowed now
  int engines_ = 0;
  int boots_ = 1;
  std::vector<std::string> texts_before_;
};

}  // namespace baton::test
