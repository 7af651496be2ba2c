// A team session's files: every shape they come in, and everything that can be wrong with them.
#include <gmock/gmock.h>

#include <filesystem>

#include "support/samples.h"
#include "unit/dialect/team/world.h"

namespace baton::team {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> messages(const TeamTexts& texts) {
  std::vector<std::string> out;
  for (const Fault& f : read_team(texts, folder, "the/path").faults) out.push_back(f.message);
  return out;
}
std::string first(const TeamTexts& texts) {
  const auto all = messages(texts);
  return all.empty() ? "" : all.front();
}
std::vector<std::string> ids(const Team& team) {
  std::vector<std::string> out;
  for (const Task& task : team.tasks) out.push_back(task.id);
  return out;
}
TeamTexts replaced(const std::string& what, const std::string& with, bool in_analysis = false) {
  TeamTexts texts = old_texts();
  std::string& text = in_analysis ? *texts.analysis : *texts.session;
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  text.replace(at, what.size(), with);
  return texts;
}
TeamTexts with_analysis(const std::string& analysis) {
  TeamTexts texts = old_texts();
  texts.analysis = analysis;
  return texts;
}

TEST(TeamRead, AGoodOldSession) {
  const Team team = team_of(old_texts());
  EXPECT_EQ(team.file.id, "TC-x");
  EXPECT_THAT(ids(team), ElementsAre("RESEARCH-001", "DRAFT-001"));
  EXPECT_EQ(team.find("DRAFT-001")->role, "writer");
  EXPECT_THAT(team.find("DRAFT-001")->needs, ElementsAre("RESEARCH-001"));
  EXPECT_THAT(team.find("RESEARCH-001")->artifacts, ElementsAre("artifacts/sources.md"));
  EXPECT_EQ(team.roles[1].success_type, "draft_complete");
  EXPECT_EQ(team.roles[1].error_type, "draft_error");
  EXPECT_FALSE(*team.find("DRAFT-001")->inner_loop);
}

TEST(TeamRead, EachCheckSaysItsWords) {
  TeamTexts none;
  EXPECT_EQ(first(none), "Session directory not found: the/path");
  TeamTexts texts = old_texts();
  texts.session.reset();
  EXPECT_EQ(first(texts), "Invalid session: team-session.json missing");
  texts = old_texts();
  texts.session = "{ broken";
  EXPECT_THAT(first(texts), HasSubstr("Invalid session: team-session.json corrupt"));
  EXPECT_EQ(first(replaced("\"session_id\"", "\"x\"")), "team-session.json missing required field: session_id");
  EXPECT_EQ(first(replaced("\"team_name\"", "\"x\"")), "team-session.json missing required field: team_name");
  EXPECT_EQ(first(replaced("\"active\"", "\"running\"")), "team-session.json has invalid status");
  EXPECT_EQ(first(replaced("\"roles\"", "\"x\"")), "team-session.json missing or empty roles array");
  texts = old_texts();
  texts.analysis.reset();
  EXPECT_EQ(first(texts), "Invalid session: task-analysis.json missing");
  texts.analysis = "[]";
  EXPECT_THAT(first(texts), HasSubstr("Invalid session: task-analysis.json corrupt"));
  EXPECT_EQ(first(replaced("\"roles\"", "\"x\"", true)), "task-analysis.json missing or empty roles array");
  EXPECT_EQ(first(with_analysis(R"({"roles":["writer"],"dependency_graph":{}})")),
            "task-analysis.json missing or empty tasks array");
  EXPECT_EQ(first(with_analysis(R"({"roles":["writer"]})")),
            "task-analysis.json missing required field: dependency_graph");
  texts = old_texts();
  texts.has_roles = false;
  EXPECT_EQ(first(texts), "Invalid session: roles/ directory missing");
  texts = old_texts();
  texts.role_files.clear();
  EXPECT_EQ(first(texts), "Invalid session: no role files in roles/");
  texts = old_texts();
  texts.role_files.erase("roles/writer.md");
  EXPECT_EQ(first(texts), "Role file not found: roles/writer.md");
  texts = old_texts();
  texts.role_files["roles/writer.md"] = "Just text.\n";
  EXPECT_THAT(messages(texts), ElementsAre("Invalid role file: roles/writer.md missing role header",
                                           "Invalid role file: roles/writer.md missing required section: Identity",
                                           "Invalid role file: roles/writer.md missing required section: Boundaries",
                                           "Invalid role file: roles/writer.md missing required section: Execution"));
}

TEST(TeamRead, AllThatIsWrongIsSaidAtOnceInOrderWithAHint) {
  TeamTexts texts = replaced("\"team_name\"", "\"x\"");
  texts.analysis.reset();
  texts.role_files.erase("roles/writer.md");
  EXPECT_THAT(messages(texts),
              ElementsAre("team-session.json missing required field: team_name",
                          "Invalid session: task-analysis.json missing", "Role file not found: roles/writer.md"));
  for (const Fault& f : read_team(texts, folder, folder).faults)
    EXPECT_THAT(f.help, HasSubstr("team-coordinate")) << f.message;
  EXPECT_FALSE(read_team(texts, folder, folder).is_good());
}

TEST(TeamRead, FaultsHaveAPlace) {
  const auto faults = read_team(replaced("\"active\"", "\"running\""), folder, folder).faults;
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0].place.file, ".workflow/.team/TC-x/team-session.json");
  EXPECT_EQ(faults[0].place.line, 4);
  TeamTexts texts = old_texts();
  texts.session = "{\n  \"session_id\": 1,\n  x\n}";
  EXPECT_EQ(read_team(texts, folder, folder).faults.at(0).place.line, 3);
}

