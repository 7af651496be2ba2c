#include "runtime/api/api_runtime.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api_play.h"
#include "base/boost_json.h"

namespace baton::api {
namespace {

namespace json = boost::json;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;

Played play(const std::string& log, const Ended& end = ended_well(), ApiSettings settings = anthropic(),
            std::size_t piece = whole) {
  Played played{std::move(settings)};
  played.exchange(log, end, piece);
  return played;
}

// What is asked. ----------------------------------------------------------------------------------------------------
TEST(ApiRuntime, anthropic_asks_the_messages_api_with_a_key_that_is_only_named) {
  Played played{anthropic()};
  ASSERT_TRUE(played.request);
  const HttpRequest& r = played.request->request;
  EXPECT_EQ(played.request->exchange, 1);
  EXPECT_EQ(r.method, "POST");
  EXPECT_EQ(r.url, "https://api.anthropic.com/v1/messages");
  EXPECT_EQ(r.auth, (Auth{"x-api-key", "", KeyFromEnvironment{"ANTHROPIC_API_KEY"}}));
  EXPECT_THAT(r.headers, Contains(Pair("anthropic-version", "2023-06-01")));
  EXPECT_THAT(r.headers, Contains(Pair("content-type", "application/json")));
  EXPECT_THAT(r.headers, Contains(Pair("accept", "text/event-stream")));
  EXPECT_EQ(r.idle_timeout, Millis{120'000});
  EXPECT_EQ(r.first_timeout, Millis{600'000});
  EXPECT_THAT(r.idle_events, ElementsAre("ping"));
  EXPECT_THAT(request_file(r, "/b"), HasSubstr(R"("first_timeout_ms":600000,"idle_events":["ping"])"));
  const json::value body = json::parse(r.body);
  EXPECT_EQ(body.at("model").as_string(), "claude-sonnet-5-5") << "the alias is resolved";
  EXPECT_EQ(body.at("max_tokens").as_int64(), 16384);
}

TEST(ApiRuntime, openai_asks_for_a_chat_completion_wherever_it_is_told) {
  ApiSettings settings = openai();
  settings.base_url = "http://localhost:11434";
  settings.auth.reset();
  settings.model = "llama3";
  settings.proxy = "http://p";
  settings.ca_file = "/ca";
  settings.deadline = Millis{5000};
  settings.headers = {{"x-own", "1"}};
  Played played{settings};
  const HttpRequest& r = played.request->request;
  EXPECT_EQ(r.url, "http://localhost:11434/v1/chat/completions");
  EXPECT_FALSE(r.auth);
  EXPECT_THAT(r.body, HasSubstr(R"("max_tokens":16384)"));
  EXPECT_EQ(r.proxy, "http://p");
  EXPECT_EQ(r.ca_file, "/ca");
  EXPECT_EQ(r.deadline, Millis{5000});
  EXPECT_THAT(r.headers, Contains(Pair("x-own", "1")));
  EXPECT_THAT(r.headers, Not(Contains(Pair("anthropic-version", testing::_))));
  EXPECT_THAT(Played{openai()}.request->request.body, HasSubstr("max_completion_tokens"));
}

TEST(ApiRuntime, a_prompt_without_parts_is_the_task_and_a_model_is_a_must) {
  Played whole_prompt{anthropic(), {.skill = "w", .mission = "m"}, {}};
  EXPECT_TRUE(whole_prompt.request);
  ApiSettings settings = openai();
  settings.model.clear();
  Played nobody{settings};
  EXPECT_EQ(nobody.code(), "api-error");
  EXPECT_FALSE(nobody.request);
  EXPECT_FALSE(nobody.finish->failure->may_retry);
}

TEST(ApiRuntime, a_steps_schema_is_asked_for) {
  Work work{.skill = "w", .mission = "m", .output = "a.json"};
  work.checks = {{.kind = Check::Kind::schema,
                  .value = R"({"type":"object","properties":{"a":{"type":"string"}},"required":["a"]})"}};
  Played played{anthropic(), work};
  EXPECT_THAT(played.request->request.body, HasSubstr(R"("output_config":{"format":{"type":"json_schema")"));
  played.exchange(stream_log(message_stream(R"({\"a\":\"x\"})")));
  EXPECT_EQ(played.output, R"({"a":"x"})");
}

// Answers. ----------------------------------------------------------------------------------------------------------
TEST(ApiRuntime, an_answer_becomes_the_output_however_it_was_cut) {
  for (const std::size_t piece : {std::size_t{1}, std::size_t{17}, whole}) {
    const Played played = play(stream_log(message_stream(R"(# Title\n\nText.\n)", "end_turn", 100, 50)), ended_well(),
                               anthropic(), piece);
    EXPECT_EQ(played.code(), "ok");
    EXPECT_FALSE(played.finish->note);
    EXPECT_EQ(played.output, "# Title\n\nText.\n");
    EXPECT_THAT(played.said, ElementsAre("# Title", "Text."));
    ASSERT_TRUE(played.spent);
    EXPECT_EQ(played.spent->tokens, (Tokens{100, 50, 0, 0}));
    EXPECT_EQ(played.spent->cost, Cost{100 * 2'000 + 50 * 10'000});
    EXPECT_EQ(played.spent->turns, 1);
  }
}

TEST(ApiRuntime, an_answer_that_is_whole_counts_however_the_connection_ended) {
  const std::string log = stream_log(message_stream("x"));
  for (const std::string how : {"reset", "partial", "timeout-idle", "other"})
    EXPECT_EQ(play(log, ended_by(how)).code(), "ok") << how;
  Ended killed = ended_well();
  killed.record.exit.reset();
  killed.record.signal = 9;
  EXPECT_EQ(play(log, killed).code(), "ok");
  Ended stopped = killed;
  stopped.record.stopped = true;
  EXPECT_EQ(play(log, stopped).code(), "ok");
}

TEST(ApiRuntime, a_document_that_is_shorter_than_its_server_said_is_asked_for_again) {
  const Played played = play(json_log(message_json(R"([{"type":"text","text":"x"}])")), ended_by("partial"));
  EXPECT_EQ(played.code(), "api-error");
  EXPECT_TRUE(played.finish->failure->may_retry);
  EXPECT_EQ(played.spent->tokens, (Tokens{10, 5, 0, 0})) << "paid for all the same";
}

TEST(ApiRuntime, a_truncated_answer_is_completed_with_a_warning) {
  const Played played = play(stream_log(message_stream("half", "max_tokens")));
  EXPECT_EQ(played.code(), "ok");
  ASSERT_TRUE(played.finish->note);
  EXPECT_EQ(played.finish->note->code, "response-truncated");
  EXPECT_THAT(played.finish->note->message, HasSubstr("(request req_1)"));
  EXPECT_EQ(played.output, "half");
}

TEST(ApiRuntime, what_was_said_until_the_context_was_full_is_kept_as_truncated) {
  const Played played = play(stream_log(message_stream("half", "model_context_window_exceeded")));
  EXPECT_EQ(played.code(), "ok");
  ASSERT_TRUE(played.finish->note);
  EXPECT_EQ(played.finish->note->code, "response-truncated");
  EXPECT_EQ(played.output, "half");
}

TEST(ApiRuntime, an_answer_that_another_request_had_is_none) {
  const auto known = std::make_shared<KnownAnswers>();
  const auto play_task = [&](const std::string& task, const std::string& log) {
    Played played{anthropic(),
                  {.skill = "w", .output = "out/a.md"},
                  {.skill = {}, .references = {}, .context = {}, .task = task},
                  {},
                  known};
    played.exchange(log);
    return played;
  };
  std::string log = stream_log(message_stream("One."));
  log.replace(log.find("msg_1"), 5, "msg_01XFDUDYJgAACzvnptvVoYEL");
  EXPECT_EQ(play_task("first", log).code(), "ok");
  EXPECT_EQ(play_task("first", log).code(), "ok") << "taken up again, or out of a cache";
  const Played second = play_task("second", log);
  EXPECT_EQ(second.code(), "api-error");
  EXPECT_TRUE(second.finish->failure->may_retry);
  EXPECT_THAT(second.finish->failure->message, HasSubstr("another request"));
  EXPECT_FALSE(second.output);
  ASSERT_TRUE(second.spent);
  EXPECT_FALSE(second.spent->cost) << "what it cost is not known: what was told is another's";
  // A request's id tells the same.
  std::string other = stream_log(message_stream("Two."));
  other.replace(other.find("req_1"), 5, "req_011CSHoEeqs5C35K2UUqR7Fy");
  EXPECT_EQ(play_task("third", other).code(), "ok");
  EXPECT_EQ(play_task("fourth", other).code(), "api-error");
  // `msg_1` and `req_1` are no ids that tell answers apart.
  EXPECT_EQ(play_task("fifth", stream_log(message_stream("Five."))).code(), "ok");
  EXPECT_EQ(play_task("sixth", stream_log(message_stream("Six."))).code(), "ok");
}

TEST(ApiRuntime, usage_that_cannot_be_is_told_and_not_added) {
  for (const auto& [input, output] : {std::pair{900'000'000, 5}, std::pair{5, 900'000'000}}) {
    const Played played = play(stream_log(message_stream("Said.", "end_turn", input, output)));
    EXPECT_EQ(played.code(), "ok");
    ASSERT_TRUE(played.finish->note);
    EXPECT_EQ(played.finish->note->code, "usage-impossible");
    EXPECT_THAT(played.finish->note->message, HasSubstr("900000005 tokens"));
    ASSERT_TRUE(played.spent);
    EXPECT_LT(played.spent->tokens.total(), 1000);
    EXPECT_FALSE(played.spent->cost);
  }
  const Played much = play(stream_log(message_stream("Said.", "end_turn", 1'000'000, 1'000'000)));
  EXPECT_FALSE(much.finish->note) << "a model may read and think what nobody sees";
  EXPECT_EQ(much.spent->tokens.total(), 2'000'000);
}

TEST(ApiRuntime, an_empty_answer_a_refusal_and_a_full_context_fail_and_are_not_retried) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {message_stream(""), "response-empty"},
      {message_stream(R"( \n )"), "response-empty"},
      {message_stream("no", "refusal"), "refused"},
      {message_stream("", "model_context_window_exceeded"), "context-exceeded"},
  };
  for (const auto& [events, code] : rows) {
    const Played played = play(stream_log(events));
    EXPECT_EQ(played.code(), code);
    EXPECT_FALSE(played.finish->failure->may_retry) << code;
    EXPECT_FALSE(played.output) << code;
    EXPECT_TRUE(played.spent) << "it was paid for all the same";
    EXPECT_THAT(played.finish->failure->message, HasSubstr("(request req_1)"));
  }
}

TEST(ApiRuntime, a_chat_answer_is_the_same_to_it) {
  const Played played = play(
      stream_log(
          chat_delta(R"({"content":"hi"})", "stop") +
          chat_chunk(
              "", R"("usage":{"prompt_tokens":10,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":4}})") +
          "data: [DONE]\n\n"),
      ended_well(), openai());
  EXPECT_EQ(played.output, "hi");
  EXPECT_EQ(played.spent->tokens, (Tokens{6, 2, 4, 0}));
  EXPECT_EQ(played.spent->cost, Cost{6 * 5'000 + 2 * 30'000 + 4 * 500});
}

TEST(ApiRuntime, a_server_that_counts_nothing_leaves_the_cost_unknown) {
  ApiSettings settings = openai();
  settings.base_url = "http://localhost:11434";
  settings.model = "llama3";
  const Played played = play(stream_log(R"(data: {"choices":[{"delta":{"content":"12345678"},"finish_reason":"stop"}]})"
                                        "\n\n"),
                             ended_well(), settings);
  EXPECT_EQ(played.code(), "ok");
  EXPECT_EQ(played.spent->cost, std::nullopt);
  EXPECT_EQ(played.spent->tokens.output, 2) << "a guess by bytes";
  EXPECT_GT(played.spent->tokens.input, 0);
}

// Errors. -----------------------------------------------------------------------------------------------------------
std::string error_json(const std::string& type) {
  return R"({"type":"error","error":{"type":")" + type + R"(","message":"m"},"request_id":"req_e"})";
}

TEST(ApiRuntime, an_error_costs_nothing_and_says_whether_and_when_to_ask_again) {
  const Played played = play(json_log(error_json("rate_limit_error"), 429, {{"retry-after", "7"}}));
  EXPECT_EQ(played.code(), "api-rate-limited");
  EXPECT_TRUE(played.finish->failure->may_retry);
  EXPECT_EQ(played.finish->failure->retry_after, Millis{7000});
  EXPECT_EQ(played.spent, (Usage{{}, Cost{0}, 0}));
  EXPECT_THAT(played.finish->failure->message, HasSubstr("req_e"));
  const Played key = play(json_log(error_json("authentication_error"), 401, {{"x-should-retry", "true"}}));
  EXPECT_EQ(key.code(), "api-error");
  EXPECT_FALSE(key.finish->failure->may_retry);
}

TEST(ApiRuntime, a_stream_that_ends_early_is_a_failure_whose_tokens_are_counted) {
  const std::string events = message_stream("a text of forty bytes, or a little more.", "end_turn", 1000, 50);
  const std::string cut = events.substr(0, events.find("event: message_delta"));
  for (const auto& [end, code] :
       std::vector<std::pair<Ended, std::string>>{{ended_well(), "api-error"},
                                                  {ended_by("partial"), "api-error"},
                                                  {ended_by("timeout-idle"), "api-timeout"}}) {
    const Played played = play(stream_log(cut), end);
    EXPECT_EQ(played.code(), code);
    EXPECT_TRUE(played.finish->failure->may_retry);
    EXPECT_FALSE(played.output);
    EXPECT_EQ(played.spent->tokens, (Tokens{1000, 10, 0, 0})) << "what was written is guessed";
    EXPECT_THAT(played.finish->failure->message, HasSubstr("req_1"));
  }
}

TEST(ApiRuntime, an_error_inside_a_stream_is_that_error) {
  const Played played = play(stream_log(message_event("error", R"("error":{"type":"overloaded_error","message":"o"})")),
                             ended_by("reset"));
  EXPECT_EQ(played.code(), "api-overloaded");
  EXPECT_TRUE(played.finish->failure->may_retry);
}

TEST(ApiRuntime, no_response_at_all) {
  EXPECT_EQ(play("", ended_by("timeout-connect")).code(), "api-timeout");
  EXPECT_EQ(play("", ended_by("dns", "no such host")).code(), "api-timeout");
  const Played other = play("", ended_by("other", "no key in ANTHROPIC_API_KEY"));
  EXPECT_EQ(other.code(), "api-error");
  EXPECT_FALSE(other.finish->failure->may_retry);
  EXPECT_THAT(other.finish->failure->message, HasSubstr("ANTHROPIC_API_KEY"));
  Ended deadline = ended_well();
  deadline.record.exit.reset();
  deadline.record.deadline = true;
  EXPECT_EQ(play("", deadline).code(), "api-timeout");
  Ended stopped = deadline;
  stopped.record.deadline = false;
  stopped.record.stopped = true;
  EXPECT_EQ(play("", stopped).code(), "attempt-stopped");
  Ended unspawned;
  unspawned.record.spawn_error = "no such file";
  const Played never = play("", unspawned);
  EXPECT_EQ(never.code(), "api-error");
  EXPECT_EQ(never.spent, (Usage{{}, Cost{0}, 0}));
  Ended killed = ended_well();
  killed.record.exit.reset();
  killed.record.signal = 9;
  EXPECT_TRUE(play("", killed).finish->failure->may_retry);
  EXPECT_EQ(play("garbage\n\n").code(), "api-error");
}

TEST(ApiRuntime, what_the_provider_says_of_its_limits_is_handed_on) {
  const Played played = play(json_log(error_json("overloaded_error"), 529, {{"retry-after", "7"}}));
  ASSERT_EQ(played.met.size(), 2U) << "when it begins and when it has ended";
  EXPECT_FALSE(played.met[0].ended);
  EXPECT_TRUE(played.met[1].ended);
  EXPECT_EQ(played.met[1].status, 529);
  EXPECT_EQ(played.met[1].provider, "https://api.anthropic.com claude-sonnet-5-5");
  EXPECT_EQ(played.met[1].model, "claude-sonnet-5-5");
  EXPECT_THAT(played.met[1].headers, Contains(Pair("retry-after", "7")));
  EXPECT_THAT(play("", ended_by("dns")).met, IsEmpty());
}

TEST(ApiRuntime, a_long_speech_is_said_in_part) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "line\\n";
  const Played played = play(stream_log(message_stream(text)));
  EXPECT_EQ(played.said.size(), 201U);
  EXPECT_EQ(played.said.back(), "…");
}

// Tools. ------------------------------------------------------------------------------------------------------------
std::string tool_stream(const std::string& calls) {
  return message_event(
             "message_start",
             R"("message":{"id":"m","model":"claude-sonnet-5-5","content":[],"usage":{"input_tokens":10,"output_tokens":1}})") +
         calls + message_event("message_delta", R"("delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":5})") +
         message_event("message_stop");
}

std::string call(int index, const std::string& id, const std::string& name, const std::string& input) {
  return message_event("content_block_start", "\"index\":" + std::to_string(index) +
                                                  R"(,"content_block":{"type":"tool_use","id":")" + id +
                                                  R"(","name":")" + name + R"(","input":)" + input + "}") +
         message_event("content_block_stop", "\"index\":" + std::to_string(index));
}

