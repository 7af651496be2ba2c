#pragma once

#include <time.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "git/stale_locks.h"
#include "io/file_lock.h"

namespace baton::git {

/// Held by the one process that lands or tidies in a repository, and by the gits it starts. Ends with the last of them.
///
/// The file says which locks on refs a git of ours may take. Whoever finds that said was preceded by one that
/// was killed, and since the lock is free, so is its git dead. What that one left is removed (remove_left_locks); while
/// a living git keeps us from it, it stays noted, and the file as old as it is.
class LandingLock {
 public:
  /// Waits for it, and removes what the one before left. So does whoever lets it go, if his own git was killed.
  static Expected<LandingLock> take(const std::string& common_dir);

  LandingLock(LandingLock&& other) noexcept = default;
  LandingLock& operator=(LandingLock&&) = delete;
  LandingLock(const LandingLock&) = delete;
  LandingLock& operator=(const LandingLock&) = delete;
  ~LandingLock();

  [[nodiscard]] int descriptor() const { return lock_.descriptor(); }
  /// For the gits that are started under it (Git::holding).
  [[nodiscard]] const std::shared_ptr<bool>& git_was_killed() const { return git_was_killed_; }
  /// On disk when it returns. Faults: file-failed.
  [[nodiscard]] Status note(const std::vector<LeftLock>& locks);

 private:
  LandingLock(FileLock lock, std::string common_dir) : lock_{std::move(lock)}, common_dir_{std::move(common_dir)} {}
  void remove_left();

  FileLock lock_;
  std::string common_dir_;
  std::vector<LeftLock> left_;  ///< what an earlier git left and could not be removed yet
  timespec left_since_{};       ///< when that was noted
  std::shared_ptr<bool> git_was_killed_ = std::make_shared<bool>(false);
};

}  // namespace baton::git
