#pragma once

#include <memory>

#include "cli/context.h"
#include "cli/workspace/workspace_files.h"
#include "cli/workspace/workspace_target.h"
#include "journal/turn_lock.h"

namespace baton::cli {

/// One process at a time begins a run of one task. The one that comes second while the first one's run is at work is
/// refused, so that it leaves no run that could only fail. What is answered is to be kept until the run is on record.
/// REQUIRES: target.task. Fault: task-not-executable.
Expected<std::shared_ptr<TurnLock>> turn_for_task(const Project& project, SqliteJournal& journal,
                                                  const WorkspaceFiles& files, const WorkspaceTarget& target);

}  // namespace baton::cli
