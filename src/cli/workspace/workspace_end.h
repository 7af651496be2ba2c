#pragma once

#include "cli/context.h"
#include "core/run.h"

namespace baton::cli {

/// A run in a workspace has come to rest: its tasks' files say so, if need be after others who have them locked. What
/// cannot be written is told.
void end_workspace(const Project& project, const Run& run);

}  // namespace baton::cli
