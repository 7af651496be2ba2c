#include "runtime/claude.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "claude_lines.h"

namespace baton {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using claude_lines::init;
using claude_lines::message;
using claude_lines::play_claude;
using claude_lines::result;

Failure failure_of(const std::string& bytes, const ExitRecord& record = exited(1), const std::string& last_error = {}) {
  return play_claude(bytes, record, last_error).finish.failure.value_or(Failure{"ok", "", false});
}

Spawn spawn_of(const ClaudeSettings& settings, const std::string& model = {}) {
  ClaudeRuntime runtime{settings};
  const Step step = claude_step();
  Assignment assignment = claude_assignment(step);
  assignment.model = model;
  return std::get<Spawn>(runtime.begin(assignment).at(0));
}

// How it is called. ----------------------------------------------------------------------------------------------
TEST(ClaudeRuntime, given_nothing_but_defaults_then_the_prompt_goes_in_by_stdin_and_a_stream_comes_out) {
  const Spawn spawn = spawn_of({});
  EXPECT_THAT(spawn.argv, ElementsAre("claude", "-p", "--output-format", "stream-json", "--verbose",
                                      "--permission-mode", "acceptEdits"));
  EXPECT_EQ(spawn.stdin_path, "/run/prompts/summary.1.md");
  EXPECT_THAT(spawn.env, ElementsAre("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=1"));
}

TEST(ClaudeRuntime, given_settings_then_each_becomes_an_argument) {
  ClaudeSettings settings;
  settings.command = {"/opt/claude", "--settings", "x.json"};
  settings.model = "sonnet";
  settings.max_turns = 12;
  settings.max_budget_usd = 0.5;
  settings.tools = std::vector<std::string>{};
  settings.allowed_tools = {"Bash(git log:*)", "Read"};
  settings.disallowed_tools = {"WebFetch"};
  settings.permission_mode = "plan";
  settings.extra_args = {"--add-dir", "/other place"};
  settings.keeps_background_setting = true;
  settings.settings_file = "/run/claude-settings.json";
  const Spawn spawn = spawn_of(settings);
  EXPECT_THAT(spawn.argv,
              ElementsAre("/opt/claude", "--settings", "x.json", "-p", "--output-format", "stream-json", "--verbose",
                          "--model", "sonnet", "--max-turns", "12", "--max-budget-usd", "0.5", "--permission-mode",
                          "plan", "--tools", "", "--allowedTools", "Bash(git log:*),Read", "--disallowedTools",
                          "WebFetch", "--settings", "/run/claude-settings.json", "--add-dir", "/other place"));
  EXPECT_THAT(spawn.env, IsEmpty()) << "the user's own setting stays";
  EXPECT_THAT(spawn_of(settings, "opus").argv, AllOf(Contains("opus"), Not(Contains("sonnet"))))
      << "a step's model wins";
}

TEST(ClaudeRuntime, given_somebody_who_warns_then_he_is_shown_whole_commands_and_what_he_says_is_said) {
  const auto tool = [](const std::string& name, const std::string& input) {
    return R"({"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","name":")" + name +
           R"(","input":)" + input + "}]}}\n";
  };
  std::vector<std::string> shown;
  ClaudeSettings settings;
  settings.warns_of = [&](std::string_view command) -> std::optional<std::string> {
    shown.emplace_back(command);
    return command.ends_with("bad") ? std::optional<std::string>{"told"} : std::nullopt;
  };
  const std::string bytes = init + tool("Bash", R"({"description":"d","command":"first\n  bad"})") +
                            tool("Bash", R"({"command":"good"})") + tool("Write", R"({"file_path":"bad"})") + result();
  const auto said = play_claude(bytes, exited(0), {}, settings).said;
  EXPECT_THAT(shown, ElementsAre("first\n  bad", "good"));
  EXPECT_THAT(said, ElementsAre("[tool] Bash: first", "WARNING: safety pattern matched: told", "[tool] Bash: good",
                                "[tool] Write: bad"));
}

TEST(ClaudeRuntime, given_an_enclosing_session_then_its_marks_go_and_the_users_settings_stay) {
  const Spawn spawn = spawn_of({});
  for (const char* mark : {"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT", "CLAUDE_CODE_SESSION_ID"}) {
    EXPECT_THAT(spawn.env_unset, Contains(mark));
  }
  for (const char* own : {"ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "CLAUDE_CONFIG_DIR", "CLAUDE_CODE_USE_BEDROCK",
                          "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_OAUTH_TOKEN", "HTTPS_PROXY", "HOME", "PATH",
                          "CLAUDE_CODE_MAX_OUTPUT_TOKENS"}) {
    EXPECT_THAT(spawn.env_unset, Not(Contains(own)));
  }
}

