#include "dialect/team/analysis.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/boost_json.h"
#include "base/letters.h"
#include "base/text.h"
#include "dialect/team/json_place.h"
#include "dialect/team/team_file.h"
#include "plan/path_rule.h"
#include "text/iso_time.h"
#include "text/json_members.h"
#include "text/json_patch.h"

namespace baton::team {
namespace {

namespace json = boost::json;

std::vector<std::string> needs_in(const json::object& o) {
  return texts_at(o, {"blockedBy", "blocked_by", "depends_on", "dependencies", "deps", "needs"});
}

/// `InnerLoop: true` in a task's description.
std::optional<bool> loop_line(std::string_view description) {
  for (const std::string_view line : split(description, '\n')) {
    const std::string_view bare = trim(line);
    constexpr std::string_view label = "innerloop:";
    if (lower(bare).starts_with(label)) return as_truth(bare.substr(label.size()));
  }
  return std::nullopt;
}

/// Gathers tasks that are spoken of in several places: what comes first counts, what it lacks is filled in.
class Tasks {
 public:
  Tasks(std::string_view text, const std::string& file, AnalysisRead& read) : text_(text), file_(file), read_(read) {}

  Task* find(std::string_view id) {
    auto& tasks = read_.analysis->tasks;
    const auto found = std::ranges::find(tasks, id, &Task::id);
    return found == tasks.end() ? nullptr : &*found;
  }

  Task* add(const std::string& id, std::string_view key) {
    if (Task* known = find(id)) return known;
    if (!is_id(id)) {
      read_.faults.push_back({"bad-step-id", fmt::format("'{}' is no id for a task", shorten(id, 80)),
                              "letters, digits, '_', '-', '.' and ':' only", place_of(text_, key, file_)});
      return nullptr;
    }
    read_.analysis->tasks.emplace_back();
    read_.analysis->tasks.back().id = id;
    return &read_.analysis->tasks.back();
  }

  void fill(Task& task, const json::object& o) {
    const auto put = [&](std::string& into, std::initializer_list<std::string_view> keys) {
      if (into.empty()) into = text_at(o, keys);
    };
    const auto put_all = [&](std::vector<std::string>& into, std::initializer_list<std::string_view> keys) {
      if (into.empty()) into = texts_at(o, keys);
    };
    put(task.subject, {"subject", "title", "name"});
    put(task.description, {"description", "goal", "purpose"});
    put(task.role, {"owner", "role"});
    put(task.status, {"status"});
    if (task.needs.empty()) task.needs = needs_in(o);
    put_all(task.steps, {"steps"});
    put_all(task.key_files, {"key_files"});
    put_all(task.upstream, {"upstream_artifacts"});
    put_all(task.success_criteria, {"success_criteria"});
    put_all(task.constraints, {"constraints"});
    if (!task.inner_loop) task.inner_loop = truth_at(o, {"inner_loop", "innerLoop", "InnerLoop"});
    if (!task.inner_loop) task.inner_loop = loop_line(task.description);
    if (!task.claimed) task.claimed = read_time(text_at(o, {"claimed_at", "started_at", "updated_at", "created_at"}));
    if (task.artifacts.empty()) {
      for (const char* key : {"artifacts", "artifact", "output", "outputs", "expected_artifact", "deliverable"}) {
        if (const json::value* value = value_at(o, key)) {
          for (const json::value* item : as_list(*value)) declare(task, *item, key);
        }
      }
    }
  }

  void declare(Task& task, const json::value& item, std::string_view key) {
    const std::string named = item.is_object() ? text_at(item.as_object(), {"path", "file", "name"}) : as_text(item);
    if (named.empty()) return;
    const auto path = artifact_path(named);
    if (!path) {
      Fault f = path.error();
      f.place = place_of(text_, key, file_);
      read_.faults.push_back(std::move(f));
    } else if (std::ranges::find(task.artifacts, *path) == task.artifacts.end()) {
      task.artifacts.push_back(*path);
    }
  }

