#include "engine/sandbox_mirror.h"

#include "core/facts.h"
#include "dialect/markdown/sandbox_state.h"

namespace baton {

bool SandboxMirror::shows(const Run& run, StepIndex step) const {
  return run.plan().dialect == "markdown" && !run.step(step).work->output.empty();
}

Expected<std::vector<FileEdit>> SandboxMirror::edits(const std::string& id, const Run& run, const Read& read) const {
  const std::string sandbox = option_of(run, "sandbox");
  if (run.plan().dialect != "markdown" || sandbox.empty()) return std::vector<FileEdit>{};
  const std::string path = validation_file(sandbox);
  auto before = read(path);
  if (!before) return std::unexpected(before.error());
  auto after = reflect(*before, sandbox_state(id, run), path);
  if (!after) return std::unexpected(after.error());
  if (*before && **before == *after) return std::vector<FileEdit>{};
  return std::vector<FileEdit>{{path, std::move(*after)}};
}

}  // namespace baton
