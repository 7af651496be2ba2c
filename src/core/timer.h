#pragma once

#include <cstdint>

#include "plan/plan.h"

namespace baton {

/// What a timer is for; a run has at most one of each.
struct TimerId {
  enum class Kind : std::uint8_t { attempt_timeout, retry, time_budget };
  Kind kind = Kind::retry;
  StepIndex step{};  ///< not used by `time_budget`

  auto operator<=>(const TimerId&) const = default;
};

}  // namespace baton
