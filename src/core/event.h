#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/failure.h"
#include "core/timer.h"
#include "core/usage.h"
#include "plan/plan.h"

namespace baton {

/// What holds for a whole run. Recorded with it, so that `resume`, `retry` and `wake` go on under the same terms.
struct RunSettings {
  std::uint64_t seed = 0;  ///< the only chance a run has
  int jobs = 4;
  Millis time_budget{0};  ///< running time, pauses not counted; 0: none
  std::optional<Cost> cost_budget = {};
  std::int64_t token_budget = 0;  ///< 0: none
  std::map<std::string, std::string> options =
      {};  ///< what the shell has to remember: runtime, model, sandbox, task, ...

  bool operator==(const RunSettings&) const = default;
};

/// Things that happened. The ordered events of a run are its journal, and the journal is the truth.
namespace event {

struct RunCreated {
  std::shared_ptr<const Plan> plan;
  RunSettings settings;
};
/// A process took the run's lease and begins, or goes on, to drive it.
struct DriverTook {
  int pid = 0;
  std::string host;
  std::uint64_t epoch = 0;
};
struct SettingsChanged {
  RunSettings settings;
};
/// The dispatcher gave the step a slot. On record before anything of the attempt exists in the world.
struct AttemptAdmitted {
  StepIndex step{};
  int attempt = 0;
  std::string runtime;
  std::string model;
  std::string boot;  ///< of the machine: an attempt admitted before a reboot cannot be alive
};
struct AttemptStarted {
  StepIndex step{};
  int attempt = 0;
  int pid = 0;     ///< 0 where no process stands behind it
  Time started{};  ///< by the host's clock; the event may be written down later
};
struct AttemptUsed {
  StepIndex step{};
  int attempt = 0;
  Usage usage;  ///< of this attempt so far, from its beginning
};
struct AttemptEnded {
  StepIndex step{};
  int attempt = 0;
  bool unknown = false;  ///< nobody saw how it ended
  std::optional<Failure> failure;
  std::optional<int> exit;
  std::optional<int> signal;
  Time finished{};  ///< by the host's clock
};
struct OutputChecked {
  StepIndex step{};
  int attempt = 0;
  std::vector<CheckResult> results;
  std::string digest;  ///< of the output as it was checked
};
struct TimerFired {
  TimerId timer;
};
struct PauseAsked {
  std::string by;
};
struct ResumeAsked {};
struct CancelAsked {
  std::string by;
};
/// Run the step (or every failed one) and what depends on it again.
struct RetryAsked {
  std::optional<StepIndex> step;
};
/// A running step changed what is still to come. New steps are numbered on from the last one.
struct PlanExtended {
  StepIndex by{};
  StepIndex first{};  ///< where the new steps begin
  std::vector<Step> steps;
  bool replaces_rest = false;                               ///< what has not started yet is dropped
  std::vector<std::pair<StepIndex, StepIndex>> joins = {};  ///< (waiting step, the new step it now needs too)
};

}  // namespace event

using EventBody = std::variant<event::RunCreated, event::DriverTook, event::SettingsChanged, event::AttemptAdmitted,
                               event::AttemptStarted, event::AttemptUsed, event::AttemptEnded, event::OutputChecked,
                               event::TimerFired, event::PauseAsked, event::ResumeAsked, event::CancelAsked,
                               event::RetryAsked, event::PlanExtended>;

struct Event {
  Time at{};
  EventBody body;
};

}  // namespace baton
