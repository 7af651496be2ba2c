#pragma once

#include <string>
#include <vector>

#include "engine/seams.h"
#include "sim/drawn_plan.h"
#include "support/draws.h"

namespace baton::test {

/// A chain of skills, or a drawn plan some of whose steps answer and work in trees of their own.
Plan draw_chain(Draws& draws, const Mix& mix);
Plan draw_answering_plan(Draws& draws, const Mix& mix);

/// What an agent says last: of `route` a workflow, of `decompose` sub-tasks, of the others anything.
std::string draw_answer(Draws& draws, const Mix& mix, const std::string& step);

/// What answers mean, as the program has it; for plans that are no chain it is drawn from the run's seed.
class DrawnAnswers final : public Answers {
 public:
  explicit DrawnAnswers(const Mix& mix) : mix_(mix) {}

  std::vector<CheckResult> check(const Run& run, StepIndex step, const std::string& answer) override;
  chain::Extension extend(const Run& run, StepIndex by, const std::string& answer) override;
  chain::Extension resolve(const Run& run, StepIndex waiting, const std::vector<std::string>& files,
                           const std::string& with) override;

  /// What a person asks for at a run's end.
  [[nodiscard]] event::PlanExtended revision(const Run& run, bool follows_up) const;

 private:
  [[nodiscard]] chain::Extension with_terms(chain::Extension extension, const Run& run) const;

  const Mix& mix_;
};

}  // namespace baton::test
