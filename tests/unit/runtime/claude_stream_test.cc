#include "runtime/claude_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/hash.h"

namespace baton {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

claude::Events read_stream(std::string_view bytes, std::size_t piece = 1U << 20U) {
  ClaudeStream stream;
  claude::Events all;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    for (auto& event : stream.read(bytes.substr(0, piece))) all.push_back(std::move(event));
  }
  for (auto& event : stream.end()) all.push_back(std::move(event));
  return all;
}

template <class T>
std::vector<T> only(const claude::Events& events) {
  std::vector<T> found;
  for (const claude::Event& event : events) {
    if (const auto* one = std::get_if<T>(&event)) found.push_back(*one);
  }
  return found;
}

std::string said(const std::string& json_text) {
  return R"({"type":"assistant","message":{"id":"m1","model":"claude-opus-5-5","content":[{"type":"text","text":")" +
         json_text + R"("}],"usage":{"input_tokens":3,"output_tokens":1}},"parent_tool_use_id":null})" + "\n";
}

constexpr std::string_view result_line = R"({"is_error":false,"subtype":"success","result":"done","type":"result"})"
                                         "\n";

TEST(ClaudeStream, given_a_message_then_its_texts_tools_and_usage_are_told) {
  const auto events = read_stream(
      R"({"type":"assistant","message":{"id":"m1","model":"claude-opus-5-5","content":[{"type":"thinking","thinking":"hm"},)"
      R"({"type":"text","text":"I look."},{"type":"tool_use","id":"t","name":"Bash","input":{"description":"tests",)"
      R"("timeout":5,"command":"npm test\necho x"}},{"type":"tool_use","name":"Write","input":{"content":"abc",)"
      R"("file_path":"/a/b.txt"}},{"type":"tool_use","name":"mcp__x__y","input":{"n":1,"text":"hello"}}],)"
      R"("usage":{"input_tokens":10,"cache_creation_input_tokens":300,"cache_read_input_tokens":2000,"output_tokens":5,)"
      R"("cache_creation":{"ephemeral_5m_input_tokens":100,"ephemeral_1h_input_tokens":200}}},)"
      R"("parent_tool_use_id":"toolu_1"})"
      "\n");
  ASSERT_THAT(only<claude::Said>(events), SizeIs(1)) << "thinking is not speech";
  EXPECT_EQ(only<claude::Said>(events)[0].text, "I look.");
  EXPECT_TRUE(only<claude::Said>(events)[0].by_helper);
  const auto tools = only<claude::UsedTool>(events);
  ASSERT_THAT(tools, SizeIs(3));
  EXPECT_EQ(tools[0].about, "npm test") << "the command tells more than its description; its first line is enough";
  EXPECT_EQ(tools[1].about, "/a/b.txt");
  EXPECT_EQ(tools[2].about, "hello");
  const auto messages = only<claude::Message>(events);
  ASSERT_THAT(messages, SizeIs(1));
  EXPECT_EQ(messages[0].tokens, (Tokens{10, 5, 2000, 300}));
  EXPECT_EQ(messages[0].cache_write_1h, 200);
}

TEST(ClaudeStream, given_a_character_of_several_bytes_then_it_survives_every_cut) {
  const std::string text = said("naïve 日本語 🎼 \\ud83c\\udfbc\\u00e9");
  for (std::size_t piece = 1; piece < text.size(); ++piece) {
    const auto events = only<claude::Said>(read_stream(text, piece));
    ASSERT_THAT(events, SizeIs(1)) << piece;
    ASSERT_EQ(events[0].text, "naïve 日本語 🎼 🎼é") << piece;
  }
}

TEST(ClaudeStream, given_half_a_surrogate_pair_then_a_sign_stands_in_its_place) {
  const auto events = read_stream(said("cut \\ud83c here,\\n\\u00fcber \\ud83c\\udfbc"));
  ASSERT_THAT(only<claude::Said>(events), SizeIs(1));
  EXPECT_EQ(only<claude::Said>(events)[0].text, "cut \xEF\xBF\xBD here,\n\u00fcber \U0001f3bc");
  EXPECT_THAT(only<claude::Message>(events), SizeIs(1)) << "the rest of the line is read all the same";
}

TEST(ClaudeStream, given_bytes_that_are_not_utf8_then_the_line_is_read_with_a_sign_in_their_place) {
  const auto events = read_stream(said("bad \xff\xfe byte"));
  ASSERT_THAT(only<claude::Said>(events), SizeIs(1));
  EXPECT_THAT(only<claude::Said>(events)[0].text, HasSubstr("byte"));
  EXPECT_THAT(only<claude::Said>(events)[0].text, HasSubstr("\xEF\xBF\xBD"));
  EXPECT_THAT(only<claude::Message>(events), SizeIs(1));
}

