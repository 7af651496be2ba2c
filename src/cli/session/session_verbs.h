#pragma once

#include <expected>
#include <string>

#include "cli/context.h"
#include "plan/plan.h"
#include "view/plan_view.h"

namespace baton::cli {

/// `check` of a session: every fault of its files at once. True if none is an error.
bool check_session(const Project& project, const std::string& target);

struct SessionPlan {
  Plan plan;
  PlanStanding standing;
  Faults warnings;
};
/// `plan` of a session: all of its tasks and how far they are; what is left to do, in order.
std::expected<SessionPlan, Faults> plan_session(const Project& project, const std::string& target);

}  // namespace baton::cli
