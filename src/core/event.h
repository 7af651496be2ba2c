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
#include "plan/turn.h"

namespace baton {

/// What holds for a whole run. Recorded with it, so that `resume`, `retry` and `wake` go on under the same terms.
struct RunSettings {
  std::uint64_t seed = 0;  ///< the only chance a run has
  int jobs = 4;
  Millis time_budget{0};  ///< running time, pauses not counted; 0: none
  std::optional<Cost> cost_budget = {};
  std::int64_t token_budget = 0;  ///< 0: none
  std::int64_t turn_budget = 0;   ///< 0: none
  Millis wall_floor{60'000};      ///< how long a step keeps off a wall that names no moment to come (core/wall.h)
  std::int64_t log_bytes_max = std::int64_t{1} << 30;  ///< the host stops an attempt that prints more; 0: none
  std::map<std::string, std::string> options =
      {};  ///< what the shell has to remember: runtime, model, sandbox, task, ...

  bool operator==(const RunSettings&) const = default;
};

/// Things that happened. The ordered events of a run are its journal, and the journal is the truth.
namespace event {

/// A step whose output was there, checked, before the run began.
struct FoundStep {
  StepIndex step{};
  std::string digest;  ///< of its output

  bool operator==(const FoundStep&) const = default;
};

struct RunCreated {
  std::shared_ptr<const Plan> plan;
  RunSettings settings;
  std::vector<FoundStep> found = {};  ///< these count as completed
};
/// The rules by which a run is decided. They only grow; a run's journal says which ones held when.
enum class Rules : std::uint8_t {
  first,    ///< as journals have it that say nothing
  bounded,  ///< walls and starts of a step are bounded (core/run_bounds.cc)
  kept,     ///< outputs are looked at again before the run is over (core/run_outputs.cc)
};
constexpr Rules rules_now = Rules::kept;

/// A process took the run's lease and begins, or goes on, to drive it.
struct DriverTook {
  int pid = 0;
  std::string host;
  std::uint64_t epoch = 0;
  bool queues = false;      ///< runs at once are limited: the run goes on when it has a place, not before
  Rules rules = rules_now;  ///< that its program goes by
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
  std::string boot;         ///< of the machine: an attempt admitted before a reboot cannot be alive
  int after = 0;            ///< set: on the condition that this attempt of the one step it needs ends well
  std::string before = {};  ///< what lay at its output's path, in a word (engine/run_outputs.h); empty: nothing
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
  Usage usage;          ///< of this attempt so far, from its beginning
  bool is_all = false;  ///< nothing more is begun that costs: its end is told, or its only call is under way
};
struct AttemptEnded {
  StepIndex step{};
  int attempt = 0;
  bool unknown = false;  ///< nobody saw how it ended
  std::optional<Failure> failure;
  std::optional<int> exit;
  std::optional<int> signal;
  Time finished{};                   ///< by the host's clock
  std::optional<Failure> note = {};  ///< it ended well, but this has to be said of it
  bool dropped = false;              ///< what it was admitted on did not come about: it never was
};
/// An attempt has given no sign of life: nothing printed, no processor time, no file changed.
struct AttemptQuiet {
  StepIndex step{};
  int attempt = 0;
  Millis quiet{0};
};
/// The turn of a step with a flow came, and this is what it came to (plan/turn.h).
struct TurnTaken {
  StepIndex step{};
  int generation = 0;
  int round = 0;
  TurnVerdict verdict = TurnVerdict::go;
  std::string reason;  ///< skip: the condition; fail, block: what went wrong; go, of a gate: what is asked
  std::string code;    ///< fail, block
  std::shared_ptr<const Work> work;   ///< go: what it does, with all values filled in; null: as planned
  std::vector<Step> made;             ///< go, composite: steps to be added; needs count from the first of them
  std::string digest;                 ///< done: of the output
  std::vector<StepIndex> needs = {};  ///< go: what it was found to need besides what is planned
};
/// A person answered a gate (or all that wait).
struct GateAnswered {
  std::optional<StepIndex> step;
  bool approved = false;
  std::string message;
};
/// A person answered the review at a run's end, or took a finished run's change.
struct ReviewAnswered {
  bool accepted = false;
  std::string message;  ///< of a rejection
  std::string landed;   ///< accepted: the commit that has the change now; empty where there is no branch
};
/// The output of a completed step is not what it was: it was checked again.
struct OutputChanged {
  StepIndex step{};
  std::vector<CheckResult> results;
  std::string digest;
  bool put_together = false;  ///< of what was made for the step, from which it is put together once more
};
/// The output of a completed step is no longer what was checked: it is checked again before anything builds on it.
struct OutputDoubted {
  StepIndex step{};
  std::optional<StepIndex> by;  ///< that was about to build on it, and waits for it now
};
/// All that the run's steps made is what was checked: the run may be over.
struct OutputsStand {};
/// The check that fails when the working tree of an attempt is gone, and with it what the attempt did.
constexpr const char* tree_gone_check = "working_tree_gone";

struct OutputChecked {
  StepIndex step{};
  int attempt = 0;
  std::vector<CheckResult> results;
  std::string digest;                   ///< of the output as it was checked
  std::optional<Failure> failure = {};  ///< it cannot stand, whatever the checks say, and why
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
  std::vector<std::pair<StepIndex, StepIndex>> joins = {};  ///< (waiting step, the step it now needs too)
  std::string workflow = {};                                ///< the workflow that was chosen, if one was
  std::string task = {};                                    ///< what a person asks for anew: a revision, a follow-up
};

/// Of the places that the project's runs share, this run has one now.
struct PlaceTaken {};
/// The step may start, but whoever serves it asked all of us to stay away until then.
struct StepDeferred {
  StepIndex step{};
  std::string runtime;
  Time until{};
  std::string reason = {};  ///< where it is not the provider that keeps us away: whose money is spent
};

/// What the worker of a team says of a task while it is at work. A claim: what comes of it is decided when its attempt
/// ends.
struct WorkerReported {
  StepIndex step{};  ///< the task it speaks of; in an inner loop not always the one its attempt is of
  int attempt = 0;
  std::string id;    ///< said twice, it counts once
  std::string kind;  ///< complete, progress, error, blocker, capability_gap, consensus_blocked
  std::string role;
  std::string text;
  std::string data;  ///< a JSON object; may be empty
};
/// Somebody outside has the word on a step that is not at work: what it was to do was found done, or it is left out and
/// those that need it go on without.
struct StepDecided {
  StepIndex step{};
  bool completed = false;
  std::string by;
};

}  // namespace event

using EventBody =
    std::variant<event::RunCreated, event::DriverTook, event::SettingsChanged, event::AttemptAdmitted,
                 event::AttemptStarted, event::AttemptUsed, event::AttemptEnded, event::OutputChecked,
                 event::TimerFired, event::PauseAsked, event::ResumeAsked, event::CancelAsked, event::RetryAsked,
                 event::PlanExtended, event::AttemptQuiet, event::TurnTaken, event::GateAnswered, event::OutputChanged,
                 event::ReviewAnswered, event::PlaceTaken, event::StepDeferred, event::WorkerReported,
                 event::StepDecided, event::OutputDoubted, event::OutputsStand>;

struct Event {
  Time at{};
  EventBody body;
};

}  // namespace baton
