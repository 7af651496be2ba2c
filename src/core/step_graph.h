#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plan/plan.h"

namespace baton {

/// The steps of a run and what they need: those of its plan, which never change, and what was added, joined or gave way
/// since. It counts how many needs each step still waits for; what counts as met the run says.
class StepGraph {
 public:
  StepGraph() = default;
  explicit StepGraph(std::shared_ptr<const Plan> plan);

  [[nodiscard]] std::size_t size() const { return unmet_.size(); }
  [[nodiscard]] bool has(StepIndex i) const { return at(i) < size(); }
  /// As it was planned, or as it was when it was added.
  [[nodiscard]] const Step& step(StepIndex i) const {
    return at(i) < planned_.size() ? planned_[at(i)] : added_[at(i) - planned_.size()];
  }

  /// Behind all others. It may need steps that are appended after it, and waits for all its needs.
  StepIndex append(Step step);
  /// The same for the parts of a composite, which from now on waits for them alone. Their needs count from the first.
  void append_made(StepIndex by, const std::vector<Step>& made);
  /// The step needs that one besides what is planned.
  void join(StepIndex i, StepIndex need);
  /// These gave way to others: no step that joined them needs them any more. Answers those steps.
  std::vector<StepIndex> part_from(const std::vector<StepIndex>& gone);

  /// What the step needs: as planned, then what was joined.
  template <class Visit>
  void each_need(StepIndex i, Visit visit) const;
  template <class Visit>
  void each_successor(StepIndex i, Visit visit) const;
  [[nodiscard]] std::vector<StepIndex> needs_of(StepIndex i) const;
  [[nodiscard]] bool needs(StepIndex i, StepIndex need) const;
  [[nodiscard]] bool has_joins(StepIndex i) const { return joined_needs_.contains(key(i)); }
  /// The composite that the step was made for.
  [[nodiscard]] std::optional<StepIndex> made_for(StepIndex i) const;
  /// These and all that depends on them, in order, but not what `is_border` says, nor what is only behind that.
  template <class IsBorder>
  [[nodiscard]] std::vector<StepIndex> downstream(std::vector<StepIndex> roots, IsBorder is_border) const;

  /// Needs that are not met yet.
  [[nodiscard]] std::uint32_t unmet(StepIndex i) const { return unmet_[at(i)]; }
  void set_unmet(StepIndex i, std::uint32_t unmet) { unmet_[at(i)] = unmet; }
  /// True if it was the last one.
  [[nodiscard]] bool meet_one(StepIndex i);

  /// Counts up when steps come to need others than before, or when what is thought of their needs is to be thought
  /// anew.
  [[nodiscard]] std::uint64_t shape() const { return shape_; }
  void change_shape() { ++shape_; }

 private:
  static std::uint32_t key(StepIndex i) { return static_cast<std::uint32_t>(i); }

  std::shared_ptr<const Plan> plan_;
  std::span<const Step> planned_;  ///< those of the plan
  std::deque<Step> added_;
  std::vector<std::uint32_t> unmet_;
  std::vector<std::uint32_t> successor_start_;  ///< of the plan's own steps, in one flat array
  std::vector<StepIndex> successors_;
  std::unordered_map<std::uint32_t, std::vector<StepIndex>> further_successors_;
  std::unordered_map<std::uint32_t, std::vector<StepIndex>> joined_needs_;
  std::unordered_map<std::uint32_t, StepIndex> made_for_;
  std::uint64_t shape_ = 0;
};

template <class Visit>
void StepGraph::each_successor(StepIndex i, Visit visit) const {
  const std::size_t n = at(i);
  if (n + 1 < successor_start_.size()) {
    for (std::uint32_t s = successor_start_[n]; s < successor_start_[n + 1]; ++s) visit(successors_[s]);
  }
  if (further_successors_.empty()) return;
  const auto further = further_successors_.find(key(i));
  if (further == further_successors_.end()) return;
  for (const StepIndex s : further->second) visit(s);
}

template <class Visit>
void StepGraph::each_need(StepIndex i, Visit visit) const {
  for (const StepIndex need : step(i).needs) visit(need);
  if (joined_needs_.empty()) return;
  const auto joined = joined_needs_.find(key(i));
  if (joined == joined_needs_.end()) return;
  for (const StepIndex need : joined->second) visit(need);
}

template <class IsBorder>
std::vector<StepIndex> StepGraph::downstream(std::vector<StepIndex> roots, IsBorder is_border) const {
  std::vector<StepIndex> found;
  std::vector<bool> seen(size(), false);
  while (!roots.empty()) {
    const StepIndex i = roots.back();
    roots.pop_back();
    if (seen[at(i)] || is_border(i)) continue;
    seen[at(i)] = true;
    found.push_back(i);
    each_successor(i, [&](StepIndex successor) { roots.push_back(successor); });
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace baton
