#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fault.h"
#include "base/time.h"
#include "dialect/session/todo_edit.h"
#include "dialect/session/todo_line.h"

namespace baton::session {

/// What a session's files say of one task.
struct TaskRecord {
  enum class File : std::uint8_t { read, missing, corrupt };

  std::string id;
  std::optional<BoxState> box;  ///< nullopt: it is not in the list
  File file = File::read;
  std::string status;  ///< of its file; empty unless it was read
  bool has_summary = false;
};

/// When a task counts as completed.
enum class DonePolicy : std::uint8_t {
  either,  ///< the list says so, or its file does
  strict,  ///< its file says so, and there is a summary
};

bool counts_as_done(const TaskRecord& record, DonePolicy policy);

/// One thing that the files do not agree on.
struct Disagreement {
  std::string id;
  std::string message;
  bool done = false;        ///< what it counts as
  bool set_box = false;     ///< the list has to change to say so
  bool set_status = false;  ///< its file has to
  bool link_summary = false;
};

/// In the order of the records. A task that only one side knows, or whose file is broken, is one too: nothing is
/// written for it, but for the box of a task that is done.
std::vector<Disagreement> disagreements(const std::vector<TaskRecord>& records, DonePolicy policy);

/// As warnings, for people: session-disagrees.
Faults to_faults(const std::vector<Disagreement>& found, const std::string& file);

/// What `session sync` does to the list.
std::vector<TodoChange> box_changes(const std::vector<Disagreement>& found);

}  // namespace baton::session