  /// A list of tasks, or a map from ids to them.
  void list(const json::value& value, std::string_view key, const Capability* capability = nullptr) {
    const bool is_map = value.is_object();
    std::vector<std::string> seen;
    const auto one = [&](std::string id, const json::value& entry) {
      if (entry.is_object() && id.empty()) id = text_at(entry.as_object(), {"id", "task_id"});
      if (!entry.is_object() && id.empty()) id = as_text(entry);
      if (id.empty()) return;
      if (std::ranges::find(seen, id) != seen.end()) {
        read_.faults.push_back({"duplicate-task",
                                fmt::format("the task '{}' is there twice; the first one counts", id),
                                {},
                                place_of(text_, key, file_),
                                Severity::warning});
        return;
      }
      seen.push_back(id);
      Task* task = add(id, key);
      if (task == nullptr) return;
      if (entry.is_object()) fill(*task, entry.as_object());
      if (task->role.empty() && capability != nullptr) task->role = capability->role;
      if (capability != nullptr) of_capability_.push_back(id);
    };
    if (is_map) {
      for (const auto& [id, entry] : value.as_object()) one(std::string{id}, entry);
    } else {
      for (const json::value* entry : as_list(value)) one({}, *entry);
    }
  }

  std::vector<std::string> take_capability() { return std::exchange(of_capability_, {}); }

