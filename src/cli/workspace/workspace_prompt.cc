#include "cli/workspace/workspace_prompt.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "base/limits.h"
#include "base/text.h"
#include "cli/workspace/workspace_new.h"
#include "core/facts.h"
#include "dialect/workspace/paths.h"
#include "dialect/workspace/review.h"
#include "dialect/workspace/workspace_plan.h"
#include "engine/real_files.h"
#include "runtime/api/families.h"

namespace baton::cli {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> kept_text(const std::string& path) {
  auto text = RealFiles{}.read(path, Limits::output_bytes_max);
  return text ? std::move(*text) : std::nullopt;
}

std::optional<std::string> answer_of(const Run& run, StepIndex step) {
  return kept_text(option_of(run, "folder") + "/" + answer_file(run.step(step).id));
}

bool has_input(const std::vector<workspace::InputText>& inputs, const std::string& path) {
  return std::ranges::any_of(inputs, [&](const workspace::InputText& i) { return i.path == path; });
}

/// A revision builds on what was there and on what was said of it.
void add_revision(const WorkspaceFiles& files, const Run& run, StepIndex step, workspace::PromptMaterial& m) {
  const workspace::Task& task = m.task;
  if (task.revision_count == 0) return;
  if (!has_input(m.inputs, task.output_path)) {
    if (auto before = files.input(task.output_path); before && *before) {
      m.inputs.push_back({task.output_path, "Your previous output", std::move(**before)});
    }
  }
  for (const StepIndex need : run.step(step).needs) {
    if (run.step(need).work->extends != Extends::review) continue;
    if (auto said = answer_of(run, need)) {
      m.inputs.push_back({"the review by " + run.step(need).work->skill, "Review feedback", std::move(*said)});
      return;
    }
  }
  if (auto review = files.newest_review(task.id); review && !has_input(m.inputs, review->first)) {
    m.inputs.push_back({review->first, "Review feedback", std::move(review->second)});
  }
}

/// What was wrong with the answer before this one.
std::string feedback(const Run& run, StepIndex step, int attempt) {
  for (int n = attempt - 1; n > 0; --n) {
    const Attempt* before = run.attempt(step, n);
    if (before == nullptr || !before->detail || !before->detail->checked) continue;
    std::string text;
    for (const CheckResult& r : before->detail->checks) {
      if (!r.passed) text += fmt::format("- {}\n", r.message);
    }
    return text.empty() ? text : "\n## What was wrong with the previous answer\n" + text;
  }
  return {};
}

}  // namespace

std::vector<workspace::Reference> references_of(const SkillText& skill, std::vector<std::string>* left_out) {
  std::vector<workspace::Reference> references;
  const std::string folder = skill.folder + "/references/";
  for (const std::string& file : skill.files) {
    if (!file.starts_with(folder) || !file.ends_with(".md")) continue;
    auto text = RealFiles{}.read(file, Limits::skill_bytes_max);
    if (text && *text) {
      references.push_back({fs::path{file}.filename().string(), std::move(**text)});
    } else if (left_out != nullptr) {
      left_out->push_back(file);
    }
  }
  std::ranges::sort(references, {}, &workspace::Reference::name);
  return references;
}

std::optional<LaidOutPrompt> task_prompt(const WorkspaceFiles& files, ProjectSkills& skills, const Run& run,
                                         StepIndex step, int attempt) {
  const std::string& id = run.step(step).id;
  const auto kept = kept_text(kept_of_task(option_of(run, "folder"), id, "task.md"));
  workspace::TaskRead read =
      kept ? workspace::read_task(*kept, "") : task_in_run(files, run, workspace::task_of_step(id));
  if (!read.task) return std::nullopt;
  workspace::PromptMaterial m;
  m.task = std::move(*read.task);
  if (auto skill = skills.find(m.task.to)) {
    m.skill_body = std::move(skill->body);
    m.references = references_of(*skill);
  }
  m.context = files.context();
  for (const workspace::TaskInput& input : m.task.inputs) {
    auto text = files.input(input.path);
    if (text && *text) m.inputs.push_back({input.path, input.description, std::move(**text)});
  }
  add_revision(files, run, step, m);
  const std::string& runtime = run.interned(run.attempt(step, attempt)->runtime);
  m.to_program = !asks_api(runtime);
  const workspace::Prompt prompt = workspace::build_prompt(m);
  const std::string mend = feedback(run, step, attempt);
  LaidOutPrompt laid_out{prompt.whole() + mend,
                         {prompt.system, {}, prompt.context, prompt.inputs + prompt.task + mend}};
  if (run.step(step).work->extends == Extends::review) laid_out.schema = workspace::verdict_schema;
  return laid_out;
}

}  // namespace baton::cli
