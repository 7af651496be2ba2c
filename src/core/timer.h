#pragma once

#include <cstdint>

#include "plan/plan.h"

namespace baton {

/// What a timer is for; a run has at most one of each.
struct TimerId {
  enum class Kind : std::uint8_t { attempt_timeout, retry, time_budget, time_warning };
  Kind kind = Kind::retry;
  StepIndex step{};  ///< not used by those of the run

  auto operator<=>(const TimerId&) const = default;
};

constexpr TimerId time_budget_timer{TimerId::Kind::time_budget, {}};
constexpr TimerId time_warning_timer{TimerId::Kind::time_warning, {}};
constexpr TimerId timeout_of(StepIndex i) { return {TimerId::Kind::attempt_timeout, i}; }
constexpr TimerId retry_of(StepIndex i) { return {TimerId::Kind::retry, i}; }

}  // namespace baton
