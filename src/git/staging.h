#pragma once

#include <string>
#include <vector>

#include "git/git.h"

namespace baton::git {

/// Puts everything that changed in a tree into its index: changed, new and deleted files. Left out are repositories
/// and worktrees inside of it, and our own state. `notes` says what was left out. `only_look`: files that cannot be
/// read, or vanish meanwhile, are passed over.
Status stage_all(const Git& git, std::vector<std::string>& notes, bool only_look = false);

/// Files of a merge that are not resolved: those git calls unmerged, except where somebody took all marks of the
/// conflict out or deleted the file; and those called resolved that still have marks.
Expected<std::vector<std::string>> unresolved(const Git& git);

/// Commits what is staged, by the user or, where nobody is known, by Baton. `message` empty: git's own (of a merge).
Status commit_staged(const Git& git, const std::string& message);

/// Takes a tree back to its last commit, and away what no commit has, but for what stage_all() leaves out. Nothing that
/// is in progress is, afterwards.
Status drop_changes(const Git& git);

/// Everything that is changed, as a commit; false if nothing is. REQUIRES: unresolved() is empty.
Expected<bool> commit_all(const Git& git, const std::string& message, std::vector<std::string>& notes);

}  // namespace baton::git