TEST(ClaudeStream, given_garbage_between_the_lines_then_the_lines_are_read) {
  const std::string stream = "warning: something\n\n   \n" + said("one") +
                             "{\"type\":\"assistant\",\"mess\n[1,2]\nnull\n" + said("two") +
                             "}}}}\n{\"type\":42}\n{}\n" + std::string{result_line};
  for (const std::size_t piece : {1UL, 13UL, 1000UL}) {
    const auto events = read_stream(stream, piece);
    EXPECT_THAT(only<claude::Said>(events), SizeIs(2));
    EXPECT_THAT(only<claude::Result>(events), SizeIs(1));
    EXPECT_THAT(only<claude::Garbage>(events), SizeIs(5));
    EXPECT_EQ(only<claude::Garbage>(events)[0].text, "warning: something");
  }
}

TEST(ClaudeStream, given_nul_bytes_then_they_cost_at_most_their_own_line) {
  const std::string nul(700, '\0');
  const auto events =
      read_stream(nul + said("one") + "{\"a\":\"" + nul + "\"}\n" + nul + "\n" + std::string{result_line});
  EXPECT_THAT(only<claude::Said>(events), SizeIs(1)) << "a torn file leaves them before a good line";
  EXPECT_THAT(only<claude::Garbage>(events), SizeIs(1));
  EXPECT_THAT(only<claude::Result>(events), SizeIs(1));
}

TEST(ClaudeStream, given_events_of_versions_to_come_then_they_are_passed_by) {
  const auto events = read_stream(
      "{\"type\":\"system\",\"subtype\":\"singing\",\"message\":\"la\"}\n{\"type\":\"hologram\",\"message\":{}}\n"
      "{\"subtype\":\"x\",\"type\":\"hologram\"}\n{\"type\":\"assistant\"}\n{\"type\":\"assistant\",\"message\":7}\n"
      "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\"},3,null,{\"type\":\"tool_use\"}]}}\n"
      "{\"type\":\"rate_limit_event\"}\n{\"type\":\"system\",\"subtype\":\"api_retry\"}\n");
  EXPECT_THAT(only<claude::Garbage>(events), IsEmpty());
  EXPECT_THAT(events, SizeIs(2)) << "a tool without a name, and a retry without details";
}

TEST(ClaudeStream, given_a_result_whose_type_comes_last_then_every_part_of_it_is_read) {
  const auto results = only<claude::Result>(read_stream(
      R"({"stop_reason":"end_turn","session_id":"s1","total_cost_usd":0.0020399999999999997,"modelUsage":{"claude-opus-5-5":)"
      R"({"inputTokens":10,"outputTokens":5,"cacheReadInputTokens":2000,"cacheCreationInputTokens":300,)"
      R"("cacheCreationEphemeral1hInputTokens":7,"costUSD":0.00204},"a\"b":{"inputTokens":-4,"outputTokens":1e30}},)"
      R"("permission_denials":[{"tool_name":"Bash","tool_input":{"command":"x"}},{"tool_name":"Write"}],)"
      R"("terminal_reason":"completed","is_error":true,"num_turns":3,"subtype":"success","api_error_status":529,)"
      R"("api_error":"overloaded","errors":["one","two"],"structured_output":{"a":[1,{"b":"c"}]},"result":"do\"ne",)"
      R"("model_usage_since_last_result":{},"type":"result"})"
      "\n"));
  ASSERT_THAT(results, SizeIs(1));
  const claude::Result& r = results[0];
  EXPECT_TRUE(r.is_error);
  EXPECT_EQ(r.stop_reason, "end_turn");
  EXPECT_EQ(r.session, "s1");
  EXPECT_EQ(r.total_cost, Cost{2'040'000});
  ASSERT_TRUE(r.session_usage);
  ASSERT_THAT(*r.session_usage, SizeIs(2));
  EXPECT_EQ((*r.session_usage)[0].tokens, (Tokens{10, 5, 2000, 300}));
  EXPECT_EQ((*r.session_usage)[0].cache_write_1h, 7);
  EXPECT_EQ((*r.session_usage)[0].cost, Cost{2'040'000});
  EXPECT_EQ((*r.session_usage)[1].model, "a\"b");
  EXPECT_EQ((*r.session_usage)[1].tokens.input, 0) << "no count is negative";
  EXPECT_EQ((*r.session_usage)[1].cost, std::nullopt) << "not told is not 0";
  ASSERT_TRUE(r.turn_usage);
  EXPECT_THAT(*r.turn_usage, IsEmpty());
  EXPECT_THAT(r.denials, ElementsAre("Bash", "Write"));
  EXPECT_THAT(r.errors, ElementsAre("one", "two"));
  EXPECT_EQ(r.terminal_reason, "completed");
  EXPECT_EQ(r.turns, 3);
  EXPECT_EQ(r.api_error_status, 529);
  EXPECT_EQ(r.api_error, "overloaded");
  EXPECT_TRUE(r.has_structured_output);
  EXPECT_EQ(r.structured_output, R"({"a":[1,{"b":"c"}]})");
  EXPECT_EQ(r.text, "do\"ne");
}

