#pragma once

#include <string>

#include "base/fault.h"

namespace baton {

/// A lock on a file that processes take turns with. Waits a bounded time, so that a stopped owner stops nobody for
/// ever.
class FileLock {
 public:
  explicit FileLock(std::string path) : path_(std::move(path)) {}
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  Status take();
  bool try_take();
  void give();

 private:
  bool open();
  std::string path_;
  int fd_ = -1;
};

}  // namespace baton