// What is said. --------------------------------------------------------------------------------------------------
TEST(ClaudeRuntime, given_a_run_then_texts_tools_retries_denials_and_limits_are_said) {
  const auto played = play_claude(
      init + message("m1", 1, 1, "claude-opus-5-5", "First.\\n\\n  Second.") +
      R"({"type":"assistant","message":{"id":"m2","content":[{"type":"tool_use","name":"Bash","input":{"command":"npm test"}}]}})"
      "\n"
      R"({"type":"system","subtype":"api_retry","attempt":2,"max_retries":10,"retry_delay_ms":1142,"error_status":529,"error":"overloaded"})"
      "\n"
      R"({"type":"system","subtype":"permission_denied","tool_name":"Write","message":"needs approval"})"
      "\n"
      R"({"type":"rate_limit_event","rate_limit_info":{"status":"allowed","resetsAt":1778565600,"rateLimitType":"five_hour"}})"
      "\n"
      R"({"type":"rate_limit_event","rate_limit_info":{"status":"allowed_warning","resetsAt":1778565600,"rateLimitType":"five_hour"}})"
      "\n" +
      result(R"("permission_denials":[{"tool_name":"Write"}])"));
  EXPECT_THAT(played.said,
              ElementsAre("First.", "Second.", "[tool] Bash: npm test", "[retry] 2 of 10 in 1.1s: overloaded (529)",
                          "[denied] Write: needs approval",
                          "[limit] the quota five_hour is nearly used up, resets at 2026-05-12T06:00:00.000Z",
                          "[denied] in all: Write"));
  EXPECT_FALSE(played.finish.failure) << "denials alone are no failure";
  EXPECT_EQ(played.seen.session, "s1");
  EXPECT_EQ(played.seen.model, "claude-opus-5-5");
}

TEST(ClaudeRuntime, given_exit_code_0_alone_then_it_is_no_success) {
  EXPECT_EQ(failure_of("", exited(0)).code, "agent-no-result");
  EXPECT_EQ(failure_of(init + message("m1", 1, 1), exited(0)).code, "agent-no-result");
  EXPECT_EQ(failure_of(init + result("", true), exited(0)).code, "agent-failed");
  EXPECT_EQ(failure_of(init + result("", false, "error_during_execution"), exited(0)).code, "agent-failed");
  EXPECT_EQ(failure_of(init + result(R"("result":"done")"), exited(0)).code, "ok");
}

TEST(ClaudeRuntime, given_a_good_result_and_a_bad_end_then_it_is_no_success) {
  const Failure failure = failure_of(init + result(R"("result":"done")"), exited(1), "segfault");
  EXPECT_EQ(failure.code, "agent-crashed");
  EXPECT_TRUE(failure.may_retry);
  EXPECT_THAT(failure.message, HasSubstr("segfault"));
}

TEST(ClaudeRuntime, given_two_results_then_the_last_one_wins) {
  const std::string good = result(R"("result":"done")");
  const std::string bad = result(R"("terminal_reason":"api_error","api_error_status":529,"result":"API Error")", true);
  EXPECT_EQ(failure_of(init + good + init + bad).code, "agent-overloaded");
  EXPECT_EQ(failure_of(init + bad + init + good, exited(0)).code, "ok");
}

/// A result of a program that does not say how it calls its end.
std::string bare_result(const std::string& members) { return R"({"type":"result")" + ("," + members) + "}\n"; }

