#include "dialect/workspace/status.h"

#include <fmt/core.h>

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "base/text.h"

namespace baton::workspace {
namespace {

constexpr std::array<std::string_view, task_statuses> status_names{"pending",   "assigned", "in_progress", "completed",
                                                                   "in_review", "approved", "revision",    "failed",
                                                                   "blocked",   "deferred", "cancelled"};
constexpr std::array<std::string_view, 4> priority_names{"P0", "P1", "P2", "P3"};

std::vector<TaskStatus> moves_from(TaskStatus from) {
  using enum TaskStatus;
  switch (from) {
    case pending:
      return {in_progress, assigned, blocked, deferred, cancelled, failed};
    case assigned:
      return {in_progress, cancelled, failed};
    case in_progress:
      return {completed, failed, cancelled};
    case completed:
      return {approved, revision, failed, blocked, in_review};
    case in_review:
      return {approved, revision, failed, blocked};
    case revision:
      return {in_progress, cancelled, failed};
    case blocked:
    case deferred:
      return {pending, failed};
    case approved:
    case failed:
    case cancelled:
      break;
  }
  return {};
}

}  // namespace

std::string_view name(TaskStatus status) { return status_names.at(static_cast<std::size_t>(status)); }

std::optional<TaskStatus> task_status(std::string_view name) {
  const auto* const found = std::ranges::find(status_names, name);
  if (found == status_names.end()) return std::nullopt;
  return static_cast<TaskStatus>(found - status_names.begin());
}

bool may_become(TaskStatus from, TaskStatus to) {
  const std::vector<TaskStatus> moves = moves_from(from);
  return std::ranges::find(moves, to) != moves.end();
}

bool is_executable(TaskStatus status) {
  return status == TaskStatus::pending || status == TaskStatus::assigned || status == TaskStatus::revision;
}

bool is_final(TaskStatus status) { return moves_from(status).empty(); }

std::string_view name(Priority priority) { return priority_names.at(static_cast<std::size_t>(priority)); }

std::optional<Priority> priority(std::string_view name) {
  const auto* const found = std::ranges::find(priority_names, name);
  if (found == priority_names.end()) return std::nullopt;
  return static_cast<Priority>(found - priority_names.begin());
}

}  // namespace baton::workspace