TEST(TeamRead, SectionsOfARoleHaveToBeInOrder) {
  TeamTexts texts = old_texts();
  texts.role_files["roles/writer.md"] = "# Role: writer\n## Boundaries\n## Identity\n## Execution\n";
  EXPECT_THAT(messages(texts), ElementsAre("Invalid role file: roles/writer.md missing required section: Boundaries"));
}

TeamTexts new_texts() {
  TeamTexts texts = old_texts();
  texts.has_roles = false;
  texts.has_specs = true;
  texts.session =
      R"({"session_id":"TC-x","task_description":"d","status":"paused","team_name":"t","completion_action":"auto_keep",
         "roles":[{"name":"researcher","prefix":"RESEARCH","role_spec":"role-specs/researcher.md","inner_loop":true},
                  {"name":"writer","prefix":"DRAFT","role_spec":"<session>/role-specs/writer.md"}],
         "pipeline":{"dependency_graph":{"RESEARCH-001":[],"DRAFT-001":{"depends_on":["RESEARCH-001"],"role":"writer"}}}})";
  texts.role_files = {{"role-specs/researcher.md", spec_text("researcher", "RESEARCH")},
                      {"role-specs/writer.md", spec_text("writer", "DRAFT", "true")}};
  return texts;
}

TEST(TeamRead, ANewSessionWithSpecs) {
  const Team team = team_of(new_texts());
  EXPECT_EQ(team.roles[0].file, "role-specs/researcher.md");
  EXPECT_EQ(team.roles[0].success_type, "researcher_done");
  EXPECT_EQ(team.roles[0].error_type, "error");
  EXPECT_TRUE(team.roles[0].inner_loop) << "the register has the word";
  EXPECT_TRUE(team.roles[1].inner_loop) << "else the front matter";
  EXPECT_EQ(team.file.completion_action, "auto_keep");
  EXPECT_THAT(team.roles[1].body, testing::StartsWith("# writer"));
}

TEST(TeamRead, WhatIsWrongWithASpec) {
  TeamTexts texts = new_texts();
  texts.has_specs = false;
  EXPECT_EQ(first(texts), "Invalid session: role-specs/ directory missing");
  texts = new_texts();
  texts.role_files = {{"roles/writer.md", ""}};
  EXPECT_EQ(first(texts), "Invalid session: no role-spec files in role-specs/");
  texts = new_texts();
  texts.role_files.erase("role-specs/writer.md");
  EXPECT_EQ(first(texts), "Role-spec file not found: role-specs/writer.md");
  texts = new_texts();
  texts.role_files["role-specs/writer.md"] = "# writer\n## Phase 2\n## Phase 4\n";
  EXPECT_THAT(messages(texts), ElementsAre("Invalid role-spec: role-specs/writer.md missing frontmatter",
                                           "Invalid role-spec: missing Phase 3"));
  texts.role_files["role-specs/writer.md"] = "---\nrole: writer\n---\n## Phase 2\n## Phase 3\n## Phase 4\n";
  EXPECT_THAT(messages(texts), ElementsAre("Invalid role-spec: role-specs/writer.md missing prefix",
                                           "Invalid role-spec: role-specs/writer.md missing inner_loop",
                                           "Invalid role-spec: role-specs/writer.md missing message_types"));
}

