#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/fault.h"
#include "git/landing/site.h"

namespace baton::git {

/// What a tree or an index has at a path.
struct TreeEntry {
  std::string mode = "000000";
  std::string oid = {};

  [[nodiscard]] bool present() const { return mode != "000000"; }
  [[nodiscard]] bool is_submodule() const { return mode == "160000"; }
  bool operator==(const TreeEntry&) const = default;
};

/// A path that two commits do not have in common.
struct Change {
  std::string path;
  TreeEntry before;
  TreeEntry after;
};

/// From one commit to the other; nothing is taken for a rename.
Expected<std::vector<Change>> changes_between(const SteadyGit& git, const std::string& before,
                                              const std::string& after);

/// What the user did in a working tree and did not commit.
struct Unsaved {
  std::set<std::string> paths;     ///< tracked ones that differ from HEAD, in the index or as files
  std::set<std::string> unmerged;  ///< those of them that a merge left open
};
Expected<Unsaved> unsaved_in(const SteadyGit& tree);

/// Which of `unsaved` the changes would touch: the same path, or one that is a file here and a folder there.
std::set<std::string> touched(const std::vector<Change>& changes, const std::set<std::string>& unsaved);

/// What lies in the tree at `top`, untracked or ignored, where the changes would put something. Paths in `ours` do not
/// count.
std::set<std::string> in_the_way(const std::string& top, const std::vector<Change>& changes,
                                 const std::set<std::string>& ours = {});

}  // namespace baton::git
