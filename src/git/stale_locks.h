#pragma once

#include <sys/stat.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/fault.h"

namespace baton::git {

/// Waits until no git process works for a tree that nobody else has yet: one whose starter was killed goes on by
/// itself. Faults: tree-busy.
Status wait_for_git(const std::string& tree);

/// Removes locks that a killed git left for a worktree of ours. One counts as left behind if no git process is at work
/// in the tree and it is still the same one after a short while. Says in `notes` what was removed.
/// REQUIRES: the tree is ours, and so is what the locks are for; a user's lock is the user's.
/// Faults: tree-busy (a git process keeps it).
Status remove_stale_locks(const std::string& tree, const std::vector<std::string>& locks,
                          std::vector<std::string>& notes);

/// A lock in the user's repository that a git of ours may leave behind if it is killed.
struct LeftLock {
  std::string path;
  std::string writes = {};  ///< what it puts into it, if anything; `anything_at_all`: nobody knows

  bool operator==(const LeftLock&) const = default;
};
inline constexpr std::string_view anything_at_all = "*";

/// Removes those of the locks that can be of a git of ours: made since the note was written (`note` is its file), with
/// nothing else in them, and with no git at work in the repository. Any other is somebody else's and stays. Returns
/// those that can be ours and stay all the same, because a git is at work: they can be removed later, by the same note.
/// REQUIRES: the note was written before that git was started, and that git is dead. Where the power was cut, a note
/// that had not reached the disk is missing, and the lock is left to the user (git-locked names it).
std::vector<LeftLock> remove_left_locks(const std::vector<LeftLock>& locks, const struct stat& note,
                                        const std::string& common);

/// The lock of the file in which a repository keeps its packed branches. Git never writes into it, but beside it;
/// other programs do write into it.
std::string packed_refs_lock(const std::string& common);

/// The lock of a branch, and all that concern a tree: of its index, its HEAD and the like, and of its branch.
std::string branch_lock(const std::string& common, const std::string& branch);
std::vector<std::string> locks_of(const std::string& record, const std::string& common, const std::string& branch);

}  // namespace baton::git