 private:
  std::string_view text_;
  const std::string& file_;
  AnalysisRead& read_;
  std::vector<std::string> of_capability_;
};

void read_graph(const json::object& graph, Tasks& tasks) {
  for (const auto& [key, value] : graph) {
    Task* task = tasks.add(std::string{key}, "dependency_graph");
    if (task == nullptr) continue;
    if (value.is_object()) {
      const json::object& o = value.as_object();
      // The graph has the first word on a task's role, and on what it waits for.
      if (std::string role = text_at(o, {"role", "owner"}); !role.empty()) task->role = role;
      if (auto needs = needs_in(o); !needs.empty()) task->needs = std::move(needs);
      tasks.fill(*task, o);
    } else if (value.is_array()) {
      std::vector<std::string> needs;
      for (const json::value& need : value.as_array()) needs.push_back(as_text(need));
      if (!needs.empty()) task->needs = std::move(needs);
    } else if (value.is_string() && !value.as_string().empty()) {
      task->needs = {as_text(value)};  // one need, without a list around it
    }
  }
}

/// Which of a producer's tasks an artifact is of: the one it names; else the only one; else the last.
Task* owner_of(const std::string& artifact, const std::vector<Task*>& candidates) {
  for (Task* task : candidates) {
    if (lower(artifact).find(lower(task->id)) != std::string::npos) return task;
  }
  return candidates.empty() ? nullptr : candidates.back();
}

/// A role as the analysis speaks of it.
struct PlannedRole {
  std::string name;
  std::string prefix;
};

/// Whose a capability is, where it does not say so itself.
std::string role_of(const Capability& capability, const std::vector<PlannedRole>& roles) {
  for (const PlannedRole& role : roles) {
    const bool same_prefix = !role.prefix.empty() && role.prefix == capability.prefix;
    if (same_prefix || role.name == capability.name) return role.name;
  }
  return {};
}

void read_capabilities(const json::object& o, const std::vector<PlannedRole>& roles, Tasks& tasks, Analysis& analysis) {
  const json::value* list = value_at(o, "capabilities");
  if (list == nullptr) return;
  for (const json::value* entry : as_list(*list)) {
    if (!entry->is_object()) continue;
    const json::object& c = entry->as_object();
    Capability capability{text_at(c, {"name"}), text_at(c, {"prefix"}), text_at(c, {"role", "owner"})};
    if (capability.role.empty()) capability.role = role_of(capability, roles);
    if (const json::value* own = value_at(c, "tasks")) tasks.list(*own, "capabilities", &capability);
    const std::vector<std::string> ids = tasks.take_capability();
    const json::value* declared = value_at(c, "artifacts");
    const auto artifacts = declared == nullptr ? std::vector<const json::value*>{} : as_list(*declared);
    for (std::size_t i = 0; i < artifacts.size() && !ids.empty(); ++i) {
      std::vector<Task*> candidates;
      for (const std::string& id : ids) candidates.push_back(tasks.find(id));
      // As many as tasks: one each, in order.
      Task* of = artifacts.size() == ids.size() ? candidates[i] : owner_of(as_text(*artifacts[i]), candidates);
      if (of != nullptr) tasks.declare(*of, *artifacts[i], "capabilities");
    }
    analysis.capabilities.push_back(std::move(capability));
  }
}

/// `artifacts[{name, producer, path}]`: the producer is a task or a role.
void read_artifacts(const json::object& o, Tasks& tasks, Analysis& analysis) {
  const json::value* list = value_at(o, "artifacts");
  if (list == nullptr) return;
  for (const json::value* entry : as_list(*list)) {
    if (!entry->is_object()) continue;
    const std::string producer = text_at(entry->as_object(), {"producer", "task", "role"});
    const std::string named = text_at(entry->as_object(), {"path", "name"});
    Task* of = tasks.find(producer);
    if (of == nullptr) {
      std::vector<Task*> candidates;
      for (Task& task : analysis.tasks) {
        const bool by_capability = std::ranges::any_of(analysis.capabilities, [&](const Capability& c) {
          return c.name == producer && !c.prefix.empty() && task.id.starts_with(c.prefix + "-");
        });
        if (task.role == producer || by_capability) candidates.push_back(&task);
      }
      of = owner_of(named, candidates);
    }
    if (of != nullptr) tasks.declare(*of, *entry, "artifacts");
  }
}

std::vector<PlannedRole> read_planned_roles(const json::object& o, Analysis& analysis) {
  std::vector<PlannedRole> roles;
  const json::value* list = value_at(o, "roles");
  if (list == nullptr) return roles;
  for (const json::value* entry : as_list(*list)) {
    if (!entry->is_object()) {
      roles.push_back({as_text(*entry), {}});
      continue;
    }
    const json::object& role = entry->as_object();
    roles.push_back({text_at(role, {"name", "role"}), text_at(role, {"prefix"})});
    if (truth_at(role, {"inner_loop", "innerLoop"}).value_or(false)) analysis.loop_roles.push_back(roles.back().name);
  }
  return roles;
}

}  // namespace

Expected<std::string> artifact_path(std::string_view named) {
  std::string_view path = trim(named);
  for (const std::string_view root : {"<session>/", "<session-folder>/", "./"}) {
    if (path.starts_with(root)) path.remove_prefix(root.size());
  }
  // A path of the machine where it was planned: what counts is where it is in a session.
  if (const auto team = path.find(".workflow/.team/"); team != std::string_view::npos) {
    const auto inside = path.find('/', team + std::string_view{".workflow/.team/"}.size());
    if (inside != std::string_view::npos) path = path.substr(inside + 1);
  }
  if (leaves_folder(path, {}) || !is_good_path(path)) {
    return fault("path-leaves-folder", fmt::format("the artifact '{}' is not in the session", shorten(named, 120)),
                 "name it from the session's folder: artifacts/NAME");
  }
  if (path.find('/') == std::string_view::npos) return "artifacts/" + std::string{path};
  return std::string{path};
}

std::string graph_of_session(std::string_view team_file) {
  const auto object = read_object(team_file, "team-session.json", "team-file-corrupt");
  if (!object) return {};
  const json::value* graph = value_at(*object, {"pipeline.dependency_graph", "dependency_graph"});
  return graph == nullptr || !graph->is_object() ? std::string{} : json::serialize(*graph);
}

AnalysisRead read_analysis(std::string_view text, const std::string& file, std::string_view graph) {
  AnalysisRead read;
  const auto object = read_file_object(text, file, "task-analysis.json");
  if (!object) {
    read.faults.push_back(object.error());
    return read;
  }
  const json::object& o = *object;
  read.analysis.emplace();
  Analysis& analysis = *read.analysis;
  const auto refuse = [&](const char* code, std::string_view key, std::string message) {
    read.faults.push_back({code, std::move(message), rerun_hint, place_of(text, key, file)});
  };
  Tasks tasks{text, file, read};
  if (const json::value* list = value_at(o, "tasks")) tasks.list(*list, "tasks");
  const std::vector<PlannedRole> roles = read_planned_roles(o, analysis);
  read_capabilities(o, roles, tasks, analysis);
  const json::value* own = value_at(o, "dependency_graph");
  if (own != nullptr && !own->is_object() && !own->is_null()) {
    refuse("team-field-missing", "dependency_graph",
           "task-analysis.json: dependency_graph is no map of tasks to what they wait for");
  }
  if (own != nullptr && own->is_object() && !own->as_object().empty()) {
    read_graph(own->as_object(), tasks);
  } else if (!graph.empty()) {
    const json::value given = json::parse({graph.data(), graph.size()});
    read_graph(given.as_object(), tasks);
  }
  read_artifacts(o, tasks, analysis);
  if (own == nullptr && graph.empty() && analysis.tasks.empty()) {
    refuse("team-field-missing", "dependency_graph", "task-analysis.json missing required field: dependency_graph");
  }
  if (roles.empty()) {
    refuse("team-field-missing", "roles", "task-analysis.json missing or empty roles array");
  }
  if (analysis.tasks.empty()) {
    refuse("team-without-tasks", "tasks", "task-analysis.json missing or empty tasks array");
  }
  return read;
}

}  // namespace baton::team
