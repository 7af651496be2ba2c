#include "dialect/workspace/reflect.h"

#include <algorithm>
#include <unordered_map>

#include "dialect/workspace/workspace_plan.h"

namespace baton::workspace {
namespace {

bool has_ended(const Run& run) { return is_over(run.state()) || run.state() == RunState::failed; }

Time end_of(const Run& run, StepIndex step) {
  const StepRun& s = run.of(step);
  if (s.attempts.empty()) return run.finished();
  const Attempt& last = s.attempts.back();
  return last.detail && last.detail->checked ? last.detail->checked_at : last.finished;
}

Time last_began(const Run& run, StepIndex step) {
  const StepRun& s = run.of(step);
  return s.attempts.empty() ? run.started() : s.attempts.back().admitted;
}

/// The last word on this work: a review that began when the work was done, and is over.
std::optional<StepIndex> review_of(const Run& run, StepIndex work) {
  if (std::ranges::none_of(run.plan().steps, [](const Step& s) { return s.work->extends == Extends::review; })) {
    return std::nullopt;
  }
  const std::string task = task_of_step(run.step(work).id);
  const Time done = end_of(run, work);
  std::optional<StepIndex> found;
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    const StepIndex step = step_index(n);
    const bool over = run.of(step).state == StepState::completed || run.of(step).state == StepState::failed;
    if (!over || run.step(step).work->extends != Extends::review || run.of(step).attempts.empty()) continue;
    const std::vector<std::string> about = reviewed_tasks(run, step);
    if (std::ranges::find(about, task) == about.end() || last_began(run, step) < done) continue;
    if (!found || last_began(run, *found) <= last_began(run, step)) found = step;
  }
  return found;
}

bool looks_through(const Run& run, StepIndex step) {
  return run.step(step).work->extends == Extends::review || is_gate(run.step(step));
}

/// The steps whose work a review, or a person's look, is about: reviews and looks between the two are looked through.
/// With `on_the_way` those are told too.
std::vector<StepIndex> reviewed_steps(const Run& run, StepIndex review, std::vector<StepIndex>* on_the_way = nullptr) {
  std::vector<StepIndex> found;
  std::vector<StepIndex> open = run.needs_of(review);
  std::vector<bool> seen(run.step_count(), false);
  while (!open.empty()) {
    const StepIndex step = open.back();
    open.pop_back();
    if (seen[at(step)]) continue;
    seen[at(step)] = true;
    if (!looks_through(run, step)) {
      found.push_back(step);
      continue;
    }
    if (on_the_way != nullptr) on_the_way->push_back(step);
    const std::vector<StepIndex> needs = run.needs_of(step);
    open.insert(open.end(), needs.begin(), needs.end());
  }
  return found;
}

bool holds(const std::vector<StepIndex>& steps, StepIndex step) {
  return std::ranges::find(steps, step) != steps.end();
}

/// A person's last word on this very work, if nobody has reviewed it since.
std::optional<Verdict> persons_word(const Run& run, StepIndex work, const std::optional<StepIndex>& review) {
  if (std::ranges::none_of(run.plan().steps, is_gate)) return std::nullopt;
  std::optional<Verdict> found;
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    const StepIndex gate = step_index(n);
    const auto said = answer_of_gate(run, gate);
    if (!said || !holds(reviewed_steps(run, gate), work)) continue;
    std::vector<StepIndex> before_review;
    if (review) (void)reviewed_steps(run, *review, &before_review);
    if (holds(before_review, gate)) continue;
    found = said;
  }
  return found;
}

Standing completed_standing(const Run& run, StepIndex step, const VerdictOf& verdict_of) {
  Standing standing{TaskStatus::completed, end_of(run, step)};
  const auto review = review_of(run, step);
  if (const auto word = persons_word(run, step, review)) {
    if (has_ended(run)) standing.at = run.finished();
    if (*word == Verdict::approve) standing.status = TaskStatus::approved;
    if (*word == Verdict::reject && has_ended(run)) standing.status = TaskStatus::failed;
    return standing;
  }
  const auto said = review ? verdict_of(*review) : std::nullopt;
  if (!said) return standing;
  const bool stood = run.of(*review).state == StepState::completed;
  switch (*said) {
    case Verdict::approve:
      if (!stood) return standing;
      standing.status = TaskStatus::approved;
      break;
    case Verdict::revise:
      // One that the review asked for and that nobody makes any more: a person has to see to it.
      standing.status = stood ? TaskStatus::revision : TaskStatus::blocked;
      break;
    case Verdict::reject:
      standing.status = TaskStatus::failed;
      break;
  }
  const bool shows_only_at_the_end = !stood;
  if (shows_only_at_the_end && !has_ended(run)) return {TaskStatus::completed, end_of(run, step)};
  standing.at = end_of(run, *review);
  return standing;
}

}  // namespace

std::optional<StepIndex> last_step_of(const Run& run, std::string_view task) {
  for (std::size_t n = run.step_count(); n-- > 0;) {
    const StepIndex step = step_index(n);
    if (!run.of(step).state.is_replaced() && task_of_step(run.step(step).id) == task) return step;
  }
  return std::nullopt;
}

std::vector<std::pair<std::string, StepIndex>> tasks_of(const Run& run) {
  std::vector<std::pair<std::string, StepIndex>> tasks;
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    const StepIndex step = step_index(n);
    if (is_gate(run.step(step)) || run.of(step).state.is_replaced()) continue;
    std::string task = task_of_step(run.step(step).id);
    const auto [place, is_new] = places.try_emplace(task, tasks.size());
    if (is_new) {
      tasks.emplace_back(std::move(task), step);
    } else {
      tasks[place->second].second = step;
    }
  }
  return tasks;
}

std::vector<std::string> reviewed_tasks(const Run& run, StepIndex review) {
  std::vector<std::string> found;
  for (const StepIndex step : reviewed_steps(run, review)) found.push_back(task_of_step(run.step(step).id));
  std::ranges::sort(found);
  const auto repeated = std::ranges::unique(found);
  found.erase(repeated.begin(), repeated.end());
  return found;
}

std::optional<Verdict> answer_of_gate(const Run& run, StepIndex gate) {
  const FlowRun* flow = run.flow_of(gate);
  if (!is_gate(run.step(gate)) || flow == nullptr) return std::nullopt;
  const StepState state = run.of(gate).state;
  if (flow->is_approved() && state == StepState::completed) return Verdict::approve;
  if (flow->is_rejected() && state == StepState::failed) return Verdict::reject;
  return std::nullopt;
}

std::optional<Standing> standing_of(const Run& run, StepIndex step, const VerdictOf& verdict_of) {
  const StepRun& s = run.of(step);
  const bool ended = has_ended(run);
  const Time at = ended ? run.finished() : last_began(run, step);
  switch (s.state) {
    case StepState::completed:
      return completed_standing(run, step, verdict_of);
    case StepState::failed:
      return Standing{ended ? TaskStatus::failed : TaskStatus::in_progress, at};
    case StepState::cancelled:
      return Standing{ended ? TaskStatus::cancelled : TaskStatus::in_progress, at};
    case StepState::ready:
    case StepState::running:
    case StepState::checking:
    case StepState::waiting:
      return Standing{TaskStatus::in_progress, last_began(run, step)};
    case StepState::blocked: {
      const FlowRun* flow = run.flow_of(step);
      const bool later = flow != nullptr && flow->code == budget_deferred_code;
      return Standing{later ? TaskStatus::deferred : TaskStatus::blocked, at};
    }
    case StepState::pending:
    case StepState::skipped:
      break;
  }
  return std::nullopt;
}

}  // namespace baton::workspace
