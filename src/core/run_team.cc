// What the workers of a team say, and what people decide about their tasks.
#include <algorithm>

#include "core/run.h"

namespace baton {

using Announced = command::Announce::Kind;

std::optional<StepIndex> Run::at_work_on(StepIndex task, int n) const {
  const auto is_at = [&](StepIndex i) {
    return of(i).state == StepState::running && of(i).attempts.back().n == n && !of(i).attempts.back().ahead;
  };
  if (is_at(task)) return task;
  const std::string& id = step(task).id;
  for (std::size_t k = 0; k < steps_.size(); ++k) {
    const StepIndex other = step_index(k);
    const std::vector<std::string>& also = step(other).work->also;
    if (!also.empty() && is_at(other) && std::ranges::find(also, id) != also.end()) return other;
  }
  return std::nullopt;
}

void Run::on(const event::WorkerReported& e, Commands& out) {
  if (!steps_.has(e.step) || !reports_.note(e, now_, at_work_on(e.step, e.attempt).has_value())) return;
  steps_.touch(e.step);
  out.push_back(command::Announce{Announced::step_reported, e.step, e.attempt, {}, reports_.all().size() - 1, now_});
}

void Run::on(const event::StepDecided& e, Commands& out) {
  steps_.graph().change_shape();
  if (!steps_.has(e.step) || cancelling_ || is_over(state_) || steps_.is_at_work(e.step)) return;
  StepRun& s = steps_.ref(e.step);
  if (s.state.is_replaced() || s.state.is_skipped_by_person() || s.state == StepState::completed) return;
  // What others are made for, what changes the plan, or what a person has to approve, is more than a task.
  const Step& planned = step(e.step);
  const bool is_more =
      planned.work->is_nothing() || planned.work->extends != Extends::nothing ||
      (planned.flow != nullptr && (planned.flow->is_composite() || planned.flow->gate || planned.flow->tree));
  if (is_more || steps_.graph().made_for(e.step)) return;
  // A run that was paused for something else stays so: that is another decision.
  const bool ends_pause = s.state.awaits_person() && pause_cause_ == PauseCause::step_timeout;
  timers_.disarm(retry_of(e.step), out);
  FlowRun* flow = steps_.flows().forget_turn(e.step);
  if (flow != nullptr) flow->reason = e.by;
  if (e.completed) found_[static_cast<std::uint32_t>(e.step)] = {{}, now_};
  steps_.set(e.step, e.completed ? StepStanding::completed() : StepStanding::skipped_by_person());
  announce(Announced::step_finished, out, e.step, next_attempt(e.step) - 1);
  // Those that were skipped because of it wait again, and so do those behind them.
  std::vector<StepIndex> behind;
  std::vector<StepIndex> open{e.step};
  while (!open.empty()) {
    const StepIndex next = open.back();
    open.pop_back();
    steps_.graph().each_successor(next, [&](StepIndex successor) {
      const StepStanding after = of(successor).state;
      const bool skipped = after.cause().has_value();
      if (skipped) {
        steps_.set(successor, StepStanding::pending());
        open.push_back(successor);
      }
      if (skipped || (next == e.step && after == StepState::pending)) behind.push_back(successor);
    });
  }
  std::ranges::sort(behind);
  behind.erase(std::unique(behind.begin(), behind.end()), behind.end());
  for (const StepIndex i : behind) steps_.graph().set_unmet(i, steps_.count_unmet(i));
  for (const StepIndex i : behind) {
    const FlowRun* its = flow_of(i);
    const bool asked = its != nullptr && its->is_asked();
    if (of(i).state == StepState::pending && !asked) ready_when_met(i, out);
  }
  if (state_ != RunState::paused || ends_pause) go_on(out);
  settle(out);
}

}  // namespace baton
