#pragma once

#include "cli/drive.h"
#include "cli/verbs.h"

namespace baton::cli {

/// Begins a run that is checked through: drives it here to its end, or with --detach only records it and lets it go on
/// by itself. The answer is the exit code of `run`; the run's result is printed.
int start_run(const Project& project, SqliteJournal& journal, DriveOrder order, const RunOptions& options);

/// --task or --task-file as text; empty if neither is given. Faults: no-task-file.
Expected<std::string> task_of(const RunOptions& options);

}  // namespace baton::cli
