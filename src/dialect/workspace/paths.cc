#include "dialect/workspace/paths.h"

#include <fmt/core.h>

#include "base/text.h"
#include "plan/path_rule.h"

namespace baton::workspace {

Expected<std::string> inner_path(std::string_view path) {
  const auto refuse = [&](const char* why) {
    return fault("path-leaves-folder", fmt::format("'{}' {}", printable(path), why),
                 "name a file beneath the workspace, without '..'");
  };
  if (path.empty()) return refuse("is no path");
  if (path.front() == '/') return refuse("is absolute");
  if (path.size() > path_bytes_max || has_control_characters(path)) return refuse("cannot be a file's name");
  std::string clean;
  for (const std::string_view part : split(path, '/')) {
    if (part.empty() || part == ".") continue;
    if (part == "..") return refuse("leads out of the workspace");
    if (!clean.empty()) clean += '/';
    clean += part;
  }
  if (clean.empty() || path.ends_with('/')) return refuse("is no file's path");
  return clean;
}

std::string usual_output(std::string_view skill, std::string_view task, const Squads& squads) {
  const std::string& foundation = squads.foundation.empty() ? std::string{foundation_skill} : squads.foundation;
  if (skill == foundation) return context_path;
  const std::string squad = squads.squad_of(skill);
  return squad.empty() ? std::string{} : fmt::format("outputs/{}/{}/{}.md", squad, skill, task);
}

namespace {

/// What the workspace keeps for itself. Nor is anything written to what begins with a dot: that is other programs'.
bool is_reserved(std::string_view path) {
  for (const char* file : {"memory/learnings.md", "skills.yaml", "pipelines.yaml"}) {
    if (path == file) return true;
  }
  return path.starts_with("tasks/") || path.starts_with("reviews/") || path.ends_with(".lock") || path.starts_with('.');
}

}  // namespace

Expected<OutputPlace> output_place(const Task& task, const Squads& squads, const std::string& file) {
  auto path = inner_path(task.output_path);
  if (!path) {
    Fault wrong = path.error();
    wrong.place.file = file;
    return std::unexpected(std::move(wrong));
  }
  if (is_reserved(*path)) {
    return std::unexpected(Fault{"output-path-reserved",
                                 fmt::format("task '{}' would write to {}", task.id, *path),
                                 "tasks, reviews, locks, learnings and settings are the workspace's own; write beneath "
                                 "'outputs/'",
                                 {file, 0, 0}});
  }
  OutputPlace place{std::move(*path), {}};
  const std::string usual = usual_output(task.to, task.id, squads);
  if (!usual.empty() && usual != place.path) {
    place.warning = Fault{"output-path-unusual",
                          fmt::format("task '{}' writes to {}; results of '{}' are looked for at {}", task.id,
                                      place.path, task.to, usual),
                          {},
                          {file, 0, 0},
                          Severity::warning};
  }
  return place;
}

}  // namespace baton::workspace
