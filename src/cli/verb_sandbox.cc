// `run --sandbox-id`: a Markdown run's own way to go on, from what stands in its sandbox.
#include <unistd.h>

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "base/limits.h"
#include "cli/agent_runtimes.h"
#include "cli/agent_settings.h"
#include "cli/definition.h"
#include "cli/drive.h"
#include "cli/go_on.h"
#include "cli/inputs.h"
#include "cli/reporter.h"
#include "cli/result_object.h"
#include "cli/run_settings.h"
#include "cli/sandboxes.h"
#include "cli/verbs.h"
#include "core/facts.h"
#include "engine/markdown_run.h"
#include "engine/real_files.h"
#include "engine/run_folder.h"

namespace baton::cli {
namespace {

/// The definition as the file has it now, bound as the run was; nullopt if it is gone or cannot be read any more.
std::optional<Workflow> definition_now(const Subject& s, const std::string& sandbox) {
  const Plan& plan = s.run.plan();
  const FoundWorkflow found{plan.workflow, s.project.root() + "/" + plan.source, {}, false};
  Binding binding{.sandbox = "sandbox/" + sandbox, .inputs = inputs_in(s.project, sandbox), .looks_for_optional = true};
  auto workflow = read_definition(s.project, found, binding, SkillNews::untold, option_of(s.run, "runtime"));
  if (!workflow) return std::nullopt;
  ProjectSkills skills{s.project};
  apply_skill_terms(workflow->plan.steps, s.project.config(), skills, !option_of(s.run, "model").empty());
  return std::move(*workflow);
}

void check_target(const Subject& s, const RunOptions& options, Faults& faults) {
  const Plan& plan = s.run.plan();
  if (options.target.empty() || options.target == plan.workflow) return;
  auto found = find_target(s.project, options.target);
  if (!found) {
    faults.push_back(found.error());
  } else if (found->name != plan.workflow) {
    faults.push_back({"sandbox-of-another-workflow",
                      fmt::format("sandbox '{}' is of the workflow '{}', not of '{}'", *options.sandbox_id,
                                  plan.workflow, found->name),
                      fmt::format("run '{}' in it, or start one of its own without --sandbox-id", plan.workflow)});
  }
}

void warn_if_changed(const Subject& s, const std::optional<Workflow>& now, const Common& common) {
  if (now && is_same_work(s.run.plan(), now->plan, !option_of(s.run, "only").empty())) return;
  print(common, Fault{"workflow-changed",
                      fmt::format("{} is not what run {} began with; the run goes on as it was recorded",
                                  s.run.plan().source, s.id),
                      "start a new run, without --sandbox-id, for what it says now",
                      {},
                      Severity::warning});
}

/// Inputs that were not there when the run began may come later; others would make it another run.
Status add_inputs(const Subject& s, const RunOptions& options, const std::string& sandbox,
                  const std::optional<Workflow>& workflow, Faults& faults) {
  std::vector<GivenInput> given = parse_inputs(options.inputs, options.file, faults);
  if (given.empty()) return {};
  refuse_replaced(sandbox, given, inputs_in(s.project, sandbox), faults);
  read_piped(given, {}, faults);
  const Workflow none;
  if (workflow) check_given(*workflow, given, faults);
  if (has_errors(faults)) return {};
  return copy_inputs(s.project, sandbox, workflow ? *workflow : none, given, Ending::as_declared);
}

void add_settings(const Subject& s, const RunOptions& options, std::vector<EventBody>& asks, Faults& faults) {
  const RunSettings& before = s.run.settings();
  RunSettings after = changed_settings(before, s.project.config(), options, faults).value_or(before);
  add_rehearsal(options, s.run.plan(), after, faults);
  std::ranges::move(unpriced_faults(s.project, s.run, after), std::back_inserter(faults));
  if (after != before) asks.emplace_back(event::SettingsChanged{std::move(after)});
}

/// What makes the run go on, whatever it came to.
std::vector<EventBody> asks_for(const Subject& s) {
  std::vector<EventBody> asks;
  if (s.run.state() == RunState::cancelled) {
    asks.emplace_back(event::RetryAsked{});
  } else if (!is_over(s.run.state())) {
    asks.emplace_back(event::ResumeAsked{});
  }
  for (EventBody& change : changed_outputs(s.project, s.id, s.run)) asks.push_back(std::move(change));
  return asks;
}

void put_record_right(const Subject& s, const Common& common) {
  Fault wrong;
  RealFiles files;
  const auto shown = MarkdownRun{s.id}.files(s.run, [&](const std::string& path) {
    return files.read(s.project.root() + "/" + path, Limits::output_bytes_max);
  });
  if (!shown) wrong = shown.error();
  for (const FileEdit& edit : shown ? shown->edits : std::vector<FileEdit>{}) {
    if (auto wrote = files.write(s.project.root() + "/" + edit.path, edit.content); !wrote) wrong = wrote.error();
  }
  wrong.severity = Severity::warning;
  if (!wrong.code.empty()) print(common, wrong);
}

/// All is done and still there: says so again.
int tell_again(Subject& s, const Common& common) {
  put_record_right(s, common);
  RealClock clock;
  const auto reporter =
      make_reporter(common, s.id, {s.project.root(), run_folder(s.project.state_dir(), s.id).path}, clock);
  reporter->announced(s.id, s.run, {command::Announce::Kind::run_finished}, s.run.finished());
  reporter->close(&s.run, false);
  print_result(s.project, *s.journal, s.id);
  return exit_code_of(s.run.state());
}

int go_on_in(Subject& s, const Common& common, const RunOptions& options) {
  const std::string& sandbox = *options.sandbox_id;
  Faults faults;
  check_target(s, options, faults);
  if (has_errors(faults)) return print(common, faults), exit_refused;
  const std::optional<Workflow> now = definition_now(s, sandbox);
  const Status added = add_inputs(s, options, sandbox, now, faults);
  std::vector<EventBody> asks;
  add_settings(s, options, asks, faults);
  if (has_errors(faults)) return print(common, faults), exit_refused;
  if (!added) return print(common, added.error()), exit_refused;
  warn_if_changed(s, now, common);
  std::vector<EventBody> wanted = asks_for(s);
  if (wanted.empty() && !options.detach) return tell_again(s, common);
  std::ranges::move(wanted, std::back_inserter(asks));
  if (auto made = make_run_folders(s.project, s.id); !made) return print(common, made.error()), exit_refused;
  if (!options.detach) return go_on(s, common, std::move(asks), options);
  if (auto left = go_on_in_background(s, asks); !left) return print(common, left.error()), exit_failed;
  write_out(STDOUT_FILENO, s.id + "\n");
  return exit_done;
}

}  // namespace

std::optional<int> go_on_in_sandbox(const Project& project, const RunOptions& options, SandboxTurn& turn) {
  const Common& common = project.common();
  if (!options.only.empty()) {
    print(common, Fault{"bad-usage", "--only and --sandbox-id exclude each other",
                        "--sandbox-id goes on with everything that is incomplete"});
    return exit_refused;
  }
  if (auto found = find_sandbox(project, *options.sandbox_id); !found)
    return print(common, found.error()), exit_refused;
  if (auto ours = turn.await(project, *options.sandbox_id); !ours) return print(common, ours.error()), exit_refused;
  auto known = newest_run_in(project, *options.sandbox_id);
  if (!known) return print(common, known.error()), exit_refused;
  if (!*known) return std::nullopt;
  auto s = open_subject(project, **known);
  if (!s) return print(common, s.error()), exit_refused;
  return go_on_in(*s, common, options);
}

}  // namespace baton::cli
