#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dialect/markdown/composed.h"
#include "dialect/markdown/library.h"
#include "plan/plan.h"

namespace baton::markdown {

/// What an input stands for.
struct InputValue {
  Composed text;                          ///< in a text
  std::optional<std::string> expression;  ///< in a condition, and where a field of it is asked for
};

/// What the names in one workflow's expressions stand for: in a run of its own, or as a step of another one.
struct Scope {
  std::string prefix = {};  ///< of its steps' ids: "", or "ID:" of the step it is
  Composed sandbox = {};
  std::map<std::string, InputValue> inputs = {};  ///< those that were given
  bool in_copies = false;                         ///< its steps are made anew for each item or round
  std::vector<const WorkflowFile*> within = {};   ///< the workflows it is a part of, the outermost first, and itself
};

/// A workflow as steps.
struct MadeSteps {
  std::vector<Step> steps;              ///< needs count from the first of them
  std::size_t final = 0;                ///< whose output is the workflow's
  Composed output;                      ///< of that step; empty if it has none
  std::vector<std::string> composites;  ///< ids of those that are made for items or rounds
  std::vector<std::string> fixed;       ///< ids of those whose output does not depend on the sandbox
};

/// Puts the steps of a workflow together: needs, cycles, references, paths, sub-workflows. What is wrong goes to the
/// faults of the file it stands in.
MadeSteps make_steps(WorkflowFile& file, const Scope& scope, const MarkdownDefaults& defaults, Library& library);

}  // namespace baton::markdown
