// Ten thousand ends of answers that no server gave, made of such as servers give: cut off, with pieces left out,
// doubled, moved or changed, of whatever length, and however the connection ended.
#include <gtest/gtest.h>

#include <array>
#include <charconv>

#include "api_play.h"
#include "plan/utf8.h"
#include "support/draws.h"

namespace baton::api {
namespace {

using test::Draws;

constexpr int ends = 10'000;

std::string thought() {
  return message_event("content_block_start", R"("index":0,"content_block":{"type":"thinking","thinking":""})") +
         message_event("content_block_delta", R"("index":0,"delta":{"type":"thinking_delta","thinking":"Hm."})") +
         message_event("content_block_delta", R"("index":0,"delta":{"type":"signature_delta","signature":"c2ln"})") +
         message_event("content_block_stop", R"("index":0)");
}

std::string tool_call() {
  return message_event("content_block_start",
                       R"("index":1,"content_block":{"type":"tool_use","id":"t1","name":"run","input":{}})") +
         message_event("content_block_delta",
                       R"("index":1,"delta":{"type":"input_json_delta","partial_json":"{\"command\":\"ls\"}"})") +
         message_event("content_block_stop", R"("index":1)");
}

std::string cached_message(const std::string& blocks, const std::string& stop) {
  return message_event(
             "message_start",
             R"("message":{"id":"msg_01AAAAAAAAAAAAAAAAAAAAAA","model":"claude-sonnet-5-5","content":[],"usage":{)"
             R"("input_tokens":12,"cache_creation_input_tokens":340,"cache_read_input_tokens":5600,"output_tokens":2}})") +
         message_event("ping") + blocks +
         message_event("message_delta", R"("delta":{"stop_reason":")" + stop + R"("},"usage":{"output_tokens":78})") +
         message_event("message_stop");
}

std::vector<std::string> message_seeds() {
  const std::string text =
      message_event("content_block_start", R"("index":0,"content_block":{"type":"text","text":""})") +
      text_delta(R"(Gr\u00fc\u00dfe \ud83d\ude00, )") + text_delta("and \xE2\x82\xAC more.") +
      message_event("content_block_stop", R"("index":0)");
  const std::string overloaded =
      message_event("error", R"("error":{"type":"overloaded_error","message":"Overloaded"})");
  return {
      stream_log(message_stream("A short answer.")),
      stream_log(cached_message(thought() + text, "end_turn")),
      stream_log(cached_message(thought() + tool_call(), "tool_use")),
      stream_log(cached_message(text, "max_tokens")),
      stream_log(cached_message(text, "refusal")),
      stream_log(cached_message(text, "pause_turn")),
      stream_log(cached_message(text, "model_context_window_exceeded")),
      stream_log(cached_message(text + overloaded, "end_turn")),
      json_log(message_json(R"([{"type":"text","text":"At once."}])")),
      json_log(message_json(R"([{"type":"thinking","thinking":"Hm.","signature":"c2ln"}])", "max_tokens")),
      json_log(R"({"type":"error","error":{"type":"rate_limit_error","message":"slow down"}})", 429),
      log_of(502, {{"content-type", "text/html"}}, "<html>Bad gateway</html>"),
  };
}

std::vector<std::string> chat_seeds() {
  const std::string usage =
      R"("usage":{"prompt_tokens":120,"completion_tokens":34,"prompt_tokens_details":{"cached_tokens":64}})";
  const std::string said = chat_delta(R"({"role":"assistant","content":""})") + chat_delta(R"({"content":"Well, "})") +
                           chat_delta(R"({"content":"yes \ud83d\ude00."})");
  const std::string called = chat_delta(
      R"({"tool_calls":[{"index":0,"id":"c1","function":{"name":"run","arguments":"{\"command\":\"ls\"}"}}]})");
  return {
      stream_log(said + chat_delta("{}", "stop") + chat_chunk("", usage) + "data: [DONE]\n\n"),
      stream_log(said + chat_delta("{}", "length") + "data: [DONE]\n\n"),
      stream_log(said + called + chat_delta("{}", "tool_calls") + chat_chunk("", usage) + "data: [DONE]\n\n"),
      stream_log(said + "data: {\"error\":{\"message\":\"no more\",\"type\":\"server_error\"}}\n\n"),
      json_log(R"({"id":"c2","model":"gpt-5.6","choices":[{"index":0,"message":{"content":"At once."},)"
               R"("finish_reason":"stop"}],)" +
               usage + "}"),
      json_log(R"({"error":{"message":"no key","type":"invalid_request_error"}})", 401),
  };
}

/// What is told of `key`, wherever it stands: the greatest number.
std::int64_t greatest_told(const std::string& log, const std::string& key) {
  const std::string mark = "\"" + key + "\":";
  std::int64_t greatest = 0;
  for (auto at = log.find(mark); at != std::string::npos; at = log.find(mark, at + 1)) {
    double number = 0;
    const char* const first = log.data() + at + mark.size();
    std::from_chars(first, log.data() + log.size(), number);
    greatest = std::max(greatest, static_cast<std::int64_t>(std::clamp(number, 0.0, 1e12)));
  }
  return greatest;
}

Tokens told_by(const std::string& log) {
  return {.input = greatest_told(log, "input_tokens") + greatest_told(log, "prompt_tokens"),
          .output = std::max(greatest_told(log, "output_tokens"), greatest_told(log, "completion_tokens")),
          .cache_read = std::max(greatest_told(log, "cache_read_input_tokens"), greatest_told(log, "cached_tokens")),
          .cache_write =
              std::max(greatest_told(log, "cache_creation_input_tokens"), greatest_told(log, "cache_write_tokens"))};
}

