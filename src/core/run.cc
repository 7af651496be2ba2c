#include "core/run.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/ensure.h"
#include "base/text.h"
#include "core/wall.h"

namespace baton {

using Announced = command::Announce::Kind;

namespace {

std::string failed_messages(const std::vector<CheckResult>& results) {
  std::vector<std::string> failed;
  for (const CheckResult& r : results) {
    if (!r.passed) failed.push_back(r.message);
  }
  return join(failed, "; ");
}

}  // namespace

Run::Run() = default;
Run::~Run() = default;
Run::Run(Run&&) noexcept = default;
Run& Run::operator=(Run&&) noexcept = default;

std::vector<Command> Run::apply(const Event& event) {
  BATON_ENSURE(plan_ != nullptr || std::holds_alternative<event::RunCreated>(event.body), "event before RunCreated",
               "");
  Commands out;
  now_ = event.at;
  last_event_ = event.at;
  ++turn_;
  steps_.begin_event();
  std::visit([&](const auto& body) { on(body, out); }, event.body);
  if (state_ != RunState::running) placed_ = false;
  ensure_sound(*this);
  return out;
}

// --- The events -------------------------------------------------------------------------------------------------

void Run::on(const event::RunCreated& e, Commands& /*out*/) {
  BATON_ENSURE(plan_ == nullptr, "a run is created once", "");
  plan_ = e.plan;
  workflow_ = plan_->workflow;
  settings_ = e.settings;
  created_ = now_;
  steps_ = Steps{plan_};
  plan_changes_ = std::ranges::any_of(plan_->steps, [](const Step& s) { return s.work->extends != Extends::nothing; });
  for (const event::FoundStep& found : e.found) {
    found_[static_cast<std::uint32_t>(found.step)] = {found.digest, now_};
    steps_.set(found.step, StepStanding::completed());
    keeps_outputs_ = true;
    steps_.graph().each_successor(found.step, [&](StepIndex successor) { (void)steps_.graph().meet_one(successor); });
  }
}

void Run::on(const event::DriverTook& e, Commands& out) {
  queues_ = e.queues;
  rules_ = e.rules;
  placed_ = false;  // whoever drove it before had it
  if (state_ == RunState::running && must_queue()) return enter_queue(out);
  if (state_ == RunState::running) announce(Announced::run_resumed, out);
  if (state_ == RunState::parked) announce(Announced::run_parked, out);
  if (state_ == RunState::queued && !must_queue()) go_on(out);
}

void Run::on(const event::PlaceTaken& /*e*/, Commands& out) {
  if (!wants_place()) return;
  placed_ = true;
  go_on(out);
}

void Run::on(const event::StepDeferred& e, Commands& out) {
  if (!steps_.has(e.step) || of(e.step).state != StepState::ready) return;
  // Whose money is spent is known to the moment; what a provider said is not believed beyond all measure.
  const bool is_told = rules_ >= event::Rules::bounded && e.reason.empty();
  const Millis left = std::clamp(e.until - now_, Millis{0}, is_told ? parked_max : Millis::max());
  deferrals_[static_cast<std::uint32_t>(e.step)] = e;
  steps_.set(e.step, StepStanding::waiting_for_time());
  timers_.arm(retry_of(e.step), left, now_, out);
  announce(Announced::step_deferred, out, e.step, next_attempt(e.step), left);
  if (!is_long_wait(left) || state_ != RunState::running) return;
  steps_.set_reason(e.step, StepStanding::waiting_for_quota());
  state_ = RunState::parked;
  announce(Announced::run_parked, out);
}

void Run::on(const event::SettingsChanged& e, Commands& out) {
  const Millis before = settings_.time_budget;
  const std::optional<Millis> left = timers_.left_of(time_budget_timer, now_);
  const bool same_budgets = settings_.cost_budget == e.settings.cost_budget &&
                            settings_.token_budget == e.settings.token_budget &&
                            settings_.turn_budget == e.settings.turn_budget;
  settings_ = e.settings;
  if (!same_budgets) spending_.forget_warning();
  if (settings_.time_budget == before) return;
  const Millis used = left ? before - *left : Millis{0};
  const bool stands_still = state_ != RunState::running && state_ != RunState::parked;
  timers_.disarm_budget(out);
  if (settings_.time_budget.count() == 0) return;
  timers_.arm_budget(std::max(settings_.time_budget - used, Millis{0}), settings_.time_budget, now_, out);
  if (stands_still) timers_.stop_budget(now_, out);
}

void Run::on(const event::AttemptAdmitted& e, Commands& out) {
  const bool ahead = e.after > 0;
  bool fits = of(e.step).state == (ahead ? StepState::pending : StepState::ready);
  if (fits && ahead) {
    const std::vector<StepIndex>& needs = step(e.step).needs;
    fits = !needs.empty() && next_after(needs.front()) == e.step && of(needs.front()).attempts.back().n == e.after;
  }
  if (!fits || e.attempt != next_attempt(e.step)) return;
  Attempt attempt;
  attempt.n = e.attempt;
  attempt.after = e.after;
  attempt.ahead = ahead;
  attempt.runtime = words_.intern(e.runtime);
  attempt.model = words_.intern(e.model);
  attempt.admitted = now_;
  attempt.admitted_turn = last_admission_ = turn_;
  if (!e.boot.empty()) detail_of(attempt).boot = e.boot;
  if (!e.before.empty()) detail_of(attempt).before = e.before;
  if (!deferrals_.empty()) deferrals_.erase(static_cast<std::uint32_t>(e.step));
  steps_.admit(e.step, std::move(attempt));
  out.push_back(command::StartAttempt{e.step, e.attempt});
}

void Run::on(const event::AttemptStarted& e, Commands& out) {
  Attempt* attempt = steps_.current(e.step, e.attempt);
  if (attempt == nullptr || attempt->state != AttemptState::admitted) return;
  attempt->state = AttemptState::running;
  attempt->pid = e.pid;
  attempt->started = std::min(e.started, now_);
  note_that_it_ran(*attempt);
  steps_.touch(e.step);
  const Millis timeout = step(e.step).timeout();
  if (timeout.count() > 0) {
    // Its start may be told late, and pauses do not count.
    const Millis ran = timers_.passed_since(attempt->started, now_);
    timers_.arm(timeout_of(e.step), std::max(timeout - ran, Millis{0}), now_, out);
  }
  announce(Announced::step_started, out, e.step, e.attempt);
}

void Run::on(const event::AttemptUsed& e, Commands& out) {
  Attempt* attempt = steps_.current(e.step, e.attempt);
  if (attempt == nullptr) return;
  Attempt::Detail& d = detail_of(*attempt);
  if (is_silent(*attempt)) spending_.end_silence();
  spending_.note(std::exchange(attempt->told, true) ? &d.usage : nullptr, e.usage);
  d.usage = e.usage;
  steps_.touch(e.step);
  announce(Announced::step_used, out, e.step, e.attempt);
  const bool counts_dollars = settings_.cost_budget || step(e.step).work->budget.nano_usd;
  if (counts_dollars && spending_.hears_of_unknown_cost()) announce(Announced::cost_unknown, out, e.step, e.attempt);
  // One that begins nothing more is paid for already: where nothing comes after it there is nothing to be paused.
  if (e.is_all && owes_pause_for(e.step, out)) return;
  check_step_budget(e.step, out);
  check_budgets(out);
}

void Run::on(const event::AttemptEnded& e, Commands& out) {
  Attempt* attempt = steps_.current(e.step, e.attempt);
  if (attempt == nullptr) return;
  steps_.free_slot_of(e.step);
  const bool answered = !e.unknown && !e.dropped && !(e.failure && is_wall(*e.failure));
  if (answered) steps_.ref(e.step).walls = 0;
  timers_.disarm(timeout_of(e.step), out);
  attempt->finished = std::min(e.finished, now_);
  attempt->exit = e.exit;
  attempt->signal = e.signal;
  if (e.unknown || e.exit || e.signal) note_that_it_ran(*attempt);
  steps_.touch(e.step);
  if (e.note) detail_of(*attempt).failure = e.note;
  // It may have ended well in time and only be heard of late: by an engine that was stopped for a while, say.
  const bool in_time = !e.failure && !e.unknown && attempt->finished - attempt->started < step(e.step).timeout();
  if (e.dropped) {
    steps_.drop_attempt(e.step);
    if (cancelling_) {
      end_badly(e.step, StepStanding::cancelled(), out);
    } else {
      ready_when_met(e.step, out);
    }
  } else if (attempt->stopping == Attempt::Stopping::cancelled && (e.failure || e.unknown)) {
    attempt->state = AttemptState::cancelled;
    end_badly(e.step, StepStanding::cancelled(), out);
  } else if (attempt->stopping == Attempt::Stopping::timed_out && !in_time) {
    attempt_timed_out(e.step, *attempt, out);
  } else if (attempt->stopping == Attempt::Stopping::stalled && (e.failure || e.unknown)) {
    const Millis stall = step(e.step).policy.stall;
    try_again_or_fail(e.step, *attempt,
                      {"attempt-stalled", fmt::format("gave no sign of life for {}", brief(2 * stall)), true},
                      steps_.retry_delay(e.step, settings_.seed, {}), out);
  } else if (e.unknown) {
    attempt_unknown(e.step, *attempt, out);
  } else if (e.failure && is_wall(*e.failure)) {
    park(e.step, *attempt, *e.failure, out);
  } else if (e.failure) {
    try_again_or_fail(e.step, *attempt, *e.failure, steps_.retry_delay(e.step, settings_.seed, *e.failure), out);
  } else if (step(e.step).work->has_output()) {
    attempt->state = AttemptState::completed;
    steps_.set(e.step, StepStanding::checking());
    out.push_back(command::CheckOutput{e.step, e.attempt});
  } else {
    attempt->state = AttemptState::completed;
    complete(e.step, out);
  }
  settle(out);
}

void Run::on(const event::OutputChecked& e, Commands& out) {
  StepRun& s = steps_.ref(e.step);
  if (s.state != StepState::checking || s.attempts.back().n != e.attempt) return;
  Attempt& attempt = s.attempts.back();
  Attempt::Detail& d = detail_of(attempt);
  d.checks = e.results;
  d.checked = true;
  d.checked_at = now_;
  if (last_admission_ > d.checked_turn) d.looks = 0;
  ++d.looks;
  d.checked_turn = turn_;
  ++d.times_checked;
  const bool is_another = std::exchange(d.digest, e.digest) != e.digest;
  steps_.touch(e.step);
  announce(Announced::step_checked, out, e.step, e.attempt);
  const bool was_doubted = s.state.is_checked_again();
  if (!e.digest.empty() && !step(e.step).work->answers) keeps_outputs_ = true;
  if (e.failure) {
    try_again_or_fail(e.step, attempt, *e.failure, steps_.retry_delay(e.step, settings_.seed, *e.failure), out);
  } else if (all_passed(e.results) && was_doubted) {
    kept_after_all(e.step, is_another, out);
  } else if (all_passed(e.results) && step(e.step).work->extends != Extends::nothing) {
    // It is done when what its answer does to the plan is on record. A plan that is being cancelled stays as it is, so
    // there the answer is for nothing.
    if (cancelling_) {
      end_badly(e.step, StepStanding::cancelled(), out);
    } else {
      steps_.set(e.step, StepStanding::answered());
    }
  } else if (all_passed(e.results)) {
    complete(e.step, out);
  } else {
    const auto is_gone = [](const CheckResult& r) { return !r.passed && r.name == event::tree_gone_check; };
    if (std::ranges::any_of(e.results, is_gone)) steps_.forget_tree(e.step);
    // Waiting would not make a wrong answer right: the next attempt starts at once, with the failed checks in hand.
    // What was done once is paid for again only if a person says so.
    const Failure failure{"checks-failed", failed_messages(e.results), !was_doubted};
    try_again_or_fail(e.step, attempt, failure, Millis{0}, out);
  }
  settle(out);
}

void Run::on(const event::TimerFired& e, Commands& out) {
  if (!timers_.fires(e.timer, now_)) return;
  switch (e.timer.kind) {
    case TimerId::Kind::retry:
      // The first quota that is back lets the run go on; a retry for another reason does not.
      if (state_ == RunState::parked && of(e.timer.step).state.waits_for_quota()) {
        for (std::size_t n = 0; n < steps_.size(); ++n) {
          const StepIndex i = step_index(n);
          if (of(i).state.waits_for_quota()) steps_.set_reason(i, StepStanding::waiting_for_time());
        }
        if (must_queue()) {
          enter_queue(out);
        } else {
          state_ = RunState::running;
          announce(Announced::run_resumed, out);
        }
      }
      if (steps_.ref(e.timer.step).state == StepState::waiting) ready_when_met(e.timer.step, out);
      settle(out);
      break;
    case TimerId::Kind::attempt_timeout: {
      Attempt& attempt = steps_.ref(e.timer.step).attempts.back();
      if (attempt.stopping == Attempt::Stopping::no) attempt.stopping = Attempt::Stopping::timed_out;
      out.push_back(command::StopAttempt{e.timer.step, attempt.n});
      break;
    }
    case TimerId::Kind::time_warning:
      announce(Announced::budget_warning, out);
      break;
    case TimerId::Kind::time_budget:
      timers_.note_budget_used_up();
      pause(PauseCause::time, fmt::format("the run's time budget of {} is used up", brief(settings_.time_budget)), out);
      break;
  }
}

void Run::on(const event::PauseAsked& e, Commands& out) {
  const bool goes_on = state_ == RunState::running || state_ == RunState::parked || state_ == RunState::queued;
  if (!goes_on || cancelling_) return;
  pause(PauseCause::person, e.by, out);
}

void Run::on(const event::ResumeAsked& /*e*/, Commands& out) {
  if (state_ == RunState::paused) {
    spending_.grant_used_up_steps();
    go_on(out);
  } else if (state_ == RunState::failed) {
    std::vector<StepIndex> roots;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const StepState s = of(step_index(i)).state;
      const bool cancelled = s == StepState::cancelled && !of(step_index(i)).state.is_replaced();
      if (s == StepState::failed || s == StepState::blocked || cancelled) roots.push_back(step_index(i));
    }
    reset(roots, out);
  }
}

