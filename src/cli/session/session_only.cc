#include "cli/session/session_only.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "dialect/session/order.h"

namespace baton::cli {
namespace {

bool is_among(const std::vector<std::string>& ids, const std::string& id) {
  return std::ranges::find(ids, id) != ids.end();
}

}  // namespace

session::TodoList only_these(session::TodoList list, const std::vector<std::string>& only, const SessionFiles& files,
                             Faults& faults) {
  const session::TaskIndex index{list};
  std::vector<bool> kept(list.tasks.size(), false);
  for (std::size_t i = 0; i < list.tasks.size(); ++i) {
    kept[i] = list.tasks[i].state == session::BoxState::completed || is_among(only, list.tasks[i].id);
  }
  std::vector<std::string> ids;
  for (const session::TodoTask& task : list.tasks) ids.push_back(task.id);
  for (const std::string& id : only) {
    const auto place = index.find(id);
    if (!place) {
      const std::string near = nearest(id, ids);
      faults.push_back(
          {"unknown-step", fmt::format("there is no task '{}'", id),
           near.empty() ? "tasks: " + shorten(join(ids, ", "), 400) : fmt::format("did you mean '{}'?", near)});
      continue;
    }
    if (list.tasks[*place].state == session::BoxState::completed) continue;  // named or not, it is not run again
    const session::TaskRead read = files.task(id);
    if (!read.task) continue;  // its turn will say why
    for (const std::size_t need : session::needs_of(*read.task, list.tasks[*place], index).known) {
      if (kept[need]) continue;
      const session::TaskRead other = files.task(list.tasks[need].id);
      if (other.task && other.task->is_completed()) {
        list.tasks[need].state = session::BoxState::completed;
        kept[need] = true;
        continue;
      }
      faults.push_back({"need-not-met", fmt::format("task '{}' needs '{}', which is not done", id, list.tasks[need].id),
                        fmt::format("add it: --only {}", list.tasks[need].id)});
    }
  }
  session::TodoList out;
  for (std::size_t i = 0; i < list.tasks.size(); ++i) {
    if (!kept[i]) continue;
    out.tasks.push_back(std::move(list.tasks[i]));
    out.tasks.back().parent.reset();
    if (out.tasks.back().container && !is_among(only, out.tasks.back().id)) {
      out.tasks.back().state = session::BoxState::completed;
    }
  }
  return out;
}

}  // namespace baton::cli
