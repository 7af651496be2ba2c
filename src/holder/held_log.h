#pragma once

#include <string>

#include "base/frame.h"
#include "io/descriptor.h"

namespace baton {

/// The writing end of a run's held log: one line a record, each in a single append. Not synced to the disk: after a
/// power cut a record may be missing or torn, and then reads as absent.
class HeldLogWriter {
 public:
  explicit HeldLogWriter(std::string path) : path_(std::move(path)) {}

  /// 0, or the errno of why it is not written.
  int append(const Message& record);
  const std::string& path() const { return path_; }

 private:
  bool open();

  std::string path_;
  Descriptor file_;
  bool torn_ = false;  // the last line has no end, so the next one must begin on a line of its own
};

}  // namespace baton
