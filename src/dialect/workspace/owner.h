#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "dialect/workspace/mark.h"

namespace baton::workspace {

/// Who has a task without a run: a process that uses the library. Its name lies beside the task's file for as long as
/// the task is in progress, so that whoever comes after a crash can tell an abandoned task from one at work.
struct Owner {
  std::string process;  ///< ProcessIdentity::text()
  Mark mark;            ///< what the process wrote of the task, and what was there before

  bool operator==(const Owner&) const = default;
};

/// `tasks/<id>.md.owner`
std::string owner_path(std::string_view task);
std::string write_owner(const Owner& owner);
std::optional<Owner> read_owner(std::string_view text);

}  // namespace baton::workspace
