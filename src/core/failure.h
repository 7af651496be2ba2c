#pragma once

#include <optional>
#include <string>

#include "base/failure_kind.h"
#include "base/time.h"

namespace baton {

/// Why an attempt failed. Its code is for people (docs/errors/); what is decided is decided by its kind.
struct Failure {
  std::string code;
  std::string message;
  bool may_retry = false;
  std::optional<Millis> retry_after = {};  ///< the other side said when to come back
  std::optional<Time> parked_until = {};   ///< a quota is used up until then: no failure, the step waits for it
  bool used_up = false;                    ///< a quota is used up; parked_until has until when, if that was told

  [[nodiscard]] FailureKind kind() const { return kind_of(code); }
  bool operator==(const Failure&) const = default;
};

}  // namespace baton
