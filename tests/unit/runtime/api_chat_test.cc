#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api_play.h"
#include "runtime/api/chat_reader.h"

namespace baton::api {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string done = "data: [DONE]\n\n";

ReadResponse read_chat(const std::string& events, std::size_t piece = whole) {
  return read_response(Protocol::chat, stream_log(events), piece);
}

TEST(ChatStream, text_and_usage_of_the_last_chunk_are_read_however_it_is_cut) {
  const std::string events =
      chat_delta(R"({"role":"assistant","content":""})") + chat_delta(R"({"content":"Hel"})") +
      chat_delta(R"({"content":"lo"})") + chat_delta("{}", "stop") +
      chat_chunk(
          "",
          R"("usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"prompt_tokens_details":{"cached_tokens":60,"cache_write_tokens":10},"completion_tokens_details":{"reasoning_tokens":5}})") +
      done;
  for (const std::size_t piece : {std::size_t{1}, std::size_t{11}, whole}) {
    const auto got = read_chat(events, piece);
    ASSERT_TRUE(got.reader->is_complete());
    EXPECT_EQ(got.reader->answer().text(), "Hello");
    EXPECT_EQ(got.said, "Hello");
    EXPECT_EQ(got.reader->answer().stop, StopReason::end_turn);
    // What was cached is part of the prompt's tokens there, and apart here.
    EXPECT_EQ(got.reader->answer().usage.tokens, (Tokens{30, 20, 60, 10}));
    EXPECT_EQ(got.reader->answer().usage.thinking_tokens, 5);
  }
}

TEST(ChatStream, a_server_without_done_or_usage_or_ids_is_understood) {
  const auto got = read_chat(R"(data: {"choices":[{"delta":{"content":"hi"},"finish_reason":null}]})"
                             "\n\n"
                             R"(data: {"choices":[{"delta":{},"finish_reason":"stop"}]})"
                             "\n\n");
  ASSERT_TRUE(got.reader->is_complete());
  EXPECT_EQ(got.reader->answer().text(), "hi");
  EXPECT_FALSE(got.reader->answer().usage.is_known);
}

TEST(ChatStream, done_alone_is_an_end_too) {
  EXPECT_TRUE(read_chat(chat_delta(R"({"content":"x"})") + done).reader->is_complete());
}

TEST(ChatStream, a_stream_that_says_neither_is_not_complete) {
  EXPECT_FALSE(read_chat(chat_delta(R"({"content":"x"})")).reader->is_complete());
  EXPECT_FALSE(read_chat("").reader->is_complete());
}

TEST(ChatStream, a_count_in_every_chunk_is_no_sum) {
  const std::string usage1 = R"("usage":{"prompt_tokens":8,"completion_tokens":1})";
  const std::string usage2 = R"("usage":{"prompt_tokens":8,"completion_tokens":2})";
  const auto got =
      read_chat(chat_chunk(R"({"index":0,"delta":{"content":"a"},"finish_reason":null})", usage1) +
                chat_chunk(R"({"index":0,"delta":{"content":"b"},"finish_reason":"stop"})", usage2) + done);
  EXPECT_EQ(got.reader->answer().usage.tokens, (Tokens{8, 2, 0, 0}));
}

TEST(ChatStream, reasoning_by_whatever_name_is_not_the_answer) {
  for (const std::string key : {"reasoning_content", "reasoning", "thinking"}) {
    const auto got = read_chat(chat_delta(R"({"content":null,")" + key + R"(":"hm"})") +
                               chat_delta(R"({"content":"x"})", "stop") + done);
    EXPECT_EQ(got.reader->answer().text(), "x") << key;
    EXPECT_EQ(got.reader->answer().blocks.front().text, "hm") << key;
  }
  const auto inlined = read_chat(chat_delta(R"({"content":"<think>\nlet me"})") +
                                 chat_delta(R"({"content":" see</think>\n\nAnswer"})", "stop"));
  EXPECT_EQ(inlined.reader->answer().text(), "Answer");
}

TEST(ChatStream, tool_calls_are_put_together_by_their_index) {
  const auto got = read_chat(
      chat_delta(
          R"({"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"read_file","arguments":""}}]})") +
      chat_delta(
          R"({"tool_calls":[{"index":1,"id":"c2","type":"function","function":{"name":"bash","arguments":"{\"co"}}]})") +
      chat_delta(R"({"tool_calls":[{"index":0,"function":{"arguments":"{\"file_path\":"}}]})") +
      chat_delta(
          R"({"tool_calls":[{"index":1,"function":{"arguments":"mmand\":\"ls\"}"}},{"index":0,"function":{"arguments":"\"a\"}"}}]})") +
      chat_delta("{}", "tool_calls") + done);
  EXPECT_THAT(got.reader->answer().calls(), ElementsAre(ToolCall{"c1", "read_file", R"({"file_path":"a"})"},
                                                        ToolCall{"c2", "bash", R"({"command":"ls"})"}));
  EXPECT_EQ(got.reader->answer().stop, StopReason::tool_use);
}

