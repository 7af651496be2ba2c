#include "cli/workspace/workspace_end.h"

#include <fmt/core.h>

#include <set>

#include "base/limits.h"
#include "cli/workspace/workspace_files.h"
#include "cli/workspace/workspace_mirror.h"
#include "cli/workspace/workspace_reviews.h"
#include "dialect/workspace/paths.h"
#include "dialect/workspace/reflect.h"
#include "engine/real_files.h"
#include "io/path_lock.h"

namespace baton::cli {
namespace {

/// Under its lock, and only if it is still what the change was made from.
Status write_under_lock(const std::string& path, const FileEdit& edit) {
  RealFiles files;
  const auto lock = PathLock::take(path);
  if (!lock) return std::unexpected(lock.error());
  const auto now = files.read(path, Limits::file_bytes_max);
  if (!now) return std::unexpected(now.error());
  if (*now != edit.before) return {};  // it is looked at again
  if (edit.companion) {
    if (auto kept = files.write(edit.companion->path, edit.companion->content); !kept) return kept;
  }
  return files.write(path, edit.content);
}

/// A process that was killed may have left half of a file beside the whole one.
void sweep(const Project& project, const Run& run) {
  const auto files = workspace_of(run, project.root());
  if (!files) return;
  std::set<std::string> folders{"tasks", "reviews", "memory"};
  for (const auto& [task, step] : workspace::tasks_of(run)) {
    const auto found = files->task(task).task;
    const auto path = found ? workspace::inner_path(found->output_path) : std::unexpected(Fault{});
    if (path && path->find('/') != std::string::npos) folders.insert(path->substr(0, path->rfind('/')));
  }
  for (const std::string& folder : folders) files->inside().sweep(folder);
  // A lock that is free, but its name is still there: whoever takes it and gives it back takes that away too.
  for (const char* folder : {"tasks", "memory"}) {
    for (const std::string& name : files->inside().list(folder)) {
      if (!name.ends_with(".lock")) continue;
      (void)PathLock::try_take(fmt::format("{}/{}/{}", files->path(), folder, name.substr(0, name.size() - 5)), {});
    }
  }
}

void tell(const Project& project, Fault fault, const std::string& file) {
  fault.severity = Severity::warning;
  fault.place.file = file;
  print(project.common(), fault);
}

/// A person's reviews: nobody else writes them down.
void write_down_answers(const Project& project, const Run& run) {
  const auto files = workspace_of(run, project.root());
  if (!files) return;
  if (auto wrote = write_answered_gates(*files, run); !wrote) tell(project, wrote.error(), files->shown("reviews"));
}

}  // namespace

void end_workspace(const Project& project, const Run& run) {
  if (run.plan().dialect != "workspace") return;
  write_down_answers(project, run);
  sweep(project, run);
  const auto place = [&](const std::string& path) {
    return path.starts_with('/') ? path : project.root() + "/" + path;
  };
  const auto read = [&](const std::string& path) { return RealFiles{}.read(place(path), Limits::output_bytes_max); };
  constexpr int rounds_max = 3;
  for (int round = 0; round < rounds_max; ++round) {
    const auto shown = WorkspaceMirror{}.files(run, read);
    if (!shown || shown->edits.empty()) return;
    for (const FileEdit& edit : shown->edits) {
      auto wrote = write_under_lock(place(edit.path), edit);
      if (wrote) continue;
      tell(project, wrote.error(), edit.path);
      return;
    }
  }
}

}  // namespace baton::cli
