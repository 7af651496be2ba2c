#pragma once

#include <memory>
#include <string>

#include "plan/plan.h"
#include "support/draws.h"
#include "support/fake_world.h"

namespace baton::test {

/// What may go wrong in one simulation, and how its steps are; each kind is off in half of the seeds.
struct Mix {
  bool dies_between = false, dies_within = false, append_fails = false, lost_replies = false, holder_dies = false;
  bool machine_dies = false, late_notices = false, twice_told = false, forgetful = false, stuck = false,
       failures = false;
  bool bad_outputs = false, pauses = false, cancels = false, retries = false, extensions = false, budgets = false;
  bool conditions = false, gates = false, composites = false, joins = false, command_checks = false, limits = false;
  bool stalls = false, found = false, edits = false;
  bool walls = false;    ///< providers that turn nearly everything away, and lie about when they will not
  bool tampers = false;  ///< outputs are changed and removed behind the run's back
  bool sandbox = false;  ///< outputs lie in a sandbox
  bool silent = false;   ///< attempts that say they went well, and wrote nothing
  bool hurried = false;  ///< attempts that end at once, and mostly badly
  bool chains = false, trees = false, conflicts = false, tree_faults = false, reviews = false;
  int inner_percent = 0;
};
Mix draw_mix(Draws& draws);

/// 2 to 40 steps with all kinds of needs, policies and outputs.
Plan draw_plan(Draws& draws, const Mix& mix);
/// The same plan with all its outputs beneath a folder.
void move_outputs(Plan& plan, const std::string& folder);
Step move_outputs(Step step, const std::string& folder);
Policy draw_policy(Draws& draws, const Mix& mix);
Step draw_step(Draws& draws, const Mix& mix, const std::string& id, std::vector<StepIndex> needs);

/// An output as attempts write it, and as a person may edit it: `a` is a small number, `list` a short list.
std::string draw_output(Draws& draws);

/// How the attempt, or the command of a check, will go: from the seed and its key alone.
Outcome draw_outcome(std::uint64_t seed, const AttemptKey& key, const Mix& mix);

}  // namespace baton::test