ApiSettings with_tools() {
  ApiSettings settings = anthropic();
  settings.tools = {"read", "write", "run"};
  settings.tool_rounds_max = 2;
  return settings;
}

TEST(ApiTools, are_off_unless_asked_for) {
  EXPECT_THAT(Played{anthropic()}.request->request.body, Not(HasSubstr("\"tools\"")));
  const std::string body = Played{with_tools()}.request->request.body;
  EXPECT_THAT(body, HasSubstr("read_file"));
  EXPECT_THAT(body, Not(HasSubstr("search_files")));
}

TEST(ApiTools, a_round_is_carried_out_and_its_results_are_sent_back) {
  Played played{with_tools()};
  played.exchange(stream_log(tool_stream(call(0, "t1", "read_file", R"({"file_path":"a.md","limit":9})") +
                                         call(1, "t2", "search_files", R"({"pattern":"x"})") +
                                         call(2, "t3", "bash", R"({"command":7})"))));
  ASSERT_TRUE(played.tools);
  EXPECT_EQ(played.tools->exchange, 2);
  EXPECT_FALSE(played.finish);
  EXPECT_THAT(played.said, ElementsAre("[read_file] a.md", "[search_files] x", "[bash] "));
  const auto order = read_tool_uses(played.tools->uses);
  ASSERT_TRUE(order);
  EXPECT_EQ(order->folder, "/project");
  EXPECT_FALSE(order->unconfined);
  EXPECT_THAT(order->uses, ElementsAre(ToolUse{"t1", ToolUse::Kind::read, "a.md", "", "", "", 0, 9}))
      << "what is not there, or is no call, is not carried out";

  played.exchange(tool_results_text({{{"t1", "text of a", false}}}), ended_well(), 3);
  ASSERT_TRUE(played.request);
  EXPECT_EQ(played.request->exchange, 3);
  const json::value body = json::parse(played.request->request.body);
  const json::array& results = body.at("messages").as_array()[2].at("content").as_array();
  ASSERT_EQ(results.size(), 3U) << "one for each call, in their order";
  EXPECT_EQ(results[0].at("content").as_string(), "text of a");
  EXPECT_EQ(results[1].at("content").as_string(), "there is no tool 'search_files'");
  EXPECT_TRUE(results[1].at("is_error").as_bool());
  EXPECT_EQ(results[2].at("content").as_string(), "'command' is missing");

  played.exchange(stream_log(message_stream("done", "end_turn", 20, 7)));
  EXPECT_EQ(played.code(), "ok");
  EXPECT_EQ(played.output, "done");
  EXPECT_EQ(played.spent->tokens, (Tokens{30, 12, 0, 0})) << "the sum of all answers";
  EXPECT_EQ(played.spent->turns, 2);
}

