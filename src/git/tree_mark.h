#pragma once

#include <string>
#include <utility>

#include "base/fault.h"

namespace baton::git {

/// The file `.NAME.tree` beside a worktree NAME, which says that Baton made it, for which branch and in which
/// repository. It is there from before the first file of the worktree until after the last one is gone, so only what
/// has a mark is ever deleted. Who holds a mark holds its lock: no two processes work on one tree.
///
/// While a mark is held `.NAME.work` stands beside it: since then, a git of ours may have taken the lock of the
/// repository's packed branches. A process that finds it there was preceded by one that was killed, and removes the
/// lock if a git can have left it; so does, at its end, the process that holds the mark.
class TreeMark {
 public:
  enum class Stage {
    none,     ///< nothing was made here
    making,   ///< a worktree that was not finished: no agent has worked in it
    merging,  ///< made, and a branch is being merged into it: what is in no commit is of that merge
    made,
  };

  /// Waits a while for whoever has it. REQUIRES: the folder around `tree` exists. Faults: tree-busy, file-failed.
  static Expected<TreeMark> take(const std::string& tree);

  TreeMark(TreeMark&& other) noexcept;
  TreeMark& operator=(TreeMark&& other) noexcept;
  TreeMark(const TreeMark&) = delete;
  TreeMark& operator=(const TreeMark&) = delete;
  ~TreeMark();  ///< a mark of nothing goes with it

  /// What holds the lock. Git commands keep it open: one that outlives us is waited for like ourselves.
  [[nodiscard]] int lock() const { return fd_; }
  [[nodiscard]] Stage stage() const { return stage_; }
  [[nodiscard]] bool is_made() const { return stage_ == Stage::made || stage_ == Stage::merging; }
  [[nodiscard]] const std::string& branch() const { return branch_; }
  [[nodiscard]] const std::string& common() const { return common_; }  ///< the repository's own folder
  [[nodiscard]] const std::string& start() const { return start_; }    ///< the commit its work is compared with

  void about(std::string branch, std::string common, std::string start);
  /// What another tree's mark says, without taking it.
  static Stage stage_at(const std::string& path);
  /// On disk when it returns.
  Status set(Stage stage);

 private:
  TreeMark() = default;
  void read();
  Status note() const;
  void remove_left() const;

  int fd_ = -1;
  std::string path_;
  std::string note_path_;
  Stage stage_ = Stage::none;
  std::string branch_;
  std::string common_;
  std::string start_;
};

/// The lock of a folder of worktrees, held while git's list of them changes: git itself stumbles over a record that
/// another process is just writing, or left half written.
class FolderLock {
 public:
  /// Faults: tree-busy, file-failed.
  static Expected<FolderLock> take(const std::string& worktrees);
  FolderLock(FolderLock&& other) noexcept : fd_{std::exchange(other.fd_, -1)} {}
  FolderLock& operator=(FolderLock&&) = delete;
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();
  [[nodiscard]] int lock() const { return fd_; }

 private:
  explicit FolderLock(int fd) : fd_{fd} {}
  int fd_;
};

/// Where a tree's mark is.
std::string mark_path(const std::string& tree);
/// Where a tree goes while it is being deleted, so that what is half deleted is never taken for a tree.
std::string gone_path(const std::string& tree);

}  // namespace baton::git
