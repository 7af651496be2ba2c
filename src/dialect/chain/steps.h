#pragma once

#include <set>
#include <string>
#include <vector>

#include "dialect/chain/workflows.h"
#include "plan/plan.h"

namespace baton::chain {

/// The ids that steps have, so that a new one gets one of its own.
class StepIds {
 public:
  void add(const std::string& id) { taken_.insert(id); }
  /// `wanted`, else the first of `wanted-2`, `wanted-3` … that is free; it is taken then.
  std::string take(const std::string& wanted);

 private:
  std::set<std::string, std::less<>> taken_;
};

/// A step that runs one skill in the run's own tree.
/// REQUIRES: `skill` is an id (base/text.h).
Step skill_step(const std::string& skill, StepIds& ids, const Workflows& workflows, const Terms& terms);

/// Steps for skills one after the other, the first one needing `needs`, numbered on from `first`. The last is final.
std::vector<Step> chain_steps(const std::vector<std::string>& skills, const std::vector<StepIndex>& needs,
                              std::size_t first, StepIds& ids, const Workflows& workflows, const Terms& terms);

}  // namespace baton::chain