TEST(ApiTools, the_loop_is_bounded) {
  Played played{with_tools()};
  const std::string round = stream_log(tool_stream(call(0, "t", "bash", R"({"command":"ls"})")));
  for (int i = 0; i < 2; ++i) {
    played.exchange(round);
    ASSERT_TRUE(played.tools) << i;
    played.exchange(tool_results_text({{{"t", "a", false}}}));
    ASSERT_TRUE(played.request) << i;
  }
  played.exchange(round);
  EXPECT_EQ(played.code(), "tool-loop-limit");
  EXPECT_THAT(played.finish->failure->message, HasSubstr("(request req_1)"));
  EXPECT_FALSE(played.finish->failure->may_retry);
  EXPECT_EQ(played.spent->turns, 3) << "all of it was paid for";
}

TEST(ApiTools, calls_that_can_none_be_carried_out_are_answered_at_once) {
  Played played{with_tools()};
  played.exchange(stream_log(tool_stream(call(0, "t", "fly", "{}"))));
  EXPECT_FALSE(played.tools);
  ASSERT_TRUE(played.request);
  EXPECT_EQ(played.request->exchange, 2);
  EXPECT_THAT(played.request->request.body, HasSubstr("there is no tool 'fly'"));
}

TEST(ApiTools, an_output_that_a_command_has_written_is_not_written_over) {
  const std::string round = stream_log(tool_stream(call(0, "t", "bash", R"({"command":"make"})")));
  Played played{with_tools()};
  played.exchange(round).exchange(tool_results_text({{{"t", "made", false}}, true}));
  played.exchange(stream_log(message_stream("I made it.")));
  EXPECT_EQ(played.code(), "ok");
  EXPECT_FALSE(played.output);
  Played other{with_tools()};
  other.exchange(round).exchange(tool_results_text({{{"t", "made", false}}, false}));
  other.exchange(stream_log(message_stream("Here it is.")));
  EXPECT_EQ(other.output, "Here it is.");
}

