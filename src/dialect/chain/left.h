#pragma once

#include <vector>

#include "core/run.h"
#include "dialect/chain/steps.h"

namespace baton::chain {

/// What has not started yet besides `by`, in the order of the plan: what an extension that replaces the rest replaces.
std::vector<StepIndex> steps_left(const Run& run, StepIndex by);

/// The ids that new steps cannot have. What is replaced (or was before) and never had its turn frees its id.
StepIds ids_beside(const Run& run, const std::vector<StepIndex>& replaced);

/// The completed steps that no other builds on: the last one of a chain, or several where sub-tasks were the last.
std::vector<StepIndex> ends_of(const Run& run);

}  // namespace baton::chain
