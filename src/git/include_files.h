#pragma once

#include <string>
#include <vector>

#include "base/fault.h"

namespace baton::git {

/// Copies into a new worktree what `.worktreeinclude` files of the user's checkout name (in the form of .gitignore),
/// as far as git ignores it there: settings and keys that are in no commit. Modes are kept; what is there already
/// stays; nothing is read or written through a link. `notes` says what was left out and why.
/// `state` is our own folder: nothing in it is taken along.
Status include_files(const std::string& top, const std::string& state, const std::string& tree,
                     std::vector<std::string>& notes);

}  // namespace baton::git
