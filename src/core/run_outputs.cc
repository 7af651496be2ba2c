// Outputs that are no longer what was checked: before anything builds on one, and before the run is over, it is checked
// once more.
#include <algorithm>

#include "core/run.h"

namespace baton {

/// Asked once all is done, and once more whenever something was done since.
bool Run::must_verify() const { return keeps_outputs_ && rules_ >= event::Rules::kept && !verified_; }

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
      if (!of(e.step).state.is_replaced() && !steps_.graph().needs(*e.by, e.step)) steps_.graph().join(*e.by, e.step);
      (void)steps_.flows().forget_turn(*e.by);
      ready_when_met(*e.by, out);
    }
    return settle(out);
  }
  verifying_ = false;
  const FlowRun* flow = flow_of(e.step);
  if (flow != nullptr && step(e.step).flow->is_composite()) {
    steps_.set(e.step, StepStanding::pending());
    wait_again_for(e.step, e.by);
    return make_again(e.step, out);
  }
  if (of(e.step).attempts.empty()) {  // it was found, not made: now it is made
    found_.erase(static_cast<std::uint32_t>(e.step));
    steps_.set(e.step, StepStanding::pending());
    wait_again_for(e.step, e.by);
    return ready_when_met(e.step, out);
  }
  steps_.set(e.step, StepStanding::checking_again());
  wait_again_for(e.step, e.by);
  out.push_back(command::CheckOutput{e.step, of(e.step).attempts.back().n});
}

/// What its items came to is put together once more: its last turn comes again, and counts as no further round.
void Run::make_again(StepIndex i, Commands& out) {
  FlowRun* flow = steps_.flows().forget_turn(i);
  if (flow->round > 0) --flow->round;
  ready_when_met(i, out);
}

/// The same where somebody outside saw it.
void Run::put_together_again(StepIndex i, Commands& out) {
  const FlowRun* flow = flow_of(i);
  if (flow == nullptr || !step(i).flow->is_composite() || flow->round == 0) return;
  steps_.set(i, StepStanding::pending());
  wait_again_for(i, {});
  make_again(i, out);
  go_on(out);
  settle(out);
}

/// Those that have not begun yet wait for it like in the beginning; and so does the one that was about to build on it,
/// if only through others.
void Run::wait_again_for(StepIndex i, std::optional<StepIndex> by) {
  const auto wait = [&](StepIndex waiting) {
    const StepRun& s = of(waiting);
    if (s.state.is_replaced() || (s.state != StepState::pending && s.state != StepState::ready)) return;
    if (s.state == StepState::ready) steps_.set(waiting, StepStanding::pending());
    (void)steps_.flows().forget_turn(waiting);
    steps_.graph().set_unmet(waiting, steps_.count_unmet(waiting));
  };
  if (by && !steps_.graph().needs(*by, i)) steps_.graph().join(*by, i);
  steps_.graph().each_successor(i, wait);
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
  steps_.set(*owner, StepStanding::pending());
  wait_again_for(*owner, {});
  make_again(*owner, out);
}

}  // namespace baton
