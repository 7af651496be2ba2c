// The file of agtop: what is taken from it, and what is said about it.
#include <gtest/gtest.h>

#include <algorithm>

#include "config/config.h"
#include "support/scratch.h"

namespace baton {
namespace {

using test::Scratch;
using test::write_bytes;

class Agtop : public testing::Test {
 protected:
  Config load(const std::string& toml) {
    write_bytes(scratch_.file("agtop.toml"), toml);
    auto config = Config::load(sources());
    EXPECT_TRUE(config) << (config ? "" : to_text(config.error().front()));
    return config ? *config : Config{};
  }
  ConfigSources sources() {
    return {.project_file = scratch_.file("baton.toml"), .agtop_file = scratch_.file("agtop.toml")};
  }
  /// The note about a line of the file that says this.
  static const Fault* note_at(const Config& config, int line, const std::string& part = "") {
    const auto found = std::ranges::find_if(config.notes(), [&](const Fault& f) {
      return f.place.line == line && f.message.find(part) != std::string::npos;
    });
    return found == config.notes().end() ? nullptr : &*found;
  }
  static bool says(const Config& config, const std::string& part) {
    return std::ranges::any_of(config.notes(), [&](const Fault& f) {
      return f.message.find(part) != std::string::npos || f.help.find(part) != std::string::npos;
    });
  }

