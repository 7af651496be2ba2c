#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace baton {

enum class RunState : std::uint8_t {
  queued,
  running,
  paused,
  parked,
  reviewing,
  completed,
  failed,
  cancelled,
  accepted,
  rejected,
};

enum class StepState : std::uint8_t {
  pending,   ///< some need is not completed yet
  ready,     ///< may start as soon as the dispatcher lets it
  running,   ///< an attempt was admitted and has not ended
  checking,  ///< the attempt ended well; its output is being checked
  waiting,   ///< for a retry's time, or for a person
  completed,
  failed,
  skipped,  ///< a need failed or was skipped, or its condition was false
  blocked,  ///< something it needs does not exist, or its time was up and it is not tried again
  cancelled,
};
constexpr std::size_t step_states = 10;

enum class AttemptState : std::uint8_t { admitted, running, completed, failed, unknown, cancelled };

/// What made a run pause.
enum class PauseCause : std::uint8_t { person, cost, tokens, turns, time, step_budget, step_timeout, walls };

std::string_view name(RunState state);
std::string_view name(StepState state);
std::string_view name(AttemptState state);
std::optional<RunState> run_state(std::string_view name);

/// Nothing more happens to a run in this state unless somebody asks for it by name (`retry`).
constexpr bool is_over(RunState s) {
  return s == RunState::completed || s == RunState::cancelled || s == RunState::accepted || s == RunState::rejected;
}
constexpr bool is_settled(StepState s) {
  return s == StepState::completed || s == StepState::failed || s == StepState::skipped || s == StepState::blocked ||
         s == StepState::cancelled;
}

}  // namespace baton
