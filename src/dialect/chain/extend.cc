#include "dialect/chain/extend.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "dialect/chain/decompose.h"
#include "dialect/chain/left.h"
#include "dialect/chain/mission.h"
#include "dialect/chain/route.h"
#include "dialect/chain/steps.h"

namespace baton::chain {
namespace {

constexpr std::size_t answer_shown_max = 120;

std::string shown_answer(const std::string& answer) {
  std::string line{trim(answer)};
  for (char& c : line) c = static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  return line.empty() ? "nothing" : fmt::format("'{}'", shorten(line, answer_shown_max));
}

// route -------------------------------------------------------------------------------------------------------------

/// What an answer of `route` comes to.
struct Choice {
  std::string workflow;             ///< empty: none
  std::vector<std::string> skills;  ///< without `route`
  bool had_route = false;
  std::string trouble;  ///< why it cannot be taken; empty: it can
};

Choice choice_of(const std::string& answer, const Library& library) {
  Choice choice;
  const std::string names = join(choices(library.workflows), ", ");
  const auto name = route_answer(answer, library.workflows);
  if (!name) {
    choice.trouble =
        fmt::format("route answered {}, which names no workflow; choices: {}", shown_answer(answer), names);
    return choice;
  }
  choice.workflow = *name;
  choice.skills = library.workflows.at(*name);
  choice.had_route = std::erase(choice.skills, "route") > 0;
  if (choice.skills.empty()) {
    choice.trouble =
        fmt::format("route answered '{}', a workflow that has no skills to run; choices: {}", *name, names);
    return choice;
  }
  std::vector<std::string> missing;
  for (const std::string& skill : choice.skills) {
    const bool is_there = !library.has_skill || library.has_skill(skill);
    if (!is_there && std::ranges::find(missing, skill) == missing.end()) missing.push_back(skill);
  }
  if (!missing.empty()) {
    choice.trouble = fmt::format("route answered '{}', but there is no skill '{}'; choices: {}", *name,
                                 join(missing, "', '"), names);
  }
  return choice;
}

Extension extend_by_route(const Run& run, StepIndex by, const std::string& answer, const Library& library) {
  Extension extension;
  const Choice choice = choice_of(answer, library);
  if (!choice.trouble.empty()) {
    extension.warnings.push_back(choice.trouble + "; what is left of the workflow goes on");
    return extension;
  }
  if (choice.had_route) {
    extension.warnings.push_back(
        fmt::format("workflow \"{}\" has a 'route' of its own, which is left out", choice.workflow));
  }
  StepIds ids = ids_beside(run, steps_left(run, by));
  extension.steps = chain_steps(choice.skills, {by}, run.step_count(), ids, library.workflows, library.terms);
  extension.replaces_rest = true;
  extension.workflow = choice.workflow;
  return extension;
}

// decompose ---------------------------------------------------------------------------------------------------------

/// The tasks in an order in which each comes after what it needs, otherwise as listed.
std::vector<std::size_t> order_of_sub_tasks(const std::vector<SubTask>& tasks) {
  std::vector<std::size_t> order;
  std::vector<bool> placed(tasks.size(), false);
  while (order.size() < tasks.size()) {
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      const bool met = std::ranges::all_of(tasks[t].needs, [&](std::size_t need) { return placed[need]; });
      if (placed[t] || !met) continue;
      placed[t] = true;
      order.push_back(t);
      break;
    }
  }
  return order;
}

/// Makes the steps that take the place of the one skill that follows `decompose`, and of what follows that.
class SubTaskSteps {
 public:
  SubTaskSteps(const Run& run, StepIndex by, const Library& library)
      : run_(run), by_(by), library_(library), left_(steps_left(run, by)), ids_(ids_beside(run, left_)) {
    for (std::size_t n = 0; n < run.step_count(); ++n) trees_.insert(run.step(step_index(n)).work->tree);
  }

  std::vector<Step> take(const std::vector<SubTask>& tasks) {
    const bool apart = library_.terms.has_trees && tasks.size() > 1;
    for (const SubTask& task : tasks) add(task, apart);
    if (!library_.terms.has_trees) put_in_a_row(tasks);
    add_rest();
    if (apart && left_.size() <= 1) add_join();
    return std::move(steps_);
  }

 private:
  /// Where a step with this place in the new list stands in the run.
  [[nodiscard]] StepIndex placed(std::size_t n) const { return step_index(run_.step_count() + n); }

  [[nodiscard]] Step model() {
    if (!left_.empty()) return run_.step(left_.front());
    StepIds others;
    return skill_step("build", others, library_.workflows, library_.terms);
  }

