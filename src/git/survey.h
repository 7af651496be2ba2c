#pragma once

#include <string>
#include <vector>

#include "base/fault.h"

namespace baton::git {

/// What a project's repository is like, and where work begins.
struct Survey {
  bool is_repository = false;
  std::string top;          ///< the root of the checkout that the project is in
  std::string common;       ///< the repository's own folder, shared by all of its worktrees (usually TOP/.git)
  std::string prefix;       ///< the project inside of it: "" or "sub/dir"
  std::string base_branch;  ///< a local branch's short name; "" where the base is none
  std::string base_commit;
  std::vector<std::string> notes;
};

/// Looks at the repository around `project_root` and changes nothing there. `base` is the setting `git.base`; where it
/// is empty, the default branch is found: what origin/HEAD points to, else the one of main, master and trunk that is
/// there, else init.defaultBranch, else the branch that is checked out. A folder outside of git is no fault.
/// Faults: git-missing, git-bare, git-base-missing, git-broken, git-no-commits, git-not-trusted, git-failed.
Expected<Survey> survey(const std::string& project_root, const std::string& base);

/// The folder of the repository around `folder` that all of its worktrees share; "" outside of git.
/// Faults: git-missing, git-broken, git-not-trusted.
Expected<std::string> look_for_repository(const std::string& folder);

}  // namespace baton::git
