#include "dialect/session/todo_edit.h"

#include <fmt/core.h>

#include <unordered_map>

#include "dialect/session/todo.h"
#include "text/json_patch.h"
#include "text/splice.h"

namespace baton::session {
namespace {

std::string_view sign_of(BoxState state) {
  switch (state) {
    case BoxState::completed:
      return "✅";
    case BoxState::in_progress:
      return "🔄";
    case BoxState::blocked:
      return "❌";
    case BoxState::pending:
      break;
  }
  return "⏳";
}

char mark_of(BoxState state) {
  switch (state) {
    case BoxState::completed:
      return 'x';
    case BoxState::in_progress:
      return '~';
    case BoxState::blocked:
      return '-';
    case BoxState::pending:
      break;
  }
  return ' ';
}

std::string word_of(BoxState state) {
  switch (state) {
    case BoxState::completed:
      return "Completed";
    case BoxState::in_progress:
      return "In Progress";
    case BoxState::blocked:
      return "Blocked";
    case BoxState::pending:
      break;
  }
  return "Pending";
}

/// A box's mark is one letter; a sign in its place, or inside of it, gives way to another sign.
void set_mark(std::string_view text, const TodoTask& task, BoxState state, std::vector<Splice>& splices) {
  if (!task.has_mark) return;
  const std::string_view before = task.mark.of(text);
  const bool in_box = task.mark.begin > 0 && text[task.mark.begin - 1] == '[';
  const std::string with = in_box ? std::string(1, mark_of(state)) : std::string{sign_of(state)};
  if (before != with) splices.push_back({task.mark, with});
}

/// Lists of headings say it in a line of their own.
void set_status(std::string_view text, const TodoTask& task, BoxState state, std::vector<Splice>& splices) {
  if (!task.status || task.form != LineForm::heading) return;
  if (state_of_word(task.status->of(text)) == state) return;
  splices.push_back({*task.status, word_of(state)});
}

/// After the link to the task's file, wherever that is; else at the end of its line, before blanks that break it.
void add_link(std::string_view text, const TodoTask& task, std::vector<Splice>& splices) {
  if (task.summary_link) return;
  const std::string link = fmt::format("[✅](./.summaries/{}-summary.md)", task.id);
  if (task.task_link) {
    splices.push_back({{task.task_link->end, task.task_link->end}, " | " + link});
    return;
  }
  const std::string_view line = task.whole.of(text);
  const std::size_t end = task.whole.begin + line.find_last_not_of(" \t") + 1;
  splices.push_back({{end, end}, " → " + link});
}

}  // namespace

TodoEdit edit_todo(std::string_view text, const std::string& file, const std::vector<TodoChange>& changes) {
  const TodoList list = read_todo(text, file);
  std::unordered_map<std::string_view, const TodoTask*> by_id;
  for (const TodoTask& task : list.tasks) by_id.emplace(task.id, &task);
  TodoEdit edit;
  std::vector<Splice> splices;
  for (const TodoChange& change : changes) {
    const auto found = by_id.find(change.id);
    if (found == by_id.end()) {
      edit.warnings.push_back({"task-not-listed",
                               fmt::format("'{}' is not in {} any more", change.id, file),
                               "add its line again if it is to be seen there",
                               {file, 0, 0},
                               Severity::warning});
      continue;
    }
    const TodoTask& task = *found->second;
    if (task.container) continue;
    if (task.state != change.state) {
      set_mark(text, task, change.state, splices);
      set_status(text, task, change.state, splices);
    }
    if (change.link_summary) add_link(text, task, splices);
  }
  edit.text = spliced(text, std::move(splices));
  return edit;
}

}  // namespace baton::session
