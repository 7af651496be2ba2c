#include "core/step_graph.h"

#include "base/ensure.h"

namespace baton {

StepGraph::StepGraph(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {
  // Two passes over the needs make one flat array of successors: no allocation per step, however large the plan.
  const std::vector<Step>& steps = plan_->steps;
  planned_ = steps;
  unmet_.resize(steps.size());
  successor_start_.assign(steps.size() + 1, 0);
  for (const Step& s : steps) {
    for (const StepIndex need : s.needs) {
      BATON_ENSURE(at(need) < steps.size(), "a step needs one that is not in the plan", s.id);
      ++successor_start_[at(need) + 1];
    }
  }
  for (std::size_t i = 1; i < successor_start_.size(); ++i) successor_start_[i] += successor_start_[i - 1];
  successors_.resize(successor_start_.back());
  std::vector<std::uint32_t> next(successor_start_.begin(), successor_start_.end() - 1);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    unmet_[i] = static_cast<std::uint32_t>(steps[i].needs.size());
    for (const StepIndex need : steps[i].needs) successors_[next[at(need)]++] = step_index(i);
  }
}

StepIndex StepGraph::append(Step step) {
  const StepIndex i = step_index(size());
  for (const StepIndex need : step.needs) further_successors_[key(need)].push_back(i);
  unmet_.push_back(static_cast<std::uint32_t>(step.needs.size()));
  added_.push_back(std::move(step));
  return i;
}

void StepGraph::append_made(StepIndex by, const std::vector<Step>& made) {
  const std::size_t first = size();
  BATON_ENSURE(has(by), "parts are made for a step that is not there", "");
  ++shape_;
  for (const Step& m : made) {
    Step step = m;
    for (StepIndex& need : step.needs) {
      BATON_ENSURE(at(need) < made.size(), "a part of a composite needs what is no part of it", step.id);
      need = step_index(first + at(need));
    }
    const StepIndex i = append(std::move(step));
    made_for_[key(i)] = by;
    joined_needs_[key(by)].push_back(i);
    further_successors_[key(i)].push_back(by);
  }
  unmet_[at(by)] = static_cast<std::uint32_t>(made.size());
}

void StepGraph::join(StepIndex i, StepIndex need) {
  BATON_ENSURE(i != need && has(i) && has(need), "a step is joined to itself, or to none", "");
  ++shape_;
  joined_needs_[key(i)].push_back(need);
  further_successors_[key(need)].push_back(i);
}

std::vector<StepIndex> StepGraph::part_from(const std::vector<StepIndex>& gone) {
  std::vector<StepIndex> parted;
  BATON_ENSURE(std::ranges::all_of(gone, [&](StepIndex i) { return made_for(i).has_value(); }),
               "a step gave way that was made for none", "");
  ++shape_;
  for (const StepIndex need : gone) {
    const auto successors = further_successors_.find(key(need));
    if (successors == further_successors_.end()) continue;
    std::erase_if(successors->second, [&](StepIndex by) {
      const auto joined = joined_needs_.find(key(by));
      const bool had_joined = joined != joined_needs_.end() && std::erase(joined->second, need) > 0;
      if (had_joined) parted.push_back(by);
      return had_joined;
    });
  }
  return parted;
}

std::vector<StepIndex> StepGraph::needs_of(StepIndex i) const {
  std::vector<StepIndex> needs;
  each_need(i, [&](StepIndex need) { needs.push_back(need); });
  return needs;
}

bool StepGraph::needs(StepIndex i, StepIndex need) const {
  bool found = false;
  each_need(i, [&](StepIndex n) { found = found || n == need; });
  return found;
}

std::optional<StepIndex> StepGraph::made_for(StepIndex i) const {
  const auto found = made_for_.find(key(i));
  return found == made_for_.end() ? std::nullopt : std::optional{found->second};
}

bool StepGraph::meet_one(StepIndex i) {
  BATON_ENSURE(unmet_[at(i)] > 0, "a need was met twice", step(i).id);
  return --unmet_[at(i)] == 0;
}

}  // namespace baton
