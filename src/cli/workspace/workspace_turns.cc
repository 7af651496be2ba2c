#include "cli/workspace/workspace_turns.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "base/limits.h"
#include "base/text.h"
#include "cli/workspace/workspace_budget.h"
#include "cli/workspace/workspace_new.h"
#include "cli/workspace/workspace_prompt.h"
#include "cli/workspace/workspace_reviews.h"
#include "core/facts.h"
#include "dialect/workspace/budget.h"
#include "dialect/workspace/paths.h"
#include "dialect/workspace/workspace_plan.h"
#include "engine/real_files.h"

namespace baton::cli {
namespace {

using workspace::Task;
using workspace::TaskStatus;

constexpr Millis look_at_locks_every{100};
constexpr Millis wait_for_lock{5000};

event::TurnTaken taken(const command::TakeTurn& turn, TurnVerdict verdict, std::string code = {},
                       std::string reason = {}) {
  return {turn.step, turn.generation, turn.round, verdict, std::move(reason), std::move(code), nullptr, {}, {}};
}

/// Those that have had their turn and are at work, or about to be. One that waits for a retry makes room.
std::size_t busy(const Run& run) {
  std::size_t count = 0;
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    const StepState state = run.of(step_index(n)).state;
    if (state == StepState::ready || state == StepState::running || state == StepState::checking) ++count;
  }
  return count;
}

std::string on_one_line(const Fault& f) {
  if (f.place.file.empty()) return f.message;
  return f.place.line > 0 ? fmt::format("{}:{}: {}", f.place.file, f.place.line, f.message)
                          : fmt::format("{}: {}", f.place.file, f.message);
}

/// A task that is in progress, somebody else's, and writes what this one builds on.
std::optional<std::string> at_work_on_inputs(const WorkspaceFiles& files, const Task& task) {
  for (const std::string& id : files.task_ids()) {
    const auto other = files.task(id).task;
    if (!other || other->status != TaskStatus::in_progress) continue;
    const auto output = workspace::inner_path(other->output_path);
    const auto is_it = [&](const workspace::TaskInput& input) {
      const auto inner = workspace::inner_path(input.path);
      return inner && output && *inner == *output;
    };
    if (std::ranges::any_of(task.inputs, is_it)) return id;
  }
  return std::nullopt;
}

}  // namespace

void WorkspaceTurns::ask(const std::string& id, const Run& run, const command::TakeTurn& turn) {
  std::vector<Asked>& asked = asked_[id];
  std::erase_if(asked, [&](const Asked& a) { return a.turn.step == turn.step; });
  int weight = 0;
  if (!workspace::is_gate(run.step(turn.step))) {
    const auto files = workspace_of(run, project_.root());
    if (files && !begun_.contains(id)) begin(id, *files, run);
    const auto read =
        files ? task_in_run(*files, run, workspace::task_of_step(run.step(turn.step).id)) : workspace::TaskRead{};
    weight = workspace::queue_weight(read.task ? read.task->priority : workspace::Priority::p2);
  }
  asked.push_back({turn, weight, {}});
}

/// The first turn of a run, or the first since it was taken up: what was to be there before it, and is not, is written.
void WorkspaceTurns::begin(const std::string& id, const WorkspaceFiles& files, const Run& run) {
  broken_.erase(id);
  if (auto written = write_new_tasks(files, run); !written) {
    broken_[id] = written.error();
  } else {
    begun_.insert(id);
  }
}

void WorkspaceTurns::ended(const std::string& id, const Run& /*run*/, StepIndex step) {
  std::erase_if(asked_[id], [&](const Asked& a) { return a.turn.step == step; });
}

