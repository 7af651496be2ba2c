#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fault.h"
#include "core/run.h"
#include "dialect/session/session_file.h"
#include "dialect/session/task_edit.h"
#include "dialect/session/todo_edit.h"

namespace baton::session {

/// What a run's record has to say in the files of its session. All of it is said once: whoever asks again, after a
/// crash or because a file was edited meanwhile, gets the same changes, and those that are made already change nothing.

/// Of a task's file, oldest first: `in_progress` when its first attempt began, a note for each attempt that failed, and
/// how it ended: `completed`, `failed`, or `blocked` if its time was up or something it needs does not exist. Nothing
/// for a task that was skipped, or whose file said `completed` before: those stay as they are.
std::vector<StatusChange> status_changes(const Run& run, StepIndex step);

/// Of the list: the box of a task that is completed. Nothing else is ever said there.
std::optional<TodoChange> box_change(const Run& run, StepIndex step, bool has_summary);

/// Of the session's file: `active` from its first start, `completed` or `partial` at the end.
SessionChange session_change(const Run& run);

/// The task's file with all of these made. Fault: corrupt-task-file.
Expected<std::string> with_changes(std::string_view text, const std::string& file,
                                   const std::vector<StatusChange>& changes);

}  // namespace baton::session
