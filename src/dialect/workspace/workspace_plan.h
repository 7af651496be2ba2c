#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "dialect/workspace/pipeline.h"
#include "dialect/workspace/squads.h"
#include "dialect/workspace/task.h"
#include "plan/plan.h"

namespace baton::workspace {

/// What holds for every step of a run in a workspace.
struct PlanTerms {
  std::string folder;  ///< the workspace, from the project's root
  Policy policy = {};
};

/// One task by itself. REQUIRES: it is executable.
Plan plan_of_task(const Task& task, const PlanTerms& terms);

/// All these tasks, the most urgent first: P0 before P3, then those that were made earlier. One whose input another one
/// writes comes after it, and so does one that another says comes `next`; tasks that wait for each other in a circle
/// are told, and are then ordered by their inputs alone as far as that goes. Of those that would write over each
/// other's result only the first is in the plan (a warning, shared-output). REQUIRES: they are executable.
Plan plan_of_workspace(std::vector<Task> tasks, const PlanTerms& terms, Faults& faults);

/// Who goes first among tasks that may start.
bool goes_before(const Task& one, const Task& other);

/// What a run of a pipeline is made from.
struct PipelineOrder {
  std::string goal;  ///< what it is all for
  std::optional<Priority> priority = {};
  std::vector<TaskInput> inputs = {};  ///< of its first step
  Time now{};
  std::function<std::uint64_t()> chance;
};

/// The tasks and the plan of a pipeline's run. The tasks are to be written down before the run begins.
struct PipelineDraft {
  std::vector<Task> tasks;
  Plan plan;
  std::string run_id;  ///< `run-<pipeline>-<ms>`
};

/// Each step's tasks need all of the step before and get what it wrote as inputs. Whoever reviews looks at what was
/// written last. A failure ends them all.
PipelineDraft draft_pipeline(const Pipeline& pipeline, const PipelineOrder& order, const Squads& squads,
                             const PlanTerms& terms);

/// The task that a step of a run works on: revisions are steps `ID:r1`, `ID:r2`.
std::string task_of_step(std::string_view step);
/// Which revision a step is; 0: it is none.
int revision_of_step(std::string_view step);

/// A step that a person answers, not an agent.
bool is_gate(const Step& step);

}  // namespace baton::workspace