TEST(ApiTools, an_empty_answer_after_tools_names_its_request) {
  Played played{with_tools()};
  played.exchange(stream_log(tool_stream(call(0, "t", "bash", R"({"command":"ls"})"))));
  played.exchange(tool_results_text({{{"t", "a", false}}})).exchange(stream_log(message_stream(" ")));
  EXPECT_EQ(played.code(), "response-empty");
  EXPECT_THAT(played.finish->failure->message, HasSubstr("(request req_1)"));
}

TEST(ApiTools, an_output_that_a_tool_has_written_is_not_written_over) {
  Played played{with_tools()};
  played.exchange(
      stream_log(tool_stream(call(0, "t", "write_file", R"({"file_path":"./out/a.md","content":"mine"})"))));
  played.exchange(tool_results_text({{{"t", "written", false}}})).exchange(stream_log(message_stream("I wrote it.")));
  EXPECT_EQ(played.code(), "ok");
  EXPECT_FALSE(played.output);
  Played failed{with_tools()};
  failed.exchange(stream_log(tool_stream(call(0, "t", "write_file", R"({"file_path":"out/a.md","content":"mine"})"))));
  failed.exchange(tool_results_text({{{"t", "disk full", true}}})).exchange(stream_log(message_stream("Here it is.")));
  EXPECT_EQ(failed.output, "Here it is.");
}

