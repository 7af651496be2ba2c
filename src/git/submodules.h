#pragma once

#include <string>
#include <vector>

#include "base/fault.h"

namespace baton::git {

/// Checks out in a new worktree the submodules that the user's repository has set up, from the user's own copies where
/// those have what is wanted, so that no network is needed. Those that were never set up are left as they are: nothing
/// is written to the user's settings. What does not work is said in `notes`; it is no fault.
void check_out_submodules(const std::string& tree, const std::string& common, const std::string& record,
                          std::vector<std::string>& notes);

}  // namespace baton::git
