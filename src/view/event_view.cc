#include "view/event_view.h"

#include <fmt/core.h>

#include "base/text.h"
#include "view/json_text.h"

namespace baton {
namespace {

using Announced = command::Announce::Kind;

JsonObject head(std::string_view type, const std::string& id, Time at) {
  JsonObject o;
  o.text("type", type).text("time", rfc3339(at)).text("run", id);
  return o;
}

std::string counts_json(const Run& run) {
  JsonObject counts;
  for (const StepState s :
       {StepState::completed, StepState::failed, StepState::skipped, StepState::blocked, StepState::cancelled}) {
    counts.number(name(s), static_cast<std::int64_t>(run.count(s)));
  }
  return counts.done();
}

std::string step_ids_json(const Run& run) {
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < run.step_count(); ++i) {
    if (!run.never_existed(step_index(i))) ids.push_back(run.step(step_index(i)).id);
  }
  return json_of(ids);
}

const Attempt::Detail& detail_of(const Run& run, const command::Announce& what) {
  static const Attempt::Detail none;
  const Attempt* a = run.attempt(what.step, what.attempt);
  return a != nullptr && a->detail ? *a->detail : none;
}

std::string total_json(JsonObject o, const Run& run, const RunPlaces& places, Time at) {
  o.text("state", name(run.state()))
      .raw("counts", counts_json(run))
      .raw("cost_usd", json_of(run.cost()))
      .raw("tokens", json_of(run.tokens()))
      .number("duration_ms", duration_of(run, at).count());
  o.maybe("artifact", artifact_of(run, places));
  o.maybe("sandbox", std::optional{option_of(run, "sandbox")});
  o.maybe("session", std::optional{option_of(run, "session")});
  o.maybe("error", error_of(run));
  return o.done();
}

std::string started_json(JsonObject o, const Run& run) {
  o.text("workflow", run.workflow()).text("dialect", run.plan().dialect).raw("steps", step_ids_json(run));
  o.maybe("sandbox", std::optional{option_of(run, "sandbox")});
  o.maybe("session", std::optional{option_of(run, "session")});
  return o.done();
}

std::string step_started_json(JsonObject o, const Run& run, const command::Announce& what) {
  const Attempt* a = run.attempt(what.step, what.attempt);
  o.text("step", run.step(what.step).id).number("attempt", what.attempt);
  const std::string& skill = run.step(what.step).work->skill;
  o.raw("skill", skill.empty() ? "null" : json_quote(skill)).text("runtime", run.interned(a->runtime));
  const std::string& model = run.interned(a->model);
  return o.raw("model", model.empty() ? "null" : json_quote(model)).done();
}

/// What stands in an attempt's record as the reason for the next one.
std::string retry_reason(const Attempt::Detail& d) {
  return d.failure ? fmt::format("{}: {}", d.failure->code, d.failure->message) : "";
}

std::string event_step_json(JsonObject o, const Run& run, const command::Announce& what) {
  const Attempt::Detail& d = detail_of(run, what);
  o.text("step", run.step(what.step).id);
  if (what.kind == Announced::step_finished) o.text("state", name(shown_state(run, what.step)));
  o.number("attempt", what.attempt);
  if (what.kind == Announced::step_used) {
    o.raw("tokens", d.usage.tokens_unknown ? "null" : json_of(d.usage.tokens)).raw("cost_usd", json_of(d.usage.cost));
  }
  if (what.kind == Announced::step_checked) o.flag("passed", all_passed(d.checks)).raw("checks", json_of(d.checks));
  if (what.kind == Announced::step_retrying) o.text("reason", retry_reason(d)).number("delay_ms", what.delay.count());
  if (what.kind == Announced::step_finished) {
    const auto error = error_of(run, what.step);
    o.maybe("error", error ? error : warning_of(run, what.step));
    o.maybe("reason", std::optional{why_skipped(run, what.step)});
  }
  return o.done();
}

std::string type_of(Announced kind) {
  switch (kind) {
    case Announced::run_started:
      return "run.started";
    case Announced::run_resumed:
      return "run.resumed";
    case Announced::run_paused:
      return "run.paused";
    case Announced::run_parked:
      return "run.parked";
    case Announced::run_reviewing:
      return "run.reviewing";
    case Announced::run_finished:
      return "run.finished";
    case Announced::step_started:
      return "step.started";
    case Announced::step_used:
      return "step.usage";
    case Announced::step_checked:
      return "step.checked";
    case Announced::step_retrying:
      return "step.retrying";
    case Announced::step_finished:
      return "step.finished";
    case Announced::plan_extended:
      return "plan.extended";
    case Announced::step_gated:
      return "step.gated";
    case Announced::step_quiet:
      return "step.quiet";
    case Announced::cost_unknown:
      return "run.cost_unknown";
    case Announced::budget_warning:
      return "run.budget";
    case Announced::step_deferred:
      return "step.deferred";
    case Announced::step_reported:
      return "step.reported";
  }
  return {};
}

}  // namespace

