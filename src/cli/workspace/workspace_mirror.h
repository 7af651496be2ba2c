#pragma once

#include <map>
#include <string>

#include "dialect/workspace/status.h"
#include "engine/mirror.h"

namespace baton::cli {

/// Keeps the statuses of a workspace's tasks true while they are run. A task is written to only as long as its file
/// says what the run wrote last: whoever else has had a hand in it since is right.
class WorkspaceMirror final : public Mirror {
 public:
  [[nodiscard]] bool shows(const Run& run, StepIndex step) const override;
  /// A long list is not looked through at every step of it.
  [[nodiscard]] bool is_prompt(const Run& run) const override { return run.step_count() <= prompt_steps_max; }
  [[nodiscard]] Expected<std::vector<FileEdit>> edits(const std::string& id, const Run& run,
                                                      const Read& read) const override;

 private:
  static constexpr std::size_t prompt_steps_max = 500;

  mutable std::map<std::string, std::map<std::string, workspace::TaskStatus>> seen_;  ///< what files were seen to say
};

}  // namespace baton::cli
