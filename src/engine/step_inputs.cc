#include "engine/step_inputs.h"

#include <fmt/core.h>

#include <algorithm>

#include "plan/path_rule.h"

namespace baton {
namespace {

bool is_result_of(const Run& run, StepIndex other, const std::string& path) {
  return run.of(other).state == StepState::skipped && plain_path(run.step(other).work->output) == path;
}

/// What lies at the path of a need that did not run is not its result, but something older.
bool is_of_skipped_need(const Run& run, StepIndex step, const std::string& path) {
  return std::ranges::any_of(run.needs_of(step), [&](StepIndex need) { return is_result_of(run, need, path); });
}

/// A step that it needs through others may have been skipped, too.
bool is_of_skipped_step(const Run& run, const std::string& path) {
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    if (is_result_of(run, step_index(n), path)) return true;
  }
  return false;
}

}  // namespace

StepInputs find_inputs(const Run& run, StepIndex step, Files& files, const std::string& folder) {
  StepInputs inputs;
  for (const std::string& path : run.step(step).work->inputs) {
    const std::string plain = plain_path(path);
    if (is_of_skipped_need(run, step, plain)) continue;
    if (files.is_there(path.starts_with('/') ? path : fmt::format("{}/{}", folder, path))) {
      inputs.there.push_back(path);
    } else if (!is_of_skipped_step(run, plain)) {
      inputs.missing.push_back(path);
    }
  }
  return inputs;
}

}  // namespace baton
