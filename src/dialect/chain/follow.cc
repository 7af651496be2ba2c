// What a person's word, or a merge that stopped, adds to a chain.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "dialect/chain/extend.h"
#include "dialect/chain/left.h"
#include "dialect/chain/mission.h"
#include "dialect/chain/steps.h"

namespace baton::chain {
namespace {

constexpr std::size_t task_shown_max = 400;
constexpr const char* follow_up_title = "Follow-up";

std::string shown_task(std::string_view task) {
  std::string line{trim(task)};
  for (char& c : line) c = static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  return shorten(line, task_shown_max);
}

/// The step with other words for what it does.
Step with_mission(Step step, std::string title, std::string mission, std::vector<std::string> notes = {}) {
  Work work = *step.work;
  work.title = std::move(title);
  work.mission = std::move(mission);
  work.notes = std::move(notes);
  step.work = std::make_shared<const Work>(std::move(work));
  return step;
}

/// The skill that made the change: the last one that is not about planning, looking or writing down.
std::string making_skill(const Run& run, const Library& library) {
  static constexpr std::array<std::string_view, 8> others = {"route",  "spec",     "decompose", "test",
                                                             "review", "document", "commit",    "resolve"};
  for (std::size_t n = run.step_count(); n-- > 0;) {
    const StepIndex i = step_index(n);
    const std::string& skill = run.step(i).work->skill;
    if (run.of(i).state != StepState::completed || skill.empty()) continue;
    const bool is_there = !library.has_skill || library.has_skill(skill);
    if (is_there && std::ranges::find(others, skill) == others.end()) return skill;
  }
  return "build";
}

bool was_reviewed(const Run& run) {
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    const StepIndex i = step_index(n);
    if (run.step(i).work->reviews && run.of(i).state == StepState::completed) return true;
  }
  return false;
}

/// What is worth knowing of a chain to whoever goes on with it: no transcript, only what was asked and done.
std::vector<std::string> summary_of(const Run& run) {
  std::vector<std::string> notes;
  const auto& options = run.settings().options;
  if (const auto task = options.find("task"); task != options.end()) {
    notes.push_back("Original task: " + shown_task(task->second));
  }
  notes.push_back("Workflow: " + run.workflow());
  std::vector<std::string> done;
  std::vector<std::string> earlier;
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    const Work& work = *run.step(step_index(n)).work;
    if (run.of(step_index(n)).state != StepState::completed) continue;
    const std::string task = task_of_follow_up(work.mission);
    if (!task.empty()) earlier.push_back("Earlier follow-up: " + shown_task(task));
    if (task.empty()) done.push_back(run.step(step_index(n)).id);
  }
  notes.push_back("Skills done: " + (done.empty() ? "none" : shorten(join(done, ", "), task_shown_max)));
  notes.insert(notes.end(), earlier.begin(), earlier.end());
  if (run.state() == RunState::accepted) notes.emplace_back("All of that was accepted: it is part of what is here.");
  return notes;
}

std::string merge_note(const std::string& with) { return "Merging: " + with; }

}  // namespace

bool resolves_merge_with(const Run& run, StepIndex step, const std::string& with) {
  if (at(step) >= run.step_count()) return false;
  const Work& work = *run.step(step).work;
  return work.skill == resolving_skill && std::ranges::find(work.notes, merge_note(with)) != work.notes.end();
}

Extension revise(const Run& run, const std::string& message, const Library& library) {
  Extension extension;
  extension.task = message;
  std::vector<std::string> skills{making_skill(run, library)};
  if (was_reviewed(run)) skills.emplace_back("review");
  StepIds ids = ids_beside(run, {});
  extension.steps = chain_steps(skills, ends_of(run), run.step_count(), ids, library.workflows, library.terms);
  extension.steps.front() = with_mission(std::move(extension.steps.front()), "Revision", revision_mission(message));
  return extension;
}

Extension follow_up(const Run& run, const std::string& task, const Library& library) {
  Extension extension;
  extension.task = task;
  StepIds ids = ids_beside(run, {});
  extension.steps = chain_steps({"build"}, ends_of(run), run.step_count(), ids, library.workflows, library.terms);
  extension.steps.front() =
      with_mission(std::move(extension.steps.front()), follow_up_title, follow_up_mission(task), summary_of(run));
  return extension;
}

Extension resolve(const Run& run, StepIndex waiting, const std::vector<std::string>& files, const std::string& with,
                  const Library& library) {
  Extension extension;
  StepIds ids = ids_beside(run, {});
  Step step = with_mission(skill_step(resolving_skill, ids, library.workflows, library.terms), "Resolve conflicts",
                           resolve_mission(files, with), {merge_note(with)});
  Work work = *step.work;
  work.tree = run.step(waiting).work->tree;
  step.work = std::make_shared<const Work>(std::move(work));
  step.flow = nullptr;  // the tree is as ready as it can be: it stands in the middle of a merge
  step.needs = run.step(waiting).needs;
  extension.steps = {std::move(step)};
  extension.joins = {{waiting, step_index(run.step_count())}};
  return extension;
}

}  // namespace baton::chain
