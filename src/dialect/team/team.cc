#include "dialect/team/team.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "base/text.h"

namespace baton::team {
namespace {

Fault refusal(const char* code, std::string message, std::string file = {}) {
  return {code, std::move(message), rerun_hint, {std::move(file), 0, 0}};
}

/// The folders and files of the roles that are registered. REQUIRES: the register was read.
std::vector<Role> read_roles(const TeamTexts& texts, const TeamFile& file, const std::string& folder, Faults& faults) {
  std::vector<Role> roles;
  const bool wants_specs =
      std::ranges::any_of(file.roles, &RoleEntry::is_spec) || (texts.has_specs && !texts.has_roles);
  const std::string kind = wants_specs ? "role-specs" : "roles";
  const bool has_folder = wants_specs ? texts.has_specs : texts.has_roles;
  const auto is_there = [&](const auto& entry) { return entry.first.starts_with(kind + "/"); };
  if (!has_folder) {
    faults.push_back(refusal("role-file-missing", fmt::format("Invalid session: {}/ directory missing", kind)));
    return roles;
  }
  if (std::ranges::none_of(texts.role_files, is_there)) {
    const char* what = wants_specs ? "role-spec" : "role";
    faults.push_back(refusal("role-file-missing", fmt::format("Invalid session: no {} files in {}/", what, kind)));
    return roles;
  }
  std::vector<RoleRead> read;
  for (const RoleEntry& entry : file.roles) {
    const auto path = role_path(entry, wants_specs, folder);
    if (!path) {
      faults.push_back(path.error());
      faults.back().place.file = folder + "/team-session.json";
      continue;
    }
    const auto text = texts.role_files.find(*path);
    if (text == texts.role_files.end()) {
      RoleRead missing;
      missing.role.name = entry.name;
      missing.role.prefix = entry.prefix;
      missing.role.file = *path;
      missing.role.inner_loop = entry.inner_loop.value_or(false);
      missing.role.is_there = false;
      faults.push_back(role_missing(missing.role));
      read.push_back(std::move(missing));
      continue;
    }
    read.push_back(read_role(entry, text->second, *path, folder + "/" + *path));
  }
  for (RoleRead& one : read) {
    std::ranges::move(one.faults, std::back_inserter(faults));
    if (find_role(roles, one.role.name) == nullptr) roles.push_back(std::move(one.role));
  }
  return roles;
}

/// Members of circles, each circle once, in the order of the tasks.
std::vector<std::vector<std::string>> cycles_in(const std::vector<Task>& tasks) {
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < tasks.size(); ++i) places.emplace(tasks[i].id, i);
  enum class Mark : char { none, open, done };
  std::vector<Mark> marks(tasks.size(), Mark::none);
  std::vector<std::vector<std::string>> cycles;
  for (std::size_t root = 0; root < tasks.size(); ++root) {
    if (marks[root] != Mark::none) continue;
    std::vector<std::pair<std::size_t, std::size_t>> path{{root, 0}};  // a task, and how many of its needs were seen
    marks[root] = Mark::open;
    while (!path.empty()) {
      auto& [task, seen] = path.back();
      if (seen == tasks[task].needs.size()) {
        marks[task] = Mark::done;
        path.pop_back();
        continue;
      }
      const auto need = places.find(tasks[task].needs[seen++]);
      if (need == places.end()) continue;
      if (marks[need->second] == Mark::none) {
        marks[need->second] = Mark::open;
        path.emplace_back(need->second, 0);
      } else if (marks[need->second] == Mark::open) {
        std::vector<std::string> members;
        const auto begin = std::ranges::find(path, need->second, &std::pair<std::size_t, std::size_t>::first);
        for (auto at = begin; at != path.end(); ++at) members.push_back(tasks[at->first].id);
        cycles.push_back(std::move(members));
      }
    }
  }
  return cycles;
}

}  // namespace

const Task* Team::find(std::string_view id) const {
  const auto found = std::ranges::find(tasks, id, &Task::id);
  return found == tasks.end() ? nullptr : &*found;
}

