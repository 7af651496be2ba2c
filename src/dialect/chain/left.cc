#include "dialect/chain/left.h"

#include <algorithm>

#include "dialect/chain/extend.h"

namespace baton::chain {

std::vector<StepIndex> steps_left(const Run& run, StepIndex by) {
  std::vector<StepIndex> left;
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    const StepState state = run.of(step_index(n)).state;
    const bool waits = state == StepState::pending || state == StepState::ready;
    if (waits && step_index(n) != by) left.push_back(step_index(n));
  }
  return left;
}

StepIds ids_beside(const Run& run, const std::vector<StepIndex>& replaced) {
  StepIds ids;
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    const StepIndex i = step_index(n);
    const bool goes = run.of(i).state.is_replaced() || std::ranges::find(replaced, i) != replaced.end();
    // Once its turn came its tree was made ready under its name, and what is on record of that is no other's.
    const bool began = !run.of(i).attempts.empty() || run.flow_of(i) != nullptr;
    if (!goes || began) ids.add(run.step(i).id);
  }
  return ids;
}

std::vector<StepIndex> ends_of(const Run& run) {
  std::vector<bool> built_on(run.step_count(), false);
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    const StepIndex i = step_index(n);
    if (run.of(i).state != StepState::completed) continue;
    for (const StepIndex need : run.step(i).needs) built_on[at(need)] = true;
  }
  std::vector<StepIndex> ends;
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    const StepIndex i = step_index(n);
    // Whoever waited for a conflict to be resolved builds on that, but by a join, not by a need.
    const bool resolves = run.step(i).work->skill == resolving_skill;
    if (run.of(i).state == StepState::completed && !built_on[n] && !resolves) ends.push_back(i);
  }
  return ends;
}

}  // namespace baton::chain
