#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "base/fault.h"
#include "io/file_lock.h"

namespace baton {

/// A file that processes take turns with. Waits a bounded time, so that a stopped owner stops nobody for ever.
class TurnLock {
 public:
  explicit TurnLock(std::string path, std::chrono::seconds patience = std::chrono::seconds{10})
      : path_(std::move(path)), patience_(patience) {}

  /// Faults: journal-failed, journal-busy.
  Status take();
  bool try_take();
  void give() { lock_.give(); }

 private:
  bool open();
  std::string path_;
  std::chrono::seconds patience_;
  FileLock lock_;
};

}  // namespace baton
