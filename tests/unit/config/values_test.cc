// Which values a key takes, and what is said of those it does not take.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "config/config.h"
#include "config/keys.h"
#include "support/scratch.h"

namespace baton {
namespace {

using test::Scratch;
using test::write_bytes;

class Values : public testing::Test {
 protected:
  std::expected<Config, Faults> load(const std::string& toml) {
    write_bytes(scratch_.file("baton.toml"), toml);
    return Config::load({.project_file = scratch_.file("baton.toml")});
  }
  static std::expected<Config, Faults> set(const std::string& set) { return Config::load({.sets = {set}}); }

  Scratch scratch_;
};

TEST_F(Values, AreTakenInTheFormOfTheirKind) {
  for (const char* good : {
           "limits.jobs = 1",
           "limits.jobs = 10000",
           "limits.retries = 0",
           "limits.budget_usd = 5",
           "limits.budget_usd = 0.01",
           "limits.budget_tokens = 90000000000",
           "limits.stall = 0",
           "limits.concurrent_runs = 0",
           "limits.concurrent_steps = 0",
           "limits.step_timeout = \"20m\"",
           "limits.step_timeout = 600",
           "limits.step_timeout = 0.5",
           "limits.rate_limit_retries = 0",
           "review.auto_accept = true",
           "runtime.default = \"claude\"",
           "runtime.codex.command = [\"codex\", \"exec\"]",
           "runtime.claude.permission_mode = \"bypassPermissions\"",
           "safety.blocked_patterns = ['rm\\s+-rf', '(?i)drop\\s+table']",
           "safety.blocked_patterns = []",
           "safety.allow = [\"^git \"]",
           "safety.enabled = false",
           "git.merge = \"rebase\"",
           "runtime.openai.base_url = \"http://localhost:11434/v1\"",
           "runtime.anthropic.base_url = \"https://gateway.example.com/a/b?c=d\"",
           "runtime.anthropic.base_url = \"HTTPS://[::1]:8443\"",
           "runtime.anthropic.proxy = \"proxy.example.com:3128\"",
           "runtime.anthropic.proxy = \"socks5h://127.0.0.1:1080\"",
           "runtime.anthropic.thinking = 8000",
           "runtime.anthropic.thinking = \"8000\"",
           "runtime.anthropic.thinking = \"off\"",
           "runtime.anthropic.version = \"2023-06-01\"",
           "git.worktree_path = \"../trees\"",
           "skills.review.tools = []",
           "skills.\"plugin:review\".max_turns = 3",
           "skills.\"a.b\".model = \"opus\"",
           "workflows.fix = [\"build\", \"build\"]",
           "workflows.fix.skills = [\"build\"]",
           "[limits]",
           "[skills.review]",
           "[runtime.claude]",
           "[workflows]",
       }) {
    const auto config = load(good);
    EXPECT_TRUE(config) << good << ": " << (config ? "" : to_text(config.error().front()));
  }
}

TEST_F(Values, ThatDoNotFitAreRefusedWithWhatWouldFit) {
  const std::pair<const char*, const char*> wrong[] = {
      {"limits.jobs = 0", "'0' of limits.jobs is not a whole number from 1 to 10000"},
      {"limits.jobs = -1", "'-1' of limits.jobs is not a whole number from 1 to 10000"},
      {"limits.jobs = 10001", "a whole number from 1 to 10000"},
      {"limits.jobs = \"4\"", "'4' of limits.jobs is not a whole number"},
      {"limits.jobs = 2.5", "'2.5' of limits.jobs is not a whole number"},
      {"limits.jobs = [4]", "limits.jobs is not a whole number"},
      {"limits.jobs = 2026-11-15", "a date or time of limits.jobs is not a whole number"},
      {"limits.retries = -1", "a whole number"},
      {"limits.retries = 3000000000", "a whole number"},
      {"limits.budget_usd = 0", "a number above 0"},
      {"limits.budget_usd = -2.5", "a number above 0"},
      {"limits.budget_usd = nan", "a number above 0"},
      {"limits.budget_usd = inf", "a number above 0"},
      {"limits.budget_tokens = 0", "a whole number"},
      {"limits.concurrent_runs = -1", "a whole number"},
      {"limits.rate_limit_backoff = 0", "a duration above 0 such as"},
      {"limits.step_timeout = \"soon\"", "a duration such as 90s, 20m or 2h"},
      {"limits.step_timeout = -3", "a duration"},
      {"limits.step_timeout = true", "a duration"},
      {"review.auto_accept = \"true\"", "true or false"},
      {"review.auto_accept = 1", "true or false"},
      {"runtime.claude.model = \"\"", "a text that is not empty"},
      {"runtime.claude.model = 4", "a text that is not empty"},
      {"runtime.claude.model = [\"a\"]", "a text that is not empty"},
      {"runtime.claude.max_turns = 0", "a whole number of at least 1"},
      {"runtime.claude.tools = \"Bash\"", "'Bash' of runtime.claude.tools is not a list of texts"},
      {"runtime.claude.tools = [\"Bash\", 3]", "is not a text: every item of this list has to be one"},
      {"runtime.claude.tools = [[\"Bash\"]]", "is not a text"},
      {"runtime.claude.permission_mode = \"acceptAll\"",
       "one of default, acceptEdits, plan, auto, dontAsk, bypassPermissions"},
      {"runtime.openai.base_url = \"foo\"", "'foo' of runtime.openai.base_url is not an address such as https://"},
      {"runtime.openai.base_url = \"ftp://example.com\"", "is not an address such as"},
      {"runtime.openai.base_url = \"http://\"", "is not an address such as"},
      {"runtime.openai.base_url = \"http://exa mple.com\"", "is not an address such as"},
      {"runtime.openai.proxy = \"gopher://example.com\"", "is not a proxy's address such as"},
      {"runtime.openai.proxy = \":8080\"", "is not a proxy's address such as"},
      {"runtime.anthropic.thinking = \"lots\"", "is not off, on or a whole number of tokens of at least 1"},
      {"runtime.anthropic.thinking = 0", "is not off, on or a whole number of tokens"},
      {"runtime.anthropic.thinking = \"12k\"", "is not off, on or a whole number of tokens"},
      {"runtime.anthropic.thinking = true", "is not off, on or a whole number of tokens"},
      {"runtime.anthropic.version = \"x\"", "'x' of runtime.anthropic.version is not a date such as 2023-06-01"},
      {"runtime.anthropic.version = \"2023-13-01\"", "is not a date"},
      {"git.merge = \"octopus\"", "'octopus' of git.merge is not one of merge, squash, rebase"},
      {"safety.blocked_patterns = \"rm\"", "a list of texts"},
      {"workflows.fix = []", "an empty list of workflows.fix is not a list of at least one skill"},
      {"workflows.fix.skills = []", "of workflows.fix.skills is not a list of at least one skill"},
      {"workflows.fix = \"build\"", "'build' of workflows.fix is not a list of at least one skill"},
      {"workflows.fix = [\"a b\"]", "'a b' of workflows.fix is not the name of a skill"},
      {"workflows.fix = [\"../x\"]", "is not the name of a skill"},
      {"[workflows.fix]", "a table of workflows.fix is not a list of at least one skill"},
  };
  for (const auto& [toml, message] : wrong) {
    const auto config = load(toml);
    ASSERT_FALSE(config) << toml;
    ASSERT_EQ(config.error().size(), 1U) << toml;
    const Fault& f = config.error().front();
    EXPECT_EQ(f.code, "bad-config-value") << toml;
    EXPECT_NE(f.message.find(message), std::string::npos) << toml << " gives: " << f.message;
    EXPECT_TRUE(f.help.starts_with("give ")) << f.help;
    EXPECT_EQ(f.place.line, 1) << toml;
    EXPECT_GT(f.place.column, 0) << toml;
  }
}

TEST_F(Values, AnItemOfAListHasItsOwnPlace) {
  const auto config = load("[safety]\nblocked_patterns = [\n  'fine',\n  'rm (-r',\n    7,\n]\nallow = ['']\n");
  ASSERT_FALSE(config);
  ASSERT_EQ(config.error().size(), 3U);
  EXPECT_EQ(config.error()[0].code, "bad-safety-pattern");
  EXPECT_TRUE(
      config.error()[0].message.starts_with("the pattern 'rm (-r' of safety.blocked_patterns cannot be used: missing"))
      << config.error()[0].message;
  EXPECT_EQ(config.error()[1].code, "bad-config-value");
  EXPECT_EQ(config.error()[2].message,
            "the pattern '' of safety.allow cannot be used: it is empty and would fit everything");
  EXPECT_EQ(config.error()[0].place.line, 4);
  EXPECT_EQ(config.error()[0].place.column, 3);
  EXPECT_EQ(config.error()[1].place.line, 5);
  EXPECT_EQ(config.error()[1].place.column, 5);
}

TEST_F(Values, KeysThatAreNoneGetTheNearestOne) {
  const std::pair<const char*, const char*> wrong[] = {
      {"limits.jobz = 3", "did you mean 'limits.jobs'?"},
      {"limts.jobs = 3", "did you mean 'limits.jobs'?"},
      {"limits.merge = \"squash\"", "did you mean 'git.merge'?"},
      {"limits.whatever = 3", "keys of [limits]: jobs, retries"},
      {"skills.review.modle = \"opus\"", "did you mean 'skills.review.model'?"},
      {"skill.review.model = \"opus\"", "did you mean 'skills.review.model'?"},
      {"skills.review.allowed_tools = [\"Read\"]", "did you mean 'skills.review.disallowed_tools'?"},
      {"workflows.fix.skilz = [\"build\"]", "did you mean 'workflows.fix.skills'?"},
      {"workflow.fix = [\"build\"]", "did you mean 'workflows.fix'?"},
      {"runtime.claude.max_turn = 3", "did you mean 'runtime.claude.max_turns'?"},
      {"runtime.cluade.model = \"opus\"", "did you mean 'runtime.claude.model'?"},
      {"runtime.x.model = \"opus\"", "runtimes: claude, codex"},
      {"limits = 3", "write [limits] and its keys below"},
      {"skills.review = \"opus\"", "write [skills.review] and its keys below"},
      {"[limitz]", "did you mean [limits]?"},
      {"[runtime.cluade]", "write [runtime.cluade]"},
      {"zzzzzzzzzz = 3", "tables: limits, review, runtime"},
      {"workflows.\"a b\" = [\"build\"]", "a name begins with a letter"},
      {"workflows.\"a.b\".skills = [\"build\"]", "a name begins with a letter"},
      {"skills.\"../x\".model = \"opus\"", "a name begins with a letter"},
  };
  for (const auto& [toml, help] : wrong) {
    const auto config = load(toml);
    ASSERT_FALSE(config) << toml;
    ASSERT_EQ(config.error().size(), 1U) << toml;
    const Fault& f = config.error().front();
    EXPECT_EQ(f.code, "unknown-config-key") << toml;
    EXPECT_NE(f.help.find(help), std::string::npos) << toml << " gives: " << f.help;
    EXPECT_EQ(f.place.line, 1) << toml;
  }
}

TEST_F(Values, OfTheEnvironmentAndOfFlagsAreWords) {
  EXPECT_EQ(set("workflows.fix=spec, build")->list("workflows.fix"), (std::vector<std::string>{"spec", "build"}));
  EXPECT_EQ(set("workflows.fix=[\"spec\"]")->list("workflows.fix.skills"), std::vector<std::string>{"spec"});
  EXPECT_EQ(set("skills.x.tools=Read,Bash")->text("skills.x.tools"), R"(["Read","Bash"])");
  EXPECT_EQ(set("safety.allow=a{1,2}b")->list("safety.allow"), std::vector<std::string>{"a{1,2}b"});
  EXPECT_EQ(set("safety.allow=[a-z]")->list("safety.allow"), std::vector<std::string>{"[a-z]"});
  EXPECT_EQ(set("safety.allow=['a', 'b,c']")->list("safety.allow"), (std::vector<std::string>{"a", "b,c"}));
  EXPECT_TRUE(set("safety.allow=")->list("safety.allow").empty());
  EXPECT_TRUE(set("review.auto_accept=true")->flag("review.auto_accept"));
  for (const char* wrong : {"workflows.fix=", "workflows.fix=[\"spec\"", "workflows.fix=[1]", "limits.jobs=0",
                            "git.merge=Merge", "limits.budget_usd=1e99", "limits.jobs= 4"}) {
    const auto config = set(wrong);
    ASSERT_FALSE(config) << wrong;
    EXPECT_EQ(config.error().front().code, "bad-config-value") << wrong;
    EXPECT_EQ(config.error().front().place.file, "--set") << wrong;
  }
}

TEST_F(Values, OfAVariableThatDoNotFitNameTheVariable) {
  const auto config =
      Config::load({.environment = {{"BATON_LIMITS__JOBS", "many"}, {"BATON_SKILLS__REVIEW__TIMEOUT", "soon"}}});
  ASSERT_FALSE(config);
  ASSERT_EQ(config.error().size(), 2U);
  EXPECT_EQ(config.error()[0].place.file, "BATON_LIMITS__JOBS");
  EXPECT_EQ(config.error()[1].place.file, "BATON_SKILLS__REVIEW__TIMEOUT");
}

TEST_F(Values, AnAddressWithAPasswordIsToldInASentenceThatDoesNotRepeatIt) {
  for (const char* key : {"base_url", "proxy"}) {
    const auto config = load(fmt::format("runtime.openai.{} = \"http://me:secret@example.com/\"", key));
    ASSERT_FALSE(config);
    const Fault& f = config.error().front();
    EXPECT_EQ(f.message, fmt::format("the address of runtime.openai.{} has a name or password in it, and addresses are "
                                     "recorded",
                                     key));
    EXPECT_TRUE(f.help.starts_with("take it out")) << f.help;
    EXPECT_EQ(f.place.line, 1);
    EXPECT_EQ(to_text(f).find("secret"), std::string::npos);
  }
}

TEST_F(Values, PathsAreBeneathTheRootOrTheHome) {
  const auto read = [&](const std::string& path) {
    write_bytes(scratch_.file("baton.toml"), fmt::format("runtime.openai.ca_file = \"{}\"", path));
    const auto config =
        Config::load({.project_file = scratch_.file("baton.toml"), .environment = {{"HOME", "/home/me"}}});
    return config ? config->text("runtime.openai.ca_file").value_or("") : to_text(config.error().front());
  };
  EXPECT_EQ(read("ca.pem"), scratch_.file("ca.pem"));
  EXPECT_EQ(read("./certs/ca.pem"), scratch_.file("certs/ca.pem"));
  EXPECT_EQ(read("~/ca.pem"), "/home/me/ca.pem");
  EXPECT_EQ(read("/etc/ca.pem"), "/etc/ca.pem");
}

TEST_F(Values, EveryKeyIsFoundByItsOwnName) {
  for (const KeySpec& spec : known_keys()) {
    std::string key{spec.pattern};
    const auto star = key.find('*');
    if (star != std::string::npos) key.replace(star, 1, "claude");
    const KeySpec* found = find_key(key);
    ASSERT_NE(found, nullptr) << key;
    EXPECT_EQ(found->pattern, spec.pattern);
    EXPECT_FALSE(spec.explanation.empty()) << key;
    EXPECT_EQ(spec.kind == KeyKind::choice, !spec.choices.empty()) << key;
  }
}

TEST_F(Values, DefaultsFitTheirOwnKeys) {
  for (const KeySpec& spec : known_keys()) {
    if (spec.initial.empty()) continue;
    const auto config = set(std::string{spec.pattern} + "=" + std::string{spec.initial});
    ASSERT_TRUE(config) << spec.pattern;
    EXPECT_EQ(config->text(std::string{spec.pattern}), spec.initial);
  }
}

}  // namespace
}  // namespace baton
