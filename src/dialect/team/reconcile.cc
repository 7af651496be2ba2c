#include "dialect/team/reconcile.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/boost_json.h"
#include "base/letters.h"
#include "base/text.h"
#include "dialect/team/json_place.h"
#include "dialect/team/reports.h"
#include "text/json_members.h"

namespace baton::team {
namespace {

namespace json = boost::json;

/// The record of it is kept if what it declares is there, or it declares nothing.
bool may_be_done(const Task& task, const Reality& real) {
  return std::ranges::all_of(task.artifacts, [&](const std::string& path) { return real.exists(path); });
}

Note removed(const Task& task) {
  return {"warning", task.id,
          fmt::format("Task {} removed from completed_tasks: its artifact is not there ({})", task.id,
                      join(task.artifacts, ", "))};
}

bool is_in_progress(std::string_view status) {
  const std::string word = lower(status);
  return word == "in_progress" || word == "in-progress" || word == "running";
}

/// Orphans and interrupted tasks are told apart first; each is then reset at most once. What one of them left behind
/// whole is done.
void sort_claim(const Task& task, Claim claim, const Reality& real, Beginning& out) {
  if (claim.since) claim.since = std::min(*claim.since, real.now);  // nobody begins tomorrow
  const bool is_there = !task.artifacts.empty() && may_be_done(task, real);
  if (claim.pid && real.lives(*claim.pid)) {
    out.claims.push_back(claim);
  } else if (is_there) {
    out.completed.push_back(task.id);
  } else if (claim.pid) {
    out.notes.push_back({"warning", claim.task, fmt::format("Task {} reset from interrupted state", claim.task)});
  } else if (claim.since.value_or(Time{}) + claim_lasts > real.now) {
    out.claims.push_back(claim);
  } else {
    out.notes.push_back({"error", claim.task, fmt::format("Fast-advance orphan {} reset", claim.task)});
  }
}

}  // namespace

std::string to_json(const std::vector<Note>& notes) {
  std::string out = "[";
  for (const Note& note : notes) {
    if (out.size() > 1) out += ',';
    out += fmt::format(R"({{"type":{},"task":{},"summary":{}}})", json_quote(note.type), json_quote(note.task),
                       json_quote(note.summary));
  }
  return out + "]";
}

std::vector<Note> notes_from_json(std::string_view text) {
  std::vector<Note> notes;
  json::error_code error;
  const json::value value = json::parse({text.data(), text.size()}, error);
  if (error || !value.is_array()) return notes;
  for (const json::value& entry : value.as_array()) {
    if (!entry.is_object()) continue;
    const json::object& o = entry.as_object();
    notes.push_back({text_at(o, {"type"}), text_at(o, {"task"}), text_at(o, {"summary"})});
  }
  return notes;
}

Beginning begin_from(const Team& team, const Reality& real) {
  Beginning out;
  for (const Task& task : team.tasks) {
    const bool recorded = is_one_of(team.file.completed, task.id);
    if (recorded && may_be_done(task, real)) {
      out.completed.push_back(task.id);
      continue;
    }
    if (recorded) out.notes.push_back(removed(task));
    const auto worker = std::ranges::find(team.file.workers, task.id, &ActiveWorker::task);
    if (worker != team.file.workers.end()) {
      sort_claim(task, {task.id, worker->pid, worker->started}, real, out);
    } else if (!recorded && is_in_progress(task.status)) {
      sort_claim(task, {task.id, {}, task.claimed}, real, out);
    }
  }
  return out;
}

namespace {

/// What tasks that have not begun wait for by the analysis, and not yet by the run: it was added there, or could not be
/// waited for before it existed.
void add_joins(const Run& run, const Team& team, Difference& out) {
  const auto place_of = [&](const std::string& id) -> std::optional<StepIndex> {
    if (const auto step = run.find(id)) return step;
    const auto found = std::ranges::find(out.missing, id, &Task::id);
    if (found == out.missing.end()) return std::nullopt;
    return step_index(run.step_count() + static_cast<std::size_t>(found - out.missing.begin()));
  };
  for (const Task& task : team.tasks) {
    const auto step = run.find(task.id);
    if (!step) continue;
    const StepState state = run.of(*step).state;
    const bool is_open = state == StepState::pending || state == StepState::ready || state == StepState::blocked ||
                         state == StepState::failed;
    if (!is_open) continue;
    const std::vector<StepIndex> known = run.needs_of(*step);
    for (const std::string& id : task.needs) {
      const auto need = place_of(id);
      if (need && *need != *step && std::ranges::find(known, *need) == known.end())
        out.joins.emplace_back(*step, *need);
    }
  }
}

}  // namespace

Difference differ(const Run& run, const Team& team, const Reality& real) {
  Difference out;
  for (const Task& task : team.tasks) {
    const auto step = run.find(task.id);
    if (!step) {
      out.missing.push_back(task);
      continue;
    }
    const StepState state = run.of(*step).state;
    const bool recorded = is_one_of(team.file.completed, task.id);
    if (state == StepState::completed && !recorded) out.added.push_back(task.id);
    // What was begun here is known here: the file is only behind, or somebody had it run again.
    const bool known_here = !run.of(*step).attempts.empty() || run.of(*step).state.is_skipped_by_person();
    if (state == StepState::completed || !recorded || known_here) continue;
    if (may_be_done(task, real)) {
      out.done.push_back(*step);
    } else {
      out.notes.push_back(removed(task));
    }
  }
  add_joins(run, team, out);
  return out;
}

}  // namespace baton::team
