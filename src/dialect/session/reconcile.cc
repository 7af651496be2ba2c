#include "dialect/session/reconcile.h"

#include <fmt/core.h>

#include "base/text.h"

namespace baton::session {
namespace {

bool box_is_done(const TaskRecord& r) { return r.box == BoxState::completed; }
bool file_is_done(const TaskRecord& r) { return r.file == TaskRecord::File::read && r.status == "completed"; }

std::string said(const TaskRecord& r) {
  const std::string box = r.box ? fmt::format("the list says {}", name(*r.box)) : "the list does not have it";
  std::string file;
  switch (r.file) {
    case TaskRecord::File::read:
      file = fmt::format("its file says {}", r.status.empty() ? "nothing" : printable(r.status));
      break;
    case TaskRecord::File::missing:
      file = "it has no file";
      break;
    case TaskRecord::File::corrupt:
      file = "its file cannot be read";
      break;
  }
  return fmt::format("{}: {}, {}, {}", r.id, box, file, r.has_summary ? "there is a summary" : "there is no summary");
}

}  // namespace

bool counts_as_done(const TaskRecord& r, DonePolicy policy) {
  if (policy == DonePolicy::strict) return file_is_done(r) && r.has_summary;
  return box_is_done(r) || file_is_done(r);
}

std::vector<Disagreement> disagreements(const std::vector<TaskRecord>& records, DonePolicy policy) {
  std::vector<Disagreement> found;
  for (const TaskRecord& r : records) {
    const bool done = counts_as_done(r, policy);
    const bool is_read = r.file == TaskRecord::File::read;
    const bool agrees = is_read && r.box && box_is_done(r) == file_is_done(r) && done == file_is_done(r);
    if (agrees || r.status == "container") continue;
    Disagreement d;
    d.id = r.id;
    d.done = done;
    d.set_box = r.box && box_is_done(r) != done;
    d.set_status = is_read && r.box && file_is_done(r) != done;
    d.link_summary = done && r.has_summary && r.box.has_value();
    d.message = fmt::format("{}; it counts as {}", said(r), done ? "completed" : "open");
    found.push_back(std::move(d));
  }
  return found;
}

Faults to_faults(const std::vector<Disagreement>& found, const std::string& file) {
  Faults faults;
  for (const Disagreement& d : found) {
    const bool can_write = d.set_box || d.set_status;
    faults.push_back({"session-disagrees",
                      d.message,
                      can_write ? "'baton session sync' writes that down on both sides" : "mend or remove it by hand",
                      {file, 0, 0},
                      Severity::warning});
  }
  return faults;
}

std::vector<TodoChange> box_changes(const std::vector<Disagreement>& found) {
  std::vector<TodoChange> changes;
  for (const Disagreement& d : found) {
    if (!d.set_box && !d.link_summary) continue;
    changes.push_back({d.id, d.done ? BoxState::completed : BoxState::pending, d.link_summary});
  }
  return changes;
}

}  // namespace baton::session
