#pragma once

#include "cli/workspace/workspace_files.h"
#include "engine/dialect_run.h"

namespace baton::cli {

/// How often one task's work is sent back before a person has to see to it.
constexpr int revisions_max = 3;

/// What is done with the answer of a workspace's task: it is written where the task says; that of a review is a
/// verdict, which may have the work done once more.
class WorkspaceAnswer {
 public:
  explicit WorkspaceAnswer(std::string root) : root_{std::move(root)} {}

  /// REQUIRES: there is an answer.
  DialectRun::Judgement judge(const Run& run, const DialectRun::Finished& attempt);

 private:
  [[nodiscard]] std::optional<Failure> put_to_use(const Run& run, StepIndex step, const std::string& answer) const;
  [[nodiscard]] std::optional<DialectRun::Extension> extend(const Run& run, StepIndex by,
                                                            const std::string& answer) const;

  std::string root_;
};

}  // namespace baton::cli
