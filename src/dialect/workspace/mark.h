#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "dialect/workspace/task.h"

namespace baton::workspace {

/// What a run last wrote of a task, so that it knows later whether the file still says what it said. The mark is
/// written before the file: whoever dies between the two finds what the file said before.
struct Mark {
  TaskStatus status = TaskStatus::in_progress;
  std::string updated_at;
  TaskStatus status_before = TaskStatus::pending;
  std::string updated_before;

  bool operator==(const Mark&) const = default;
};
/// The mark that goes before a change of this task.
Mark mark_for(const Task& before, const TaskChange& change);
std::string write_mark(const Mark& mark);
std::optional<Mark> read_mark(std::string_view text);

/// True if the task's file says what the run wrote last, and nobody else has had a hand in it since.
bool is_as_left(const Task& task, const Mark& mark);

/// May a run take the task in hand: it is executable, or it is the run's own from before.
bool may_take(const Task& task, const std::optional<Mark>& mark);

}  // namespace baton::workspace
