#include "cli/result_object.h"

#include <unistd.h>

#include <fmt/core.h>

#include "base/limits.h"
#include "cli/load_run.h"
#include "cli/reporter.h"
#include "cli/review.h"
#include "engine/real_files.h"
#include "text/json_value.h"
#include "view/json_text.h"
#include "view/run_facts.h"

namespace baton::cli {
namespace {

bool is_success(RunState state) { return state == RunState::completed || state == RunState::accepted; }

/// All went well, but the step that the run is about did not run: nothing came of it.
std::optional<Fault> why_nothing_came(const Run& run) {
  if (!is_success(run.state()) || run.plan().dialect != "markdown") return std::nullopt;
  Fault fault{.code = "final-step-skipped", .message = {}, .severity = Severity::warning};
  if (const std::string left_out = option_of(run, "final"); !left_out.empty()) {
    fault.message = fmt::format("the final step '{}' did not run: it is not among those of --only", left_out);
    fault.help = fmt::format("'--only … {}' runs it, too", left_out);
    return fault;
  }
  const auto last = final_step(run.plan());
  if (!last || run.of(*last).state != StepState::skipped) return std::nullopt;
  fault.message = fmt::format("the final step '{}' did not run", run.step(*last).id);
  if (const std::string why = why_skipped(run, *last); !why.empty()) fault.message += ": " + why;
  return fault;
}

/// The last step spent more than there was: what it made is there and paid for, so the run is not paused.
std::optional<Fault> why_dear(const Run& run) {
  if (!is_success(run.state()) || !run.has_used_up_budget()) return std::nullopt;
  return Fault{"budget-passed",
               fmt::format("the run is completed, and has used up its budget: {}", run.used_of_budget()),
               "what runs again of it needs a larger one",
               {},
               Severity::warning};
}

std::string status_of(const Run& run) {
  if (!is_success(run.state())) return std::string{name(run.state())};
  return why_nothing_came(run) ? "skipped" : "success";
}

/// The artifact itself: JSON as it is, any other text as a string.
std::string artifact_json(const Run& run, const RunPlaces& places) {
  const auto path = artifact_of(run, places);
  if (!path) return "null";
  const auto text = RealFiles{}.read(*path, Limits::output_bytes_max);
  if (!text || !*text) return "null";
  return compact_json(**text).value_or(json_quote(**text));
}

std::string how_to_go_on(const std::string& id, PauseCause cause) {
  const auto more = [&](const char* option) {
    return fmt::format("'baton resume {} {}' gives it more and goes on", id, option);
  };
  switch (cause) {
    case PauseCause::cost:
      return more("--budget USD");
    case PauseCause::tokens:
      return more("--token-budget N");
    case PauseCause::turns:
      return more("--turn-budget N");
    case PauseCause::time:
      return more("--timeout D");
    case PauseCause::step_timeout:
      return fmt::format("'baton retry {} STEP' tries it again", id);
    case PauseCause::walls:
      return fmt::format("see to the account or the provider, then 'baton resume {}' tries it again", id);
    case PauseCause::step_budget:
    case PauseCause::person:
      break;
  }
  return fmt::format("'baton resume {}' goes on", id);
}

std::optional<Fault> last_word(const Run& run, const std::string& id) {
  const auto error = error_of(run);
  if (!error) return std::nullopt;
  Fault fault{error->code, error->message};
  if (run.state() == RunState::paused) {
    if (run.pause_cause() == PauseCause::person) return std::nullopt;
    fault.help = how_to_go_on(id, run.pause_cause());
  } else if (run.state() == RunState::reviewing && error->code == "gate-waiting") {
    fault.help = fmt::format("'baton accept {}' lets it go on, 'baton reject {} -m WHY' does not", id, id);
  } else if (run.state() == RunState::reviewing) {
    fault.help = fmt::format("'baton retry {} STEP' runs it again, 'baton cancel {}' gives the run up", id, id);
  } else if (run.state() == RunState::rejected) {
    fault.help = fmt::format("'baton retry {} STEP' asks again", id);
  } else if (error->code == "unpriced-model") {
    fault.help = fmt::format("give the model a price, or 'baton resume {} --allow-unpriced' goes on without", id);
  } else {
    fault.help = fmt::format("'baton show {}' tells more, 'baton resume {}' goes on from what failed", id, id);
  }
  return fault;
}

/// A run that waits for a person has done nothing wrong: that is told, not complained of. Programs read the same fields
/// either way.
void print_last_word(const Common& common, const Run& run, const Fault& word) {
  if (run.state() != RunState::reviewing || common.json) return print(common, word);
  write_out(STDERR_FILENO, printable(fmt::format("waiting for you: {}\n  {}\n", word.message, word.help)));
}

/// What a chain came to, and what can be done with it.
void print_change(const Project& project, const Run& run, const std::string& id) {
  std::string text = verdict_text(project, run);
  if (!text.empty()) text += '\n';
  const bool takes_answer = run.awaits_review() || run.state() == RunState::completed;
  if (takes_answer && !option_of(run, "branch").empty()) {
    text += fmt::format("next: baton diff {0}; baton accept {0}; baton reject {0} [-m WHAT-TO-CHANGE]\n", id);
  }
  if (!project.common().quiet) write_out(STDERR_FILENO, printable(text));
}

}  // namespace

void print_result(const Project& project, const Run& run, const std::string& id) {
  if (run.state() == RunState::running || run.state() == RunState::queued) return;
  if (const auto word = last_word(run, id)) print_last_word(project.common(), run, *word);
  if (const auto why = why_nothing_came(run)) print(project.common(), *why);
  if (const auto why = why_dear(run)) print(project.common(), *why);
  if (project.common().json) return;
  const std::string& dialect = run.plan().dialect;
  if (dialect == "chain") return print_change(project, run, id);
  // What it came to is in its files.
  if (dialect == "session" || dialect == "team" || dialect == "workspace") return;
  const RunPlaces places{project.root(), option_of(run, "folder")};
  const std::string sandbox = option_of(run, "sandbox");
  JsonObject o;
  o.text("status", status_of(run)).raw("sandboxId", sandbox.empty() ? "null" : json_quote(sandbox));
  o.text("workflow", run.plan().workflow).raw("artifact", artifact_json(run, places));
  write_out(STDOUT_FILENO, o.done() + "\n");
}

void print_result(const Project& project, SqliteJournal& journal, const std::string& id) {
  // What a session came to is in its files; of one that went well there is nothing more to say, so nothing to read.
  const auto summary = journal.summary(id);
  if (summary && summary->dialect == "session" && summary->state == RunState::completed) return;
  if (const auto run = load_run(journal, id)) print_result(project, *run, id);
}

}  // namespace baton::cli
