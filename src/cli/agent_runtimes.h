#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/verbs.h"
#include "core/event.h"

namespace baton::cli {

/// The agent programs this version can drive, in the order they are looked for.
const std::vector<std::string>& agent_programs();

/// The absolute path of a program on PATH (or of one named by a path); empty if there is none.
std::string find_on_path(const std::string& program);

/// How the runtime's program is started: `runtime.NAME.command`, else its name.
std::vector<std::string> command_of(const Config& config, const std::string& runtime);

/// Chooses the runtime of every step that names none and records it, and sees to it that every runtime a step goes to
/// is there. With none named: the configured default, else the first program found. Rehearsal is never chosen silently.
/// Faults: no-runtime, unknown-runtime, runtime-not-found.
void choose_runtimes(const Plan& plan, const RunOptions& options, const Config& config, RunSettings& settings,
                     Faults& faults);

}  // namespace baton::cli
