#include "cli/workspace/workspace_left.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "base/limits.h"
#include "cli/drive.h"
#include "dialect/workspace/ids.h"
#include "dialect/workspace/owner.h"
#include "engine/real_files.h"
#include "engine/run_folder.h"
#include "io/identity.h"
#include "io/path_lock.h"

namespace baton::cli {
namespace {

using workspace::TaskStatus;

std::optional<workspace::Owner> owner_of(const WorkspaceFiles& files, const std::string& task) {
  const auto text = files.inside().read(workspace::owner_path(task), Limits::file_bytes_max);
  return text && *text ? workspace::read_owner(**text) : std::nullopt;
}

/// True if the task is as a process left it that is gone.
bool is_orphan(const workspace::Task& task, const std::optional<workspace::Owner>& owner) {
  return task.status == TaskStatus::in_progress && owner && is_certainly_dead(owner->process) &&
         is_as_left(task, owner->mark);
}

/// Looked at again under its lock: whoever else came by may have it by now.
void take_back(const WorkspaceFiles& files, const std::string& id) {
  const std::string inner = workspace::task_path(id);
  const auto lock = PathLock::take(files.path() + "/" + inner);
  if (!lock) return;
  const auto text = files.inside().read(inner, Limits::file_bytes_max);
  if (!text || !*text) return;
  const auto task = workspace::read_task(**text, inner).task;
  const auto owner = owner_of(files, id);
  if (!task || !is_orphan(*task, owner)) return;
  const workspace::TaskChange change{owner->mark.status_before, rfc3339(RealClock{}.now())};
  if (!files.inside().write(inner, workspace::edit_task(**text, change))) return;
  std::error_code ignored;
  std::filesystem::remove(files.path() + "/" + workspace::owner_path(id), ignored);
}

std::vector<RunSummary> workspace_runs(SqliteJournal& journal) {
  auto runs = journal.list();
  if (!runs) return {};
  std::erase_if(*runs, [](const RunSummary& r) { return r.dialect != "workspace"; });
  return std::move(*runs);
}

/// The run of this project that has it.
std::optional<std::string> run_with(const Project& project, const workspace::Task& task) {
  const auto journal = project.journal_to_read();
  if (!journal) return std::nullopt;
  for (const RunSummary& r : workspace_runs(**journal)) {
    const auto mark = mark_of(run_folder(project.state_dir(), r.id).path, task.id);
    if (mark && is_as_left(task, *mark)) return r.id;
  }
  return std::nullopt;
}

}  // namespace

void settle_left_tasks(const Project& project, const WorkspaceFiles& files) {
  std::vector<std::string> left;
  for (const std::string& id : files.task_ids()) {
    const workspace::TaskRead read = files.task(id);
    if (!read.task || read.task->status != TaskStatus::in_progress) continue;
    if (is_orphan(*read.task, owner_of(files, id))) {
      take_back(files, id);
    } else {
      left.push_back(id);
    }
  }
  if (left.empty() || !project.journal_to_read()) return;
  auto journal = project.journal_to_write();
  if (!journal) return;
  for (const RunSummary& r : workspace_runs(**journal)) {
    const bool ended = is_over(r.state) || r.state == RunState::failed;
    const std::string folder = run_folder(project.state_dir(), r.id).path;
    const auto is_its = [&](const std::string& id) { return mark_of(folder, id).has_value(); };
    if (ended && std::ranges::any_of(left, is_its)) complete_files(project, **journal, r.id);
  }
}

std::string help_with_busy_task(const Project& project, const WorkspaceFiles& files, const workspace::Task& task) {
  if (const auto run = run_with(project, task)) {
    return fmt::format("run {0} has it: 'baton show {0}' says how it stands, 'baton resume {0}' takes it up", *run);
  }
  if (const auto owner = owner_of(files, task.id); owner && is_as_left(task, owner->mark)) {
    return fmt::format("the process {} has it (host:pid:start)", owner->process);
  }
  return "no run of this project has it: set it to pending if nobody works on it";
}

}  // namespace baton::cli
