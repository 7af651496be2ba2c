#include "engine/driven.h"
#include "engine/engine.h"
#include "prompt/prompt.h"

namespace baton {

std::string Engine::prompt_for(Driven& d, StepIndex step, int attempt) {
  PromptParts parts = prompt_parts(d.run.step(step));
  parts.folder = terms_.root;
  parts.attempt = attempt;
  if (const Attempt* before = d.run.attempt(step, attempt - 1); before != nullptr && before->detail) {
    parts.feedback = before->detail->checks;
  }
  return assemble(parts);
}

}  // namespace baton