TEST(TeamRead, AnEmptyMapOfMessagesAndAKeyWithABlankAreFine) {
  TeamTexts texts = new_texts();
  texts.role_files["role-specs/writer.md"] =
      "---\nrole: writer\nprefix: DRAFT\ninner_loop: false\nCLI tools: [maestro cli --mode "
      "write]\nmessage_types:\n---\n"
      "Identity first.\n# writer\n## Phase 2\n## Phase 3\n## Phase 4\n";
  EXPECT_EQ(team_of(texts).roles[1].success_type, "draft_complete");
}

TEST(TeamRead, PathsOfRolesStayInTheSessionAndHaveTheRolesName) {
  const auto said = [](const std::string& path) { return first(replaced("roles/writer.md", path)); };
  EXPECT_THAT(said("../../other/roles/writer.md"), HasSubstr("not in the session"));
  EXPECT_THAT(said("roles/../../writer.md"), HasSubstr("not in the session"));
  EXPECT_THAT(said("/etc/writer.md"), HasSubstr("not in the session"));
  EXPECT_THAT(said("roles/author.md"), HasSubstr("has another name"));
  EXPECT_EQ(said(".workflow/.team/TC-x/roles/writer.md"), "");
  EXPECT_EQ(said("writer.md"), "");
  EXPECT_THAT(first(replaced("\"name\": \"writer\"", "\"name\": \"../writer\"")), HasSubstr("no name for a role"));
  TeamTexts texts = new_texts();
  texts.role_files["role-specs/writer.md"] = spec_text("author", "DRAFT");
  EXPECT_THAT(first(texts), HasSubstr("says that it is of the role 'author'"));
}

TEST(TeamRead, EveryShapeOfTheGraphGivesTheSameOrder) {
  for (
      const char* graph :
      {R"({"RESEARCH-001":[],"DRAFT-001":["RESEARCH-001"]})",
       R"({"RESEARCH-001":{"depends_on":[],"role":"researcher"},"DRAFT-001":{"depends_on":["RESEARCH-001"],"role":"writer"}})",
       R"({"RESEARCH-001":{"role":"researcher","blockedBy":[],"priority":1},"DRAFT-001":{"role":"writer","blockedBy":["RESEARCH-001"],"priority":2}})"}) {
    const Team team = team_of(with_analysis(fmt::format(R"({{"roles":["writer"],"dependency_graph":{}}})", graph)));
    EXPECT_THAT(ids(team), ElementsAre("RESEARCH-001", "DRAFT-001")) << graph;
    EXPECT_EQ(team.find("DRAFT-001")->role, "writer") << graph;
    EXPECT_THAT(team.find("DRAFT-001")->needs, ElementsAre("RESEARCH-001")) << graph;
  }
}

TEST(TeamRead, TheProducersOwnShape) {
  const Team team = team_of(with_analysis(R"({
    "task_description":"d",
    "capabilities":[{"name":"research","prefix":"RESEARCH","responsibility_type":"orchestration",
        "tasks":[{"id":"RESEARCH-001","goal":"Find","steps":["a","b"],"success_criteria":"all found","constraints":["none"]}],
        "artifacts":["found.md"]},
      {"name":"writing","prefix":"DRAFT","tasks":[{"id":"DRAFT-001","description":"Write\nInnerLoop: true"},{"id":"DRAFT-002"}]}],
    "dependency_graph":{"RESEARCH-001":[],"DRAFT-001":["RESEARCH-001"],"DRAFT-002":["DRAFT-001"]},
    "roles":[{"name":"researcher","prefix":"RESEARCH"},{"name":"writer","prefix":"DRAFT","inner_loop":false}],
    "artifacts":[{"name":"draft","producer":"writer","path":"artifacts/draft-002.md"},
                 {"name":"one","producer":"DRAFT-001","path":"<session>/artifacts/one.md"}]})"));
  EXPECT_THAT(ids(team), ElementsAre("RESEARCH-001", "DRAFT-001", "DRAFT-002"));
  EXPECT_EQ(team.tasks[0].description, "Find");
  EXPECT_THAT(team.tasks[0].artifacts, ElementsAre("artifacts/found.md"));
  EXPECT_THAT(team.tasks[1].artifacts, ElementsAre("artifacts/one.md"));
  EXPECT_THAT(team.tasks[2].artifacts, ElementsAre("artifacts/draft-002.md")) << "its name is in it";
  EXPECT_TRUE(*team.tasks[1].inner_loop) << "the task's own word counts most";
  EXPECT_FALSE(*team.tasks[2].inner_loop);
  EXPECT_THAT(team.tasks[0].success_criteria, ElementsAre("all found"));
}

