#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api_play.h"
#include "runtime/api/response_log.h"
#include "runtime/api/sse.h"

namespace baton::api {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<SseEvent> events_of(std::string_view bytes, std::size_t piece_max = whole) {
  SseReader reader;
  std::vector<SseEvent> all;
  const auto add = [&](std::vector<SseEvent> more) { all.insert(all.end(), more.begin(), more.end()); };
  in_pieces(bytes, piece_max, [&](std::string_view piece) { add(reader.read(piece)); });
  add(reader.end());
  return all;
}

struct Case {
  const char* what;
  std::string bytes;
  std::vector<SseEvent> events;
};

TEST(Sse, every_form_of_the_format_is_read_however_it_is_cut) {
  const std::vector<Case> cases = {
      {"one event", "data: a\n\n", {{"", "a"}}},
      {"a name", "event: ping\ndata: {}\n\n", {{"ping", "{}"}}},
      {"carriage returns", "event: x\rdata: a\r\rdata: b\r\r", {{"x", "a"}, {"", "b"}}},
      {"both", "event: x\r\ndata: a\r\n\r\ndata: b\r\n\r\n", {{"x", "a"}, {"", "b"}}},
      {"mixed", "data: a\r\n\ndata: b\n\r\ndata: c\r\r", {{"", "a"}, {"", "b"}, {"", "c"}}},
      {"several lines of data", "data: a\ndata:\ndata:  b\n\n", {{"", "a\n\n b"}}},
      {"no blank after the colon", "data:a\n\n", {{"", "a"}}},
      {"only one blank is taken", "data:   a\n\n", {{"", "  a"}}},
      {"comments", ": hello\n\n:\ndata: a\n: x\n\n", {{"", "a"}}},
      {"a mark at the very beginning",
       "\xEF\xBB\xBF"
       "data: a\n\n",
       {{"", "a"}}},
      {"a mark later is data", "data: \xEF\xBB\xBF\n\n", {{"", "\xEF\xBB\xBF"}}},
      {"half a mark is a field that nobody knows",
       "\xEF\xBB"
       "data: a\ndata: b\n\n",
       {{"", "b"}}},
      {"fields that nobody knows", "id: 7\nfoo: bar\ndata: a\nretry: x\n\n", {{"", "a"}}},
      {"a field without a colon", "data\ndata: a\n\n", {{"", "\na"}}},
      {"an event without data is none", "event: x\n\ndata: a\n\n", {{"", "a"}}},
      {"the name does not outlive its event", "event: x\ndata: a\n\ndata: b\n\n", {{"x", "a"}, {"", "b"}}},
      {"an end without an empty line", "data: a\n\ndata: [DONE]", {{"", "a"}, {"", "[DONE]"}}},
      {"empty lines", "\n\n\r\n\ndata: a\n\n\n\n", {{"", "a"}}},
      {"characters of several bytes", "data: \xE2\x82\xAC\n\n", {{"", "\xE2\x82\xAC"}}},
      {"nothing", "", {}},
      {"half a mark alone", "\xEF", {}},
  };
  for (const Case& c : cases) {
    for (const std::size_t piece : {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{7}, whole}) {
      EXPECT_EQ(events_of(c.bytes, piece), c.events) << c.what << ", in pieces of " << piece;
    }
  }
}

TEST(Sse, an_event_beyond_all_measure_is_passed_over_and_the_next_one_read) {
  const std::string huge(SseReader::event_bytes_max, 'x');
  for (const std::size_t piece : {std::size_t{4096}, std::size_t{65536}, whole}) {
    SseReader reader;
    std::vector<SseEvent> all;
    in_pieces("data: " + huge + "\ndata: more\n\ndata: a\n\n", piece, [&](std::string_view bytes) {
      for (SseEvent& event : reader.read(bytes)) all.push_back(std::move(event));
    });
    EXPECT_THAT(all, ElementsAre(SseEvent{"", "a"}));
    EXPECT_EQ(reader.passed_over(), 1U);
  }
}

TEST(Sse, the_time_to_come_again_is_kept) {
  SseReader reader;
  (void)reader.read("retry: 1500\nretry: -1\nretry: 2s\n\n");
  EXPECT_EQ(reader.retry_ms(), 1500);
}

// The log of a response. --------------------------------------------------------------------------------------------
TEST(ResponseLog, head_and_body_are_told_apart_however_they_are_cut) {
  const std::string log = "baton-http/1 429\nretry-after: 2\nx-empty:\nset-cookie: a: b\n\n{\"a\":1}\n\nrest";
  for (const std::size_t piece : {std::size_t{1}, std::size_t{5}, whole}) {
    ResponseLog reader;
    std::string body;
    in_pieces(log, piece, [&](std::string_view bytes) { body += reader.read(bytes); });
    EXPECT_EQ(reader.state(), ResponseLog::State::body);
    EXPECT_EQ(reader.head().status, 429);
    EXPECT_EQ(reader.head().header("retry-after"), "2");
    EXPECT_EQ(reader.head().header("x-empty"), "");
    EXPECT_EQ(reader.head().header("set-cookie"), "a: b");
    EXPECT_EQ(body, "{\"a\":1}\n\nrest");
  }
}

TEST(ResponseLog, what_is_no_log_of_ours_is_broken_and_has_no_body) {
  for (const std::string log :
       {"HTTP/1.1 200 OK\n\nx", "baton-http/1 abc\n\nx", "baton-http/1 20\n\nx", "\n\nx", "baton-http/1 200x\n\nx"}) {
    ResponseLog reader;
    EXPECT_THAT(reader.read(log), IsEmpty()) << log;
    EXPECT_EQ(reader.state(), ResponseLog::State::broken) << log;
  }
  ResponseLog endless;
  (void)endless.read("baton-http/1 200\n");
  (void)endless.read(std::string(ResponseLog::head_bytes_max + 1, 'a'));
  EXPECT_EQ(endless.state(), ResponseLog::State::broken);
}

TEST(ResponseLog, a_head_that_is_not_whole_is_none_yet) {
  ResponseLog reader;
  (void)reader.read("baton-http/1 200\ncontent-type: text/event-stream\n");
  EXPECT_EQ(reader.state(), ResponseLog::State::head);
}

TEST(Transfer, the_couriers_last_line_is_read_whole_or_cut) {
  EXPECT_EQ(transfer_end(R"({"transfer":"complete","message":"","bytes":9})")->how, Transfer::complete);
  EXPECT_EQ(transfer_end(R"({"transfer":"timeout-idle","message":"no byte for 12)")->how, Transfer::timeout_idle);
  EXPECT_EQ(transfer_end(R"({"transfer":"dns","message":"no \"such\" host"})")->message, "no \"such\" host");
  EXPECT_FALSE(transfer_end("curl: something"));
  EXPECT_FALSE(transfer_end(R"({"transfer":"else"})"));
}

TEST(RequestFile, holds_all_but_the_key) {
  HttpRequest request;
  request.url = "https://api.anthropic.com/v1/messages";
  request.headers = {{"content-type", "application/json"}};
  request.auth = Auth{"x-api-key", "", KeyFromEnvironment{"ANTHROPIC_API_KEY"}};
  request.body = "{}";
  EXPECT_EQ(request_file(request, "/run/requests/a.1.body"),
            R"({"version":1,"method":"POST","url":"https://api.anthropic.com/v1/messages",)"
            R"("headers":[["content-type","application/json"]],)"
            R"("auth":{"header":"x-api-key","prefix":"","source":{"env":"ANTHROPIC_API_KEY"}},)"
            R"("body_file":"/run/requests/a.1.body","connect_timeout_ms":10000,"idle_timeout_ms":120000,)"
            R"("deadline_ms":0})"
            "\n");
  request.auth = Auth{"authorization", "Bearer ", KeyFromCommand{{"pass", "show", "key"}}};
  request.proxy = "http://p:3128";
  request.ca_file = "/ca.pem";
  const std::string text = request_file(request, "");
  EXPECT_THAT(text, testing::HasSubstr(R"("source":{"command":["pass","show","key"]})"));
  EXPECT_THAT(text, testing::HasSubstr(R"("body_file":null,"body":"{}")"));
  EXPECT_THAT(text, testing::HasSubstr(R"("proxy":"http://p:3128","ca_file":"/ca.pem")"));
  request.auth = Auth{"authorization", "Bearer ", KeyFromFile{"/run/key"}};
  EXPECT_THAT(request_file(request, ""), testing::HasSubstr(R"("source":{"file":"/run/key"})"));
}

}  // namespace
}  // namespace baton::api
