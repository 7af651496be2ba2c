#include "dialect/chain/workflows.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "dialect/chain/steps.h"

namespace baton::chain {

const Workflows& built_in_workflows() {
  static const Workflows workflows = {
      {"auto", {"route"}},
      {"build", {"build"}},
      {"plan-build", {"spec", "build", "review"}},
      {"sdlc", {"spec", "decompose", "build", "review", "document"}},
      {"quick-fix", {"build", "test"}},
  };
  return workflows;
}

std::vector<std::string> choices(const Workflows& workflows) {
  std::vector<std::string> names;
  for (const auto& [name, skills] : workflows) {
    if (std::ranges::any_of(skills, [](const std::string& skill) { return skill != "route"; })) names.push_back(name);
  }
  return names;
}

MadePlan make_plan(const std::string& workflow, const std::vector<std::string>& skills, const Workflows& workflows,
                   const Terms& terms) {
  MadePlan made;
  made.plan.workflow = workflow;
  made.plan.dialect = "chain";
  std::vector<std::string> kept;
  for (const std::string& skill : skills) {
    const bool again = skill == "route" && std::ranges::find(kept, skill) != kept.end();
    if (!again) kept.push_back(skill);
  }
  if (kept.size() < skills.size()) {
    made.warnings.push_back(
        fmt::format("workflow \"{}\" has 'route' more than once; only the first one is run", workflow));
  }
  StepIds ids;
  made.plan.steps = chain_steps(kept, {}, 0, ids, workflows, terms);
  return made;
}

namespace {

Fault unknown_workflow(const std::string& name, const Workflows& workflows) {
  std::vector<std::string> names;
  for (const auto& [known, skills] : workflows) names.push_back(known);
  const std::string near = nearest(name, names);
  std::string help = near.empty() ? std::string{} : fmt::format("did you mean '{}'? ", near);
  help += fmt::format("workflows found: {}", shorten(join(names, ", "), 400));
  return {"unknown-workflow", fmt::format("there is no workflow '{}'", shorten(name, 80)), help};
}

Fault missing_skill(const std::string& workflow, const std::string& skill, const std::vector<std::string>& names) {
  const std::string near = nearest(skill, names);
  std::string help = near.empty() ? std::string{} : fmt::format("did you mean '{}'? ", near);
  help += names.empty() ? "'baton skills' lists those that are found"
                        : fmt::format("skills found: {}", shorten(join(names, ", "), 400));
  return {"unknown-skill", fmt::format("workflow \"{}\": there is no skill '{}'", workflow, shorten(skill, 80)), help};
}

}  // namespace

Faults validate(const std::string& name, const Workflows& workflows,
                const std::function<bool(const std::string& skill)>& has_skill,
                const std::vector<std::string>& skill_names) {
  const auto found = workflows.find(name);
  if (found == workflows.end()) return {unknown_workflow(name, workflows)};
  if (found->second.empty()) {
    return {Fault{"empty-workflow", fmt::format("workflow \"{}\" has no skills", name),
                  fmt::format("give it some: [workflows] {} = [\"build\"]", name)}};
  }
  Faults faults;
  std::vector<std::string> said;
  for (const std::string& skill : found->second) {
    if (!has_skill || has_skill(skill) || std::ranges::find(said, skill) != said.end()) continue;
    said.push_back(skill);
    faults.push_back(missing_skill(name, skill, skill_names));
  }
  return faults;
}

}  // namespace baton::chain
