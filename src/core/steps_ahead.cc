// Attempts of steps, and those that are admitted before the step they need has ended, on the condition that it ends
// well.
#include <algorithm>
#include <utility>

#include "base/ensure.h"
#include "base/hash.h"
#include "core/steps.h"

namespace baton {
namespace {

/// As many wait for one another at most: enough for a commit to take its time, few enough to be taken back.
constexpr int line_max = 4;

/// What it does is known before its turn comes and costs nothing, and its exit code says all of how it went.
bool is_plain(const Step& step) { return step.flow == nullptr && step.work->is_command() && !step.work->has_output(); }

}  // namespace

const Attempt* Steps::attempt(StepIndex i, int n) const {
  const std::vector<Attempt>& attempts = all_[at(i)].attempts;
  if (n < 1 || static_cast<std::size_t>(n) > attempts.size()) return nullptr;
  return &attempts[static_cast<std::size_t>(n) - 1];
}

Millis Steps::retry_delay(StepIndex i, std::uint64_t seed, const Failure& failure) const {
  constexpr unsigned doublings_max = 16;
  const StepRun& s = all_[at(i)];
  const unsigned doublings = std::min<unsigned>(s.backoffs, doublings_max);
  const double base = static_cast<double>(step(i).policy.retry_delay.count()) * static_cast<double>(1U << doublings);
  const double chance = unit_interval(seed ^ mix(at(i) * 1000 + s.attempts.size()));
  const Millis backoff{static_cast<std::int64_t>(base * (1.0 + 0.25 * chance))};
  return std::max(backoff, failure.retry_after.value_or(Millis{0}));
}

Attempt* Steps::current(StepIndex i, int n) {
  if (!has(i)) return nullptr;
  StepRun& s = ref(i);
  if (s.state != StepState::running || s.attempts.back().n != n) return nullptr;
  return &s.attempts.back();
}

Attempt& Steps::admit(StepIndex i, Attempt&& attempt) {
  BATON_ENSURE(attempt.n == next_attempt(i), "attempts are not numbered on", step(i).id);
  const StepState state = all_[at(i)].state;
  BATON_ENSURE(state == (attempt.ahead ? StepState::pending : StepState::ready),
               "a step is admitted that may not start", step(i).id);
  if (attempt.ahead) {
    BATON_ENSURE(next_after(step(i).needs.front()) == i, "an attempt waits for one that does not lead to it",
                 step(i).id);
    ref(step(i).needs.front()).attempts.back().followed = true;
  } else {
    ++in_flight_;
  }
  std::vector<Attempt>& attempts = ref(i).attempts;
  attempts.push_back(std::move(attempt));
  set(i, StepStanding::running());
  return attempts.back();
}

std::optional<StepIndex> Steps::next_after(StepIndex i) const {
  const StepRun& s = all_[at(i)];
  if (s.state != StepState::running) return std::nullopt;
  const Attempt& attempt = s.attempts.back();
  if (attempt.followed || attempt.stopping != Attempt::Stopping::no) return std::nullopt;
  if (!is_plain(step(i)) || line_before(i) >= line_max) return std::nullopt;
  std::optional<StepIndex> found;
  graph_.each_successor(i, [&](StepIndex successor) {
    if (!found && may_follow(successor)) found = successor;
  });
  return found;
}

/// One whose fate may turn out to be unknown must be one that may simply be tried again: it perhaps never began.
bool Steps::may_follow(StepIndex i) const {
  const Step& s = step(i);
  return all_[at(i)].state == StepState::pending && is_plain(s) && s.needs.size() == 1 && !graph_.has_joins(i) &&
         s.policy.on_unknown == OnUnknown::retry;
}

int Steps::line_before(StepIndex i) const {
  int before = 0;
  for (; all_[at(i)].attempts.back().ahead; i = step(i).needs.front()) ++before;
  return before;
}

std::optional<StepIndex> Steps::follower_of(StepIndex i) const {
  std::optional<StepIndex> found;
  if (!all_[at(i)].attempts.back().followed) return found;
  graph_.each_successor(i, [&](StepIndex successor) {
    const StepRun& s = all_[at(successor)];
    if (s.state == StepState::running && s.attempts.back().ahead) found = successor;
  });
  return found;
}

bool Steps::is_conditional(StepIndex i) const {
  const StepRun& s = all_[at(i)];
  if (s.state != StepState::running || s.attempts.back().after == 0) return false;
  const StepState need = all_[at(step(i).needs.front())].state;
  return s.attempts.back().state == AttemptState::admitted && need != StepState::completed;
}

/// If the end was a bad one, what gets the slot is soon told to have been dropped.
void Steps::free_slot_of(StepIndex i) {
  if (!std::exchange(ref(i).attempts.back().ahead, false)) {
    BATON_ENSURE(in_flight_ > 0, "an attempt ends that was not in flight", step(i).id);
    --in_flight_;
  }
  const std::optional<StepIndex> follower = follower_of(i);
  if (!follower) return;
  ref(*follower).attempts.back().ahead = false;
  touch(*follower);
  ++in_flight_;
}

void Steps::drop_attempt(StepIndex i) {
  BATON_ENSURE(!all_[at(i)].attempts.empty(), "an attempt is dropped that was not there", step(i).id);
  ref(i).attempts.pop_back();
}

}  // namespace baton
