#pragma once

#include <string>
#include <vector>

#include "base/fault.h"

namespace baton::git {

/// A working tree as a step wants it.
struct TreeOrder {
  std::string root;                ///< the project
  std::string tree;                ///< where it is to be: an absolute path, in the state folder's `worktrees`
  std::string branch;              ///< its own, made from `start` if it is not there
  std::string start;               ///< a commit
  std::vector<std::string> merge;  ///< branches whose work belongs in it, in this order
};

struct TreeState {
  enum class Kind {
    ready,
    conflict,  ///< a merge is in progress in the tree, its marks in the files
  };

  Kind kind = Kind::ready;
  std::string head;
  std::vector<std::string> changed;    ///< files that differ from `start`, new ones included; at most 200
  std::vector<std::string> conflicts;  ///< files that are not resolved
  std::string with;                    ///< the branch whose merge they are of
  std::vector<std::string> notes;      ///< what a person should know
};

/// Makes the worktree ready: there, on its branch, with the other branches' work merged in. May be killed at any
/// instant and called again at any time: what is done stays, what is half done is finished, what an agent left is kept.
/// A conflict stays in the tree until somebody resolves it; the next call commits the resolution and goes on.
/// The user's checkout, index and stash are not touched.
/// Faults: branch-in-use, branch-name-taken, commits-would-be-lost, git-broken, git-commit-missing, git-failed,
/// git-missing, not-a-repository, tree-broken, tree-busy, tree-elsewhere, tree-in-rebase, tree-in-the-way.
Expected<TreeState> prepare(const TreeOrder& order);

struct CommitState {
  std::string commit;                   ///< empty: there was nothing to commit
  std::vector<std::string> files;       ///< that it changed; at most 200
  std::vector<std::string> unresolved;  ///< files of a merge that stand in the way: nothing was committed
  std::vector<std::string> notes;
};

/// Commits all that was changed in a tree that prepare() made, new files included, onto the tree's branch. Runs no
/// hooks, signs nothing, amends nothing. A merge whose files are all resolved is concluded.
/// Faults: tree-gone (there is nothing any more that could be committed), tree-not-ours, and those of prepare().
Expected<CommitState> commit(const std::string& tree, const std::string& message);

/// Removes a tree that prepare() made, with all that is in it, and git's record of it. Its branch stays. Done again it
/// does nothing, and it needs no room on the disk. Faults: tree-not-ours, tree-busy, file-failed.
Status remove(const std::string& root, const std::string& tree);

/// The same for all trees of a run: WORKTREES/RUN and WORKTREES/RUN--*. Goes on past faults and tells the first.
Status remove_all(const std::string& root, const std::string& worktrees, const std::string& run);

}  // namespace baton::git