TurnNews WorkspaceTurns::next(const std::string& id, const Run& run) {
  TurnNews news;
  std::vector<Asked>& asked = asked_[id];
  std::erase_if(asked, [&](const Asked& a) {  // somebody cancelled them, or they have to wait for others now
    const FlowRun* flow = run.flow_of(a.turn.step);
    return flow == nullptr || !flow->taking_turn || flow->generation != a.turn.generation;
  });
  std::ranges::sort(asked, [](const Asked& a, const Asked& b) {
    return a.weight != b.weight ? a.weight < b.weight : a.turn.step < b.turn.step;
  });
  const auto files = workspace_of(run, project_.root());
  if (files && !option_of(run, "pipeline").empty()) {
    if (auto wrote = write_answered_gates(*files, run); !wrote) {
      news.warnings.push_back(wrote.error());
      news.warnings.back().severity = Severity::warning;
    }
  }
  const auto jobs = static_cast<std::size_t>(run.settings().jobs);
  std::size_t room = jobs - std::min(jobs, busy(run));
  std::vector<Asked> locked;
  while (!asked.empty()) {
    const bool gate = workspace::is_gate(run.step(asked.front().turn.step));
    if (!gate && room == 0) break;
    Asked one = asked.front();
    asked.erase(asked.begin());
    const auto broken = broken_.find(id);
    std::optional<event::TurnTaken> e;
    if (gate) {
      e = taken(one.turn, TurnVerdict::go, {}, run.step(one.turn.step).flow->question);
    } else if (!files) {
      e = taken(one.turn, TurnVerdict::fail, files.error().code, files.error().message);
    } else if (broken != broken_.end()) {
      e = taken(one.turn, TurnVerdict::fail, broken->second.code, broken->second.message);
    } else {
      e = take(*files, run, one, news.warnings);
    }
    if (!e) {
      locked.push_back(one);
      news.look_again = RealClock{}.now() + look_at_locks_every;
      continue;
    }
    if (!gate && e->verdict == TurnVerdict::go) --room;
    news.events.emplace_back(std::move(*e));
  }
  std::ranges::move(locked, std::back_inserter(asked));
  return news;
}

/// Nothing: somebody else has the task's lock, and the others need not wait for it.
std::optional<event::TurnTaken> WorkspaceTurns::take(const WorkspaceFiles& files, const Run& run, Asked& asked,
                                                     Faults& warnings) {
  const command::TakeTurn& turn = asked.turn;
  const std::string& step = run.step(turn.step).id;
  const std::string id = workspace::task_of_step(step);
  const std::string run_folder = option_of(run, "folder");
  const workspace::TaskRead read = task_in_run(files, run, id);
  if (!read.task) {
    return taken(turn, TurnVerdict::fail, read.faults.front().code, on_one_line(read.faults.front()));
  }
  if (!workspace::may_take(*read.task, mark_of(run_folder, id))) {
    return leave(run, turn, read.task->status, warnings);
  }
  const Expected<workspace::BudgetLevel> known = !is_rehearsed(run)
                                                     ? month_level(project_, agents_.config_for(run), RealClock{}.now())
                                                     : workspace::BudgetLevel::normal;
  // Nobody knows what was spent: then nothing is.
  if (!known) return taken(turn, TurnVerdict::fail, known.error().code, known.error().message);
  const workspace::BudgetLevel level = *known;
  const workspace::Gate gate = workspace::budget_gate(level, read.task->priority);
  if (gate != workspace::Gate::go) {
    const bool later = gate == workspace::Gate::defer;
    return taken(turn, TurnVerdict::block, later ? workspace::budget_deferred_code : "budget-exhausted",
                 fmt::format("this month's budget is at the level '{}', and the task is {}", name(level),
                             name(read.task->priority)));
  }
  if (const auto trouble = trouble_with(files, run, turn.step, *read.task)) {
    const auto writer = option_of(run, all_tasks).empty() ? std::nullopt : at_work_on_inputs(files, *read.task);
    if (trouble->code == "input-not-found" && writer) {
      warnings.push_back({"input-not-found",
                          fmt::format("{}: task '{}' is at work on it, and '{}' is left for a later run",
                                      trouble->message, *writer, id),
                          {},
                          {},
                          Severity::warning});
      return taken(turn, TurnVerdict::skip, {}, fmt::format("the inputs of task '{}' are there", id));
    }
    return taken(turn, TurnVerdict::fail, trouble->code, trouble->message);
  }
  if (is_rehearsed(run)) return taken(turn, TurnVerdict::go);
  StatusMove move{run_folder, id, {TaskStatus::in_progress, rfc3339(RealClock{}.now())}};
  if (const int revision = workspace::revision_of_step(step); revision > 0) move.change.revision_count = revision;
  auto moved = move_task(files, move);
  if (!moved && moved.error().code == "lock-timeout") {
    const Time now = RealClock{}.now();
    if (!asked.locked_since) asked.locked_since = now;
    if (now - *asked.locked_since < wait_for_lock) return std::nullopt;
  }
  if (!moved && moved.error().code == "task-not-executable") {  // just now
    if (const auto now = files.task(id).task) return leave(run, turn, now->status, warnings);
  }
  if (!moved) return taken(turn, TurnVerdict::fail, moved.error().code, moved.error().message);
  if (auto kept = RealFiles{}.write(kept_of_task(run_folder, step, "task.md"), *moved); !kept) {
    warnings.push_back(kept.error());
    warnings.back().severity = Severity::warning;
  }
  return taken(turn, TurnVerdict::go);
}

