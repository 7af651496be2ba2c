#include "dialect/workspace/owner.h"

#include "dialect/workspace/ids.h"

namespace baton::workspace {

std::string owner_path(std::string_view task) { return task_path(task) + ".owner"; }

std::string write_owner(const Owner& owner) { return owner.process + "\n" + write_mark(owner.mark); }

std::optional<Owner> read_owner(std::string_view text) {
  const std::size_t end = text.find('\n');
  if (end == 0 || end == std::string_view::npos) return std::nullopt;
  auto mark = read_mark(text.substr(end + 1));
  if (!mark) return std::nullopt;
  return Owner{std::string{text.substr(0, end)}, std::move(*mark)};
}

}  // namespace baton::workspace
