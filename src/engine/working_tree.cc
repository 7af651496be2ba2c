#include "engine/working_tree.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "core/facts.h"

namespace baton {
namespace {

constexpr const char* own_tree = ".";
constexpr std::size_t subject_bytes_max = 72;

std::string with_sub_task(const std::string& name, const std::string& tree) {
  return tree == own_tree ? name : name + "--" + tree;
}

/// The kind of change a skill makes, as in conventional commits.
std::string kind_of_change(const std::string& skill) {
  if (skill == "build") return "feat";
  if (skill == "spec" || skill == "document") return "docs";
  if (skill == "test") return "test";
  if (skill == "resolve") return "merge";
  return "chore";
}

}  // namespace

WorkingTree working_tree(const Run& run, StepIndex step) {
  const std::string& tree = run.step(step).work->tree;
  const std::string folder = option_of(run, "worktree");
  if (tree.empty() || folder.empty()) return {};
  const std::string branch = option_of(run, "branch");
  WorkingTree t{with_sub_task(folder, tree), with_sub_task(branch, tree), {}, {}};
  // A sub-task begins from what the run has by then; its branch does not move while sub-tasks are at work.
  t.start = tree == own_tree ? option_of(run, "base_commit") : branch;
  for (const StepIndex need : run.step(step).needs) {
    const std::string& other = run.step(need).work->tree;
    if (!other.empty() && other != own_tree && other != tree) t.merges.push_back(with_sub_task(branch, other));
  }
  return t;
}

std::string work_folder(const Run& run, StepIndex step, const std::string& project_root) {
  const WorkingTree tree = working_tree(run, step);
  if (tree.folder.empty()) return project_root;
  const std::string prefix = option_of(run, "prefix");
  return prefix.empty() ? tree.folder : tree.folder + "/" + prefix;
}

std::string commit_message(const std::string& id, const Run& run, StepIndex step) {
  const Work& work = *run.step(step).work;
  const std::string task = run.later_tasks().empty() ? option_of(run, "task") : run.later_tasks().back();
  const std::string about = work.sub_task.empty() ? std::string{trim(task.substr(0, task.find('\n')))} : work.sub_task;
  std::string subject = fmt::format("{}({})", kind_of_change(work.skill), work.skill.empty() ? "step" : work.skill);
  subject += about.empty() ? ": changes" : ": " + about;
  return fmt::format("{}\n\nBaton-Run: {}\nBaton-Step: {}\n", shorten(subject, subject_bytes_max), id,
                     run.step(step).id);
}

}  // namespace baton
