#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api_play.h"
#include "runtime/api/batch.h"

namespace baton::api {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

const std::string base = "https://api.anthropic.com/v1/messages/batches";

ApiSettings batched() {
  ApiSettings settings = anthropic();
  settings.batch = true;
  return settings;
}

std::string batch(const std::string& id, const std::string& status,
                  const std::string& created = "2023-11-14T22:13:25Z") {
  return R"({"id":")" + id + R"(","type":"message_batch","processing_status":")" + status + R"(","created_at":")" +
         created + R"(","request_counts":{"processing":1,"succeeded":0,"errored":0,"canceled":0,"expired":0}})";
}

const std::string custom = batch_custom_id("r1", "summary", 1);

std::string batch_line(const std::string& id, const std::string& result) {
  return R"({"custom_id":")" + id + R"(","result":)" + result + "}\n";
}

std::string succeeded(const std::string& id, const std::string& text) {
  return batch_line(
      id, R"({"type":"succeeded","message":)" + message_json(R"([{"type":"text","text":")" + text + "\"}]") + "}");
}

std::string results_log(const std::string& lines) {
  return log_of(200, {{"content-type", "application/x-jsonl"}}, lines);
}

/// Submitted, and looked at for the first time after a while.
Played submitted() {
  Played played{batched()};
  played.exchange(json_log(batch("msgbatch_1", "in_progress")));
  return played;
}

TEST(Batch, ids_are_hashes_of_run_step_and_attempt) {
  EXPECT_THAT(custom, MatchesRegex("baton-[0-9a-f]{32}"));
  EXPECT_EQ(custom, batch_custom_id("r1", "summary", 1));
  EXPECT_NE(custom, batch_custom_id("r1", "summary", 2));
  EXPECT_NE(custom, batch_custom_id("r2", "summary", 1));
  EXPECT_NE(batch_custom_id("a", "b\nc", 1), batch_custom_id("a\nb", "c", 1) + "x");
}

