#include "dialect/workspace/workspace_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_map>

#include "base/number.h"
#include "base/text.h"
#include "dialect/workspace/budget.h"
#include "dialect/workspace/ids.h"
#include "dialect/workspace/paths.h"
#include "dialect/workspace/review.h"

namespace baton::workspace {
namespace {

/// One for all: it only says that there is a turn to be taken.
std::shared_ptr<const Flow> turn_flow() {
  static const auto flow = [] {
    auto made = std::make_shared<Flow>();
    made->deferred = true;
    return std::shared_ptr<const Flow>{std::move(made)};
  }();
  return flow;
}

std::string title_of(const Task& task) {
  const std::string_view goal = task.goal.empty() ? std::string_view{task.requirements} : task.goal;
  return shorten(trim(goal.substr(0, goal.find('\n'))), 80);
}

std::string clean(const std::string& path) {
  const auto inner = inner_path(path);
  return inner ? *inner : std::string{};
}

Step step_of(const Task& task, const PlanTerms& terms) {
  auto work = std::make_shared<Work>();
  work->title = title_of(task);
  work->skill = task.to;
  work->mission = "Carry out the task.";
  work->answers = true;
  work->output_format = OutputFormat::text;
  if (const std::string path = clean(task.output_path); !path.empty()) {
    work->output = terms.folder.empty() || terms.folder == "." ? path : terms.folder + "/" + path;
  }
  Step step;
  step.id = task.id;
  step.work = std::move(work);
  step.flow = turn_flow();
  step.policy = terms.policy;
  return step;
}

Plan empty_plan(std::string workflow, std::string source) {
  Plan plan;
  plan.workflow = std::move(workflow);
  plan.dialect = "workspace";
  plan.source = std::move(source);
  return plan;
}

/// `later` follows `earlier` because that one says so: its skill comes next, for the same goal or pipeline.
bool comes_next(const Task& earlier, const Task& later) {
  if (earlier.next.kind != Next::Kind::agent || earlier.next.target != later.to || earlier.id == later.id) return false;
  return earlier.goal_id == later.goal_id && earlier.pipeline_id == later.pipeline_id;
}

using Edges = std::vector<std::set<std::size_t>>;

Edges edges_of(const std::vector<Task>& tasks, bool by_next) {
  std::unordered_map<std::string, std::size_t> writer;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (const std::string path = clean(tasks[i].output_path); !path.empty()) writer.try_emplace(path, i);
  }
  Edges needs(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    for (const TaskInput& input : tasks[i].inputs) {
      const auto found = writer.find(clean(input.path));
      if (found != writer.end() && found->second != i) needs[i].insert(found->second);
    }
  }
  if (!by_next) return needs;
  std::unordered_map<std::string, std::vector<std::size_t>> by_skill;
  for (std::size_t i = 0; i < tasks.size(); ++i) by_skill[tasks[i].to].push_back(i);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (tasks[i].next.kind != Next::Kind::agent) continue;
    for (const std::size_t later : by_skill[tasks[i].next.target]) {
      if (comes_next(tasks[i], tasks[later])) needs[later].insert(i);
    }
  }
  return needs;
}

/// Of several tasks that write the same file, and none of which comes after the other, only the first goes now: else
/// one result is lost, whichever comes first.
void leave_out_rivals(std::vector<Task>& tasks, const PlanTerms& terms, Faults& faults) {
  const Edges needs = edges_of(tasks, true);
  std::unordered_map<std::string, std::size_t> writer;
  std::vector<Task> kept;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const std::string path = clean(tasks[i].output_path);
    const auto [first, is_new] = writer.try_emplace(path, i);
    const bool rivals =
        !path.empty() && !is_new && !needs[i].contains(first->second) && !needs[first->second].contains(i);
    if (!rivals) {
      kept.push_back(tasks[i]);
      continue;
    }
    const std::string folder = terms.folder.empty() || terms.folder == "." ? "" : terms.folder + "/";
    faults.push_back({"shared-output",
                      fmt::format("task '{}' writes the same output as '{}', {}: it is left for a later run",
                                  tasks[i].id, tasks[first->second].id, path),
                      "give each task an output_path of its own",
                      {folder + task_path(tasks[i].id), 0, 0},
                      Severity::warning});
  }
  tasks = std::move(kept);
}