TEST(ClaudeStream, given_a_rate_limit_then_its_reset_is_read_in_seconds_and_in_milliseconds) {
  const auto limits = only<claude::RateLimit>(read_stream(
      R"({"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1778565600,"rateLimitType":"five_hour"}})"
      "\n"
      R"({"type":"rate_limit_event","rate_limit_info":{"status":"allowed_warning","resetsAt":1778565600500}})"
      "\n"
      R"({"type":"rate_limit_event","rate_limit_info":{"status":"rejected","unifiedWindows":{"five_hour":)"
      R"({"utilization":1,"resetsAt":1778565600},"seven_day":{"utilization":0.4,"resetsAt":1779000000}}}})"
      "\n"
      R"({"type":"rate_limit_event","rate_limit_info":{"status":"allowed","resetsAt":5}})"
      "\n"));
  ASSERT_THAT(limits, SizeIs(4));
  EXPECT_EQ(limits[0].status, "rejected");
  EXPECT_EQ(limits[0].window, "five_hour");
  EXPECT_EQ(limits[0].resets, time_from_ms(1'778'565'600'000));
  EXPECT_EQ(limits[1].resets, time_from_ms(1'778'565'600'500));
  EXPECT_EQ(limits[2].resets, time_from_ms(1'778'565'600'000)) << "the window that is used up";
  EXPECT_EQ(limits[3].resets, std::nullopt) << "no moment of ours";
}

TEST(ClaudeStream, given_lines_of_megabytes_then_they_are_read_whole_in_pieces_of_any_size) {
  const std::string large(3U << 20U, 'x');
  const std::string stream = said(large) + R"({"type":"user","message":{"content":")" + large + "\"}}\n" + said("two") +
                             std::string{result_line};
  for (const std::size_t piece : {4096UL, 65536UL, stream.size()}) {
    const auto events = read_stream(stream, piece);
    ASSERT_THAT(only<claude::Said>(events), SizeIs(2));
    EXPECT_GE(only<claude::Said>(events)[0].text.size(), 1U << 20U);
    EXPECT_LE(only<claude::Said>(events)[0].text.size(), 1U << 21U) << "kept up to a limit";
    EXPECT_THAT(only<claude::Message>(events), SizeIs(2));
    EXPECT_THAT(only<claude::Result>(events), SizeIs(1));
  }
}

TEST(ClaudeStream, given_a_line_beyond_all_measure_then_it_is_passed_over_and_said_so) {
  const std::string stream = said("one") + said(std::string(17U << 20U, 'x')) + said("two");
  for (const std::size_t piece : {1UL << 18U, stream.size()}) {
    const auto events = read_stream(stream, piece);
    EXPECT_THAT(only<claude::Said>(events), SizeIs(2));
    ASSERT_THAT(only<claude::PassedOver>(events), SizeIs(1)) << piece;
    EXPECT_EQ(only<claude::PassedOver>(events)[0].lines, 1U);
  }
}

TEST(ClaudeStream, given_no_newline_at_the_end_then_the_last_line_counts_if_it_is_whole) {
  const std::string_view whole = result_line.substr(0, result_line.size() - 1);
  EXPECT_THAT(only<claude::Result>(read_stream(whole)), SizeIs(1));
  EXPECT_THAT(only<claude::Result>(read_stream(whole.substr(0, whole.size() - 1))), IsEmpty());
}

TEST(LineCutter, given_any_cuts_then_the_lines_are_the_same_and_may_be_read_beyond_their_end) {
  const std::string text = "a\n\nbcd\r\n" + std::string(200, 'e') + "\nlast";
  std::uint64_t chance = 1;
  for (int round = 0; round < 200; ++round) {
    LineCutter cutter;
    std::vector<std::string> lines;
    const auto take = [&](std::string_view line) {
      lines.emplace_back(line);
      unsigned sum = 0;
      for (std::size_t i = 0; i < LineCutter::padding; ++i)
        sum += static_cast<unsigned char>(line.data()[line.size() + i]);
      EXPECT_LT(sum, 256U * LineCutter::padding);
    };
    for (std::string_view rest = text; !rest.empty();) {
      const std::size_t size = std::min<std::size_t>(rest.size(), 1 + (chance = mix(chance)) % 120);
      const auto piece = std::make_unique<char[]>(size);
      std::copy_n(rest.data(), size, piece.get());
      cutter.cut({piece.get(), size}, take);
      rest.remove_prefix(size);
    }
    cutter.end(take);
    ASSERT_THAT(lines, ElementsAre("a", "", "bcd\r", std::string(200, 'e'), "last"));
  }
}

}  // namespace
}  // namespace baton
