#pragma once

#include <string>
#include <vector>

#include "dialect/chain/extend.h"
#include "engine/dialect_run.h"
#include "sim/drawn_plan.h"
#include "support/draws.h"

namespace baton::test {

/// A chain of skills, or a drawn plan some of whose steps answer and work in trees of their own.
Plan draw_chain(Draws& draws, const Mix& mix);
Plan draw_answering_plan(Draws& draws, const Mix& mix);

/// What an agent says last: of `route` a workflow, of `decompose` sub-tasks, of the others anything.
std::string draw_answer(Draws& draws, const Mix& mix, const std::string& step);

/// What answers mean, as the program has it; for plans that are no chain it is drawn from the run's seed.
class DrawnChainRun final : public DialectRun {
 public:
  explicit DrawnChainRun(const Mix& mix) : mix_(mix) {}

  Judgement judge(const Run& run, const Finished& attempt) override;
  std::optional<Extension> resolve(const Run& run, StepIndex waiting, const Conflict& conflict) override;

  /// What a person asks for at a run's end.
  [[nodiscard]] event::PlanExtended revision(const Run& run, bool follows_up) const;

 private:
  [[nodiscard]] chain::Extension with_terms(chain::Extension extension, const Run& run) const;

  const Mix& mix_;
};

}  // namespace baton::test
