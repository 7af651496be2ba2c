#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api_play.h"
#include "runtime/api/messages_reader.h"

namespace baton::api {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string start = message_event(
    "message_start",
    R"("message":{"id":"msg_1","model":"claude-opus-5-5","content":[],"usage":{"input_tokens":7,"cache_read_input_tokens":100,"cache_creation_input_tokens":50,"cache_creation":{"ephemeral_5m_input_tokens":20,"ephemeral_1h_input_tokens":30},"output_tokens":1}})");

std::string block(int index, const std::string& content) {
  return message_event("content_block_start", "\"index\":" + std::to_string(index) + ",\"content_block\":" + content);
}

std::string delta(int index, const std::string& content) {
  return message_event("content_block_delta", "\"index\":" + std::to_string(index) + ",\"delta\":" + content);
}

std::string stop(int index) { return message_event("content_block_stop", "\"index\":" + std::to_string(index)); }

std::string last(const std::string& reason, const std::string& usage = R"({"output_tokens":42})") {
  return message_event("message_delta", R"("delta":{"stop_reason":")" + reason + R"("},"usage":)" + usage) +
         message_event("message_stop");
}

ReadResponse read_messages(const std::string& events, std::size_t piece = whole) {
  return read_response(Protocol::messages, stream_log(events), piece);
}

TEST(MessagesStream, blocks_are_told_by_their_kind_and_not_by_their_place) {
  const std::string events = start + message_event("ping") +
                             block(0, R"({"type":"thinking","thinking":"","signature":""})") +
                             delta(0, R"({"type":"thinking_delta","thinking":"let me "})") +
                             delta(0, R"({"type":"thinking_delta","thinking":"see"})") +
                             delta(0, R"({"type":"signature_delta","signature":"sig"})") + stop(0) +
                             block(1, R"({"type":"redacted_thinking","data":"xyz"})") + stop(1) +
                             block(2, R"({"type":"text","text":""})") + text_delta("Hel", 2) + message_event("ping") +
                             text_delta("lo", 2) + delta(2, R"({"type":"citations_delta","citation":{}})") + stop(2) +
                             block(3, R"({"type":"tool_use","id":"t1","name":"read_file","input":{}})") +
                             delta(3, R"({"type":"input_json_delta","partial_json":"{\"file_"})") +
                             delta(3, R"({"type":"input_json_delta","partial_json":"path\":\"a\"}"})") + stop(3) +
                             block(4, R"({"type":"server_thing","x":1})") + stop(4) + last("tool_use");
  for (const std::size_t piece : {std::size_t{1}, std::size_t{13}, whole}) {
    const auto got = read_messages(events, piece);
    ASSERT_TRUE(got.reader->is_complete());
    const Answer& a = got.reader->answer();
    EXPECT_EQ(a.text(), "Hello");
    EXPECT_EQ(got.said, "Hello");
    EXPECT_EQ(a.blocks.size(), 5U);
    EXPECT_EQ(a.blocks[0].text, "let me see");
    EXPECT_EQ(a.blocks[0].signature, "sig");
    EXPECT_EQ(a.blocks[1].data, "xyz");
    EXPECT_THAT(a.calls(), ElementsAre(ToolCall{"t1", "read_file", R"({"file_path":"a"})"}));
    EXPECT_EQ(a.blocks[4].data, R"({"type":"server_thing","x":1})");
    EXPECT_EQ(a.stop, StopReason::tool_use);
    EXPECT_EQ(a.id, "msg_1");
    EXPECT_EQ(a.model, "claude-opus-5-5");
  }
}

TEST(MessagesStream, usage_is_cumulative_and_knows_the_cache) {
  const auto got = read_messages(
      start + message_event("message_delta", R"("delta":{},"usage":{"output_tokens":20})") +
      last("end_turn", R"({"input_tokens":7,"output_tokens":42,"output_tokens_details":{"thinking_tokens":9}})"));
  EXPECT_EQ(got.reader->answer().usage.tokens, (Tokens{7, 42, 100, 50}));
  EXPECT_EQ(got.reader->answer().usage.cache_write_1h, 30);
  EXPECT_EQ(got.reader->answer().usage.thinking_tokens, 9);
}

TEST(MessagesStream, a_tool_without_input_has_an_empty_object) {
  const auto got =
      read_messages(start + block(0, R"({"type":"tool_use","id":"t","name":"list_files","input":{}})") +
                    delta(0, R"({"type":"input_json_delta","partial_json":""})") + stop(0) + last("tool_use"));
  EXPECT_THAT(got.reader->answer().calls(), ElementsAre(ToolCall{"t", "list_files", "{}"}));
}

