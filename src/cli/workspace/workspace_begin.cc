#include "cli/workspace/workspace_begin.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "cli/agent_runtimes.h"
#include "cli/agent_settings.h"
#include "cli/project_skills.h"
#include "cli/random.h"
#include "cli/run_settings.h"
#include "cli/start_run.h"
#include "cli/workspace/workspace_files.h"
#include "cli/workspace/workspace_left.h"
#include "cli/workspace/workspace_new.h"
#include "cli/workspace/workspace_prompt.h"
#include "cli/workspace/workspace_race.h"
#include "dialect/workspace/ids.h"
#include "dialect/workspace/paths.h"
#include "dialect/workspace/workspace_plan.h"
#include "engine/real_files.h"
#include "engine/run_folder.h"

namespace baton::cli {
namespace {

using workspace::Task;

/// What a target comes to: the plan, and the tasks that have to be written down for it first.
struct Draft {
  Plan plan;
  std::vector<Task> tasks;  ///< those that are going to run
  bool made = false;        ///< they are new
  std::string origin;       ///< where they come from then: a file, or empty
  Faults faults;
};

workspace::PlanTerms terms_of(const WorkspaceTarget& target, const Config& config) {
  workspace::PlanTerms terms{target.folder, {}};
  Policy& policy = terms.policy;
  policy.retries = config.integer("limits.retries").value_or(2);
  policy.limit_retries = config.integer("limits.rate_limit_retries").value_or(0);
  policy.timeout = config.duration("limits.step_timeout").value_or(Millis{0});
  policy.retry_delay = config.duration("limits.retry_delay").value_or(policy.retry_delay);
  policy.stop_grace = config.duration("limits.stop_grace").value_or(policy.stop_grace);
  policy.stall = config.duration("limits.stall").value_or(Millis{0});
  policy.empty_is_final = true;
  return terms;
}

void add(Faults& to, Faults from) { std::ranges::move(from, std::back_inserter(to)); }

Fault not_executable(const Project& project, const WorkspaceFiles& files, const Task& task) {
  const bool at_work = task.status == workspace::TaskStatus::in_progress;
  return {
      "task-not-executable",
      fmt::format("task '{}' is {}; only pending, assigned and revision are carried out", task.id, name(task.status)),
      at_work ? help_with_busy_task(project, files, task) : "set its status to pending if it is to be done again",
      {files.shown(workspace::task_path(task.id)), 0, 0}};
}

/// What can be said of a task before it is carried out. `file`: where it is said; of one that is made only now, where
/// its pipeline stands.
void look_at(const WorkspaceFiles& files, const Task& task, const std::string& file, const workspace::Squads& squads,
             ProjectSkills& skills, Faults& faults) {
  auto place = workspace::output_place(task, squads, file);
  if (!place) {
    faults.push_back(place.error());
  } else {
    if (place->warning) faults.push_back(std::move(*place->warning));
    if (auto writable = files.inside().may_write(place->path); !writable) {
      faults.push_back(writable.error());
      faults.back().place.file = file;
    }
  }
  for (const workspace::TaskInput& input : task.inputs) {
    if (const auto inner = workspace::inner_path(input.path); !inner) {
      faults.push_back(inner.error());
      faults.back().place.file = file;
    }
  }
  if (!skills.registry().find(task.to)) {
    Fault missing = unknown_skill(task.to, skills.names());
    missing.place.file = file;
    missing.severity = Severity::warning;
    faults.push_back(std::move(missing));
  } else if (const auto skill = skills.find(task.to)) {
    std::vector<std::string> left_out;
    (void)references_of(*skill, &left_out);
    for (const std::string& path : left_out) {
      faults.push_back(
          {"skill-unreadable", fmt::format("{} cannot be read and is left out", path), {}, {}, Severity::warning});
    }
  }
}

/// A broken file among many is told of, and the others go on.
void draft_all(const WorkspaceFiles& files, const workspace::PlanTerms& terms, Draft& draft) {
  for (const std::string& id : files.task_ids()) {
    workspace::TaskRead read = files.task(id);
    if (!read.task) {
      for (Fault& f : read.faults) f.severity = Severity::warning;
    }
    const bool counts = read.task && is_executable(read.task->status);
    if (counts || !read.task) add(draft.faults, std::move(read.faults));
    if (counts) draft.tasks.push_back(std::move(*read.task));
  }
  draft.plan = workspace::plan_of_workspace(draft.tasks, terms, draft.faults);
  if (draft.plan.steps.empty()) {
    draft.faults.push_back({"nothing-to-do",
                            fmt::format("no task of {} can be carried out", files.shown("tasks")),
                            "only pending, assigned and revision are",
                            {files.shown("tasks"), 0, 0}});
  }
}

void draft_one(const Project& project, const WorkspaceFiles& files, const std::string& id,
               const workspace::PlanTerms& terms, Draft& draft) {
  workspace::TaskRead read = files.task(id);
  add(draft.faults, std::move(read.faults));
  if (!read.task) return;
  if (!is_executable(read.task->status)) draft.faults.push_back(not_executable(project, files, *read.task));
  draft.plan = workspace::plan_of_task(*read.task, terms);
  draft.tasks.push_back(std::move(*read.task));
}

void draft_pipeline(const WorkspaceFiles& files, const std::string& named, const std::string& goal,
                    const workspace::Squads& squads, const workspace::PlanTerms& terms, Draft& draft) {
  workspace::PipelinesRead read = files.pipelines();
  add(draft.faults, std::move(read.faults));
  const workspace::Pipeline* pipeline = workspace::find_pipeline(read.pipelines, named);
  if (pipeline == nullptr) {
    draft.faults.push_back({"unknown-workflow", fmt::format("there is no pipeline '{}'", named)});
    return;
  }
  workspace::PipelineOrder order;
  order.goal = goal;
  order.now = RealClock{}.now();
  order.chance = [] { return draw(); };
  workspace::PipelineDraft made = workspace::draft_pipeline(*pipeline, order, squads, terms);
  draft.plan = std::move(made.plan);
  draft.tasks = std::move(made.tasks);
  draft.made = true;
  draft.origin = pipeline->origin;
}

Draft draft_of(const Project& project, const WorkspaceFiles& files, const WorkspaceTarget& target,
               const std::string& goal) {
  Draft draft;
  workspace::SquadsRead squads = files.squads();
  add(draft.faults, std::move(squads.faults));
  const workspace::PlanTerms terms = terms_of(target, project.config());
  if (!target.pipeline.empty()) {
    draft_pipeline(files, target.pipeline, goal, squads.squads, terms, draft);
  } else if (!target.task.empty()) {
    draft_one(project, files, target.task, terms, draft);
  } else {
    draft_all(files, terms, draft);
  }
  ProjectSkills skills{project};
  for (const Task& task : draft.tasks) {
    const std::string file = draft.made ? draft.origin : files.shown(workspace::task_path(task.id));
    look_at(files, task, file, squads.squads, skills, draft.faults);
  }
  return draft;
}

/// One mention of each skill that is not there is enough.
void say_once(Faults& faults) {
  std::vector<std::string> said;
  std::erase_if(faults, [&](const Fault& f) {
    if (f.code != "unknown-skill") return false;
    if (std::ranges::find(said, f.message) != said.end()) return true;
    said.push_back(f.message);
    return false;
  });
}

void refuse_foreign_options(const WorkspaceTarget& target, const RunOptions& options, Faults& faults) {
  const auto refuse = [&](bool given, const char* option, const char* why) {
    if (given)
      faults.push_back({"option-not-for-workspaces", fmt::format("{} is not for workspaces: {}", option, why)});
  };
  refuse(!options.inputs.empty() || !options.file.empty(), "--input", "their tasks say what they read");
  refuse(options.isolation == "worktree", "--isolation worktree", "their results go to the workspace itself");
  refuse(!options.only.empty(), "--only", "name the task's file instead");
  const bool has_task = !options.task.empty() || !options.task_file.empty();
  refuse(has_task && target.pipeline.empty(), "--task",
         "the file says what is to be done; a pipeline takes it as its goal");
}

/// A skill's own time, or its runtime's, counts more than everybody's.
void apply_timeouts(std::vector<Step>& steps, const Config& config, ProjectSkills& skills, const std::string& runtime) {
  const std::string of_run = own_runtime(config, runtime);
  for (Step& s : steps) {
    if (workspace::is_gate(s)) continue;
    const auto own = skill_timeout(config, skills, s.work->skill, s.work->runtime, of_run);
    if (own) s.policy.timeout = *own;
  }
}

/// What a rehearsal makes up is kept in its run, and nowhere else.
void keep_out(Plan& plan) {
  for (Step& step : plan.steps) {
    auto work = std::make_shared<Work>(*step.work);
    work->output.clear();
    step.work = std::move(work);
  }
}

/// A run that is ready to begin, and the tasks that are to be made for it.
struct Prepared {
  CheckedRun run;
  std::vector<Task> new_tasks;
};

std::expected<Prepared, Faults> prepare(const Project& project, const WorkspaceFiles& files,
                                        const WorkspaceTarget& target, const RunOptions& options) {
  auto goal = task_of(options);
  if (!goal) return std::unexpected(Faults{goal.error()});
  Draft draft = draft_of(project, files, target, *goal);
  Faults& faults = draft.faults;
  say_once(faults);
  if (!options.rehearse) {
    for (Fault& f : faults) {
      if (f.code == "unknown-skill") f.severity = Severity::error;
    }
  }
  refuse_foreign_options(target, options, faults);
  if (has_errors(faults)) return std::unexpected(std::move(faults));
  Prepared p;
  if (draft.made) p.new_tasks = std::move(draft.tasks);
  p.run.id = random_word(8);
  p.run.plan = std::move(draft.plan);
  if (options.rehearse) keep_out(p.run.plan);
  ProjectSkills skills{project};
  apply_skill_terms(p.run.plan.steps, project.config(), skills, !options.model.empty());
  apply_timeouts(p.run.plan.steps, project.config(), skills, options.runtime);
  p.run.settings = first_settings(project.config(), options, draw(), faults);
  complete_terms(p.run, project, with_task(options, *goal), faults);
  auto& o = p.run.settings.options;
  o["workspace"] = target.folder;
  o["folder"] = run_folder(project.state_dir(), p.run.id).path;
  if (target.task.empty() && target.pipeline.empty()) o[all_tasks] = "yes";
  if (!target.pipeline.empty()) o["pipeline"] = p.run.plan.workflow;
  if (has_errors(faults)) return std::unexpected(std::move(faults));
  p.run.told = std::move(faults);
  return p;
}

}  // namespace

int run_workspace(const Project& project, const WorkspaceTarget& target, const RunOptions& options) {
  const Common& common = project.common();
  auto files = WorkspaceFiles::open(project.root(), target.folder);
  if (!files) return print(common, files.error()), exit_refused;
  settle_left_tasks(project, *files);
  auto prepared = prepare(project, *files, target, options);
  if (!prepared) return print(common, prepared.error()), exit_refused;
  print(common, project.config().notes());
  print(common, prepared->run.told);
  auto journal = project.journal_to_write();
  if (!journal) return print(common, journal.error()), exit_refused;
  std::shared_ptr<TurnLock> turn;
  if (!target.task.empty() && !options.rehearse) {
    auto taken = turn_for_task(project, **journal, *files, target);
    if (!taken) return print(common, taken.error()), exit_refused;
    turn = std::move(*taken);
  }
  auto order = make_ready(project, std::move(prepared->run));
  if (!order) return print(common, order.error()), exit_refused;
  order->turn = std::move(turn);
  auto kept = keep_new_tasks(*files, run_folder(project.state_dir(), order->run).path, prepared->new_tasks);
  if (!kept) return print(common, kept.error()), exit_refused;
  return start_run(project, **journal, std::move(*order), options);
}

Faults check_workspace(const Project& project, const WorkspaceTarget& target) {
  auto files = WorkspaceFiles::open(project.root(), target.folder);
  if (!files) return {files.error()};
  Faults faults;
  if (target.task.empty() && target.pipeline.empty()) {
    // All of them, also those that would not run now.
    const workspace::Squads squads = files->squads().squads;
    ProjectSkills skills{project};
    for (const std::string& id : files->task_ids()) {
      workspace::TaskRead read = files->task(id);
      add(faults, std::move(read.faults));
      const std::string file = files->shown(workspace::task_path(id));
      if (read.task) look_at(*files, *read.task, file, squads, skills, faults);
    }
    add(faults, files->squads().faults);
    add(faults, files->pipelines().faults);
  } else {
    faults = draft_of(project, *files, target, "").faults;
    // That it would not run now is no fault of what it says.
    std::erase_if(faults, [](const Fault& f) { return f.code == "task-not-executable"; });
  }
  say_once(faults);
  return faults;
}

std::expected<std::pair<Plan, Faults>, Faults> plan_workspace(const Project& project, const WorkspaceTarget& target) {
  auto files = WorkspaceFiles::open(project.root(), target.folder);
  if (!files) return std::unexpected(Faults{files.error()});
  Draft draft = draft_of(project, *files, target, "");
  say_once(draft.faults);
  if (has_errors(draft.faults)) return std::unexpected(std::move(draft.faults));
  return std::pair{std::move(draft.plan), std::move(draft.faults)};
}

}  // namespace baton::cli