TEST(ClaudeRuntime, given_a_result_without_a_subtype_then_what_else_it_says_decides) {
  const std::vector<std::pair<const char*, const char*>> at_exit_0 = {
      {R"("is_error":false,"result":"Done.")", "ok"},
      {R"("is_error":false)", "ok"},
      {R"("result":"Done.")", "ok"},
      {R"("is_error":false,"structured_output":{"a":1})", "ok"},
      {R"("num_turns":1)", "agent-failed"},
      {R"("result":"API Error: 529 Overloaded")", "agent-overloaded"},
      {R"("is_error":"true","result":"Done.")", "agent-failed"},
      {R"("is_error":false,"errors":["It broke."])", "agent-failed"},
      {R"("is_error":false,"terminal_reason":"max_turns","result":"")", "agent-max-turns"},
      {R"("is_error":false,"terminal_reason":"aborted_tools","result":"x")", "agent-aborted"},
      {R"("is_error":false,"api_error_status":500,"result":"x")", "agent-overloaded"},
  };
  for (const auto& [members, code] : at_exit_0) {
    EXPECT_EQ(failure_of(init + bare_result(members), exited(0)).code, code) << members;
  }
  const std::vector<std::pair<const char*, const char*>> at_exit_1 = {
      {R"("is_error":true,"api_error_status":429,"result":"Slow down.")", "agent-rate-limited"},
      {R"("is_error":true,"result":"API Error: Request rejected (429) · this may be temporary")", "agent-rate-limited"},
      {R"("is_error":true,"api_error_status":401,"result":"x")", "agent-not-logged-in"},
      {R"("is_error":true,"result":"It broke.")", "agent-failed"},
      {R"("is_error":true,"terminal_reason":"prompt_too_long","result":"x")", "agent-context-exceeded"},
      {R"("is_error":true,"terminal_reason":"blocking_limit","result":"x")", "agent-context-exceeded"},
  };
  for (const auto& [members, code] : at_exit_1) {
    EXPECT_EQ(failure_of(init + bare_result(members), exited(1)).code, code) << members;
  }
}

TEST(ClaudeRuntime, given_a_success_that_names_a_failure_then_it_is_none) {
  for (const char* members : {R"("api_error_status":529,"result":"x")", R"("terminal_reason":"api_error","result":"x")",
                              R"("api_error":"connection_failed","result":"x")"}) {
    EXPECT_EQ(failure_of(init + result(members), exited(0)).code, "agent-overloaded") << members;
  }
}

struct Told {
  const char* members;
  const char* subtype;
  const char* code;
  bool may_retry;
};

TEST(ClaudeRuntime, given_an_error_then_its_kind_decides_whether_it_is_tried_again) {
  const std::vector<Told> cases = {
      {R"("api_error_status":401,"result":"Failed to authenticate")", "success", "agent-not-logged-in", false},
      {R"("result":"Not logged in · Please run /login")", "success", "agent-not-logged-in", false},
      {R"("result":"Invalid API key · Fix external API key")", "success", "agent-not-logged-in", false},
      {R"("api_error_status":429,"result":"Rate limited")", "success", "agent-rate-limited", true},
      {R"("api_error_status":529,"result":"Overloaded")", "success", "agent-overloaded", true},
      {R"("api_error_status":503,"result":"x")", "success", "agent-overloaded", true},
      {R"("terminal_reason":"api_error","api_error":"connection_failed","result":"refused")", "success",
       "agent-overloaded", true},
      {R"("terminal_reason":"completed","result":"API Error: 529 {\"type\":\"error\"}")", "success", "agent-overloaded",
       true},
      {R"("terminal_reason":"completed","result":"API Error: Repeated 529 Overloaded errors.")", "success",
       "agent-overloaded", true},
      {R"("api_error_status":404,"result":"model not found")", "success", "agent-bad-request", false},
      {R"("api_error_status":413,"result":"x")", "success", "agent-context-exceeded", false},
      {R"("terminal_reason":"blocking_limit","result":"x")", "success", "agent-context-exceeded", false},
      {R"("result":"Prompt is too long")", "success", "agent-context-exceeded", false},
      {R"("result":"Credit balance is too low")", "success", "agent-no-credit", false},
      {R"x("result":"Request rejected (429)")x", "success", "agent-rate-limited", true},
      {R"("result":"API Error: Request rejected (429) · this may be temporary")", "success", "agent-rate-limited",
       true},
      {R"("result":"API Error: 400 {\"message\":\"prompt is too long: 230000 tokens\"}")", "success",
       "agent-context-exceeded", false},
      {R"("result":"OAuth token has expired · Please run /login")", "success", "agent-not-logged-in", false},
      // A model that failed writes of all this too.
      {R"("result":"I could not open the weekly limit page.")", "success", "agent-failed", true},
      {R"("result":"The usage limit is described on the session limit page, which says: limit reached")", "success",
       "agent-failed", true},
      {R"("result":"You have asked for the page of the 5-hour limit; I cannot read it.")", "success", "agent-failed",
       true},
      {R"("result":"The server says that the prompt is too long.")", "success", "agent-failed", true},
      {R"("result":"The page says: credit balance is too low.")", "success", "agent-failed", true},
      {R"("result":"The test fails: it expects 'not logged in'.")", "success", "agent-failed", true},
      {R"("result":"I wrote a handler for what the library prints in that case, namely API Error: 529.")", "success",
       "agent-failed", true},
      {R"("stop_reason":"refusal","result":"no")", "success", "agent-refused", false},
      {R"("errors":["Reached maximum number of turns, 2"])", "error_max_turns", "agent-max-turns", false},
      {R"("errors":["Reached maximum budget of 1"])", "error_max_budget_usd", "agent-budget", false},
      {R"("terminal_reason":"aborted_tools")", "error_during_execution", "agent-aborted", true},
      {R"("errors":["No conversation found with session ID: x"])", "error_during_execution", "agent-session-missing",
       false},
      {R"("api_error":"max_output_tokens","result":"x")", "success", "agent-output-limit", false},
      {R"("errors":["x"])", "error_max_structured_output_retries", "agent-no-structured-output", true},
      {R"("errors":["something new"])", "error_of_tomorrow", "agent-failed", true},
  };
  for (const Told& told : cases) {
    const Failure failure = failure_of(init + result(told.members, true, told.subtype));
    EXPECT_EQ(failure.code, told.code) << told.members;
    EXPECT_EQ(failure.may_retry, told.may_retry) << told.members;
    EXPECT_FALSE(failure.parked_until) << told.members;
  }
}