Fault role_missing(const Role& role) {
  const char* what = role.file.starts_with("role-specs/") ? "Role-spec" : "Role";
  return refusal("role-file-missing", fmt::format("{} file not found: {}", what, role.file));
}

std::vector<Task> settled(std::vector<Task> tasks, const std::vector<Role>& roles,
                          const std::vector<std::string>& loop_roles, const std::string& file, Faults& faults) {
  std::vector<std::string> names;
  for (const Role& role : roles) names.push_back(role.name);
  for (Task& task : tasks) {
    const Role* role = task.role.empty() ? role_by_prefix(roles, task.id) : find_role(roles, task.role);
    // A capability may be named where a role is meant: then the prefix decides.
    if (role == nullptr && !task.role.empty()) role = role_by_prefix(roles, task.id);
    if (role == nullptr) {
      faults.push_back(
          {"task-without-role",
           task.role.empty()
               ? fmt::format("nobody has the task '{}': it names no role, and none has its prefix", task.id)
               : fmt::format("the task '{}' is for '{}', which is no role of this session", task.id, task.role),
           "roles: " + join(names, ", "),
           {file, 0, 0}});
      continue;
    }
    const bool by_analysis = std::ranges::find(loop_roles, role->name) != loop_roles.end();
    task.role = role->name;
    if (!task.inner_loop) task.inner_loop = role->inner_loop || by_analysis;
    if (task.subject.empty()) task.subject = task.id;
    std::erase(task.needs, "");
    std::ranges::sort(task.needs);
    task.needs.erase(std::unique(task.needs.begin(), task.needs.end()), task.needs.end());
    for (const std::string& need : task.needs) {
      if (std::ranges::find(tasks, need, &Task::id) != tasks.end()) continue;
      faults.push_back({"unknown-dependency",
                        fmt::format("task '{}' waits for '{}', which is no task of this session", task.id, need),
                        "it is blocked until that task is there: add it, or mend the dependency graph",
                        {file, 0, 0},
                        Severity::warning});
    }
  }
  for (const std::vector<std::string>& cycle : cycles_in(tasks)) {
    faults.push_back({"dependency-cycle",
                      fmt::format("these tasks wait for each other: {}", join(cycle, ", ")),
                      "take one of their dependencies out",
                      {file, 0, 0}});
  }
  return tasks;
}

TeamRead read_team(const TeamTexts& texts, const std::string& folder, const std::string& shown) {
  TeamRead read;
  Faults& faults = read.faults;
  if (!texts.is_folder) {
    faults.push_back(refusal("team-not-found", "Session directory not found: " + shown));
    return read;
  }
  const std::string session_path = folder + "/team-session.json";
  const std::string analysis_path = folder + "/task-analysis.json";
  Team team;
  team.folder = folder;
  bool has_register = false;
  if (!texts.session) {
    faults.push_back(refusal("team-file-missing", "Invalid session: team-session.json missing", session_path));
  } else {
    TeamFileRead file = read_team_file(*texts.session, session_path);
    std::ranges::move(file.faults, std::back_inserter(faults));
    has_register = file.file.has_value();
    if (has_register) team.file = std::move(*file.file);
  }
  std::vector<std::string> loop_roles;
  if (!texts.analysis) {
    faults.push_back(refusal("team-file-missing", "Invalid session: task-analysis.json missing", analysis_path));
  } else {
    AnalysisRead analysis =
        read_analysis(*texts.analysis, analysis_path, texts.session ? graph_of_session(*texts.session) : std::string{});
    std::ranges::move(analysis.faults, std::back_inserter(faults));
    if (analysis.analysis) {
      team.tasks = std::move(analysis.analysis->tasks);
      team.capabilities = std::move(analysis.analysis->capabilities);
      loop_roles = std::move(analysis.analysis->loop_roles);
    }
  }
  if (has_register) {
    team.roles = read_roles(texts, team.file, folder, faults);
    // What is wrong with tasks follows from what is wrong with the rest: it is said only by itself.
    Faults followed;
    team.tasks =
        settled(std::move(team.tasks), team.roles, loop_roles, analysis_path, has_errors(faults) ? followed : faults);
  }
  read.team = std::move(team);
  return read;
}

}  // namespace baton::team
