#pragma once

#include <sys/types.h>

#include <string>
#include <utility>

#include "base/time.h"
#include "io/descriptor.h"

namespace baton {

/// The kernel's lock on a file or a folder. It lasts until it is given back or this ends; where programs were started
/// with its descriptor, until the last of them has ended, too. A process that dies gives it back.
class FileLock {
 public:
  FileLock() = default;
  explicit FileLock(Descriptor file) : file_{std::move(file)} {}
  /// A file's, which is made if it is missing; not through a link. Not taken yet.
  static FileLock on_file(const std::string& path, mode_t mode = 0600);
  /// A folder's own, which leaves nothing behind.
  static FileLock on_folder(const std::string& path);

  /// False: there is nothing to lock; errno said why when it was to be opened.
  [[nodiscard]] bool is_open() const { return static_cast<bool>(file_); }
  /// What stands in the file, and what is started with it, is the owner's business.
  [[nodiscard]] int descriptor() const { return file_.get(); }
  /// True if the path still leads to what is locked: the owner before may have taken it away.
  [[nodiscard]] bool is_at(const std::string& path) const;

  /// Once, without waiting. False: errno says why, EWOULDBLOCK if another has it.
  bool try_take();
  /// Waits in the system, where turns are taken in order. False: errno says why, EWOULDBLOCK if it took too long.
  /// REQUIRES: no other thread waits so.
  bool take_within(Millis patience);
  /// Waits as long as it takes. False: errno says why.
  bool take();
  void give();
  void close() { file_.close(); }

 private:
  Descriptor file_;
};

}  // namespace baton
