#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace baton {

/// Everything an agent may be told of its step, and nothing else: no transcript, no other steps.
struct PromptParts {
  std::string step;                      ///< its id
  std::string skill;                     ///< its skill's name; may be empty
  std::string skill_body;                ///< the skill's own instructions; may be empty
  std::vector<std::string> constraints;  ///< further rules, one line each
  std::string folder;                    ///< where the agent works; may be empty
  std::string branch;                    ///< the git branch there; may be empty
  std::vector<std::string> inputs;       ///< paths
  std::string output;                    ///< path; empty if the step writes none
  OutputFormat output_format = OutputFormat::json;
  std::vector<Check> checks;
  std::string sub_task;  ///< a sub-task's name; empty for a whole step
  int attempt = 1;
  std::vector<CheckResult> feedback;  ///< the previous attempt's results: failed ones are told word for word
  std::string mission;
};

/// The parts that a step itself brings; the skill's body, the folder and the feedback are for the caller to add.
PromptParts prompt_parts(const Step& step);

/// The prompt of an agent's attempt: the skill, the rules, the context (with `Input: PATH`, `Output: PATH`,
/// `Validation: JSON` and `Sub-task: NAME` each on a line of its own), the feedback, and last the task.
std::string assemble(const PromptParts& parts);

}  // namespace baton
