// Agents and limits: quotas that park a run, budgets that pause it while an agent works, an engine killed meanwhile.
#include <signal.h>
#include <time.h>

#include <gmock/gmock.h>

#include "support/scripted_claude.h"

namespace baton::test {
namespace {

using ::testing::ElementsAre;

class AgentLimits : public WithScriptedClaude {
 protected:
  /// The lines of a program whose quota is used up, until `seconds` from its start on.
  static std::string used_up(int seconds) {
    return fmt::format(
        "begin\n"
        "echo '{{\"type\":\"rate_limit_event\",\"rate_limit_info\":{{\"status\":\"rejected\",\"rateLimitType\":"
        "\"five_hour\",\"resetsAt\":'$(($(date +%s) + {}))'}}}}'\n"
        "fails 429 api_error 'You have hit your usage limit'",
        seconds);
  }
  /// One that answers, waits for the file `go`, answers again and is done.
  static constexpr const char* in_two_parts =
      "begin; answer m1 10000 2000; until_there go; answer m2 10000 2000; put '{\"title\":1}'; "
      "result 20000 4000 0.16";
};

TEST_F(AgentLimits, AUsedUpQuotaParksTheRun) {
  place.workflow("w", {agent_step("a", "m", "retries: 0")});
  claude.does("a.1", used_up(3600));
  const time_t before = ::time(nullptr);
  const Outcome ran = place.baton({"run", "w", "--json", "--no-wait"});
  EXPECT_EQ(ran.code, 75) << ran;
  const json::object last = json_lines(ran.out).back();
  EXPECT_EQ(text_at(last, "type"), "run.parked");
  tm until{};
  ASSERT_NE(::strptime(text_at(last, "until").c_str(), "%Y-%m-%dT%H:%M:%S", &until), nullptr) << json::serialize(last);
  EXPECT_GE(::timegm(&until), before + 3600);
  EXPECT_LE(::timegm(&until), ::time(nullptr) + 3600);
  const json::object shown = place.show();
  EXPECT_EQ(text_at(shown, "state"), "parked");
  EXPECT_EQ(code_in(shown, "a", 1), "agent-usage-limit");
  EXPECT_EQ(text_at(step_of(shown, "a"), "state"), "waiting") << "a quota wall is no failure";
  EXPECT_EQ(place.baton({"resume", "last", "--no-wait"}).code, 75) << "the time has not come";
  EXPECT_THAT(claude.started(), ElementsAre("a.1"));
  EXPECT_EQ(place.baton({"cancel", "last"}).code, 0);
  EXPECT_EQ(place.run_state(), "cancelled");
}

TEST_F(AgentLimits, AResetToldByTheClockParksTheRunUntilThen) {
  ASSERT_TRUE(file_exists("/usr/share/zoneinfo/Asia/Tokyo")) << "./dev installs tzdata";
  place.workflow("w", {agent_step("a", "m", "retries: 0")});
  const time_t hour = 3600;
  const time_t reset = (::time(nullptr) / hour + 6) * hour;  // a full hour: no reading of the clock may blur it
  const auto in_tokyo = (reset / hour + 9) % 24;
  claude.does("a.1", fmt::format("begin; fails 429 api_error 'You have hit your limit · resets {}{} (Asia/Tokyo)'",
                                 in_tokyo % 12 == 0 ? 12 : in_tokyo % 12, in_tokyo < 12 ? "am" : "pm"));
  const Outcome ran = place.baton({"run", "w", "--json", "--no-wait"});
  EXPECT_EQ(ran.code, 75) << ran;
  tm until{};
  const std::string told = text_at(json_lines(ran.out).back(), "until");
  ASSERT_NE(::strptime(told.c_str(), "%Y-%m-%dT%H:%M:%S", &until), nullptr) << ran;
  EXPECT_EQ(::timegm(&until), reset) << told;
}

TEST_F(AgentLimits, AParkedRunThatIsWaitedForGoesOnByItself) {
  place.workflow("w", {agent_step("a", "m", "retries: 0")});
  claude.does("a.1", used_up(2));
  const Outcome ran = place.baton({"run", "w", "--json"});
  ASSERT_EQ(ran.code, 0) << ran;
  std::vector<std::string> run_events;
  for (const std::string& type : types_of(json_lines(ran.out))) {
    if (type.starts_with("run.")) run_events.push_back(type);
  }
  EXPECT_THAT(run_events, ElementsAre("run.started", "run.parked", "run.resumed", "run.finished"));
  EXPECT_THAT(claude.started(), ElementsAre("a.1", "a.2")) << "no retry was used up by it";
}

TEST_F(AgentLimits, AParkedRunThatWasLeftGoesOnWhenResumed) {
  place.workflow("w", {agent_step("a", "m", "retries: 0"), agent_step("b", "m")});
  claude.does("a.1", used_up(2));
  EXPECT_EQ(place.baton({"run", "w", "--no-wait", "--jobs", "1"}).code, 75);
  const Outcome resumed = place.baton({"resume", "last", "--json"});
  EXPECT_EQ(resumed.code, 0) << resumed;
  EXPECT_THAT(step_states_of(place.show()), ElementsAre("a=completed", "b=completed"));
  EXPECT_EQ(claude.started().size(), 3U);
}

TEST_F(AgentLimits, AParkedRunCanBePaused) {
  place.workflow("w", {agent_step("a", "m")});
  claude.does("a.1", used_up(3600));
  Process run = place.start({"run", "w", "--json"});
  ASSERT_TRUE(eventually([&] { return has(run.out(), "run.parked"); }));
  const Outcome paused = place.baton({"pause", "last"});
  EXPECT_EQ(paused.code, 0) << paused;
  EXPECT_EQ(run.wait().code, 4);
  EXPECT_EQ(place.run_state(), "paused");
}

TEST_F(AgentLimits, ABudgetPausesWhileTheAgentWorksAndMoreOfItGoesOn) {
  place.workflow("w", {agent_step("a", "m"), agent_step("b", "m", "needs: [a]")});
  claude.does("a", in_two_parts);
  const Outcome ran = place.baton({"run", "w", "--json", "--budget", "0.07"});
  EXPECT_EQ(ran.code, 4) << ran;
  const auto lines = json_lines(ran.out);
  EXPECT_EQ(text_at(lines.back(), "type"), "run.paused");
  EXPECT_TRUE(has(text_at(lines.back(), "reason"), "budget")) << json::serialize(lines.back());
  EXPECT_DOUBLE_EQ(cost_in(lines.back()), 0.08) << "10000 tokens at $4 and 2000 at $20 a million";
  const pid_t pid = claude.pid_of("a.1");
  EXPECT_TRUE(eventually([&] { return stands_still(pid); })) << "it spends nothing more";
  EXPECT_EQ(text_at(step_of(place.show(), "a"), "state"), "running");
  EXPECT_EQ(place.baton({"resume", "last"}).code, 4) << "still the same budget";
  EXPECT_TRUE(is_alive(pid));
  place.write("go", "");
  const Outcome resumed = place.baton({"resume", "last", "--budget", "1"});
  EXPECT_EQ(resumed.code, 0) << resumed;
  EXPECT_THAT(claude.started(), ElementsAre("a.1", "b.1")) << "the same process went on";
  EXPECT_DOUBLE_EQ(cost_in(place.show()), 0.1608);
}

TEST_F(AgentLimits, ATokenBudgetPausesToo) {
  place.workflow("w", {agent_step("a", "m")});
  claude.does("a", in_two_parts);
  EXPECT_EQ(place.baton({"run", "w", "--token-budget", "12000"}).code, 4);
  place.write("go", "");
  EXPECT_EQ(place.baton({"resume", "last", "--token-budget", "100000"}).code, 0);
  EXPECT_EQ(claude.started().size(), 1U);
}

TEST_F(AgentLimits, ATurnBudgetCountsTheModelsAnswers) {
  place.workflow("w", {agent_step("a", "m")});
  claude.does("a", in_two_parts);
  const Outcome ran = place.baton({"run", "w", "--json", "--turn-budget", "1"});
  EXPECT_EQ(ran.code, 4) << ran;
  EXPECT_TRUE(has(text_at(json_lines(ran.out).back(), "reason"), "1 turn")) << ran;
  place.write("go", "");
  EXPECT_EQ(place.baton({"resume", "last", "--turn-budget", "10"}).code, 0);
  EXPECT_THAT(claude.started(), ElementsAre("a.1")) << "the same process goes on";
}

TEST_F(AgentLimits, KilledWhileItWorksTheAgentGoesOnAndResumeAddsUpToTheSameCent) {
  place.workflow("w", {agent_step("a", "m"), agent_step("b", "m", "needs: [a]")});
  claude.does("a", in_two_parts);
  place.write("go", "");
  ASSERT_EQ(place.baton({"run", "w"}).code, 0);
  const json::object whole = place.show();
  EXPECT_DOUBLE_EQ(cost_in(whole), 0.1608);

  std::filesystem::remove(place.file("go"));
  std::filesystem::remove_all(place.file("out"));
  std::filesystem::remove_all(place.env["HOME"] + "/claude/kept");
  std::filesystem::create_directories(place.env["HOME"] + "/claude/kept");
  Process run = place.start({"run", "w", "--json"});
  const pid_t pid = claude.pid_of("a.1");
  ASSERT_TRUE(eventually([&] { return has(run.out(), "\"cost_usd\":0.08"); })) << "part of it is on record";
  run.kill(SIGKILL);
  EXPECT_TRUE(run.wait().killed);
  EXPECT_TRUE(is_alive(pid)) << "the agent goes on";
  Process resumed = place.start({"resume", "last", "--json"});
  ASSERT_TRUE(eventually([&] { return has(resumed.out(), "run.resumed"); }));
  EXPECT_TRUE(is_alive(pid));
  place.write("go", "");
  const Outcome ended = resumed.wait();
  ASSERT_EQ(ended.code, 0) << ended;
  EXPECT_THAT(claude.started(), ElementsAre("a.1", "b.1")) << "one process an attempt";
  const json::object shown = place.show();
  EXPECT_EQ(json::serialize(shown.at("cost_usd")), json::serialize(whole.at("cost_usd")));
  EXPECT_EQ(json::serialize(shown.at("tokens")), json::serialize(whole.at("tokens")));
}

TEST_F(AgentLimits, KilledAndNeverResumedTheRunStillComesToItsEnd) {
  place.workflow("w", {agent_step("a", "m"), agent_step("b", "m", "needs: [a]")});
  claude.does("a", in_two_parts);
  Process run = place.start({"run", "w", "--json"});
  const pid_t pid = claude.pid_of("a.1");
  run.kill(SIGKILL);
  EXPECT_TRUE(run.wait().killed);
  EXPECT_TRUE(is_alive(pid));
  place.write("go", "");
  ASSERT_TRUE(eventually([&] { return place.run_state() == "completed"; })) << json::serialize(place.show());
  EXPECT_THAT(claude.started(), ElementsAre("a.1", "b.1"));
  EXPECT_DOUBLE_EQ(cost_in(place.show()), 0.1608);
}

TEST_F(AgentLimits, AModelWithoutAPriceHasNoCostAndThatIsSaid) {
  place.workflow("w", {agent_step("a", "m")});
  claude.does("a",
              "model=some-model; begin; answer m1 100 20; put '{\"title\":1}'; until_there go; result 100 20 null");
  Process run = place.start({"run", "w", "--json", "--budget", "1"});
  EXPECT_TRUE(eventually([&] { return has(run.out(), "run.cost_unknown"); })) << run.out();
  place.write("go", "");
  const Outcome ran = run.wait();
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_TRUE(place.show().at("cost_usd").is_null()) << "never 0";
}

}  // namespace
}  // namespace baton::test
