#include "engine/output_writers.h"

#include <algorithm>

#include "plan/path_rule.h"

namespace baton {
namespace {

/// It writes the file itself, and the name stands there.
bool is_known_writer(const Step& step) {
  const bool is_composite = step.flow != nullptr && step.flow->is_composite();
  const bool writes = is_composite ? !step.flow->for_each.empty() : !step.work->is_nothing();
  return writes && !step.work->output.empty() && step.work->output.find("${{") == std::string::npos;
}

/// The composite that a step was made for.
std::optional<StepIndex> owner_of(const Run& run, StepIndex step) {
  const auto& all = run.extensions();
  const auto after = std::ranges::upper_bound(all, step, {}, &std::pair<StepIndex, StepIndex>::second);
  if (after == all.begin()) return std::nullopt;
  const StepIndex by = std::prev(after)->first;
  const Step& owner = run.step(by);
  return owner.flow != nullptr && owner.flow->is_composite() ? std::optional{by} : std::nullopt;
}

/// One round comes after the other.
bool are_rounds(const Run& run, StepIndex a, StepIndex b) {
  const auto owner = owner_of(run, a);
  if (!owner || owner != owner_of(run, b) || run.step(*owner).flow->loop_max == 0) return false;
  return run.step(a).flow->index != run.step(b).flow->index;
}

}  // namespace

bool comes_after(const Run& run, StepIndex step, StepIndex other) {
  std::vector<bool> seen(run.step_count(), false);
  std::vector<StepIndex> open{step};
  const auto look_at = [&](const std::vector<StepIndex>& needs) {
    for (const StepIndex need : needs) {
      if (!seen[at(need)]) open.push_back(need);
      seen[at(need)] = true;
    }
  };
  while (!open.empty()) {
    const StepIndex next = open.back();
    open.pop_back();
    if (next == other) return true;
    look_at(run.needs_of(next));
    // What is made for a composite waits for all that the composite waited for.
    if (const auto owner = owner_of(run, next)) look_at(run.step(*owner).needs);
  }
  return false;
}

void OutputWriters::catch_up(const Run& run) {
  for (; seen_ < run.step_count(); ++seen_) {
    const Step& step = run.step(step_index(seen_));
    if (is_known_writer(step)) writers_[plain_path(step.work->output)].push_back(step_index(seen_));
  }
}

const std::vector<StepIndex>& OutputWriters::of(const Run& run, const std::string& output) {
  catch_up(run);
  return writers_[plain_path(output)];
}

std::optional<StepIndex> OutputWriters::note(const Run& run, StepIndex step, const std::string& output) {
  catch_up(run);
  std::vector<StepIndex>& writers = writers_[plain_path(output)];
  for (const StepIndex other : writers) {
    if (other == step || run.of(other).state.is_replaced() || are_rounds(run, step, other)) continue;
    if (!comes_after(run, step, other) && !comes_after(run, other, step)) return other;
  }
  if (std::ranges::find(writers, step) == writers.end()) writers.push_back(step);
  return std::nullopt;
}

}  // namespace baton
