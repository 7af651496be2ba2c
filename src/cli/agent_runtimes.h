#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/verbs.h"
#include "core/event.h"
#include "core/run.h"

namespace baton::cli {

/// The agent programs this version can drive, in the order they are looked for.
const std::vector<std::string>& agent_programs();

/// The absolute path of a program on PATH (or of one named by a path); empty if there is none.
std::string find_on_path(const std::string& program);

/// How the runtime's program is started: `runtime.NAME.command`, else its name.
std::vector<std::string> command_of(const Config& config, const std::string& runtime);

/// The runtime of steps that name none: the one that is given, else the configured default, else the first that is
/// there; empty if nothing is.
std::string own_runtime(const Config& config, const std::string& given);

/// How often a step is tried again that does not say so itself: `limits.retries`, else 2 where its runtime asks a
/// model's API (`runtime`, or where that is empty `own`, that of its run), else what is usual where it comes from.
int retries_of(const Config& config, const std::string& runtime, const std::string& own, int usual);

/// Steps that are to be asked in a batch and cannot be, and those that lose their tools by it. `own`: the runtime of
/// steps that name none. Faults: no-batches, batch-without-tools (a warning).
Faults batch_faults(const std::vector<Step>& steps, const std::string& own, const Config& config);

/// Runtimes that are named, by a step or as `runtime.default`, and that this version does not have; whether what they
/// need is there is another matter. Faults: unknown-runtime.
Faults runtime_name_faults(const std::vector<Step>& steps, const Config& config);

/// `--runtime` for a run that goes on; it may be empty. Fault: unknown-runtime.
void check_runtime_name(const std::string& given, Faults& faults);

/// Steps that a cap in dollars keeps from starting, since nobody knows what their models cost. `settings`: those of
/// their run, which say whether they may. Faults: unpriced-model.
Faults unpriced_faults(const std::vector<Step>& steps, const RunSettings& settings, bool in_workspace,
                       const Config& config);
/// The same for what is still to be done of a run; `again`: a step that is to run once more.
Faults unpriced_faults(const Project& project, const Run& run, const RunSettings& settings,
                       std::optional<StepIndex> again = {});

/// Chooses the runtime of every step that names none and records it, and sees to it that every runtime a step goes to
/// is there. With none named: the configured default, else the first program found. Rehearsal is never chosen silently.
/// Faults: no-runtime, unknown-runtime, runtime-not-found, no-model, unpriced-model, unknown-tool (a warning),
/// bad-config-value and those of batch_faults().
void choose_runtimes(const Plan& plan, const RunOptions& options, const Config& config, RunSettings& settings,
                     Faults& faults);

}  // namespace baton::cli
