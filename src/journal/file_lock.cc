#include "journal/file_lock.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <fmt/core.h>
#include <sys/file.h>

#include <cerrno>
#include <cstring>

namespace baton {

FileLock::~FileLock() {
  if (fd_ >= 0) ::close(fd_);
}

bool FileLock::open() {
  if (fd_ < 0) fd_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  return fd_ >= 0;
}

bool FileLock::try_take() { return open() && ::flock(fd_, LOCK_EX | LOCK_NB) == 0; }

Status FileLock::take() {
  constexpr int waits_max = 10'000;
  constexpr timespec pause{0, 1'000'000};
  if (!open()) {
    return fault("journal-failed", fmt::format("cannot open the lock file {}: {}", path_, std::strerror(errno)),
                 "whoever writes the journal, or opens one of an older version for the first time, has to write there");
  }
  for (int waits = 0; waits < waits_max; ++waits) {
    if (try_take()) return {};
    ::nanosleep(&pause, nullptr);
  }
  return fault("journal-busy", "another process has held the journal's lock for 10 s",
               "if that process is stopped, let it go on or end it; then try again");
}

void FileLock::give() {
  if (fd_ >= 0) ::flock(fd_, LOCK_UN);
}

}  // namespace baton
