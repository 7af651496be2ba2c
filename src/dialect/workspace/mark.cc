#include "dialect/workspace/mark.h"

#include <fmt/core.h>

#include "base/text.h"

namespace baton::workspace {

Mark mark_for(const Task& before, const TaskChange& change) {
  return {change.status, change.updated_at, before.status, before.updated_at};
}

std::string write_mark(const Mark& mark) {
  return fmt::format("{} {}\n{} {}\n", name(mark.status), mark.updated_at, name(mark.status_before),
                     mark.updated_before);
}

std::optional<Mark> read_mark(std::string_view text) {
  const std::vector<std::string_view> lines = split(trim(text), '\n');
  if (lines.size() != 2) return std::nullopt;
  const std::size_t now = lines[0].find(' ');
  const std::size_t before = lines[1].find(' ');
  if (now == std::string_view::npos || before == std::string_view::npos) return std::nullopt;
  const auto status = task_status(lines[0].substr(0, now));
  const auto status_before = task_status(lines[1].substr(0, before));
  if (!status || !status_before) return std::nullopt;
  return Mark{*status, std::string{lines[0].substr(now + 1)}, *status_before, std::string{lines[1].substr(before + 1)}};
}

bool is_as_left(const Task& task, const Mark& mark) {
  const bool as_written = task.status == mark.status && task.updated_at == mark.updated_at;
  const bool as_before = task.status == mark.status_before && task.updated_at == mark.updated_before;
  return as_written || as_before;
}

bool may_take(const Task& task, const std::optional<Mark>& mark) {
  return is_executable(task.status) || (mark && is_as_left(task, *mark));
}

}  // namespace baton::workspace
