// What holds after every event. Of the run as a whole all of it is looked at, of the steps those that the event
// touched.
#include "base/ensure.h"
#include "core/run.h"

namespace baton {
namespace {

bool is_in_flight(const StepRun& s) {
  if (s.attempts.empty()) return false;
  const AttemptState last = s.attempts.back().state;
  return last == AttemptState::admitted || last == AttemptState::running;
}

/// Every event pays for this, so what is only said of a mistake is not looked up before.
void ensure_step_sound(const Steps& steps, const Timers& timers, StepIndex i) {
  const StepRun& s = steps[i];
  const auto ensure = [&](bool holds, const char* what) { BATON_ENSURE(holds, what, steps.step(i).id); };
  ensure(is_in_flight(s) == (s.state == StepState::running), "a step runs without an attempt, or not with one");
  const bool has_retry = !timers.has_none() && timers.has(retry_of(i));
  ensure(has_retry == s.state.waits_for_moment(), "a step waits for a moment that never comes, or not for it");
  const bool may_time_out = s.state == StepState::running || timers.has_none() || !timers.has(timeout_of(i));
  ensure(may_time_out, "the time of a step ends that is not at work");
  ensure(s.backoffs <= s.retries_used, "more retries waited than there were");
  if (const FlowRun* flow = steps.flows().find(i)) {
    ensure(!flow->is_asked() || s.state == StepState::pending, "a turn is open of a step that has begun");
    ensure(!flow->may_start() || !steps.step(i).flow->is_composite(), "a composite is tried like a step");
  } else {
    ensure(!s.state.is_at_gate(), "a step without a flow is at its gate");
  }
}

}  // namespace

void ensure_sound(const Run& run) {
  for (const StepIndex i : run.steps_.touched_by_event()) ensure_step_sound(run.steps_, run.timers_, i);
  const std::string& name = run.plan_->workflow;
  const bool is_idle =
      run.in_flight() == 0 && run.steps_.flows().turns_open() == 0 && run.count(StepState::checking) == 0;
  switch (run.state_) {
    case RunState::running:
    case RunState::parked:
      BATON_ENSURE(!run.is_frozen(), "a run that goes on is frozen", name);
      break;
    case RunState::paused:
      BATON_ENSURE(run.is_frozen() && run.timers_.armed().empty(), "time passes for a run that is paused", name);
      break;
    case RunState::queued:
      break;
    case RunState::reviewing:
    case RunState::accepted:
    case RunState::rejected:
      BATON_ENSURE(run.in_flight() == 0, "a run is reviewed while attempts are in flight", name);
      break;
    case RunState::completed:
    case RunState::failed:
    case RunState::cancelled:
      BATON_ENSURE(is_idle, "a run is over while something is at work", name);
      BATON_ENSURE(run.count(StepState::pending) + run.count(StepState::ready) + run.count(StepState::waiting) == 0,
                   "a run is over before its steps are", name);
      break;
  }
  BATON_ENSURE(run.state_ != RunState::parked || run.count(StepState::waiting) > 0, "a run is parked for nothing",
               name);
  BATON_ENSURE(!run.failed_fast_ || run.cancelling_, "a failure stops a run that is not being stopped", name);
  BATON_ENSURE(run.in_flight() <= run.count(StepState::running), "more attempts are in flight than steps run", name);
  BATON_ENSURE(run.steps_.flows().turns_open() <= run.count(StepState::pending),
               "more turns are open than steps are pending", name);
  if (!run.cancelling_) return;
  BATON_ENSURE(run.state_ == RunState::running, "a run is cancelled that is not running", name);
  BATON_ENSURE(run.count(StepState::pending) + run.count(StepState::ready) + run.count(StepState::waiting) == 0,
               "a step of a run that is being cancelled may yet begin", name);
}

}  // namespace baton
