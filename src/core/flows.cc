#include "core/flows.h"

#include <algorithm>
#include <utility>

#include "base/ensure.h"

namespace baton {

FlowRun* Flows::find(StepIndex i) {
  const auto found = all_.find(static_cast<std::uint32_t>(i));
  return found == all_.end() ? nullptr : &found->second;
}

void Flows::ask(FlowRun& flow) {
  BATON_ENSURE(flow.is == TurnState::Is::idle, "a turn is asked for that is open, or was taken", "");
  BATON_ENSURE(flow.generation > 0 && flow.round >= 0, "turns are counted from nowhere", "");
  flow.is = TurnState::Is::asked;
  ++turns_open_;
}

FlowRun* Flows::forget_turn(StepIndex i) {
  FlowRun* flow = find(i);
  if (flow == nullptr || !flow->is_asked()) return flow;
  BATON_ENSURE(turns_open_ > 0, "a turn is open that was not counted", "");
  flow->is = TurnState::Is::idle;
  --turns_open_;
  return flow;
}

void Flows::begin_anew(StepIndex i) {
  FlowRun* flow = forget_turn(i);
  BATON_ENSURE(flow != nullptr, "a flow begins anew that never began", "");
  FlowRun anew;
  anew.generation = flow->generation + 1;
  if (flow->is_approved()) anew.answer = TurnState::Answer::approved;
  *flow = std::move(anew);
}

bool Flows::has_rejected() const {
  return std::ranges::any_of(all_, [](const auto& flow) { return flow.second.is_rejected(); });
}

}  // namespace baton
