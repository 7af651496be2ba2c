#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace baton {

/// A step whose result another one builds on: told by where it is, never by its text.
struct NeededOutput {
  std::string step;
  std::string path;
};

/// A result that is handed on with its text.
struct HandedOn {
  std::string name;  ///< of the sub-task it is of; empty: of the whole step before
  std::string text;  ///< whole, or its head and tail
  std::string path;  ///< where the whole is, if `text` is not
};

/// Everything an agent may be told of its step, and nothing else: no transcript, no other steps' texts.
struct PromptParts {
  std::string step;                      ///< its id
  std::string skill;                     ///< its skill's name; may be empty
  std::string skill_body;                ///< the skill's own instructions; may be empty
  std::string skill_folder;              ///< where the skill's relative paths begin; may be empty
  std::vector<std::string> skill_files;  ///< its references and other files: paths
  std::vector<std::string> constraints;  ///< further rules, one line each
  std::string folder;                    ///< where the agent works; may be empty
  std::string branch;                    ///< the git branch there; may be empty
  std::vector<NeededOutput> needed;
  std::vector<HandedOn> handed_on;
  std::vector<std::string> notes;   ///< further lines of context
  bool answers = false;             ///< its last message is its result
  std::vector<std::string> inputs;  ///< paths
  std::string output;               ///< path; empty if the step writes none
  std::string previous_output;      ///< where the step's last output before this attempt is kept; empty: nowhere
  std::string previous_text;        ///< what it says, for an agent that reads no files
  OutputFormat output_format = OutputFormat::json;
  std::vector<Check> checks;
  std::string sub_task;  ///< a sub-task's name; empty for a whole step
  int attempt = 1;
  std::vector<CheckResult> feedback;  ///< the results of the last output: failed ones are told word for word
  std::string task;                   ///< what the user wants of the run as a whole; may be empty
  std::string mission;
};

/// The parts that a step itself brings; the skill's text, the folder, what it needs and the feedback are for the caller
/// to add.
PromptParts prompt_parts(const Step& step);

/// The prompt of an agent's attempt: the skill, the rules, the context (with `Input: PATH`, `Output: PATH`,
/// `Validation: JSON` and `Sub-task: NAME` each on a line of its own), the feedback, and last the mission. No line of a
/// skill or a mission begins with one of those four words: it is indented by a blank, so that they are found for sure.
std::string assemble(const PromptParts& parts);

}  // namespace baton
