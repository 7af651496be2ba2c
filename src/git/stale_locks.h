#pragma once

#include <string>
#include <vector>

#include "base/fault.h"

namespace baton::git {

/// Waits until no git process works for a tree that nobody else has yet: one whose starter was killed goes on by
/// itself. Faults: tree-busy.
Status wait_for_git(const std::string& tree);

/// Removes locks that a killed git left for a worktree of ours. One counts as left behind if no git process is at work
/// in the tree and it is still the same one after a short while. Says in `notes` what was removed.
/// The lock of the file that all packed branches share counts so only if no git is at work anywhere in the repository.
/// REQUIRES: the tree is ours, and so is what the other locks are for; a user's lock is the user's.
/// Faults: tree-busy (a git process keeps it).
Status remove_stale_locks(const std::string& tree, const std::string& common, const std::vector<std::string>& locks,
                          std::vector<std::string>& notes);

/// Removes one lock that a killed git of ours left in the user's repository, unless a git process is at work in one of
/// the folders. False if it stays. REQUIRES: nobody else can have made it.
bool remove_left_lock(const std::string& lock, const std::vector<std::string>& folders);

/// The lock of a branch, and all that concern a tree: of its index, its HEAD and the like, and of its branch.
std::string branch_lock(const std::string& common, const std::string& branch);
std::vector<std::string> locks_of(const std::string& record, const std::string& common, const std::string& branch);

}  // namespace baton::git
