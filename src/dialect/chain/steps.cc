#include "dialect/chain/steps.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "dialect/chain/mission.h"

namespace baton::chain {
namespace {

/// What an agent that has to choose a workflow has to know of them.
std::vector<std::string> route_notes(const Workflows& workflows) {
  std::vector<std::string> notes;
  for (const std::string& name : choices(workflows)) {
    std::vector<std::string> skills = workflows.at(name);
    std::erase(skills, "route");
    notes.push_back(fmt::format("Workflow {}: {}", name, join(skills, ", ")));
  }
  return notes;
}

Policy policy_of(const std::string& skill, const Terms& terms) {
  Policy policy = terms.policy_of ? terms.policy_of(skill) : Policy{};
  // A list of sub-tasks that cannot be read is worth a second try: the agent is told what is wrong with it.
  if (skill == "decompose") policy.check_retries = std::max(policy.check_retries, 1);
  return policy;
}

}  // namespace

std::string StepIds::take(const std::string& wanted) {
  constexpr std::size_t base_size_max = 120;  // leaves room for a number
  std::string id = wanted;
  for (std::size_t n = 2; !taken_.insert(id).second; ++n) {
    id = fmt::format("{}-{}", wanted.substr(0, base_size_max), n);
  }
  return id;
}

Step skill_step(const std::string& skill, StepIds& ids, const Workflows& workflows, const Terms& terms) {
  Work work;
  work.skill = skill;
  work.mission = mission_of(skill);
  work.output_format = OutputFormat::text;
  work.answers = true;
  work.reviews = skill == "review";
  if (skill == "route") {
    work.extends = Extends::route;
    work.notes = route_notes(workflows);
  } else if (skill == "decompose") {
    work.extends = Extends::decompose;
  }
  if (terms.has_trees) work.tree = ".";
  Step step;
  step.id = ids.take(skill);
  step.work = std::make_shared<const Work>(std::move(work));
  if (terms.has_trees) step.flow = std::make_shared<const Flow>(Flow{.tree = true});
  step.policy = policy_of(skill, terms);
  return step;
}

std::vector<Step> chain_steps(const std::vector<std::string>& skills, const std::vector<StepIndex>& needs,
                              std::size_t first, StepIds& ids, const Workflows& workflows, const Terms& terms) {
  std::vector<Step> steps;
  for (const std::string& skill : skills) {
    Step step = skill_step(skill, ids, workflows, terms);
    step.needs = steps.empty() ? needs : std::vector{step_index(first + steps.size() - 1)};
    steps.push_back(std::move(step));
  }
  if (!steps.empty()) steps.back().final = true;
  return steps;
}

}  // namespace baton::chain
