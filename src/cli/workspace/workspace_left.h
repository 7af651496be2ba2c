#pragma once

#include <string>

#include "cli/context.h"
#include "cli/workspace/workspace_files.h"

namespace baton::cli {

/// A task may say that it is in progress although nobody works on it. One whose run is over is set to what that came
/// to; one that a process had which is gone, one that used the library, becomes what it was before.
void settle_left_tasks(const Project& project, const WorkspaceFiles& files);

/// What can be done about a task that is in progress: who has it.
std::string help_with_busy_task(const Project& project, const WorkspaceFiles& files, const workspace::Task& task);

}  // namespace baton::cli
