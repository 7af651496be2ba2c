#include "dialect/team/session_edit.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/boost_json.h"
#include "base/text.h"
#include "core/facts.h"
#include "dialect/team/turns.h"
#include "text/iso_time.h"
#include "text/json_members.h"
#include "text/json_patch.h"

namespace baton::team {
namespace {

namespace json = boost::json;

std::string json_list_of(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& text : texts) out += (out.size() > 1 ? ", " : "") + json_quote(text);
  return out + "]";
}

std::string as_json(const ActiveWorker& w) {
  std::string out = fmt::format(R"({{"task": {}, "role": {}, "worker_id": {})", json_quote(w.task), json_quote(w.role),
                                json_quote(w.worker_id));
  if (w.pid) out += fmt::format(R"(, "pid": {})", *w.pid);
  if (w.started) out += fmt::format(R"(, "started_at": {})", json_quote(utc_seconds(to_ms(*w.started))));
  return out + "}";
}

std::string as_json(const std::vector<ActiveWorker>& workers) {
  std::string out = "[";
  for (const ActiveWorker& w : workers) out += (out.size() > 1 ? ", " : "") + as_json(w);
  return out + "]";
}

/// Both say the same, however they are written.
bool is_same(std::string_view one, const std::string& other) {
  if (one.empty()) return false;
  json::error_code error;
  const json::value a = json::parse({one.data(), one.size()}, error);
  if (error) return false;
  return a == json::parse(other);
}

/// Those of the file that still hold, in its order, then the new ones. Ids that are no task of the run are not ours.
std::vector<std::string> joined(const std::vector<std::string>& before, const SessionState& state) {
  std::vector<std::string> out;
  for (const std::string& id : before) {
    if ((is_one_of(state.completed, id) || !is_one_of(state.known, id)) && !is_one_of(out, id)) out.push_back(id);
  }
  for (const std::string& id : state.completed) {
    if (!is_one_of(out, id)) out.push_back(id);
  }
  return out;
}

/// The members of `pipeline` that count tasks, where it has them or is an object at all.
std::string pipeline_of(std::string_view before, const SessionState& state) {
  JsonPatch patch{before};
  const auto set = [&](std::string_view key, std::size_t value) { patch.set(key, std::to_string(value)); };
  set("tasks_total", state.total);
  set("tasks_completed", state.completed.size());
  return std::move(patch).take();
}

std::string status_of(const Run& run, const std::string& completion) {
  switch (run.state()) {
    case RunState::completed:
    case RunState::accepted:
      return completion == "auto_keep" ? "paused" : "completed";
    case RunState::queued:
    case RunState::running:
    case RunState::parked:
      return "active";
    case RunState::paused:
    case RunState::reviewing:
    case RunState::failed:
    case RunState::cancelled:
    case RunState::rejected:
      break;
  }
  return "paused";
}

Time finished_at(const Run& run, StepIndex step) {
  const StepRun& s = run.of(step);
  return s.attempts.empty() ? Time{} : s.attempts.back().finished;
}

}  // namespace

SessionState state_of(const std::string& id, const Run& run, const std::string& completion) {
  SessionState state;
  state.status = status_of(run, completion);
  std::vector<StepIndex> done;
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    const StepIndex i = step_index(n);
    if (run.never_existed(i)) continue;
    const StepRun& s = run.of(i);
    state.known.push_back(run.step(i).id);
    if (s.state == StepState::completed) done.push_back(i);
    if (s.state != StepState::running && s.state != StepState::checking) continue;
    const Attempt& attempt = s.attempts.back();
    ActiveWorker worker{run.step(i).id, run.step(i).work->skill,
                        fmt::format("{}/{}.{}", id, run.step(i).id, attempt.n)};
    if (attempt.pid > 0) worker.pid = attempt.pid;
    worker.started = attempt.state == AttemptState::admitted ? attempt.admitted : attempt.started;
    state.workers.push_back(std::move(worker));
  }
  for (const Claim& claim : open_claims(run)) {
    const Step& s = run.step(*run.find(claim.task));
    state.workers.push_back({claim.task, s.work->skill, {}, claim.pid, claim.since});
  }
  std::ranges::sort(done, {}, [&](StepIndex i) { return std::pair{finished_at(run, i), i}; });
  for (const StepIndex i : done) state.completed.push_back(run.step(i).id);
  state.total = state.known.size();
  state.updated = run.last_event();
  if (run.state() == RunState::completed) state.finished = run.finished();
  return state;
}

