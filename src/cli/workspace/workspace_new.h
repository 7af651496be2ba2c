#pragma once

#include <vector>

#include "cli/workspace/workspace_files.h"

namespace baton::cli {

// Tasks that are made for a run. They are kept in the run's folder before it is on record, and written into the
// workspace by whoever drives it: so a task that lies there is always some run's, wherever that was cut off.

/// REQUIRES: the run's folder is there, and the run is not on record yet. Faults: file-exists if the workspace has a
/// task of that name, those of writing.
Status keep_new_tasks(const WorkspaceFiles& files, const std::string& run_folder,
                      const std::vector<workspace::Task>& tasks);

/// Writes what is missing of them. May happen again after a crash; when all were there once, nothing is written any
/// more: who takes one away then has his way.
Status write_new_tasks(const WorkspaceFiles& files, const Run& run);

/// A task of the run as its file says it; of a rehearsal that was to make it, as it would have been made.
workspace::TaskRead task_in_run(const WorkspaceFiles& files, const Run& run, const std::string& id);

}  // namespace baton::cli