TEST(ApiTools, tools_that_answer_nothing_or_are_stopped_end_the_attempt) {
  Played silent{with_tools()};
  silent.exchange(stream_log(tool_stream(call(0, "t", "bash", R"({"command":"ls"})")))).exchange("half {");
  EXPECT_EQ(silent.code(), "unknown");
  Played stopped{with_tools()};
  Ended end = ended_by("cancelled");
  end.record.stopped = true;
  stopped.exchange(stream_log(tool_stream(call(0, "t", "bash", R"({"command":"ls"})")))).exchange("", end);
  EXPECT_EQ(stopped.code(), "attempt-stopped");
}

TEST(ApiTools, a_call_that_was_cut_off_is_not_carried_out) {
  Played played{with_tools()};
  std::string events = tool_stream(call(0, "t", "bash", R"({"command":"rm -r old"})"));
  events.replace(events.find(R"("stop_reason":"tool_use")"), 24, R"("stop_reason":"max_tokens")");
  played.exchange(stream_log(events));
  EXPECT_FALSE(played.tools);
  EXPECT_EQ(played.code(), "response-empty");
}

TEST(ApiTools, a_model_that_only_pauses_is_asked_to_go_on) {
  Played played{anthropic()};
  played.exchange(stream_log(message_stream("Half. ", "pause_turn")));
  ASSERT_TRUE(played.request);
  const json::value body = json::parse(played.request->request.body);
  ASSERT_EQ(body.at("messages").as_array().size(), 2U);
  EXPECT_EQ(body.at("messages").as_array()[1].at("role").as_string(), "assistant");
  played.exchange(stream_log(message_stream("Rest.")));
  EXPECT_EQ(played.output, "Half. Rest.");
}

