#include "dialect/team/status_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "core/facts.h"
#include "dialect/team/reports.h"
#include "dialect/team/turns.h"

namespace baton::team {
namespace {

using State = TaskLine::State;
constexpr const char* tag = "[executor]";
constexpr const char* rule = "============================================";

std::string tagged(const std::string& text) {
  return text.empty() ? fmt::format("{}\n", tag) : fmt::format("{} {}\n", tag, text);
}

const char* icon(State state) {
  switch (state) {
    case State::done:
      return "done";
    case State::running:
      return ">>>";
    case State::pending:
    case State::failed:
    case State::left_out:
      return "o";
    case State::not_created:
      return ".";
  }
  return "";
}

/// How many tasks stand before it in the longest line of those that lead to it.
std::vector<std::size_t> depths_of(const TeamView& view) {
  std::map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < view.tasks.size(); ++i) places.emplace(view.tasks[i].id, i);
  std::vector<std::size_t> depths(view.tasks.size(), 0);
  // As often as there are tasks at most: a circle must not turn for ever.
  bool changed = true;
  for (std::size_t round = 0; changed && round <= view.tasks.size(); ++round) {
    changed = false;
    for (std::size_t i = 0; i < view.tasks.size(); ++i) {
      for (const std::string& need : view.tasks[i].needs) {
        const auto place = places.find(need);
        if (place == places.end() || depths[i] > depths[place->second]) continue;
        depths[i] = std::min(depths[place->second] + 1, view.tasks.size());
        changed = true;
      }
    }
  }
  return depths;
}

std::string node(const TaskLine& task) {
  std::string text = fmt::format("{} {} ({})", icon(task.state), task.id, task.role);
  if (task.state == State::failed) text += fmt::format(" failed{}{}", task.note.empty() ? "" : ": ", task.note);
  if (task.state == State::left_out) text += " left out";
  return text;
}

std::string graph(const TeamView& view) {
  const std::vector<std::size_t> depths = depths_of(view);
  std::map<std::size_t, std::vector<std::string>> levels;
  for (std::size_t i = 0; i < view.tasks.size(); ++i) levels[depths[i]].push_back(node(view.tasks[i]));
  std::string out;
  for (const auto& [depth, nodes] : levels) {
    out += tagged(std::string(2 + 2 * depth, ' ') + join(nodes, " | "));
  }
  return out;
}

std::string file_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

State state_of(const Run& run, StepIndex step) {
  const StepRun& s = run.of(step);
  switch (s.state) {
    case StepState::completed:
      return State::done;
    case StepState::running:
    case StepState::checking:
      return State::running;
    case StepState::failed:
    case StepState::blocked:
    case StepState::cancelled:
      return State::failed;
    case StepState::skipped:
      return s.state.is_skipped_by_person() ? State::left_out : State::pending;
    case StepState::waiting:
      return s.state.awaits_person() ? State::failed : State::pending;
    case StepState::pending:
    case StepState::ready:
      break;
  }
  return State::pending;
}

/// How far the inner loop has come: tasks for which its worker said that they are complete.
std::size_t loop_done(const Run& run, const Step& lead, int attempt) {
  std::size_t done = 0;
  std::vector<std::string> tasks = lead.work->also;
  tasks.push_back(lead.id);
  for (const std::string& id : tasks) {
    const auto step = run.find(id);
    done += std::ranges::any_of(run.reports(), [&](const Report& r) {
      return step && r.current && r.said.step == *step && r.said.attempt == attempt && r.said.kind == "complete";
    });
  }
  return done;
}

TaskLine line_of(const Run& run, StepIndex step) {
  const Step& s = run.step(step);
  TaskLine line{s.id, s.work->skill, state_of(run, step)};
  for (const StepIndex need : run.needs_of(step)) line.needs.push_back(run.step(need).id);
  if (const auto error = error_of(run, step); error && line.state == State::failed) line.note = error->message;
  if (line.state == State::running) {
    const Attempt& attempt = run.of(step).attempts.back();
    line.started = attempt.state == AttemptState::admitted ? attempt.admitted : attempt.started;
    line.leads_loop = !s.work->also.empty();
    line.loop_total = s.work->also.size() + 1;
    line.loop_done = loop_done(run, s, attempt.n);
  }
  return line;
}

/// Tasks that the worker of a loop has begun with are at work too.
void mark_loops(const Run& run, TeamView& view) {
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    if (state_of(run, step_index(n)) != State::running) continue;
    for (const std::string& id : run.step(step_index(n)).work->also) {
      const auto task = std::ranges::find(view.tasks, id, &TaskLine::id);
      if (task != view.tasks.end() && task->state == State::pending) task->state = State::running;
    }
  }
}

