#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "dialect/workspace/status.h"

namespace baton::workspace {

/// A file that a task builds on.
struct TaskInput {
  std::string path;  ///< from the workspace
  std::string description;

  bool operator==(const TaskInput&) const = default;
};

/// What follows when a task is done.
struct Next {
  enum class Kind : std::uint8_t { agent, director_review, pipeline_continue, complete };
  Kind kind = Kind::complete;
  std::string target = {};  ///< agent: the skill; pipeline_continue: the pipeline's run

  bool operator==(const Next&) const = default;
};
std::string_view name(Next::Kind kind);

/// One task, as `tasks/<id>.md` says it. Goal, inputs and requirements stand in the file's body, all else in its head.
struct Task {
  std::string id;
  TaskStatus status = TaskStatus::pending;
  Priority priority = Priority::p2;
  std::string from;  ///< a skill, director, scheduler or event-bus
  std::string to;    ///< the skill that does it
  std::string created_at;
  std::string updated_at;
  std::string deadline = {};
  std::string goal_id = {};
  std::string pipeline_id = {};
  int revision_count = 0;
  std::string output_path;  ///< from the workspace
  std::string output_format;
  Next next = {};
  std::vector<std::string> tags = {};
  std::string metadata = {};                                     ///< a JSON object on one line; empty: none
  std::vector<std::pair<std::string, std::string>> others = {};  ///< keys that nobody knows, in order
  std::string goal;
  std::vector<TaskInput> inputs = {};
  std::string requirements;

  bool operator==(const Task&) const = default;
};

/// What came out of reading. Without a task the faults say why; with one they are what is odd about it.
struct TaskRead {
  std::optional<Task> task;
  Faults faults;
};

/// Reads a task's file, with every fault and its place. `file`: for people; its stem has to be the id, unless
/// it is empty. Faults: no-front-matter, bad-character, missing-task-field, bad-task-value.
TaskRead read_task(std::string_view text, const std::string& file);

/// True if the text has the head of a task: so that another Markdown file is not taken for one.
bool looks_like_task(std::string_view text);

/// The file of a new task. read_task() of it is the same task: also goals of several lines, headings inside the
/// requirements, commas in tags.
std::string write_task(const Task& task);

/// What a run changes in a task's file.
struct TaskChange {
  TaskStatus status;
  std::string updated_at;
  std::optional<int> revision_count = {};
};

/// The same text with the change; all else stays byte for byte. REQUIRES: read_task() gave a task.
std::string edit_task(std::string_view text, const TaskChange& change);

}  // namespace baton::workspace
