#include "cli/workspace/workspace_files.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/limits.h"
#include "base/text.h"
#include "core/facts.h"
#include "dialect/workspace/ids.h"
#include "dialect/workspace/paths.h"
#include "engine/real_files.h"
#include "io/path_lock.h"

namespace baton::cli {
namespace {

using workspace::TaskRead;

std::optional<std::string> text_at(const std::string& path) {
  auto text = RealFiles{}.read(path, Limits::file_bytes_max);
  return text ? std::move(*text) : std::nullopt;
}

}  // namespace

Expected<WorkspaceFiles> WorkspaceFiles::open(const std::string& root, const std::string& folder) {
  auto inside = Folder::open(folder.empty() || folder == "." ? root : root + "/" + folder);
  if (!inside) return std::unexpected(inside.error());
  return WorkspaceFiles{root, folder, std::move(*inside)};
}

std::string WorkspaceFiles::shown(const std::string& inner) const {
  return folder_.empty() || folder_ == "." ? inner : folder_ + "/" + inner;
}

TaskRead WorkspaceFiles::task(const std::string& id) const {
  const std::string file = workspace::task_path(id);
  auto text = inside_.read(file, Limits::file_bytes_max);
  if (text && *text) return workspace::read_task(**text, shown(file));
  Fault wrong =
      text ? Fault{"task-file-missing", fmt::format("there is no file {}", shown(file)), "write it"} : text.error();
  wrong.place.file = shown(file);
  return {std::nullopt, {std::move(wrong)}};
}

std::vector<std::string> WorkspaceFiles::task_ids() const {
  std::vector<std::string> ids;
  for (const std::string& name : inside_.list("tasks")) {
    if (!name.ends_with(".md")) continue;
    std::string id = name.substr(0, name.size() - 3);
    if (is_id(id)) ids.push_back(std::move(id));
  }
  return ids;
}

std::optional<std::string> WorkspaceFiles::context() const {
  auto text = inside_.read(workspace::context_path, Limits::file_bytes_max);
  return text ? std::move(*text) : std::nullopt;
}

Expected<std::optional<std::string>> WorkspaceFiles::input(const std::string& path) const {
  const auto inner = workspace::inner_path(path);
  if (!inner) return std::unexpected(inner.error());
  return inside_.read(*inner, Limits::output_bytes_max);
}

std::optional<std::pair<std::string, std::string>> WorkspaceFiles::newest_review(const std::string& task) const {
  std::optional<std::pair<std::string, std::string>> newest;
  constexpr int reviews_max = 1000;
  for (int n = 0; n < reviews_max; ++n) {
    const std::string path = workspace::review_path(task, n);
    auto text = inside_.read(path, Limits::file_bytes_max);
    if (!text || !*text) {
      if (n > 1) break;  // the first may be numbered 0 or 1
      continue;
    }
    newest = {path, std::move(**text)};
  }
  return newest;
}

std::optional<std::pair<std::string, std::string>> WorkspaceFiles::setting_file(const std::string& name) const {
  if (auto text = inside_.read(name, Limits::file_bytes_max); text && *text) return {{shown(name), std::move(**text)}};
  const std::string shared = ".agents/" + name;
  if (auto text = text_at(root_ + "/" + shared)) return {{shared, std::move(*text)}};
  return std::nullopt;
}

workspace::SquadsRead WorkspaceFiles::squads() const {
  if (const auto file = setting_file("skills.yaml")) return workspace::read_squads(file->second, file->first);
  workspace::SquadsRead read{workspace::built_in_squads(), {}};
  std::vector<std::string> folders;
  for (const std::string& squad : inside_.list("outputs", true)) {
    for (const std::string& skill : inside_.list("outputs/" + squad, true))
      folders.push_back(fmt::format("{}/{}", squad, skill));
  }
  for (auto& [skill, entry] : workspace::squads_of_folders(folders).skills) {
    read.squads.skills.try_emplace(skill, std::move(entry));
  }
  return read;
}

workspace::PipelinesRead WorkspaceFiles::pipelines() const {
  workspace::PipelinesRead read;
  if (const auto file = setting_file("pipelines.yaml")) read = workspace::read_pipelines(file->second, file->first);
  for (const workspace::Pipeline& built_in : workspace::built_in_pipelines()) {
    if (workspace::find_pipeline(read.pipelines, built_in.name) == nullptr) read.pipelines.push_back(built_in);
  }
  return read;
}

bool is_rehearsed(const Run& run) { return run.settings().options.contains("rehearse"); }

Expected<WorkspaceFiles> workspace_of(const Run& run, const std::string& root) {
  return WorkspaceFiles::open(root, option_of(run, "workspace"));
}

std::string kept_of_task(const std::string& run_folder, const std::string& task, const char* kind) {
  return fmt::format("{}/workspace/{}.{}", run_folder, task, kind);
}

std::optional<workspace::Mark> mark_of(const std::string& run_folder, const std::string& task) {
  const auto text = text_at(kept_of_task(run_folder, task, "mark"));
  return text ? workspace::read_mark(*text) : std::nullopt;
}

Expected<std::string> move_task(const WorkspaceFiles& files, const StatusMove& move) {
  const std::string inner = workspace::task_path(move.task);
  const auto lock = PathLock::take(files.path() + "/" + inner, {.wait = Millis{0}});
  if (!lock) return std::unexpected(lock.error());
  auto text = files.inside().read(inner, Limits::file_bytes_max);
  if (!text) return std::unexpected(text.error());
  if (!*text) return fault("task-file-missing", fmt::format("there is no file {}", files.shown(inner)));
  const TaskRead read = workspace::read_task(**text, files.shown(inner));
  if (!read.task) return std::unexpected(read.faults.front());
  if (!workspace::may_take(*read.task, mark_of(move.run_folder, move.task))) {
    return fault("task-not-executable",
                 fmt::format("task '{}' is {}: it is somebody else's now", move.task, name(read.task->status)));
  }
  const std::string kept = kept_of_task(move.run_folder, move.task, "mark");
  if (auto wrote = RealFiles{}.write(kept, workspace::write_mark(workspace::mark_for(*read.task, move.change)));
      !wrote) {
    return std::unexpected(wrote.error());
  }
  std::string after = workspace::edit_task(**text, move.change);
  if (auto wrote = files.inside().write(inner, after); !wrote) return std::unexpected(wrote.error());
  return after;
}

}  // namespace baton::cli
