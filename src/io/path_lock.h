#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/fault.h"
#include "base/time.h"
#include "io/file_lock.h"

namespace baton {

/// Keeps other processes and threads away from a file while it is read, changed and written: `<file>.lock` beside it.
///
/// The lock is the kernel's, on the file `<file>.lock`. So a holder that dies has given it back in that instant, and
/// who takes over what is left of him is decided by the kernel, not by an age. Programs that make a folder of that name
/// instead are waited for too; such a folder counts as left behind when it is a minute old.
class PathLock {
 public:
  struct Terms {
    Millis wait{5000};
    Millis look_every{50};
    Millis folder_lasts{60'000};
    std::function<bool()> given_up = {};  ///< true: whoever waits does not want it any more
  };

  /// Waits for it. Makes the file's folder if it is missing. Faults: lock-timeout, lock-failed.
  static Expected<PathLock> take(const std::string& file, const Terms& terms);
  static Expected<PathLock> take(const std::string& file) { return take(file, Terms{}); }
  /// Once, without waiting; nullopt if somebody has it. Fault: lock-failed.
  static Expected<std::optional<PathLock>> try_take(const std::string& file, const Terms& terms);

  PathLock(PathLock&& other) noexcept = default;
  PathLock& operator=(PathLock&& other) noexcept;
  ~PathLock() { release(); }

  /// May be called again, and never fails.
  void release() noexcept;
  /// For those who hold it for long, and programs that go by its age.
  void refresh() const noexcept;
  [[nodiscard]] bool is_held() const { return lock_.is_open(); }

 private:
  PathLock(std::string path, FileLock lock) : path_{std::move(path)}, lock_{std::move(lock)} {}

  std::string path_;
  FileLock lock_;
};

}  // namespace baton