void add_artifacts(TaskLine& line, const Task* task, const std::function<bool(const std::string&)>& exists) {
  if (task == nullptr || line.state != State::done) return;
  for (const std::string& path : task->artifacts) {
    if (exists(path)) line.artifacts.push_back(file_name(path));
  }
}

}  // namespace

std::size_t TeamView::done() const {
  return static_cast<std::size_t>(std::ranges::count(tasks, State::done, &TaskLine::state));
}
std::size_t TeamView::running() const {
  return static_cast<std::size_t>(std::ranges::count(tasks, State::running, &TaskLine::state));
}

std::vector<const TaskLine*> TeamView::ready() const {
  std::vector<const TaskLine*> found;
  const auto is_met = [&](const std::string& need) {
    const auto task = std::ranges::find(tasks, need, &TaskLine::id);
    return task != tasks.end() && (task->state == State::done || task->state == State::left_out);
  };
  for (const TaskLine& task : tasks) {
    const bool waits = task.state == State::pending || task.state == State::not_created;
    if (waits && std::ranges::all_of(task.needs, is_met)) found.push_back(&task);
  }
  return found;
}

TeamView view_of(const Run& run, const Team& team, Time now, const std::function<bool(const std::string&)>& exists) {
  TeamView view;
  view.folder = team.folder;
  view.has_run = true;
  view.state = run.state();
  for (const Role& role : team.roles) view.roles.push_back(role.name);
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    if (run.never_existed(step_index(n))) continue;
    TaskLine line = line_of(run, step_index(n));
    // Needs that are no task are in no plan, and yet it waits for them.
    if (const Task* task = team.find(line.id)) {
      for (const std::string& need : task->needs) {
        if (!run.find(need)) line.needs.push_back(need);
      }
    }
    const Task* original = team.find(original_of(line.id));
    if (!is_revision(line.id)) add_artifacts(line, original, exists);
    view.tasks.push_back(std::move(line));
  }
  mark_loops(run, view);
  for (const Claim& claim : open_claims(run)) {
    const auto task = std::ranges::find(view.tasks, claim.task, &TaskLine::id);
    if (task == view.tasks.end()) continue;
    task->state = State::running;
    task->started = claim.since.value_or(run.created());
    task->note = claim.pid ? fmt::format("process {}, not ours", *claim.pid) : "somebody else, not ours";
  }
  for (const Task& task : team.tasks) {
    if (!run.find(task.id)) view.tasks.push_back({task.id, task.role, State::not_created, task.needs});
  }
  const bool over = run.finished() != Time{};
  if (run.started() != Time{}) view.duration = (over ? run.finished() : now) - run.started();
  if (run.state() == RunState::paused) view.stopped = run.pause_reason();
  if (run.state() == RunState::cancelled) view.stopped = "the run was cancelled; the next one begins with what is done";
  if (run.state() == RunState::reviewing) {
    if (const auto error = error_of(run)) view.stopped = error->message;
  }
  return view;
}

TeamView view_of(const Team& team, const std::function<bool(const std::string&)>& exists) {
  TeamView view;
  view.folder = team.folder;
  view.state = RunState::queued;
  for (const Role& role : team.roles) view.roles.push_back(role.name);
  for (const Task& task : team.tasks) {
    const bool done = std::ranges::find(team.file.completed, task.id) != team.file.completed.end();
    TaskLine line{task.id, task.role, done ? State::done : State::not_created, task.needs};
    add_artifacts(line, &task, exists);
    view.tasks.push_back(std::move(line));
  }
  return view;
}

