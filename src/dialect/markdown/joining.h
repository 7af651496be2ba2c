#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dialect/markdown/composed.h"
#include "dialect/markdown/scope.h"
#include "plan/plan.h"

namespace baton::markdown {

/// What decides about a step as a whole, and, where it is made for items or rounds, about each of those.
struct FlowParts {
  std::string when = {};
  std::string item_when = {};
  bool is_composite = false;
  std::string for_each = {};
  std::string until = {};
  std::int32_t loop_max = 0;
  Composed question = {};  ///< of a gate; empty: there is none
  Composed item_question = {};
  std::string sandbox = {};
};

/// What one step of a file became: the step itself, which is the last, and those it is made of.
struct JoinedStep {
  std::string id = {};             ///< of a step that brings others together
  Work work = {};                  ///< of that step: nothing to do, but maybe an output
  bool is_deferred = false;        ///< that output is known only later
  std::vector<Step> steps = {};    ///< needs count from the first of them; without any: those of the file's step
  std::vector<StepIndex> needs{};  ///< of the file's step: other steps of the file
  std::vector<std::string> composites = {};
  std::vector<std::string> fixed = {};
};

/// Makes a step of a whole workflow: inlined, or as the body of a composite. Without `made` (it could not be read) it
/// is just a step.
void join_workflow(const FlowParts& parts, std::optional<MadeSteps> made, JoinedStep& joined);

/// Makes one step of a body that is run for each item or round.
void join_composite(const FlowParts& parts, std::vector<Step> body, JoinedStep& joined);

/// Appends all steps to `steps`, with needs that count from the first; answers where each step of the file is now.
std::vector<std::size_t> put_in_order(std::vector<JoinedStep> joined, std::vector<Step>& steps);

}  // namespace baton::markdown