TEST(MessagesStream, what_nobody_knows_is_left_alone) {
  const auto got =
      read_messages(start + message_event("message_mood", R"("mood":"fine")") + "event: shout\ndata: not json\n\n" +
                    block(0, R"({"type":"text","text":""})") + delta(0, R"({"type":"sparkle_delta","x":1})") +
                    text_delta("ok") + stop(0) + last("because_i_can"));
  ASSERT_TRUE(got.reader->is_complete());
  EXPECT_EQ(got.reader->answer().text(), "ok");
  EXPECT_EQ(got.reader->answer().stop, StopReason::other);
  EXPECT_EQ(got.reader->answer().stop_word, "because_i_can");
}

TEST(MessagesStream, every_stop_reason_is_known) {
  const std::vector<std::pair<std::string, StopReason>> reasons = {
      {"end_turn", StopReason::end_turn}, {"max_tokens", StopReason::max_tokens},
      {"tool_use", StopReason::tool_use}, {"stop_sequence", StopReason::stop_sequence},
      {"refusal", StopReason::refusal},   {"pause_turn", StopReason::pause_turn},
      {"new_word", StopReason::other},    {"model_context_window_exceeded", StopReason::context_exceeded}};
  for (const auto& [word, reason] : reasons) {
    EXPECT_EQ(read_messages(message_stream("x", word)).reader->answer().stop, reason) << word;
    EXPECT_EQ(read_response(Protocol::messages, json_log(message_json("[]", word))).reader->answer().stop, reason);
  }
}

TEST(MessagesStream, a_refusal_says_why) {
  const auto got = read_messages(
      start +
      message_event(
          "message_delta",
          R"("delta":{"stop_reason":"refusal","stop_details":{"type":"refusal","category":"cyber","explanation":"no"}})") +
      message_event("message_stop"));
  EXPECT_EQ(got.reader->answer().stop_details, "cyber: no");
}

TEST(MessagesStream, an_answer_that_is_whole_but_for_message_stop_is_one) {
  const std::string events = message_stream("Hello");
  const auto until = [&](const char* event) { return read_messages(events.substr(0, events.find(event))); };
  EXPECT_TRUE(until("event: message_stop").reader->is_complete());
  EXPECT_EQ(until("event: message_stop").reader->answer().text(), "Hello");
  EXPECT_EQ(until("event: message_stop").reader->answer().usage.tokens.output, 5);
  EXPECT_TRUE(until("_stop\"}").reader->is_complete()) << "in the middle of its last event";
  for (const char* event : {"event: message_delta", "event: content_block_stop", "event: content_block_start"}) {
    EXPECT_FALSE(until(event).reader->is_complete()) << event;
    EXPECT_FALSE(until(event).reader->has_error());
  }
  EXPECT_FALSE(read_messages("").reader->is_complete());
  std::string open = events.substr(0, events.find("event: message_stop"));
  open.erase(open.find("event: content_block_stop"),
             open.find("event: message_delta") - open.find("event: content_block_stop"));
  EXPECT_FALSE(read_messages(open).reader->is_complete()) << "a block is still open";
}

TEST(MessagesStream, one_stream_holds_one_message_from_its_beginning) {
  const auto two = read_messages(start + text_delta("one") + message_stream("two"));
  EXPECT_FALSE(two.reader->is_complete());
  EXPECT_THAT(two.reader->broken(), HasSubstr("a second answer"));
  const std::string events = message_stream("Hello");
  const auto headless = read_messages(events.substr(events.find("event: content_block_start")));
  EXPECT_FALSE(headless.reader->is_complete());
  EXPECT_THAT(headless.reader->broken(), HasSubstr("no beginning"));
}

TEST(MessagesStream, an_error_inside_a_stream_is_told) {
  const auto got = read_messages(
      start + text_delta("Hel") +
      message_event("error", R"("error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_in")") +
      message_event("message_stop"));
  ASSERT_TRUE(got.reader->has_error());
  EXPECT_FALSE(got.reader->is_complete());
  EXPECT_EQ(got.reader->error().type, "overloaded_error");
  EXPECT_EQ(got.reader->error().status, 0);
  EXPECT_EQ(got.reader->error().request_id, "req_in");
}

TEST(MessagesStream, an_event_that_is_no_json_breaks_it_even_if_the_end_comes) {
  const auto got =
      read_messages(start + "event: content_block_delta\ndata: {\"type\":\"content_\n\n" + last("end_turn"));
  EXPECT_FALSE(got.reader->is_complete());
  EXPECT_THAT(got.reader->broken(), HasSubstr("no JSON"));
}

TEST(MessagesStream, what_comes_after_the_end_does_not_count) {
  const auto got = read_messages(message_stream("one") + text_delta("two") + "data: garbage\n\n");
  ASSERT_TRUE(got.reader->is_complete());
  EXPECT_EQ(got.reader->answer().text(), "one");
}

TEST(MessagesStream, a_delta_whose_block_never_began_is_not_lost) {
  const auto got = read_messages(start + text_delta("x", 5) + last("end_turn"));
  EXPECT_EQ(got.reader->answer().text(), "x");
}

