#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/fault.h"
#include "dialect/session/todo_line.h"

namespace baton::session {

/// What the list is to say of one task.
struct TodoChange {
  std::string id;
  BoxState state = BoxState::completed;
  bool link_summary = false;  ///< there is a summary, so there has to be a link to it
};

struct TodoEdit {
  std::string text;
  Faults warnings;  ///< task-not-listed: the line is gone, and nobody but its author should write another
};

/// Sets boxes and adds links in the list as it is now: whoever edited it meanwhile keeps every byte that is not a box
/// or link of these tasks. What says so already is left alone, so a list that is as it should be comes back the same.
TodoEdit edit_todo(std::string_view text, const std::string& file, const std::vector<TodoChange>& changes);

}  // namespace baton::session
