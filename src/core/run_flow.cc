// Steps with a flow: conditions, gates, and steps that are made while the run goes on.
#include <algorithm>
#include <utility>

#include "core/run.h"

namespace baton {

using Announced = command::Announce::Kind;

bool Run::is_asked(const command::TakeTurn& turn) const {
  const FlowRun* flow = flow_of(turn.step);
  return flow != nullptr && flow->is_asked() && flow->generation == turn.generation && flow->round + 1 == turn.round;
}

/// Everything a step needs is there.
void Run::give_turn(StepIndex i, Commands& out) {
  const std::shared_ptr<const Flow> flow = step(i).flow;
  if (flow == nullptr) return begin_work(i, out);
  FlowRun& f = steps_.flows().at(i);
  if (f.may_start()) return pass_gate(i, out);  // tried again: its turn has been
  if (f.is_asked()) return;
  if (flow->tree && steps_.is_tree_busy(i)) {
    if (of(i).state != StepState::pending) steps_.set(i, StepStanding::pending());
    if (std::ranges::find(wait_for_tree_, i) == wait_for_tree_.end()) wait_for_tree_.push_back(i);
    return;
  }
  steps_.flows().ask(f);
  if (of(i).state != StepState::pending) steps_.set(i, StepStanding::pending());
  out.push_back(command::TakeTurn{i, f.generation, f.round + 1});
}

void Run::begin_work(StepIndex i, Commands& out) {
  if (!step(i).work->is_nothing()) return make_ready(i, out);
  // It only brings others together: with all of them left out there is nothing to bring.
  bool any = false;
  bool all_skipped = true;
  steps_.graph().each_need(i, [&](StepIndex need) {
    any = true;
    all_skipped = all_skipped && of(need).state == StepState::skipped;
  });
  if (any && all_skipped) return skip_by_condition(i, out);
  complete(i, out);
}

void Run::on(const event::TurnTaken& e, Commands& out) {
  const FlowRun* asked = flow_of(e.step);
  if (asked == nullptr || !asked->awaits(e.generation, e.round)) return;
  FlowRun& f = *steps_.flows().forget_turn(e.step);
  if (!steps_.join(e.step, e.needs)) {  // one of them is to run again since it was looked at: so is its turn
    ready_when_met(e.step, out);
    return settle(out);
  }
  f.round = e.round;
  const std::shared_ptr<const Flow> flow = step(e.step).flow;
  if (e.verdict == TurnVerdict::skip) {
    f.reason = e.reason;
    skip_by_condition(e.step, out);
  } else if (e.verdict == TurnVerdict::fail || e.verdict == TurnVerdict::block) {
    f.code = e.code;
    f.reason = e.reason;
    end_badly(e.step, e.verdict == TurnVerdict::block ? StepStanding::blocked() : StepStanding::failed(), out);
  } else if (e.verdict == TurnVerdict::ask) {
    f.reason = e.reason;
    wait_at_gate(e.step, out);
  } else if (e.verdict == TurnVerdict::done) {
    f.digest = e.digest;
    f.digest_at = now_;
    f.digest_turn = turn_;
    if (!e.digest.empty()) keeps_outputs_ = true;
    complete(e.step, out);
  } else if (flow->is_composite() && flow->gate && !f.is_approved()) {
    f.round = e.round - 1;  // nothing is made before a person approves: then its turn comes once more
    f.reason = e.reason;
    pass_gate(e.step, out);
  } else if (flow->is_composite()) {
    add_made(e.step, e.made, out);
  } else {
    f.is = TurnState::Is::went;
    f.reason = e.reason;
    if (e.work != nullptr) {
      f.filled = step(e.step);
      f.filled->work = e.work;
    }
    pass_gate(e.step, out);
  }
  settle(out);
}

void Run::pass_gate(StepIndex i, Commands& out) {
  if (!step(i).flow->gate || steps_.flows().at(i).is_approved()) return begin_work(i, out);
  wait_at_gate(i, out);
}

void Run::wait_at_gate(StepIndex i, Commands& out) {
  steps_.set(i, StepStanding::waiting_at_gate());
  announce(Announced::step_gated, out, i);
}

void Run::add_made(StepIndex by, const std::vector<Step>& made, Commands& out) {
  const std::size_t first = steps_.size();
  extensions_.emplace_back(by, step_index(first));
  steps_.graph().append_made(by, made);
  std::vector<StepIndex>& parts = steps_.flows().at(by).made;
  for (std::size_t n = 0; n < made.size(); ++n) {
    parts.push_back(step_index(steps_.size()));
    steps_.add();
  }
  announce(Announced::plan_extended, out, by);
  for (std::size_t n = first; n < first + made.size(); ++n) {
    if (of(step_index(n)).state == StepState::pending) ready_when_met(step_index(n), out);
  }
}

/// The step is run again from its first turn; what was made for it gives way to what will be made.
void Run::begin_anew(StepIndex i, Commands& out) {
  const FlowRun* before = steps_.flows().forget_turn(i);
  if (before == nullptr || std::ranges::any_of(before->made, [&](StepIndex m) { return steps_.is_at_work(m); })) return;
  for (const StepIndex m : before->made) {
    timers_.disarm(retry_of(m), out);
    FlowRun* flow = steps_.flows().forget_turn(m);
    if (flow != nullptr && flow->is_rejected()) flow->answer = TurnState::Answer::none;
    steps_.replace(m);
  }
  for (const StepIndex by : steps_.graph().part_from(before->made)) need_less_.push_back(by);
  steps_.flows().begin_anew(i);
}

/// The step is to run again. What was made for a composite and is done stays done, unless what it was made from is no
/// longer the same.
void Run::forget_flow(StepIndex i, bool needs_changed, bool anew, Commands& out) {
  // A condition is looked at in the first turn only: one that said no has to be asked again.
  const bool went_wrong = of(i).state == StepState::failed || of(i).state == StepState::blocked;
  const bool from_start = needs_changed || anew || went_wrong || of(i).state.is_skipped_without_failure();
  if (from_start) begin_anew(i, out);
  FlowRun* flow = steps_.flows().forget_turn(i);
  if (flow == nullptr) return;
  if (needs_changed) flow->answer = TurnState::Answer::none;
  // Its last turn brought together what is now another: that turn comes again, and counts as no further round.
  if (of(i).state == StepState::completed && step(i).flow->is_composite() && flow->round > 0) --flow->round;
}

void Run::skip_by_condition(StepIndex i, Commands& out) {
  std::vector<StepIndex> open{i};
  while (!open.empty()) {
    const StepIndex next = open.back();
    open.pop_back();
    if (next != i && of(next).state != StepState::pending) continue;
    steps_.set(next, StepStanding::skipped_by_condition());
    announce(Announced::step_finished, out, next);
    steps_.graph().each_successor(next, [&](StepIndex successor) {
      if (of(successor).state != StepState::pending) return;
      if (!steps_.tolerates(successor, next)) {
        open.push_back(successor);
      } else if (steps_.graph().meet_one(successor)) {
        give_turn(successor, out);
      }
    });
  }
}

void Run::on(const event::GateAnswered& e, Commands& out) {
  std::vector<StepIndex> gates;
  for (std::size_t n = 0; n < steps_.size(); ++n) {
    if (of(step_index(n)).state.is_at_gate() && (!e.step || *e.step == step_index(n))) gates.push_back(step_index(n));
  }
  if (gates.empty() || cancelling_) return;
  for (const StepIndex i : gates) {
    FlowRun& f = steps_.flows().at(i);
    f.answer = e.approved ? TurnState::Answer::approved : TurnState::Answer::rejected;
    if (e.approved) {
      ready_when_met(i, out);
    } else {
      f.code = "gate-rejected";
      f.reason = e.message.empty() ? "a person rejected it" : "a person rejected it: " + e.message;
      end_badly(i, StepStanding::failed(), out);
    }
  }
  if (state_ == RunState::reviewing) return go_on(out);
  settle(out);
}

void Run::on(const event::OutputChanged& e, Commands& out) {
  if (!steps_.has(e.step) || of(e.step).state != StepState::completed || of(e.step).state.is_replaced()) return;
  // A cancelled run does not go on because of an edit; when it is asked to, the edit is noticed again.
  if (cancelling_ || state_ == RunState::cancelled) return;
  // Told late: it was written again meanwhile, and that is known.
  if (all_passed(e.results) && e.digest == digest_of(e.step)) return;
  if (e.put_together) {
    const FlowRun* flow = flow_of(e.step);
    if (flow == nullptr || !step(e.step).flow->is_composite() || flow->round == 0) return;
    put_together_again(e.step, {}, out);
    go_on(out);
    return settle(out);
  }
  StepRun& s = steps_.ref(e.step);
  FlowRun* flow = steps_.flows().find(e.step);
  if (!s.attempts.empty()) {
    Attempt::Detail& d = detail_of(s.attempts.back());
    d.checks = e.results;
    d.digest = e.digest;
    d.checked = true;
    d.checked_at = now_;
    d.checked_turn = turn_;
  } else if (flow != nullptr && !flow->digest.empty()) {
    flow->digest = e.digest;
    flow->digest_at = now_;
    flow->digest_turn = turn_;
  } else {
    found_[static_cast<std::uint32_t>(e.step)] = {e.digest, now_};
  }
  steps_.touch(e.step);
  if (!all_passed(e.results)) return reset({e.step}, out, e.step);
  std::vector<StepIndex> roots;
  steps_.graph().each_successor(e.step, [&](StepIndex successor) {
    if (!of(successor).state.is_replaced()) roots.push_back(successor);
  });
  if (!roots.empty()) reset(roots, out, {}, e.step);
}

void Run::on(const event::ReviewAnswered& e, Commands& out) {
  if (state_ != RunState::reviewing && state_ != RunState::completed) return;
  if (count(StepState::waiting) > 0) return;  // what it waits for is another answer
  if (!e.landed.empty()) landed_ = e.landed;  // what a follow-up is rejected for does not undo what came before it
  finish(e.accepted ? RunState::accepted : RunState::rejected, out);
}

void Run::on(const event::AttemptQuiet& e, Commands& out) {
  Attempt* attempt = steps_.current(e.step, e.attempt);
  const Millis stall = step(e.step).policy.stall;
  if (attempt == nullptr || stall.count() == 0 || attempt->stopping != Attempt::Stopping::no) return;
  if (e.quiet >= 2 * stall) {
    attempt->stopping = Attempt::Stopping::stalled;
    out.push_back(command::StopAttempt{e.step, attempt->n});
  } else if (!std::exchange(detail_of(*attempt).quiet_told, true)) {
    announce(Announced::step_quiet, out, e.step, e.attempt, e.quiet);
  }
}

std::string Run::digest_of(StepIndex i) const {
  const StepRun& s = of(i);
  if (!s.attempts.empty() && s.attempts.back().detail) return s.attempts.back().detail->digest;
  if (const FlowRun* flow = flow_of(i); flow != nullptr && !flow->digest.empty()) return flow->digest;
  const auto found = found_.find(static_cast<std::uint32_t>(i));
  return found == found_.end() ? std::string{} : found->second.digest;
}

Time Run::checked_at(StepIndex i) const {
  const StepRun& s = of(i);
  if (!s.attempts.empty() && s.attempts.back().detail) return s.attempts.back().detail->checked_at;
  if (const FlowRun* flow = flow_of(i); flow != nullptr && flow->digest_at != Time{}) return flow->digest_at;
  const auto found = found_.find(static_cast<std::uint32_t>(i));
  if (found != found_.end()) return found->second.checked_at;
  Time latest{};
  // A workflow that is a step only brings its steps together: it is as old as they are.
  if (step(i).work->is_nothing() && step(i).work->has_output()) {
    steps_.graph().each_need(i, [&](StepIndex need) { latest = std::max(latest, checked_at(need)); });
  }
  return latest;
}

std::uint64_t Run::checked_turn(StepIndex i) const {
  const StepRun& s = of(i);
  if (!s.attempts.empty() && s.attempts.back().detail) return s.attempts.back().detail->checked_turn;
  const FlowRun* flow = flow_of(i);
  return flow != nullptr && !flow->digest.empty() ? flow->digest_turn : 0;
}

}  // namespace baton
