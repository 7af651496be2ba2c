#include "dialect/team/team_file.h"

#include <fmt/core.h>

#include "base/boost_json.h"
#include "dialect/team/json_place.h"
#include "text/iso_time.h"
#include "text/json_members.h"
#include "text/json_patch.h"

namespace baton::team {
namespace {

namespace json = boost::json;

RoleEntry role_entry(const json::value& value) {
  RoleEntry role;
  if (!value.is_object()) {
    role.name = as_text(value);
    return role;
  }
  const json::object& o = value.as_object();
  role.name = text_at(o, {"name", "role"});
  role.prefix = text_at(o, {"prefix", "task_prefix"});
  role.is_spec = value_at(o, "role_spec") != nullptr;
  role.file = text_at(o, {"role_spec", "role_file"});
  role.responsibility = text_at(o, {"responsibility_type", "responsibility"});
  role.inner_loop = truth_at(o, {"inner_loop", "innerLoop"});
  return role;
}

ActiveWorker worker_of(const json::value& value, std::string task) {
  ActiveWorker worker;
  worker.task = std::move(task);
  if (!value.is_object()) {
    // A bare text is the worker's name, or, in a list, the task's.
    (worker.task.empty() ? worker.task : worker.worker_id) = as_text(value);
    return worker;
  }
  const json::object& o = value.as_object();
  if (worker.task.empty()) worker.task = text_at(o, {"task", "task_id", "taskId", "id"});
  worker.role = text_at(o, {"role", "owner", "name"});
  worker.worker_id = text_at(o, {"worker_id", "agentId", "agent_id", "worker"});
  if (const json::value* pid = value_at(o, "pid"); pid != nullptr && pid->is_int64() && pid->as_int64() > 0) {
    worker.pid = static_cast<int>(pid->as_int64());
  }
  worker.started = read_time(text_at(o, {"started_at", "spawned_at", "claimed_at", "created_at"}));
  return worker;
}

std::vector<ActiveWorker> workers_of(const json::object& o) {
  std::vector<ActiveWorker> workers;
  const json::value* value = value_at(o, "active_workers");
  if (value == nullptr) return workers;
  if (value->is_object()) {
    for (const auto& [task, entry] : value->as_object()) workers.push_back(worker_of(entry, std::string{task}));
  } else if (value->is_array()) {
    for (const json::value& entry : value->as_array()) workers.push_back(worker_of(entry, {}));
  }
  std::erase_if(workers, [](const ActiveWorker& w) { return w.task.empty(); });
  return workers;
}

/// Ids; of an entry that is an object, the id in it.
std::vector<std::string> completed_of(const json::object& o) {
  std::vector<std::string> ids;
  const json::value* value = value_at(o, "completed_tasks");
  if (value == nullptr) return ids;
  for (const json::value* entry : as_list(*value)) {
    ids.push_back(entry->is_object() ? text_at(entry->as_object(), {"id", "task", "task_id"}) : as_text(*entry));
  }
  std::erase(ids, "");
  return ids;
}

}  // namespace

const char* const rerun_hint = "run team-coordinate again (with resume), or check the path";

TeamFileRead read_team_file(std::string_view text, const std::string& file) {
  TeamFileRead read;
  const auto object = read_file_object(text, file, "team-session.json");
  if (!object) {
    read.faults.push_back(object.error());
    return read;
  }
  const json::object& o = *object;
  TeamFile team;
  team.id = text_at(o, {"session_id"});
  team.description = text_at(o, {"task_description"});
  team.status = text_at(o, {"status"});
  team.team_name = text_at(o, {"team_name"});
  if (std::string action = text_at(o, {"completion_action"}); !action.empty()) team.completion_action = action;
  team.created = read_time(text_at(o, {"created_at"}));
  team.workers = workers_of(o);
  team.completed = completed_of(o);
  const auto refuse = [&](std::string_view key, std::string message) {
    read.faults.push_back({"team-field-missing", std::move(message), rerun_hint, place_of(text, key, file)});
  };
  for (const char* key : {"session_id", "task_description", "status", "team_name"}) {
    if (text_at(o, {key}).empty()) refuse(key, fmt::format("team-session.json missing required field: {}", key));
  }
  const bool known = team.status == "active" || team.status == "paused" || team.status == "completed";
  if (!team.status.empty() && !known) refuse("status", "team-session.json has invalid status");
  if (const json::value* roles = value_at(o, "roles"); roles != nullptr && roles->is_array()) {
    for (const json::value& role : roles->as_array()) team.roles.push_back(role_entry(role));
  }
  if (team.roles.empty()) refuse("roles", "team-session.json missing or empty roles array");
  read.file = std::move(team);
  return read;
}

}  // namespace baton::team