TEST(ChatStream, calls_without_index_or_id_as_local_servers_have_them) {
  const auto got =
      read_chat(chat_delta(R"({"tool_calls":[{"id":"a","function":{"name":"bash","arguments":{"command":"ls"}}}]})") +
                chat_delta(R"({"tool_calls":[{"id":"b","function":{"name":"list_files"}}]})", "tool_calls"));
  EXPECT_THAT(got.reader->answer().calls(),
              ElementsAre(ToolCall{"a", "bash", R"({"command":"ls"})"}, ToolCall{"b", "list_files", "{}"}));
  const auto bare =
      read_chat(chat_delta(R"({"tool_calls":[{"function":{"name":"list_files","arguments":"{}"}}]})", "stop"));
  EXPECT_THAT(bare.reader->answer().calls(), ElementsAre(ToolCall{"call_1", "list_files", "{}"}));
}

TEST(ChatStream, every_finish_reason_is_known) {
  const std::vector<std::pair<std::string, StopReason>> reasons = {
      {"stop", StopReason::end_turn},          {"length", StopReason::max_tokens},
      {"tool_calls", StopReason::tool_use},    {"function_call", StopReason::tool_use},
      {"content_filter", StopReason::refusal}, {"abort", StopReason::broken_off},
      {"error", StopReason::broken_off},       {"new_word", StopReason::other}};
  for (const auto& [word, reason] : reasons) {
    EXPECT_EQ(read_chat(chat_delta(R"({"content":"x"})", word) + done).reader->answer().stop, reason) << word;
  }
}

TEST(ChatStream, a_refusal_in_words_stays_one) {
  const auto got = read_chat(chat_delta(R"({"refusal":"I can"})") + chat_delta(R"({"refusal":"not"})", "stop") + done);
  EXPECT_EQ(got.reader->answer().stop, StopReason::refusal);
  EXPECT_EQ(got.reader->answer().stop_details, "I cannot");
}

TEST(ChatStream, errors_inside_a_stream_have_many_forms) {
  for (const std::string event : {R"(data: {"error":{"message":"boom","type":"server_error","code":500}})",
                                  R"(data: {"error":"boom"})", "event: error\ndata: {\"message\":\"boom\"}",
                                  R"(data: {"object":"error","message":"boom"})", "event: error\ndata: boom"}) {
    const auto got = read_chat(chat_delta(R"({"content":"x"})") + event + "\n\n" + done);
    ASSERT_TRUE(got.reader->has_error()) << event;
    EXPECT_EQ(got.reader->error().message, "boom") << event;
    EXPECT_FALSE(got.reader->is_complete());
  }
}

TEST(ChatStream, an_event_that_is_no_json_breaks_it) {
  const auto got = read_chat(chat_delta(R"({"content":"x"})") + "data: {\"choices\":[{\n\n" + done);
  EXPECT_FALSE(got.reader->is_complete());
  EXPECT_THAT(got.reader->broken(), HasSubstr("no JSON"));
}

TEST(ChatStream, only_the_first_choice_counts) {
  const auto got = read_chat(chat_chunk(R"({"index":1,"delta":{"content":"no"},"finish_reason":"stop"})") +
                             chat_delta(R"({"content":"yes"})", "stop") + done);
  EXPECT_EQ(got.reader->answer().text(), "yes");
}

TEST(ChatStream, a_character_that_was_cut_in_two_between_chunks_is_whole_again) {
  const auto got = read_chat(
      "data: {\"choices\":[{\"delta\":{\"content\":\"\xE2\x82\"}}]}\n\ndata: "
      "{\"choices\":[{\"delta\":{\"content\":\"\xAC\"},\"finish_reason\":\"stop\"}]}\n\n");
  EXPECT_EQ(got.reader->answer().text(), "\xE2\x82\xAC");
}

TEST(ChatDocument, an_answer_that_was_not_streamed_is_read_as_one) {
  const auto got = read_response(
      Protocol::chat,
      json_log(
          R"({"id":"c","object":"chat.completion","model":"llama3","choices":[{"index":0,"message":{"role":"assistant","content":"hi","tool_calls":[{"id":"t","type":"function","function":{"name":"bash","arguments":"{}"}}]},"finish_reason":"length"}],"usage":{"prompt_tokens":4,"completion_tokens":2}})"),
      5);
  ASSERT_TRUE(got.reader->is_complete());
  EXPECT_EQ(got.reader->answer().text(), "hi");
  EXPECT_EQ(got.reader->answer().stop, StopReason::max_tokens);
  EXPECT_EQ(got.reader->answer().calls().size(), 1U);
  EXPECT_EQ(got.reader->answer().model, "llama3");
  EXPECT_EQ(got.reader->answer().usage.tokens, (Tokens{4, 2, 0, 0}));
  const auto parts = read_response(
      Protocol::chat,
      json_log(R"({"choices":[{"message":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}}]})"));
  EXPECT_TRUE(parts.reader->is_complete());
  EXPECT_EQ(parts.reader->answer().text(), "ab");
}

TEST(ChatDocument, what_is_no_answer_is_broken_or_an_error) {
  EXPECT_THAT(read_response(Protocol::chat, json_log("{\"choices\":[]}")).reader->broken(), HasSubstr("no choices"));
  EXPECT_THAT(read_response(Protocol::chat, json_log("nope")).reader->broken(), HasSubstr("no JSON"));
  EXPECT_TRUE(read_response(Protocol::chat, json_log(R"({"error":"no such model"})")).reader->has_error());
}

}  // namespace
}  // namespace baton::api
