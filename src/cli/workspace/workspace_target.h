#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "dialect/workspace/pipeline.h"

namespace baton::cli {

/// What TARGET of `run`, `check` or `plan` means in a workspace: one task, a pipeline by name, or all there is to do.
struct WorkspaceTarget {
  std::string folder;    ///< the workspace, from the project's root; `.`: the root itself
  std::string task;      ///< an id; empty: not one task
  std::string pipeline;  ///< its name as it was given; empty: none
};

/// nullopt: it means nothing of the kind. A pipeline's name counts where the project has a workspace: the folder that
/// `workspace.folder` or WORKSPACE_DIR names, `workspace/`, or the root itself.
/// Faults: workspace-outside-project, task-outside-workspace.
Expected<std::optional<WorkspaceTarget>> workspace_target(const Project& project, const std::string& target);

/// The pipelines that a name may mean; none where the project has no workspace.
std::vector<workspace::Pipeline> find_pipelines(const Project& project);

}  // namespace baton::cli
