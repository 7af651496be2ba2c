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

TEST_F(ConfigTest, FourFaultsGiveFourMessagesInTheOrderOfTheFile) {
  ConfigSources sources;
  sources.project_file = file("project.toml",
                              "[workflows.fix]\nskilz = [\"build\"]\n[limits]\njobs = 0\n"
                              "[runtime.claude]\n  model = 5\n[skills.review]\nmodle = \"opus\"\n");
  const auto config = Config::load(sources);
  ASSERT_FALSE(config);
  ASSERT_EQ(config.error().size(), 4U);
  const std::pair<int, int> places[] = {{2, 1}, {4, 1}, {6, 3}, {8, 1}};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(config.error()[i].place.file, sources.project_file);
    EXPECT_EQ(config.error()[i].place.line, places[i].first);
    EXPECT_EQ(config.error()[i].place.column, places[i].second);
  }
}

TEST_F(ConfigTest, FaultsOfEveryLayerComeTogether) {
  ConfigSources sources;
  sources.user_file = file("user.toml", "limits.jobs = 0\n");
  sources.project_file = file("project.toml", "[limits\n");
  sources.environment = {{"BATON_LIMITS__JOBS", "x"}};
  sources.sets = {"git.merge=x"};
  const auto config = Config::load(sources);
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().size(), 4U);
}

TEST_F(ConfigTest, SkillsAreMergedKeyByKey) {
  ConfigSources sources;
  sources.user_file = file("user.toml",
                           "[skills.review]\nmodel = \"sonnet\"\ntools = [\"Read\"]\ntimeout = \"9m\"\n"
                           "[skills.build]\nmodel = \"haiku\"\n");
  sources.project_file = file("project.toml", "[skills.review]\nmodel = \"opus\"\n");
  sources.sets = {"skills.review.max_turns=3"};
  const auto config = Config::load(sources);
  ASSERT_TRUE(config);
  EXPECT_EQ(config->text("skills.review.model"), "opus");
  EXPECT_EQ(config->list("skills.review.tools"), std::vector<std::string>{"Read"});
  EXPECT_EQ(config->duration("skills.review.timeout"), Millis{540'000});
  EXPECT_EQ(config->integer("skills.review.max_turns"), 3);
  EXPECT_EQ(config->text("skills.build.model"), "haiku");
}

TEST_F(ConfigTest, BothFormsOfAWorkflowAreOneValue) {
  const std::string by_list = "[workflows]\nfix = [\"build\"]\nmine = [\"spec\"]\n";
  const std::string by_table = "[workflows.fix]\nskills = [\"build\", \"test\"]\n";
  const auto skills = [](const Config& config) {
    std::map<std::string, std::vector<std::string>> all;
    for (const ConfiguredWorkflow& w : config.workflows()) all[w.name] = w.skills;
    return all;
  };
  using Lists = std::map<std::string, std::vector<std::string>>;
  ConfigSources sources{.user_file = file("user.toml", by_list), .project_file = file("project.toml", by_table)};
  EXPECT_EQ(skills(*Config::load(sources)), (Lists{{"fix", {"build", "test"}}, {"mine", {"spec"}}}));
  std::swap(sources.user_file, sources.project_file);
  const auto swapped = Config::load(sources);
  EXPECT_EQ(skills(*swapped), (Lists{{"fix", {"build"}}, {"mine", {"spec"}}}));
  EXPECT_EQ(swapped->all().at("workflows.fix").origin, sources.project_file + ":2");
  EXPECT_EQ(swapped->all().at("workflows.fix").place.column, 1);
  EXPECT_EQ(swapped->text("workflows.fix.skills"), swapped->text("workflows.fix")) << "either name finds it";
  sources.environment = {{"BATON_WORKFLOWS__FIX__SKILLS", "review"}};
  EXPECT_EQ(skills(*Config::load(sources)).at("fix"), std::vector<std::string>{"review"});
}

TEST_F(ConfigTest, AListThatIsEmptyIsNotOneThatIsUnset) {
  const auto config = Config::load({.sets = {"skills.route.tools=[]"}});
  ASSERT_TRUE(config);
  EXPECT_TRUE(config->has("skills.route.tools"));
  EXPECT_FALSE(config->has("skills.build.tools"));
}

TEST_F(ConfigTest, AFileThatCannotBeReadIsAFault) {
  fs::create_directory(folder_ / "folder.toml");
  const std::string path = (folder_ / "folder.toml").string();
  const auto config = Config::load({.project_file = path});
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().front().code, "bad-config");
  EXPECT_EQ(config.error().front().place.file, path);
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
