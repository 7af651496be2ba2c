#pragma once

#include <cstddef>

#include "core/run.h"

namespace baton {

/// What attempts have used, together.
struct Used {
  std::size_t attempts = 0;
  Tokens tokens;  ///< that are known
  Cost known;
  bool unknown = false;            ///< of some of it nobody knows the cost
  std::size_t tokens_unknown = 0;  ///< attempts among them whose tokens nobody told

  void add(const Run& run, const Attempt& attempt);
  /// Nothing where it is not known, or only in part.
  [[nodiscard]] std::optional<Cost> cost() const { return unknown ? std::nullopt : std::optional{known}; }
};
Used used_by(const Run& run, StepIndex step);

}  // namespace baton
