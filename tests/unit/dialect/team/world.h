#pragma once

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "dialect/team/team.h"
#include "dialect/team/team_plan.h"
#include "support/story.h"

namespace baton::team {

constexpr Time now = time_from_ms(1794744000000);

inline constexpr const char* folder = ".workflow/.team/TC-x";

inline std::string role_text(const std::string& name, const std::string& more = "") {
  return fmt::format(
      "# Role: {0}\n\nDoes things.\n\n## Identity\n- **Name**: `{0}`\n{1}\n## Boundaries\n### MUST\n- work\n\n"
      "## Execution (5-Phase)\n1. do it\n",
      name, more);
}

inline std::string spec_text(const std::string& name, const std::string& prefix, const std::string& loop = "false") {
  return fmt::format(
      "---\nrole: {0}\nprefix: {1}\ninner_loop: {2}\nmessage_types:\n  success: {0}_done\n  error: error\n---\n\n"
      "# {0}\n\n## Phase 2: Context\nRead.\n\n## Phase 3: Work\nWork.\n\n## Phase 4: Verify\nVerify.\n",
      name, prefix, loop);
}

/// A session of two roles in the old shape: a researcher and a writer.
inline TeamTexts old_texts() {
  TeamTexts texts;
  texts.is_folder = true;
  texts.has_roles = true;
  texts.session =
      R"({
  "session_id": "TC-x",
  "task_description": "Write a paper",
  "status": "active",
  "team_name": "papers",
  "roles": [
    {"name": "researcher", "prefix": "RESEARCH", "role_file": "roles/researcher.md"},
    {"name": "writer", "prefix": "DRAFT", "role_file": "roles/writer.md"}
  ],
  "completed_tasks": [],
  "active_workers": []
})";
  texts.analysis =
      R"({
  "capabilities": [],
  "dependency_graph": {"RESEARCH-001": [], "DRAFT-001": ["RESEARCH-001"]},
  "roles": [{"name": "researcher"}, {"name": "writer"}],
  "tasks": [
    {"id": "RESEARCH-001", "subject": "Find sources", "owner": "researcher", "blockedBy": [],
     "artifacts": ["sources.md"]},
    {"id": "DRAFT-001", "subject": "Write it", "owner": "writer", "blockedBy": ["RESEARCH-001"]}
  ]
})";
  texts.role_files = {{"roles/researcher.md", role_text("researcher")}, {"roles/writer.md", role_text("writer")}};
  return texts;
}

inline Team team_of(const TeamTexts& texts) {
  TeamRead read = read_team(texts, folder, folder);
  for (const Fault& f : read.faults) EXPECT_EQ(f.severity, Severity::warning) << to_text(f);
  return read.team;
}

inline Task task_of(const std::string& id, const std::string& role, std::vector<std::string> needs = {},
                    std::vector<std::string> artifacts = {}, bool loops = false) {
  Task task;
  task.id = id;
  task.subject = "Do " + id;
  task.role = role;
  task.needs = std::move(needs);
  task.artifacts = std::move(artifacts);
  task.inner_loop = loops;
  return task;
}

inline Role role_of(const std::string& name, const std::string& prefix) {
  Role role;
  role.name = name;
  role.prefix = prefix;
  role.file = "roles/" + name + ".md";
  role.success_type = name + "_complete";
  role.error_type = name + "_error";
  return role;
}

/// A team without files, for what is decided while it runs.
inline Team made_of(std::vector<Task> tasks) {
  Team team;
  team.folder = folder;
  team.file.id = "TC-x";
  team.file.team_name = "papers";
  team.file.description = "Write a paper";
  for (Task& task : tasks) {
    if (find_role(team.roles, task.role) == nullptr)
      team.roles.push_back(role_of(task.role, task.id.substr(0, task.id.find('-'))));
    team.tasks.push_back(std::move(task));
  }
  return team;
}

/// A run of it, told event by event.
struct TeamStory {
  explicit TeamStory(Team its_team) : team(std::move(its_team)), story(make_plan(team, {.id = "TC-x"})) {}

  Team team;
  test::Story story;

  /// The task's turn came to this, and its worker began.
  TeamStory& begins(const std::string& id, std::vector<std::string> also = {}) {
    const FlowRun* flow = story.run.flow_of(story.step(id));
    event::TurnTaken e;
    e.step = story.step(id);
    e.generation = flow->generation;
    e.round = flow->round + 1;
    if (!also.empty()) {
      auto work = std::make_shared<Work>(*story.run.step(e.step).work);
      work->also = std::move(also);
      e.work = std::move(work);
    }
    story.happens(std::move(e)).begins(id);
    return *this;
  }
  TeamStory& does(const std::string& id, std::vector<std::string> also = {}) {
    begins(id, std::move(also));
    story.ends(id);
    story.checked(id, true);
    return *this;
  }
  TeamStory& says(const std::string& task, const std::string& kind, const std::string& text = "said",
                  const std::string& data = "", int attempt = 1) {
    story.happens(event::WorkerReported{story.step(task), attempt, fmt::format("r{}", story.run.reports().size() + 1),
                                        kind, story.run.step(story.step(task)).work->skill, text, data});
    return *this;
  }
};

}  // namespace baton::team
