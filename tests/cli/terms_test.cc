// The terms of runs and steps from outside: budgets, stalls, checks by command, recorded settings.
#include <gmock/gmock.h>

#include <csignal>

#include "support/programs.h"
#include "support/scripted_claude.h"

namespace baton::test {
namespace {

using ::testing::ElementsAre;

class Terms : public Outside {
 protected:
  Terms() { write_skill(place); }

  /// Agents a, b and c one after the other; each uses as the script says.
  void write_three(const std::string& more_of_b = "") {
    place.workflow("w", {agent_step("a", "m"), agent_step("b", "m", "needs: [a]\n" + more_of_b),
                         agent_step("c", "m", "needs: [b]")});
  }
  void script(const std::string& a, const std::string& b, const std::string& c) const {
    place.write("script.yaml", "speed: 1000\nsteps:\n  a: {usage: {" + a + "}}\n  b: {usage: {" + b +
                                   "}}\n  c: {usage: {" + c + "}}\n");
  }
  Outcome rehearse(std::vector<std::string> more) {
    std::vector<std::string> args{"run", "w", "--rehearse=script.yaml"};
    args.insert(args.end(), more.begin(), more.end());
    return place.baton(args);
  }
  static std::string line_with(const std::string& text, const std::string& part) {
    for (const std::string& line : lines_of(text)) {
      if (has(line, part)) return line;
    }
    return {};
  }
};

TEST_F(Terms, ABudgetWarnsThenPausesAndSaysHowToGoOn) {
  write_three();
  script("input: 10, output: 1, cost_usd: 0.85", "input: 10, output: 1, cost_usd: 0.30",
         "input: 10, output: 1, cost_usd: 0.10");
  const Outcome ran = rehearse({"--budget", "1"});
  EXPECT_EQ(ran.code, 4) << ran;
  EXPECT_TRUE(has(ran.err, "four fifths of the run's budget are used: $0.8")) << ran;
  EXPECT_TRUE(has(line_with(ran.err, "error[run-paused]"), "the run's budget of $1.00 is used up ($1.")) << ran;
  EXPECT_TRUE(has(line_with(ran.err, "help:"), "--budget USD' gives it more")) << ran;
  EXPECT_EQ(text_at(parse_json(ran.out).as_object(), "status"), "paused");
  EXPECT_EQ(place.baton({"resume", "last"}).code, 4) << "still the same budget";
  const Outcome resumed = place.baton({"resume", "last", "--budget", "5"});
  EXPECT_EQ(resumed.code, 0) << resumed;
  EXPECT_NEAR(place.show().at("cost_usd").to_number<double>(), 1.25, 1e-6);
}

TEST_F(Terms, ATokenBudgetAsEvents) {
  write_three();
  script("input: 900, output: 0", "input: 300, output: 0", "input: 1, output: 1");
  const Outcome ran = rehearse({"--token-budget", "1000", "--json"});
  EXPECT_EQ(ran.code, 4) << ran;
  const auto lines = json_lines(ran.out);
  const auto warned = of_type(lines, "run.budget");
  ASSERT_EQ(warned.size(), 1U);
  EXPECT_TRUE(has(text_at(warned[0], "used"), "of 1000 tokens")) << json::serialize(warned[0]);
  EXPECT_EQ(text_at(lines.back(), "type"), "run.paused");
  EXPECT_TRUE(has(text_at(lines.back(), "reason"), "the run's budget of 1000 tokens is used up")) << ran;
  EXPECT_TRUE(has(ran.err, "--token-budget N")) << ran;
  EXPECT_EQ(place.baton({"resume", "last", "--token-budget", "5000"}).code, 0);
}

TEST_F(Terms, AStepsBudgetPausesAndResumeGrantsItOnceMore) {
  write_three("budget: 0.10");
  script("input: 1, output: 1, cost_usd: 3", "input: 1, output: 1, cost_usd: 0.15", "input: 1, output: 1, cost_usd: 3");
  const Outcome ran = rehearse({});
  EXPECT_EQ(ran.code, 4) << ran;
  EXPECT_TRUE(has(line_with(ran.err, "error[run-paused]"), "the budget of step 'b' of $0.10 is used up")) << ran;
  EXPECT_FALSE(has(line_with(ran.err, "help:"), "--budget")) << "that is the run's: " << ran;
  const Outcome resumed = place.baton({"resume", "last"});
  EXPECT_EQ(resumed.code, 0) << resumed;
  EXPECT_EQ(step_of(place.show(), "b").at("attempts").as_array().size(), 1U) << "it went on, it did not begin again";
}

TEST_F(Terms, ATimeBudgetWarnsPausesAndNamesItsOption) {
  write_three();
  place.write("script.yaml", "steps:\n  a: {hang: true}\n");
  const Outcome ran = rehearse({"--timeout", "300ms"});
  EXPECT_EQ(ran.code, 4) << ran;
  EXPECT_TRUE(has(ran.err, "four fifths of the run's time are used")) << ran;
  EXPECT_TRUE(has(ran.err, "time budget") && has(ran.err, "--timeout D' gives it more")) << ran;
}

TEST_F(Terms, ASilentStepIsWarnedOfThenStopped) {
  place.workflow("w", {step("quiet", "exec sleep 1000", "stall: 200ms\nretries: 1")});
  const Outcome ran = place.baton({"run", "w", "--json", "--set", "limits.retry_delay=1ms"});
  EXPECT_EQ(ran.code, 1) << ran;
  const auto lines = json_lines(ran.out);
  const auto quiet = of_type(lines, "step.quiet");
  ASSERT_EQ(quiet.size(), 2U) << "once an attempt";
  EXPECT_GE(number_at(quiet[0], "quiet_ms"), 200);
  EXPECT_EQ(text_at(lines.back().at("error").as_object(), "code"), "attempt-stalled");
  EXPECT_EQ(text_at(attempt_of(place.show(), "quiet", 1).at("error").as_object(), "code"), "attempt-stalled");
  EXPECT_TRUE(place.living_steps().empty());
  const std::string why = place.baton({"why", "last", "quiet"}).out;
  EXPECT_TRUE(has(why, "attempt 1 had given no sign of life") && has(why, "attempt 1 failed (attempt-stalled)")) << why;
}

constexpr const char* counted_attempt = R"(n=$(cat n 2>/dev/null || echo 0); n=$((n+1)); echo $n > n
printf '{"n": %s}' $n > "$BATON_OUTPUT")";

TEST_F(Terms, ACheckByCommandDecidesAndIsTriedAgain) {
  place.workflow("w", {step("a", counted_attempt,
                            "output: ${{ sandbox }}/outputs/a.json\nretries: 2\n"
                            "validate: {command: 'grep -q 2 $BATON_OUTPUT || { echo it has to be 2; exit 1; }'}")});
  const Outcome ran = place.baton({"run", "w"});
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_TRUE(has(ran.err, "a attempt 1 failed: it has to be 2; trying again")) << ran;
  const json::object shown = place.show();
  EXPECT_EQ(step_of(shown, "a").at("attempts").as_array().size(), 2U);
  EXPECT_TRUE(has(json::serialize(attempt_of(shown, "a", 1).at("checks")), "it has to be 2"));
}

TEST_F(Terms, WhatACheckByCommandSaysIsToldTheAgent) {
  const ScriptedClaude claude{place};
  claude.does("a.1", "begin; answer m1 1 1; put '{\"title\":1}'; result 1 1 0");
  claude.does("a.2", "begin; answer m1 1 1; put '{\"title\":2}'; result 1 1 0");
  place.workflow("w", {"  - id: a\n    skill: writer\n    mission: m\n    output: out/a.json\n    validate: {command: "
                       "'grep -q 2 $BATON_OUTPUT || { echo the title has to be 2; exit 1; }'}\n"});
  const Outcome ran = place.baton({"run", "w"});
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_THAT(claude.started(), ElementsAre("a.1", "a.2"));
  EXPECT_FALSE(has(claude.prompt("a.1"), "command: the title has to be 2"));
  EXPECT_TRUE(has(claude.prompt("a.2"), "the title has to be 2")) << claude.prompt("a.2");
}

TEST_F(Terms, KilledWhileACheckRunsTheStepIsNotRunAgain) {
  place.workflow("w", {step("a", "echo x >> ran; echo 1 > \"$BATON_OUTPUT\"",
                            "output: ${{ sandbox }}/outputs/a.json\nvalidate: {command: 'echo x >> checked; " +
                                await_file("go") + "'}"),
                       step("b", "echo b >> ran", "needs: [a]")});
  Process run = place.start({"run", "w"});
  ASSERT_TRUE(eventually([&] { return place.exists("checked"); })) << run.err();
  run.kill(SIGKILL);
  EXPECT_TRUE(run.wait().killed);
  EXPECT_EQ(text_at(step_of(place.show(), "a"), "state"), "checking");
  place.write("go", "");
  const Outcome resumed = place.baton({"resume", "last"});
  EXPECT_TRUE(resumed.code == 0 || says_error(resumed, "run-is-over")) << resumed;
  EXPECT_EQ(place.run_state(), "completed");
  EXPECT_EQ(place.read("ran"), "x\nb\n");
}

TEST_F(Terms, WhatSetSaysIsRecordedForADetachedRun) {
  place.workflow("w", {step("a", "[ -e second ] || { touch second; exit 1; }", "retries: 1")});
  // The default would wait for a second; that it did not shows in what the run recorded, not on a clock.
  const Outcome ran = place.baton({"run", "w", "--detach", "--set", "limits.retry_delay=7ms", "--json"});
  ASSERT_EQ(ran.code, 0) << ran;
  ASSERT_TRUE(eventually([&] { return place.run_state() == "completed"; })) << json::serialize(place.show());
  EXPECT_EQ(query_number(place.state("baton.db"), "SELECT count(*) FROM events WHERE body LIKE '%limits.retry_delay%'"),
            1);
}

}  // namespace
}  // namespace baton::test
