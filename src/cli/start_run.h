#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/drive.h"
#include "cli/verbs.h"
#include "safety/policy.h"

namespace baton::cli {

/// A run that is ready to begin: checked through, nothing started.
struct CheckedRun {
  std::string id;
  Plan plan;
  RunSettings settings;
  std::optional<safety::Policy> policy;
  Faults told;                          ///< what is not well and keeps nobody from starting
  std::vector<event::FoundStep> found;  ///< done before it began
};

/// Gives a run what the configuration and the options say of every kind: runtimes (unless all was done before it
/// began), the rehearsal, the safety policy, the task.
void complete_terms(CheckedRun& run, const Project& project, const RunOptions& options, Faults& faults);

/// Makes the run's folders and the files of its policy: what has to be there before it is on record.
Expected<DriveOrder> make_ready(const Project& project, CheckedRun run);

/// Makes the run ready, then begins it as start_run() does.
int begin_run(const Project& project, CheckedRun run, const RunOptions& options);

/// Begins a run that is checked through: drives it here to its end, or with --detach only records it and lets it go on
/// by itself. The answer is the exit code of `run`; the run's result is printed.
int start_run(const Project& project, SqliteJournal& journal, DriveOrder order, const RunOptions& options);

/// The first event of a run that nobody drives yet. REQUIRES: order.created, which is taken.
Status record_run(const Project& project, SqliteJournal& journal, DriveOrder& order);

/// --task or --task-file as text; empty if neither is given. Faults: no-task-file.
Expected<std::string> task_of(const RunOptions& options);
/// The options with the task that was read: from a pipe it comes only once.
RunOptions with_task(RunOptions options, const std::string& task);

}  // namespace baton::cli
