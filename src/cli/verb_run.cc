#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "base/limits.h"
#include "base/text.h"
#include "cli/agent_runtimes.h"
#include "cli/agent_settings.h"
#include "cli/chain_begin.h"
#include "cli/definition.h"
#include "cli/inputs.h"
#include "cli/outputs_turn.h"
#include "cli/random.h"
#include "cli/review.h"
#include "cli/run_settings.h"
#include "cli/safety_policy.h"
#include "cli/sandboxes.h"
#include "cli/session/session_begin.h"
#include "cli/session/session_target.h"
#include "cli/start_run.h"
#include "cli/team/team_files.h"
#include "cli/team/team_verbs.h"
#include "cli/verbs.h"
#include "cli/workspace/workspace_begin.h"
#include "engine/real_files.h"
#include "engine/run_folder.h"
#include "host/program_path.h"

namespace baton::cli {
namespace {

/// A run that is ready to begin: checked through, nothing started.
struct Prepared {
  FoundWorkflow found;
  Workflow workflow;
  std::vector<GivenInput> inputs;
  std::string sandbox;
  std::vector<event::FoundStep> found_steps;  ///< in a sandbox that was there before: what need not run
  RunSettings settings;
  std::optional<safety::Policy> policy;
};

/// Keeps only the steps that were asked for; a need outside of them cannot be met by a run that has none of its
/// results.
void keep_only(Plan& plan, const std::vector<std::string>& only, RunSettings& settings, Faults& faults) {
  const auto final = final_step(plan);
  if (final && std::ranges::find(only, plan.steps[at(*final)].id) == only.end()) {
    settings.options["final"] = plan.steps[at(*final)].id;
  }
  settings.options["only"] = join(only, ",");
  std::vector<std::optional<StepIndex>> renumbered(plan.steps.size());
  std::vector<Step> kept;
  std::vector<std::string> ids;
  for (const Step& s : plan.steps) ids.push_back(s.id);
  for (const std::string& id : only) {
    if (std::ranges::find(ids, id) != ids.end()) continue;
    const std::string near = nearest(id, ids);
    faults.push_back({"unknown-step", fmt::format("there is no step '{}'", id),
                      near.empty() ? "steps: " + join(ids, ", ") : fmt::format("did you mean '{}'?", near)});
  }
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    if (std::ranges::find(only, plan.steps[i].id) == only.end()) continue;
    renumbered[i] = step_index(kept.size());
    kept.push_back(plan.steps[i]);
  }
  for (Step& s : kept) {
    for (StepIndex& need : s.needs) {
      if (const auto now = renumbered[at(need)]) {
        need = *now;
      } else {
        faults.push_back({"need-not-met",
                          fmt::format("step '{}' needs '{}', which has not run", s.id, plan.steps[at(need)].id),
                          fmt::format("add it: --only {}", plan.steps[at(need)].id)});
      }
    }
  }
  plan.steps = std::move(kept);
}

void add_task(const RunOptions& options, Prepared& p, Faults& faults) {
  auto task = task_of(options);
  if (!task) {
    faults.push_back(task.error());
  } else if (!task->empty()) {
    p.settings.options["task"] = *task;
  }
}

/// With --sandbox-id the sandbox itself may say whose it is.
Expected<FoundWorkflow> workflow_of_target(const Project& project, const RunOptions& options,
                                           const std::optional<SandboxRecord>& record) {
  if (!options.target.empty() || !record || !is_workflow_name(record->workflow))
    return find_target(project, options.target);
  return find_target(project, record->workflow);
}

void check_sandbox(const RunOptions& options, const Prepared& p, const SandboxRecord& record, Faults& faults) {
  const bool own = record.workflow.empty() || record.workflow == p.found.name || record.workflow == p.workflow.name;
  if (own) return;
  faults.push_back({"sandbox-of-another-workflow",
                    fmt::format("sandbox '{}' is of the workflow '{}', not of '{}'", *options.sandbox_id,
                                record.workflow, p.found.name),
                    fmt::format("run '{}' in it, or start one of its own without --sandbox-id", record.workflow)});
}

std::vector<std::string> others_on_stdin(const RunOptions& options) {
  std::vector<std::string> others;
  if (options.task_file == "-") others.emplace_back("--task-file");
  if (options.rehearse == "-") others.emplace_back("--rehearse");
  return others;
}

/// Inputs that are not there matter to steps that are going to run.
void add_absent(Prepared& p, Faults& faults) {
  for (AbsentInput& input : p.workflow.absent) {
    const auto step = find_step(p.workflow.plan, input.step);
    const bool runs = step && std::ranges::find(p.found_steps, *step, &event::FoundStep::step) == p.found_steps.end();
    if (runs) faults.push_back(std::move(input.fault));
  }
}

std::expected<Prepared, Faults> prepare(const Project& project, const RunOptions& options, Time now) {
  Faults faults;
  Prepared p;
  std::optional<SandboxRecord> record;
  if (options.sandbox_id) {
    auto read = record_of(project, *options.sandbox_id);
    if (!read) return std::unexpected(Faults{read.error()});
    record = std::move(*read);
  }
  auto found = workflow_of_target(project, options, record);
  if (!found) return std::unexpected(Faults{found.error()});
  p.found = std::move(*found);
  p.inputs = parse_inputs(options.inputs, options.file, faults);
  p.sandbox =
      options.sandbox_id ? *options.sandbox_id : new_sandbox_id(project, p.found.name, p.inputs, options.file, now);
  Binding binding{.sandbox = "sandbox/" + p.sandbox, .inputs = {}, .looks_for_optional = true};
  if (options.sandbox_id) binding.inputs = inputs_in(project, p.sandbox);
  const std::map<std::string, std::string> there = binding.inputs;
  for (const GivenInput& i : p.inputs) {
    // A file's ending follows the type that the workflow declares, so the reader itself knows where it will be.
    if (i.is_json) binding.inputs[i.name] = input_path(p.sandbox, i.name, true);
  }
  binding.is_there = [&](const std::string& path) {
    return is_file_of(p.inputs, p.sandbox, path) || is_there(project, path);
  };
  const GivenValues given{project, p.sandbox, p.inputs, there};
  binding.given = &given;
  auto workflow = read_definition(project, p.found, binding, SkillNews::told, options.runtime);
  Faults& told = workflow ? workflow->warnings : workflow.error();
  if (!options.rehearse) make_skills_count(told);
  if (!workflow) {
    faults.insert(faults.end(), workflow.error().begin(), workflow.error().end());
    return std::unexpected(std::move(faults));
  }
  p.workflow = std::move(*workflow);
  faults.insert(faults.end(), p.workflow.warnings.begin(), p.workflow.warnings.end());
  if (record) check_sandbox(options, p, *record, faults);
  refuse_replaced(p.sandbox, p.inputs, there, faults);
  read_piped(p.inputs, others_on_stdin(options), faults);
  check_given(p.workflow, p.inputs, faults);
  check_required(p.workflow, p.inputs, there, faults);
  p.settings = first_settings(project.config(), options, draw(), faults);
  if (!options.only.empty()) keep_only(p.workflow.plan, options.only, p.settings, faults);
  ProjectSkills skills{project};
  apply_skill_terms(p.workflow.plan.steps, project.config(), skills, !options.model.empty());
  choose_runtimes(p.workflow.plan, options, project.config(), p.settings, faults);
  if (auto policy = policy_of(project.config())) {
    if (!options.rehearse && has_agents(p.workflow.plan.steps)) p.policy = std::move(*policy);
  } else {
    faults.insert(faults.end(), policy.error().begin(), policy.error().end());
  }
  p.settings.options["sandbox"] = p.sandbox;
  add_rehearsal(options, p.workflow.plan, p.settings, faults);
  add_task(options, p, faults);
  if (has_errors(faults)) return std::unexpected(std::move(faults));
  if (record) p.found_steps = steps_found(project, p.workflow.plan, p.sandbox, *record);
  add_absent(p, faults);
  if (has_errors(faults)) return std::unexpected(std::move(faults));
  p.workflow.warnings = std::move(faults);
  return p;
}

}  // namespace

