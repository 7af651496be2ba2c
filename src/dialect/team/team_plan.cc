#include "dialect/team/team_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>

namespace baton::team {
namespace {

/// One for all: it only says that there is a turn to be taken.
std::shared_ptr<const Flow> turn_flow() {
  auto flow = std::make_shared<Flow>();
  flow->deferred = true;
  return flow;
}

Step step_of(const Task& task, const std::string& folder, const Policy& policy,
             const std::shared_ptr<const Flow>& flow) {
  Step step;
  step.id = task.id;
  step.work = work_of(task, folder);
  step.flow = flow;
  step.policy = policy;
  return step;
}

}  // namespace

std::shared_ptr<const Work> work_of(const Task& task, const std::string& folder) {
  auto work = std::make_shared<Work>();
  work->title = task.subject;
  work->skill = task.role;
  work->mission = task.description.empty() ? fmt::format("Carry out the task {}.", task.id) : task.description;
  work->output_format = OutputFormat::text;
  if (task.artifacts.empty()) {
    work->answers = true;  // what the worker says last is all there is
  } else {
    work->output = folder + "/" + task.artifacts.front();
  }
  return work;
}

Plan make_plan(const Team& team, const TeamTerms& terms) {
  Plan plan;
  plan.workflow = terms.id;
  plan.dialect = "team";
  plan.source = team.folder + "/task-analysis.json";
  plan.steps = further_steps(team.tasks, team, terms, {});
  return plan;
}

std::vector<Step> further_steps(const std::vector<Task>& tasks, const Team& team, const TeamTerms& terms,
                                const std::vector<std::string>& known) {
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < known.size(); ++i) places.emplace(known[i], i);
  for (std::size_t i = 0; i < tasks.size(); ++i) places.emplace(tasks[i].id, known.size() + i);
  const std::shared_ptr<const Flow> flow = turn_flow();
  std::vector<Step> steps;
  for (const Task& task : tasks) {
    steps.push_back(step_of(task, team.folder, terms.policy, flow));
    for (const std::string& need : task.needs) {
      if (const auto place = places.find(need); place != places.end()) {
        steps.back().needs.push_back(step_index(place->second));
      }
    }
    std::ranges::sort(steps.back().needs);
  }
  return steps;
}

std::vector<event::FoundStep> found_steps(const Plan& plan, const std::vector<std::string>& completed) {
  std::vector<event::FoundStep> found;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    if (std::ranges::find(completed, plan.steps[i].id) != completed.end()) found.push_back({step_index(i), {}});
  }
  return found;
}

}  // namespace baton::team
