// The real claude, driven by the real program, against a scripted model on loopback.
#include <signal.h>

#include <gmock/gmock.h>

#include <filesystem>
#include <thread>

#include "agents/real_claude.h"
#include "support/samples.h"

namespace baton::test {
namespace {

using ::testing::ElementsAre;

TEST_F(RealClaude, WritesTheOutputWithItsOwnToolAndIsPaidForToTheCent) {
  api.start();
  workflow(writes());
  const Outcome ran = place.baton({"run", "w", "--json"});
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(place.read("out/a.json"), R"({"title":"t"})");
  const json::object shown = place.show();
  EXPECT_EQ(step_of(shown, "a").at("attempts").as_array().size(), 1U);
  EXPECT_DOUBLE_EQ(cost_in(shown), 0.0016) << "two answers of 100 and 20 tokens, at $4 and $20 a million";
  EXPECT_TRUE(has(ran.out, "[tool] Write: out/a.json")) << ran;
  EXPECT_FALSE(has(ran.out, "[denied]")) << ran;
  EXPECT_EQ(api.requests().size(), 2U);
  EXPECT_THAT(files_with(key), ElementsAre()) << "the key";
  EXPECT_TRUE(place.living_steps().empty());
}

TEST_F(RealClaude, AKeyThatIsRefusedIsNotTriedAgain) {
  place.env["CLAUDE_CODE_MAX_RETRIES"] = "0";
  api.start();
  workflow({status(401)});
  const Outcome ran = place.baton({"run", "w"});
  EXPECT_EQ(ran.code, 1) << ran;
  EXPECT_EQ(code_of("a", 1), "agent-not-logged-in");
  EXPECT_EQ(step_of(place.show(), "a").at("attempts").as_array().size(), 1U);
  EXPECT_TRUE(says_error(ran, "agent-not-logged-in")) << ran;
}

TEST_F(RealClaude, TooManyRequestsAreWaitedOutByTheProgramItself) {
  api.start();
  json::object busy = status(429);
  busy["retry_after"] = 1;
  workflow(joined({{busy}, writes()}), "retries: 0");
  const Outcome ran = place.baton({"run", "w", "--json"});
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_TRUE(has(ran.out, "[retry] 1 of")) << "and that is seen" << ran;
  EXPECT_EQ(step_of(place.show(), "a").at("attempts").as_array().size(), 1U);
}

TEST_F(RealClaude, WhatItGaveUpOnIsTriedAgainByUs) {
  place.env["CLAUDE_CODE_MAX_RETRIES"] = "0";
  api.start();
  workflow(joined({{status(429), status(529)}, writes()}));
  const Outcome ran = place.baton({"run", "w", "--set", "limits.retry_delay=10ms"});
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(code_of("a", 1), "agent-rate-limited");
  EXPECT_EQ(code_of("a", 2), "agent-overloaded");
  EXPECT_EQ(code_of("a", 3), "");
  EXPECT_DOUBLE_EQ(cost_in(place.show()), 0.0016) << "what failed cost nothing";
}

TEST_F(RealClaude, AnOverloadedModelIsGivenUpInTheEnd) {
  place.env["CLAUDE_CODE_MAX_RETRIES"] = "1";
  api.start();
  workflow({status(529)}, "retries: 1");
  const Outcome ran = place.baton({"run", "w", "--set", "limits.retry_delay=10ms"});
  EXPECT_EQ(ran.code, 1) << ran;
  EXPECT_EQ(code_of("a", 1), "agent-overloaded");
  EXPECT_EQ(code_of("a", 2), "agent-overloaded");
  EXPECT_EQ(step_of(place.show(), "a").at("attempts").as_array().size(), 2U);
  EXPECT_EQ(api.requests().size(), 4U) << "each attempt asks twice";
}

TEST_F(RealClaude, TurnsAreLimitedAndNotTriedAgain) {
  api.start();
  workflow(writes());
  const Outcome ran = place.baton({"run", "w", "--set", "runtime.claude.max_turns=1"});
  EXPECT_EQ(ran.code, 1) << ran;
  EXPECT_EQ(code_of("a", 1), "agent-max-turns") << "though the output is there";
  EXPECT_EQ(step_of(place.show(), "a").at("attempts").as_array().size(), 1U);
}

TEST_F(RealClaude, ItsOwnBudgetEndsItAndOursPausesIt) {
  api.start();
  workflow(joined({{waits()}, writes()}));
  const Outcome ran = place.baton({"run", "w", "--set", "runtime.claude.max_budget_usd=0.0001"});
  EXPECT_EQ(ran.code, 1) << ran;
  EXPECT_EQ(code_of("a", 1), "agent-budget");
  EXPECT_DOUBLE_EQ(cost_in(place.show()), 0.0008) << "the answer that overshot it was paid for";

  place.env["ANTHROPIC_API_KEY"] = "sk-fake-4712";
  const Outcome paused = place.baton({"run", "w", "--json", "--budget", "0.0001"});
  EXPECT_EQ(paused.code, 4) << paused;
  EXPECT_EQ(text_at(json_lines(paused.out).back(), "type"), "run.paused");
  place.write("go", "");
  const Outcome resumed = place.baton({"resume", "last", "--budget", "1"});
  EXPECT_EQ(resumed.code, 0) << resumed;
  EXPECT_DOUBLE_EQ(cost_in(place.show()), 0.0024);
  EXPECT_EQ(step_of(place.show(), "a").at("attempts").as_array().size(), 1U);
}

TEST_F(RealClaude, CancelledInTheMiddleOfAToolNothingIsLeftAlive) {
  api.start();
  workflow(joined({{waits()}, writes()}));
  Process run = place.start({"run", "w", "--json"});
  const pid_t tool = tool_pid();
  const pid_t claude = claude_pid();
  EXPECT_EQ(place.baton({"cancel", "last"}).code, 0);
  const Outcome ran = run.wait();
  EXPECT_EQ(ran.code, 5) << ran;
  EXPECT_FALSE(is_alive(tool)) << "the tool runs in a session of its own";
  EXPECT_FALSE(is_alive(claude));
  EXPECT_TRUE(place.living_steps().empty());
  EXPECT_THAT(step_states_of(place.show()), ElementsAre("a=cancelled"));
}

TEST_F(RealClaude, FrozenItAndItsToolTakeNoTimeAndThawedTheyGoOn) {
  api.start();
  workflow(joined({{waits()}, writes()}));
  Process run = place.start({"run", "w", "--json"});
  const pid_t tool = tool_pid();
  const pid_t claude = claude_pid();
  ASSERT_EQ(place.baton({"pause", "last"}).code, 0);
  EXPECT_EQ(run.wait().code, 4);
  ASSERT_TRUE(eventually([&] { return stands_still(tool) && stands_still(claude); }));
  const long tool_ticks = cpu_ticks(tool);
  const long claude_ticks = cpu_ticks(claude);
  std::this_thread::sleep_for(milliseconds{500});  // the tool would take 50 ticks in this time
  EXPECT_EQ(cpu_ticks(tool), tool_ticks);
  EXPECT_EQ(cpu_ticks(claude), claude_ticks);
  Process resumed = place.start({"resume", "last", "--json"});
  EXPECT_TRUE(eventually([&] { return cpu_ticks(tool) > tool_ticks; })) << "the same tool goes on";
  place.write("go", "");
  const Outcome ended = resumed.wait();
  EXPECT_EQ(ended.code, 0) << ended;
  EXPECT_EQ(step_of(place.show(), "a").at("attempts").as_array().size(), 1U);
  EXPECT_EQ(api.requests().size(), 3U) << "nothing was asked twice";
}

TEST_F(RealClaude, TheEngineKilledItGoesOnAndResumeAddsUpToTheSameCent) {
  api.start();
  workflow(joined({{waits()}, writes()}));
  place.write("go", "");
  ASSERT_EQ(place.baton({"run", "w"}).code, 0);
  const json::object whole = place.show();
  EXPECT_DOUBLE_EQ(cost_in(whole), 0.0024);

  for (const char* file : {"go", "tool.pid", "out/a.json"}) std::filesystem::remove(place.file(file));
  place.env["ANTHROPIC_API_KEY"] = "sk-fake-4712";
  Process run = place.start({"run", "w", "--json"});
  const pid_t tool = tool_pid();
  const pid_t claude = claude_pid();
  run.kill(SIGKILL);
  EXPECT_TRUE(run.wait().killed);
  EXPECT_TRUE(is_alive(claude) && is_alive(tool));
  Process resumed = place.start({"resume", "last", "--json"});
  ASSERT_TRUE(eventually([&] { return has(resumed.out(), "run.resumed"); }));
  EXPECT_EQ(claude_pid(), claude);
  place.write("go", "");
  const Outcome ended = resumed.wait();
  EXPECT_EQ(ended.code, 0) << ended;
  const json::object shown = place.show();
  EXPECT_EQ(step_of(shown, "a").at("attempts").as_array().size(), 1U);
  EXPECT_EQ(json::serialize(shown.at("cost_usd")), json::serialize(whole.at("cost_usd")));
  EXPECT_EQ(json::serialize(shown.at("tokens")), json::serialize(whole.at("tokens")));
}

class RealClaudeKit : public RealClaude, public testing::WithParamInterface<Origin> {
 protected:
  const Kit kit = kit_of(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Samples, RealClaudeKit, both_origins(), origin_name);

TEST_P(RealClaudeKit, AKitBecomesACheckedArtifact) {
  if (const auto why = absent(GetParam(), kit.folder); !why.empty()) GTEST_SKIP() << why;
  const auto whole = std::filesystem::copy_options::recursive;
  std::filesystem::copy(kit.folder + "/workflows", place.file("workflows"), whole);
  std::filesystem::copy(kit.folder + "/skills", place.file(".claude/skills"), whole);
  place.write("content.md", "# Relay races\n\nThe baton is handed on.\n");
  // What a rehearsal makes fits the checks; the model is going to write the same, each by the program's own tool.
  ASSERT_EQ(place.baton({"run", kit.main.name, "--file", "content.md", "--rehearse"}).code, 0);
  const std::string rehearsed = "sandbox/" + text_at(place.show(), "sandbox") + "/outputs/";

  Process run = place.start({"run", kit.main.name, "--file", "content.md", "--json"});
  ASSERT_TRUE(eventually([&] { return has(run.out(), "\n"); }));
  const std::string outputs = "sandbox/" + text_at(json_lines(lines_of(run.out()).front())[0], "sandbox") + "/outputs/";
  json::array rules;
  for (std::size_t i = 0; i < kit.main.steps.size(); ++i) {
    const std::string file = kit.main.steps[i] + ".json";
    const json::object writes{{"write", {outputs + file, place.read(rehearsed + file)}}};
    rules.push_back({{"match", kit.missions.at(i)}, {"steps", {writes, says("Done.")}}});
  }
  api.start(rules);  // until now the program was refused, and tries again
  const Outcome ran = run.wait();
  ASSERT_EQ(ran.code, 0) << ran;
  const json::object shown = place.show();
  EXPECT_EQ(api.requests().size(), 6U) << "three agents, two answers each";
  for (const std::string& id : kit.main.steps) {
    EXPECT_EQ(text_at(step_of(shown, id), "state"), "completed") << id;
    EXPECT_EQ(step_of(shown, id).at("attempts").as_array().size(), 1U) << id;
    const json::array checks = attempt_of(shown, id, 1).at("checks").as_array();
    EXPECT_FALSE(checks.empty()) << id;
    for (const json::value& check : checks) EXPECT_EQ(check.at("passed"), true) << json::serialize(check);
  }
  EXPECT_EQ(read_text(text_at(shown, "artifact")), place.read(rehearsed + kit.main.steps.back() + ".json"));
  EXPECT_EQ(text_at(attempt_of(shown, kit.main.steps[1], 1), "model"), "claude-haiku-4-5-20251001")
      << "as its skill says";
  EXPECT_GT(cost_in(shown), 0);
}

}  // namespace
}  // namespace baton::test
