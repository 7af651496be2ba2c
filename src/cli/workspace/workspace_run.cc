#include "cli/workspace/workspace_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

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

DialectRun::Traits WorkspaceRun::traits(const Run& run) const {
  constexpr std::size_t prompt_steps_max = 500;  // a long list is not looked through at every step of it
  const bool is_short = run.step_count() <= prompt_steps_max;
  return {.files = is_short ? FilePace::every_commit : FilePace::now_and_then, .own_turns = true};
}

bool WorkspaceRun::shows(const Run& run, StepIndex step) const { return !workspace::is_gate(run.step(step)); }

/// Takes note of turns that are new, and forgets those that are not open any more: of steps that were cancelled, or
/// have to wait for others now.
void WorkspaceRun::meet(const Run& run, OpenTurns& open) {
  for (const command::TakeTurn& turn : open.fresh(run)) {
    int weight = 0;
    if (!workspace::is_gate(run.step(turn.step))) {
      const auto files = workspace_of(run, project_.root());
      if (files && !begun_) begin(*files, run);
      const auto read =
          files ? task_in_run(*files, run, workspace::task_of_step(run.step(turn.step).id)) : workspace::TaskRead{};
      weight = workspace::queue_weight(read.task ? read.task->priority : workspace::Priority::p2);
    }
    waiting_.insert_or_assign(turn.step, Waiting{turn, weight});
  }
  std::erase_if(waiting_, [&](const auto& entry) { return !run.is_asked(entry.second.turn); });
}

/// The first turn of a run, or the first since it was taken up: what was to be there before it, and is not, is written.
void WorkspaceRun::begin(const WorkspaceFiles& files, const Run& run) {
  broken_.reset();
  if (auto written = write_new_tasks(files, run); !written) {
    broken_ = written.error();
  } else {
    begun_ = true;
  }
}

TurnNews WorkspaceRun::take_turns(const Run& run, OpenTurns& open) {
  TurnNews news;
  meet(run, open);
  std::vector<Waiting> line;
  line.reserve(waiting_.size());
  for (const auto& [step, waiting] : waiting_) line.push_back(waiting);
  std::ranges::sort(line, {}, [](const Waiting& one) { return std::pair{one.weight, one.turn.step}; });
  const auto files = workspace_of(run, project_.root());
  if (files && !option_of(run, "pipeline").empty()) {
    if (auto wrote = write_answered_gates(*files, run); !wrote) {
      news.warnings.push_back(wrote.error());
      news.warnings.back().severity = Severity::warning;
    }
  }
  const auto jobs = static_cast<std::size_t>(run.settings().jobs);
  std::size_t room = jobs - std::min(jobs, busy(run));
  for (Waiting& one : line) {
    const bool gate = workspace::is_gate(run.step(one.turn.step));
    if (!gate && room == 0) break;
    std::optional<event::TurnTaken> e;
    if (gate) {
      e = taken(one.turn, TurnVerdict::go, {}, run.step(one.turn.step).flow->question);
    } else if (!files) {
      e = taken(one.turn, TurnVerdict::fail, files.error().code, files.error().message);
    } else if (broken_) {
      e = taken(one.turn, TurnVerdict::fail, broken_->code, broken_->message);
    } else {
      e = take(*files, run, one, news.warnings);
    }
    if (!e) {
      waiting_.at(one.turn.step).locked_since = one.locked_since;
      news.look_again = RealClock{}.now() + look_at_locks_every;
      continue;
    }
    waiting_.erase(one.turn.step);
    if (!gate && e->verdict == TurnVerdict::go) --room;
    news.events.emplace_back(std::move(*e));
  }
  return news;
}

/// Nothing: somebody else has the task's lock, and the others need not wait for it.
std::optional<event::TurnTaken> WorkspaceRun::take(const WorkspaceFiles& files, const Run& run, Waiting& waiting,
                                                   Faults& warnings) {
  const command::TakeTurn& turn = waiting.turn;
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
    if (!waiting.locked_since) waiting.locked_since = now;
    if (now - *waiting.locked_since < wait_for_lock) return std::nullopt;
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
event::TurnTaken WorkspaceRun::leave(const Run& run, const command::TakeTurn& turn, TaskStatus status,
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
std::optional<Fault> WorkspaceRun::trouble_with(const WorkspaceFiles& files, const Run& run, StepIndex step,
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

DialectRun::Briefing WorkspaceRun::brief(const Run& run, StepIndex step, int attempt) {
  Briefing briefing;
  if (const auto files = workspace_of(run, project_.root())) {
    briefing.whole = task_prompt(*files, skills_, run, step, attempt);
  }
  if (!briefing.whole) briefing.skill = skills_.find(run.step(step).work->skill);
  return briefing;
}

DialectRun::Judgement WorkspaceRun::judge(const Run& run, const Finished& attempt) {
  return attempt.answer ? answer_.judge(run, attempt) : Judgement{};
}

}  // namespace baton::cli
