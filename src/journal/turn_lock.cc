#include "journal/turn_lock.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>

namespace baton {

bool TurnLock::open() {
  if (!lock_.is_open()) lock_ = FileLock::on_file(path_);
  return lock_.is_open();
}

bool TurnLock::try_take() { return open() && lock_.try_take(); }

Status TurnLock::take() {
  if (!open()) {
    return fault("journal-failed", fmt::format("cannot open the lock file {}: {}", path_, std::strerror(errno)),
                 "whoever writes the journal, or opens one of an older version for the first time, has to write there");
  }
  if (lock_.take_within(patience_)) return {};
  return fault("journal-busy", fmt::format("another process has held the journal's lock for {} s", patience_.count()),
               "if that process is stopped, let it go on or end it; then try again");
}

}  // namespace baton
