#pragma once

#include <string>
#include <vector>

#include "git/seat.h"
#include "git/tree_mark.h"

namespace baton::git {

/// Opens the worktree that a mark speaks of and puts right what an agent, a user or a killed process can have done to
/// it: a missing link to the repository or record in it, locks left behind, a HEAD that is elsewhere, a merge that is
/// committed and not forgotten. REQUIRES: the mark says that it is made, the folder exists. Faults: as prepare().
Expected<OpenTree> open_tree(const std::string& path, const TreeMark& mark, std::vector<std::string>& notes);

/// Takes what is half made out of the way. REQUIRES: its mark says `making`, nobody works on it, and the folder's lock
/// is ours. Faults: tree-in-the-way, file-failed.
Status clear_half_made(const std::string& path, const std::string& common);

/// Moves the folder aside and deletes it, so that a kill in between leaves nothing that looks like a tree.
Status delete_tree(const std::string& path);

Fault in_the_way(const std::string& path);

/// "" or names of files: at most `names_max` of those that differ from `start`, new ones included.
constexpr std::size_t names_max = 200;
Expected<std::vector<std::string>> changed_since(const Git& git, const std::string& start);

}  // namespace baton::git
