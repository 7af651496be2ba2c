#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fault.h"
#include "dialect/session/todo_line.h"
#include "text/splice.h"

namespace baton::session {

/// A task as TODO_LIST.md lists it. All bytes count from the beginning of the file.
struct TodoTask {
  std::string id;
  std::string title;
  BoxState state = BoxState::pending;  ///< of a container: what its children make of it
  bool container = false;
  std::optional<std::size_t> parent;                   ///< the task it is listed beneath
  std::optional<std::vector<std::string>> depends_on;  ///< as the list says it; nullopt: it does not. Task files win
  std::string agent;                                   ///< as the list says it; may be empty
  std::string section;                                 ///< the heading it stands under
  std::optional<int> phase;                            ///< the number of the phase it stands under
  int line = 0;

  LineForm form = LineForm::bare;
  Bytes whole;  ///< its line, without the line break
  bool has_mark = false;
  Bytes mark;                      ///< what is between the brackets of its box, or the sign in their place
  std::optional<Bytes> status;     ///< the value of a `Status:` beneath it
  std::optional<Bytes> task_link;  ///< a link to its file, on its line or beneath it
  std::optional<Bytes> summary_link;
};

struct TodoList {
  std::vector<TodoTask> tasks;  ///< in the order of the list
  std::size_t other_boxes = 0;  ///< check-boxes that are no tasks: gates, deliverables, notes
  Faults faults;                ///< an error only where there are no tasks at all
};

/// Reads a list in whichever of its forms. Fenced blocks, comments and legends are passed over. Of several lines with
/// the same id the one that says most clearly that it is a task counts; forms that could as well be something else
/// (`- [ ] T1 text`, headings) count only in a list that has no clearer one.
TodoList read_todo(std::string_view text, const std::string& file);

/// How many of them are to be done (containers are not), and how many are.
struct Progress {
  std::size_t done = 0;
  std::size_t total = 0;
  [[nodiscard]] std::size_t percent() const { return total == 0 ? 0 : 100 * done / total; }
};
Progress progress_of(const TodoList& list);

}  // namespace baton::session