TEST(Batch, submitted_looked_at_politely_fetched_and_paid_half) {
  Played played{batched()};
  ASSERT_TRUE(played.request);
  EXPECT_EQ(played.request->exchange, 1);
  EXPECT_EQ(played.request->request.url, base);
  EXPECT_THAT(played.request->request.body,
              StartsWith(R"({"requests":[{"custom_id":")" + custom +
                         R"(","params":{"model":"claude-sonnet-5-5","max_tokens":16384,"system")"));
  EXPECT_THAT(played.request->request.body, testing::Not(HasSubstr("stream")));

  played.exchange(json_log(batch("msgbatch_1", "in_progress")));
  EXPECT_FALSE(played.request);
  const Time ended = ended_well().record.finished;
  EXPECT_EQ(played.waits, ended + Millis{15'000});
  played.at(*played.waits - Millis{1});
  EXPECT_FALSE(played.request) << "not before its time";
  played.at(*played.waits);
  ASSERT_TRUE(played.request);
  EXPECT_EQ(played.request->exchange, 2);
  EXPECT_EQ(played.request->request.method, "GET");
  EXPECT_EQ(played.request->request.url, base + "/msgbatch_1");

  played.exchange(json_log(batch("msgbatch_1", "in_progress")));
  EXPECT_EQ(played.waits, ended + Millis{30'000}) << "less often with time";
  played.at(*played.waits).exchange(json_log(batch("msgbatch_1", "ended")));
  EXPECT_EQ(played.request->request.url, base + "/msgbatch_1/results");
  played.exchange(results_log(succeeded("someone-else", "no") + succeeded(custom, "yes")), ended_well(), 7);
  EXPECT_EQ(played.code(), "ok");
  EXPECT_EQ(played.output, "yes");
  ASSERT_TRUE(played.spent);
  EXPECT_EQ(played.spent->tokens, (Tokens{10, 5, 0, 0}));
  EXPECT_EQ(played.spent->cost, Cost{(10 * 2'000 + 5 * 10'000) / 2});
}

TEST(Batch, every_way_a_request_can_end_in_it) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {R"({"type":"errored","error":{"type":"error","error":{"type":"overloaded_error","message":"o"}}})",
       "api-overloaded"},
      {R"({"type":"errored","error":{"type":"error","error":{"type":"invalid_request_error","message":"bad"}}})",
       "api-error"},
      {R"({"type":"expired"})", "api-timeout"},
      {R"({"type":"canceled"})", "aborted"},
  };
  for (const auto& [result, code] : rows) {
    Played played = submitted();
    played.at(*played.waits)
        .exchange(json_log(batch("msgbatch_1", "ended")))
        .exchange(results_log(batch_line(custom, result)));
    EXPECT_EQ(played.code(), code) << result;
  }
  Played missing = submitted();
  missing.at(*missing.waits)
      .exchange(json_log(batch("msgbatch_1", "ended")))
      .exchange(results_log(succeeded("other", "x")));
  EXPECT_EQ(missing.code(), "api-error");
}

TEST(Batch, a_submission_that_was_refused_is_over) {
  Played refused{batched()};
  refused.exchange(json_log(R"({"type":"error","error":{"type":"authentication_error","message":"k"}})", 401));
  EXPECT_EQ(refused.code(), "api-error");
  EXPECT_FALSE(refused.finish->failure->may_retry);
  Played unreachable{batched()};
  unreachable.exchange("", ended_by("refused"));
  EXPECT_EQ(unreachable.code(), "api-timeout");
}

TEST(Batch, a_lost_reply_is_looked_for_before_it_is_submitted_again) {
  for (const std::string how : {"reset", "timeout-idle", "partial"}) {
    Played played{batched()};
    played.exchange("", ended_by(how));
    ASSERT_TRUE(played.request) << how;
    EXPECT_EQ(played.request->request.url, base + "?limit=100");
    // One from before the attempt, one of several requests, and one that may be ours.
    const std::string old = batch("msgbatch_old", "ended", "2023-11-14T20:00:00Z");
    const std::string many =
        R"({"id":"msgbatch_many","processing_status":"ended","created_at":"2023-11-14T22:13:30Z","request_counts":{"succeeded":5}})";
    played.exchange(json_log(R"({"data":[)" + old + "," + many + "," + batch("msgbatch_7", "in_progress") +
                             R"(],"has_more":false})"));
    EXPECT_EQ(played.request->request.url, base + "/msgbatch_7");
    played.exchange(json_log(batch("msgbatch_7", "in_progress")));
    played.at(*played.waits).exchange(json_log(batch("msgbatch_7", "ended")));
    played.exchange(results_log(succeeded(custom, "found")));
    EXPECT_EQ(played.output, "found");
  }
}

TEST(Batch, batches_of_others_are_passed_by_and_then_it_is_submitted_again_once) {
  Played played{batched()};
  played.exchange("", ended_by("reset"));  // it may have been made all the same
  played.exchange(json_log(R"({"data":[)" + batch("msgbatch_a", "ended") + "," + batch("msgbatch_b", "ended") + "]}"));
  EXPECT_EQ(played.request->request.url, base + "/msgbatch_a") << "the newest first";
  played.exchange(json_log(batch("msgbatch_a", "ended"))).exchange(results_log(succeeded("x", "no")));
  EXPECT_EQ(played.request->request.url, base + "/msgbatch_b");
  played.exchange(json_log("{}", 404));
  EXPECT_EQ(played.request->request.method, "POST");
  EXPECT_THAT(played.request->request.body, HasSubstr(custom));
  played.exchange("", ended_by("reset")).exchange(json_log(R"({"data":[]})"));
  EXPECT_EQ(played.code(), "api-timeout") << "as it was lost";
  EXPECT_TRUE(played.finish->failure->may_retry);
}

TEST(Batch, a_provider_in_trouble_is_not_asked_twice_in_a_row) {
  Played overloaded{batched()};
  overloaded.exchange(log_of(529, {{"retry-after", "7"}, {"request-id", "req_9"}}, "{}"));
  EXPECT_EQ(overloaded.code(), "api-overloaded") << "nothing was made";
  EXPECT_EQ(overloaded.finish->failure->retry_after, Millis{7000});
  Played broken{batched()};
  broken.exchange(log_of(500, {{"retry-after", "7"}, {"request-id", "req_9"}}, "{}"));
  EXPECT_EQ(broken.request->request.url, base + "?limit=100") << "it may have been made";
  broken.exchange(json_log(R"({"data":[]})"));
  EXPECT_EQ(broken.code(), "api-error");
  EXPECT_EQ(broken.finish->failure->retry_after, Millis{7000});
  EXPECT_THAT(broken.finish->failure->message, HasSubstr("req_9"));
}

TEST(Batch, can_be_cancelled_as_long_as_it_is_waited_for) {
  Played played = submitted();
  played.cancelled();
  ASSERT_TRUE(played.request);
  EXPECT_EQ(played.request->request.method, "POST");
  EXPECT_EQ(played.request->request.url, base + "/msgbatch_1/cancel");
  played.exchange(json_log(batch("msgbatch_1", "canceling")));
  EXPECT_EQ(played.code(), "attempt-stopped");
}

/// The second attempt: the first began an hour earlier and got no answer.
Played second_attempt() {
  Work work;
  work.skill = "writer";
  work.output = "out/a.md";
  work.output_format = OutputFormat::text;
  return Played{batched(),
                work,
                {.skill = "", .references = {}, .context = {}, .task = "Write it."},
                {{1, time_from_ms(1'700'000'000'000 - 3'600'000)}}};
}
const std::string an_hour_before = "2023-11-14T21:13:25Z";

TEST(Batch, as_long_as_the_list_cannot_be_read_nothing_is_submitted_again) {
  Played played{batched()};
  played.exchange("", ended_by("reset"));
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(played.request) << i;
    EXPECT_EQ(played.request->request.url, base + "?limit=100") << i;
    played.exchange(json_log("{}", 503));
    ASSERT_FALSE(played.request) << i;
    ASSERT_FALSE(played.finish) << i;
    played.at(*played.waits);
  }
  played.exchange(json_log(R"({"data":[],"has_more":false})"));
  ASSERT_TRUE(played.request);
  EXPECT_EQ(played.request->request.method, "POST") << "it is not there, and that is known";
}

TEST(Batch, an_attempt_after_one_without_an_answer_looks_for_its_batch_first) {
  Played played = second_attempt();
  ASSERT_TRUE(played.request);
  EXPECT_EQ(played.request->request.url, base + "?limit=100");
  played.exchange(json_log("{}", 503));
  ASSERT_TRUE(played.waits);
  EXPECT_FALSE(played.request);
  played.at(*played.waits);
  played.exchange(json_log(R"({"data":[)" + batch("msgbatch_1", "ended", an_hour_before) + "]}"));
  EXPECT_EQ(played.request->request.url, base + "/msgbatch_1");
  played.exchange(json_log(batch("msgbatch_1", "ended"))).exchange(results_log(succeeded(custom, "paid once")));
  EXPECT_EQ(played.code(), "ok");
  EXPECT_EQ(played.output, "paid once");
  EXPECT_EQ(played.said, std::vector<std::string>{"paid once"});
}

TEST(Batch, what_came_to_nothing_is_submitted_again_under_an_id_of_its_own) {
  Played played = second_attempt();
  played.exchange(json_log(R"({"data":[)" + batch("msgbatch_1", "ended", an_hour_before) + "]}"));
  played.exchange(json_log(batch("msgbatch_1", "ended")));
  played.exchange(results_log(batch_line(custom, R"({"type":"expired"})")));
  ASSERT_TRUE(played.request);
  EXPECT_EQ(played.request->request.method, "POST");
  EXPECT_THAT(played.request->request.body, HasSubstr(batch_custom_id("r1", "summary", 2)));
}

TEST(Batch, the_list_is_read_page_by_page_as_far_back_as_it_matters) {
  Played played = second_attempt();
  played.exchange(json_log(R"({"data":[)" + batch("msgbatch_9", "ended") + R"(],"has_more":true})"));
  EXPECT_EQ(played.request->request.url, base + "?limit=100&after_id=msgbatch_9");
  played.exchange(json_log(R"({"data":[)" + batch("msgbatch_8", "ended", an_hour_before) + "," +
                           batch("msgbatch_old", "ended", "2023-11-14T20:00:00Z") + R"(],"has_more":true})"));
  EXPECT_EQ(played.request->request.url, base + "/msgbatch_9") << "the rest is too old";
  played.exchange(json_log("{}", 404));
  EXPECT_EQ(played.request->request.url, base + "/msgbatch_8");
}

TEST(Batch, one_of_others_that_is_in_progress_is_not_waited_for_before_the_rest) {
  Played played = second_attempt();
  played.exchange(
      json_log(R"({"data":[)" + batch("msgbatch_a", "in_progress") + "," + batch("msgbatch_b", "ended") + "]}"));
  EXPECT_EQ(played.request->request.url, base + "/msgbatch_a");
  played.exchange(json_log(batch("msgbatch_a", "in_progress")));
  ASSERT_TRUE(played.request);
  EXPECT_EQ(played.request->request.url, base + "/msgbatch_b");
  played.exchange(json_log(batch("msgbatch_b", "ended"))).exchange(results_log(succeeded("x", "no")));
  ASSERT_FALSE(played.request) << "the other may be ours: it is waited for";
  played.at(*played.waits);
  EXPECT_EQ(played.request->request.url, base + "/msgbatch_a");
  played.exchange(json_log(batch("msgbatch_a", "ended"))).exchange(results_log(succeeded(custom, "ours")));
  EXPECT_EQ(played.output, "ours");
}

TEST(Batch, a_look_that_fails_is_repeated_and_heeds_what_it_is_told) {
  Played played = submitted();
  played.at(*played.waits).exchange(json_log("{}", 529, {{"retry-after", "600"}}));
  EXPECT_EQ(played.waits, ended_well().record.finished + Millis{600'000});
  played.at(*played.waits).exchange("", ended_by("dns"));
  EXPECT_FALSE(played.finish);
  for (int i = 0; i < 30 && !played.finish; ++i) played.at(*played.waits).exchange("", ended_by("dns"));
  EXPECT_EQ(played.code(), "api-timeout") << "not for ever";
  Played gone = submitted();
  gone.at(*gone.waits).exchange(json_log("{}", 404));
  EXPECT_EQ(gone.code(), "api-error");
}

TEST(Batch, an_id_that_could_lead_elsewhere_is_none) {
  Played played{batched()};
  played.exchange(json_log(batch("../../v1/files?x=", "in_progress")));
  ASSERT_TRUE(played.request);
  EXPECT_EQ(played.request->request.url, base + "?limit=100");
}

TEST(Batch, stopped_is_stopped) {
  Played played = submitted();
  Ended end = ended_by("cancelled");
  end.record.stopped = true;
  played.at(*played.waits).exchange("", end);
  EXPECT_EQ(played.code(), "attempt-stopped");
}

}  // namespace
}  // namespace baton::api