std::string status_text(const TeamView& view, Time now) {
  const std::size_t total = view.tasks.size();
  std::string out = tagged("Pipeline Status");
  out += tagged(fmt::format("Progress: {}/{} ({}%)", view.done(), total, total == 0 ? 0 : view.done() * 100 / total));
  out += tagged("");
  out += tagged("Execution Graph:") + graph(view);
  out += tagged("  done=completed  >>>=running  o=pending  .=not created");
  out += tagged("");
  out += tagged("Active Workers:");
  for (const TaskLine& task : view.tasks) {
    if (task.state != State::running || !task.started) continue;
    std::string line =
        fmt::format("  > {} ({}) - running {}", task.id, task.role, brief(std::max(now - *task.started, Millis{0})));
    if (task.leads_loop) line += fmt::format(" [inner-loop: {}/{} tasks done]", task.loop_done, task.loop_total);
    if (!task.note.empty()) line += fmt::format(" ({})", task.note);
    out += tagged(line);
  }
  std::vector<std::string> ready;
  for (const TaskLine* task : view.ready()) ready.push_back(task->id);
  out += tagged(fmt::format("Ready to spawn: {}", ready.empty() ? "none" : join(ready, ", ")));
  if (!view.stopped.empty()) out += tagged("Stopped: " + view.stopped);
  return out + tagged("Commands: 'resume' to advance | 'check' to refresh");
}

bool TeamView::is_whole() const {
  return std::ranges::all_of(tasks,
                             [](const TaskLine& t) { return t.state == State::done || t.state == State::left_out; });
}

std::string banner(const TeamView& view) {
  std::string out = tagged(rule) + tagged("TASK COMPLETE") + tagged("") + tagged("Deliverables:");
  for (const TaskLine& task : view.tasks) {
    for (const std::string& name : task.artifacts) out += tagged(fmt::format("  - {} ({})", name, task.role));
  }
  out += tagged("");
  out += tagged(fmt::format("Pipeline: {}/{} tasks", view.done(), view.tasks.size()));
  out += tagged(fmt::format("Roles: {}", join(view.roles, ", ")));
  out += tagged(fmt::format("Duration: {}", brief(view.duration)));
  out += tagged("");
  out += tagged(fmt::format("Session: {}", view.folder));
  return out + tagged(rule);
}

std::string stall_text(const TeamView& view) {
  std::string out = tagged("PIPELINE STALLED");
  for (const TaskLine& task : view.tasks) {
    if (task.state == State::failed) {
      out += tagged(fmt::format("  {} ({}) failed{}{}", task.id, task.role, task.note.empty() ? "" : ": ", task.note));
    }
  }
  for (const TaskLine& task : view.tasks) {
    if (task.state != State::pending && task.state != State::not_created) continue;
    std::vector<std::string> unmet;
    for (const std::string& need : task.needs) {
      const auto found = std::ranges::find(view.tasks, need, &TaskLine::id);
      if (found == view.tasks.end()) {
        unmet.push_back(need + " (no such task)");
      } else if (found->state == State::failed) {
        unmet.push_back(need + " (failed)");
      } else if (found->state != State::done && found->state != State::left_out) {
        unmet.push_back(need);
      }
    }
    const std::string who = fmt::format("  {} ({})", task.id, task.role);
    if (!unmet.empty()) {
      out += tagged(fmt::format("{} waits for {}", who, join(unmet, ", ")));
    } else if (task.state == State::not_created) {
      out += tagged(who + " is not created: 'resume' sees to it");
    }
  }
  return out;
}

std::string next_commands(const TeamView& view, const std::string& session) {
  std::string out = tagged("Next:");
  const auto command = [&](const std::string& verb, const char* what) {
    out += tagged(fmt::format("  baton team {} {}  {}", session, verb, what));
  };
  if (!view.has_run) {
    out += tagged(fmt::format("  baton team {}  begins", session));
  } else if (view.state == RunState::completed) {
    out += tagged(fmt::format("  ls {}/artifacts  shows the artifacts", view.folder));
    command("extend FILE", "adds tasks and goes on");
  } else {
    for (const TaskLine& task : view.tasks) {
      if (task.state != State::failed) continue;
      command("retry " + task.id, "tries it again");
      command("skip " + task.id, "goes on without it");
    }
    command("resume", "goes on");
  }
  command("check", "shows the status");
  return out;
}

std::string summary_line(const std::string& name, std::string_view text) {
  std::size_t entries = 0;
  std::string first;
  for (const std::string_view line : split(text, '\n')) {
    const std::string_view bare = trim(line);
    if (bare.empty() || bare.starts_with('#') || bare.starts_with("<!--")) continue;
    ++entries;
    const std::string_view said = trim(bare.substr(0, bare.find("<!--")));  // a mark of ours says nothing to people
    if (first.empty()) first = shorten(said.starts_with("- ") ? said.substr(2) : said, 100);
  }
  if (entries == 0) return {};
  return fmt::format("  - {}: {}{}", name, first, entries > 1 ? fmt::format(" (and {} more)", entries - 1) : "");
}

}  // namespace baton::team
