#pragma once

#include <string>
#include <string_view>

#include "base/fault.h"
#include "base/time.h"

namespace baton::session {

/// What a task's file is to say from now on.
struct StatusChange {
  std::string to;  ///< pending, in_progress, completed, failed, skipped, blocked
  Time at{};
  std::string note = {};           ///< why, where something went wrong: kept in the history
  bool even_if_completed = false;  ///< else a file that says `completed` is left alone: whoever did the work may know
};

/// True if the history of the task's file has this change.
bool is_recorded(std::string_view text, const StatusChange& change);

/// Sets `status` and adds `{from, to, changed_at, note?}` to `status_history`; everything else stays byte for byte. A
/// change that is in the history already is not made again, so whatever its author wrote after it stays. Fault:
/// corrupt-task-file, with its place; such a file is not written to.
Expected<std::string> set_status(std::string_view text, const std::string& file, const StatusChange& change);

}  // namespace baton::session
