// Attempts that are admitted before the step they need has ended, on the condition that it ends well.
#include <utility>

#include "core/run.h"

namespace baton {
namespace {

/// As many wait for one another at most: enough for a commit to take its time, few enough to be taken back.
constexpr int line_max = 4;

/// What it does is known before its turn comes and costs nothing, and its exit code says all of how it went.
bool is_plain(const Step& step) { return step.flow == nullptr && step.work->is_command() && !step.work->has_output(); }

}  // namespace

/// None where runs take turns: one whose driver died has lost its place, and must not begin anything.
std::optional<StepIndex> Run::next_after(StepIndex i) const {
  if (state_ != RunState::running || cancelling_ || queues_ || plan_changes_ || of(i).state != StepState::running)
    return {};
  const Attempt& attempt = of(i).attempts.back();
  if (attempt.followed || attempt.stopping != Attempt::Stopping::no) return {};
  if (!is_plain(step(i)) || line_before(i) >= line_max) return {};
  std::optional<StepIndex> found;
  graph_.each_successor(i, [&](StepIndex successor) {
    if (!found && may_follow(successor)) found = successor;
  });
  return found;
}

/// One whose fate may turn out to be unknown must be one that may simply be tried again: it perhaps never began.
bool Run::may_follow(StepIndex i) const {
  const Step& s = step(i);
  return of(i).state == StepState::pending && is_plain(s) && s.needs.size() == 1 && !graph_.has_joins(i) &&
         s.policy.on_unknown == OnUnknown::retry;
}

bool Run::fits_ahead(const event::AttemptAdmitted& e) const {
  if (!may_follow(e.step)) return false;
  const StepIndex need = step(e.step).needs.front();
  return next_after(need) == e.step && of(need).attempts.back().n == e.after;
}

int Run::line_before(StepIndex i) const {
  int before = 0;
  for (; of(i).attempts.back().ahead; i = step(i).needs.front()) ++before;
  return before;
}

std::optional<StepIndex> Run::follower_of(StepIndex i) const {
  std::optional<StepIndex> found;
  if (!of(i).attempts.back().followed) return found;
  graph_.each_successor(i, [&](StepIndex successor) {
    const StepRun& s = of(successor);
    if (s.state == StepState::running && s.attempts.back().ahead) found = successor;
  });
  return found;
}

bool Run::is_conditional(StepIndex i) const {
  const StepRun& s = of(i);
  if (s.state != StepState::running || s.attempts.back().after == 0) return false;
  return s.attempts.back().state == AttemptState::admitted && of(step(i).needs.front()).state != StepState::completed;
}

/// The slot goes to what waited for this end. If the end was a bad one, that is soon told to have been dropped.
void Run::free_slot_of(StepIndex i, Attempt& attempt) {
  if (!std::exchange(attempt.ahead, false)) --in_flight_;
  const std::optional<StepIndex> follower = follower_of(i);
  if (!follower) return;
  ref(*follower).attempts.back().ahead = false;
  touched_.push_back(*follower);
  ++in_flight_;
}

/// It left no trace in the world, so it leaves none here.
void Run::attempt_dropped(StepIndex i, Commands& out) {
  ref(i).attempts.pop_back();
  if (cancelling_) return end_badly(i, StepStanding::cancelled(), out);
  ready_when_met(i, out);
}

}  // namespace baton
