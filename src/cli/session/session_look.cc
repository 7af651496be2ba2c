#include "cli/session/session_look.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>

#include "base/text.h"
#include "dialect/session/agents.h"
#include "dialect/session/session_plan.h"
#include "dialect/session/task_id.h"

namespace baton::cli {
namespace {

namespace fs = std::filesystem;
using session::TaskRecord;

TaskRecord::File file_state(const session::TaskRead& read) {
  if (read.task) return TaskRecord::File::read;
  const bool missing = !read.faults.empty() && read.faults.front().code == "task-file-missing";
  return missing ? TaskRecord::File::missing : TaskRecord::File::corrupt;
}

/// Task files that the list does not name, in a natural order.
std::vector<std::string> unlisted(const SessionFiles& files, const session::TaskIndex& index) {
  std::vector<std::string> ids;
  std::error_code error;
  for (fs::directory_iterator it{files.root() + "/" + files.path(".task"), error}, end; !error && it != end;
       it.increment(error)) {
    const std::string stem = it->path().stem().string();
    if (it->path().extension() == ".json" && session::is_task_id(stem) && !index.find(stem)) ids.push_back(stem);
  }
  std::ranges::sort(ids, [](const std::string& a, const std::string& b) { return session::comes_before(a, b); });
  return ids;
}

void add_order_faults(SessionLook& look, const std::string& file) {
  const auto place = [&](std::size_t task) { return Place{file, look.list.tasks[task].line, 0}; };
  for (std::size_t i = 0; i < look.needs.size(); ++i) {
    if (look.completed[i]) continue;
    for (const std::string& id : look.needs[i].unknown) {
      look.faults.push_back(
          {"unknown-dependency",
           fmt::format("task '{}' depends on '{}', which is no task of this session", look.list.tasks[i].id, id),
           "mend its depends_on, or list that task", place(i)});
    }
  }
  for (const std::vector<std::size_t>& cycle : look.waves.cycles) {
    std::vector<std::string> ids;
    for (const std::size_t task : cycle) ids.push_back(look.list.tasks[task].id);
    look.faults.push_back({"dependency-cycle", fmt::format("these tasks wait for each other: {}", join(ids, ", ")),
                           "take one of their dependencies out", place(cycle.front())});
  }
}

/// What is kept of one task once its file is read.
void add_task(const SessionFiles& files, const session::TaskIndex& index, std::size_t i, session::DonePolicy policy,
              SessionLook& look, std::vector<std::pair<std::string, std::string>>& signs) {
  const session::TodoTask& listed = look.list.tasks[i];
  session::Needs needs;
  std::string agent;
  TaskRecord record{listed.id, listed.state, TaskRecord::File::read, {}, files.has_summary(listed.id)};
  session::TaskRead read = files.task(listed.id);
  // A container may do without a file of its own.
  const bool silent = listed.container && file_state(read) == TaskRecord::File::missing;
  if (!silent) std::ranges::move(read.faults, std::back_inserter(look.faults));
  record.file = file_state(read);
  if (read.task) {
    record.status = read.task->status;
    needs = session::needs_of(*read.task, listed, index);
    agent = session::agent_of(*read.task, listed.agent).name;
    signs.emplace_back(listed.id, read.task->context_signature);
  }
  look.completed.push_back(session::counts_as_done(record, policy));
  if (!silent) look.records.push_back(std::move(record));
  look.needs.push_back(std::move(needs));
  look.agents.push_back(std::move(agent));
}

}  // namespace

SessionLook look_at(const SessionFiles& files, const session::FoundSession& found, session::DonePolicy policy) {
  SessionLook look;
  look.faults = session::faults_of(found);
  if (const auto file = files.session_file(); !file) {
    look.faults.push_back(file.error());
    look.faults.back().severity = Severity::warning;
  }
  auto list = files.todo();
  if (!list) {
    look.faults.push_back(list.error());
    return look;
  }
  look.list = std::move(*list);
  std::ranges::copy(look.list.faults, std::back_inserter(look.faults));
  look.plan = files.plan();
  std::ranges::copy(look.plan.warnings, std::back_inserter(look.faults));
  const session::TaskIndex index{look.list};
  std::vector<std::pair<std::string, std::string>> signs;
  for (std::size_t i = 0; i < look.list.tasks.size(); ++i) add_task(files, index, i, policy, look, signs);
  for (const std::string& id : unlisted(files, index)) {
    const session::TaskRead read = files.task(id);
    look.records.push_back(
        {id, std::nullopt, file_state(read), read.task ? read.task->status : std::string{}, files.has_summary(id)});
  }
  for (std::size_t i = 0; i < look.list.tasks.size(); ++i) {
    const auto& parent = look.list.tasks[i].parent;
    if (parent && look.list.tasks[*parent].container) look.needs[*parent].known.push_back(i);
  }
  look.disagree = session::disagreements(look.records, policy);
  look.waves = session::waves_of(look.needs, look.completed, look.plan.model, session::phases_of(look.list, look.plan));
  add_order_faults(look, files.todo_path());
  std::ranges::move(session::alike(signs, files.todo_path()), std::back_inserter(look.faults));
  std::ranges::move(session::to_faults(look.disagree, files.todo_path()), std::back_inserter(look.faults));
  return look;
}

Plan plan_of(const SessionLook& look, const session::FoundSession& found) {
  Plan plan;
  plan.workflow = found.id;
  plan.dialect = "session";
  plan.source = found.folder + "/TODO_LIST.md";
  for (std::size_t i = 0; i < look.list.tasks.size(); ++i) {
    const session::TodoTask& task = look.list.tasks[i];
    auto work = std::make_shared<Work>();
    work->title = task.title;
    work->skill = look.agents[i];
    Step step;
    step.id = task.id;
    step.work = std::move(work);
    for (const std::size_t need : look.needs[i].known) step.needs.push_back(step_index(need));
    plan.steps.push_back(std::move(step));
  }
  return plan;
}

PlanStanding standing_of(const SessionLook& look) {
  const std::size_t tasks = look.list.tasks.size();
  PlanStanding standing{std::vector<std::string>(tasks, "pending"), {}, std::vector<std::size_t>(tasks, 0)};
  for (std::size_t i = 0; i < tasks; ++i) {
    if (look.completed[i]) standing.states[i] = "completed";
  }
  for (std::size_t wave = 0; wave < look.waves.waves.size(); ++wave) {
    for (const std::size_t task : look.waves.waves[wave]) {
      standing.order.push_back(step_index(task));
      standing.waves[task] = wave + 1;
    }
  }
  for (const std::size_t task : look.waves.blocked) standing.states[task] = "blocked";
  for (const std::vector<std::size_t>& cycle : look.waves.cycles) {
    for (const std::size_t task : cycle) standing.states[task] = "blocked";
  }
  return standing;
}

}  // namespace baton::cli
