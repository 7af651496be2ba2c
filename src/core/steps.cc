#include "core/steps.h"

#include <algorithm>

#include "base/ensure.h"

namespace baton {

Steps::Steps(std::shared_ptr<const Plan> plan) : all_(plan->steps.size()), graph_(std::move(plan)) {
  counts_[static_cast<std::size_t>(StepState::pending)] = all_.size();
}

std::optional<StepIndex> Steps::find(std::string_view id) const {
  std::optional<StepIndex> replaced;  // its name may be another's now
  for (std::size_t n = 0; n < all_.size(); ++n) {
    if (step(step_index(n)).id != id) continue;
    if (!all_[n].state.is_replaced()) return step_index(n);
    replaced = step_index(n);
  }
  return replaced;
}

StepRun& Steps::ref(StepIndex i) {
  BATON_ENSURE(has(i), "a step is changed that is not there", "");
  return all_[at(i)];
}

void Steps::set(StepIndex i, StepStanding standing) {
  StepRun& s = ref(i);
  BATON_ENSURE(!s.state.is_replaced(), "what others took the place of comes back", step(i).id);
  BATON_ENSURE(counts_[static_cast<std::size_t>(s.state.state())] > 0, "steps are miscounted", step(i).id);
  BATON_ENSURE(standing != StepState::checking || !s.attempts.empty(), "an output is checked that no attempt made",
               step(i).id);
  BATON_ENSURE(standing.cause() != i, "a step is skipped because of itself", step(i).id);
  --counts_[static_cast<std::size_t>(s.state.state())];
  ++counts_[static_cast<std::size_t>(standing.state())];
  s.state = standing;
  if (standing == StepState::ready) ready_.push_back(i);
  touch(i);
}

void Steps::set_reason(StepIndex i, StepStanding standing) {
  StepRun& s = ref(i);
  BATON_ENSURE(s.state.state() == standing.state(), "a reason does not fit the step's state", step(i).id);
  s.state = standing;
}

void Steps::add() {
  touch(step_index(all_.size()));
  all_.emplace_back();
  ++counts_[static_cast<std::size_t>(StepState::pending)];
  BATON_ENSURE(all_.size() <= graph_.size(), "a step is added that the graph does not have", "");
}

void Steps::replace(StepIndex i) {
  const StepStanding standing = all_[at(i)].state;
  if (standing.is_replaced()) return;
  (void)flows_.forget_turn(i);
  if (standing == StepState::completed) return set_reason(i, standing.replaced());
  set(i, standing.replaced());
  if (never_existed(i)) ++never_existed_;
}

void Steps::replace_rest() {
  for (std::size_t n = 0; n < all_.size(); ++n) {
    const StepState state = all_[n].state;
    if (state == StepState::pending || state == StepState::ready) replace(step_index(n));
  }
}

std::vector<StepIndex> Steps::take_touched() {
  std::ranges::sort(touched_);
  touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
  std::vector<StepIndex> taken = touched_;
  touched_.clear();  // keeps its room for the next events
  touched_before_ = 0;
  return taken;
}

bool Steps::never_existed(StepIndex i) const {
  const StepRun& s = all_[at(i)];
  return s.state.is_replaced() && s.state == StepState::cancelled && s.attempts.empty();
}

bool Steps::ended_badly(StepIndex i) const {
  const StepState state = all_[at(i)].state;
  return is_settled(state) && state != StepState::completed;
}

bool Steps::is_at_work(StepIndex i) const {
  const StepState state = all_[at(i)].state;
  return state == StepState::running || state == StepState::checking;
}

bool Steps::waits_for_quota() const {
  return count(StepState::waiting) > 0 &&
         std::ranges::any_of(all_, [](const StepRun& s) { return s.state.waits_for_quota(); });
}

std::size_t Steps::skipped_without_failure() const {
  if (count(StepState::skipped) == 0) return 0;
  return static_cast<std::size_t>(
      std::ranges::count_if(all_, [](const StepRun& s) { return s.state.is_skipped_without_failure(); }));
}

bool Steps::end_in_review() const {
  for (std::size_t n = 0; n < all_.size(); ++n) {
    const StepStanding standing = all_[n].state;
    if (standing == StepState::completed && !standing.is_replaced() && step(step_index(n)).work->reviews) return true;
  }
  return false;
}

bool Steps::is_last_at_work(StepIndex i) const {
  const std::size_t others = count(StepState::ready) + count(StepState::waiting) + count(StepState::checking);
  const bool is_alone = all_[at(i)].state == StepState::running && count(StepState::running) == 1 && others == 0;
  if (!is_alone || flows_.turns_open() > 0) return false;
  const auto waits_for_parts = [&](StepIndex composite, const FlowRun& flow) {
    return !flow.made.empty() && all_[at(composite)].state == StepState::pending;
  };
  return flows_.count_if(waits_for_parts) == count(StepState::pending);
}

bool Steps::tolerates(StepIndex i, StepIndex need) const {
  const Step& s = step(i);
  const bool only_joins = s.work->is_nothing() && (s.flow == nullptr || (!s.flow->gate && !s.flow->is_composite()));
  if (only_joins) return true;
  if (s.flow == nullptr) return false;
  return !s.flow->when.empty() || graph_.made_for(need) == i;
}

bool Steps::is_met(StepIndex i, StepIndex need) const {
  const StepStanding n = all_[at(need)].state;
  if (n == StepState::completed || n.is_skipped_by_person()) return true;
  return n.is_skipped_without_failure() && tolerates(i, need);
}

std::uint32_t Steps::count_unmet(StepIndex i) const {
  std::uint32_t unmet = 0;
  graph_.each_need(i, [&](StepIndex need) { unmet += is_met(i, need) ? 0 : 1; });
  return unmet;
}

bool Steps::join(StepIndex i, const std::vector<StepIndex>& needs) {
  bool are_met = true;
  for (const StepIndex need : needs) {
    are_met = are_met && is_met(i, need);
    if (!graph_.needs(i, need)) graph_.join(i, need);
  }
  return are_met;
}

void Steps::wait_again_for(StepIndex i, std::optional<StepIndex> by) {
  if (by) (void)join(*by, {i});
  graph_.each_successor(i, [&](StepIndex waiting) {
    const StepState state = all_[at(waiting)].state;
    if (state != StepState::pending && state != StepState::ready) return;
    if (state == StepState::ready) set(waiting, StepStanding::pending());
    (void)flows_.forget_turn(waiting);
    graph_.set_unmet(waiting, count_unmet(waiting));
  });
}

bool Steps::is_tree_busy(StepIndex i) const {
  const std::string& tree = step(i).work->tree;
  if (tree.empty()) return false;
  for (std::size_t n = 0; n < all_.size(); ++n) {
    const StepIndex other = step_index(n);
    const FlowRun* flow = flows_.find(other);
    const bool is_there = is_at_work(other) || (flow != nullptr && flow->is_asked());
    if (is_there && other != i && step(other).work->tree == tree) return true;
  }
  return false;
}

void Steps::forget_tree(StepIndex i) {
  FlowRun* flow = flows_.find(i);
  if (flow == nullptr || !step(i).flow->tree) return;
  if (flow->may_start()) flow->is = TurnState::Is::idle;
  flow->filled.reset();
}

std::optional<StepIndex> Steps::next_ready() {
  while (!ready_.empty() && all_[at(ready_.front())].state != StepState::ready) ready_.pop_front();
  for (const StepIndex i : ready_) {
    if (all_[at(i)].state == StepState::ready && !is_tree_busy(i)) return i;
  }
  return std::nullopt;
}

Attempt::Detail& detail_of(Attempt& attempt) {
  if (!attempt.detail) attempt.detail = std::make_shared<Attempt::Detail>();
  return *attempt.detail;
}

}  // namespace baton
