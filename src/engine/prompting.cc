#include "core/facts.h"
#include "engine/driven.h"
#include "engine/engine.h"
#include "prompt/prompt.h"

namespace baton {

std::string Engine::prompt_for(Driven& d, StepIndex step, int attempt) {
  PromptParts parts = prompt_parts(d.run.step(step));
  parts.folder = terms_.root;
  for (const StepIndex need : d.run.step(step).needs) {
    const Step& needed = d.run.step(need);
    if (!needed.work->output.empty()) parts.needed.push_back({needed.id, needed.work->output});
  }
  if (seams_.skills != nullptr && !parts.skill.empty()) {
    if (auto skill = seams_.skills->find(parts.skill)) {
      parts.skill_body = std::move(skill->body);
      parts.skill_folder = std::move(skill->folder);
      parts.skill_files = std::move(skill->files);
    }
  }
  parts.attempt = attempt;
  parts.task = option_of(d.run, "task");
  // The last output that was checked is what counts: an attempt after it may have ended before it wrote anything.
  for (int n = attempt - 1; n > 0 && parts.feedback.empty(); --n) {
    const Attempt* before = d.run.attempt(step, n);
    if (before->detail && before->detail->checked) parts.feedback = before->detail->checks;
  }
  return assemble(parts);
}

}  // namespace baton
