#include "cli/start_run.h"

#include <unistd.h>

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

int begin_run(const Project& project, CheckedRun run, const RunOptions& options) {
  const Common& common = project.common();
  print(common, run.told);
  auto journal = project.journal_to_write();
  if (!journal) return print(common, journal.error()), exit_refused;
  if (auto made = make_run_folders(project, run.id); !made) return print(common, made.error()), exit_refused;
  if (run.policy) {
    auto wrote = write_safety_files(run.settings.options["folder"], *run.policy, sibling_program("baton"));
    if (!wrote) return print(common, wrote.error()), exit_refused;
  }
  DriveOrder order;
  order.run = run.id;
  order.created = event::RunCreated{std::make_shared<const Plan>(std::move(run.plan)), std::move(run.settings),
                                    std::move(run.found)};
  return start_run(project, **journal, std::move(order), options);
}

int start_run(const Project& project, SqliteJournal& journal, DriveOrder order, const RunOptions& options) {
  const Common& common = project.common();
  order.unasked = options.yes;
  order.no_wait = options.no_wait;
  const std::string id = order.run;
  if (options.detach) {
    auto created = record_run(project, journal, order);
    if (created) created = start_in_background(project, id);
    if (!created) return print(common, created.error()), exit_failed;
    write_out(STDOUT_FILENO, id + "\n");
    return exit_done;
  }
  auto code = drive(project, journal, std::move(order));
  if (!code) return print(common, code.error()), exit_failed;
  const int end = accept_if_asked_to(project, journal, id, *code);
  print_result(project, journal, id);
  return end;
}

}  // namespace baton::cli
