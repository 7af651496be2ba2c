#include "view/why_view.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "view/run_facts.h"
#include "view/words.h"

namespace baton {
namespace {

std::string clock_of(Time t) { return rfc3339(t).substr(11, 12); }

std::string ended_text(const Run& run, const event::AttemptEnded& e) {
  if (e.dropped)
    return fmt::format("attempt {} was dropped before it began: its condition did not come about", e.attempt);
  if (e.unknown) return fmt::format("attempt {} was lost: nobody saw how it ended", e.attempt);
  // What stopped it says more than that it was stopped.
  const Attempt* a = run.attempt(e.step, e.attempt);
  const auto& failure = a != nullptr && a->detail && a->detail->failure ? a->detail->failure : e.failure;
  if (e.failure) return fmt::format("attempt {} failed ({}): {}", e.attempt, failure->code, failure->message);
  return fmt::format("attempt {} ended well", e.attempt);
}

std::string checked_text(const event::OutputChecked& e) {
  if (e.results.empty()) return fmt::format("attempt {}: its output is there and can be read", e.attempt);
  std::string text = fmt::format("attempt {}: {} of {} checks passed", e.attempt,
                                 std::ranges::count_if(e.results, &CheckResult::passed), e.results.size());
  for (const CheckResult& r : e.results) {
    if (!r.passed) text += fmt::format("\n                 {}: {}", r.name, r.message);
  }
  return text;
}

std::string turn_text(const event::TurnTaken& e, bool composite) {
  switch (e.verdict) {
    case TurnVerdict::skip:
      return fmt::format("its turn came: '{}' does not hold", e.reason);
    case TurnVerdict::fail:
      return fmt::format("its turn came and it failed ({}): {}", e.code, e.reason);
    case TurnVerdict::block:
      return fmt::format("its turn came and it is blocked ({}): {}", e.code, e.reason);
    case TurnVerdict::done:
      return composite ? "its turn came: everything made for it is there" : "its turn came: it is done already";
    case TurnVerdict::ask:
      return fmt::format("it waits for a person: {}", e.reason);
    case TurnVerdict::go:
      break;
  }
  const std::string asked = e.reason.empty() ? std::string{} : fmt::format("; a person is asked: {}", e.reason);
  return e.made.empty() ? "its turn came" + asked
                        : fmt::format("its turn came: {} made for it{}", counted(e.made.size(), "step"), asked);
}

/// What the step was found to need; empty if nothing.
std::string joins_text(const Run& run, const event::PlanExtended& e, StepIndex step) {
  std::vector<std::string> needs;
  for (const auto& [waiting, need] : e.joins) {
    if (waiting == step && at(need) < run.step_count()) needs.push_back("'" + run.step(need).id + "'");
  }
  return needs.empty() ? std::string{} : "it waits for " + join(needs, ", ") + " too";
}

std::string answer_text(const event::GateAnswered& e) {
  return fmt::format("a person {} it{}{}", e.approved ? "approved" : "rejected", e.message.empty() ? "" : ": ",
                     e.message);
}

/// What one event meant for a step with a flow; empty if nothing.
std::string flow_line_of(const Run& run, const Event& event, StepIndex step) {
  if (const auto* e = std::get_if<event::TurnTaken>(&event.body); e != nullptr && e->step == step) {
    return turn_text(*e, run.step(step).flow != nullptr && run.step(step).flow->is_composite());
  }
  if (const auto* e = std::get_if<event::PlanExtended>(&event.body)) return joins_text(run, *e, step);
  const bool has_gate = run.step(step).flow != nullptr && run.step(step).flow->gate;
  if (const auto* e = std::get_if<event::GateAnswered>(&event.body); e != nullptr && has_gate) {
    return e->step.value_or(step) == step ? answer_text(*e) : std::string{};
  }
  if (const auto* e = std::get_if<event::AttemptQuiet>(&event.body); e != nullptr && e->step == step) {
    return fmt::format("attempt {} had given no sign of life for {}", e->attempt, brief(e->quiet));
  }
  if (const auto* e = std::get_if<event::OutputChanged>(&event.body); e != nullptr && e->step == step) {
    return e->put_together ? "its list was not what it was: it is put together once more"
                           : "its output is not what it was: it was checked again";
  }
  if (const auto* e = std::get_if<event::WorkerReported>(&event.body); e != nullptr && e->step == step) {
    return fmt::format("its worker said {}{}{}", e->kind, e->text.empty() ? "" : ": ", shorten(e->text, 200));
  }
  if (const auto* e = std::get_if<event::StepDecided>(&event.body); e != nullptr && e->step == step) {
    return fmt::format("{}: {}", e->completed ? "it counts as completed" : "it was left out", e->by);
  }
  if (const auto* e = std::get_if<event::StepDeferred>(&event.body); e != nullptr && e->step == step) {
    if (!e->reason.empty())
      return fmt::format("it may start, but {}; it waits until {}", e->reason, clock_of(e->until));
    return fmt::format("it may start, but {} is left alone until {}", e->runtime, clock_of(e->until));
  }
  return {};
}

/// What one event meant for the step; empty if nothing.
std::string line_of(const Run& run, const Event& event, StepIndex step) {
  if (std::string line = flow_line_of(run, event, step); !line.empty()) return line;
  if (const auto* e = std::get_if<event::AttemptAdmitted>(&event.body); e != nullptr && e->step == step) {
    const std::string on =
        e->after > 0 ? fmt::format(", on the condition that '{}' completes", run.step(run.step(step).needs.front()).id)
                     : std::string{};
    return fmt::format("attempt {} admitted to runtime {}{}", e->attempt, e->runtime, on);
  }
  if (const auto* e = std::get_if<event::AttemptStarted>(&event.body); e != nullptr && e->step == step) {
    return fmt::format("attempt {} started{}", e->attempt, e->pid > 0 ? fmt::format(" as process {}", e->pid) : "");
  }
  if (const auto* e = std::get_if<event::AttemptEnded>(&event.body); e != nullptr && e->step == step)
    return ended_text(run, *e);
  if (const auto* e = std::get_if<event::OutputChecked>(&event.body); e != nullptr && e->step == step)
    return checked_text(*e);
  if (const auto* e = std::get_if<event::TimerFired>(&event.body); e != nullptr && e->timer.step == step) {
    if (e->timer.kind == TimerId::Kind::attempt_timeout) return "its time was up";
    if (e->timer.kind == TimerId::Kind::retry) return "the wait before the next attempt was over";
  }
  if (const auto* e = std::get_if<event::PauseAsked>(&event.body)) return fmt::format("the run was paused: {}", e->by);
  if (std::get_if<event::ResumeAsked>(&event.body) != nullptr) return "the run was resumed";
  if (std::get_if<event::CancelAsked>(&event.body) != nullptr) return "the run was cancelled";
  if (const auto* e = std::get_if<event::RetryAsked>(&event.body)) {
    return e->step == step ? "it was asked to run again" : e->step ? "" : "failed steps were asked to run again";
  }
  if (const auto* e = std::get_if<event::DriverTook>(&event.body)) {
    return e->queues ? "a process took the run up and queued for a place" : "a process took the run up";
  }
  if (std::get_if<event::PlaceTaken>(&event.body) != nullptr) return "the run got a place";
  return {};
}

std::string unmet_needs_text(const Run& run, StepIndex step) {
  std::string text;
  for (const StepIndex need : run.step(step).needs) {
    text += fmt::format("  needs {} {} ({})\n", sign(shown_state(run, need)), run.step(need).id,
                        name(shown_state(run, need)));
  }
  const FlowRun* flow = run.flow_of(step);
  for (const StepIndex made : flow == nullptr ? std::vector<StepIndex>{} : flow->made) {
    text += fmt::format("  made  {} {} ({})\n", sign(run.of(made).state), run.step(made).id, name(run.of(made).state));
  }
  return text;
}

}  // namespace

std::string why_text(const Run& run, const std::vector<Event>& events, StepIndex step) {
  const StepRun& s = run.of(step);
  const StepState state = shown_state(run, step);
  std::string out = fmt::format("{} {} is {}\n", sign(state), run.step(step).id, name(state));
  if (const auto error = error_of(run, step)) out += fmt::format("  because {}\n", error->message);
  if (const std::string why = why_skipped(run, step); !why.empty()) out += fmt::format("  because {}\n", why);
  out += unmet_needs_text(run, step);
  for (const Event& e : events) {
    const std::string line = line_of(run, e, step);
    if (!line.empty()) out += fmt::format("  {}  {}\n", clock_of(e.at), line);
  }
  if (const auto cause = s.state.cause()) out += "\n" + why_text(run, events, *cause);
  return out;
}

}  // namespace baton
