#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/branch.h"
#include "core/run.h"
#include "dialect/chain/workflows.h"

namespace baton::chain {

/// What a step's answer, or a person's word, makes of the rest of a plan: the material of event::PlanExtended. New
/// steps are numbered on from `run.step_count()`, and their needs count from the run's first step.
struct Extension {
  std::vector<Step> steps = {};
  bool replaces_rest = false;
  std::vector<std::pair<StepIndex, StepIndex>> joins = {};  ///< (waiting step, the new step it now needs too)
  std::string workflow = {};                                ///< the workflow that was chosen, if one was
  std::string task = {};                                    ///< what a person asks for anew
  std::vector<std::string> warnings = {};
};

/// Whether a step's answer can be taken at all. Of `route`: it names a workflow whose skills are there, or something is
/// left of the one that is running. Of `decompose`: it can be read. Of all others: no results, so it passes.
std::vector<CheckResult> check_answer(const Run& run, StepIndex step, const std::string& answer,
                                      const Library& library);

/// What the answer of `by` makes of the plan; an answer of a step that extends nothing changes nothing.
/// REQUIRES: check_answer() passed; what has not started yet is what is left.
Extension extend_after(const Run& run, StepIndex by, const std::string& answer, const Library& library);

/// A person wants the change to be different: it is built on, and reviewed again if it was.
Extension revise(const Run& run, const std::string& message, const Library& library);

/// A person wants something in addition, once a chain has come to its end.
Extension follow_up(const Run& run, const std::string& task, const Library& library);

/// The working tree of `waiting` cannot be made ready: taking in `with` stopped at conflicts in `files`. An agent
/// resolves them there, then `waiting` goes on.
Extension resolve(const Run& run, StepIndex waiting, const std::vector<std::string>& files, const std::string& with,
                  const Library& library);

/// The step was made by resolve(), for a merge with this branch.
bool resolves_merge_with(const Run& run, StepIndex step, const std::string& with);

}  // namespace baton::chain
