#pragma once

#include <string>
#include <string_view>

#include "dialect/workspace/task.h"

namespace baton::workspace {

/// What a task's body says: goal, inputs, requirements.
struct TaskBody {
  std::string goal;
  std::vector<TaskInput> inputs;
  std::string requirements;
};

/// Reads a body written by write_body() or by hand. Headings inside the requirements are theirs: they end at the last
/// section `## Output`. A body without our sections is all requirements.
TaskBody read_body(std::string_view body);

std::string write_body(const Task& task);

}  // namespace baton::workspace
