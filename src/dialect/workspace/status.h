#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/fault.h"

namespace baton::workspace {

enum class TaskStatus : std::uint8_t {
  pending,
  assigned,
  in_progress,
  completed,
  in_review,
  approved,
  revision,
  failed,
  blocked,
  deferred,
  cancelled,
};
constexpr std::size_t task_statuses = 11;

std::string_view name(TaskStatus status);
std::optional<TaskStatus> task_status(std::string_view name);

/// The table of legal moves. Nothing may become what it already is: that is what keeps two executors from having one
/// task.
bool may_become(TaskStatus from, TaskStatus to);

/// Only these are carried out: pending, assigned, revision.
bool is_executable(TaskStatus status);

/// Nothing follows: approved, failed, cancelled. (A run may reopen what it ended itself.)
bool is_final(TaskStatus status);

enum class Priority : std::uint8_t { p0, p1, p2, p3 };
std::string_view name(Priority priority);
std::optional<Priority> priority(std::string_view name);

}  // namespace baton::workspace