void set_needs(Plan& plan, const Edges& edges) {
  for (std::size_t i = 0; i < edges.size(); ++i) {
    plan.steps[i].needs.clear();
    for (const std::size_t need : edges[i]) plan.steps[i].needs.push_back(step_index(need));
  }
}

void tell_of_circle(const Plan& plan, const std::vector<std::string>& circle, const char* why, Faults& faults) {
  faults.push_back({"task-circle",
                    fmt::format("tasks wait for each other in a circle: {}", join(circle, " -> ")),
                    why,
                    {plan.source, 0, 0},
                    Severity::warning});
}

/// A pipeline while it is being laid out.
class Drafting {
 public:
  Drafting(const Pipeline& pipeline, const PipelineOrder& order, const Squads& squads, const PlanTerms& terms)
      : pipeline_{pipeline}, order_{order}, squads_{squads}, terms_{terms}, outputs_{order.inputs} {
    draft_.run_id = pipeline_run_id(pipeline.id(), order.now);
    draft_.plan = empty_plan(pipeline.id(), terms.folder);
    terms_.policy.fail_fast = true;
  }

  PipelineDraft make() {
    for (std::size_t i = 0; i < pipeline_.steps.size(); ++i) {
      const PipelineStep& step = pipeline_.steps[i];
      last_ = i + 1 == pipeline_.steps.size();
      if (step.kind == PipelineStep::Kind::review && step.skills.front() == director) {
        add_gate(i);
      } else if (step.kind == PipelineStep::Kind::review) {
        add_review(i, step.skills.front());
      } else {
        add_work(i, step.skills);
      }
    }
    return std::move(draft_);
  }

 private:
  Task new_task(std::size_t index, const std::string& skill) {
    Task task;
    do {
      task.id = new_task_id(skill, order_.now, order_.chance());
    } while (!ids_.insert(task.id).second);
    task.priority = order_.priority.value_or(pipeline_.priority);
    task.from = director;
    task.to = skill;
    task.created_at = task.updated_at = rfc3339(order_.now);
    task.pipeline_id = pipeline_.id();
    task.output_path = usual_output(skill, task.id, squads_);
    if (task.output_path.empty()) task.output_path = fmt::format("outputs/{0}/{1}.md", skill, task.id);
    task.output_format = "Markdown per SKILL.md specification";
    task.next = last_ ? Next{Next::Kind::director_review, {}} : Next{Next::Kind::pipeline_continue, draft_.run_id};
    task.tags = {pipeline_.id(), skill};
    task.metadata = fmt::format(R"({{"stepIndex":{},"pipelineRunId":{}}})", index, json_quote(draft_.run_id));
    task.goal = order_.goal.empty() ? pipeline_.name : order_.goal;
    task.inputs = outputs_;
    return task;
  }

  void add_step(const Task& task, Extends extends) {
    Step step = step_of(task, terms_);
    for (const std::size_t need : frontier_) step.needs.push_back(step_index(need));
    if (extends != Extends::nothing) {
      auto work = std::make_shared<Work>(*step.work);
      work->extends = extends;
      step.work = std::move(work);
    }
    draft_.plan.steps.push_back(std::move(step));
  }

  void add_work(std::size_t index, const std::vector<std::string>& skills) {
    std::vector<TaskInput> written;
    std::vector<std::size_t> added;
    for (const std::string& skill : skills) {
      Task task = new_task(index, skill);
      task.requirements = fmt::format("Do the work of '{}' for this goal, building on the inputs there are.", skill);
      written.push_back({task.output_path, fmt::format("What {} wrote", skill)});
      add_step(task, Extends::nothing);
      added.push_back(draft_.plan.steps.size() - 1);
      draft_.tasks.push_back(std::move(task));
    }
    frontier_ = std::move(added);
    outputs_ = std::move(written);
  }