TEST(MessagesStream, values_of_wrong_types_do_no_harm) {
  const auto got =
      read_messages(message_event("message_start", R"("message":[1])") +
                    message_event("content_block_start", R"("index":"x","content_block":7)") +
                    message_event("content_block_delta", R"("index":-3,"delta":{"type":"text_delta","text":5})") +
                    message_event("message_delta", R"("delta":null,"usage":{"output_tokens":-4,"input_tokens":"9"})") +
                    message_event("message_stop"));
  EXPECT_TRUE(got.reader->is_complete());
  EXPECT_EQ(got.reader->answer().text(), "");
  EXPECT_EQ(got.reader->answer().usage.tokens.total(), 0);
}

TEST(MessagesDocument, an_answer_that_was_not_streamed_is_read_as_one) {
  const auto got = read_response(
      Protocol::messages,
      json_log(message_json(
          R"([{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"A"},{"type":"text","text":"B"}])")),
      3);
  ASSERT_TRUE(got.reader->is_complete());
  EXPECT_EQ(got.reader->answer().text(), "A\n\nB");
  EXPECT_EQ(got.reader->answer().usage.tokens, (Tokens{10, 5, 0, 0}));
  EXPECT_EQ(got.said, "A\n\nB");
}

TEST(MessagesDocument, what_is_no_answer_is_broken_or_an_error) {
  EXPECT_THAT(read_response(Protocol::messages, json_log("{\"a\":1}")).reader->broken(), HasSubstr("no content"));
  EXPECT_THAT(read_response(Protocol::messages, json_log("{\"cont")).reader->broken(), HasSubstr("no JSON"));
  EXPECT_FALSE(read_response(Protocol::messages, json_log("")).reader->is_complete());
  EXPECT_TRUE(
      read_response(Protocol::messages, json_log(R"({"type":"error","error":{"type":"api_error","message":"x"}})"))
          .reader->has_error());
}

TEST(ResponseForm, a_server_that_does_not_say_what_it_sends_is_understood_all_the_same) {
  const std::string unsaid = log_of(200, {}, "\n\n" + message_stream("a"));
  EXPECT_EQ(read_response(Protocol::messages, unsaid, 1).reader->answer().text(), "a");
  const std::string wrong =
      log_of(200, {{"content-type", "text/plain; charset=utf-8"}}, message_json(R"([{"type":"text","text":"b"}])"));
  EXPECT_EQ(read_response(Protocol::messages, wrong, 1).reader->answer().text(), "b");
}

TEST(ErrorBodies, every_form_that_servers_have_is_read) {
  struct Case {
    std::string body;
    std::string type;
    std::string code;
    std::string message;
  };
  const std::vector<Case> cases = {
      {R"({"type":"error","error":{"type":"rate_limit_error","message":"slow"},"request_id":"r"})", "rate_limit_error",
       "", "slow"},
      {R"({"type":"error","error":{"type":"rate_limit_error","message":"cap","details":{"error_code":"enforced_spend_limit_reached"}}})",
       "rate_limit_error", "enforced_spend_limit_reached", "cap"},
      {R"({"error":{"message":"quota","type":"insufficient_quota","param":null,"code":"insufficient_quota"}})",
       "insufficient_quota", "insufficient_quota", "quota"},
      {R"({"error":{"message":"m","type":"T","code":404}})", "T", "404", "m"},
      {R"({"error":"model 'x' not found"})", "", "", "model 'x' not found"},
      {R"({"object":"error","message":"too long","type":"BadRequestError","code":400})", "BadRequestError", "400",
       "too long"},
      {R"({"detail":"Not Found"})", "", "", "Not Found"},
      {R"({"detail":[{"loc":["body"],"msg":"field required"}]})", "", "", "field required"},
      {R"({"errors":[{"message":"first"}]})", "", "", "first"},
      {R"([{"error":{"code":400,"message":"in a list","status":"INVALID"}}])", "", "400", "in a list"},
      {R"({"error":{"message":"Provider returned error","code":502,"metadata":{"raw":"upstream"}}})", "", "502",
       "Provider returned error: upstream"},
      {"<html><head><title>502 Bad Gateway</title></head>\n<body>nginx</body></html>", "", "", "502 Bad Gateway nginx"},
      {"upstream connect error", "", "", "upstream connect error"},
      {"", "", "", ""},
  };
  for (const Case& c : cases) {
    const auto got = read_response(Protocol::chat, log_of(500, {{"x-request-id", "rq"}}, c.body), 2);
    ASSERT_TRUE(got.reader->has_error()) << c.body;
    const ServerError error = got.reader->error();
    EXPECT_EQ(error.status, 500);
    EXPECT_EQ(error.type, c.type) << c.body;
    EXPECT_EQ(error.code, c.code) << c.body;
    EXPECT_EQ(error.message, c.message) << c.body;
    EXPECT_EQ(error.request_id, c.body.find("request_id") == std::string::npos ? "rq" : "r");
  }
}

}  // namespace
}  // namespace baton::api
