// Outputs that are no longer what was checked: before anything builds on one, and before the run is over, it is checked
// once more.
#include <algorithm>

#include "core/run.h"

namespace baton {

void Run::on(const event::OutputsStand& /*e*/, Commands& out) {
  if (!verifying_) return;  // it goes on meanwhile
  verifying_ = false;
  verified_ = true;
  settle(out);
  verified_ = false;
}

void Run::on(const event::OutputDoubted& e, Commands& out) {
  if (!steps_.has(e.step) || is_over(state_) || state_ == RunState::failed || cancelling_) return;
  if (of(e.step).state != StepState::completed || of(e.step).state.is_replaced()) {
    // It is being checked already, or made: the other one waits for that, too.
    if (e.by && (of(*e.by).state == StepState::pending || of(*e.by).state == StepState::ready)) {
      if (!of(e.step).state.is_replaced()) (void)steps_.join(*e.by, {e.step});
      (void)steps_.flows().forget_turn(*e.by);
      ready_when_met(*e.by, out);
    }
    return settle(out);
  }
  verifying_ = false;
  const FlowRun* flow = flow_of(e.step);
  if (flow != nullptr && step(e.step).flow->is_composite()) {
    return put_together_again(e.step, e.by, out);
  }
  if (of(e.step).attempts.empty()) {  // it was found, not made: now it is made
    found_.erase(static_cast<std::uint32_t>(e.step));
    steps_.set(e.step, StepStanding::pending());
    steps_.wait_again_for(e.step, e.by);
    return ready_when_met(e.step, out);
  }
  steps_.set(e.step, StepStanding::checking_again());
  steps_.wait_again_for(e.step, e.by);
  out.push_back(command::CheckOutput{e.step, of(e.step).attempts.back().n});
}

/// What a composite's items came to is put together once more: its last turn comes again, and counts as no further
/// round. `by`: was about to build on it.
void Run::put_together_again(StepIndex i, std::optional<StepIndex> by, Commands& out) {
  steps_.set(i, StepStanding::pending());
  steps_.wait_again_for(i, by);
  FlowRun* flow = steps_.flows().forget_turn(i);
  if (flow->round > 0) --flow->round;
  ready_when_met(i, out);
}

/// It passed its checks once more. A list that was put together from it is put together anew, if it is another; one
/// that does not keep still while nothing else happens is not waited for.
void Run::kept_after_all(StepIndex i, bool is_another, Commands& out) {
  constexpr int looks_max = 10;
  Attempt& attempt = steps_.ref(i).attempts.back();
  Attempt::Detail& d = detail_of(attempt);
  if (d.looks > looks_max) {
    d.checks.push_back({"output_kept", false, "Output file is changed again and again: " + step(i).work->output});
    return try_again_or_fail(i, attempt, {"checks-failed", d.checks.back().message, false}, Millis{0}, out);
  }
  steps_.set(i, StepStanding::completed());  // which was told before
  count_down(i, out);
  const std::optional<StepIndex> owner = steps_.graph().made_for(i);
  if (!is_another || !owner || of(*owner).state != StepState::completed) return;
  if (step(*owner).flow->loop_max > 0) return;  // a round more would be made, and nobody asked for that
  put_together_again(*owner, {}, out);
}

}  // namespace baton
