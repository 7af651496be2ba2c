#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "base/fault.h"
#include "io/descriptor.h"

namespace baton {

/// A lock on a file that processes take turns with. Waits a bounded time, so that a stopped owner stops nobody for
/// ever.
class FileLock {
 public:
  explicit FileLock(std::string path, std::chrono::seconds patience = std::chrono::seconds{10})
      : path_(std::move(path)), patience_(patience) {}

  Status take();
  bool try_take();
  void give();

 private:
  bool open();
  bool wait_for_turn();
  std::string path_;
  std::chrono::seconds patience_;
  Descriptor file_;
};

}  // namespace baton
