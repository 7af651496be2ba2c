#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/run.h"
#include "engine/engine.h"
#include "sim/chain_rules.h"
#include "sim/promise.h"
#include "support/fake_host.h"

namespace baton::test {

/// What a simulation came across: to see that it does not walk the same path every time.
struct Reached {
  static constexpr std::size_t kinds = std::variant_size_v<EventBody>;
  std::array<std::array<std::uint64_t, step_states>, kinds> events{};  ///< kind by the state of its step before
  std::map<std::string, std::uint64_t> faults;
  std::map<std::string, std::uint64_t> flows;  ///< what steps with a flow, gates, quotas and edits came to
  std::map<std::string, std::uint64_t> ends;   ///< runs by their last state
  std::uint64_t ticks = 0;

  void add(const Reached& other);
  [[nodiscard]] std::string summary() const;
};

/// Reads along in the journal and watches the world, with a copy of every run made from the journal alone.
class Auditor {
 public:
  Auditor(const FakeHost& host, const FakeTrees& trees, const FakeFiles& files, Reached& reached)
      : host_(host), files_(files), reached_(reached), chains_(host, trees, reached.flows) {}

  std::function<void(const std::string&, const Run&, StepIndex)> on_admission;  ///< before it is applied
  bool exact_timeouts = false;  ///< nothing died, so an attempt's timeout can be held against its real running time

  bool steps_are_shared = false;  ///< a step that is ready may have to wait for one of another run

  void recorded(const std::string& run, const std::vector<Event>& events);
  void process_started(const AttemptKey& key);
  void acknowledged(const AttemptKey& key);
  /// The engine stands still between two ticks: journal, engine and world have to agree.
  void check(const Engine& engine) const;
  /// Everything is over: nothing may be missing.
  void check_end() const;

  [[nodiscard]] bool knows(const std::string& run) const { return books_.contains(run); }
  [[nodiscard]] const Run& run(const std::string& id) const { return books_.at(id).run; }
  [[nodiscard]] std::size_t events(const std::string& id) const { return books_.at(id).events; }

 private:
  struct Book {
    Run run;
    std::size_t events = 0;
    std::vector<std::vector<StepIndex>> dependants;
    std::vector<std::vector<StepIndex>> needs;
    std::set<StepIndex> done;
    std::set<StepIndex> dropped;                        ///< replaced by an extension, or by what was made anew
    std::map<StepIndex, std::vector<StepIndex>> items;  ///< of a composite, those that count now
    std::map<StepIndex, int> generations;               ///< of composites
    std::set<std::pair<StepIndex, int>> left_out;       ///< conditions that said no, by the step's generation
    std::set<StepIndex> approved;                       ///< gates, and nothing before them ran again since
    std::map<StepIndex, Time> parked;                   ///< steps that wait for a quota, until when
    std::map<StepIndex, int> walls;                     ///< ends of steps at a wall, in a row
    std::map<std::pair<StepIndex, int>, event::AttemptEnded> ends;
    std::map<std::pair<StepIndex, int>, std::uint64_t> writes;  ///< of the attempt's output before it began
    bool stands = false;                                        ///< nothing began since all outputs were looked at
  };

  /// What an event lets run again.
  struct Again {
    std::set<StepIndex> steps;
    std::optional<StepIndex> edited;  ///< the step whose output is another one now
  };

  void before(Book& book, const std::string& id, const Event& e);
  void after(Book& book, const std::string& id, const Event& e, const Again& again);
  void admitted(const Book& book, const std::string& id, const event::AttemptAdmitted& e, Time at) const;
  void admitted_after(const Book& book, const std::string& id, const event::AttemptAdmitted& e) const;
  void ended(Book& book, const std::string& id, const event::AttemptEnded& e) const;
  void note_outputs(Book& book, const std::string& id, const Event& e) const;
  void check_needed_outputs(const Book& book, const std::string& id, StepIndex step) const;
  [[nodiscard]] std::optional<Again> doubted_again(const Book& book, const EventBody& body) const;
  void extended(Book& book, const event::PlanExtended& e) const;
  static void note_found(Book& book, StepIndex step, StepIndex need);
  void turned(Book& book, const std::string& id, const event::TurnTaken& e);
  void note_approvals(Book& book, const Event& e, const Again& again);
  void note_parking(Book& book, const Event& e, const Again& again);
  void note_walls(Book& book, const std::string& id, const Event& e, const Again& again);
  static void check_starts(const Book& book, const std::string& id, StepIndex step, Time at);
  void note_generations(Book& book) const;
  void completed(const Book& book, const std::string& id, StepIndex step) const;
  void check_over(const Book& book, const std::string& id) const;
  void check_processes(const Book& book, const std::string& id) const;
  void check_started(const AttemptKey& key) const;
  void count(const Book& book, const EventBody& body);
  [[nodiscard]] Again asked_again(const Book& book, const EventBody& body) const;
  [[nodiscard]] static bool is_met(const Book& book, StepIndex step, StepIndex need);

  const FakeHost& host_;
  const FakeFiles& files_;
  Reached& reached_;
  ChainRules chains_;
  std::map<std::string, Book> books_;
};

}  // namespace baton::test
