#include <fmt/core.h>

#include <algorithm>

#include "base/limits.h"
#include "base/utf8.h"
#include "core/facts.h"
#include "engine/driven.h"
#include "engine/engine.h"
#include "engine/working_tree.h"
#include "prompt/brief.h"

namespace baton {
namespace {

constexpr std::size_t handed_on_bytes_max = 64U << 10U;
constexpr std::size_t told_bytes_max = 16U << 20U;  // of one input; no model reads more

/// The beginning of a text and its end, cut between characters.
std::string head_and_tail(std::string_view text) {
  const std::string_view head = whole_front(text, handed_on_bytes_max / 2);
  const std::string_view tail = whole_back(text.substr(text.size() - handed_on_bytes_max / 2));
  return fmt::format("{}\n\n[… {} bytes are left out here …]\n\n{}", head, text.size() - head.size() - tail.size(),
                     tail);
}

}  // namespace

HandedOn Engine::handed_on(Driven& d, StepIndex need, bool whole) {
  const Step& step = d.run.step(need);
  const std::string path = output_path(d, need);
  const auto text = seams_.files.read(path, Limits::output_bytes_max);
  HandedOn result{step.work->sub_task, text && *text ? **text : std::string{}, {}};
  if (whole || result.text.size() <= handed_on_bytes_max) return result;
  result.text = head_and_tail(result.text);
  result.path = path;
  return result;
}

PromptParts Engine::parts_for(Driven& d, StepIndex step, int attempt, const Assignment& assignment,
                              DialectRun::Briefing briefing, bool whole) {
  PromptParts parts = prompt_parts(d.run.step(step));
  parts.inputs = assignment.inputs;
  parts.previous_output = assignment.previous_output;
  parts.folder = work_folder(d.run, step, terms_.root);
  parts.branch = working_tree(d.run, step).branch;
  parts.constraints = seams_.runtimes.constraints(d.run);
  for (const StepIndex need : d.run.step(step).needs) {
    const Step& needed = d.run.step(need);
    if (d.run.of(need).state == StepState::skipped) continue;
    if (!needed.work->output.empty()) parts.needed.push_back({needed.id, needed.work->output});
    if (needed.work->answers) parts.handed_on.push_back(handed_on(d, need, whole));
  }
  if (briefing.mission) parts.mission = std::move(*briefing.mission);
  if (briefing.skill && !parts.skill.empty()) {
    parts.skill_body = std::move(briefing.skill->body);
    parts.skill_folder = std::move(briefing.skill->folder);
    parts.skill_files = std::move(briefing.skill->files);
  }
  parts.attempt = attempt;
  parts.task = option_of(d.run, "task");
  // The last output that was checked is what counts: an attempt after it may have ended before it wrote anything.
  for (int n = attempt - 1; n > 0 && parts.feedback.empty(); --n) {
    const Attempt* before = d.run.attempt(step, n);
    if (before->detail && before->detail->checked) parts.feedback = before->detail->checks;
  }
  return parts;
}

void Engine::tell(Driven& d, StepIndex step, int attempt, Assignment& assignment) {
  DialectRun::Briefing briefing = d.dialect->brief(d.run, step, attempt);
  if (briefing.whole) {
    assignment.prompt = std::move(briefing.whole->text);
    assignment.blocks = std::move(briefing.whole->blocks);
    assignment.schema = std::move(briefing.whole->schema);
    return;
  }
  if (seams_.runtimes.is_told_all(d.run.interned(d.run.attempt(step, attempt)->runtime))) {
    return brief(d, step, attempt, assignment, std::move(briefing));
  }
  assignment.prompt = assemble(parts_for(d, step, attempt, assignment, std::move(briefing), false));
}

/// Everything goes into the prompt. An input that is not there is found out before anything is paid for.
void Engine::brief(Driven& d, StepIndex step, int attempt, Assignment& assignment, DialectRun::Briefing briefing) {
  PromptParts parts = parts_for(d, step, attempt, assignment, std::move(briefing), true);
  if (!seams_.runtimes.acts(d.run, d.run.step(step), d.run.interned(d.run.attempt(step, attempt)->runtime))) {
    parts.constraints.clear();
  }
  std::vector<std::string> paths = parts.inputs;
  for (const NeededOutput& need : parts.needed) {
    if (std::ranges::find(paths, need.path) == paths.end()) paths.push_back(need.path);
  }
  std::vector<ToldFile> inputs;
  for (const std::string& path : paths) {
    const auto text = seams_.files.read(path.starts_with('/') ? path : parts.folder + "/" + path, told_bytes_max);
    if (text && *text) {
      inputs.push_back({path, **text});
    } else {
      assignment.missing_inputs.push_back(path);
    }
  }
  if (!parts.previous_output.empty()) {
    const auto text = seams_.files.read(parts.previous_output, told_bytes_max);
    if (text && *text) parts.previous_text = **text;
  }
  std::vector<ToldFile> references;
  for (const std::string& file : parts.skill_files) {
    if (!file.starts_with(parts.skill_folder + "/references/") || !file.ends_with(".md")) continue;
    // One that cannot be read is not worth failing for.
    const auto text = seams_.files.read(file, Limits::skill_bytes_max);
    if (text && *text) references.push_back({file.substr(file.find_last_of('/') + 1), **text});
  }
  Brief told = make_brief(parts, references, inputs);
  assignment.prompt = whole_text(told);
  assignment.blocks = {std::move(told.skill), std::move(told.references), std::move(told.context),
                       std::move(told.task)};
}

}  // namespace baton
