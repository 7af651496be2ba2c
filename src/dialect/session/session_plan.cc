#include "dialect/session/session_plan.h"

#include <fmt/core.h>

namespace baton::session {

std::string task_path(const std::string& folder, const std::string& id) {
  return fmt::format("{}/.task/{}.json", folder, id);
}

std::string summary_path(const std::string& folder, const std::string& id) {
  return fmt::format("{}/.summaries/{}-summary.md", folder, id);
}

Plan make_plan(const TodoList& list, const SessionTerms& terms) {
  Plan plan;
  plan.workflow = terms.id;
  plan.dialect = "session";
  plan.source = terms.folder + "/TODO_LIST.md";
  plan.steps.reserve(list.tasks.size());
  auto flow = std::make_shared<Flow>();
  flow->deferred = true;
  const std::shared_ptr<const Flow> shared = flow;  // one for all: it only says that there is a turn to be taken
  for (const TodoTask& task : list.tasks) {
    auto work = std::make_shared<Work>();
    work->title = task.title;
    Step step;
    step.id = task.id;
    step.policy = terms.policy;
    if (!task.container) {
      work->mission = "Carry out the task.";
      work->answers = true;
      work->output_format = OutputFormat::text;
      step.flow = shared;
    }
    step.work = std::move(work);
    plan.steps.push_back(std::move(step));
  }
  for (std::size_t i = 0; i < list.tasks.size(); ++i) {
    const auto& parent = list.tasks[i].parent;
    if (parent && list.tasks[*parent].container) plan.steps[*parent].needs.push_back(step_index(i));
  }
  return plan;
}

std::vector<event::FoundStep> found_steps(const TodoList& list) {
  std::vector<event::FoundStep> found;
  for (std::size_t i = 0; i < list.tasks.size(); ++i) {
    if (list.tasks[i].state == BoxState::completed) found.push_back({step_index(i), {}});
  }
  return found;
}

std::shared_ptr<const Work> work_of(const Task& task, const std::string& agent, const SessionTerms& terms) {
  auto work = std::make_shared<Work>();
  work->title = task.title;
  work->skill = agent;
  work->model = task.model;
  work->mission = fmt::format("Carry out the task {}.", task.id);
  work->inputs.push_back(task_path(terms.folder, task.id));
  work->answers = true;
  work->output_format = OutputFormat::text;
  return work;
}

}  // namespace baton::session