TEST(ApiTools, a_model_without_tools_that_only_pauses_is_not_asked_for_ever) {
  Played played{anthropic()};
  played.exchange(stream_log(message_stream("Half. ", "pause_turn")));
  ASSERT_TRUE(played.request);
  played.exchange(stream_log(message_stream("Still. ", "pause_turn")));
  EXPECT_FALSE(played.request) << "twice, not eleven times";
  EXPECT_EQ(played.code(), "api-error");
  EXPECT_FALSE(played.finish->failure->may_retry);
  EXPECT_FALSE(played.output);
}

TEST(ApiTools, a_web_page_is_no_answer_and_not_asked_for_again) {
  Played played{anthropic()};
  played.exchange(log_of(200, {{"content-type", "text/html; charset=utf-8"}}, "<html>Log in</html>"));
  EXPECT_EQ(played.code(), "api-error");
  EXPECT_THAT(played.finish->failure->message, testing::HasSubstr("a web page"));
  EXPECT_FALSE(played.finish->failure->may_retry);
}

TEST(ApiTools, the_same_logs_give_the_same_actions) {
  const auto play_all = [] {
    Played played{with_tools()};
    played.exchange(stream_log(tool_stream(call(0, "t", "bash", R"({"command":"ls"})"))))
        .exchange(tool_results_text({{{"t", "a", false}}}));
    return played.request->request.body;
  };
  EXPECT_EQ(play_all(), play_all());
}

