// What people read of the logs of model APIs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/api/model_list.h"
#include "runtime/api/tools.h"
#include "runtime/transcript.h"

namespace baton {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

constexpr std::string_view streamed =
    "baton-http/1 200\ncontent-type: text/event-stream\n\n"
    "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"model\":\"x\",\"content\":[],"
    "\"usage\":{\"input_tokens\":7,\"cache_read_input_tokens\":3,\"output_tokens\":1}}}\n\n"
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":"
    "\"text\",\"text\":\"\"}}\n\n"
    "event: content_block_delta\ndata: "
    "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\","
    "\"text\":\"One\\nTwo\"}}\n\n"
    "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{"
    "\"output_tokens\":5}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";

std::vector<std::string> told(Transcript& transcript, std::string_view log, std::size_t piece) {
  std::vector<std::string> lines;
  const auto add = [&](const LogLines& more) {
    for (const LogLine& line : more) lines.push_back(line.text);
  };
  for (std::size_t at = 0; at < log.size(); at += piece) add(transcript.read(log.substr(at, piece)));
  add(transcript.end());
  return lines;
}

TEST(ApiTranscript, tells_what_the_model_said_however_the_log_is_cut) {
  for (const std::size_t piece : {1U, 3U, 11U, 64U, 100'000U}) {
    const auto transcript = make_transcript("anthropic");
    EXPECT_THAT(told(*transcript, streamed, piece),
                ElementsAre("One", "Two", "[result] end_turn; 15 tokens, 3 of them from the cache"))
        << piece;
  }
}

TEST(ApiTranscript, tells_paragraphs_and_whole_characters) {
  std::string log{streamed};
  const auto begins = log.find("event: content_block_start");
  const std::string block = log.substr(begins, log.find("event: message_delta") - begins);
  std::string second = block;
  second.replace(second.find("One\\nTwo"), 8, "Three \\ud83d");
  std::string third = block.substr(block.find("event: content_block_delta"));
  third.replace(third.find("One\\nTwo"), 8, "\\ude00.");
  log.insert(begins + block.size(), second + third);
  for (const std::size_t piece : {1U, 64U, 100'000U}) {
    const auto transcript = make_transcript("anthropic");
    std::string all;
    for (const std::string& line : told(*transcript, log, piece)) all += line + "\n";
    EXPECT_THAT(all, StartsWith("One\nTwo\nThree \xF0\x9F\x98\x80.\n[result] end_turn")) << piece;
  }
}

TEST(ApiTranscript, tells_errors_with_their_request) {
  const auto transcript = make_transcript("openai");
  EXPECT_THAT(told(*transcript,
                   "baton-http/1 401\ncontent-type: application/json\nx-request-id: req_9\n\n"
                   "{\"error\":{\"message\":\"who are you\",\"type\":\"authentication_error\"}}",
                   100'000),
              ElementsAre("[error] 401 authentication_error: who are you (request req_9)"));
}

TEST(ApiTranscript, tells_what_tools_answered) {
  const auto transcript = make_transcript("anthropic");
  const std::string log = api::tool_results_text({{{"t1", "first\nsecond", false}, {"t2", "no such file", true}}});
  EXPECT_THAT(told(*transcript, log, 10), ElementsAre("[tool] first", "[tool failed] no such file"));
}

TEST(ApiTranscript, an_empty_log_says_nothing) {
  EXPECT_THAT(told(*make_transcript("anthropic"), "", 1), IsEmpty());
  EXPECT_THAT(told(*make_error_transcript("anthropic"), "", 1), IsEmpty());
}

TEST(CourierTranscript, tells_only_of_transfers_that_ended_badly) {
  EXPECT_THAT(
      told(*make_error_transcript("anthropic"), "{\"transfer\":\"complete\",\"message\":\"\",\"bytes\":3}\n", 5),
      IsEmpty());
  EXPECT_THAT(told(*make_error_transcript("openai"),
                   "a word\n{\"transfer\":\"reset\",\"message\":\"it broke\",\"bytes\":3}\n", 5),
              ElementsAre("a word", "[transfer] it broke"));
  EXPECT_THAT(told(*make_error_transcript("claude"), "a word\n", 5), ElementsAre("a word"));
}

TEST(ModelList, both_families_and_others_are_read) {
  const auto list = api::read_model_list(
      R"({"data":[{"id":"b","display_name":"B","max_input_tokens":5},{"id":"a","max_tokens":7},{"nothing":1},3]})");
  ASSERT_TRUE(list);
  EXPECT_THAT(*list, ElementsAre(api::ListedModel{"a", "", {}, 7}, api::ListedModel{"b", "B", 5, {}}));
  EXPECT_THAT(*api::read_model_list(R"({"models":[{"name":"llama"}]})"), ElementsAre(api::ListedModel{"llama"}));
  for (const char* none : {"", "[]", "{}", "{\"data\":1}", "not json"})
    EXPECT_FALSE(api::read_model_list(none)) << none;
}

}  // namespace
}  // namespace baton
