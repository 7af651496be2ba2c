// Ends that use up no retry, and how often a step is tried at all: nothing that a runtime or a provider says makes a
// run start attempts without bound.
#include <fmt/core.h>

#include <algorithm>

#include "base/ensure.h"
#include "core/run.h"
#include "core/wall.h"

namespace baton {

using Announced = command::Announce::Kind;

namespace {

/// So many walls in a row are no wall that time alone takes away.
constexpr int walls_max = 12;
constexpr std::size_t starts_a_minute_max = 30;
constexpr Millis minute{60'000};
constexpr std::size_t attempts_max = 10'000;

/// How long until a step with these attempts may be started once more: the 30th start before has to be a minute ago.
Millis until_next_start(const std::vector<Attempt>& attempts, Time now) {
  if (attempts.size() < starts_a_minute_max) return Millis{0};
  const Time bound = attempts[attempts.size() - starts_a_minute_max].admitted + minute;
  return std::clamp(bound - now, Millis{0}, minute);
}

}  // namespace

/// A wall is no failure of the step's and uses up no retry: the run stands still until it is over.
void Run::park(StepIndex i, Attempt& attempt, const Failure& failure, Commands& out) {
  attempt.state = AttemptState::failed;
  detail_of(attempt).failure = failure;
  if (cancelling_) return end_badly(i, StepStanding::cancelled(), out);
  StepRun& s = steps_.ref(i);
  s.walls = static_cast<std::uint16_t>(std::min(s.walls + 1, walls_max));
  const bool goes_on =
      state_ == RunState::running || state_ == RunState::parked || (state_ == RunState::queued && !is_frozen());
  const bool too_many = rules_ >= event::Rules::bounded && s.walls == walls_max && goes_on;
  const Time until = rules_ >= event::Rules::bounded
                         ? end_of_wall(failure, attempt.finished, now_, wall_floor(settings_.wall_floor, s.walls))
                         : failure.parked_until.value_or(now_ + failure.retry_after.value_or(Millis{0}));
  const Millis left = too_many ? Millis{0} : std::max(until - now_, Millis{0});
  announce(Announced::step_retrying, out, i, attempt.n, left);
  steps_.set(i, too_many ? StepStanding::waiting_for_time() : StepStanding::waiting_for_quota());
  timers_.arm(retry_of(i), left, now_, out);
  if (too_many) {
    s.walls = 0;  // a person who goes on lets it try as often once more
    return pause(PauseCause::walls,
                 fmt::format("step '{}' was turned away {} times in a row; the last time: {}", step(i).id, walls_max,
                             failure.message),
                 out);
  }
  if (state_ != RunState::running) return;
  state_ = RunState::parked;
  announce(Announced::run_parked, out);
}

std::optional<Time> Run::parked_until() const {
  if (state_ != RunState::parked) return std::nullopt;
  std::optional<Time> until;
  for (const auto& [timer, due] : timers_.armed()) {
    const bool counts = timer.kind == TimerId::Kind::retry && of(timer.step).state.waits_for_quota();
    if (counts) until = until ? std::min(*until, due) : due;
  }
  return until;
}

void Run::make_ready(StepIndex i, Commands& out) {
  StepRun& s = steps_.ref(i);
  const bool is_bounded = rules_ >= event::Rules::bounded;
  if (is_bounded && s.attempts.size() >= attempts_max) {
    Attempt::Detail& last = detail_of(s.attempts.back());
    const std::string why = last.failure ? "; the last time: " + last.failure->message : std::string{};
    last.failure = Failure{"too-many-attempts", fmt::format("it was tried {} times{}", s.attempts.size(), why), false};
    return end_badly(i, StepStanding::failed(), out);
  }
  if (const Millis wait = until_next_start(s.attempts, now_); is_bounded && wait > Millis{0}) {
    steps_.set(i, StepStanding::waiting_for_time());
    return timers_.arm(retry_of(i), wait, now_, out);
  }
  BATON_ENSURE(steps_.count_unmet(i) == 0, "a step is ready whose needs are not met", step(i).id);
  steps_.set(i, StepStanding::ready());
}

}  // namespace baton
