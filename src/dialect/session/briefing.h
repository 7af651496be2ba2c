#pragma once

#include <string>
#include <vector>

#include "dialect/session/flow_control.h"
#include "dialect/session/plan_doc.h"
#include "dialect/session/task.h"

namespace baton::session {

/// A finished task that this one builds on.
struct DependencySummary {
  std::string id;
  std::string title;
  std::string path;  ///< of its summary, from the project's folder; empty if it left none
  std::string text;  ///< the summary, or its beginning
};

/// Everything that is put together for one task, in the order in which it counts: the task itself, artifacts, what its
/// preparation gave, what the tasks before it left, the session's paths, what it inherits.
struct ContextPackage {
  Task task;
  PlanDoc plan;
  std::string session;                ///< id
  std::string folder;                 ///< of the session, from the project's
  std::vector<FlowOutcome> prepared;  ///< of FlowControl
  Variables variables;                ///< what `[name]` stands for in the task's texts
  std::vector<DependencySummary> dependencies;
};

/// The mission of the agent that carries out the task. Artifacts come by their priority; results are cut where they
/// are long, with the path to the whole.
std::string briefing(const ContextPackage& package);

/// The same as the JSON that such agents know: {task, artifacts, flow_context, session, dependencies, inherited}. Kept
/// in the run's folder. `task_text`: the task's file as it is.
std::string context_json(const ContextPackage& package, const std::string& task_text);

/// `artifacts` with the most important first; equal ones as they came.
std::vector<Artifact> by_priority(std::vector<Artifact> artifacts);

}  // namespace baton::session
