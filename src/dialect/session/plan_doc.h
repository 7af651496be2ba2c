#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/fault.h"

namespace baton::session {

/// How a plan wants its tasks to be run.
enum class ExecutionModel : std::uint8_t {
  unstated,    ///< by dependencies, those without a group one at a time
  sequential,  ///< one at a time, in the order of the list
  parallel,    ///< by dependencies alone
  phased,      ///< a phase begins when the one before is over
  tdd,         ///< red, green, refactor inside of each task: by dependencies, as unstated
};

std::string_view name(ExecutionModel model);

/// The model that a text names first; a plan may go on to say more about it.
ExecutionModel model_of(std::string_view text);

/// What IMPL_PLAN.md and plan.json say that matters for running.
struct PlanDoc {
  ExecutionModel model = ExecutionModel::unstated;
  std::string model_text;  ///< as it is written; may be empty
  std::vector<std::string> task_ids;
  std::vector<std::vector<std::string>> phases;  ///< task ids; empty if it names none
  std::vector<std::string> tech_stack;
  std::vector<std::string> conventions;
  std::string summary;
  Faults warnings;
};

/// `Execution Model: …`, bold or not, anywhere but in a fenced block.
PlanDoc read_impl_plan(std::string_view text);

/// A plan.json that cannot be read is a warning: there is IMPL_PLAN.md too.
PlanDoc read_plan_json(std::string_view text, const std::string& file);

/// Both together; plan.json is the one that counts where both say something.
PlanDoc joined(PlanDoc plan_json, PlanDoc impl_plan);

}  // namespace baton::session
