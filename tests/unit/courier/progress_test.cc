// What counts as progress of an answer, and how long a call waits for it.
#include "courier/progress.h"

#include "unit/courier/courier_world.h"

namespace baton::test {
namespace {

using courier::Progress;

TEST(Progress, data_of_every_event_is_progress_but_of_those_that_are_named) {
  struct Row {
    const char* stream;
    bool goes_on;
  };
  const Row rows[] = {
      {"event: content_block_delta\ndata: {\"type\": \"content_block_delta\"}\n\n", true},
      {"data: {\"choices\":[]}\n\n", true},
      {"data:x\r\n\r\n", true},
      {"data: [DONE]", true},
      {"event: message_start\r\ndata: {\"type\":\"message_start\",\"mess", true},
      {"event: ping\ndata: {\"type\": \"ping\"}\n\n", false},
      {"event: ping\r\ndata: {}\r\n\r\n", false},
      {"event: ping\rdata: anything at all\r\r", false},
      {"data: {\"type\": \"ping\"}\n\n", false},
      {"data: {\"type\":\"pi", false},
      {"event: ping\n\ndata: x\n\n", true},
      {": still here\n\n: still here\n\n", false},
      {"id: 7\nretry: 100\n\n", false},
      {"data:\n\n", false},
      {"\n\n\r\n", false},
      {"{\"id\":\"msg_1\",\n \"data\": \"x\"}", false},
      {"data: {\"type\":\"pingpong\"}\n\n", true},
      {"database: x\n", false},
  };
  for (const Row& row : rows) {
    for (const std::size_t size : {std::size_t{1}, std::size_t{3}, std::size_t{1000}}) {
      Progress progress{{"ping"}};
      bool goes_on = false;
      for (std::string_view rest = row.stream; !rest.empty(); rest.remove_prefix(std::min(size, rest.size()))) {
        goes_on = progress.take(rest.substr(0, size)) || goes_on;
      }
      EXPECT_EQ(goes_on, row.goes_on) << row.stream << " in pieces of " << size;
    }
  }
}

TEST(Progress, a_long_event_goes_on_as_it_comes) {
  Progress progress{{"ping"}};
  EXPECT_TRUE(progress.take("data: {\"type\":\"content_block_delta\",\"delta\":\""));
  for (int n = 0; n < 3; ++n) EXPECT_TRUE(progress.take(std::string(5000, 'x')));
  EXPECT_TRUE(progress.take("\"}\n\n"));
  EXPECT_FALSE(progress.take(": nothing\n\n"));
}

class Waiting : public CourierWorld {
 protected:
  static std::string pings(int count, const std::string& after = "") {
    json::array play{json::object{{"send", "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"}}};
    for (int n = 0; n < count; ++n) {
      play.push_back(json::object{{"send", "event: ping\ndata: {\"type\": \"ping\"}\n\n"}, {"sleep", 20}});
      if (n == 0 && !after.empty()) play.push_back(json::object{{"send", after}});
    }
    return json::serialize(json::array{json::object{{"play", play}, {"times", 0}}});
  }
};

TEST_F(Waiting, PingsAreNoProgress) {
  ScriptedHttp server{pings(100, "data: {\"type\":\"message_start\"}\n\n")};
  const Outcome its = call(server.url(), R"({"first_timeout_ms":60000,"idle_timeout_ms":200,"idle_events":["ping"]})");
  EXPECT_EQ(its.word(), "timeout-idle") << its.err;
  EXPECT_EQ(its.message(), "nothing new came for 200 ms");
  EXPECT_EQ(call(server.url(), R"({"idle_timeout_ms":60000})").word(), "complete") << "every byte, where nobody says";
}

TEST_F(Waiting, UntilTheFirstEventAnotherTimeHolds) {
  ScriptedHttp server{pings(100)};
  const Outcome its = call(server.url(), R"({"first_timeout_ms":200,"idle_timeout_ms":60000,"idle_events":["ping"]})");
  EXPECT_EQ(its.word(), "timeout-idle") << its.err;
  EXPECT_EQ(its.message(), "no answer came for 200 ms");
  server.script(R"([{"end":"silence"}])");
  EXPECT_EQ(call(server.url(), R"({"first_timeout_ms":200,"idle_timeout_ms":0})").word(), "timeout-idle");
}

TEST_F(Waiting, WhatIsNotStreamedHasToBeThereInTheFirstTime) {
  ScriptedHttp server{R"([{"size":100,"split":1,"pause":20,"times":0}])"};
  EXPECT_EQ(call(server.url(), R"({"first_timeout_ms":300,"idle_timeout_ms":60000})").word(), "timeout-idle");
  EXPECT_EQ(call(server.url(), R"({"first_timeout_ms":0,"idle_timeout_ms":100})").word(), "complete") << "for ever";
}

}  // namespace
}  // namespace baton::test
