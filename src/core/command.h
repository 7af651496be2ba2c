#pragma once

#include <string>
#include <variant>

#include "core/states.h"
#include "core/timer.h"

namespace baton {

/// Things that should now be done. Carried out only after the events that led to them are durable.
namespace command {

struct StartAttempt {
  StepIndex step{};
  int attempt = 0;
};
struct StopAttempt {
  StepIndex step{};
  int attempt = 0;
};
struct FreezeAttempts {};
struct ThawAttempts {};
struct CheckOutput {
  StepIndex step{};
  int attempt = 0;
};
/// The turn of a step with a flow has come: look up what it depends on and say what it comes to.
struct TakeTurn {
  StepIndex step{};
  int generation = 1;
  int round = 1;
};
/// All is done. Look whether what was made is still what was checked.
struct VerifyOutputs {};
struct SetTimer {
  TimerId timer;
  Time due{};
};
struct CancelTimer {
  TimerId timer;
};

/// Tell whoever watches. Holds places only: the run itself has the details.
struct Announce {
  enum class Kind : std::uint8_t {
    run_started,
    run_resumed,
    run_paused,
    run_parked,
    run_reviewing,
    run_finished,
    step_started,
    step_used,
    step_checked,
    step_retrying,
    step_finished,
    plan_extended,
    step_gated,    ///< it waits for a person
    step_quiet,    ///< it gives no sign of life
    cost_unknown,  ///< a model without a price was used: a budget in dollars cannot be kept
    budget_warning,
    step_deferred,  ///< it waits because its provider asked for time
    step_reported,  ///< its worker said something of it
  };
  Kind kind = Kind::run_started;
  StepIndex step{};
  int attempt = 0;
  Millis delay{0};
  std::size_t report = 0;  ///< step_reported: its place in Run::reports()
  Time at{};               ///< of the event: others may have come until this is carried out
};

}  // namespace command

using Command = std::variant<command::StartAttempt, command::StopAttempt, command::FreezeAttempts,
                             command::ThawAttempts, command::CheckOutput, command::TakeTurn, command::VerifyOutputs,
                             command::SetTimer, command::CancelTimer, command::Announce>;

}  // namespace baton