  Scratch scratch_;
};

TEST_F(Agtop, KeysThatHaveAnEqualAreTaken) {
  struct Row {
    const char* toml;
    const char* key;
    const char* value;
  };
  const Row rows[] = {
      {"limits.max_tokens_per_run = 400000", "limits.budget_tokens", "400000"},
      {"limits.max_cost_per_run = 2.5", "limits.budget_usd", "2.5"},
      {"limits.max_concurrent_runs = 3", "limits.concurrent_runs", "3"},
      {"limits.rate_limit_backoff = 90", "limits.rate_limit_backoff", "90"},
      {"limits.rate_limit_max_retries = 5", "limits.rate_limit_retries", "5"},
      {"runtime.default = \"claude\"", "runtime.default", "claude"},
      {"runtime.claude.model = \"opus\"", "runtime.claude.model", "opus"},
      {"runtime.claude.max_turns = 20", "runtime.claude.max_turns", "20"},
      {"runtime.claude.permission_mode = \"acceptEdits\"", "runtime.claude.permission_mode", "acceptEdits"},
      {"runtime.claude.permission_mode = \"acceptAll\"", "runtime.claude.permission_mode", "bypassPermissions"},
      {"runtime.claude.permission_mode = \"manual\"", "runtime.claude.permission_mode", "default"},
      {"runtime.claude.allowed_tools = [\"Read\"]", "runtime.claude.tools", R"(["Read"])"},
      {"runtime.opencode.model = \"x/y\"", "runtime.opencode.model", "x/y"},
      {"skills.review.model = \"opus\"", "skills.review.model", "opus"},
      {"skills.review.timeout = 600", "skills.review.timeout", "600"},
      {"skills.review.allowed_tools = [\"Read\", \"Grep\"]", "skills.review.tools", R"(["Read","Grep"])"},
      {"workflows.fix = [\"build\"]", "workflows.fix", R"(["build"])"},
      {"workflows.fix.skills = [\"build\"]", "workflows.fix", R"(["build"])"},
      {"safety.blocked_patterns = ['rm\\s']", "safety.blocked_patterns", R"(["rm\\s"])"},
      {"merge.target_branch = \"trunk\"", "git.base", "trunk"},
      {"merge.merge_strategy = \"squash\"", "git.merge", "squash"},
      {"project.worktree_path = \"../trees\"", "git.worktree_path", "../trees"},
      {"limits.jobs = 2", "limits.jobs", "2"},  // one of ours
  };
  for (const Row& row : rows) {
    const Config config = load(row.toml);
    EXPECT_EQ(config.text(row.key), row.value) << row.toml;
    EXPECT_EQ(config.has(row.key) ? config.all().at(row.key).origin : "", scratch_.file("agtop.toml:1")) << row.toml;
  }
  EXPECT_EQ(load("skills.review.timeout = 600").duration("skills.review.timeout"), Millis{600'000});
}

TEST_F(Agtop, WhatMeansSomethingElseIsSaidWithItsPlace) {
  const std::pair<const char*, const char*> rows[] = {
      {"project.name = \"x\"", "goes by its folder"},
      {"project.root = \"sub\"", "the root is the folder of this file"},
      {"project.worktree_path = \"x\"", "here it counts"},
      {"project.repos = [\"a\"]", "several repositories"},
      {"project.test_command = \"make test\"", "does nothing in agtop"},
      {"project.ignore_skill_sources = [\"user-claude\"]", "the first folder that has a skill wins"},
      {"project.dev_server.command = \"npm start\"", "a server beside each run"},
      {"project.dev_server.base_port = 3100", "a server beside each run"},
      {"runtime.claude.permission_mode = \"acceptAll\"", "taken for 'bypassPermissions'"},
      {"runtime.claude.permission_mode = \"manual\"", "taken for 'default'"},
      {"runtime.claude.max_turns = 0", "'not set'"},
      {"runtime.opencode.agent = \"build\"", "is an argument of the program here"},
      {"skills.review.parallel = true", "does nothing in agtop"},
      {"safety.blocked_patterns = ['x']", "replaces the built-in patterns"},
      {"safety.allow_overrides = true", "does nothing in agtop"},
      {"limits.max_concurrent_runs = 5", "further runs wait"},
      {"limits.rate_limit_max_retries = 5", "here it counts"},
      {"merge.auto_merge = true", "pull requests"},
      {"merge.fix_attempts = 3", "pull requests"},
      {"merge.golden_update_command = \"x\"", "no file is resolved by its name"},
      {"merge.conflict_resolution_attempts = 3", "then a person is asked"},
      {"ui.theme = \"dark\"", "does nothing in agtop"},
      {"ui.log_scroll_speed = 3", "agtop's own window"},
      {"update.auto_check = false", "never looks for updates"},
      {"integrations.jira.base_url = \"x\"", "Jira"},
      {"workflows.auto = [\"route\", \"build\"]", "here this counts"},
      {"workflows.quick-fix.skills = []", "here it is [\"build\", \"test\"]"},
      {"limits.max_tokens_per_rum = 3", "neither of agtop nor of Baton"},
  };
  for (const auto& [toml, message] : rows) {
    const Config config = load(std::string{"\n"} + toml + "\n");
    const Fault* note = note_at(config, 2, message);
    ASSERT_NE(note, nullptr) << toml << " is not said to be: " << message;
    EXPECT_EQ(note->code, "agtop-note");
    EXPECT_EQ(note->severity, Severity::warning);
    EXPECT_FALSE(note->help.empty()) << toml;
    EXPECT_EQ(note->place.file, scratch_.file("agtop.toml"));
    EXPECT_GT(note->place.column, 0);
  }
  EXPECT_TRUE(says(load("[[repos]]\nname = \"a\"\npath = \"a\"\n"), "several repositories"));
}

TEST_F(Agtop, WhatChangesNothingIsNotSaid) {
  for (const char* toml : {"project.root = \".\"", "project.worktree_path = \"\"", "merge.target_branch = \"\"",
                           "merge.auto_merge = false", "runtime.claude.subscription = false",
                           "runtime.claude.model = \"opus\"", "limits.max_cost_per_run = 4", "[ui]"}) {
    const Config config = load(std::string{"\n"} + toml + "\n");
    EXPECT_EQ(note_at(config, 2), nullptr) << toml << ": " << note_at(config, 2)->message;
  }
  EXPECT_EQ(load("skills.review.ignore = false").notes().size(), load("skills.review.model = \"a\"").notes().size());
  EXPECT_TRUE(says(load("skills.review.ignore = true"), "'skills.review.ignore' has no effect"));
}

TEST_F(Agtop, ItsDefaultsAreNamedWhereTheFileLeavesThemToIt) {
  const Config none = load("");
  EXPECT_TRUE(says(none, "limits.budget_usd = 50") && says(none, "limits.budget_tokens = 500000") &&
              says(none, "runtime.claude.max_turns = 50"));
  EXPECT_FALSE(none.has("limits.budget_usd"));
  EXPECT_FALSE(says(load("limits.max_cost_per_run = 1"), "limits.budget_usd = 50"));
  EXPECT_TRUE(says(load("limits.max_cost_per_run = 0"), "limits.budget_usd = 50")) << "0 is as good as nothing";
}

TEST_F(Agtop, ASubscriptionHasNoDollarCap) {
  const Config config = load("[limits]\nmax_cost_per_run = 5\n[runtime.claude]\nsubscription = true\n");
  EXPECT_FALSE(config.has("limits.budget_usd"));
  ASSERT_NE(note_at(config, 4), nullptr);
  EXPECT_TRUE(says(config, "against a subscription")) << note_at(config, 4)->message;
  EXPECT_FALSE(says(load("runtime.claude.subscription = true"), "limits.budget_usd = 50"));
  const Config other = load(
      "limits.max_cost_per_run = 5\nruntime.default = \"opencode\"\n"
      "runtime.claude.subscription = true\n");
  EXPECT_EQ(other.number("limits.budget_usd"), 5) << "claude is not what is paid for";
}

TEST_F(Agtop, ATableOfASkillThatAgtopKnowsReplacesAllThereAndNothingHere) {
  const Config config = load("\n[skills.review]\nmodel = \"opus\"\n");
  EXPECT_NE(note_at(config, 3, "replaces all that is known of the skill"), nullptr);
  EXPECT_FALSE(says(load("[skills.mine]\nmodel = \"opus\"\n"), "replaces all")) << "it knows nothing of that one";
}

TEST_F(Agtop, FaultsNameTheKeyAsTheFileHasIt) {
  write_bytes(scratch_.file("agtop.toml"),
              "[limits]\nmax_cost_per_run = -1\nmax_tokens_per_run = \"many\"\n[merge]\nmerge_strategy = \"octopus\"\n"
              "[safety]\nblocked_patterns = ['(']\n[ui]\ntheme = \"dark\"\n");
  const auto config = Config::load(sources());
  ASSERT_FALSE(config);
  ASSERT_EQ(config.error().size(), 4U) << "notes are no faults";
  EXPECT_EQ(config.error()[0].message, "'-1' of limits.max_cost_per_run is not a number above 0");
  EXPECT_EQ(config.error()[1].place.line, 3);
  EXPECT_NE(config.error()[2].message.find("merge.merge_strategy is not one of merge, squash"), std::string::npos);
  EXPECT_EQ(config.error()[3].place.line, 7);
}

TEST_F(Agtop, IsNotReadBesideABatonToml) {
  write_bytes(scratch_.file("baton.toml"), "");
  const Config config = load("limits.max_tokens_per_run = 400000\nthis is [no toml");
  EXPECT_FALSE(config.has("limits.budget_tokens"));
  ASSERT_EQ(config.notes().size(), 1U);
  EXPECT_NE(config.notes().front().message.find("is not read"), std::string::npos);
  EXPECT_EQ(config.project_file(), scratch_.file("baton.toml"));
}

TEST_F(Agtop, LiesUnderTheEnvironmentAndFlags) {
  write_bytes(scratch_.file("agtop.toml"), "limits.max_tokens_per_run = 4\nlimits.max_cost_per_run = 4\n");
  ConfigSources layered = sources();
  layered.user_file = scratch_.file("user.toml");
  write_bytes(layered.user_file, "limits.budget_tokens = 1\nlimits.retries = 7\n");
  layered.environment = {{"BATON_LIMITS__BUDGET_USD", "9"}};
  const auto config = Config::load(layered);
  ASSERT_TRUE(config);
  EXPECT_EQ(config->integer("limits.budget_tokens"), 4);
  EXPECT_EQ(config->integer("limits.retries"), 7);
  EXPECT_EQ(config->number("limits.budget_usd"), 9);
}

TEST_F(Agtop, ItsVariablesAreNotReadAndOursAreNamed) {
  const std::pair<const char*, const char*> variables[] = {
      {"AGTOP_RUNTIME", "BATON_RUNTIME__DEFAULT"},
      {"AGTOP_MODEL", "BATON_RUNTIME__CLAUDE__MODEL"},
      {"AGTOP_PERMISSION_MODE", "BATON_RUNTIME__CLAUDE__PERMISSION_MODE"},
      {"AGTOP_MAX_COST", "BATON_LIMITS__BUDGET_USD"},
      {"AGTOP_MAX_TOKENS", "BATON_LIMITS__BUDGET_TOKENS"},
      {"AGTOP_MAX_CONCURRENT", "BATON_LIMITS__CONCURRENT_RUNS"},
  };
  for (const auto& [theirs, ours] : variables) {
    const auto config = Config::load({.environment = {{theirs, "3"}, {"AGTOP_ELSE", "x"}}});
    ASSERT_TRUE(config);
    ASSERT_EQ(config->notes().size(), 1U) << theirs;
    EXPECT_EQ(config->notes().front().place.file, theirs);
    EXPECT_NE(config->notes().front().help.find(ours), std::string::npos) << theirs;
  }
}

}  // namespace
}  // namespace baton
