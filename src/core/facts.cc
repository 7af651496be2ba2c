#include "core/facts.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"

namespace baton {

namespace {

/// Which checks failed, on what, and in which attempt.
Failure failed_checks(const Attempt& attempt) {
  std::vector<std::string> failed;
  for (const CheckResult& r : attempt.detail->checks) {
    if (!r.passed) failed.push_back(fmt::format("{}: {}", r.name, r.message));
  }
  const std::size_t all = attempt.detail->checks.size();
  return {"checks-failed",
          fmt::format("attempt {} failed {} of {} check{}: {}", attempt.n, failed.size(), all, all == 1 ? "" : "s",
                      join(failed, "; ")),
          false};
}

/// Its time was up, and a person has to say whether it is tried again or left out.
bool ran_out_of_time(const Run& run, StepIndex step) {
  const StepRun& s = run.of(step);
  return s.state.awaits_person() && run.step(step).policy.timeout_pauses && !s.attempts.empty() &&
         s.attempts.back().state == AttemptState::failed;
}

}  // namespace

StepState shown_state(const Run& run, StepIndex step) {
  const StepRun& s = run.of(step);
  if (run.is_conditional(step)) return StepState::pending;
  if (ran_out_of_time(run, step)) return StepState::failed;
  // With no more in flight than there are slots, what was admitted is starting this very moment.
  const bool crowded = run.in_flight() > static_cast<std::size_t>(run.settings().jobs);
  const bool waits = crowded && s.state == StepState::running && s.attempts.back().state == AttemptState::admitted;
  return waits ? StepState::ready : s.state;
}

std::span<const Attempt> shown_attempts(const Run& run, StepIndex step) {
  const std::vector<Attempt>& all = run.of(step).attempts;
  return std::span{all}.first(all.size() - (run.is_conditional(step) ? 1 : 0));
}

std::string answer_file(const std::string& step) { return "outputs/" + step + ".md"; }

KnownUsage known_usage(const Run& run, const Attempt& attempt) {
  if (run.is_silent(attempt)) return {};
  if (!attempt.told) return {Tokens{}, Cost{}};  // it never ran, or is nothing that anybody is paid for
  const Usage& usage = attempt.detail->usage;
  return {usage.tokens_unknown ? std::nullopt : std::optional{usage.tokens}, usage.cost};
}

const std::string& model_of(const Run& run, const Attempt& attempt) {
  if (attempt.detail && !attempt.detail->usage.model.empty()) return attempt.detail->usage.model;
  return run.interned(attempt.model);
}

std::string option_of(const Run& run, const std::string& key) {
  const auto found = run.settings().options.find(key);
  return found == run.settings().options.end() ? std::string{} : found->second;
}

std::string question_of(const Run& run, StepIndex step) {
  const FlowRun* flow = run.flow_of(step);
  if (flow != nullptr && !flow->reason.empty()) return flow->reason;
  const std::string& planned = run.step(step).flow->question;
  return planned.empty() ? "a person has to approve it" : planned;
}

std::string why_skipped(const Run& run, StepIndex step) {
  const StepRun& s = run.of(step);
  if (!s.state.is_skipped_without_failure()) return {};
  const FlowRun* flow = run.flow_of(step);
  if (s.state.is_skipped_by_person())
    return flow != nullptr && !flow->reason.empty() ? flow->reason : "a person left it out";
  if (flow != nullptr && !flow->reason.empty()) return fmt::format("'{}' does not hold", flow->reason);
  for (const StepIndex need : run.step(step).needs) {
    if (run.of(need).state.is_skipped_without_failure())
      return fmt::format("it needs '{}', which was skipped", run.step(need).id);
  }
  return "all it brings together was skipped";
}

std::optional<Failure> error_of(const Run& run, StepIndex step) {
  const StepRun& s = run.of(step);
  const FlowRun* flow = run.flow_of(step);
  if (const std::optional<StepIndex> cause = s.state.cause()) {
    const bool part = flow != nullptr && std::ranges::find(flow->made, *cause) != flow->made.end();
    const std::string& id = run.step(*cause).id;
    return Failure{"need-failed",
                   part ? fmt::format("its part '{}' failed", id) : fmt::format("it needs '{}', which failed", id),
                   false};
  }
  if (s.state.is_at_gate()) {
    return Failure{"gate-waiting", question_of(run, step), false};
  }
  const bool went_wrong = s.state == StepState::failed || s.state == StepState::blocked;
  if (went_wrong && flow != nullptr && !flow->code.empty()) {
    return Failure{flow->code, flow->reason, false};
  }
  if (s.state.awaits_person() && !ran_out_of_time(run, step)) {
    return Failure{"attempt-unknown", "nobody saw how its last attempt ended; a person has to decide", false};
  }
  if (s.state == StepState::completed || s.attempts.empty() || !s.attempts.back().detail) return std::nullopt;
  const auto& failure = s.attempts.back().detail->failure;
  if (s.state == StepState::failed && failure && failure->kind() == FailureKind::checks) {
    return failed_checks(s.attempts.back());
  }
  return failure;
}

std::optional<Failure> warning_of(const Run& run, StepIndex step) {
  const StepRun& s = run.of(step);
  if (s.state != StepState::completed || s.attempts.empty() || !s.attempts.back().detail) return std::nullopt;
  const auto& said = s.attempts.back().detail->failure;
  return said && said->kind() == FailureKind::checks ? std::nullopt
                                                     : said;  // they passed when they were looked at again
}

std::string why_parked(const Run& run) {
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    const StepRun& s = run.of(step_index(n));
    if (!s.state.waits_for_quota()) continue;
    if (const event::StepDeferred* deferral = run.deferral_of(step_index(n))) {
      if (!deferral->reason.empty()) return deferral->reason;
      continue;
    }
    const bool broke = !s.attempts.empty() && s.attempts.back().detail && s.attempts.back().detail->failure &&
                       s.attempts.back().detail->failure->kind() == FailureKind::budget;
    if (broke) return s.attempts.back().detail->failure->message;
  }
  return "a usage limit was reached";
}

std::optional<Failure> error_of(const Run& run) {
  if (run.state() == RunState::paused) {
    return Failure{run.pause_cause() == PauseCause::walls ? "too-many-walls" : "run-paused", run.pause_reason(), false};
  }
  const bool well =
      run.state() != RunState::failed && run.state() != RunState::reviewing && run.state() != RunState::rejected;
  if (well) return std::nullopt;
  const auto first_of = [&](auto counts) -> std::optional<Failure> {
    for (std::size_t n = 0; n < run.step_count(); ++n) {
      const StepIndex i = step_index(n);
      const auto failure = counts(run.of(i)) ? error_of(run, i) : std::nullopt;
      if (failure) return Failure{failure->code, fmt::format("step '{}': {}", run.step(i).id, failure->message), false};
    }
    return std::nullopt;
  };
  // What a person is asked comes before what went wrong besides: the run waits for the answer.
  if (run.state() == RunState::reviewing) {
    if (auto asked = first_of([](const StepRun& s) { return s.state.awaits_person(); })) return asked;
  }
  return first_of([](const StepRun& s) {
    return s.state == StepState::failed || s.state == StepState::blocked || s.state.awaits_person();
  });
}

}  // namespace baton
