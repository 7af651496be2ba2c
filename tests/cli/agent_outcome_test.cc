// What the end of an agent program means: exit code and the word "success" are hints, no more.
#include <gmock/gmock.h>

#include "support/scripted_claude.h"

namespace baton::test {
namespace {

using ::testing::ElementsAre;

/// What claude does, what that is called, and whether it is tried again.
struct End {
  const char* name;
  const char* act;
  const char* code;
  bool retried;
};

class AgentEnd : public WithScriptedClaude, public ::testing::WithParamInterface<End> {};

TEST_P(AgentEnd, IsToldByItsCodeAndTriedAgainOnlyIfThatCanHelp) {
  // The output is there each time: a file alone makes no success.
  claude.does("default", std::string{"put '{\"title\":1}'; "} + GetParam().act);
  place.workflow("w", {agent_step("a", "m", "retries: 1"), agent_step("b", "m", "needs: [a]")});
  const Outcome ran = place.baton({"run", "w", "--set", "limits.retry_delay=1ms"});
  EXPECT_EQ(ran.code, 1) << ran;
  const json::object shown = place.show();
  EXPECT_EQ(code_in(shown, "a", 1), GetParam().code) << json::serialize(shown);
  EXPECT_EQ(step_of(shown, "a").at("attempts").as_array().size(), GetParam().retried ? 2U : 1U);
  EXPECT_THAT(step_states_of(shown), ElementsAre("a=failed", "b=skipped"));
  EXPECT_EQ(claude.started().size(), GetParam().retried ? 2U : 1U);
}

INSTANTIATE_TEST_SUITE_P(
    All, AgentEnd,
    ::testing::Values(
        End{"Nothing", ":", "agent-no-result", true}, End{"NoResult", "begin; answer m1 9 9", "agent-no-result", true},
        End{"Garbage", "echo 'not JSON'; echo '{\"type\":'; echo '[]'", "agent-no-result", true},
        End{"RefusedAtOnce", "echo 'error: unknown option' >&2; exit 1", "agent-not-started", false},
        End{"FellOver", "begin; answer m1 9 9; exit 134", "agent-crashed", true},
        End{"Killed", "begin; kill -9 $$", "agent-aborted", true},
        End{"Terminated", "begin; exit 143", "agent-aborted", true},
        End{"ErrorWithExit0", "begin; (fails null api_error 'It broke'); exit 0", "agent-overloaded", true},
        End{"SuccessWithExit1", "begin; answer m1 9 9; result 9 9 0.1; exit 1", "agent-crashed", true},
        End{"Status401", "begin; fails 401 api_error 'Invalid API key'", "agent-not-logged-in", false},
        End{"NotLoggedIn", "begin; fails null completed 'Not logged in · Please run /login'", "agent-not-logged-in",
            false},
        End{"Status429", "begin; fails 429 api_error 'API Error: 429'", "agent-rate-limited", true},
        End{"Status529", "begin; fails 529 api_error 'Repeated 529'", "agent-overloaded", true},
        End{"Status529InWordsOnly", "begin; fails null completed 'API Error: 529 Overloaded'", "agent-overloaded",
            true},
        End{"Status500", "begin; fails 500 api_error 'API Error: 500'", "agent-overloaded", true},
        End{"Status400", "begin; fails 400 api_error 'API Error: 400'", "agent-bad-request", false},
        End{"RequestRejected", "begin; fails null completed 'Request rejected (429)'", "agent-rate-limited", true},
        End{"NoSubtypeAnd429", "begin; (fails 429 api_error 'Slow down') | sed 's/\"subtype\":\"success\",//'; exit 1",
            "agent-rate-limited", true},
        End{"WritesOfALimit", "begin; fails null completed 'I could not open the weekly limit page'", "agent-failed",
            true},
        End{"SuccessThatNamesAFailure", "begin; (fails 529 api_error 'Overloaded') | sed 's/true/false/'; exit 0",
            "agent-overloaded", true},
        End{"TooLong", "begin; fails 400 prompt_too_long 'Prompt is too long'", "agent-context-exceeded", false},
        End{"MaxTurns", "begin; fails null max_turns ''", "agent-max-turns", false},
        End{"Budget", "begin; fails null budget_exhausted ''", "agent-budget", false}),
    [](const auto& given) { return given.param.name; });

class AgentOutcome : public WithScriptedClaude {};

TEST_F(AgentOutcome, ASuccessWithoutASubtypeIsOne) {
  place.workflow("w", {agent_step("a", "m")});
  claude.does("a", "begin; answer m1 9 9; put '{\"title\":1}'; result 9 9 0.5 | sed 's/\"subtype\":\"success\",//'");
  const Outcome ran = place.baton({"run", "w"});
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(code_of("a", 1), "");
}

TEST_F(AgentOutcome, ATransientFailureIsTriedAgainAndBothAreCounted) {
  place.workflow("w", {agent_step("a", "m")});
  claude.does("a.1", "begin; answer m1 1000 100; fails 529 api_error 'Repeated 529'");
  const Outcome ran = place.baton({"run", "w", "--json", "--set", "limits.retry_delay=1ms"});
  ASSERT_EQ(ran.code, 0) << ran;
  const json::object shown = place.show();
  EXPECT_EQ(code_in(shown, "a", 1), "agent-overloaded");
  EXPECT_EQ(code_in(shown, "a", 2), "");
  EXPECT_DOUBLE_EQ(cost_in(attempt_of(shown, "a", 1)), 0.006) << "what it used before it failed";
  EXPECT_DOUBLE_EQ(cost_in(shown), 0.0068);
  EXPECT_EQ(of_type(json_lines(ran.out), "step.retrying").size(), 1U);
}

TEST_F(AgentOutcome, AnOutputThatIsNotWrittenIsSaidToTheNextAttempt) {
  place.workflow("w", {agent_step("a", "m")});
  claude.does("a.1", "begin; answer m1 100 20; result 100 20 0.0008");
  claude.does("a.2", "begin; answer m1 100 20; put '{\"name\":1}'; result 100 20 0.0008");
  const Outcome ran = place.baton({"run", "w", "--json"});
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_THAT(claude.started(), ElementsAre("a.1", "a.2", "a.3"));
  EXPECT_FALSE(has(claude.prompt("a.1"), "What was wrong"));
  EXPECT_TRUE(has(claude.prompt("a.2"), "Output file was not written: out/a.json")) << claude.prompt("a.2");
  EXPECT_TRUE(has(claude.prompt("a.3"), "title")) << claude.prompt("a.3");
  EXPECT_FALSE(has(claude.prompt("a.3"), "was not written")) << "exactly the checks that failed last";
  const json::object shown = place.show();
  EXPECT_EQ(code_in(shown, "a", 1), "checks-failed");
  EXPECT_EQ(code_in(shown, "a", 2), "checks-failed");
  EXPECT_DOUBLE_EQ(cost_in(shown), 0.0024) << "three attempts, all paid for";
}

TEST_F(AgentOutcome, TheLastResultWins) {
  place.workflow("w", {agent_step("a", "m")});
  claude.does("a.1",
              "begin; answer m1 100 20; result 100 20 0.0008\n"
              "begin; answer m2 100 20; put '{\"title\":1}'; result 100 20 0.0008");
  const Outcome ran = place.baton({"run", "w"});
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(claude.started().size(), 1U);
  EXPECT_DOUBLE_EQ(cost_in(place.show()), 0.0016) << "both turns";
}

TEST_F(AgentOutcome, OneThatStaysAfterItsResultIsEndedAndHasDoneItsWork) {
  place.workflow("w", {agent_step("a", "m")});
  claude.does("a", "begin; answer m1 100 20; put '{\"title\":1}'; result 100 20 0.0008; sleep 600 & sleep 600");
  const Outcome ran = place.baton({"run", "w", "--json", "--set", "runtime.claude.linger=200ms"});
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_TRUE(place.living_steps().empty());
  const json::object shown = place.show();
  EXPECT_EQ(code_in(shown, "a", 1), "");
  EXPECT_EQ(step_of(shown, "a").at("attempts").as_array().size(), 1U);
  EXPECT_DOUBLE_EQ(cost_in(shown), 0.0008);
}

TEST_F(AgentOutcome, OneThatStaysWithABadResultHasNotDoneIt) {
  place.workflow("w", {agent_step("a", "m", "retries: 0")});
  claude.does("a", "begin; put '{\"title\":1}'; (fails 401 api_error 'Invalid API key'); sleep 600");
  const Outcome ran = place.baton({"run", "w", "--set", "runtime.claude.linger=200ms"});
  EXPECT_EQ(ran.code, 1) << ran;
  EXPECT_EQ(code_of("a", 1), "agent-not-logged-in") << "what it said counts, not that it was stopped";
}

TEST_F(AgentOutcome, AnAnswerThatWasCutOffIsCompletedAndSaidToBeSo) {
  place.workflow("w", {agent_step("a", "m")});
  claude.does("a", "begin; answer m1 100 20; put '{\"title\":1}'; result 100 20 0.0008 | sed s/end_turn/max_tokens/");
  const Outcome ran = place.baton({"run", "w"});
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(code_of("a", 1), "response-truncated");
  EXPECT_EQ(text_at(attempt_of(place.show(), "a", 1), "state"), "completed");
}

TEST_F(AgentOutcome, WhatItPrintsNeverDrivesATerminal) {
  place.workflow("w", {agent_step("a", "m")});
  claude.does(
      "a",
      "begin; printf '\\033[2Jgarbage\\n'; answer m1 100 20 | sed 's/Said/\\\\u001b[31m/'; put '{\"title\":1}'; "
      "result 100 20 0.0008");
  const Outcome ran = place.baton({"run", "w"});
  EXPECT_EQ(ran.code, 0) << ran;
  const Outcome logs = place.baton({"logs", "last", "a"});
  for (const std::string& told : {ran.err, ran.out, logs.out}) EXPECT_FALSE(has(told, "\x1b")) << told;
}

}  // namespace
}  // namespace baton::test
