#pragma once

#include <string>
#include <vector>

#include "core/run.h"

namespace baton {

/// Where a step works, and on which branch. Folders and branches follow from what was recorded with the run:
/// `worktree`, `branch`, `base_commit` and `prefix` (the project's folder inside its repository).
struct WorkingTree {
  std::string folder;  ///< the tree itself, absolute; empty: the step works in the project's own folder
  std::string branch;
  std::string start;                ///< what the branch begins from
  std::vector<std::string> merges;  ///< branches of sub-tasks whose work the step builds on, in the order of its needs
};

WorkingTree working_tree(const Run& run, StepIndex step);

/// The folder an attempt at the step starts in.
std::string work_folder(const Run& run, StepIndex step, const std::string& project_root);

/// What a commit of the step's changes is called.
std::string commit_message(const std::string& id, const Run& run, StepIndex step);

}  // namespace baton
