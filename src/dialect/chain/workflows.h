#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/fault.h"
#include "plan/plan.h"

namespace baton::chain {

/// Chains of skills by name: what the configuration says, over those built in.
using Workflows = std::map<std::string, std::vector<std::string>>;

/// auto, build, plan-build, sdlc and quick-fix.
const Workflows& built_in_workflows();

/// What the configuration says that a chain is run under.
struct Terms {
  std::function<Policy(const std::string& skill)> policy_of = {};  ///< without it: Policy{}
  bool has_trees = false;  ///< steps work in git worktrees of the run's own; else in place
};

/// All that a chain may become while it runs.
struct Library {
  Workflows workflows;
  Terms terms;
  std::function<bool(const std::string& skill)> has_skill = {};  ///< without it every skill is there
};

struct MadePlan {
  Plan plan;
  std::vector<std::string> warnings;
};

/// A step for each skill, named after it (`build`, `build-2` when it comes again), each needing the one before. A
/// second `route` is left out with a warning. Outputs are left for whoever runs it to name.
MadePlan make_plan(const std::string& workflow, const std::vector<std::string>& skills, const Workflows& workflows,
                   const Terms& terms);

/// What is wrong with the workflow `name`, all at once. Faults: unknown-workflow, empty-workflow, unknown-skill.
/// `skill_names`: all there are, for those who mistyped one.
Faults validate(const std::string& name, const Workflows& workflows,
                const std::function<bool(const std::string& skill)>& has_skill,
                const std::vector<std::string>& skill_names = {});

/// The names of workflows that `route` can choose: those with another skill than `route` in them.
std::vector<std::string> choices(const Workflows& workflows);

}  // namespace baton::chain
