#pragma once

#include <fmt/core.h>

#include <string>
#include <vector>

#include "support/scripted_claude.h"

namespace baton::test {

/// A task's file, before it is written.
struct WorkspaceTask {
  std::string id;
  std::string skill = "copywriting";
  std::string status = "pending";
  std::string priority = "P2";
  std::string output = {};  ///< empty: where results of that skill are looked for
  std::vector<std::string> inputs = {};
  int revision = 0;
  std::string more = {};  ///< further lines of its head
};

/// A project with a workspace, skills, and an agent that does what a test says.
class WithWorkspace : public Outside {
 protected:
  ScriptedClaude claude{place};

  WithWorkspace() {
    claude.does("default", "says '# Copy\n\nAs it was asked for.'");
    for (const char* name : {"copywriting", "copy-editing", "page-cro", "seo-audit", "product-marketing-context"}) {
      skill(name);
    }
    for (const char* folder : {"context", "outputs", "reviews", "memory"}) {
      place.write(std::string{"workspace/"} + folder + "/.keep", "");
    }
  }

  void skill(const std::string& name) const {
    place.write(fmt::format(".agents/skills/{}/SKILL.md", name),
                fmt::format("---\nname: {0}\ndescription: Does {0}.\n---\n\nYou do {0}.\n", name));
  }

  static std::string output_of(const WorkspaceTask& t) {
    return t.output.empty() ? fmt::format("outputs/creative/{}/{}.md", t.skill, t.id) : t.output;
  }
  static std::string text_of(const WorkspaceTask& t) {
    std::string inputs;
    for (const std::string& path : t.inputs) inputs += fmt::format("  - `{}` — what was there before\n", path);
    return fmt::format(
        "---\nid: {}\nstatus: {}\npriority: {}\nfrom: director\nto: {}\ncreated_at: 2026-11-15T09:30:00.000Z\n"
        "updated_at: 2026-11-15T09:30:00.000Z\nrevision_count: {}\noutput_path: {}\noutput_format: Markdown\n"
        "next_type: complete\n{}---\n\n# Task: {}\n\n## Context\n- **Goal:** Sell more\n- **Input files:**\n{}\n"
        "## Requirements\n\nWrite a page.\n\n## And more\n\nIn two parts.\n\n## Output\n- **Write to:** `x`\n",
        t.id, t.status, t.priority, t.skill, t.revision, output_of(t), t.more, t.id, inputs);
  }
  void task(const WorkspaceTask& t) const { place.write("workspace/tasks/" + t.id + ".md", text_of(t)); }

  [[nodiscard]] std::string file_of(const std::string& id) const { return place.read("workspace/tasks/" + id + ".md"); }
  [[nodiscard]] std::string field(const std::string& id, const std::string& key) const {
    for (const std::string& line : lines_of(file_of(id))) {
      if (line.starts_with(key + ": ")) return line.substr(key.size() + 2);
    }
    return "(none)";
  }
  [[nodiscard]] std::string status(const std::string& id) const { return field(id, "status"); }
  [[nodiscard]] std::string written(const std::string& path) const { return place.read("workspace/" + path); }

  Outcome run(const std::string& target, std::vector<std::string> more = {}) {
    std::vector<std::string> args{"run", target, "--set", "limits.retry_delay=10ms"};
    args.insert(args.end(), more.begin(), more.end());
    return place.baton(args);
  }
  Outcome run_task(const std::string& id, std::vector<std::string> more = {}) {
    return run("workspace/tasks/" + id + ".md", std::move(more));
  }
};

}  // namespace baton::test
