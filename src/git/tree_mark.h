#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/fault.h"
#include "git/git.h"
#include "io/file_lock.h"

namespace baton::git {

/// The file `.NAME.tree` beside a worktree NAME, which says that Baton made it, for which branch and in which
/// repository. It is there from before the first file of the worktree until after the last one is gone, so only what
/// has a mark is ever deleted. Who holds a mark holds its lock: no two processes work on one tree.
///
/// While gits of ours work under a mark, `.NAME.work` stands beside it: since then, one of them may have taken the lock
/// of the repository's packed branches. A process that finds it there was preceded by one that was killed, and removes
/// the lock if a git can have left it. So does, at its end, a process whose own git was killed; a git that ends by
/// itself leaves none. While a living git keeps us from it, the note stays, as old as it is.
class TreeMark {
 public:
  enum class Stage {
    none,     ///< nothing was made here
    making,   ///< a worktree that was not finished: no agent has worked in it
    merging,  ///< made, and a branch is being merged into it: what is in no commit is of that merge
    made,
  };

  /// Waits a while for whoever has it, and removes what the one before left. REQUIRES: the folder around `tree` exists.
  /// Faults: tree-busy, file-failed.
  static Expected<TreeMark> take(const std::string& tree);

  TreeMark(TreeMark&& other) noexcept;
  TreeMark& operator=(TreeMark&& other) noexcept;
  TreeMark(const TreeMark&) = delete;
  TreeMark& operator=(const TreeMark&) = delete;
  ~TreeMark();  ///< a mark of nothing goes with it

  /// Notes that gits of ours are at work from now on. Who starts none needs no note, and so no room on the disk.
  /// Faults: file-failed.
  [[nodiscard]] Status note_work() const;
  /// The same git, which keeps our lock open: one that outlives us is waited for like ourselves. REQUIRES: note_work().
  [[nodiscard]] Git held_by(const Git& git) const { return git.holding(lock_.descriptor(), git_was_killed_); }
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
  void remove_left();

  FileLock lock_;
  std::string path_;
  std::string note_path_;
  bool lock_stays_ = false;  ///< what an earlier git of ours left, because another is at work in the repository
  std::shared_ptr<bool> git_was_killed_ = std::make_shared<bool>(false);
  Stage stage_ = Stage::none;
  std::string branch_;
  std::string common_;
  std::string start_;
};

/// The lock of a folder of worktrees, held while git's list of them changes: git itself stumbles over a record that
/// another process is just writing, or left half written. Faults: tree-busy, file-failed.
Expected<FileLock> lock_worktrees(const std::string& worktrees);

/// Where a tree's mark is.
std::string mark_path(const std::string& tree);
/// Where a tree goes while it is being deleted, so that what is half deleted is never taken for a tree.
std::string gone_path(const std::string& tree);

}  // namespace baton::git