TEST(TeamRead, TasksAsAMapAndThoseThatAreThereTwice) {
  const Team map = team_of(with_analysis(
      R"({"roles":["w"],"tasks":{"RESEARCH-1":{"title":"t","role":"researcher"},"DRAFT-1":{"deps":["RESEARCH-1"]}}})"));
  EXPECT_THAT(ids(map), ElementsAre("RESEARCH-1", "DRAFT-1"));
  EXPECT_EQ(map.tasks[1].role, "writer") << "by its prefix";
  const auto twice = read_team(
      with_analysis(R"({"roles":["w"],"tasks":[{"id":"DRAFT-1","subject":"a"},{"id":"DRAFT-1","subject":"b"}]})"),
      folder, folder);
  ASSERT_TRUE(twice.is_good());
  EXPECT_EQ(twice.team.tasks[0].subject, "a");
  ASSERT_EQ(twice.faults.size(), 1U);
  EXPECT_EQ(twice.faults[0].code, "duplicate-task");
}

TEST(TeamRead, WhatTheTasksLack) {
  const auto said = [](const std::string& tasks) {
    return messages(with_analysis(fmt::format(R"({{"roles":["w"],"tasks":{}}})", tasks)));
  };
  EXPECT_THAT(said(R"([{"id":"TEST-1"}])"), ElementsAre(HasSubstr("nobody has the task 'TEST-1'")));
  EXPECT_THAT(said(R"([{"id":"TEST-1","owner":"tester"}])"),
              ElementsAre(HasSubstr("is for 'tester', which is no role")));
  EXPECT_THAT(said(R"([{"id":"../x","owner":"writer"}])"), testing::Contains(HasSubstr("no id for a task")));
  EXPECT_THAT(said(R"([{"id":"DRAFT-1","blockedBy":["DRAFT-2"]},{"id":"DRAFT-2","blockedBy":["DRAFT-1"]}])"),
              ElementsAre("these tasks wait for each other: DRAFT-1, DRAFT-2"));
  EXPECT_THAT(said(R"([{"id":"DRAFT-1","artifacts":["../../etc/passwd"]}])"),
              ElementsAre(HasSubstr("not in the session")));
  const auto unknown =
      read_team(with_analysis(R"({"roles":["w"],"tasks":[{"id":"DRAFT-1","blockedBy":["DRAFT-9"]}]})"), folder, folder);
  ASSERT_TRUE(unknown.is_good()) << "it is blocked, the rest is not";
  EXPECT_EQ(unknown.faults.at(0).code, "unknown-dependency");
}

TEST(TeamRead, WorkersInEveryShape) {
  const auto workers = [](const std::string& json) {
    return team_of(replaced("\"active_workers\": []", "\"active_workers\": " + json)).file.workers;
  };
  const auto list = workers(
      R"([{"task":"DRAFT-001","role":"writer","worker_id":"w1","pid":42,"started_at":"2026-11-15T12:00:00Z"},"RESEARCH-001"])");
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0].pid, 42);
  EXPECT_EQ(list[0].started, time_from_ms(1794744000000));
  EXPECT_EQ(list[1].task, "RESEARCH-001");
  const auto map = workers(R"({"DRAFT-001":{"agentId":"a1","role":"writer"},"RESEARCH-001":"a2"})");
  ASSERT_EQ(map.size(), 2U);
  EXPECT_EQ(map[0].worker_id, "a1");
  EXPECT_EQ(map[1].worker_id, "a2");
}

class ForeignTeamRead : public testing::TestWithParam<test::Origin> {};
INSTANTIATE_TEST_SUITE_P(Samples, ForeignTeamRead, test::both_origins(), test::origin_name);

TEST_P(ForeignTeamRead, IsRefused) {
  const std::string sample = test::foreign_team_of(GetParam());
  if (const auto why = test::absent(GetParam(), sample); !why.empty()) GTEST_SKIP() << why;
  ASSERT_TRUE(std::filesystem::exists(sample + "/session.json"));
  TeamTexts texts;
  texts.is_folder = true;
  texts.has_roles = std::filesystem::exists(sample + "/roles");
  EXPECT_FALSE(std::filesystem::exists(sample + "/team-session.json"));
  EXPECT_EQ(first(texts), "Invalid session: team-session.json missing");
}

}  // namespace
}  // namespace baton::team
