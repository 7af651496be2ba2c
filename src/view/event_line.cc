#include <fmt/core.h>

#include "base/text.h"
#include "view/event_view.h"
#include "view/words.h"

namespace baton {
namespace {

using Announced = command::Announce::Kind;

/// Of a chain, whose skills run one after another: the how-manieth of how many this is.
std::string place_in_chain(const Run& run, StepIndex step) {
  if (run.plan().dialect != "chain") return {};
  std::size_t place = 0;
  for (std::size_t n = 0; n <= at(step); ++n) place += run.never_existed(step_index(n)) ? 0 : 1;
  return fmt::format("[{}/{}] ", place, run.step_total());
}

std::string step_finished_line(const Run& run, const command::Announce& what) {
  const StepState state = shown_state(run, what.step);
  const Attempt* a = run.attempt(what.step, what.attempt);
  std::string line = fmt::format("{} {} {}", sign(state), run.step(what.step).id, name(state));
  if (a != nullptr && a->finished > a->started && a->started != Time{}) {
    line += fmt::format(" in {}", brief(a->finished - a->started));
  }
  if (const auto error = error_of(run, what.step)) line += fmt::format(": {}", error->message);
  if (const auto warning = warning_of(run, what.step)) line += fmt::format(", but: {}", warning->message);
  if (const std::string why = why_skipped(run, what.step); !why.empty()) line += ": " + why;
  return line;
}

std::string retrying_line(const Run& run, const command::Announce& what) {
  const Attempt* a = run.attempt(what.step, what.attempt);
  const bool known = a != nullptr && a->detail && a->detail->failure;
  std::string line = fmt::format("{} {} attempt {} failed: {}", sign(StepState::waiting), run.step(what.step).id,
                                 what.attempt, known ? a->detail->failure->message : "");
  return line + (what.delay.count() > 0 ? fmt::format("; again in {}", brief(what.delay)) : "; trying again");
}

std::string budget_line(const Run& run, const command::Announce& what) {
  if (what.attempt > 0) {
    return fmt::format("! {} the budget of {} {} used: {}",
                       run.has_used_up_budget(what.step) ? "all of" : "four fifths of", run.step(what.step).id,
                       run.has_used_up_budget(what.step) ? "is" : "are", run.used_of_budget(what.step));
  }
  const std::string used = run.used_of_budget();
  if (run.has_used_up_budget()) return "! all of the run's budget is used: " + used;
  if (!used.empty()) return "! four fifths of the run's budget are used: " + used;
  return fmt::format("! four fifths of the run's time are used: {} in all", brief(run.settings().time_budget));
}

std::string report_line(const Report& report, const std::string& task) {
  const event::WorkerReported& said = report.said;
  return fmt::format("» [{}] {} {}{}{}{}", said.role, task, said.kind, said.text.empty() ? "" : ": ",
                     shorten(said.text, 200), report.current ? "" : " (of an attempt that is not at work)");
}

}  // namespace

std::string event_line(const std::string& id, const Run& run, const RunPlaces& /*places*/,
                       const command::Announce& what, Time when) {
  switch (what.kind) {
    case Announced::run_started:
      return fmt::format("run {} of {} started: {}", id, run.workflow(), counted(run.step_total(), "step"));
    case Announced::run_resumed:
      return fmt::format("run {} of {} goes on: {} of {} done", id, run.workflow(), run.count(StepState::completed),
                         counted(run.step_total(), "step"));
    case Announced::run_paused:
      return fmt::format("run {} paused: {}", id, run.pause_reason());
    case Announced::run_parked: {
      const auto until = run.parked_until();
      return fmt::format("run {} parked{}: {}", id, until ? " until " + rfc3339(*until) : std::string{},
                         why_parked(run));
    }
    case Announced::run_reviewing:
      return fmt::format("run {} waits for a person: 'baton accept {}' or 'baton reject {}'", id, id, id);
    case Announced::run_finished:
      return fmt::format("run {} {} in {}: {}", id, name(run.state()), brief(duration_of(run, when)), tally(run));
    case Announced::step_started:
      return fmt::format("{} {}{} started{}", sign(StepState::running), place_in_chain(run, what.step),
                         run.step(what.step).id, what.attempt > 1 ? fmt::format(" (attempt {})", what.attempt) : "");
    case Announced::step_retrying:
      return retrying_line(run, what);
    case Announced::step_finished:
      return step_finished_line(run, what);
    case Announced::plan_extended:
      return fmt::format("+ {}: {} more", run.step(what.step).id, counted(steps_added(run, what.step).size(), "step"));
    case Announced::step_gated:
      return fmt::format("{} {} waits for approval: {}", sign(StepState::waiting), run.step(what.step).id,
                         question_of(run, what.step));
    case Announced::step_quiet:
      return fmt::format("{} {} has given no sign of life for {}", sign(StepState::waiting), run.step(what.step).id,
                         brief(what.delay));
    case Announced::cost_unknown:
      return fmt::format("! the price of the model that {} uses is not known: its dollars cannot be counted",
                         run.step(what.step).id);
    case Announced::budget_warning:
      return budget_line(run, what);
    case Announced::step_deferred: {
      const event::StepDeferred* deferral = run.deferral_of(what.step);
      const bool broke = deferral != nullptr && !deferral->reason.empty();
      return fmt::format("{} {} waits {}: {}{}", sign(StepState::waiting), run.step(what.step).id, brief(what.delay),
                         broke                 ? deferral->reason
                         : deferral == nullptr ? "its provider"
                                               : deferral->runtime,
                         broke ? "" : " is left alone so long");
    }
    case Announced::step_reported:
      return report_line(run.reports()[what.report], run.step(what.step).id);
    case Announced::step_used:
    case Announced::step_checked:
      break;
  }
  return {};
}

}  // namespace baton
