// What an answer's pieces come to as text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api_play.h"
#include "runtime/api/characters.h"

namespace baton::api {
namespace {

std::string begun() { return message_event("message_start", R"("message":{"id":"msg_1","model":"m"})"); }

std::string ended() {
  return message_event("message_delta", R"("delta":{"stop_reason":"end_turn"})") + message_event("message_stop");
}

std::string text_of(const std::string& events) {
  return read_response(Protocol::messages, stream_log(begun() + events + ended())).reader->answer().text();
}

std::string chat_text_of(const std::vector<std::string>& deltas) {
  std::string events;
  for (const std::string& delta : deltas) events += chat_delta(R"({"content":")" + delta + "\"}");
  return read_response(Protocol::chat, stream_log(events + chat_delta("{}", "stop"))).reader->answer().text();
}

std::string cited(int index) {
  return message_event("content_block_delta", "\"index\":" + std::to_string(index) +
                                                  R"(,"delta":{"type":"citations_delta","citation":{"url":"u"}})");
}

TEST(AnswerText, blocks_are_joined_by_a_blank_line) {
  EXPECT_EQ(text_of(text_delta("One.", 0) + text_delta("Two.", 1)), "One.\n\nTwo.");
  EXPECT_EQ(text_of(text_delta(R"(One.\n)", 0) + text_delta("Two.", 1)), "One.\n\nTwo.");
  EXPECT_EQ(text_of(text_delta(R"(One.\n\n)", 0) + text_delta(R"(\nTwo.)", 1)), "One.\n\n\nTwo.");
  EXPECT_EQ(text_of(text_delta("One.", 0) + text_delta(R"(\n)", 1) + text_delta("Two.", 2)), "One.\n\nTwo.");
  const std::string between = message_event(
      "content_block_start", R"("index":1,"content_block":{"type":"server_tool_use","id":"s","name":"web_search"})");
  EXPECT_EQ(text_of(text_delta("One.", 0) + between + text_delta("Two.", 2) + cited(2)), "One.\n\nTwo.")
      << "what stands in between ends a sentence, too";
}

TEST(AnswerText, a_sentence_that_sources_cut_stays_one) {
  EXPECT_EQ(text_of(text_delta("By the census ", 0) + text_delta("it has 3 million", 1) + cited(1) +
                    text_delta(" inhabitants.", 2)),
            "By the census it has 3 million inhabitants.");
  const auto whole_answer = read_response(
      Protocol::messages,
      json_log(message_json(R"([{"type":"text","text":"It has "},{"type":"text","text":"3","citations":[{"url":"u"}]},)"
                            R"({"type":"text","text":" rooms.","citations":[]},{"type":"text","text":"Next."}])")));
  EXPECT_EQ(whole_answer.reader->answer().text(), "It has 3 rooms.\n\nNext.");
}

TEST(AnswerText, a_chat_has_one_text_whatever_it_thinks_in_between) {
  const std::string events = chat_delta(R"({"content":"One "})") + chat_delta(R"({"reasoning":"hm"})") +
                             chat_delta(R"({"content":"sentence."})") + chat_delta("{}", "stop");
  EXPECT_EQ(read_response(Protocol::chat, stream_log(events)).reader->answer().text(), "One sentence.");
}

TEST(AnswerText, halves_of_a_character_are_joined_and_lone_ones_replaced) {
  struct Row {
    std::vector<std::string> deltas;
    const char* text;
  };
  const Row rows[] = {
      {{R"(a\ud83d)", R"(\ude00b)"},
       "a\xF0\x9F\x98\x80"
       "b"},
      {{R"(a\ud83d\ude00b)"},
       "a\xF0\x9F\x98\x80"
       "b"},
      {{R"(a\ud83d)", "b"},
       "a\xEF\xBF\xBD"
       "b"},
      {{R"(a\ude00b)"},
       "a\xEF\xBF\xBD"
       "b"},
      {{R"(\ud83d\ud83d\ude00)"}, "\xEF\xBF\xBD\xF0\x9F\x98\x80"},
      {{R"(\\ud83d)"}, "\\ud83d"},
      {{"a\xE2\x82", "\xAC!"}, "a\xE2\x82\xAC!"},
      {{"a\xE2\x82!"}, "a\xEF\xBF\xBD!"},
      {{"a\xFF!"}, "a\xEF\xBF\xBD!"},
  };
  for (const Row& row : rows) {
    std::string events;
    for (const std::string& delta : row.deltas) events += text_delta(delta);
    EXPECT_EQ(text_of(events), row.text);
    EXPECT_EQ(chat_text_of(row.deltas), row.text);
  }
  EXPECT_EQ(read_response(Protocol::messages, json_log(message_json(R"([{"type":"text","text":"a\ud83d"}])")))
                .reader->answer()
                .text(),
            "a\xEF\xBF\xBD");
}

TEST(AnswerText, halves_in_the_input_of_a_tool_do_not_make_it_none) {
  const std::string piece = R"("index":0,"delta":{"type":"input_json_delta","partial_json":)";
  const auto got = read_response(
      Protocol::messages,
      stream_log(
          begun() +
          message_event("content_block_start",
                        R"("index":0,"content_block":{"type":"tool_use","id":"t","name":"write_file","input":{}})") +
          message_event("content_block_delta", piece + R"("{\"text\":\"a\\ud83d"})") +
          message_event("content_block_delta", piece + R"("b\"}"})") +
          message_event("content_block_stop", R"("index":0)") + ended()));
  ASSERT_EQ(got.reader->answer().calls().size(), 1U);
  EXPECT_EQ(got.reader->answer().calls()[0].input,
            "{\"text\":\"a\xEF\xBF\xBD"
            "b\"}");
}

}  // namespace
}  // namespace baton::api