Expected<std::string> edited(std::string_view text, const std::string& file, const SessionState& state) {
  const TeamFileRead before = read_team_file(text, file);
  if (!before.file) return std::unexpected(before.faults.front());
  JsonPatch patch{text};
  bool changes = false;
  const auto set = [&](std::string_view key, const std::string& value) {
    if (is_same(patch.raw(key), value)) return;
    patch.set(key, value);
    changes = true;
  };
  set("status", json_quote(state.status));
  set("completed_tasks", json_list_of(joined(before.file->completed, state)));
  set("active_workers", as_json(state.workers));
  if (const std::string_view pipeline = patch.raw("pipeline"); pipeline.starts_with('{')) {
    set("pipeline", pipeline_of(pipeline, state));
  }
  if (state.finished) {
    set("completed_at", json_quote(utc_seconds(to_ms(*state.finished))));
  } else if (!patch.raw("completed_at").empty()) {
    set("completed_at", "null");  // it was reopened
  }
  if (!changes) return std::string{text};
  set("updated_at", json_quote(utc_seconds(to_ms(state.updated))));
  return std::move(patch).take();
}

std::string rebuilt(std::string_view first, const std::string& folder, const Run& run, const SessionState& state) {
  if (!first.empty()) {
    if (auto text = edited(first, "team-session.json", state)) return *text;
  }
  std::vector<std::string> roles;
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    const std::string& role = run.step(step_index(n)).work->skill;
    if (!is_one_of(roles, role)) roles.push_back(role);
  }
  const std::string name = folder.substr(folder.find_last_of('/') + 1);
  std::string out =
      fmt::format("{{\n  \"session_id\": {},\n  \"task_description\": {},\n  \"team_name\": {},\n  \"roles\": [",
                  json_quote(run.plan().workflow), json_quote(name), json_quote(name));
  for (std::size_t i = 0; i < roles.size(); ++i) {
    out += fmt::format("{}{{\"name\": {}}}", i > 0 ? ", " : "", json_quote(roles[i]));
  }
  out += "],\n  \"status\": \"active\"\n}\n";
  return edited(out, "team-session.json", state).value_or(out);
}

std::string with_tasks(std::string_view analysis, const std::vector<Task>& tasks) {
  std::string text{analysis};
  for (const Task& task : tasks) {
    JsonPatch::Fields fields{{"id", json_quote(task.id)},
                             {"subject", json_quote(task.subject)},
                             {"owner", json_quote(task.role)},
                             {"blockedBy", json_list_of(task.needs)}};
    const auto add = [&](const char* key, const std::vector<std::string>& values) {
      if (!values.empty()) fields.emplace_back(key, json_list_of(values));
    };
    if (!task.description.empty()) fields.emplace_back("description", json_quote(task.description));
    add("steps", task.steps);
    add("key_files", task.key_files);
    add("upstream_artifacts", task.upstream);
    add("success_criteria", task.success_criteria);
    add("constraints", task.constraints);
    add("artifacts", task.artifacts);
    if (task.inner_loop) fields.emplace_back("inner_loop", *task.inner_loop ? "true" : "false");
    JsonPatch patch{text};
    // A map of tasks stays one.
    if (!patch.append("tasks", fields)) {
      const std::string before{patch.raw("tasks")};
      JsonPatch map{before};
      std::string entry = "{";
      for (const auto& [key, value] : fields) entry += (entry.size() > 1 ? ", " : "") + json_quote(key) + ": " + value;
      map.set(task.id, entry + "}");
      patch.set("tasks", std::move(map).take());
    }
    text = std::move(patch).take();
  }
  return text;
}

}  // namespace baton::team