int run_verb(const Common& common, const RunOptions& options) {
  auto project = Project::open(common);
  if (!project) return print(common, project.error()), exit_refused;
  if (!options.continue_run.empty()) return follow_up(std::move(*project), options);
  if (const auto chain = chain_named(*project, options.target)) return run_chain(*project, *chain, options);
  const bool may_be_team = options.resume_session.empty() && !options.sandbox_id;
  if (may_be_team && means_team(*project, options.target)) return run_team(std::move(*project), options);
  if (!options.resume_session.empty() || (!options.sandbox_id && means_session(*project, options.target))) {
    return run_session(std::move(*project), options);
  }
  if (!options.sandbox_id) {
    const auto in_workspace = workspace_target(*project, options.target);
    if (!in_workspace) return print(common, in_workspace.error()), exit_refused;
    if (*in_workspace) return run_workspace(*project, **in_workspace, options);
  }
  SandboxTurn turn;
  if (options.sandbox_id) {
    if (const auto code = go_on_in_sandbox(*project, options, turn)) return *code;
  }
  auto prepared = prepare(*project, options, RealClock{}.now());
  if (!prepared) return print(common, prepared.error()), exit_refused;
  print(common, project->config().notes());
  print(common, prepared->workflow.warnings);
  auto journal = project->journal_to_write();
  if (!journal) return print(common, journal.error()), exit_refused;

  auto outputs = outputs_of_new_run(*project, **journal, prepared->workflow.plan, prepared->sandbox);
  if (!outputs) return print(common, outputs.error()), exit_refused;

  DriveOrder order;
  order.run = random_word(8);
  order.turn = std::move(*outputs);
  prepared->settings.options["folder"] = run_folder(project->state_dir(), order.run).path;
  if (auto made = make_run_folders(*project, order.run); !made) return print(common, made.error()), exit_refused;
  if (prepared->policy) {
    auto wrote = write_safety_files(prepared->settings.options["folder"], *prepared->policy, sibling_program("baton"));
    if (!wrote) return print(common, wrote.error()), exit_refused;
  }
  if (auto filled = fill_sandbox(*project, prepared->sandbox, prepared->workflow, prepared->inputs); !filled) {
    return print(common, filled.error()), exit_refused;
  }
  order.created = event::RunCreated{std::make_shared<const Plan>(std::move(prepared->workflow.plan)),
                                    prepared->settings, prepared->found_steps};
  if (auto wrote = write_first_record(*project, order.run, *order.created, RealClock{}.now()); !wrote) {
    return print(common, wrote.error()), exit_refused;
  }
  return start_run(*project, **journal, std::move(order), options);
}

}  // namespace baton::cli
