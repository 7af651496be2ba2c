// What is on record of a run, as messages of its team's bus.
#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "base/text.h"
#include "core/facts.h"
#include "dialect/team/reconcile.h"
#include "dialect/team/reports.h"
#include "dialect/team/session_edit.h"
#include "text/iso_time.h"

namespace baton::team {
namespace {

constexpr const char* executor = "executor";

/// In the order of their times; those of one time stay as they came. (std::stable_sort uses what clang calls
/// deprecated.)
std::vector<Message> in_order(std::vector<Message> messages) {
  std::vector<std::size_t> order(messages.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {},
                    [&](std::size_t i) { return std::pair<std::string_view, std::size_t>{messages[i].ts, i}; });
  std::vector<Message> sorted;
  sorted.reserve(messages.size());
  for (const std::size_t i : order) sorted.push_back(std::move(messages[i]));
  return sorted;
}

/// Gathers messages with the keys by which they are known again.
class Telling {
 public:
  Telling(const std::string& id, const Run& run, const Team& team) : id_(id), run_(run), team_(team) {}

  void note(std::size_t n, const Note& note) {
    add(fmt::format("note.{}", n), run_.created(), executor, "all", note.type, note.summary, task_data(note.task));
  }

  void step(StepIndex i) {
    const Step& s = run_.step(i);
    const StepRun& state = run_.of(i);
    const FlowRun* flow = run_.flow_of(i);
    if (is_revision(s.id)) {
      add(s.id + ".made", time_of(i), executor, s.work->skill, "fix_required",
          fmt::format("Task {} is to be revised: {}", original_of(s.id), s.id), task_data(s.id));
    }
    // Work that was taken over from somebody else was reset before it began.
    const bool was_reset = flow != nullptr && flow->may_start() && flow->reason.find(" reset") != std::string::npos;
    if (was_reset) {
      const bool orphan = flow->reason.starts_with("Fast-advance orphan");
      add(s.id + ".reset", time_of(i), executor, "all", orphan ? "error" : "warning", flow->reason, task_data(s.id));
    }
    for (const Attempt& a : state.attempts) attempt(s, a);
    if (state.state == StepState::completed) completed(i);
    if (state.state.is_skipped_by_person()) {
      add(s.id + ".left_out", run_.last_event(), executor, "all", "warning",
          fmt::format("Task {} is left out: {}", s.id, why_skipped(run_, i)), task_data(s.id));
    }
    const bool ended_badly =
        state.state == StepState::blocked || (state.state == StepState::failed && state.attempts.empty());
    if (const auto error = error_of(run_, i); ended_badly && error) {
      add(s.id + ".failed", run_.last_event(), executor, "all", "error",
          fmt::format("Task {} cannot be done: {}", s.id, error->message), task_data(s.id));
    }
    if (flow != nullptr && state.state.is_at_gate()) {
      add(fmt::format("{}.asks.{}", s.id, flow->round), run_.last_event(), executor, "all", "error",
          fmt::format("Task {} waits for a person: {}", s.id, flow->reason), task_data(s.id));
    }
  }

  void report(const Report& r) {
    const event::WorkerReported& said = r.said;
    const std::string& task = run_.step(said.step).id;
    const std::string key = "report." + said.id;
    const std::string data = with_task(said.data, task, said.attempt, said.role);
    if (!r.current) {
      return add(key, r.at, executor, "all", "warning",
                 fmt::format("[{}] {} for {} (attempt {}) came when that was not at work: {}", said.role, said.kind,
                             task, said.attempt, shorten(said.text, 200)),
                 data);
    }
    const std::string summary =
        said.text.empty() ? fmt::format("[{}] {} {}", said.role, task, said.kind) : shorten(said.text, 400);
    add(key, r.at, said.role, executor, type_of(said), summary, data);
    if (said.kind == "capability_gap") gap(r, key);
  }

  /// How it came to rest: each time it does, once.
  void end() {
    const std::size_t done = run_.count(StepState::completed);
    if (run_.state() == RunState::completed) {
      add(fmt::format("run.completed.{}", to_ms(run_.finished())), run_.finished(), executor, "all", "shutdown",
          fmt::format("Pipeline complete: {}/{} tasks", done, run_.step_total()), {});
    } else if (run_.state() == RunState::failed) {
      const auto error = error_of(run_);
      add(fmt::format("run.stalled.{}", to_ms(run_.finished())), run_.finished(), executor, "all", "error",
          fmt::format("Pipeline stalled: {}/{} tasks{}{}", done, run_.step_total(), error ? "; " : "",
                      error ? error->message : ""),
          {});
    } else if (run_.state() == RunState::paused) {
      add(fmt::format("run.paused.{}", run_.pause_count()), run_.last_event(), executor, "all", "warning",
          "Pipeline paused: " + run_.pause_reason(), {});
    }
  }

  std::vector<Message> take() { return std::move(messages_); }

 private:
  static std::string task_data(std::string_view task) { return fmt::format(R"({{"task_id":{}}})", json_quote(task)); }

