#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "core/run.h"
#include "dialect/session/discovery.h"
#include "dialect/session/flow_record.h"
#include "dialect/session/plan_doc.h"
#include "dialect/session/reconcile.h"
#include "dialect/session/session_file.h"
#include "dialect/session/task.h"
#include "dialect/session/todo.h"

namespace baton::cli {

/// When a task counts as done: `session.strict`.
session::DonePolicy done_policy(const Config& config);

/// A session's files, as they are now. Reads and never writes.
class SessionFiles {
 public:
  /// `root`: the project's folder; `folder`: the session's, from there.
  SessionFiles(std::string root, std::string folder) : root_(std::move(root)), folder_(std::move(folder)) {}

  [[nodiscard]] const std::string& root() const { return root_; }
  [[nodiscard]] const std::string& folder() const { return folder_; }
  /// From the project's folder.
  [[nodiscard]] std::string path(const std::string& inside) const { return folder_ + "/" + inside; }
  [[nodiscard]] std::string todo_path() const { return path("TODO_LIST.md"); }
  [[nodiscard]] std::string session_path() const { return path("workflow-session.json"); }

  /// A file of the session; nullopt if it is not there or cannot be read.
  [[nodiscard]] std::optional<std::string> text(const std::string& inside) const;
  /// A file of the project, the same way.
  [[nodiscard]] std::optional<std::string> project_text(const std::string& path) const;

  /// Faults: session-incomplete, and what is wrong with the file itself.
  [[nodiscard]] Expected<session::TodoList> todo() const;
  [[nodiscard]] session::PlanDoc plan() const;
  /// nullopt if there is none; a broken one is a fault.
  [[nodiscard]] Expected<std::optional<session::SessionFile>> session_file() const;
  /// Without a task the faults say why: corrupt-task-file, task-file-missing.
  [[nodiscard]] session::TaskRead task(const std::string& id) const;
  [[nodiscard]] bool has_summary(const std::string& id) const;

 private:
  std::string root_;
  std::string folder_;
};

/// What there is in `.workflow/`, for discover(). Of task files and summaries only the names are looked at.
std::vector<session::DiskEntry> list_sessions(const std::string& root);

/// The same for one session alone.
std::vector<session::DiskEntry> list_session(const std::string& root, const std::string& folder);

/// The files of the session that a run is of.
SessionFiles session_files_of(const Run& run, const std::string& root);

/// Where a run keeps what it has to know of a task: `<run>/session/ID.KIND`.
std::string kept_path(const std::string& run_folder, const std::string& id, const char* kind);

/// What came of a task's preparation, if that is known and it may be used.
std::optional<session::FlowRecord> kept_flow(const std::string& run_folder, const std::string& id);
/// The same by the record's own path.
std::optional<session::FlowRecord> read_kept(const std::string& path);

}  // namespace baton::cli
