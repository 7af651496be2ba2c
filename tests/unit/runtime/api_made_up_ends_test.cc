// Ten thousand ends of answers that no server gave, made of such as servers give: cut off, with pieces left out,
// doubled, moved or changed, of whatever length, and however the connection ended.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "api_play.h"
#include "base/utf8.h"
#include "support/api_told.h"
#include "support/draws.h"
#include "support/places.h"
#include "support/scratch.h"

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

/// Responses as the providers show and send them, beside ours.
std::vector<std::string> with_streams(std::vector<std::string> seeds, const std::string& protocol) {
  const std::size_t ours = seeds.size();
  for (const auto& entry :
       std::filesystem::directory_iterator{test::source_folder() + "/tests/unit/runtime/streams/api"}) {
    if (entry.path().filename().string().starts_with(protocol)) seeds.push_back(test::bytes_of(entry.path()));
  }
  EXPECT_GE(seeds.size(), ours + 5);
  std::ranges::sort(seeds);
  return seeds;
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

struct Tally {
  int clear = 0;
  int successes = 0;
  int priced = 0;
};

void expect_true(const Played& played, const std::string& log, const ApiSettings& settings, Tally& tally) {
  ASSERT_NE(played.finish.has_value(), played.request.has_value()) << "it ends, or it goes on";
  const bool is_success = played.finish && !played.finish->failure;
  const test::ApiTold told = test::ApiToldReader{settings.protocol}.read(log);
  if (!told.is_unclear) ++tally.clear;
  EXPECT_EQ(played.output.has_value(), is_success);
  if (is_success) {
    ++tally.successes;
    EXPECT_TRUE(told.is_unclear || told.is_success) << "no marks of a success";
    EXPECT_EQ(utf8_fault(played.output.value_or("")), std::string::npos);
    EXPECT_NE(played.output.value_or("").find_first_not_of(" \t\r\n"), std::string::npos);
  }
  if (!played.spent || !played.spent->cost) return;
  ++tally.priced;
  EXPECT_LE(played.spent->cost->nano_usd, test::nano_most(log, settings.model, !is_success)) << "more than was told";
}

void play_all(const std::vector<std::string>& seeds, const ApiSettings& settings) {
  Tally tally;
  for (int n = 0; n < ends / 2; ++n) {
    Draws draws{static_cast<std::uint64_t>(n)};
    std::string log = draws.one_of(seeds);
    for (auto changes = draws.below(4); changes > 0; --changes) make_up(log, seeds, draws);
    const Ended end = drawn_end(draws);
    Played played{settings};
    played.request.reset();
    played.exchange(log, end, draws.chance(0.5) ? whole : 1 + draws.below(200));
    expect_true(played, log, settings, tally);
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << "draw " << n << ":\n" << log;
      return;
    }
  }
  // The draws are worth something only if they bring forth all of it.
  EXPECT_GT(tally.clear, ends / 4);
  EXPECT_GT(tally.successes, ends / 20);
  EXPECT_GT(tally.priced, ends / 10);
}

TEST(MadeUpEnds, of_messages_are_never_a_success_without_its_marks_nor_dearer_than_told) {
  ApiSettings settings = anthropic();
  settings.model = "claude-sonnet-5-5";
  play_all(with_streams(message_seeds(), "messages"), settings);
}

TEST(MadeUpEnds, of_chats_are_never_a_success_without_its_marks_nor_dearer_than_told) {
  play_all(with_streams(chat_seeds(), "chat"), openai());
}

}  // namespace
}  // namespace baton::api
