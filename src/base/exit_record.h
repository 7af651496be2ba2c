#pragma once

#include <optional>
#include <string>

#include "base/time.h"

namespace baton {

/// One try at one step of one run: what processes, records and notices are known by.
struct AttemptKey {
  std::string run;
  std::string step;
  int attempt = 0;

  auto operator<=>(const AttemptKey&) const = default;
};

/// How a held process ended. Written down before anybody is told.
struct ExitRecord {
  AttemptKey key;
  int pid = 0;
  std::optional<int> exit;    ///< set if it exited by itself
  std::optional<int> signal;  ///< set if a signal ended it
  bool deadline = false;      ///< the holder stopped it at its deadline
  bool stopped = false;       ///< somebody asked for it to be stopped
  std::string spawn_error;    ///< it could not be started at all: why
  Time started{};
  Time finished{};

  /// It was taken out of a queue, or dropped because its condition did not come about.
  [[nodiscard]] bool never_ran() const { return stopped && pid == 0 && spawn_error.empty(); }
};

}  // namespace baton