void Run::on(const event::CancelAsked& /*e*/, Commands& out) {
  const bool can = state_ == RunState::queued || state_ == RunState::running || state_ == RunState::paused ||
                   state_ == RunState::parked || state_ == RunState::reviewing;
  if (!can || cancelling_) return;
  stop_all(out);
  settle(out);
}

/// Nothing new begins, and what is at work is stopped.
void Run::stop_all(Commands& out) {
  const bool was_frozen = is_frozen();
  cancelling_ = true;
  state_ = RunState::running;
  timers_.drop_all_but_budget(now_, out);
  // Those that wait at the host for a slot go first: a slot that comes free must not let one of them begin.
  for (const AttemptState which : {AttemptState::admitted, AttemptState::running}) {
    for (std::size_t n = 0; n < steps_.size(); ++n) {
      StepRun& s = steps_.ref(step_index(n));
      if (s.state != StepState::running || s.attempts.back().state != which) continue;
      s.attempts.back().stopping = Attempt::Stopping::cancelled;
      out.push_back(command::StopAttempt{step_index(n), s.attempts.back().n});
    }
  }
  for (std::size_t n = 0; n < steps_.size(); ++n) {
    const StepIndex i = step_index(n);
    if (of(i).state == StepState::running || is_settled(of(i).state)) continue;
    (void)steps_.flows().forget_turn(i);
    steps_.set(i, StepStanding::cancelled());
    announce(Announced::step_finished, out, i, next_attempt(i) - 1);
  }
  // After the stops: what is cancelled must not go on for a moment, and what is run again later must not stand still.
  if (was_frozen) out.push_back(command::ThawAttempts{});
}

