#include "cli/workspace/workspace_target.h"

#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>

#include "base/limits.h"
#include "base/text.h"
#include "cli/definition.h"
#include "cli/workspace/workspace_files.h"
#include "dialect/workspace/task.h"
#include "engine/real_files.h"
#include "io/folder.h"

namespace baton::cli {
namespace {

namespace fs = std::filesystem;

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

/// Two of its folders are enough: a new one has no tasks yet.
bool is_workspace(const fs::path& path) {
  int found = 0;
  for (const char* part : {"tasks", "context", "outputs", "reviews", "memory", "goals"}) {
    if (is_folder(path / part)) ++found;
  }
  return found >= 2;
}

bool is_task_file(const fs::path& path) {
  std::error_code ignored;
  if (path.extension() != ".md" || !fs::is_regular_file(path, ignored)) return false;
  const auto text = RealFiles{}.read(path.string(), Limits::file_bytes_max);
  if (!text || !*text) return false;
  if (workspace::looks_like_task(**text)) return true;
  // What lies among tasks and is none is to be told as a broken one; but workflows may lie anywhere.
  return path.parent_path().filename() == "tasks" && !looks_like_markdown_workflow(**text);
}

/// From the project's root; nullopt if it lies elsewhere.
std::optional<std::string> beneath(const Project& project, const fs::path& path) {
  return path_beneath(project.root(), fs::absolute(path));
}

Expected<std::string> folder_of(const Project& project, const fs::path& path) {
  if (auto inside = beneath(project, path)) return std::move(*inside);
  return fault("workspace-outside-project", fmt::format("{} is not in the project {}", path.string(), project.root()),
               "name the project too: -C DIR");
}

Expected<std::optional<WorkspaceTarget>> task_target(const Project& project, const fs::path& path) {
  const fs::path file = fs::absolute(path).lexically_normal();
  if (file.parent_path().filename() != "tasks") {
    return fault("task-outside-workspace", fmt::format("{} is a task, but in no workspace", path.string()),
                 "tasks lie in the folder 'tasks' of a workspace");
  }
  auto folder = folder_of(project, file.parent_path().parent_path());
  if (!folder) return std::unexpected(folder.error());
  const std::string id = file.stem().string();
  if (!is_id(id)) {
    return fault("bad-task-value", fmt::format("'{}' cannot be a task's id", id),
                 "name the file by letters, digits, '-', '_' and '.'");
  }
  return WorkspaceTarget{std::move(*folder), id, {}};
}

/// Where there is no such file, but a workspace that it would lie in.
bool would_be_task(const fs::path& path) {
  std::error_code ignored;
  const fs::path folder = fs::absolute(path).lexically_normal().parent_path();
  return path.extension() == ".md" && !fs::exists(path, ignored) && folder.filename() == "tasks" &&
         is_workspace(folder.parent_path());
}

/// The workspace of a project in which nobody named one.
std::optional<std::string> usual_workspace(const Project& project) {
  std::vector<std::string> places{project.config().text("workspace.folder").value_or("")};
  if (const char* named = std::getenv("WORKSPACE_DIR")) places.emplace_back(named);
  places.emplace_back("workspace");
  places.emplace_back(".");
  for (const std::string& place : places) {
    if (place.empty() || !is_workspace(fs::path{project.root()} / place)) continue;
    if (auto inside = beneath(project, fs::path{project.root()} / place)) return inside;
  }
  return std::nullopt;
}

}  // namespace

std::vector<workspace::Pipeline> find_pipelines(const Project& project) {
  const auto folder = usual_workspace(project);
  const auto files = folder ? WorkspaceFiles::open(project.root(), *folder) : std::unexpected(Fault{});
  return files ? files->pipelines().pipelines : std::vector<workspace::Pipeline>{};
}

Expected<std::optional<WorkspaceTarget>> workspace_target(const Project& project, const std::string& target) {
  if (target.empty()) return std::nullopt;
  for (const fs::path& path : {fs::path{target}, fs::path{project.root()} / target}) {
    if (is_task_file(path)) return task_target(project, path);
    if (would_be_task(path)) {
      return fault("task-file-missing", fmt::format("there is no file {}", target),
                   "'baton check WORKSPACE' looks at the tasks there are");
    }
    if (!is_workspace(path)) continue;
    auto folder = folder_of(project, path);
    if (!folder) return std::unexpected(folder.error());
    return WorkspaceTarget{std::move(*folder), {}, {}};
  }
  if (find_target(project, target)) return std::nullopt;  // a workflow of that name comes first
  const auto folder = usual_workspace(project);
  const auto files = folder ? WorkspaceFiles::open(project.root(), *folder) : std::unexpected(Fault{});
  if (!files) return std::nullopt;
  if (workspace::find_pipeline(files->pipelines().pipelines, target) == nullptr) return std::nullopt;
  return WorkspaceTarget{*folder, {}, target};
}

}  // namespace baton::cli
