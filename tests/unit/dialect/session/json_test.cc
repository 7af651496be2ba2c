// JSON of others, changed in a few places.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/boost_json.h"
#include "dialect/session/session_file.h"
#include "dialect/session/task_edit.h"
#include "text/json_patch.h"

namespace baton::session {
namespace {

using testing::HasSubstr;

constexpr Time noon = time_from_ms(1794744000000);  // 2026-11-15T12:00:00Z

std::string changed(const std::string& text, const StatusChange& change) {
  const auto out = set_status(text, "t.json", change);
  EXPECT_TRUE(out) << to_text(out.error());
  return out.value_or("");
}

TEST(SessionJson, ANewStatusAndItsHistoryAreAllThatChanges) {
  const std::string before =
      "{\n  \"id\": \"IMPL-1\",\n  \"status\" : \"pending\",\n\n  \"n\": 1.50e3, \"x\": {\"a\":[1,2]},\n  \"last\": "
      "null\n}\n";
  EXPECT_EQ(changed(before, {.to = "in_progress", .at = noon}),
            "{\n  \"id\": \"IMPL-1\",\n  \"status\" : \"in_progress\",\n\n  \"n\": 1.50e3, \"x\": {\"a\":[1,2]},\n  "
            "\"last\": null,\n  \"status_history\": [\n    {\n      \"from\": \"pending\",\n      \"to\": "
            "\"in_progress\",\n      \"changed_at\": \"2026-11-15T12:00:00Z\"\n    }\n  ]\n}\n");
}

TEST(SessionJson, AHistoryGoesOnInTheFormItHas) {
  const std::string in_lines =
      "{\n\t\"status\": \"in_progress\",\n\t\"status_history\": [\n\t\t{\n\t\t\t\"from\": null,\n\t\t\t\"to\": "
      "\"in_progress\"\n\t\t}\n\t],\n\t\"z\": 1\n}";
  EXPECT_EQ(changed(in_lines, {.to = "completed", .at = noon}),
            "{\n\t\"status\": \"completed\",\n\t\"status_history\": [\n\t\t{\n\t\t\t\"from\": null,\n\t\t\t\"to\": "
            "\"in_progress\"\n\t\t},\n\t\t{\n\t\t\t\"from\": \"in_progress\",\n\t\t\t\"to\": "
            "\"completed\",\n\t\t\t\"changed_at\": \"2026-11-15T12:00:00Z\"\n\t\t}\n\t],\n\t\"z\": 1\n}");
  EXPECT_EQ(
      changed(R"({"status":"a","status_history":[{"to":"a"}]})", {.to = "b", .at = noon}),
      R"({"status":"b","status_history":[{"to":"a"},{"from":"a","to":"b","changed_at":"2026-11-15T12:00:00Z"}]})");
  EXPECT_EQ(changed("{\"status\": \"a\", \"status_history\": []}", {.to = "b", .at = noon}),
            "{\"status\": \"b\", \"status_history\": [{\"from\": \"a\", \"to\": \"b\", \"changed_at\": "
            "\"2026-11-15T12:00:00Z\"}]}");
}

TEST(SessionJson, LineBreaksOfAnotherSystemStay) {
  EXPECT_EQ(changed("{\r\n  \"status\": \"a\"\r\n}\r\n", {.to = "b", .at = noon}),
            "{\r\n  \"status\": \"b\",\r\n  \"status_history\": [\r\n    {\r\n      \"from\": \"a\",\r\n      \"to\": "
            "\"b\",\r\n      \"changed_at\": \"2026-11-15T12:00:00Z\"\r\n    }\r\n  ]\r\n}\r\n");
}

TEST(SessionJson, AFileWithoutAStatusGetsOneAndSaysSo) {
  const std::string out = changed("{}", {.to = "in_progress", .at = noon});
  const auto object = read_object(out, "t.json", "x");
  ASSERT_TRUE(object) << out;
  EXPECT_EQ(object->at("status").as_string(), "in_progress");
  EXPECT_TRUE(object->at("status_history").at(0).at("from").is_null());
}

TEST(SessionJson, AKeyThatIsThereTwiceIsChangedWhereItCounts) {
  const std::string out = changed(R"({"status":"old","status":"new"})", {.to = "completed", .at = noon});
  EXPECT_THAT(out, HasSubstr(R"("status":"old","status":"completed")"));
  EXPECT_EQ(read_object(out, "t.json", "x")->at("status").as_string(), "completed");
}

TEST(SessionJson, AChangeIsMadeOnceAndWhatItsAuthorWroteAfterItStays) {
  const StatusChange begun{.to = "in_progress", .at = noon};
  const std::string once = changed(R"({"status":"pending"})", begun);
  EXPECT_EQ(changed(once, begun), once);
  std::string edited = once;
  edited.replace(edited.find("in_progress"), 11, "blocked");  // the agent's own word
  EXPECT_EQ(changed(edited, begun), edited);
}

TEST(SessionJson, ACompletedTaskIsNotTakenBackUnlessSaidSo) {
  const std::string done = R"({"status":"completed"})";
  EXPECT_EQ(changed(done, {.to = "in_progress", .at = noon}), done);
  EXPECT_THAT(changed(done, {.to = "in_progress", .at = noon, .even_if_completed = true}),
              HasSubstr(R"("from":"completed","to":"in_progress")"));
}

TEST(SessionJson, ANoteIsKeptInTheHistoryWithoutBreakingIt) {
  const std::string out =
      changed(R"({"status":"in_progress"})", {.to = "failed", .at = noon, .note = "it said: \"no\"\n\x01 so"});
  const auto object = read_object(out, "t.json", "x");
  ASSERT_TRUE(object) << out;
  EXPECT_EQ(object->at("status_history").at(0).at("note").as_string(), "it said: \"no\"\n\x01 so");
}

TEST(SessionJson, AHistoryThatIsNoListIsLeftAlone) {
  EXPECT_EQ(changed(R"({"status":"a","status_history":"none"})", {.to = "b", .at = noon}),
            R"({"status":"b","status_history":"none"})");
}

TEST(SessionJson, ABrokenFileIsAFaultWithItsPlaceAndNeverWritten) {
  const auto out = set_status("{\n  \"status\": \"a\",\n  oops\"\n}", "x/t.json", {.to = "b", .at = noon});
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().code, "corrupt-task-file");
  EXPECT_EQ(out.error().place.file, "x/t.json");
  EXPECT_EQ(out.error().place.line, 3);
  for (const char* text : {"", "  \n", "[1]", "{} {}", "{\"a\": 1,}", "nul"}) {
    EXPECT_FALSE(set_status(text, "t.json", {.to = "b", .at = noon})) << text;
  }
}

TEST(SessionJson, AByteOrderMarkStays) {
  EXPECT_EQ(changed("\xEF\xBB\xBF{\"status\":\"a\",\"status_history\":0}", {.to = "b", .at = noon}),
            "\xEF\xBB\xBF{\"status\":\"b\",\"status_history\":0}");
}

TEST(SessionFiles, AreReadWithWhateverTheyHave) {
  const auto session = read_session_file(
      R"({"session_id":"WFS-x","description":"What","workflow_type":"tdd","initialized_at":"2026-01-01"})", "s.json");
  ASSERT_TRUE(session);
  EXPECT_EQ(session->project, "What");
  EXPECT_EQ(session->status, "active");
  EXPECT_EQ(session->type, "tdd");
  EXPECT_EQ(session->created_at, "2026-01-01");
  const auto broken = read_session_file("{\"n\": 1,5}", "s.json");
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, "corrupt-session-file");
  EXPECT_EQ(broken.error().place.line, 1);
  EXPECT_FALSE(read_session_file("", "s.json"));
}

TEST(SessionFiles, KeepTheTimeOfTheirFirstStart) {
  const std::string before = "{\n  \"session_id\": \"WFS-x\",\n  \"status\": \"planning\",\n  \"mine\": [ 1 ]\n}\n";
  const auto once = edit_session_file(before, "s.json", {.status = "active", .started = noon});
  ASSERT_TRUE(once);
  EXPECT_EQ(*once,
            "{\n  \"session_id\": \"WFS-x\",\n  \"status\": \"active\",\n  \"mine\": [ 1 ],\n  "
            "\"execution_started_at\": \"2026-11-15T12:00:00Z\"\n}\n");
  const Time later = noon + Millis{3'600'000};
  EXPECT_EQ(*edit_session_file(*once, "s.json", {.status = "active", .started = later, .updated = later}), *once);
  EXPECT_THAT(*edit_session_file(*once, "s.json", {.status = "completed", .completed = later}),
              HasSubstr("\"completed_at\": \"2026-11-15T13:00:00Z\"\n}\n"));
}

}  // namespace
}  // namespace baton::session
