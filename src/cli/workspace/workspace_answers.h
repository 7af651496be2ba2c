#pragma once

#include "cli/workspace/workspace_files.h"
#include "engine/seams.h"

namespace baton::cli {

/// How often one task's work is sent back before a person has to see to it.
constexpr int revisions_max = 3;

/// What is done with the answers of a workspace's tasks: they are written where the task says; those of reviews are
/// verdicts, which may have the work done once more.
class WorkspaceAnswers final : public Answers {
 public:
  explicit WorkspaceAnswers(std::string root) : root_{std::move(root)} {}

  std::vector<CheckResult> check(const Run& run, StepIndex step, const std::string& answer) override;
  std::optional<Failure> receive(const Run& run, StepIndex step, const std::string& answer) override;
  chain::Extension extend(const Run& run, StepIndex by, const std::string& answer) override;
  chain::Extension resolve(const Run& run, StepIndex waiting, const std::vector<std::string>& files,
                           const std::string& with) override;

 private:
  std::string root_;
};

}  // namespace baton::cli
