#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/event.h"
#include "dialect/team/team.h"
#include "plan/plan.h"

namespace baton::team {

/// What holds for the steps of a team where nothing else is said.
struct TeamTerms {
  std::string id;  ///< the session's
  Policy policy = {.retries = 2, .check_retries = 2, .timeout_pauses = true};
};

/// One step for each task, in their order and with their names. A need that is no task is left out of the plan; the
/// task's turn says that it is blocked.
Plan make_plan(const Team& team, const TeamTerms& terms);

/// Steps for tasks that a run does not have yet. Their needs count from the run's first step; `known` are the ids of
/// the steps it has, in order.
std::vector<Step> further_steps(const std::vector<Task>& tasks, const Team& team, const TeamTerms& terms,
                                const std::vector<std::string>& known);

/// What a worker does for a task.
std::shared_ptr<const Work> work_of(const Task& task, const std::string& folder);

/// The steps that count as completed before the run begins.
std::vector<event::FoundStep> found_steps(const Plan& plan, const std::vector<std::string>& completed);

}  // namespace baton::team
