// Verbs about definitions: check, plan, workflows.
#include <unistd.h>

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "cli/agent_runtimes.h"
#include "cli/agent_settings.h"
#include "cli/chain_begin.h"
#include "cli/chains.h"
#include "cli/definition.h"
#include "cli/reporter.h"
#include "cli/session/session_target.h"
#include "cli/session/session_verbs.h"
#include "cli/team/team_files.h"
#include "cli/team/team_verbs.h"
#include "cli/verbs.h"
#include "cli/workspace/workspace_begin.h"
#include "dialect/markdown/keys.h"
#include "view/json_text.h"
#include "view/plan_view.h"
#include "view/words.h"

namespace baton::cli {
namespace {

/// That a definition is good, and how many parts it has.
void say_checked(const Common& common, const std::string& name, std::string_view kind, std::size_t parts,
                 std::string_view part, std::size_t warnings) {
  if (common.json) {
    JsonObject o;
    o.text("type", "checked").text("workflow", name).number("steps", static_cast<std::int64_t>(parts));
    write_out(STDOUT_FILENO, o.number("warnings", static_cast<std::int64_t>(warnings)).done() + "\n");
  } else if (!common.quiet) {
    write_out(STDOUT_FILENO, fmt::format("{}: a {} {}, no errors\n", name, kind, counted(parts, part)));
  }
}

/// What `run` would say of the runtimes that steps name, and of those that are to be asked in batches.
Faults runtime_faults_here(const Project& project, std::vector<Step> steps) {
  ProjectSkills skills{project};
  apply_skill_terms(steps, project.config(), skills, false);
  Faults faults = runtime_name_faults(steps, project.config());
  std::ranges::move(batch_faults(steps, own_runtime(project.config(), ""), project.config()),
                    std::back_inserter(faults));
  return faults;
}

bool check_chain(const Project& project, const Common& common, const NamedChain& chain) {
  auto read = read_chain(project, chain);
  if (read) std::ranges::move(runtime_faults_here(project, read->plan.steps), std::back_inserter(read->warnings));
  print(common, read ? read->warnings : read.error());
  if (!read || has_errors(read->warnings)) return false;
  say_checked(common, chain.name, "chain of", read->plan.steps.size(), "skill", read->warnings.size());
  return true;
}

bool check_in_workspace(const Project& project, const std::string& name, const WorkspaceTarget& target) {
  const Common& common = project.common();
  const Faults faults = check_workspace(project, target);
  print(common, faults);
  if (has_errors(faults)) return false;
  if (common.json) {
    JsonObject o;
    o.text("type", "checked").text("workflow", name).number("warnings", static_cast<std::int64_t>(faults.size()));
    write_out(STDOUT_FILENO, o.done() + "\n");
  } else if (!common.quiet) {
    write_out(STDOUT_FILENO, fmt::format("{}: no errors\n", name));
  }
  return true;
}

/// True if the target has no errors.
bool check_one(const Project& project, const Common& common, const std::string& target) {
  if (const auto chain = chain_named(project, target)) return check_chain(project, common, *chain);
  if (means_team(project, target)) {
    Faults warnings;
    const auto plan = team_definition(project, target, warnings);
    if (plan) std::ranges::move(runtime_name_faults(plan->steps, project.config()), std::back_inserter(warnings));
    print(common, plan ? warnings : plan.error());
    if (plan && has_errors(warnings)) return false;
    if (plan) say_checked(common, plan->workflow, "team of", plan->steps.size(), "task", warnings.size());
    return plan.has_value();
  }
  const Faults names = runtime_name_faults({}, project.config());
  if (means_session(project, target)) return print(common, names), check_session(project, target) && names.empty();
  const auto in_workspace = workspace_target(project, target);
  if (!in_workspace) return print(common, in_workspace.error()), false;
  if (*in_workspace) return print(common, names), check_in_workspace(project, target, **in_workspace) && names.empty();
  auto found = find_target(project, target);
  if (!found) return print(common, found.error()), false;
  Binding binding = stand_in_binding();
  binding.is_there = [&](const std::string& path) {
    const bool is_given = path.starts_with(binding.sandbox + "/") && path.find("/inputs/") != std::string::npos;
    return is_given || is_there(project, path);
  };
  auto workflow = read_definition(project, *found, binding, SkillNews::told);
  Faults& faults = workflow ? workflow->warnings : workflow.error();
  for (std::size_t i = 0; workflow && i < workflow->absent.size(); ++i) faults.push_back(workflow->absent[i].fault);
  if (workflow) std::ranges::move(runtime_faults_here(project, workflow->plan.steps), std::back_inserter(faults));
  print(common, faults);
  const std::string file = project.shown(found->path);
  if (has_errors(faults)) {
    const auto errors = std::ranges::count_if(faults, [](const Fault& f) { return f.severity == Severity::error; });
    if (!common.json)
      write_out(STDERR_FILENO, fmt::format("{}: {}\n", file, counted(static_cast<std::size_t>(errors), "error")));
    return false;
  }
  const std::size_t steps = workflow->plan.steps.size();
  if (common.json) {
    write_out(STDOUT_FILENO, JsonObject{}
                                     .text("type", "checked")
                                     .text("file", file)
                                     .text("workflow", workflow->plan.workflow)
                                     .number("steps", static_cast<std::int64_t>(steps))
                                     .number("warnings", static_cast<std::int64_t>(faults.size()))
                                     .done() +
                                 "\n");
  } else if (!common.quiet) {
    write_out(STDOUT_FILENO, fmt::format("{}: {}, no errors\n", file, counted(steps, "step")));
  }
  return true;
}

struct ReadPlan {
  Plan plan;
  Faults warnings;
  PlanStanding standing;
};

ReadPlan at_start(Plan plan, Faults warnings) {
  PlanStanding standing = standing_at_start(plan);
  return {std::move(plan), std::move(warnings), std::move(standing)};
}

std::expected<ReadPlan, Faults> plan_of(const Project& project, const std::string& target) {
  if (const auto chain = chain_named(project, target)) {
    auto read = read_chain(project, *chain);
    if (!read) return std::unexpected(std::move(read.error()));
    return at_start(std::move(read->plan), std::move(read->warnings));
  }
  if (means_team(project, target)) {
    Faults warnings;
    auto plan = team_definition(project, target, warnings);
    if (!plan) return std::unexpected(std::move(plan.error()));
    return at_start(std::move(*plan), std::move(warnings));
  }
  if (means_session(project, target)) {
    auto read = plan_session(project, target);
    if (!read) return std::unexpected(std::move(read.error()));
    return ReadPlan{std::move(read->plan), std::move(read->warnings), std::move(read->standing)};
  }
  const auto in_workspace = workspace_target(project, target);
  if (!in_workspace) return std::unexpected(Faults{in_workspace.error()});
  if (*in_workspace) {
    auto read = plan_workspace(project, **in_workspace);
    if (!read) return std::unexpected(std::move(read.error()));
    return at_start(std::move(read->first), std::move(read->second));
  }
  auto found = find_target(project, target);
  if (!found) return std::unexpected(Faults{found.error()});
  auto workflow = read_definition(project, *found, stand_in_binding(), SkillNews::untold);
  if (!workflow) return std::unexpected(workflow.error());
  return at_start(std::move(workflow->plan), std::move(workflow->warnings));
}

}  // namespace

int check_verb(const Common& common, const std::vector<std::string>& targets) {
  auto project = Project::open(common);
  if (!project) return print(common, project.error()), exit_refused;
  print(common, project->config().notes());
  print(common, shadowed_chains(*project));
  bool well = true;
  for (const std::string& target : targets) well = check_one(*project, common, target) && well;
  return well ? exit_done : exit_refused;
}

int plan_verb(const Common& common, const std::string& target, const std::string& format) {
  auto project = Project::open(common);
  if (!project) return print(common, project.error()), exit_refused;
  auto read = plan_of(*project, target);
  if (!read) return print(common, read.error()), exit_refused;
  ProjectSkills skills{*project};
  std::vector<Step> steps = read->plan.steps;
  apply_skill_terms(steps, project->config(), skills, false);
  std::ranges::move(runtime_name_faults(steps, project->config()), std::back_inserter(read->warnings));
  print(common, read->warnings);
  if (has_errors(read->warnings)) return exit_refused;
  const Plan& plan = read->plan;
  std::string text;
  if (format == "dot") {
    text = plan_dot(plan);
  } else if (format == "mermaid") {
    text = plan_mermaid(plan);
  } else if (format == "json" || common.json) {
    text = plan_view_json(plan, read->standing);
  } else if (format == "csv") {
    text = plan_csv(plan, read->standing);
  } else {
    text = printable(plan_tree(plan, read->standing));
  }
  if (!text.ends_with('\n')) text += '\n';
  write_out(STDOUT_FILENO, text);
  return exit_done;
}

namespace {

struct Entry {
  FoundWorkflow found;
  std::string description;
  std::size_t steps = 0;
  std::size_t errors = 0;
};

Entry describe(const Project& project, const FoundWorkflow& found) {
  Entry entry{found, {}, 0, 0};
  auto workflow = read_definition(project, found, stand_in_binding(), SkillNews::untold);
  if (workflow) {
    entry.description = workflow->description;
    entry.steps = workflow->plan.steps.size();
  } else {
    entry.errors = workflow.error().size();
  }
  return entry;
}

std::string entry_text(const Project& project, const Entry& e) {
  std::string text =
      fmt::format("{:<20}  {:<9}  {}\n", e.found.name,
                  e.errors > 0 ? counted(e.errors, "fault") : counted(e.steps, "step"), project.shown(e.found.path));
  if (e.found.shadowed) text += fmt::format("{:<20}  shadowed by one of the same name above\n", "");
  if (!e.description.empty()) text += fmt::format("{:<20}  {}\n", "", shorten(e.description, 100));
  return text;
}

std::string entry_json(const Entry& e) {
  return JsonObject{}
      .text("name", e.found.name)
      .text("path", e.found.path)
      .text("dialect", "markdown")
      .text("description", e.description)
      .number("steps", static_cast<std::int64_t>(e.steps))
      .number("faults", static_cast<std::int64_t>(e.errors))
      .flag("shadowed", e.found.shadowed)
      .done();
}

std::string chain_text(const Project& project, const std::string& name, const ChainFound& chain) {
  std::string text = fmt::format("{:<20}  {:<9}  {}\n{:<20}  {}\n", name, counted(chain.skills.size(), "skill"),
                                 project.shown(chain.origin), "", join(chain.skills, " > "));
  if (!chain.shadows.empty()) {
    text += fmt::format("{:<20}  in place of the built-in {}\n", "", join(chain.shadows, " > "));
  }
  if (!chain.shadowed_by.empty()) {
    text += fmt::format("{:<20}  shadowed by {}\n", "", project.shown(chain.shadowed_by));
  }
  return text;
}

std::string chain_json(const std::string& name, const ChainFound& chain) {
  JsonObject object;
  object.text("name", name).raw("path", "null").text("dialect", "chain").text("description", "");
  object.number("steps", static_cast<std::int64_t>(chain.skills.size())).number("faults", 0);
  object.flag("shadowed", !chain.shadowed_by.empty());
  object.raw("skills", json_of(chain.skills)).text("origin", chain.origin);
  if (!chain.shadows.empty()) object.raw("shadows", json_of(chain.shadows));
  return object.maybe("shadowed_by", std::optional{chain.shadowed_by}).done();
}

/// By a name that a workflow or a chain has too, that is meant.
bool is_shadowed(const Project& project, const workspace::Pipeline& pipeline) {
  const std::string id = pipeline.id();
  return find_chains(project).contains(id) ||
         std::ranges::any_of(find_workflows(project), [&](const FoundWorkflow& w) { return w.name == id; });
}

std::string pipelines_text(const Project& project) {
  std::string text;
  for (const workspace::Pipeline& p : find_pipelines(project)) {
    text += fmt::format("{:<20}  {:<9}  {}\n{:<20}  {}\n", p.id(), counted(p.steps.size(), "step"),
                        p.origin.empty() ? "built in" : p.origin, "", p.outline());
    if (is_shadowed(project, p)) text += fmt::format("{:<20}  shadowed by one of the same name above\n", "");
  }
  return text.empty() ? text : "\npipelines of the workspace:\n" + text;
}

std::string pipeline_json(const Project& project, const workspace::Pipeline& p) {
  JsonObject object;
  object.text("name", p.id()).raw("path", "null").text("dialect", "workspace").text("description", p.description);
  object.number("steps", static_cast<std::int64_t>(p.steps.size()))
      .number("faults", 0)
      .flag("shadowed", is_shadowed(project, p));
  return object.text("origin", p.origin.empty() ? "built in" : p.origin).done();
}

}  // namespace

int workflow_schema_verb() {
  write_out(STDOUT_FILENO, markdown::front_matter_schema() + "\n");
  return exit_done;
}

int workflows_verb(const Common& common) {
  auto project = Project::open(common);
  if (!project) return print(common, project.error()), exit_refused;
  std::vector<std::string> others;
  std::string text;
  std::vector<std::string> items;
  for (const FoundWorkflow& found : find_workflows(*project, &others)) {
    const Entry entry = describe(*project, found);
    if (common.json) {
      items.push_back(entry_json(entry));
    } else {
      text += entry_text(*project, entry);
    }
  }
  if (!common.json && text.empty()) {
    text = "no workflows in workflows/ or .baton/workflows/; 'baton init' makes a first one\n";
  }
  if (!common.json && !others.empty()) text += fmt::format("not workflows: {}\n", join(others, ", "));
  if (!common.json) text += "\nchains of skills:\n";
  for (const auto& [name, chain] : find_chains(*project)) {
    if (common.json) {
      items.push_back(chain_json(name, chain));
    } else {
      text += chain_text(*project, name, chain);
    }
  }
  text += pipelines_text(*project);
  for (const workspace::Pipeline& p : find_pipelines(*project)) items.push_back(pipeline_json(*project, p));
  if (common.json) text = "[" + join(items, ",\n ") + "]\n";
  print(common, shadowed_chains(*project));
  write_out(STDOUT_FILENO, printable(text));
  return exit_done;
}

}  // namespace baton::cli
