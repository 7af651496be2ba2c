#pragma once

#include "cli/verbs.h"
#include "cli/workspace/workspace_target.h"
#include "plan/plan.h"

namespace baton::cli {

/// `run` in a workspace: one task, all that can be carried out, or a pipeline. A task that is not executable is
/// refused, and nothing is started.
int run_workspace(const Project& project, const WorkspaceTarget& target, const RunOptions& options);

/// What `check` says: every fault of the tasks that are meant.
Faults check_workspace(const Project& project, const WorkspaceTarget& target);

/// What `plan` shows, with what is odd about it.
std::expected<std::pair<Plan, Faults>, Faults> plan_workspace(const Project& project, const WorkspaceTarget& target);

}  // namespace baton::cli