  void add(const SubTask& task, bool apart) {
    Step step = model();
    Work work = *step.work;
    const std::string whole = fmt::format("{}:{}", work.skill, task.name);
    step.id = ids_.take(is_id(whole) ? whole : fmt::format("{}:{}", work.skill, task.slug));
    work.title = task.name;
    work.sub_task = task.name;
    work.mission = sub_task_mission(work.skill, task.name, task.text);
    work.extends = Extends::nothing;  // a part is not divided again
    work.output.clear();
    if (apart) work.tree = tree_for(task);
    step.work = std::make_shared<const Work>(std::move(work));
    step.final = false;
    step.needs = {by_};
    for (const std::size_t need : task.needs) step.needs.push_back(placed(need));
    steps_.push_back(std::move(step));
  }

  /// One that no step of this run has had: an earlier one may still hold work.
  std::string tree_for(const SubTask& task) {
    std::string tree = task.slug;
    for (std::size_t n = 2; !trees_.insert(tree).second; ++n) tree = fmt::format("{}-{}", task.slug, n);
    return tree;
  }

  /// In one folder only one may work at a time.
  void put_in_a_row(const std::vector<SubTask>& tasks) {
    const std::vector<std::size_t> order = order_of_sub_tasks(tasks);
    for (std::size_t n = 1; n < order.size(); ++n) {
      std::vector<StepIndex>& needs = steps_[order[n]].needs;
      const StepIndex before = placed(order[n - 1]);
      if (std::ranges::find(needs, before) == needs.end()) needs.push_back(before);
    }
  }

  void add_rest() {
    std::vector<StepIndex> needs;
    for (std::size_t n = 0; n < steps_.size(); ++n) needs.push_back(placed(n));
    for (std::size_t n = 1; n < left_.size(); ++n) {
      Step step = run_.step(left_[n]);
      step.id = ids_.take(run_.of(left_[n]).attempts.empty() ? step.id : step.work->skill);
      if (!step.work->output.empty()) {
        Work work = *step.work;
        work.output.clear();
        step.work = std::make_shared<const Work>(std::move(work));
      }
      step.needs = std::exchange(needs, {placed(steps_.size())});
      steps_.push_back(std::move(step));
    }
    if (left_.size() > 1 || steps_.size() == 1) steps_.back().final = true;
  }

  /// With nobody after them, somebody has to bring the parts together: a step that does nothing else.
  void add_join() {
    Step step;
    step.id = ids_.take("merge");
    step.work = std::make_shared<const Work>(Work{.title = "bring the sub-tasks together", .tree = "."});
    step.flow = std::make_shared<const Flow>(Flow{.tree = true});
    for (std::size_t n = 0; n < steps_.size(); ++n) step.needs.push_back(placed(n));
    step.final = true;
    steps_.push_back(std::move(step));
  }

  const Run& run_;
  StepIndex by_;
  const Library& library_;
  std::vector<StepIndex> left_;
  StepIds ids_;
  std::set<std::string> trees_;
  std::vector<Step> steps_;
};

Extension extend_by_decomposition(const Run& run, StepIndex by, const std::string& answer, const Library& library) {
  Extension extension;
  const auto read = read_decomposition(answer);
  if (!read) {
    extension.warnings.push_back(read.error());
    return extension;
  }
  extension.warnings = read->warnings;
  if (read->tasks.empty()) return extension;
  if (!library.terms.has_trees && read->tasks.size() > 1) {
    extension.warnings.emplace_back(
        "the sub-tasks are run one after the other: without git worktrees they would work in the same folder");
  }
  extension.steps = SubTaskSteps{run, by, library}.take(read->tasks);
  extension.replaces_rest = true;
  return extension;
}

}  // namespace

std::vector<CheckResult> check_answer(const Run& run, StepIndex step, const std::string& answer,
                                      const Library& library) {
  const Extends extends = run.step(step).work->extends;
  if (extends == Extends::route) {
    const Choice choice = choice_of(answer, library);
    const bool passed = choice.trouble.empty() || !steps_left(run, step).empty();
    return {{"workflow", passed, choice.trouble}};
  }
  if (extends == Extends::decompose) {
    const auto read = read_decomposition(answer);
    return {{"sub_tasks", read.has_value(), read ? "" : read.error()}};
  }
  return {};
}

Extension extend_after(const Run& run, StepIndex by, const std::string& answer, const Library& library) {
  switch (run.step(by).work->extends) {
    case Extends::route:
      return extend_by_route(run, by, answer, library);
    case Extends::decompose:
      return extend_by_decomposition(run, by, answer, library);
    case Extends::nothing:
    case Extends::review:  // of a workspace: no chain has one
      break;
  }
  return {};
}

}  // namespace baton::chain
