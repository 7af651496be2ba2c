#include "io/path_lock.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <fmt/core.h>
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <thread>
#include <utility>

#include "io/identity.h"

namespace baton {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

Millis age_of(int fd) {
  struct stat info{};
  if (::fstat(fd, &info) != 0) return Millis{0};
  const auto changed = std::chrono::seconds{info.st_mtim.tv_sec} + std::chrono::nanoseconds{info.st_mtim.tv_nsec};
  return std::chrono::duration_cast<Millis>(std::chrono::system_clock::now().time_since_epoch() - changed);
}

/// Another program's lock, a folder. One that is too old is moved aside, by one of those who wait and not by two: they
/// take turns by a kernel's lock on the folder itself.
void clear_old_folder(const std::string& path, Millis lasts) {
  static std::atomic<unsigned> serial{0};
  FileLock folder{open_file(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)};
  if (folder.is_open() && folder.try_take() && folder.is_at(path) && age_of(folder.descriptor()) > lasts) {
    const std::string aside = fmt::format("{}.{}.{}.old", path, ::getpid(), serial++);
    if (::rename(path.c_str(), aside.c_str()) == 0) (void)::rmdir(aside.c_str());
  }
}

FileLock open_lock(const std::string& path) {
  FileLock lock = FileLock::on_file(path);
  if (lock.is_open() || errno != ENOENT) return lock;
  std::error_code ignored;
  fs::create_directories(fs::path{path}.parent_path(), ignored);
  return FileLock::on_file(path);
}

/// Our own locks have a name in them; a folder is another program's, and says nothing.
std::string help_with(const std::string& path) {
  if (!fs::is_directory(fs::symlink_status(path))) return path + " says who; try again when he is done";
  return fmt::format(
      "another program made the folder {}; it counts for a minute: try again, or remove it if that "
      "program is gone",
      path);
}

void sign(int fd) {
  const std::string text = own_identity().text() + "\n";
  (void)!::ftruncate(fd, 0);
  (void)!::pwrite(fd, text.data(), text.size(), 0);
}

}  // namespace

Expected<std::optional<PathLock>> PathLock::try_take(const std::string& file, const Terms& terms) {
  const std::string path = file + ".lock";
  constexpr int tries_max = 100;  // each of them lost to somebody who had the lock and gave it back
  for (int tries = 0; tries < tries_max; ++tries) {
    FileLock lock = open_lock(path);
    if (!lock.is_open() && errno == EISDIR) {
      clear_old_folder(path, terms.folder_lasts);
      if (fs::is_directory(fs::symlink_status(path))) return std::nullopt;
      continue;
    }
    if (!lock.is_open()) return fault("lock-failed", fmt::format("cannot lock {}: {}", file, strerrordesc_np(errno)));
    if (!lock.try_take()) {
      if (errno == EWOULDBLOCK) return std::nullopt;
      if (errno == EINTR) continue;
      return fault("lock-failed", fmt::format("cannot lock {}: {}", file, strerrordesc_np(errno)));
    }
    // Whoever had it before may have taken the name away meanwhile: then we have the lock of nothing.
    if (lock.is_at(path)) {
      sign(lock.descriptor());
      return PathLock{path, std::move(lock)};
    }
  }
  return std::nullopt;
}

Expected<PathLock> PathLock::take(const std::string& file, const Terms& terms) {
  const Clock::time_point until = Clock::now() + terms.wait;
  for (;;) {
    auto taken = try_take(file, terms);
    if (!taken) return std::unexpected(taken.error());
    if (*taken) return std::move(**taken);
    const bool given_up = terms.given_up && terms.given_up();
    if (given_up || Clock::now() >= until) {
      return fault("lock-timeout", fmt::format("{} is locked by somebody else", file), help_with(file + ".lock"));
    }
    std::this_thread::sleep_for(std::min<Clock::duration>(terms.look_every, until - Clock::now()));
  }
}

PathLock& PathLock::operator=(PathLock&& other) noexcept {
  if (this != &other) {
    release();
    path_ = std::move(other.path_);
    lock_ = std::move(other.lock_);
  }
  return *this;
}

void PathLock::release() noexcept {
  if (!lock_.is_open()) return;
  if (lock_.is_at(path_)) ::unlink(path_.c_str());  // while it is ours: afterwards the name may be another's
  lock_.close();
}

void PathLock::refresh() const noexcept {
  if (lock_.is_open()) (void)::futimens(lock_.descriptor(), nullptr);
}

}  // namespace baton
