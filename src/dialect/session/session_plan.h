#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/event.h"
#include "dialect/session/task.h"
#include "dialect/session/todo.h"
#include "plan/plan.h"

namespace baton::session {

/// What holds for the steps of a session where a task does not say.
struct SessionTerms {
  std::string id;      ///< the session's
  std::string folder;  ///< from the project's
  Policy policy = {.retries = 1, .timeout_blocks = true};
};

/// One step for each task of the list, in its order and with its place, so that a step's index is the task's. No task
/// file is read for it: a step needs nothing but, of a container, its children; what else it needs is found when its
/// turn comes (docs/decisions, 15).
Plan make_plan(const TodoList& list, const SessionTerms& terms);

/// The steps that the list says are done.
std::vector<event::FoundStep> found_steps(const TodoList& list);

/// What a step does, once its task's file was read. Small: the texts of the task stay in its file.
std::shared_ptr<const Work> work_of(const Task& task, const std::string& agent, const SessionTerms& terms);

/// Paths beneath a session's folder.
std::string task_path(const std::string& folder, const std::string& id);
std::string summary_path(const std::string& folder, const std::string& id);

}  // namespace baton::session
