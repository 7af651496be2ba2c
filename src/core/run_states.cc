// How steps and the run itself go from state to state; run.cc says which event leads where.
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/ensure.h"
#include "base/limits.h"
#include "core/run.h"

namespace baton {

using Announced = command::Announce::Kind;

// --- Steps ------------------------------------------------------------------------------------------------------

/// Counts anew what a step waits for: while it was at work somebody may have asked for its needs again.
void Run::ready_when_met(StepIndex i, Commands& out) {
  std::uint32_t unmet = 0;
  std::optional<StepIndex> bad;
  bool conditional = false;
  steps_.graph().each_need(i, [&](StepIndex need) {
    if (steps_.is_met(i, need)) return;
    ++unmet;
    if (!steps_.ended_badly(need)) return;
    if (of(need).state.is_skipped_without_failure()) {
      conditional = true;
    } else if (!bad) {
      bad = need;
    }
  });
  steps_.graph().set_unmet(i, unmet);
  if (bad) {
    skip(i, of(*bad).state.cause().value_or(*bad), out);
    skip_dependants(i, out);
  } else if (conditional) {
    skip_by_condition(i, out);
  } else if (unmet > 0) {
    steps_.set(i, StepStanding::pending());
    steps_.forget_tree(i);  // what it waits for will be another
  } else {
    give_turn(i, out);
  }
}

std::optional<StepIndex> Run::next_ready() {
  if (state_ != RunState::running || cancelling_) return std::nullopt;
  return steps_.next_ready();
}

void Run::complete(StepIndex i, Commands& out) {
  steps_.set(i, StepStanding::completed());
  announce(Announced::step_finished, out, i, next_attempt(i) - 1);
  count_down(i, out);
}

/// Those that wait for the step wait for one less.
void Run::count_down(StepIndex i, Commands& out) {
  steps_.graph().each_successor(i, [&](StepIndex successor) {
    // Only a step that waits counts: one that was skipped, or is at work while this one was run again, does not.
    if (of(successor).state != StepState::pending) return;
    if (steps_.graph().meet_one(successor)) give_turn(successor, out);
  });
}

void Run::end_badly(StepIndex i, StepStanding state, Commands& out) {
  steps_.set(i, state);
  announce(Announced::step_finished, out, i, next_attempt(i) - 1);
  if (cancelling_) return;
  skip_dependants(i, out);
  if (!step(i).policy.fail_fast || state == StepState::cancelled) return;
  failed_fast_ = true;
  stop_all(out);
}

void Run::skip(StepIndex i, StepIndex cause, Commands& out) {
  steps_.set(i, StepStanding::skipped_behind(cause));
  announce(Announced::step_finished, out, i);
}

void Run::skip_dependants(StepIndex i, Commands& out) {
  const StepIndex cause = of(i).state.cause().value_or(i);
  std::vector<StepIndex> open{i};
  while (!open.empty()) {
    const StepIndex next = open.back();
    open.pop_back();
    steps_.graph().each_successor(next, [&](StepIndex dependant) {
      if (of(dependant).state != StepState::pending) return;
      skip(dependant, cause, out);
      open.push_back(dependant);
    });
  }
}

void Run::try_again_or_fail(StepIndex i, Attempt& attempt, const Failure& failure, Millis delay, Commands& out) {
  attempt.state = AttemptState::failed;
  detail_of(attempt).failure = failure;
  StepRun& s = steps_.ref(i);
  if (cancelling_) return end_badly(i, StepStanding::cancelled(), out);
  const Policy& policy = step(i).policy;
  int retries = policy.retries;
  const FailureKind kind = failure.kind();
  if (kind == FailureKind::checks) retries = std::max(retries, policy.check_retries);
  if (kind == FailureKind::agent_rate_limit) retries = std::max(retries, policy.limit_retries);
  if (kind == FailureKind::empty_answer && policy.empty_is_final) retries = 0;
  if (!failure.may_retry || s.retries_used >= retries) return end_badly(i, StepStanding::failed(), out);
  ++s.retries_used;
  if (delay.count() > 0) ++s.backoffs;
  announce(Announced::step_retrying, out, i, attempt.n, delay);
  if (delay.count() == 0) return ready_when_met(i, out);
  steps_.set(i, StepStanding::waiting_for_time());
  timers_.arm(retry_of(i), delay, now_, out);
}

void Run::attempt_timed_out(StepIndex i, Attempt& attempt, Commands& out) {
  const Policy& policy = step(i).policy;
  const bool is_last_try = policy.timeout_blocks || policy.timeout_pauses;
  const Failure failure{"attempt-timed-out", fmt::format("TIMEOUT: still running after {}", brief(step(i).timeout())),
                        !is_last_try};
  if (!is_last_try || cancelling_) {
    return try_again_or_fail(i, attempt, failure, steps_.retry_delay(i, settings_.seed, {}), out);
  }
  attempt.state = AttemptState::failed;
  detail_of(attempt).failure = failure;
  if (!policy.timeout_pauses) return end_badly(i, StepStanding::blocked(), out);
  // It failed, but what depends on it is not given up: a person says whether it is tried again or left out.
  steps_.set(i, StepStanding::waiting_for_decision());
  announce(Announced::step_finished, out, i, next_attempt(i) - 1);
  if (state_ != RunState::running) return;
  pause(PauseCause::step_timeout,
        fmt::format("'{}' was still running after {}: retry it, or skip it", step(i).id, brief(step(i).timeout())),
        out);
}

void Run::attempt_unknown(StepIndex i, Attempt& attempt, Commands& out) {
  attempt.state = AttemptState::unknown;
  detail_of(attempt).failure = Failure{"attempt-unknown", "nobody saw how this attempt ended", true};
  StepRun& s = steps_.ref(i);
  ++s.unknowns;
  const OnUnknown rule = s.unknowns > Limits::unknown_fates_max ? OnUnknown::fail : step(i).policy.on_unknown;
  switch (rule) {
    case OnUnknown::retry:
      announce(Announced::step_retrying, out, i, attempt.n);
      ready_when_met(i, out);
      break;
    case OnUnknown::fail:
      end_badly(i, StepStanding::failed(), out);
      break;
    case OnUnknown::ask:
      steps_.set(i, StepStanding::waiting_for_decision());
      break;
  }
}

/// These run again, and everything downstream of them, and the run goes on, however it stands. First what runs again,
/// then what that waits for.
void Run::reset(const std::vector<StepIndex>& roots, Commands& out, std::optional<StepIndex> anew,
                std::optional<StepIndex> edited) {
  // A step at work goes on: its attempt ends in its own time, under the rules it started with.
  const std::vector<StepIndex> again =
      steps_.graph().downstream(roots, [&](StepIndex i) { return steps_.is_at_work(i) || of(i).state.is_replaced(); });
  const auto is_other = [&](StepIndex i) { return edited == i || std::ranges::binary_search(again, i); };
  for (const StepIndex i : again) {
    if (step(i).flow == nullptr || of(i).state.is_replaced()) continue;
    forget_flow(i, std::ranges::any_of(step(i).needs, is_other), anew == i, out);
  }
  for (const StepIndex i : again) {
    StepRun& s = steps_.ref(i);
    if (s.state.is_replaced()) continue;
    timers_.disarm(retry_of(i), out);
    s.retries_used = 0;
    s.backoffs = 0;
    s.unknowns = 0;
    s.walls = 0;
    steps_.set(i, StepStanding::pending());
  }
  verifying_ = false;
  steps_.graph().change_shape();  // what a person decided of them is undone
  // All are counted before any goes on: one that has nothing to do completes at once, and those behind it hear of that.
  for (const StepIndex i : again) steps_.graph().set_unmet(i, steps_.count_unmet(i));
  for (const StepIndex i : again) {
    if (of(i).state == StepState::pending) ready_when_met(i, out);  // not skipped meanwhile: a need may stay failed
  }
  for (const StepIndex i : std::exchange(need_less_, {})) {
    const bool waits = of(i).state == StepState::pending && !of(i).state.is_replaced();
    if (waits && !std::ranges::binary_search(again, i)) ready_when_met(i, out);
  }
  cancelling_ = false;
  failed_fast_ = false;
  go_on(out);
  settle(out);
}

// --- The run ----------------------------------------------------------------------------------------------------

void Run::pause(PauseCause cause, std::string reason, Commands& out) {
  state_ = RunState::paused;
  pause_cause_ = cause;
  pause_reason_ = std::move(reason);
  timers_.freeze(now_, out);
  if (in_flight() + count(StepState::checking) > 0) out.push_back(command::FreezeAttempts{});
  announce(Announced::run_paused, out);
}

void Run::go_on(Commands& out) {
  if (state_ == RunState::running) {
    if (must_queue()) enter_queue(out);  // it was being cancelled, which needs no place
    return;
  }
  const bool parks = steps_.waits_for_quota();  // asking does not bring it back
  if (parks && state_ == RunState::parked) return;
  if (!parks && must_queue()) return enter_queue(out);
  const bool was_frozen = is_frozen();
  const bool first = !std::exchange(begun_, true);
  state_ = parks ? RunState::parked : RunState::running;
  pause_reason_.clear();
  finished_ = {};
  if (first) started_ = now_;
  announce(parks ? Announced::run_parked : first ? Announced::run_started : Announced::run_resumed, out);
  timers_.thaw(now_, out);
  if (was_frozen) {
    out.push_back(command::ThawAttempts{});  // also with nothing in flight: the host would keep back what starts next
  }
  if (!first) {
    check_budgets(out);
    return settle(out);
  }
  const Millis budget = settings_.time_budget;
  if (budget.count() > 0 && !timers_.has(time_budget_timer)) timers_.arm_budget(budget, budget, now_, out);
  for (std::size_t n = 0; n < steps_.size(); ++n) {
    const StepIndex i = step_index(n);
    if (of(i).state == StepState::pending && unmet(i) == 0) give_turn(i, out);
  }
  settle(out);
}

/// Attempts of an earlier driver go on to their end meanwhile; if they were all there was to do, the run ends too.
void Run::enter_queue(Commands& out) {
  state_ = RunState::queued;
  pause_reason_.clear();
  finished_ = {};
  timers_.stop_budget(now_, out);
}

void Run::settle(Commands& out) {
  for (const StepIndex i : std::exchange(wait_for_tree_, {})) {
    if (of(i).state == StepState::pending && unmet(i) == 0) give_turn(i, out);
  }
  if (owes_pause_ && count(StepState::ready) > 0) {
    const StepIndex i = *std::exchange(owes_pause_, std::nullopt);
    check_step_budget(i, out);
    check_budgets(out);
  }
  const bool lets_end = state_ == RunState::queued && begun_ && !is_frozen();
  if ((state_ != RunState::running && !lets_end) || in_flight() > 0 || steps_.flows().turns_open() > 0) return;
  if (count(StepState::checking) + count(StepState::ready) > 0) return;
  if (cancelling_) return finish(failed_fast_ ? RunState::failed : RunState::cancelled, out);
  if (count(StepState::waiting) > 0) {
    const bool all_ask = std::ranges::all_of(
        steps_.all(), [](const StepRun& s) { return s.state != StepState::waiting || s.state.awaits_person(); });
    if (!all_ask) return;
    state_ = RunState::reviewing;
    timers_.stop_budget(now_, out);
    announce(Announced::run_reviewing, out);
    return;
  }
  BATON_ENSURE(count(StepState::pending) == 0, "a step waits for nothing", plan_->workflow);
  const std::size_t bad = count(StepState::failed) + count(StepState::blocked) + count(StepState::skipped) -
                          steps_.skipped_without_failure();
  if (bad == 0 && steps_.end_in_review()) {
    state_ = RunState::reviewing;
    finished_ = now_;
    timers_.stop_budget(now_, out);
    announce(Announced::run_reviewing, out);
    return;
  }
  // Asked once all is done, and once more whenever something was done since.
  if (bad == 0 && keeps_outputs_ && rules_ >= event::Rules::kept && !verified_) {
    if (!std::exchange(verifying_, true)) out.push_back(command::VerifyOutputs{});
    return;
  }
  finish(bad == 0 ? RunState::completed : steps_.flows().has_rejected() ? RunState::rejected : RunState::failed, out);
}

void Run::finish(RunState state, Commands& out) {
  state_ = state;
  cancelling_ = false;
  failed_fast_ = false;
  verifying_ = false;
  owes_pause_.reset();
  finished_ = now_;
  timers_.stop_budget(now_, out);
  announce(Announced::run_finished, out);
}

bool Run::is_silent(const Attempt& attempt) const {
  const std::string& runtime = interned(attempt.runtime);
  return attempt.ran && !attempt.told && runtime != "command" && runtime != "rehearsal";
}

void Run::note_that_it_ran(Attempt& attempt) {
  if (std::exchange(attempt.ran, true)) return;
  if (is_silent(attempt)) spending_.note_silence();
}

bool Run::has_work() const {
  if (state_ == RunState::parked) return in_flight() > 0 || !timers_.armed().empty();
  if (state_ != RunState::running) return false;
  return verifying_ || steps_.flows().turns_open() > 0 || in_flight() > 0 || !timers_.armed().empty() ||
         count(StepState::ready) + count(StepState::checking) > 0;
}

// --- Small things -----------------------------------------------------------------------------------------------

/// None where runs take turns: one whose driver died has lost its place, and must not begin anything.
std::optional<StepIndex> Run::next_after(StepIndex i) const {
  if (state_ != RunState::running || cancelling_ || queues_ || plan_changes_) return std::nullopt;
  return steps_.next_after(i);
}

std::vector<Command> Run::outstanding() const {
  std::vector<Command> out;
  for (const auto& [timer, due] : timers_.armed()) out.push_back(command::SetTimer{timer, due});
  if (verifying_) out.push_back(command::VerifyOutputs{});
  for (std::size_t n = 0; steps_.flows().turns_open() > 0 && n < steps_.size(); ++n) {
    const FlowRun* flow = flow_of(step_index(n));
    if (flow != nullptr && flow->is_asked()) {
      out.push_back(command::TakeTurn{step_index(n), flow->generation, flow->round + 1});
    }
  }
  if (in_flight() == 0 && count(StepState::checking) == 0) return out;
  for (std::size_t n = 0; n < steps_.size(); ++n) {
    const StepIndex i = step_index(n);
    const StepRun& s = of(step_index(n));
    if (s.state == StepState::checking) out.push_back(command::CheckOutput{i, s.attempts.back().n});
    if (s.state != StepState::running || s.attempts.back().ahead) continue;
    // What waits for its end comes behind it, whatever their places in the plan.
    for (std::optional<StepIndex> next = i; next; next = steps_.follower_of(*next)) {
      const Attempt& last = of(*next).attempts.back();
      out.push_back(command::StartAttempt{*next, last.n});
      if (last.stopping != Attempt::Stopping::no) out.push_back(command::StopAttempt{*next, last.n});
    }
  }
  return out;
}

const event::StepDeferred* Run::deferral_of(StepIndex i) const {
  const auto found = deferrals_.find(static_cast<std::uint32_t>(i));
  return found == deferrals_.end() || of(i).state != StepState::waiting ? nullptr : &found->second;
}

void Run::announce(Announced kind, Commands& out, StepIndex step, int attempt, Millis delay) const {
  out.push_back(command::Announce{kind, step, attempt, delay, 0, now_});
}

}  // namespace baton
