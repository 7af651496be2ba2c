#include "engine/markdown_run.h"

#include "core/facts.h"
#include "dialect/markdown/sandbox_state.h"

namespace baton {

bool MarkdownRun::shows(const Run& run, StepIndex step) const { return !run.step(step).work->output.empty(); }

Expected<DialectRun::Shown> MarkdownRun::files(const Run& run, const Read& read) {
  const std::string sandbox = option_of(run, "sandbox");
  if (sandbox.empty()) return Shown{};
  const std::string path = validation_file(sandbox);
  auto before = read(path);
  if (!before) return std::unexpected(before.error());
  auto after = reflect(*before, sandbox_state(id_, run), path);
  if (!after) return std::unexpected(after.error());
  if (*before && **before == *after) return Shown{};
  return Shown{.edits = {{path, std::move(*after)}}};
}

}  // namespace baton
