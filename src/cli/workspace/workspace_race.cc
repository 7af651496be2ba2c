#include "cli/workspace/workspace_race.h"

#include <fmt/core.h>

#include <algorithm>

#include "cli/load_run.h"
#include "cli/outputs_turn.h"
#include "core/facts.h"
#include "dialect/workspace/ids.h"
#include "dialect/workspace/paths.h"
#include "dialect/workspace/workspace_plan.h"

namespace baton::cli {
namespace {

/// It is about this task, and is going to carry it out.
bool will_do(const Run& run, const WorkspaceTarget& target) {
  if (option_of(run, "workspace") != target.folder || !option_of(run, all_tasks).empty() || is_rehearsed(run)) {
    return false;
  }
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    const StepState state = run.of(step_index(n)).state;
    const bool is_open = state != StepState::completed && state != StepState::failed && state != StepState::blocked;
    if (is_open && workspace::task_of_step(run.step(step_index(n)).id) == target.task) return true;
  }
  return false;
}

std::optional<std::string> run_about(SqliteJournal& journal, const WorkspaceTarget& target) {
  const auto runs = journal.list();
  if (!runs) return std::nullopt;
  for (const RunSummary& other : *runs) {
    const bool counts = other.dialect == "workspace" && !is_over(other.state) && other.state != RunState::failed;
    if (!counts) continue;
    const auto run = load_run(journal, other.id);
    if (run && will_do(*run, target) && is_at_work(journal, other.id, *run)) return other.id;
  }
  return std::nullopt;
}

}  // namespace

Expected<std::shared_ptr<TurnLock>> turn_for_task(const Project& project, SqliteJournal& journal,
                                                  const WorkspaceFiles& files, const WorkspaceTarget& target) {
  auto turn = std::make_shared<TurnLock>(project.state_dir() + "/tasks.lock");
  if (auto taken = turn->take(); !taken) return std::unexpected(taken.error());
  const workspace::TaskRead read = files.task(target.task);
  const bool is_free = read.task && is_executable(read.task->status);
  const auto other = run_about(journal, target);
  if (is_free && !other) return turn;
  Fault refused{.code = "task-not-executable",
                .message = fmt::format("task '{}' is somebody else's now", target.task),
                .help = other ? fmt::format("run {0} has it: 'baton show {0}' says how it stands", *other) : "",
                .place = {files.shown(workspace::task_path(target.task)), 0, 0}};
  return std::unexpected(std::move(refused));
}

}  // namespace baton::cli
