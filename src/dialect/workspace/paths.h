#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/fault.h"
#include "dialect/workspace/squads.h"
#include "dialect/workspace/task.h"

namespace baton::workspace {

/// The skill that writes the one shared context, and the file it writes.
constexpr const char* foundation_skill = "product-marketing-context";
constexpr const char* context_path = "context/product-marketing-context.md";

/// A path from the workspace, without `.` and doubled `/`. Only its words are looked at: whoever opens it has to see to
/// links. Fault: path-leaves-folder (absolute, `..`, empty, control characters).
Expected<std::string> inner_path(std::string_view path);

/// Where a task's result goes.
struct OutputPlace {
  std::string path;
  std::optional<Fault> warning = {};  ///< it is not where results of this skill are looked for
};

/// Always the task's own `output_path`. Faults: path-leaves-folder, output-path-reserved (a task's file, a lock,
/// the workspace's settings and learnings, what begins with a dot).
Expected<OutputPlace> output_place(const Task& task, const Squads& squads, const std::string& file);

/// Where results of a task's skill are looked for: `outputs/<squad>/<skill>/<id>.md`, of the foundation skill the
/// context; empty if its squad is not known.
std::string usual_output(std::string_view skill, std::string_view task, const Squads& squads);

}  // namespace baton::workspace
