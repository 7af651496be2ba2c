#pragma once

#include <fmt/core.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "support/scripted_claude.h"

namespace baton::test {

/// A project with a session WFS-x, and with an agent that does what a test says.
class WithSession : public Outside {
 protected:
  static constexpr const char* folder = ".workflow/active/WFS-x";
  ScriptedClaude claude{place};

  WithSession() {
    claude.does("default", "says 'Done as told.'");
    place.write(in("workflow-session.json"),
                "{\n  \"session_id\": \"WFS-x\",\n  \"project\": \"Add a log-in\",\n  \"status\": \"planning\"\n}\n");
    place.write(in("IMPL_PLAN.md"), "# Plan\n\nIn words.\n");
  }

  static std::string in(const std::string& name) { return std::string{folder} + "/" + name; }

  /// A task by itself: `more` holds further members (`"depends_on": ["IMPL-1"]`).
  void task(const std::string& id, const std::string& more = "", const std::string& status = "pending") const {
    place.write(in(".task/" + id + ".json"),
                fmt::format("{{\n  \"id\": \"{0}\",\n  \"title\": \"Do {0}\",\n  \"description\": \"All of {0}\",\n"
                            "  \"status\": \"{2}\",\n  \"convergence\": {{\"criteria\": [\"it works\"]}}{1}\n}}\n",
                            id, more.empty() ? "" : ",\n  " + more, status));
  }
  static std::string line(const std::string& id, char mark = ' ') {
    return fmt::format("- [{1}] **{0}**: Do {0} → [📋](./.task/{0}.json)\n", id, mark);
  }
  void list(const std::vector<std::string>& ids) const {
    std::string text = "# Tasks: log-in\n\n## Task Progress\n";
    for (const std::string& id : ids) text += line(id);
    place.write(in("TODO_LIST.md"), text + "\n## Status Legend\n- [ ] = Pending\n- [x] = Completed\n");
  }
  /// The list and, for each of them, a file.
  void tasks(const std::vector<std::string>& ids) const {
    list(ids);
    for (const std::string& id : ids) task(id);
  }

  static std::string needs(const std::vector<std::string>& ids) {
    std::string text;
    for (const std::string& id : ids) text += (text.empty() ? "\"" : ", \"") + id + "\"";
    return "\"depends_on\": [" + text + "]";
  }

  [[nodiscard]] json::object task_file(const std::string& id, const std::string& where = folder) const {
    return parse_json(place.read(where + "/.task/" + id + ".json")).as_object();
  }
  [[nodiscard]] std::string status(const std::string& id, const std::string& where = folder) const {
    return text_at(task_file(id, where), "status");
  }
  [[nodiscard]] std::string session_status(const std::string& where = folder) const {
    return text_at(parse_json(place.read(where + "/workflow-session.json")).as_object(), "status");
  }

  Outcome run(std::vector<std::string> more = {}) {
    std::vector<std::string> args{"run", "WFS-x", "--set", "limits.retry_delay=10ms"};
    args.insert(args.end(), more.begin(), more.end());
    return place.baton(args);
  }
};

/// Every file beneath a folder with its content, by its path from there.
inline std::map<std::string, std::string> files_beneath(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator{folder}) {
    if (!entry.is_regular_file()) continue;
    files[entry.path().lexically_relative(folder).string()] = read_text(entry.path().string());
  }
  return files;
}

}  // namespace baton::test
