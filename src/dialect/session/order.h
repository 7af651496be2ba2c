#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "dialect/session/plan_doc.h"
#include "dialect/session/task.h"
#include "dialect/session/todo.h"

namespace baton::session {

/// Places of tasks in the list, by id.
class TaskIndex {
 public:
  explicit TaskIndex(const TodoList& list);
  [[nodiscard]] std::optional<std::size_t> find(std::string_view id) const;

 private:
  std::unordered_map<std::string, std::size_t> places_;
};

/// What a task waits for, as places in the list.
struct Needs {
  std::vector<std::size_t> known;
  std::vector<std::string> unknown;  ///< ids that are nobody's: the task is blocked
  bool differs = false;              ///< the list says something else than the task's file, whose word counts
};

/// The file's word counts; where it says nothing, the list's. A task never waits for itself.
Needs needs_of(const Task& task, const TodoTask& listed, const TaskIndex& index);

/// The phase of each task, from 1; 0: of none, so it is not held back. plan.json's phases, else the list's headings.
std::vector<int> phases_of(const TodoList& list, const PlanDoc& plan);

/// All that is known of the order once every task's needs are: for `plan` and `check`.
struct Waves {
  std::vector<std::vector<std::size_t>> waves;  ///< a task is one after the last of those it needs
  std::vector<std::vector<std::size_t>> cycles;
  std::vector<std::size_t> blocked;  ///< needs something unknown, or something that is blocked or in a cycle
};

/// Tasks that are completed are in no wave, and nobody waits for them.
/// `needs[i]`: what task i needs. `phases`: of phases_of(), used if the model is `phased`.
Waves waves_of(const std::vector<Needs>& needs, const std::vector<bool>& completed, ExecutionModel model,
               const std::vector<int>& phases);

/// Tasks that work in the same context, by their planner's own sign of it, should have been one task: tasks-alike, a
/// warning for each such context. `signs`: a task's id and its `meta.context_signature`, which may be empty.
Faults alike(const std::vector<std::pair<std::string, std::string>>& signs, const std::string& file);

}  // namespace baton::session