TEST(ClaudeRuntime, given_the_programs_last_words_then_the_message_has_their_first_line) {
  const Failure failure = failure_of(result(R"("api_error_status":401,"result":"Go away.\nAnd more.")", true));
  EXPECT_THAT(failure.message, AllOf(HasSubstr("Go away."), Not(HasSubstr("And more"))));
}

TEST(ClaudeRuntime, given_429_then_the_wait_that_the_program_was_told_is_passed_on) {
  const Failure failure = failure_of(
      R"({"type":"system","subtype":"api_retry","attempt":1,"max_retries":1,"retry_delay_ms":30000,"error_status":429,"error":"rate_limit"})"
      "\n" +
      result(R"("api_error_status":429)", true));
  EXPECT_EQ(failure.retry_after, Millis{30'000});
}

TEST(ClaudeRuntime, given_a_quota_that_is_used_up_then_the_run_is_parked_until_the_last_reset) {
  const std::string rejected =
      R"({"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1778565600,"rateLimitType":"five_hour"}})"
      "\n"
      R"({"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1778900000,"rateLimitType":"seven_day"}})"
      "\n";
  const std::string limit = result(R"("api_error_status":429,"result":"You've hit your limit · resets 2pm")", true);
  const Failure failure = failure_of(init + rejected + limit);
  EXPECT_EQ(failure.code, "agent-usage-limit");
  EXPECT_EQ(failure.parked_until, time_from_ms(1'778'900'000'000));

  const std::string allowed =
      R"({"type":"rate_limit_event","rate_limit_info":{"status":"allowed","resetsAt":1778900000,"rateLimitType":"seven_day"}})"
      "\n";
  EXPECT_EQ(failure_of(init + rejected + allowed + limit).parked_until, time_from_ms(1'778'565'600'000))
      << "a window that lets requests through again does not count";
  EXPECT_EQ(failure_of(init + rejected + result(R"("api_error_status":529)", true)).code, "agent-overloaded")
      << "it failed for another reason";
}