  void add_review(std::size_t index, const std::string& reviewer) {
    Task task = new_task(index, reviewer);
    task.tags.emplace_back("review");
    task.metadata =
        fmt::format(R"({{"stepIndex":{},"pipelineRunId":{},"isReview":true}})", index, json_quote(draft_.run_id));
    task.output_format = "one JSON object";
    task.requirements = fmt::format("Review the inputs above by your own standards. Change nothing yourself.\n\n{}",
                                    verdict_instructions);
    add_step(task, Extends::review);
    frontier_ = {draft_.plan.steps.size() - 1};
    draft_.tasks.push_back(std::move(task));
  }

  /// A person looks at what there is; nothing goes on before he has.
  void add_gate(std::size_t index) {
    auto flow = std::make_shared<Flow>();
    flow->gate = true;
    flow->question = fmt::format("{}: look at {}, then accept or reject", pipeline_.name, listed());
    Step step;
    step.id = fmt::format("{}-{}", director, index + 1);
    auto work = std::make_shared<Work>();
    work->title = "a person's review";
    step.work = std::move(work);
    step.flow = std::move(flow);
    step.policy = terms_.policy;
    step.policy.fail_fast = false;  // a person's no is no failure
    for (const std::size_t need : frontier_) step.needs.push_back(step_index(need));
    draft_.plan.steps.push_back(std::move(step));
    frontier_ = {draft_.plan.steps.size() - 1};
  }

  [[nodiscard]] std::string listed() const {
    std::vector<std::string> paths;
    for (const TaskInput& output : outputs_) paths.push_back(output.path);
    return join(paths, ", ");
  }

  const Pipeline& pipeline_;
  const PipelineOrder& order_;
  const Squads& squads_;
  PlanTerms terms_;
  PipelineDraft draft_;
  std::vector<TaskInput> outputs_;     ///< what was written last: reviews leave it as it is
  std::vector<std::size_t> frontier_;  ///< what the next step needs
  std::set<std::string> ids_;
  bool last_ = false;
};

}  // namespace

bool goes_before(const Task& one, const Task& other) {
  return std::tuple{queue_weight(one.priority), std::string_view{one.created_at}, std::string_view{one.id}} <
         std::tuple{queue_weight(other.priority), std::string_view{other.created_at}, std::string_view{other.id}};
}

Plan plan_of_task(const Task& task, const PlanTerms& terms) {
  Plan plan = empty_plan(task.id, terms.folder);
  plan.steps.push_back(step_of(task, terms));
  return plan;
}

Plan plan_of_workspace(std::vector<Task> tasks, const PlanTerms& terms, Faults& faults) {
  std::ranges::sort(tasks, goes_before);
  leave_out_rivals(tasks, terms, faults);
  const std::size_t slash = terms.folder.rfind('/');
  std::string name = slash == std::string::npos ? terms.folder : terms.folder.substr(slash + 1);
  Plan plan = empty_plan(name.empty() || name == "." ? "workspace" : std::move(name), terms.folder);
  for (const Task& task : tasks) plan.steps.push_back(step_of(task, terms));
  set_needs(plan, edges_of(tasks, true));
  const std::vector<std::string> circle = find_cycle(plan);
  if (circle.empty()) return plan;
  set_needs(plan, edges_of(tasks, false));
  const std::vector<std::string> inputs_alone = find_cycle(plan);
  if (inputs_alone.empty()) {
    tell_of_circle(plan, circle, "what they say of 'next' does not count then", faults);
  } else {
    tell_of_circle(plan, inputs_alone, "take an input out of one of them", faults);
    faults.back().severity = Severity::error;
  }
  return plan;
}

PipelineDraft draft_pipeline(const Pipeline& pipeline, const PipelineOrder& order, const Squads& squads,
                             const PlanTerms& terms) {
  return Drafting{pipeline, order, squads, terms}.make();
}

std::string task_of_step(std::string_view step) {
  return std::string{step.substr(0, revision_of_step(step) == 0 ? step.size() : step.rfind(":r"))};
}

int revision_of_step(std::string_view step) {
  const std::size_t mark = step.rfind(":r");
  if (mark == std::string_view::npos) return 0;
  return std::max(parse_whole<int>(step.substr(mark + 2)).value_or(0), 0);
}

bool is_gate(const Step& step) { return step.flow != nullptr && step.flow->gate; }

}  // namespace baton::workspace