TEST(ApiTools, a_command_that_cannot_be_confined_ends_the_attempt) {
  Played played{with_tools()};
  played.exchange(stream_log(tool_stream(call(0, "t", "read_file", R"({"file_path":"a.md"})"))));
  played.exchange(tool_results_text({.results = {}, .wrote_output = false, .unavailable = "no namespaces"}));
  ASSERT_TRUE(played.finish && played.finish->failure);
  EXPECT_EQ(played.finish->failure->code, "sandbox-unavailable");
  EXPECT_FALSE(played.finish->failure->may_retry);
  EXPECT_THAT(played.finish->failure->message, HasSubstr("no namespaces; with 'unconfined_commands = true'"));
}

TEST(ApiTools, who_lets_commands_run_unconfined_says_so_in_the_order) {
  ApiSettings settings = with_tools();
  settings.unconfined_commands = true;
  Played played{settings};
  played.exchange(stream_log(tool_stream(call(0, "t", "read_file", R"({"file_path":"a.md"})"))));
  ASSERT_TRUE(played.tools);
  EXPECT_TRUE(read_tool_uses(played.tools->uses)->unconfined);
}

TEST(ApiTools, files_of_uses_and_results_that_are_none_are_refused) {
  for (const std::string bad : {"", "[]", "{}", R"({"version":2,"uses":[]})",
                                R"({"version":1,"uses":[{"tool":"fly"}]})", R"({"version":1,"uses":[7]})"}) {
    EXPECT_FALSE(read_tool_uses(bad)) << bad;
  }
  for (const std::string bad : {"", "[]", "{}", R"({"results":[1]})"}) EXPECT_FALSE(read_tool_results(bad)) << bad;
  EXPECT_THAT(in_order({{"a", "x", "{}"}, {"a", "x", "{}"}}, {{"a", "1", false}}),
              ElementsAre(ToolResult{"a", "1", false}, ToolResult{"a", "the tool gave no answer", true}));
}

}  // namespace
}  // namespace baton::api