std::string event_json(const std::string& id, const Run& run, const RunPlaces& places, const command::Announce& what,
                       Time when) {
  JsonObject o = head(type_of(what.kind), id, when);
  switch (what.kind) {
    case Announced::run_started:
    case Announced::run_resumed:
      return started_json(std::move(o), run);
    case Announced::run_paused:
      o.text("reason", run.pause_reason());
      return total_json(std::move(o), run, places, when);
    case Announced::run_parked:
      if (const auto until = run.parked_until()) o.text("until", rfc3339(*until));
      o.text("reason", why_parked(run));
      return total_json(std::move(o), run, places, when);
    case Announced::budget_warning:
      if (what.attempt > 0) o.text("step", run.step(what.step).id);
      o.maybe("used", std::optional{what.attempt > 0 ? run.used_of_budget(what.step) : run.used_of_budget()});
      return total_json(std::move(o), run, places, when);
    case Announced::run_reviewing:
    case Announced::run_finished:
      return total_json(std::move(o), run, places, when);
    case Announced::step_gated:
      return o.text("step", run.step(what.step).id).text("question", question_of(run, what.step)).done();
    case Announced::step_quiet:
      return o.text("step", run.step(what.step).id)
          .number("attempt", what.attempt)
          .number("quiet_ms", what.delay.count())
          .done();
    case Announced::cost_unknown: {
      const Attempt* a = run.attempt(what.step, what.attempt);
      return o.text("step", run.step(what.step).id).text("model", a == nullptr ? "" : model_of(run, *a)).done();
    }
    case Announced::step_deferred: {
      const event::StepDeferred* deferral = run.deferral_of(what.step);
      o.text("step", run.step(what.step).id).number("delay_ms", what.delay.count());
      if (deferral == nullptr) return o.done();
      o.text("runtime", deferral->runtime).text("until", rfc3339(deferral->until));
      return o.maybe("reason", std::optional{deferral->reason}).done();
    }
    case Announced::step_reported: {
      const event::WorkerReported& said = run.reports()[what.report].said;
      return o.text("step", run.step(what.step).id)
          .number("attempt", what.attempt)
          .text("kind", said.kind)
          .text("role", said.role)
          .text("text", said.text)
          .done();
    }
    case Announced::step_started:
      return step_started_json(std::move(o), run, what);
    case Announced::plan_extended:
      return o.text("by", run.step(what.step).id).raw("steps", json_of(steps_added(run, what.step))).done();
    case Announced::step_used:
    case Announced::step_checked:
    case Announced::step_retrying:
    case Announced::step_finished:
      return event_step_json(std::move(o), run, what);
  }
  return o.done();
}

std::string said_json(const std::string& id, const Run& run, StepIndex step, std::string_view text, Time at) {
  return head("step.said", id, at).text("step", run.step(step).id).text("text", text).done();
}

std::string queued_json(const std::string& id, std::size_t before, Time at) {
  return head("run.queued", id, at).number("before", static_cast<std::int64_t>(before)).done();
}

std::string interrupted_json(const std::string& id, Time at) { return head("run.interrupted", id, at).done(); }

}  // namespace baton
