#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/fault.h"
#include "plan/plan.h"

namespace baton {

/// A plan as a run's journal keeps it: compact JSON, and exactly the same plan when it is read again. Work that steps
/// share is written once and is shared again after reading.
std::string to_json(const Plan& plan);
Expected<Plan> plan_from_json(std::string_view text);

/// The same for steps that extend a plan. Their needs count from the plan's first step.
std::string to_json(const std::vector<Step>& steps);

/// `steps_before`: how many steps the plan has without these; needs that point past the end are refused.
Expected<std::vector<Step>> steps_from_json(std::string_view text, std::size_t steps_before);

}  // namespace baton