bool has(const std::string& log, std::string_view mark) { return log.find(mark) != std::string::npos; }

/// A server said in so many words that this is all. Looked for in the bytes, and not as its reader does.
bool has_marks_of_success(const std::string& log, Protocol protocol) {
  if (!log.starts_with("baton-http/1 2")) return false;
  const auto end = log.find_last_not_of(" \t\r\n");
  const bool may_be_document = end != std::string::npos && log[end] == '}';
  if (protocol == Protocol::chat) {
    return has(log, "[DONE]") || has(log, R"("finish_reason":")") || (may_be_document && has(log, "\"choices\""));
  }
  const bool may_be_stream = has(log, "message_start") && (has(log, "message_stop") || has(log, R"("stop_reason":")"));
  return may_be_stream || (may_be_document && has(log, "\"content\""));
}

/// Where an event begins, or anywhere.
std::size_t place_in(const std::string& log, Draws& draws) {
  const std::size_t anywhere = draws.below(log.size() + 1);
  if (draws.chance(0.4)) return anywhere;
  const auto boundary = log.find("\n\n", anywhere);
  return boundary == std::string::npos ? log.size() : boundary + 2;
}

void make_up(std::string& log, const std::vector<std::string>& seeds, Draws& draws) {
  const std::size_t from = place_in(log, draws);
  const std::size_t to = std::max(from, place_in(log, draws));
  const std::string piece = log.substr(from, to - from);
  switch (draws.below(8)) {
    case 0:
      return void(log.resize(from));
    case 1:
      return void(log.erase(from, piece.size()));
    case 2:
      return void(log.insert(to, piece));
    case 3:
      log.erase(from, piece.size());
      return void(log.insert(place_in(log, draws), piece));
    case 4:
      if (from < log.size()) log[from] = static_cast<char>(draws.below(256));
      return;
    case 5: {
      const std::string& other = draws.one_of(seeds);
      return void(log.insert(from, other.substr(place_in(other, draws))));
    }
    case 6: {
      const auto digit = log.find_first_of("0123456789", from);
      if (digit != std::string::npos) log.insert(digit, draws.below(12), '9');
      return;
    }
    default: {
      const std::array<const char*, 6> odd = {"\\ud83d", "\xE2\x82", "null", "\"", "}", "\r\n\r\n"};
      return void(log.insert(from, odd.at(draws.below(odd.size()))));
    }
  }
}

Ended drawn_end(Draws& draws) {
  const std::array<const char*, 5> transfers = {"reset", "partial", "timeout-idle", "cancelled", "other"};
  Ended end = draws.chance(0.5) ? ended_well() : ended_by(transfers.at(draws.below(transfers.size())));
  end.record.stopped = draws.chance(0.1);
  return end;
}

void expect_true(const Played& played, const std::string& log, const ApiSettings& settings) {
  ASSERT_NE(played.finish.has_value(), played.request.has_value()) << "it ends, or it goes on";
  const bool is_success = played.finish && !played.finish->failure;
  EXPECT_EQ(played.output.has_value(), is_success);
  if (is_success) {
    EXPECT_TRUE(has_marks_of_success(log, settings.protocol));
    EXPECT_EQ(utf8_fault(played.output.value_or("")), std::string::npos);
    EXPECT_NE(played.output.value_or("").find_first_not_of(" \t\r\n"), std::string::npos);
  }
  if (!played.spent || !played.spent->cost) return;
  Tokens most = told_by(log);
  // Of what was cut off the bytes that came count, where that is more than was told until then.
  if (!is_success) most.output = std::max(most.output, static_cast<std::int64_t>(log.size()));
  const auto cost = Prices::built_in().cost_of(settings.protocol == Protocol::chat ? "gpt-5.6" : "claude-sonnet-5-5",
                                               most, most.cache_write);
  ASSERT_TRUE(cost);
  EXPECT_LE(played.spent->cost->nano_usd, cost->nano_usd);
}

void play_all(const std::vector<std::string>& seeds, const ApiSettings& settings) {
  int successes = 0;
  for (int n = 0; n < ends / 2; ++n) {
    Draws draws{static_cast<std::uint64_t>(n)};
    std::string log = draws.one_of(seeds);
    for (auto changes = draws.below(4); changes > 0; --changes) make_up(log, seeds, draws);
    const Ended end = drawn_end(draws);
    Played played{settings};
    played.request.reset();
    played.exchange(log, end, draws.chance(0.5) ? whole : 1 + draws.below(200));
    expect_true(played, log, settings);
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << "draw " << n << ":\n" << log;
      return;
    }
    if (played.finish && !played.finish->failure) ++successes;
  }
  EXPECT_GT(successes, ends / 20) << "or nothing was shown";
}

TEST(MadeUpEnds, of_messages_are_never_a_success_without_its_marks_nor_dearer_than_told) {
  ApiSettings settings = anthropic();
  settings.model = "claude-sonnet-5-5";
  play_all(message_seeds(), settings);
}

TEST(MadeUpEnds, of_chats_are_never_a_success_without_its_marks_nor_dearer_than_told) {
  play_all(chat_seeds(), openai());
}

}  // namespace
}  // namespace baton::api
