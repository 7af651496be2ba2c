#pragma once

#include <string>

#include "cli/session/session_files.h"
#include "core/run.h"
#include "dialect/session/order.h"

namespace baton::cli {

/// What the agent of a session's task is told: everything that is put together for it, as the files are now. What the
/// attempt before it came to is said first. Also kept, as JSON, in the run's folder.
std::string task_briefing(const SessionFiles& files, const session::PlanDoc& plan, const session::TodoList& list,
                          const session::TaskIndex& index, const Run& run, StepIndex step, int attempt);

}  // namespace baton::cli
