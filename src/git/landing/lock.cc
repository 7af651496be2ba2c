#include "git/landing/lock.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "base/frame.h"
#include "io/files.h"

namespace baton::git {
namespace {

constexpr std::string_view word = "moving";

std::string lock_path_in(const std::string& common_dir) { return common_dir + "/baton-landing.lock"; }

/// What is torn was never whole, and then no git was started on it.
std::vector<LeftLock> noted_in(std::string_view text) {
  std::vector<LeftLock> locks;
  const auto fields = open_line(text.substr(0, text.find('\n')));
  if (!fields || fields->empty() || fields->front() != word) return locks;
  for (std::size_t n = 1; n + 1 < fields->size(); n += 2) locks.push_back({(*fields)[n], (*fields)[n + 1]});
  return locks;
}

}  // namespace

Expected<LandingLock> LandingLock::take(const std::string& common_dir) {
  const std::string path = lock_path_in(common_dir);
  FileLock lock{open_file(path, O_RDWR | O_CREAT, 0600)};
  if (!lock.is_open()) return fault("file-failed", fmt::format("cannot write {}: {}", path, std::strerror(errno)));
  if (!lock.take()) return fault("file-failed", fmt::format("cannot lock {}: {}", path, std::strerror(errno)));
  LandingLock landing{std::move(lock), common_dir};
  landing.remove_left();
  return landing;
}

void LandingLock::remove_left() {
  const std::vector<LeftLock> noted = noted_in(read_all(lock_.descriptor()).value_or(""));
  struct stat note{};
  if (noted.empty() || ::fstat(lock_.descriptor(), &note) != 0) return;
  left_ = remove_left_locks(noted, note, common_dir_);
  left_since_ = note.st_mtim;
  if (left_.empty()) (void)!::ftruncate(lock_.descriptor(), 0);
}

Status LandingLock::note(const std::vector<LeftLock>& locks) {
  Message message{std::string{word}};
  std::vector<LeftLock> all = locks;
  std::ranges::copy_if(left_, std::back_inserter(all),
                       [&](const LeftLock& left) { return std::ranges::find(locks, left) == locks.end(); });
  for (const LeftLock& lock : all) message.insert(message.end(), {lock.path, lock.writes});
  const std::string line = seal_line(message);
  const std::array<timespec, 2> times{{{.tv_sec = 0, .tv_nsec = UTIME_OMIT}, left_since_}};
  const bool wrote = ::ftruncate(lock_.descriptor(), 0) == 0 &&
                     ::pwrite(lock_.descriptor(), line.data(), line.size(), 0) == static_cast<ssize_t>(line.size()) &&
                     (left_.empty() || ::futimens(lock_.descriptor(), times.data()) == 0) &&
                     ::fsync(lock_.descriptor()) == 0;
  if (!wrote)
    return fault("file-failed", fmt::format("cannot write {}: {}", lock_path_in(common_dir_), std::strerror(errno)));
  return {};
}

LandingLock::~LandingLock() {
  if (!lock_.is_open()) return;
  // Gits that ended by themselves left nothing: what stays noted is an earlier one's.
  if (!*git_was_killed_) {
    if (left_.empty()) {
      (void)!::ftruncate(lock_.descriptor(), 0);
    } else {
      (void)note({});
    }
  }
  remove_left();
}

}  // namespace baton::git
