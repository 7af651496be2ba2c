#pragma once

#include <optional>
#include <string>

#include "base/time.h"

namespace baton {

/// Why an attempt failed. The codes are a closed list (docs/errors/); each says whether trying again can help.
struct Failure {
  std::string code;
  std::string message;
  bool may_retry = false;
  std::optional<Millis> retry_after = {};  ///< the other side said when to come back
  std::optional<Time> parked_until = {};   ///< a quota is used up until then: no failure, the step waits for it
  bool used_up = false;                    ///< a quota is used up; parked_until has until when, if that was told

  bool operator==(const Failure&) const = default;
};

/// The provider was asked too often: by an agent's program, or by us.
inline bool is_rate_limit(const Failure& failure) {
  return failure.code == "agent-rate-limited" || failure.code == "api-rate-limited";
}

}  // namespace baton