/// It is somebody else's. What he has done counts as done; what he has not is left to him, with what builds on it,
/// where everything that can be carried out was meant, and not this very task.
event::TurnTaken WorkspaceTurns::leave(const Run& run, const command::TakeTurn& turn, TaskStatus status,
                                       Faults& warnings) {
  const std::string task = workspace::task_of_step(run.step(turn.step).id);
  const auto note = [&](const char* what) {
    warnings.push_back({"task-not-executable", fmt::format("task '{}' is {}: {}", task, name(status), what), {}, {}});
    warnings.back().severity = Severity::warning;
  };
  if (status == TaskStatus::completed || status == TaskStatus::in_review || status == TaskStatus::approved) {
    note("somebody else has done it");
    return taken(turn, TurnVerdict::done);
  }
  if (option_of(run, all_tasks).empty()) {
    return taken(turn, TurnVerdict::fail, "task-not-executable", fmt::format("task '{}' is {}", task, name(status)));
  }
  note("it is left to whoever set it so");
  return taken(turn, TurnVerdict::skip, {}, fmt::format("task '{}' is still to be done", task));
}

/// What keeps a task from being carried out: its skill, an input, the place of its result.
std::optional<Fault> WorkspaceTurns::trouble_with(const WorkspaceFiles& files, const Run& run, StepIndex step,
                                                  const Task& task) {
  if (!is_rehearsed(run) && !skills_.registry().find(task.to)) {
    return Fault{"skill-not-found", fmt::format("there is no skill '{}' for task '{}'", task.to, task.id)};
  }
  const auto place = workspace::output_place(task, files.squads().squads, files.shown("tasks/" + task.id + ".md"));
  if (!place) return place.error();
  if (auto writable = files.inside().may_write(place->path); !writable) return writable.error();
  if (is_rehearsed(run) && !run.step(step).needs.empty()) return std::nullopt;  // what those write is nowhere
  for (const workspace::TaskInput& input : task.inputs) {
    const auto inner = workspace::inner_path(input.path);
    if (inner && *inner == workspace::context_path) continue;  // it may be missing
    const auto text = files.input(input.path);
    if (text && *text) continue;
    return Fault{"input-not-found", fmt::format("input {} of task '{}' {}", input.path, task.id,
                                                text ? "is not there" : "cannot be read: " + text.error().message)};
  }
  return std::nullopt;
}

TurnNews WorkspaceTurns::prepared(const std::string& /*id*/, const Run& /*run*/, const command::TakeTurn& /*turn*/) {
  return {};
}

std::optional<LaidOutPrompt> WorkspaceTurns::prompt(const std::string& /*id*/, const Run& run, StepIndex step,
                                                    int attempt) {
  const auto files = workspace_of(run, project_.root());
  if (!files) return std::nullopt;
  return task_prompt(*files, skills_, run, step, attempt);
}

std::string WorkspaceTurns::mission(const std::string& /*id*/, const Run& run, StepIndex step, int /*attempt*/) {
  return run.step(step).work->mission;
}

std::vector<std::string> WorkspaceTurns::after(const std::string& /*id*/, const Run& /*run*/, StepIndex /*step*/) {
  return {};
}

}  // namespace baton::cli