  static std::string with_task(const std::string& data, const std::string& task, int attempt, const std::string& role) {
    std::string head =
        fmt::format(R"({{"task_id":{},"role":{},"attempt":{})", json_quote(task), json_quote(role), attempt);
    return data.empty() ? head + "}" : fmt::format(R"({},"said":{}}})", head, data);
  }

  std::string type_of(const event::WorkerReported& said) const {
    const Role* role = find_role(team_.roles, said.role);
    const std::string prefix = slug(said.role);
    if (said.kind == "complete") return role == nullptr ? prefix + "_complete" : role->success_type;
    if (said.kind == "error") return role == nullptr ? prefix + "_error" : role->error_type;
    return said.kind;
  }

  /// A warning, and where it goes. Roles are never made.
  void gap(const Report& r, const std::string& key) {
    const Gap gap = gap_of(r.said);
    const std::string what = gap.suggested.empty() ? gap.description : gap.suggested;
    const Role* covering = covering_role(gap, team_);
    const std::string data = task_data(run_.step(r.said.step).id);
    if (covering != nullptr) {
      add(key + ".warning", r.at, executor, "all", "warning",
          fmt::format("capability_gap of [{}]: {}; '{}' covers it", gap.role, what, covering->name), data);
      return add(key + ".redirect", r.at, executor, covering->name, "agent_request",
                 fmt::format("[{}] asks: {}", gap.role, gap.description), data);
    }
    add(key + ".warning", r.at, executor, "all", "warning",
        fmt::format(
            "capability_gap of [{}]: {}; no role covers it: go on with the roles there are, run team-coordinate "
            "again with resume, or add a role file by hand",
            gap.role, what),
        data);
  }

  void attempt(const Step& s, const Attempt& a) {
    const std::string name = fmt::format("{}.{}", s.id, a.n);
    add(name, a.admitted, executor, s.work->skill, "task_unblocked",
        fmt::format("Task {} unblocked: spawning {} worker (attempt {})", s.id, s.work->skill, a.n), task_data(s.id));
    if (a.state == AttemptState::unknown) {
      add(name + ".lost", a.finished, executor, "all", "warning",
          fmt::format("Task {} reset from interrupted state", s.id), task_data(s.id));
    }
    const bool failed = a.state == AttemptState::failed && a.detail && a.detail->failure;
    if (failed) {
      add(name + ".failed", a.finished, executor, "all", "error",
          fmt::format("Task {} attempt {} failed: {}", s.id, a.n, shorten(a.detail->failure->message, 300)),
          task_data(s.id));
    }
  }

  /// Of a worker that could not call back, or a task that was found done.
  void completed(StepIndex i) {
    const Step& s = run_.step(i);
    const int attempt = run_.of(i).attempts.empty() ? 0 : run_.of(i).attempts.back().n;
    const bool claimed = std::ranges::any_of(run_.reports(), [&](const Report& r) {
      return r.current && r.said.step == i && r.said.kind == "complete" && (attempt == 0 || r.said.attempt == attempt);
    });
    const Role* role = find_role(team_.roles, s.work->skill);
    if (!claimed) {
      add(fmt::format("{}.{}.done", s.id, run_.of(i).attempts.size()), time_of(i), executor, "all",
          role == nullptr ? "task_complete" : role->success_type, fmt::format("Task {} complete", s.id),
          task_data(s.id));
    }
    if (s.work->output.empty() && !run_.of(i).attempts.empty()) {
      add(s.id + ".undeclared", time_of(i), executor, "all", "warning",
          fmt::format("Task {} declares no artifact: that its worker ended is all that is known", s.id),
          task_data(s.id));
    }
  }

  [[nodiscard]] Time time_of(StepIndex i) const {
    const StepRun& s = run_.of(i);
    if (s.attempts.empty()) return run_.last_event();
    return s.attempts.back().finished == Time{} ? s.attempts.back().admitted : s.attempts.back().finished;
  }

  void add(const std::string& key, Time at, std::string from, std::string to, std::string type, std::string summary,
           const std::string& data) {
    Message m{{},
              bus_time(at == Time{} ? run_.last_event() : at),
              std::move(from),
              std::move(to),
              std::move(type),
              std::move(summary),
              with_key(data.empty() ? "{}" : data, id_ + ":" + key)};
    messages_.push_back(std::move(m));
  }

  const std::string& id_;
  const Run& run_;
  const Team& team_;
  std::vector<Message> messages_;
};

}  // namespace

std::vector<Message> messages_of(const std::string& id, const Run& run, const Team& team) {
  Telling telling{id, run, team};
  const std::vector<Note> notes = notes_from_json(option_of(run, "team_notes"));
  for (std::size_t n = 0; n < notes.size(); ++n) telling.note(n, notes[n]);
  for (const Report& r : run.reports()) telling.report(r);
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    if (!run.never_existed(step_index(n))) telling.step(step_index(n));
  }
  telling.end();
  return in_order(telling.take());
}

}  // namespace baton::team
