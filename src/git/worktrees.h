#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/fault.h"
#include "git/git.h"

namespace baton::git {

/// A repository's folder that all of its worktrees share. Faults: git-broken, git-not-trusted, not-a-repository.
Expected<std::string> common_folder(const std::string& root);

/// `tree` with the links above it resolved, which is how git records it. REQUIRES: it is absolute.
std::string real_path(const std::string& tree);

/// Where a git that works for the repository may stand: in its own folder, or in one of its working trees.
std::vector<std::string> folders_of_repository(const std::string& common);

/// Git's record of the worktree at `tree`: a folder of COMMON/worktrees; "" if there is none.
std::string record_of(const std::string& common, const std::string& tree);
/// Records that a killed git left without a word of where their tree is: all, and those for `tree`.
std::vector<std::string> unfinished_records(const std::string& common);
std::vector<std::string> unfinished_records(const std::string& common, const std::string& tree);
/// Deletes a record. REQUIRES: it is a folder of COMMON/worktrees.
Status forget(const std::string& record);
/// A record as git makes it, and the file in the tree that leads to it: for a tree whose record was deleted.
Expected<std::string> write_record(const std::string& common, const std::string& tree, const std::string& branch);

/// What a worktree's `.git` is.
enum class Link {
  missing,    ///< or empty: whoever was to write it was killed
  right,      ///< leads to its record
  pruned,     ///< leads to a record that is not there
  elsewhere,  ///< leads to something else, or is a repository of its own
};
Link link_of(const std::string& tree, const std::string& record);
Status write_link(const std::string& tree, const std::string& record);

/// Git for just this worktree, however `.git` in it was changed meanwhile: nothing is looked for, upwards or elsewhere.
Git git_for(const std::string& tree, const std::string& record);

/// Where else than at `tree` the branch is checked out; nullopt: nowhere.
/// Read from the records themselves: git's own list fails as a whole where one record is half written.
std::optional<std::string> other_place_of(const std::string& common, const std::string& branch,
                                          const std::string& tree);

Fault branch_in_use(const std::string& branch, const std::string& place);

/// The whole of a small file; "" if it cannot be read.
std::string small_file(const std::string& path);

/// Deletes a folder with all that is in it, also what its owner may not write to. Follows no links.
Status delete_folder(const std::string& path);

}  // namespace baton::git
