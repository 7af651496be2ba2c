#pragma once

#include <fmt/core.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/scripted_claude.h"

namespace baton::test {

/// A task of a team, as task-analysis.json has it.
struct TeamTask {
  std::string id;
  std::string role;
  std::vector<std::string> needs = {};
  bool declares = true;   ///< the artifact artifacts/ID.md
  std::string more = {};  ///< further members
};

/// A project with a team session TC-x, whose workers do what a test says. By themselves they write what is declared.
class WithTeam : public Outside {
 protected:
  static constexpr const char* folder = ".workflow/.team/TC-x";
  ScriptedClaude claude{place};

  WithTeam() {
    claude.does("default", "[ -z \"$BATON_OUTPUT\" ] || put \"made by $BATON_STEP\"; says \"[$BATON_ROLE] done\"");
    place.env["BATON_HOLDER_IDLE_MS"] = "2000";
  }

  static std::string in(const std::string& name) { return std::string{folder} + "/" + name; }

  static std::string list_of(const std::vector<std::string>& texts) {
    std::string out;
    for (const std::string& text : texts) out += (out.empty() ? "\"" : ", \"") + text + "\"";
    return "[" + out + "]";
  }

  static std::string json_of(const TeamTask& task) {
    std::string out = fmt::format(R"({{"id": "{0}", "subject": "Do {0}", "owner": "{1}", "blockedBy": {2})", task.id,
                                  task.role, list_of(task.needs));
    if (task.declares) out += fmt::format(R"(, "artifacts": ["artifacts/{}.md"])", task.id);
    return out + (task.more.empty() ? "" : ", " + task.more) + "}";
  }

  /// The whole session. `more` holds further members of team-session.json.
  void team(const std::vector<TeamTask>& tasks, const std::string& more = "") const {
    std::string roles;
    std::string list;
    std::set<std::string> known;
    for (const TeamTask& task : tasks) {
      list += (list.empty() ? "\n    " : ",\n    ") + json_of(task);
      if (!known.insert(task.role).second) continue;
      const std::string prefix = task.id.substr(0, task.id.find('-'));
      roles += fmt::format("{}\n    {{\"name\": \"{}\", \"prefix\": \"{}\", \"role_file\": \"roles/{}.md\"}}",
                           roles.empty() ? "" : ",", task.role, prefix, task.role);
      place.write(in("roles/" + task.role + ".md"),
                  fmt::format("# Role: {0}\n\nThe {0} of the team.\n\n## Identity\n- **Name**: `{0}`\n\n## Boundaries\n"
                              "### MUST\n- work\n\n## Execution (5-Phase)\nDo it.\n",
                              task.role));
    }
    place.write(in("team-session.json"),
                fmt::format("{{\n  \"session_id\": \"TC-x\",\n  \"task_description\": \"Write a paper\",\n"
                            "  \"status\": \"active\",\n  \"team_name\": \"papers\",\n  \"mine\": 1.50,\n"
                            "  \"roles\": [{}\n  ]{}\n}}\n",
                            roles, more.empty() ? "" : ",\n  " + more));
    place.write(
        in("task-analysis.json"),
        fmt::format("{{\n  \"roles\": [\"all\"],\n  \"dependency_graph\": {{}},\n  \"tasks\": [{}\n  ]\n}}\n", list));
  }

  /// `baton team TC-x …`; with short delays between attempts.
  Outcome act(std::vector<std::string> more = {}) {
    std::vector<std::string> args{"team", "TC-x"};
    args.insert(args.end(), more.begin(), more.end());
    return place.baton(args);
  }
  Outcome begin(std::vector<std::string> more = {}) {
    std::vector<std::string> args{"--set", "limits.retry_delay=10ms"};
    args.insert(args.end(), more.begin(), more.end());
    return act(args);
  }
  /// Starts the team and waits for its end.
  Outcome through(std::vector<std::string> more = {}) {
    Outcome begun = begin(std::move(more));
    if (begun.code != 0) return begun;
    return act({"wait"});
  }

  [[nodiscard]] json::object session() const { return parse_json(place.read(in("team-session.json"))).as_object(); }
  [[nodiscard]] std::string status() const { return text_at(session(), "status"); }
  [[nodiscard]] std::vector<std::string> completed() const {
    std::vector<std::string> ids;
    const json::object file = session();
    for (const json::value& id : file.at("completed_tasks").as_array()) ids.emplace_back(id.as_string());
    return ids;
  }
  [[nodiscard]] std::vector<json::object> bus() const { return json_lines(place.read(in(".msg/messages.jsonl"))); }
  /// How many messages of this type speak so.
  [[nodiscard]] int said(const std::string& type, const std::string& part) const {
    int count = 0;
    for (const json::object& m : bus()) count += text_at(m, "type") == type && has(text_at(m, "summary"), part) ? 1 : 0;
    return count;
  }
  void expect_unique_ids() const {
    std::set<std::string> ids;
    for (const json::object& m : bus()) EXPECT_TRUE(ids.insert(text_at(m, "id")).second) << text_at(m, "id");
  }
  /// How often a worker was started for each task.
  [[nodiscard]] std::map<std::string, int> starts() const {
    std::map<std::string, int> out;
    for (const std::string& whom : claude.started()) ++out[whom.substr(0, whom.find('.'))];
    return out;
  }
};

/// Four roles, twelve tasks, in three waves and some lines.
inline std::vector<TeamTask> twelve_tasks() {
  std::vector<TeamTask> tasks;
  for (const char* n : {"1", "2", "3"}) {
    const std::string i = n;
    tasks.push_back({"RESEARCH-" + i, "researcher"});
    tasks.push_back({"DRAFT-" + i, "writer", {"RESEARCH-" + i}});
    tasks.push_back({"REVIEW-" + i, "reviewer", {"DRAFT-" + i}});
    tasks.push_back({"TEST-" + i, "tester", {"REVIEW-1", "DRAFT-" + i}});
  }
  return tasks;
}

}  // namespace baton::test
