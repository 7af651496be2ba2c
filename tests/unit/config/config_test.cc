#include "config/config.h"

#include <stdlib.h>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace baton {
namespace {

namespace fs = std::filesystem;

class ConfigTest : public testing::Test {
 protected:
  ConfigTest() {
    std::string name = (fs::temp_directory_path() / "baton-config-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~ConfigTest() override { fs::remove_all(folder_); }

  std::string file(const std::string& name, const std::string& text) {
    std::ofstream{folder_ / name} << text;
    return (folder_ / name).string();
  }

  fs::path folder_;
};

TEST_F(ConfigTest, LaterLayersWinKeyByKey) {
  ConfigSources sources;
  sources.user_file = file("user.toml", "[limits]\njobs = 2\nretries = 5\nretry_delay = \"3s\"\n");
  sources.project_file = file("project.toml", "[limits]\njobs = 3\nretries = 6\n");
  sources.environment = {{"BATON_LIMITS__JOBS", "7"}, {"BATON_RUN", "not ours"}, {"PATH", "/bin"}};
  sources.sets = {"limits.step_timeout=20m"};
  const auto config = Config::load(sources);
  ASSERT_TRUE(config);
  EXPECT_EQ(config->integer("limits.jobs"), 7);
  EXPECT_EQ(config->integer("limits.retries"), 6);
  EXPECT_EQ(config->duration("limits.retry_delay"), Millis{3000});
  EXPECT_EQ(config->duration("limits.step_timeout"), Millis{1'200'000});
  EXPECT_EQ(config->all().at("limits.jobs").origin, "BATON_LIMITS__JOBS");
  EXPECT_EQ(config->all().at("limits.retries").origin, sources.project_file + ":3");
  EXPECT_EQ(config->all().at("git.merge").origin, "default");
}

TEST_F(ConfigTest, ListsComeFromEveryLayer) {
  const auto items = [&](ConfigSources sources) { return Config::load(sources)->list("markdown.inputless_skills"); };
  using Items = std::vector<std::string>;
  EXPECT_EQ(items({}), (Items{"search", "browser-research"}));
  const std::string toml = file("list.toml", "[markdown]\ninputless_skills = [\"a b\", 'c\"d']\n");
  EXPECT_EQ(items({.project_file = toml}), (Items{"a b", "c\"d"}));
  EXPECT_EQ(items({.environment = {{"BATON_MARKDOWN__INPUTLESS_SKILLS", "x, y ,"}}}), (Items{"x", "y"}));
  EXPECT_EQ(items({.sets = {"markdown.inputless_skills=[\"x\"]"}}), Items{"x"});
  EXPECT_EQ(items({.sets = {"markdown.inputless_skills=[]"}}), Items{});
  EXPECT_EQ(Config::load({})->list("skills.paths"), Items{});
}

TEST_F(ConfigTest, ReportsEveryFaultAtOnceWithItsPlace) {
  ConfigSources sources;
  sources.project_file = file("project.toml", "[limits]\njobz = 3\njobs = \"many\"\n[git]\nmerge = \"octopus\"\n");
  sources.sets = {"limits.jobs"};
  const auto config = Config::load(sources);
  ASSERT_FALSE(config);
  ASSERT_EQ(config.error().size(), 4U);
  bool saw_unknown = false;
  for (const Fault& f : config.error()) {
    if (f.code != "unknown-config-key") continue;
    saw_unknown = true;
    EXPECT_EQ(f.place.line, 2);
    EXPECT_EQ(f.help, "did you mean 'limits.jobs'?");
  }
  EXPECT_TRUE(saw_unknown);
}

TEST_F(ConfigTest, BrokenTomlHasAPlace) {
  ConfigSources sources;
  sources.project_file = file("project.toml", "[limits\njobs = 3\n");
  const auto config = Config::load(sources);
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().front().code, "bad-config");
  EXPECT_EQ(config.error().front().place.line, 1);
}

TEST_F(ConfigTest, NamesWithStarsTakeAnyName) {
  ConfigSources sources;
  sources.project_file = file(
      "project.toml", "[runtime.claude]\ncommand = [\"claude\", \"-p\"]\n[workflows]\nfix = [\"build\", \"test\"]\n");
  const auto config = Config::load(sources);
  ASSERT_TRUE(config);
  EXPECT_EQ(config->text("runtime.claude.command"), R"(["claude","-p"])");
  EXPECT_EQ(config->text("workflows.fix"), R"(["build","test"])");
}

TEST(ConfigNames, FollowOneRule) {
  EXPECT_EQ(environment_name("limits.retry_delay"), "BATON_LIMITS__RETRY_DELAY");
  EXPECT_FALSE(describe_key("limits.jobs").empty());
  EXPECT_TRUE(describe_key("limits.nothing").empty());
}

}  // namespace
}  // namespace baton
