#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/run.h"
#include "dialect/workspace/pipeline.h"
#include "dialect/workspace/reflect.h"
#include "dialect/workspace/squads.h"
#include "dialect/workspace/task.h"
#include "io/folder.h"

namespace baton::cli {

/// A workspace's files. Nothing is opened that lies outside of it.
class WorkspaceFiles {
 public:
  /// `root`: the project's folder; `folder`: the workspace, from there. Fault: file-unreadable.
  static Expected<WorkspaceFiles> open(const std::string& root, const std::string& folder);

  [[nodiscard]] const std::string& path() const { return inside_.path(); }  ///< absolute
  [[nodiscard]] const std::string& folder() const { return folder_; }       ///< from the project's root
  [[nodiscard]] const Folder& inside() const { return inside_; }

  /// A task's file, for people, from the project's root.
  [[nodiscard]] std::string shown(const std::string& inner) const;

  /// Without a task the faults say why: task-file-missing and those of read_task().
  [[nodiscard]] workspace::TaskRead task(const std::string& id) const;
  /// The ids of all files in `tasks/`, sorted.
  [[nodiscard]] std::vector<std::string> task_ids() const;

  /// nullopt if there is none, or it cannot be read.
  [[nodiscard]] std::optional<std::string> context() const;
  /// A file that a task builds on. nullopt: it is not there. Faults: path-leaves-folder, file-unreadable.
  [[nodiscard]] Expected<std::optional<std::string>> input(const std::string& path) const;

  /// The newest review of a task; nullopt if there is none.
  [[nodiscard]] std::optional<std::pair<std::string, std::string>> newest_review(const std::string& task) const;

  /// `skills.yaml` of the workspace or in `.agents/`; else the built-in squads and the folders there are.
  [[nodiscard]] workspace::SquadsRead squads() const;
  /// `pipelines.yaml` of the workspace or in `.agents/`, and the built-in ones that have no namesake there.
  [[nodiscard]] workspace::PipelinesRead pipelines() const;

 private:
  WorkspaceFiles(std::string root, std::string folder, Folder inside)
      : root_{std::move(root)}, folder_{std::move(folder)}, inside_{std::move(inside)} {}
  [[nodiscard]] std::optional<std::pair<std::string, std::string>> setting_file(const std::string& name) const;

  std::string root_;
  std::string folder_;
  Folder inside_;
};

/// The run's option that says: everything that can be carried out was meant, not one task or a pipeline.
constexpr const char* all_tasks = "all_tasks";

/// A rehearsal makes things up: none of them goes into the workspace.
bool is_rehearsed(const Run& run);

/// The workspace that a run works in.
Expected<WorkspaceFiles> workspace_of(const Run& run, const std::string& root);

/// Where a run keeps what it has to know of a task: `<run>/workspace/ID.KIND`.
std::string kept_of_task(const std::string& run_folder, const std::string& task, const char* kind);

/// What the run last wrote of the task.
std::optional<workspace::Mark> mark_of(const std::string& run_folder, const std::string& task);

/// Changes a task's status under its lock, if it is still what the change was decided from, and keeps the run's mark.
struct StatusMove {
  std::string run_folder;
  std::string task;
  workspace::TaskChange change;
};
/// The text that was written. It does not wait for the lock. Faults: lock-timeout, task-not-executable (somebody else
/// has it), those of the file.
Expected<std::string> move_task(const WorkspaceFiles& files, const StatusMove& move);

}  // namespace baton::cli
