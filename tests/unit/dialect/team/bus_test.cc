// The message bus of a team: its lines, its ids, its state.
#include "dialect/team/bus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/boost_json.h"

namespace baton::team {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr Time noon = time_from_ms(1794744000125);

Message draft(const std::string& from, const std::string& summary) {
  return {{}, {}, from, "executor", "progress", summary, {}};
}

TEST(TeamBus, LinesGoOnFromTheHighestNumberThatIsThere) {
  std::vector<Message> drafts{draft("a", "one"), draft("b", "two")};
  const std::string before = "{\"id\":\"MSG-007\",\"from\":\"x\"}\n{\"id\":\"MSG-002\",\"from\":\"x\"}\n";
  const std::string more = to_append(before, drafts, noon);
  EXPECT_EQ(more,
            "{\"id\":\"MSG-008\",\"ts\":\"2026-11-15T12:00:00.125+00:00\",\"from\":\"a\",\"to\":\"executor\",\"type\":"
            "\"progress\",\"summary\":\"one\"}\n"
            "{\"id\":\"MSG-009\",\"ts\":\"2026-11-15T12:00:00.125+00:00\",\"from\":\"b\",\"to\":\"executor\",\"type\":"
            "\"progress\",\"summary\":\"two\"}\n");
  EXPECT_EQ(drafts[1].id, "MSG-009");
}

TEST(TeamBus, ANumberThatIsTooLargeIsNobodysNumber) {
  std::vector<Message> drafts{{{}, {}, "a", "b", "t", "s", {}}};
  (void)to_append("{\"id\":\"MSG-9223372036854775807\",\"from\":\"a\"}\n{\"id\":\"MSG-004\",\"from\":\"a\"}\n", drafts,
                  Time{});
  EXPECT_EQ(drafts[0].id, "MSG-005");
}

TEST(TeamBus, ALineThatWasCutOffSpoilsNoOther) {
  std::vector<Message> drafts{draft("a", "one")};
  const std::string before = "{\"id\":\"MSG-1234\",\"fro";
  const std::string all = before + to_append(before, drafts, noon);
  const auto messages = read_bus(all);
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_EQ(messages[0].id, "MSG-1235") << "its number is not given again";
}

TEST(TeamBus, WhatIsNoMessageIsPassedOver) {
  const auto messages = read_bus("\n[1]\nnot json\n{}\n{\"id\":\"MSG-001\",\"from\":\"a\",\"ref\":\"x.md\"}\r\n");
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_EQ(messages[0].data, "{\"ref\":\"x.md\"}") << "as old lines have it";
}

TEST(TeamBus, AKeyIsFoundAgain) {
  Message m = draft("a", "one");
  m.data = with_key("{\"task_id\":\"A-1\"}", "run:A-1.1");
  std::vector<Message> drafts{m};
  const auto read = read_bus(to_append("", drafts, noon));
  EXPECT_EQ(key_of(read.at(0)), "run:A-1.1");
  EXPECT_THAT(read.at(0).data, HasSubstr("\"task_id\":\"A-1\""));
  EXPECT_EQ(key_of(draft("a", "b")), "");
}

TEST(TeamBus, NumbersOfOthersAreKeptAsTheyAreWritten) {
  const std::string data = R"({"n":100000000000000000000000000001,"d":0.1000000000000000055511151231257827,"h":0.5})";
  Message m = draft("a", "one");
  m.type = "state_update";
  m.data = with_key(data, "k");
  EXPECT_THAT(m.data, HasSubstr(data.substr(0, data.size() - 1)));
  std::vector<Message> drafts{m};
  EXPECT_EQ(read_bus(to_append("", drafts, noon)).at(0).data, m.data);
  EXPECT_THAT(meta_with("", m, noon), HasSubstr("100000000000000000000000000001"));
}

TEST(TeamBus, WhatIsLeftOutIsFilledIn) {
  Message m{{}, {}, "a", {}, {}, {}, {}};
  fill_in(m);
  EXPECT_EQ(m.to, "coordinator");
  EXPECT_EQ(m.type, "message");
  EXPECT_EQ(m.summary, "[a] message → coordinator");
}

TEST(TeamBus, ListsAreFilteredAndShort) {
  std::vector<Message> all;
  for (int i = 0; i < 30; ++i) all.push_back(draft(i % 2 == 0 ? "a" : "b", std::to_string(i)));
  EXPECT_EQ(filtered(all, {}).size(), 20U);
  const auto few = filtered(all, {.from = "b", .last = 2});
  ASSERT_EQ(few.size(), 2U);
  EXPECT_EQ(few[0].summary, "27");
  EXPECT_EQ(few[1].summary, "29");
  Message m = draft("a", "hello");
  m.id = "MSG-003";
  m.ts = "2026-11-15T09:30:00.000+00:00";
  EXPECT_EQ(to_line(m), "MSG-003 [09:30:00] a → executor (progress) hello");
}

TEST(TeamBus, AStateUpdateGoesIntoTheState) {
  Message m = draft("a", "x");
  EXPECT_EQ(meta_with("{\"status\":\"active\"}", m, noon), "{\"status\":\"active\"}") << "others change nothing";
  m.type = "state_update";
  m.data = R"({"stage":"two","team_name":"papers"})";
  const std::string one = meta_with("", m, noon);
  m.data = R"({"done":1})";
  const auto meta = boost::json::parse(meta_with(one, m, noon)).as_object();
  EXPECT_EQ(meta.at("team_name"), "papers");
  EXPECT_EQ(meta.at("status"), "active");
  const auto& own = meta.at("role_state").as_object().at("a").as_object();
  EXPECT_EQ(own.at("stage"), "two");
  EXPECT_EQ(own.at("done"), 1);
  EXPECT_TRUE(own.contains("_updated_at"));
  const std::string over = meta_with_status(meta_with("no json", m, noon), "completed", noon);
  EXPECT_THAT(over, HasSubstr("\"status\": \"completed\""));
  EXPECT_EQ(meta_with_status(over, "completed", noon + Millis{5}), over);
}

}  // namespace
}  // namespace baton::team