TEST(ClaudeRuntime, given_the_older_words_for_a_quota_then_the_moment_in_them_is_taken) {
  const Failure seconds = failure_of(result(R"("result":"Claude AI usage limit reached|1784079000")", true));
  EXPECT_EQ(seconds.code, "agent-usage-limit");
  EXPECT_EQ(seconds.parked_until, time_from_ms(1'784'079'000'000));
  const Failure silent =
      failure_of(result(R"x("result":"You've hit your session limit · resets 1:40pm (Europe/Paris)")x", true));
  EXPECT_EQ(silent.code, "agent-usage-limit");
  EXPECT_TRUE(silent.used_up);
  EXPECT_EQ(silent.parked_until, std::nullopt) << "no clock to read: the core decides when to ask again";
}

TEST(ClaudeRuntime, given_the_programs_words_for_a_quota_then_it_is_one) {
  for (const char* words :
       {"You've hit your limit · resets 2pm", "You’ve reached your weekly limit", "You have hit your usage limit",
        "You're out of extra usage · resets 3am", "5-hour limit reached ∙ resets 3PM", "Opus weekly limit reached",
        "Session limit reached", "Claude AI usage limit reached|1784079000", "API Error: usage limit reached"}) {
    EXPECT_EQ(failure_of(result(R"("result":")" + std::string{words} + "\"", true)).code, "agent-usage-limit") << words;
  }
  EXPECT_EQ(failure_of(result(R"("api_error_status":429,"result":"Over the weekly limit of this plan")", true)).code,
            "agent-usage-limit");
}

TEST(ClaudeRuntime, given_a_reset_that_has_passed_then_it_is_told_as_it_is) {
  ClaudeSettings settings;
  settings.offset_of = [](std::string_view, Time) { return std::optional{Millis{0}}; };
  // The end is at 22:15 on 14 November 2023.
  const auto words = play_claude(result(R"("result":"You've hit your weekly limit · resets Nov 14 9:45pm")", true),
                                 exited(1), {}, settings);
  EXPECT_EQ(rfc3339(words.finish.failure->parked_until.value_or(Time{})), "2023-11-14T21:45:00.000Z");
  const auto event = play_claude(
      R"({"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1699999998,"rateLimitType":"five_hour"}})"
      "\n" +
          result(R"("api_error_status":429,"result":"You've hit your limit")", true),
      exited(1));
  EXPECT_EQ(event.finish.failure->parked_until, time_from_ms(1'699'999'998'000));
}

TEST(ClaudeRuntime, given_an_error_that_was_overcome_then_it_does_not_colour_the_end) {
  const std::string error =
      R"({"type":"assistant","message":{"id":"e","model":"<synthetic>","content":[]},"error":"authentication_failed","is_api_error_message":true})"
      "\n";
  EXPECT_EQ(failure_of(error + message("m1", 1, 1) + result(R"("errors":["x"])", true)).code, "agent-failed");
  EXPECT_EQ(failure_of(error + result(R"("errors":["x"])", true)).code, "agent-not-logged-in");
}

TEST(ClaudeRuntime, given_a_signal_then_it_may_be_tried_again) {
  ExitRecord killed = exited(0);
  killed.exit.reset();
  killed.signal = 9;
  EXPECT_EQ(failure_of(init, killed).code, "agent-aborted");
  EXPECT_THAT(failure_of(init, killed).message, HasSubstr("KILL"));
  EXPECT_EQ(failure_of(init, exited(143)).code, "agent-aborted");
  EXPECT_TRUE(failure_of(init, exited(143)).may_retry);
}

TEST(ClaudeRuntime, given_wrong_arguments_then_it_is_not_tried_again) {
  const Failure failure = failure_of("", exited(1), "error: unknown option '--wrong'");
  EXPECT_EQ(failure.code, "agent-not-started");
  EXPECT_FALSE(failure.may_retry);
  EXPECT_THAT(failure.message, HasSubstr("--wrong"));
  EXPECT_EQ(failure_of(init, exited(1), "oops").code, "agent-crashed") << "it had begun";
}

TEST(ClaudeRuntime, given_a_stop_or_a_deadline_then_that_is_the_reason) {
  ExitRecord stopped = exited(143);
  stopped.stopped = true;
  EXPECT_EQ(failure_of(init, stopped).code, "attempt-stopped");
  ExitRecord late = exited(143);
  late.deadline = true;
  EXPECT_EQ(failure_of(init, late).code, "attempt-timed-out");
}

TEST(ClaudeRuntime, given_an_empty_answer_then_it_is_a_failure_only_where_the_answer_was_all_there_is) {
  const std::string empty = init + result(R"("result":" ")");
  EXPECT_FALSE(play_claude(empty).finish.failure) << "the output will be checked";
  EXPECT_EQ(play_claude(empty, exited(0), {}, {}, false).finish.failure->code, "agent-empty-answer");
}

