#include "dialect/session/reflect.h"

#include <fmt/core.h>

#include "base/text.h"
#include "core/facts.h"

namespace baton::session {
namespace {

constexpr std::size_t note_bytes_max = 500;

std::string note_of(const Failure& failure) {
  return shorten(fmt::format("{}: {}", failure.code, failure.message), note_bytes_max);
}

Time end_of(const Attempt& attempt) { return attempt.finished == Time{} ? attempt.admitted : attempt.finished; }

/// Attempts that failed while the task went on.
void add_failed_attempts(const StepRun& step, std::vector<StatusChange>& changes) {
  const bool is_over = step.state == StepState::failed || step.state == StepState::blocked;
  for (const Attempt& attempt : step.attempts) {
    const bool is_last = &attempt == &step.attempts.back();
    if (!attempt.detail || !attempt.detail->failure || (is_last && is_over)) continue;
    changes.push_back({.to = "in_progress",
                       .at = end_of(attempt),
                       .note = fmt::format("attempt {}: {}", attempt.n, note_of(*attempt.detail->failure)),
                       .even_if_completed = true});
  }
}

}  // namespace

std::vector<StatusChange> status_changes(const Run& run, StepIndex i) {
  const StepRun& step = run.of(i);
  std::vector<StatusChange> changes;
  const bool began = !step.attempts.empty();
  if (began) changes.push_back({.to = "in_progress", .at = step.attempts.front().admitted});
  add_failed_attempts(step, changes);
  const Time at = began ? end_of(step.attempts.back()) : run.created();
  if (step.state == StepState::completed && began) changes.push_back({.to = "completed", .at = at});
  if (step.state == StepState::failed || step.state == StepState::blocked) {
    const auto failure = error_of(run, i);
    const bool timed_out = failure && failure->kind() == FailureKind::timed_out;
    const bool is_blocked = timed_out || step.state == StepState::blocked;
    if (failure && failure->code == "corrupt-task-file") return {};  // it cannot be written to
    changes.push_back({.to = is_blocked ? "blocked" : "failed",
                       .at = at,
                       .note = failure ? note_of(*failure) : "",
                       .even_if_completed = true});
  }
  return changes;
}

std::optional<TodoChange> box_change(const Run& run, StepIndex i, bool has_summary) {
  if (run.of(i).state != StepState::completed || run.step(i).work->is_nothing()) return std::nullopt;
  return TodoChange{run.step(i).id, BoxState::completed, has_summary};
}

SessionChange session_change(const Run& run) {
  SessionChange change{.status = "active", .started = run.started() == Time{} ? run.created() : run.started()};
  if (run.state() == RunState::completed || run.state() == RunState::accepted) {
    change.status = "completed";
    change.completed = run.finished();
  } else if (run.state() == RunState::failed) {
    change.status = "partial";
    change.updated = run.finished();
  }
  return change;
}

Expected<std::string> with_changes(std::string_view text, const std::string& file,
                                   const std::vector<StatusChange>& changes) {
  std::string out{text};
  // What was said after it was said after it: of a file that said `in_progress` all by itself that is not on record.
  std::size_t first = changes.size();
  while (first > 0 && !is_recorded(text, changes[first - 1])) --first;
  for (std::size_t n = first; n < changes.size(); ++n) {
    auto next = set_status(out, file, changes[n]);
    if (!next) return next;
    out = std::move(*next);
  }
  return out;
}

}  // namespace baton::session
