#include "cli/workspace/workspace_new.h"

#include <fmt/core.h>

#include "base/limits.h"
#include "core/facts.h"
#include "dialect/workspace/ids.h"
#include "dialect/workspace/workspace_plan.h"
#include "engine/real_files.h"

namespace baton::cli {
namespace {

constexpr const char* kept_as = "new.md";

/// Ids begin with a letter or digit, so this is no task's.
std::string all_written(const std::string& run_folder) { return run_folder + "/workspace/.written"; }

}  // namespace

Status keep_new_tasks(const WorkspaceFiles& files, const std::string& run_folder,
                      const std::vector<workspace::Task>& tasks) {
  for (const workspace::Task& task : tasks) {
    const std::string path = workspace::task_path(task.id);
    const auto there = files.inside().read(path, Limits::file_bytes_max);
    if (!there) return std::unexpected(there.error());
    if (*there) return fault("file-exists", fmt::format("{} is there already", files.shown(path)), "try again");
    auto kept = RealFiles{}.write(kept_of_task(run_folder, task.id, kept_as), workspace::write_task(task));
    if (!kept) return kept;
  }
  return {};
}

workspace::TaskRead task_in_run(const WorkspaceFiles& files, const Run& run, const std::string& id) {
  const std::string path = kept_of_task(option_of(run, "folder"), id, kept_as);
  if (!is_rehearsed(run)) return files.task(id);
  const auto kept = RealFiles{}.read(path, Limits::file_bytes_max);
  return kept && *kept ? workspace::read_task(**kept, "") : files.task(id);
}

Status write_new_tasks(const WorkspaceFiles& files, const Run& run) {
  const std::string folder = option_of(run, "folder");
  if (option_of(run, "pipeline").empty() || is_rehearsed(run)) return {};
  const auto written = RealFiles{}.read(all_written(folder), Limits::file_bytes_max);
  if (!written) return std::unexpected(written.error());
  if (*written) return {};
  for (const Step& step : run.plan().steps) {
    if (workspace::is_gate(step)) continue;
    const auto text = RealFiles{}.read(kept_of_task(folder, step.id, kept_as), Limits::file_bytes_max);
    if (!text) return std::unexpected(text.error());
    if (!*text) continue;
    auto made = files.inside().create(workspace::task_path(step.id), **text);
    if (!made && made.error().code != "file-exists") return made;
  }
  return RealFiles{}.write(all_written(folder), "");
}

}  // namespace baton::cli
