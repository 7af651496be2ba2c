// Two runs of a project in one process: what agents are told is what their own run says.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "cli/project_dialects.h"
#include "support/scratch.h"
#include "support/story.h"

namespace baton::test {
namespace {

namespace fs = std::filesystem;

/// A project in a folder of its own.
struct TwoRuns : testing::Test {
  Scratch scratch;
  cli::Project project = opened();
  cli::ProjectSkills skills{project};
  cli::ProjectAgents agents{project, skills};
  cli::ProjectDialects dialects{project, skills, agents};

  [[nodiscard]] cli::Project opened() const {
    cli::Common common;
    common.directory = scratch.path();
    write_bytes(scratch.file("baton.toml"), "");
    return cli::Project::open(common).value();
  }
  static baton::Run begun(const std::string& dialect, std::map<std::string, std::string> options) {
    Plan plan = plan_of("WRITE-001");
    plan.dialect = dialect;
    plan.steps[0].work = std::make_shared<const Work>(Work{.skill = "writer", .mission = "Write."});
    RunSettings settings;
    settings.options = std::move(options);
    baton::Run run;
    (void)run.apply({Time{}, event::RunCreated{std::make_shared<const Plan>(std::move(plan)), settings}});
    return run;
  }
  baton::Run team(const std::string& name, const std::string& role) const {
    const std::string folder = ".workflow/.team/TC-" + name;
    fs::create_directories(scratch.file(folder + "/roles"));
    write_bytes(scratch.file(folder + "/team-session.json"), R"({"session_id": "TC-)" + name + R"(", "status": "active",
      "roles": [{"name": "writer", "prefix": "WRITE", "role_file": "roles/writer.md"}], "pipeline": {}})");
    write_bytes(
        scratch.file(folder + "/task-analysis.json"),
        R"({"roles": [{"name": "writer", "prefix": "WRITE"}], "dependency_graph": {"WRITE-001": {"role": "writer"}}})");
    write_bytes(scratch.file(folder + "/roles/writer.md"), role);
    return begun("team", {{"team_folder", folder}, {"session", "TC-" + name}});
  }
};

TEST_F(TwoRuns, RolesOfOneNameAreThoseOfTheirTeams) {
  const baton::Run one = team("one", "---\nrole: writer\nprefix: WRITE\n---\n\nWrite for children.\n");
  const baton::Run other = team("other", "---\nrole: writer\nprefix: WRITE\n---\n\nWrite for judges.\n");
  const auto of_one = dialects.drive("r1", one);
  const auto of_other = dialects.drive("r2", other);
  const auto told_one = of_one->brief(one, step_index(0), 1);
  const auto told_other = of_other->brief(other, step_index(0), 1);
  ASSERT_TRUE(told_one.skill && told_other.skill);
  EXPECT_NE(told_one.skill->body.find("Write for children."), std::string::npos) << told_one.skill->body;
  EXPECT_NE(told_other.skill->body.find("Write for judges."), std::string::npos) << told_other.skill->body;
}

TEST_F(TwoRuns, RulesAreThoseThatAreEnforced) {
  const auto kept = [&](const std::string& name, const std::string& policy) {
    fs::create_directories(scratch.file(name));
    write_bytes(scratch.file(name + "/safety.json"), policy);
    return begun("markdown", {{"folder", scratch.file(name)}});
  };
  safety::PolicyText strict;
  strict.blocked = {{"", "deploy", "it is Friday", "--set"}};
  safety::PolicyText none;
  none.enabled = false;
  const baton::Run guarded = kept("a", safety::to_json(strict));
  const baton::Run free = kept("b", safety::to_json(none));
  EXPECT_FALSE(agents.constraints(guarded).empty());
  EXPECT_TRUE(agents.constraints(free).empty()) << "the configuration of today has rules, this run has none";
}

}  // namespace
}  // namespace baton::test
