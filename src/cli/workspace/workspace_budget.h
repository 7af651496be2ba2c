#pragma once

#include "cli/context.h"
#include "dialect/workspace/budget.h"

namespace baton::cli {

/// How much of `workspace.budget_usd` the project's attempts have spent this month (UTC), whenever their runs began.
/// Without that setting: normal. Faults: those of a journal that cannot be read.
Expected<workspace::BudgetLevel> month_level(const Project& project, const Config& config, Time now);

}  // namespace baton::cli
