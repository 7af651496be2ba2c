#pragma once

#include <string>
#include <vector>

#include "cli/session/session_files.h"
#include "dialect/session/order.h"
#include "dialect/session/reconcile.h"
#include "plan/plan.h"
#include "view/plan_view.h"

namespace baton::cli {

/// Everything that a session's files say, all of them read: for `check`, `plan` and `session sync`. One task file at a
/// time is in memory as a whole.
struct SessionLook {
  session::TodoList list;
  session::PlanDoc plan;
  std::vector<session::Needs> needs;         ///< of each task
  std::vector<bool> completed;               ///< as the policy has it
  std::vector<std::string> agents;           ///< who would do it; empty where its file cannot be read
  std::vector<session::TaskRecord> records;  ///< tasks of the list, then task files that it does not name
  std::vector<session::Disagreement> disagree;
  session::Waves waves;
  Faults faults;  ///< all of them: errors are what keeps the session, or one of its tasks, from running
};

SessionLook look_at(const SessionFiles& files, const session::FoundSession& found, session::DonePolicy policy);

/// All tasks as a plan, as listed, with what each needs. It may have cycles: its order is that of standing_of().
Plan plan_of(const SessionLook& look, const session::FoundSession& found);

/// How far the tasks are, and what is left to do.
PlanStanding standing_of(const SessionLook& look);

}  // namespace baton::cli