void Run::on(const event::RetryAsked& e, Commands& out) {
  if (cancelling_ && in_flight() > 0) return;
  std::vector<StepIndex> roots;
  if (e.step) {
    if (!steps_.has(*e.step) || of(*e.step).state.is_replaced()) return;
    roots.push_back(*e.step);
    // It cannot run without its needs: those that did not end well run again with it.
    std::vector<bool> seen(steps_.size(), false);
    for (std::size_t n = 0; n < roots.size(); ++n) {
      steps_.graph().each_need(roots[n], [&](StepIndex need) {
        if (!steps_.ended_badly(need) || of(need).state.is_replaced() || seen[at(need)]) return;
        seen[at(need)] = true;
        roots.push_back(need);
      });
    }
  }
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    // A cancelled run goes on as a whole, whichever step was named.
    const StepRun& s = of(step_index(i));
    const bool cancelled = s.state == StepState::cancelled && !s.state.is_replaced();
    const bool went_wrong = s.state == StepState::failed || s.state == StepState::blocked || s.state.awaits_person();
    if (cancelled || (!e.step && went_wrong)) roots.push_back(step_index(i));
  }
  if (roots.empty() && (is_over(state_) || state_ == RunState::failed)) return;
  reset(roots, out, e.step);
}

void Run::on(const event::PlanExtended& e, Commands& out) {
  const std::size_t first = steps_.size();
  const bool goes_on = state_ == RunState::running || state_ == RunState::paused || state_ == RunState::parked ||
                       state_ == RunState::queued;
  const bool anew =
      !e.task.empty() && (state_ == RunState::completed || state_ == RunState::accepted || awaits_review());
  if (at(e.first) != first || (!goes_on && !anew) || cancelling_) return;
  if (e.replaces_rest) steps_.replace_rest();
  if (!e.workflow.empty()) workflow_ = e.workflow;
  if (!e.task.empty()) later_tasks_.push_back(e.task);
  if (!e.steps.empty()) extensions_.emplace_back(e.by, step_index(first));
  for (const Step& added : e.steps) {
    const StepIndex i = steps_.graph().append(added);
    const auto is_completed = [&](StepIndex need) {
      return at(need) < at(i) && of(need).state == StepState::completed;
    };
    const auto met = std::ranges::count_if(added.needs, is_completed);
    steps_.graph().set_unmet(i, steps_.graph().unmet(i) - static_cast<std::uint32_t>(met));
    steps_.add();
  }
  for (const auto& [waiting, added] : e.joins) {
    StepRun& s = steps_.ref(waiting);
    if (s.state != StepState::pending && s.state != StepState::ready) continue;
    if (s.state == StepState::ready) steps_.set(waiting, StepStanding::pending());
    // Its turn comes again when that is there too.
    if (FlowRun* flow = steps_.flows().forget_turn(waiting); flow != nullptr && step(waiting).flow->tree) ++flow->round;
    steps_.graph().join(waiting, added);
    steps_.graph().set_unmet(waiting, steps_.graph().unmet(waiting) + 1);
  }
  for (const Step& added : e.steps) {
    for (const StepIndex need : added.needs)
      BATON_ENSURE(steps_.has(need), "a step is added that needs none", added.id);
  }
  if (!e.steps.empty()) announce(Announced::plan_extended, out, e.by);
  for (std::size_t n = first; n < steps_.size(); ++n) {
    if (of(step_index(n)).state == StepState::pending) ready_when_met(step_index(n), out);
  }
  // What they wait for now may have ended already, well or badly: nobody would tell them.
  for (const auto& [waiting, added] : e.joins) {
    if (of(waiting).state == StepState::pending) ready_when_met(waiting, out);
  }
  // Only now: those that need it are the new ones.
  if (of(e.by).state.is_answered()) complete(e.by, out);
  if (anew) go_on(out);
  settle(out);
}

}  // namespace baton
