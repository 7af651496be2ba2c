// What an agent program is given: its own process and prompt, arguments, an environment, and no secret on record.
#include <gmock/gmock.h>

#include <filesystem>

#include "support/scripted_claude.h"

namespace baton::test {
namespace {

using ::testing::ElementsAre;

class AgentGiven : public WithScriptedClaude {
 protected:
  /// Everything under the state folder, as it is now, that holds `text`.
  std::vector<std::string> files_with(const std::string& text) {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator{place.state()}) {
      if (entry.is_regular_file() && has(read_text(entry.path()), text)) found.push_back(entry.path());
    }
    return found;
  }
};

TEST_F(AgentGiven, ThreeStepsAreThreeProcessesEachWithItsOwnPrompt) {
  place.workflow("w", {agent_step("one", "FIRST-MISSION"), agent_step("two", "SECOND-MISSION", "needs: [one]"),
                       agent_step("three", "THIRD-MISSION", "needs: [two]")});
  claude.does("one", "begin; answer m1 100 20; put '{\"title\":\"FIRST-RESULT\"}'; result 100 20 0.0008");
  const Outcome ran = place.baton({"run", "w", "--jobs", "4"});
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_THAT(claude.started(), ElementsAre("one.1", "two.1", "three.1"));
  const json::object shown = place.show();
  for (const char* id : {"one", "two", "three"}) {
    const std::string whom = std::string{id} + ".1";
    EXPECT_EQ(claude.prompt(whom), read_text(text_at(attempt_of(shown, id, 1), "prompt"))) << "every prompt is kept";
    EXPECT_FALSE(has(testing::PrintToString(claude.arguments(whom)), "MISSION")) << "never by argv";
  }
  EXPECT_TRUE(has(claude.prompt("one.1"), "FIRST-MISSION"));
  EXPECT_TRUE(has(claude.prompt("two.1"), "SECOND-MISSION"));
  EXPECT_TRUE(has(claude.prompt("two.1"), "Result of step 'one': out/one.json")) << claude.prompt("two.1");
  const std::string third = claude.prompt("three.1");
  EXPECT_TRUE(has(third, "THIRD-MISSION") && has(third, "Result of step 'two'")) << third;
  for (const char* of_others : {"FIRST-MISSION", "SECOND-MISSION", "FIRST-RESULT", "'one'", "out/one.json"}) {
    EXPECT_FALSE(has(third, of_others)) << of_others << "\n" << third;
  }
}

TEST_F(AgentGiven, TheMarksOfASessionAroundUsAreTakenAwayAndTheUsersOwnSettingsStay) {
  place.workflow("w", {agent_step("a", "m")});
  const std::vector<std::string> marks = {"CLAUDECODE",           "CLAUDE_CODE_ENTRYPOINT",    "CLAUDE_CODE_SESSION_ID",
                                          "CLAUDE_CODE_SSE_PORT", "CLAUDE_CODE_CHILD_SESSION", "AI_AGENT"};
  const std::vector<std::string> own = {"ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", "CLAUDE_CONFIG_DIR",
                                        "CLAUDE_CODE_MAX_RETRIES", "HTTPS_PROXY"};
  for (const std::string& name : marks) place.env[name] = "around";
  for (const std::string& name : own) place.env[name] = "mine";
  place.env["BATON_ATTEMPT"] = "77";
  const Outcome ran = place.baton({"run", "w"});
  ASSERT_EQ(ran.code, 0) << ran;
  for (const std::string& name : marks) EXPECT_EQ(claude.variable(name), "(none)") << name;
  for (const std::string& name : own) EXPECT_EQ(claude.variable(name), "mine") << name;
  EXPECT_EQ(claude.variable("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS"), "1");
  EXPECT_EQ(claude.variable("BATON_STEP"), "a");
  EXPECT_EQ(claude.variable("BATON_ATTEMPT"), "1");
  EXPECT_EQ(claude.variable("BATON_RUN"), text_at(place.show(), "run"));
  EXPECT_EQ(claude.variable("BATON_OUTPUT"), place.file("out/a.json"));
  EXPECT_EQ(claude.variable("PWD"), place.root());
}

TEST_F(AgentGiven, WhatTheUserSaysOfBackgroundTasksHolds) {
  place.workflow("w", {agent_step("a", "m")});
  place.env["CLAUDE_CODE_DISABLE_BACKGROUND_TASKS"] = "0";
  ASSERT_EQ(place.baton({"run", "w"}).code, 0);
  EXPECT_EQ(claude.variable("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS"), "0");
}

TEST_F(AgentGiven, AKeyIsInTheEnvironmentAndNowhereElse) {
  const std::string key = "sk-ant-THE-SECRET-KEY-4711";
  place.env["ANTHROPIC_API_KEY"] = key;
  place.workflow("w", {agent_step("a", "m"), agent_step("b", "m", "needs: [a]")});
  claude.does("a", "begin; answer m1 100 20; until_there go; put '{\"title\":1}'; result 100 20 0.0008");
  Process run = place.start({"run", "w", "--json"});
  (void)claude.pid_of("a.1");
  const std::vector<pid_t> at_work = place.living();
  EXPECT_GE(at_work.size(), 3U) << "the engine, the holder and the agent";
  for (const pid_t pid : at_work) {
    EXPECT_FALSE(has(read_text(fmt::format("/proc/{}/cmdline", pid)), key)) << pid;
  }
  EXPECT_THAT(files_with(key), ElementsAre()) << "while it works";
  place.write("go", "");
  const Outcome ran = run.wait();
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(claude.variable("ANTHROPIC_API_KEY", "b.1"), key);
  EXPECT_THAT(files_with(key), ElementsAre());
  EXPECT_FALSE(has(ran.out + ran.err, key));
  EXPECT_FALSE(files_with("until_there").empty() && files_with("Said m1").empty()) << "files are looked into at all";
}

TEST_F(AgentGiven, ArgumentsWithoutAnySettings) {
  place.workflow("w", {agent_step("a", "m")});
  ASSERT_EQ(place.baton({"run", "w"}).code, 0);
  EXPECT_THAT(claude.arguments(),
              ElementsAre("-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "acceptEdits",
                          "--settings", text_at(place.show(), "folder") + "/claude-settings.json"));
}

TEST_F(AgentGiven, ModelsComeFromTheStepThenTheFlagThenTheSkillThenTheConfiguration) {
  write_skill(place, "model: haiku\n");
  place.workflow("w", {agent_step("a", "m", "model: opus"), agent_step("b", "m", "needs: [a]")});
  place.write("baton.toml", "[runtime.claude]\nmodel = \"fable\"\n");
  ASSERT_EQ(place.baton({"run", "w", "--model", "sonnet"}).code, 0);
  EXPECT_EQ(claude.option("--model", "a.1"), "opus");
  EXPECT_EQ(claude.option("--model", "b.1"), "sonnet");
  EXPECT_EQ(text_at(attempt_of(place.show(), "b", 1), "model"), "sonnet");
  ASSERT_EQ(place.baton({"run", "w"}).code, 0);
  EXPECT_EQ(claude.option("--model", "b.1"), "haiku");
  write_skill(place);
  ASSERT_EQ(place.baton({"run", "w"}).code, 0);
  EXPECT_EQ(claude.option("--model", "b.1"), "fable");
}

TEST_F(AgentGiven, ToolsAndTermsOfSkillAndConfiguration) {
  write_skill(place, "allowed-tools: Read, Bash(git:*)\n");
  place.workflow("w", {agent_step("a", "m")});
  place.write("baton.toml",
              "[runtime.claude]\nmax_turns = 7\nmax_budget_usd = 1.5\ndisallowed_tools = [\"WebFetch\"]\n"
              "permission_mode = \"plan\"\nargs = [\"--effort\", \"low\"]\ntools = [\"Glob\"]\n");
  ASSERT_EQ(place.baton({"run", "w"}).code, 0);
  EXPECT_EQ(claude.option("--allowedTools"), "Read,Bash(git:*)") << "what the skill names is used without asking";
  EXPECT_EQ(claude.option("--disallowedTools"), "WebFetch");
  EXPECT_EQ(claude.option("--max-turns"), "7");
  EXPECT_EQ(claude.option("--max-budget-usd"), "1.5");
  EXPECT_EQ(claude.option("--permission-mode"), "plan");
  EXPECT_EQ(claude.option("--effort"), "low");
  ASSERT_EQ(place.baton({"run", "w", "--set", "skills.writer.tools=Edit"}).code, 0);
  EXPECT_EQ(claude.option("--allowedTools"), "Edit") << "the configuration wins over the skill";
  write_skill(place);
  ASSERT_EQ(place.baton({"run", "w"}).code, 0);
  EXPECT_EQ(claude.option("--allowedTools"), "Glob") << "where the skill names none";
}

TEST_F(AgentGiven, WhatTheConfigurationSaysOfOneSkill) {
  write_skill(place, "allowed-tools: Read\n");
  place.workflow("w", {agent_step("a", "m")});
  place.write("baton.toml",
              "[runtime.claude]\nmax_turns = 7\ndisallowed_tools = [\"WebFetch\"]\ntools = [\"Glob\"]\n"
              "[skills.writer]\nmax_turns = 3\ndisallowed_tools = [\"Task\"]\ntools = []\n"
              "[skills.other]\nmax_turns = 2\n");
  ASSERT_EQ(place.baton({"run", "w"}).code, 0);
  EXPECT_EQ(claude.option("--max-turns"), "3");
  EXPECT_EQ(claude.option("--disallowedTools"), "WebFetch,Task") << "besides the runtime's";
  EXPECT_FALSE(claude.has_argument("--allowedTools")) << "an empty list is an answer";
}

TEST_F(AgentGiven, AnotherCommandIsRecordedWithTheRun) {
  place.workflow("w", {agent_step("a", "m", "retries: 0")});
  const std::string other = place.env["HOME"] + "/my agent";
  claude.install(other);
  claude.does("a.1", "begin; fails 401 api_error 'Invalid API key'");
  const Outcome ran =
      place.baton({"run", "w", "--set", fmt::format("runtime.claude.command=[\"{}\", \"first\"]", other)});
  EXPECT_EQ(ran.code, 1) << ran;
  EXPECT_EQ(claude.arguments().front(), "first") << "words of its own come before ours";
  std::filesystem::remove(place.env["HOME"] + "/claude/bin/claude");
  const Outcome resumed = place.baton({"resume", "last"});
  EXPECT_EQ(resumed.code, 0) << resumed;
  EXPECT_EQ(claude.arguments("a.2").front(), "first") << "what --set said holds for its resume";
}

TEST_F(AgentGiven, AProgramThatIsNotThereIsSaidBeforeAnythingStarts) {
  place.workflow("w", {step("first", "touch ran"), agent_step("a", "m", "needs: [first]")});
  const std::string setting = "runtime.claude.command=no-such-program";
  const Outcome named = place.baton({"run", "w", "--runtime", "claude", "--set", setting});
  EXPECT_EQ(named.code, 2) << named;
  EXPECT_TRUE(says_error(named, "runtime-not-found") && has(named.err, "no-such-program")) << named;
  const Outcome looked_for = place.baton({"run", "w", "--set", setting});
  EXPECT_EQ(looked_for.code, 2) << looked_for;
  EXPECT_TRUE(says_error(looked_for, "no-runtime") && has(looked_for.err, "no-such-program")) << looked_for;
  EXPECT_FALSE(place.exists("ran"));
}

}  // namespace
}  // namespace baton::test
