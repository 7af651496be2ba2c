#include "view/show_view.h"

#include <fmt/core.h>

#include "base/text.h"
#include "view/json_text.h"
#include "view/used.h"
#include "view/words.h"

namespace baton {
namespace {

const Attempt::Detail& shown_detail(const Attempt& a) {
  static const Attempt::Detail none;
  return a.detail ? *a.detail : none;
}

std::string text_or_null(const std::string& text) { return text.empty() ? "null" : json_quote(text); }

std::string attempt_json(const Run& run, const Step& step, const Attempt& a, const PathsOf& paths) {
  const Attempt::Detail& d = shown_detail(a);
  const AttemptPaths files = paths(step.id, a.n);
  JsonObject o;
  o.number("n", a.n).text("state", name(a.state)).text("runtime", run.interned(a.runtime));
  o.raw("model", text_or_null(run.interned(a.model)));
  o.maybe("exit", a.exit).maybe("signal", a.signal).maybe("error", d.failure);
  o.time("started_at", a.started).time("finished_at", a.finished);
  const KnownUsage used = known_usage(run, a);
  o.raw("cost_usd", json_of(used.cost)).raw("tokens", json_of(used.tokens));
  o.raw("prompt", step.work->is_command() ? "null" : json_quote(files.prompt)).text("log", files.log);
  return o.raw("checks", json_of(d.checks)).done();
}

std::string shown_step_json(const Run& run, StepIndex i, const RunPlaces& places, const PathsOf& paths) {
  const Step& step = run.step(i);
  JsonObject o;
  o.text("id", step.id).raw("skill", text_or_null(step.work->skill));
  o.maybe("title", std::optional{step.work->title});
  std::vector<std::string> needs;
  // A session's tasks say what they need when their turn comes.
  const bool finds_needs = run.plan().dialect == "session" || run.plan().dialect == "team";
  for (const StepIndex need : finds_needs ? run.needs_of(i) : step.needs) needs.push_back(run.step(need).id);
  o.raw("needs", json_of(needs)).text("state", name(shown_state(run, i)));
  o.maybe("output", output_of(run, i, places));
  o.maybe("error", error_of(run, i)).maybe("reason", std::optional{why_skipped(run, i)});
  o.raw("cost_usd", json_of(used_by(run, i).cost()));
  std::vector<std::string> attempts;
  for (const Attempt& a : shown_attempts(run, i)) attempts.push_back(attempt_json(run, step, a, paths));
  return o.raw("attempts", "[" + join(attempts, ",") + "]").done();
}

std::string progress_json(const Run& run) {
  return JsonObject{}
      .number("done", static_cast<std::int64_t>(run.count(StepState::completed)))
      .number("total", static_cast<std::int64_t>(run.step_total()))
      .raw("current", json_of(steps_at_work(run)))
      .done();
}

}  // namespace

std::string show_json(const std::string& id, const Run& run, const RunPlaces& places,
                      const std::optional<DriverFact>& driver, const PathsOf& paths, Time now) {
  JsonObject o;
  o.text("run", id).text("workflow", run.workflow()).text("dialect", run.plan().dialect);
  o.text("state", name(run.state())).maybe("error", error_of(run));
  o.maybe("task", std::optional{option_of(run, "task")}).raw("progress", progress_json(run));
  o.raw("driver", driver ? JsonObject{}.number("pid", driver->pid).text("host", driver->host).done() : "null");
  o.time("created_at", run.created()).time("started_at", run.started()).time("finished_at", run.finished());
  o.number("duration_ms", duration_of(run, now).count());
  o.raw("cost_usd", json_of(run.cost())).raw("tokens", json_of(run.tokens()));
  if (run.tokens_unknown() > 0) o.number("tokens_unknown", static_cast<std::int64_t>(run.tokens_unknown()));
  o.maybe("branch", std::optional{option_of(run, "branch")});
  o.maybe("worktree", std::optional{option_of(run, "worktree")});
  o.maybe("landed", std::optional{run.landed()});
  o.maybe("sandbox", std::optional{option_of(run, "sandbox")});
  o.maybe("session", std::optional{option_of(run, "session")}).maybe("artifact", artifact_of(run, places));
  o.text("folder", places.folder);
  std::vector<std::string> steps;
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    if (!run.never_existed(step_index(n))) steps.push_back(shown_step_json(run, step_index(n), places, paths));
  }
  return o.raw("steps", "[" + join(steps, ",") + "]").done();
}

namespace {

std::string step_text(const Run& run, StepIndex i, std::size_t id_width) {
  const std::span<const Attempt> attempts = shown_attempts(run, i);
  std::string line =
      fmt::format("  {} {:<{}}  {:<9}", sign(shown_state(run, i)), run.step(i).id, id_width, name(shown_state(run, i)));
  if (!attempts.empty()) {
    const Attempt& last = attempts.back();
    if (last.started != Time{} && last.finished >= last.started) {
      line += fmt::format("  {:>7}", brief(last.finished - last.started));
    }
    if (attempts.size() > 1) line += fmt::format("  {} attempts", attempts.size());
  }
  if (const auto error = error_of(run, i)) line += "  " + shorten(error->message, 200);
  if (const auto warning = warning_of(run, i)) line += "  but: " + shorten(warning->message, 200);
  if (const std::string why = why_skipped(run, i); !why.empty()) line += "  " + shorten(why, 200);
  line += '\n';
  for (const Attempt& a : attempts) {
    for (const CheckResult& c : shown_detail(a).checks) {
      if (!c.passed) line += fmt::format("      attempt {}: {}: {}\n", a.n, c.name, c.message);
    }
  }
  return line;
}

}  // namespace

std::string show_text(const std::string& id, const Run& run, const RunPlaces& places,
                      const std::optional<DriverFact>& driver, Time now) {
  std::string out = fmt::format("{} {}  {}  {}\n", sign(run.state()), id, run.workflow(), name(run.state()));
  if (const auto error = error_of(run)) out += fmt::format("  why       {}\n", error->message);
  out += fmt::format("  progress  {} of {} steps, {}\n", run.count(StepState::completed), run.step_total(),
                     brief(duration_of(run, now)));
  out += fmt::format("  used      {} tokens, {}\n", short_number(run.tokens().total()),
                     money(run.cost(), run.known_cost()));
  out += fmt::format("  started   {}\n", run.started() == Time{} ? "not yet" : rfc3339(run.started()));
  if (run.wants_place()) out += "  waits     for a free place\n";
  if (run.state() == RunState::parked) out += fmt::format("  parked    {}\n", why_parked(run));
  if (run.state() == RunState::running || (run.wants_place() && driver)) {
    out += driver ? fmt::format("  driver    process {} on {}\n", driver->pid, driver->host)
                  : fmt::format("  driver    none; 'baton resume {}' goes on\n", id);
  }
  if (const std::string branch = option_of(run, "branch"); !branch.empty()) {
    out += fmt::format("  branch    {}\n  worktree  {}\n", branch, option_of(run, "worktree"));
  }
  if (!run.landed().empty()) out += fmt::format("  landed    {}\n", run.landed());
  if (const auto artifact = artifact_of(run, places)) out += fmt::format("  artifact  {}\n", *artifact);
  out += fmt::format("  folder    {}\n\n", places.folder);
  std::size_t width = 8;
  for (std::size_t n = 0; n < run.step_count(); ++n) width = std::max(width, run.step(step_index(n)).id.size());
  for (const StepIndex i : steps_in_reading_order(run)) out += step_text(run, i, width);
  return printable(out);
}

}  // namespace baton
