// session sync: both sides of a session whose files disagree. And what `check` and `plan` say of sessions.
#include <unistd.h>

#include <fmt/core.h>

#include <algorithm>

#include "base/limits.h"
#include "cli/reporter.h"
#include "cli/session/prepare_task.h"
#include "cli/session/session_look.h"
#include "cli/session/session_target.h"
#include "cli/session/session_verbs.h"
#include "cli/verbs.h"
#include "dialect/session/session_plan.h"
#include "dialect/session/task_edit.h"
#include "dialect/session/todo_edit.h"
#include "engine/real_files.h"
#include "view/json_text.h"
#include "view/words.h"

namespace baton::cli {
namespace {

Expected<session::FoundSession> named_session(const Project& project, const std::string& target) {
  return find_session(project, target, false);
}

std::size_t errors_in(const Faults& faults) {
  return static_cast<std::size_t>(
      std::ranges::count_if(faults, [](const Fault& f) { return f.severity == Severity::error; }));
}

/// Writes a file if it is still what the change was made from: whoever edits it right now keeps what he wrote.
Status write_if_same(const std::string& path, const std::string& before, const std::string& after) {
  RealFiles files;
  const auto now = files.read(path, Limits::file_bytes_max);
  if (!now) return std::unexpected(now.error());
  if (!*now || **now != before) {
    return fault("session-changed", fmt::format("{} was changed meanwhile", path), "say it again");
  }
  return files.write(path, after);
}

/// The task's file says what the task counts as.
Status set_status(const SessionFiles& files, const session::Disagreement& found, Time now) {
  const std::string path = session::task_path(files.folder(), found.id);
  const auto text = files.project_text(path);
  if (!text) return {};
  const session::StatusChange change{.to = found.done ? "completed" : "pending",
                                     .at = now,
                                     .note = "session sync: " + found.message,
                                     .even_if_completed = true};
  auto after = session::set_status(*text, path, change);
  if (!after) return std::unexpected(after.error());
  return *after == *text ? Status{} : write_if_same(files.root() + "/" + path, *text, *after);
}

Status set_boxes(const SessionFiles& files, const std::vector<session::Disagreement>& found, Faults& warnings) {
  const std::vector<session::TodoChange> changes = session::box_changes(found);
  const auto text = files.project_text(files.todo_path());
  if (changes.empty() || !text) return {};
  session::TodoEdit edit = session::edit_todo(*text, files.todo_path(), changes);
  warnings = std::move(edit.warnings);
  return edit.text == *text ? Status{} : write_if_same(files.root() + "/" + files.todo_path(), *text, edit.text);
}

}  // namespace

bool check_session(const Project& project, const std::string& target) {
  const Common& common = project.common();
  const auto found = named_session(project, target);
  if (!found) return print(common, found.error()), false;
  const SessionLook look = look_at({project.root(), found->folder}, *found, done_policy(project.config()));
  print(common, look.faults);
  const std::size_t errors = errors_in(look.faults);
  const std::size_t tasks = look.list.tasks.size();
  const auto done = static_cast<std::size_t>(std::ranges::count(look.completed, true));
  if (common.json) {
    JsonObject o;
    o.text("type", "checked").text("session", found->id).number("steps", static_cast<std::int64_t>(tasks));
    o.number("done", static_cast<std::int64_t>(done)).number("errors", static_cast<std::int64_t>(errors));
    o.number("warnings", static_cast<std::int64_t>(look.faults.size() - errors));
    if (errors == 0) write_out(STDOUT_FILENO, o.done() + "\n");
  } else if (errors > 0) {
    write_out(STDERR_FILENO, fmt::format("{}: {}\n", found->folder, counted(errors, "error")));
  } else if (!common.quiet) {
    write_out(STDOUT_FILENO, fmt::format("{}: {}, {} done, no errors\n", found->folder, counted(tasks, "task"), done));
  }
  return errors == 0;
}

std::expected<SessionPlan, Faults> plan_session(const Project& project, const std::string& target) {
  const auto found = named_session(project, target);
  if (!found) return std::unexpected(Faults{found.error()});
  SessionLook look = look_at({project.root(), found->folder}, *found, done_policy(project.config()));
  if (look.list.tasks.empty()) return std::unexpected(std::move(look.faults));
  // What keeps one task from running is told; the others have an order all the same.
  for (Fault& f : look.faults) f.severity = Severity::warning;
  return SessionPlan{plan_of(look, *found), standing_of(look), std::move(look.faults)};
}

int session_sync_verb(const Common& common, const std::string& target) {
  auto project = Project::open(common);
  if (!project) return print(common, project.error()), exit_refused;
  const auto found = named_session(*project, target);
  if (!found) return print(common, found.error()), exit_refused;
  const SessionFiles files{project->root(), found->folder};
  const SessionLook look = look_at(files, *found, done_policy(project->config()));
  if (look.list.tasks.empty()) return print(common, look.faults), exit_refused;
  print(common, session::to_faults(look.disagree, files.todo_path()));
  const Time now = RealClock{}.now();
  std::size_t changed = 0;
  for (const session::Disagreement& d : look.disagree) {
    changed += d.set_box || d.set_status || d.link_summary ? 1 : 0;
    if (!d.set_status) continue;
    if (auto wrote = set_status(files, d, now); !wrote) return print(common, wrote.error()), exit_failed;
  }
  Faults warnings;
  if (auto wrote = set_boxes(files, look.disagree, warnings); !wrote) return print(common, wrote.error()), exit_failed;
  print(common, warnings);
  if (common.json) {
    JsonObject o;
    o.text("session", found->id).number("changed", static_cast<std::int64_t>(changed));
    o.number("left", static_cast<std::int64_t>(look.disagree.size() - changed));
    write_out(STDOUT_FILENO, o.done() + "\n");
  } else if (!common.quiet) {
    write_out(STDOUT_FILENO, changed == 0 ? fmt::format("{}: nothing to write\n", found->id)
                                          : fmt::format("{}: {} put right\n", found->id, counted(changed, "task")));
  }
  return exit_done;
}

int task_verb(const Common& common, const TaskOptions& options) {
  auto project = Project::open(common);
  git::TreeReport report;
  report.outcome = "fault";
  if (!project) {
    report.fault = project.error().front();
  } else if (options.action == "commit") {
    report = commit_task({project->root(), options.folder, options.id, options.file});
  } else {
    report = prepare_task(*project, {project->root(), options.folder, options.id, options.file});
  }
  write_out(STDOUT_FILENO, git::to_json(report) + "\n");
  if (report.outcome != "fault") return exit_done;
  print(common, report.fault);  // also to whoever reads its log
  return exit_failed;
}

}  // namespace baton::cli