TEST(ClaudeRuntime, given_nothing_but_a_document_when_the_answer_is_the_output_then_that_is_what_is_written) {
  Step step = claude_step();
  Work work = *step.work;
  work.answers = true;
  step.work = std::make_shared<const Work>(std::move(work));
  ClaudeRuntime runtime{{}};
  (void)runtime.begin(claude_assignment(step));
  (void)runtime.next(Printed{init + result(R"("result":"","structured_output":{"verdict":"APPROVE"})")});
  std::string written;
  for (const Action& action : runtime.next(Ended{exited(0), {}})) {
    if (const auto* output = std::get_if<WriteOutput>(&action)) written = output->content;
  }
  EXPECT_EQ(written, R"({"verdict":"APPROVE"})");
}

TEST(ClaudeRuntime, given_an_answer_cut_off_then_it_is_completed_with_a_note) {
  const auto played = play_claude(init + result(R"("result":"half","stop_reason":"max_tokens")"));
  EXPECT_FALSE(played.finish.failure);
  EXPECT_EQ(played.finish.note->code, "response-truncated");
}

TEST(ClaudeRuntime, given_a_schema_then_an_answer_of_no_form_is_a_failure) {
  ClaudeSettings settings;
  settings.extra_args = {"--json-schema", "{}"};
  EXPECT_EQ(play_claude(init + result(R"("result":"OK")"), exited(0), {}, settings).finish.failure->code,
            "agent-no-structured-output");
  EXPECT_FALSE(play_claude(init + result(R"("structured_output":{"a":1})"), exited(0), {}, settings).finish.failure);
}

TEST(ClaudeRuntime, given_tools_that_were_denied_and_a_failure_then_both_are_said) {
  const Failure failure = failure_of(result(R"("permission_denials":[{"tool_name":"Bash"}],"errors":["x"])", true));
  EXPECT_THAT(failure.message, HasSubstr("denied: Bash"));
}

// Lingering. -----------------------------------------------------------------------------------------------------
class Lingering : public testing::Test {
 protected:
  Lingering() { (void)runtime_.begin(claude_assignment(step_)); }

  std::optional<Time> wakes(const Actions& actions) const {
    for (const Action& action : actions) {
      if (const auto* wait = std::get_if<WaitUntil>(&action)) return wait->when;
    }
    return std::nullopt;
  }

  static bool stops(const Actions& actions) {
    return std::ranges::any_of(actions, [](const Action& a) { return std::holds_alternative<Stop>(a); });
  }

  Actions print(const std::string& bytes) { return runtime_.next(Printed{bytes}); }
  Actions at(Time now) { return runtime_.next(TimeCame{now}); }

  const Step step_ = claude_step();
  const Time now_ = time_from_ms(1'700'000'050'000);
  ClaudeRuntime runtime_{ClaudeSettings{}};
};

TEST_F(Lingering, given_a_program_that_stays_after_its_result_then_it_is_stopped_and_counts_as_done) {
  const auto asks = wakes(print(init + result(R"("result":"done")")));
  ASSERT_TRUE(asks);
  EXPECT_LE(*asks, now_) << "the time is asked for at once";
  const Actions first = at(now_);
  EXPECT_FALSE(stops(first));
  ASSERT_EQ(wakes(first), now_ + Millis{10'000});
  EXPECT_FALSE(stops(at(now_ + Millis{9'999})));
  EXPECT_TRUE(stops(at(now_ + Millis{10'000})));
  EXPECT_FALSE(stops(at(now_ + Millis{20'000}))) << "once is enough";
  ExitRecord stopped = exited(143);
  stopped.stopped = true;
  const Actions end = runtime_.next(Ended{stopped, {}});
  EXPECT_FALSE(std::get<Finish>(end.back()).failure);
}

TEST_F(Lingering, given_another_turn_after_the_result_then_it_is_left_alone_until_that_ends) {
  (void)print(init + result(R"("result":"first")"));
  (void)at(now_);
  (void)print(init);
  EXPECT_FALSE(stops(at(now_ + Millis{10'000}))) << "it is at work";
  EXPECT_TRUE(wakes(print(result(R"("result":"second")"))));
  EXPECT_FALSE(stops(at(now_ + Millis{15'000})));
  EXPECT_TRUE(stops(at(now_ + Millis{25'000})));
}

TEST_F(Lingering, given_no_result_then_nothing_is_stopped) {
  EXPECT_FALSE(wakes(print(init + message("m1", 1, 1))));
  EXPECT_THAT(at(now_ + std::chrono::hours{5}), IsEmpty());
}

}  // namespace
}  // namespace baton
