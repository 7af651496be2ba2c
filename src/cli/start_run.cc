#include "cli/start_run.h"

#include <unistd.h>

#include "cli/agent_runtimes.h"
#include "cli/reporter.h"
#include "cli/result_object.h"
#include "cli/review.h"
#include "cli/run_settings.h"
#include "cli/safety_policy.h"
#include "cli/sandboxes.h"
#include "engine/real_files.h"
#include "host/program_path.h"
#include "journal/shares.h"

namespace baton::cli {

Status record_run(const Project& project, SqliteJournal& journal, DriveOrder& order) {
  Lease self;
  self.run = order.run;
  self.owner = "creator:" + order.run;
  auto lease = journal.acquire(self, RealClock{}.now(), Millis{1000}, [](const Lease&) { return true; });
  if (!lease) return std::unexpected(lease.error());
  const std::vector<Event> events{{RealClock{}.now(), std::move(*order.created)}};
  Run run;
  (void)run.apply(events.front());
  if (auto stored = journal.append(*lease, Seq{0}, events, run, {}); !stored) return stored;
  if (const SharedLimits limits = shared_limits(project.config()); limits.concurrent_runs > 0) {
    // Those that are created later do not go before it, though nobody drives it yet.
    const Shares::Asker asker{*lease, RealClock{}.now(), limits, [](const Lease&) { return false; }};
    if (auto kept = journal.shares().keep_in_queue(asker); !kept) return kept;
  }
  order.created.reset();
  return journal.release(*lease);
}

Expected<std::string> task_of(const RunOptions& options) {
  if (options.task_file.empty()) return options.task;
  return read_whole(options.task_file, "no-task-file");
}

RunOptions with_task(RunOptions options, const std::string& task) {
  options.task = task;
  options.task_file.clear();
  return options;
}

void complete_terms(CheckedRun& run, const Project& project, const RunOptions& options, Faults& faults) {
  const bool needs_somebody = run.found.size() < run.plan.steps.size();
  if (needs_somebody) choose_runtimes(run.plan, options, project.config(), run.settings, faults);
  add_rehearsal(options, run.plan, run.settings, faults);
  if (auto policy = policy_of(project.config())) {
    if (!options.rehearse) run.policy = std::move(*policy);
  } else {
    faults.insert(faults.end(), policy.error().begin(), policy.error().end());
  }
  if (auto task = task_of(options); !task) {
    faults.push_back(task.error());
  } else if (!task->empty()) {
    run.settings.options["task"] = *task;
  }
}

Expected<DriveOrder> make_ready(const Project& project, CheckedRun run) {
  if (auto made = make_run_folders(project, run.id); !made) return std::unexpected(made.error());
  if (run.policy) {
    auto wrote = write_safety_files(run.settings.options["folder"], *run.policy, sibling_program("baton"));
    if (!wrote) return std::unexpected(wrote.error());
  }
  DriveOrder order;
  order.run = run.id;
  order.created = event::RunCreated{std::make_shared<const Plan>(std::move(run.plan)), std::move(run.settings),
                                    std::move(run.found)};
  return order;
}

int begin_run(const Project& project, CheckedRun run, const RunOptions& options) {
  const Common& common = project.common();
  print(common, run.told);
  auto journal = project.journal_to_write();
  if (!journal) return print(common, journal.error()), exit_refused;
  auto order = make_ready(project, std::move(run));
  if (!order) return print(common, order.error()), exit_refused;
  return start_run(project, **journal, std::move(*order), options);
}

int start_run(const Project& project, SqliteJournal& journal, DriveOrder order, const RunOptions& options) {
  const Common& common = project.common();
  order.unasked = options.yes;
  order.no_wait = options.no_wait;
  const std::string id = order.run;
  if (options.detach) {
    auto created = record_run(project, journal, order);
    if (order.turn) order.turn->give();
    if (created) created = start_in_background(project, id);
    if (!created) return print(common, created.error()), exit_failed;
    write_out(STDOUT_FILENO, id + "\n");
    return exit_done;
  }
  std::optional<Run> left;
  order.left = &left;
  auto code = drive(project, journal, std::move(order));
  if (!code) return print(common, code.error()), exit_failed;
  const int end = accept_if_asked_to(project, journal, id, *code);
  // Only what was done to it since is worth reading the whole run again.
  if (left && end == *code) {
    print_result(project, *left, id);
  } else {
    print_result(project, journal, id);
  }
  return end;
}

}  // namespace baton::cli
