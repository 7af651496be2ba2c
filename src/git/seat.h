#pragma once

#include <string>
#include <vector>

#include "git/git.h"

namespace baton::git {

/// A worktree of ours, open to be worked on.
struct OpenTree {
  std::string path;
  std::string record;
  std::string common;
  std::string branch;
  std::string start;
  Git git;  ///< for just this tree
};

/// Puts the tree back onto its branch if an agent left it elsewhere. Commits made there on top of the branch are taken
/// into it; commits that another branch keeps stay there; changes that are in no commit come along. Says so in `notes`.
/// Faults: tree-in-rebase, commits-would-be-lost, tree-elsewhere (changes that cannot come along), git-failed.
Status return_to_branch(const OpenTree& tree, std::vector<std::string>& notes);

}  // namespace baton::git
