#pragma once

#include <string>
#include <vector>

#include "engine/seams.h"

namespace baton::cli {

/// What answers mean in a workspace, and in all other runs.
class AnswersByDialect final : public Answers {
 public:
  AnswersByDialect(Answers& workspace, Answers& others) : workspace_{workspace}, others_{others} {}

  std::vector<CheckResult> check(const Run& run, StepIndex step, const std::string& answer) override {
    return of(run).check(run, step, answer);
  }
  std::optional<Failure> receive(const Run& run, StepIndex step, const std::string& answer) override {
    return of(run).receive(run, step, answer);
  }
  chain::Extension extend(const Run& run, StepIndex by, const std::string& answer) override {
    return of(run).extend(run, by, answer);
  }
  chain::Extension resolve(const Run& run, StepIndex waiting, const std::vector<std::string>& files,
                           const std::string& with) override {
    return of(run).resolve(run, waiting, files, with);
  }

 private:
  [[nodiscard]] Answers& of(const Run& run) const { return run.plan().dialect == "workspace" ? workspace_ : others_; }

  Answers& workspace_;
  Answers& others_;
};

}  // namespace baton::cli
