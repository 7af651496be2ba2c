#include <unistd.h>

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>

#include "base/limits.h"
#include "base/text.h"
#include "cli/agent_runtimes.h"
#include "cli/agent_settings.h"
#include "cli/definition.h"
#include "cli/drive.h"
#include "cli/inputs.h"
#include "cli/random.h"
#include "cli/reporter.h"
#include "cli/result_object.h"
#include "cli/run_settings.h"
#include "cli/verbs.h"
#include "engine/real_files.h"
#include "engine/run_folder.h"
#include "runtime/rehearsal_script.h"

namespace baton::cli {
namespace {

/// A run that is ready to begin: checked through, nothing started.
struct Prepared {
  FoundWorkflow found;
  Workflow workflow;
  std::vector<GivenInput> inputs;
  std::string sandbox;
  RunSettings settings;
};

/// Keeps only the steps that were asked for; a need outside of them cannot be met by a run that has none of its
/// results.
void keep_only(Plan& plan, const std::vector<std::string>& only, Faults& faults) {
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

Expected<std::string> read_whole(const std::string& path, const char* code) {
  if (path == "-") return std::string{std::istreambuf_iterator<char>{std::cin}, {}};
  auto text = RealFiles{}.read(path, Limits::file_bytes_max);
  if (!text) return std::unexpected(text.error());
  if (!*text) return fault(code, fmt::format("there is no file '{}'", path), "give the path of a file, or - for stdin");
  return std::move(**text);
}

void add_rehearsal(const RunOptions& options, Prepared& p, Faults& faults) {
  if (!options.rehearse) return;
  p.settings.options["rehearse"] = "1";
  if (options.rehearse->empty()) return;
  auto text = read_whole(*options.rehearse, "no-rehearsal-script");
  if (!text) {
    faults.push_back(text.error());
    return;
  }
  auto script = read_rehearsal_script(*text, *options.rehearse);
  if (!script) {
    faults.insert(faults.end(), script.error().begin(), script.error().end());
    return;
  }
  const Faults unfit = check_rehearsal_script(*script, p.workflow.plan);
  faults.insert(faults.end(), unfit.begin(), unfit.end());
  p.settings.options["rehearsal_script"] = *text;
}

void add_task(const RunOptions& options, Prepared& p, Faults& faults) {
  std::string task = options.task;
  if (!options.task_file.empty()) {
    auto text = read_whole(options.task_file, "no-task-file");
    if (!text) {
      faults.push_back(text.error());
      return;
    }
    task = *text;
  }
  if (!task.empty()) p.settings.options["task"] = task;
}

std::expected<Prepared, Faults> prepare(const Project& project, const RunOptions& options, Time now) {
  Faults faults;
  Prepared p;
  auto found = find_target(project, options.target);
  if (!found) return std::unexpected(Faults{found.error()});
  p.found = std::move(*found);
  p.inputs = parse_inputs(options.inputs, options.file, faults);
  p.sandbox = new_sandbox_id(project, p.found.name, p.inputs, options.file, now);
  Binding binding{"sandbox/" + p.sandbox, {}};
  for (const GivenInput& i : p.inputs) {
    // A file's ending follows the type that the workflow declares, so the reader itself knows where it will be.
    if (i.is_json) binding.inputs[i.name] = input_path(p.sandbox, i.name, true);
  }
  auto workflow = read_definition(project, p.found, binding, SkillNews::told);
  Faults& told = workflow ? workflow->warnings : workflow.error();
  if (!options.rehearse) make_skills_count(told);
  if (!workflow) {
    faults.insert(faults.end(), workflow.error().begin(), workflow.error().end());
    return std::unexpected(std::move(faults));
  }
  p.workflow = std::move(*workflow);
  faults.insert(faults.end(), p.workflow.warnings.begin(), p.workflow.warnings.end());
  check_inputs(p.workflow, p.inputs, faults);
  if (!options.only.empty()) keep_only(p.workflow.plan, options.only, faults);
  ProjectSkills skills{project};
  apply_skill_terms(p.workflow.plan.steps, project.config(), skills, !options.model.empty());
  p.settings = first_settings(project.config(), options, draw(), faults);
  choose_runtimes(p.workflow.plan, options, project.config(), p.settings, faults);
  p.settings.options["sandbox"] = p.sandbox;
  add_rehearsal(options, p, faults);
  add_task(options, p, faults);
  if (has_errors(faults)) return std::unexpected(std::move(faults));
  p.workflow.warnings = std::move(faults);
  return p;
}

Status make_folders(const Project& project, const std::string& run) {
  const std::string folder = run_folder(project.state_dir(), run).path;
  for (const char* part : {"logs", "prompts"}) {
    std::error_code error;
    std::filesystem::create_directories(folder + "/" + part, error);
    if (error) return fault("no-state-folder", fmt::format("cannot make {}: {}", folder, error.message()));
  }
  return {};
}

/// The first events of a run that goes on without this process: they are written, then a wake takes it up.
Status create_only(const Project& project, SqliteJournal& journal, DriveOrder& order) {
  Lease self;
  self.run = order.run;
  self.owner = "creator:" + order.run;
  auto lease = journal.acquire(self, RealClock{}.now(), Millis{1000}, [](const Lease&) { return true; });
  if (!lease) return std::unexpected(lease.error());
  const std::vector<Event> events{{RealClock{}.now(), std::move(*order.created)}};
  Run run;
  (void)run.apply(events.front());
  if (auto stored = journal.append(*lease, Seq{0}, events, run, {}); !stored) return stored;
  if (auto released = journal.release(*lease); !released) return released;
  return start_in_background(project, order.run);
}

}  // namespace

int run_verb(const Common& common, const RunOptions& options) {
  auto project = Project::open(common);
  if (!project) return print(common, project.error()), exit_refused;
  auto prepared = prepare(*project, options, RealClock{}.now());
  if (!prepared) return print(common, prepared.error()), exit_refused;
  print(common, prepared->workflow.warnings);
  auto journal = project->journal_to_write();
  if (!journal) return print(common, journal.error()), exit_refused;

  DriveOrder order;
  order.run = random_word(8);
  order.unasked = options.yes;
  order.no_wait = options.no_wait;
  prepared->settings.options["folder"] = run_folder(project->state_dir(), order.run).path;
  if (auto made = make_folders(*project, order.run); !made) return print(common, made.error()), exit_refused;
  if (auto filled = fill_sandbox(*project, prepared->sandbox, prepared->workflow, prepared->inputs); !filled) {
    return print(common, filled.error()), exit_refused;
  }
  order.created =
      event::RunCreated{std::make_shared<const Plan>(std::move(prepared->workflow.plan)), prepared->settings};
  if (options.detach) {
    if (auto created = create_only(*project, **journal, order); !created)
      return print(common, created.error()), exit_failed;
    write_out(STDOUT_FILENO, order.run + "\n");
    return exit_done;
  }
  const std::string id = order.run;
  auto code = drive(*project, **journal, std::move(order));
  if (!code) return print(common, code.error()), exit_failed;
  print_result(*project, **journal, id);
  return *code;
}

}  // namespace baton::cli
