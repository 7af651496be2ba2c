#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api_play.h"
#include "runtime/api/rate_headers.h"
#include "runtime/api/trouble.h"

namespace baton::api {
namespace {

using testing::HasSubstr;

const Time now = time_from_ms(1'700'000'000'000);  // 2023-11-14T22:13:20Z

ResponseHead head_of(int status, Headers headers = {}) { return {status, std::move(headers)}; }

Trouble trouble_told(int status, const std::string& type = {}, const std::string& code = {},
                     const std::string& message = "m", Headers headers = {}) {
  ServerError error;
  error.status = status;
  error.type = type;
  error.code = code;
  error.message = message;
  return told_trouble(error, head_of(status == 0 ? 200 : status, std::move(headers)), now);
}

// What a server tells. ----------------------------------------------------------------------------------------------
struct ToldTrouble {
  int status;
  const char* type;
  const char* code;
  ErrorCode expected;
  bool may_retry;
};

TEST(Trouble, every_status_has_its_code_and_says_whether_to_ask_again) {
  const std::vector<ToldTrouble> rows = {
      {400, "invalid_request_error", "", ErrorCode::api_error, false},
      {401, "authentication_error", "", ErrorCode::api_error, false},
      {402, "billing_error", "", ErrorCode::api_error, false},
      {403, "permission_error", "", ErrorCode::api_error, false},
      {404, "not_found_error", "", ErrorCode::api_error, false},
      {408, "", "", ErrorCode::api_timeout, true},
      {409, "conflict_error", "", ErrorCode::api_error, true},
      {413, "request_too_large", "", ErrorCode::context_exceeded, false},
      {418, "", "", ErrorCode::api_error, false},
      {422, "", "", ErrorCode::api_error, false},
      {429, "rate_limit_error", "", ErrorCode::api_rate_limited, true},
      {429, "rate_limit_error", "enforced_spend_limit_reached", ErrorCode::budget_exhausted, false},
      {429, "insufficient_quota", "insufficient_quota", ErrorCode::budget_exhausted, false},
      {500, "api_error", "", ErrorCode::api_error, true},
      {502, "", "", ErrorCode::api_error, true},
      {503, "", "", ErrorCode::api_overloaded, true},
      {504, "timeout_error", "", ErrorCode::api_timeout, true},
      {529, "overloaded_error", "", ErrorCode::api_overloaded, true},
      {302, "", "", ErrorCode::api_error, false},
      // Inside a stream that had begun well.
      {0, "overloaded_error", "", ErrorCode::api_overloaded, true},
      {0, "rate_limit_error", "", ErrorCode::api_rate_limited, true},
      {0, "api_error", "", ErrorCode::api_error, true},
      {0, "server_error", "", ErrorCode::api_error, true},
      {0, "timeout_error", "", ErrorCode::api_timeout, true},
      {0, "authentication_error", "", ErrorCode::api_error, false},
      {0, "invalid_request_error", "", ErrorCode::api_error, false},
      {0, "", "502", ErrorCode::api_error, true},
      {0, "what_else", "", ErrorCode::api_error, true},
  };
  for (const ToldTrouble& row : rows) {
    const Trouble trouble = trouble_told(row.status, row.type, row.code);
    EXPECT_EQ(kebab(trouble.code), kebab(row.expected)) << row.status << " " << row.type << row.code;
    EXPECT_EQ(trouble.may_retry, row.may_retry) << row.status << " " << row.type << row.code;
  }
}

TEST(Trouble, a_wrong_key_and_a_spending_cap_are_never_retried_whatever_the_server_says) {
  const Headers yes = {{"x-should-retry", "true"}, {"retry-after", "1"}};
  for (const int status : {401, 402, 403}) EXPECT_FALSE(trouble_told(status, "", "", "m", yes).may_retry) << status;
  EXPECT_FALSE(trouble_told(429, "", "insufficient_quota", "m", yes).may_retry);
  EXPECT_FALSE(trouble_told(429, "", "", "You exceeded your current quota", yes).may_retry);
  EXPECT_FALSE(trouble_told(400, "", "", "You have reached your specified API usage limits.", yes).may_retry);
  EXPECT_FALSE(trouble_told(400, "", "", "Your credit balance is too low", yes).may_retry);
  EXPECT_THAT(trouble_told(401).message, HasSubstr("invalid API key"));
}

TEST(Trouble, the_servers_own_word_on_retrying_wins_over_the_table) {
  EXPECT_TRUE(trouble_told(400, "", "", "m", {{"x-should-retry", "true"}}).may_retry);
  EXPECT_FALSE(trouble_told(500, "", "", "m", {{"x-should-retry", "false"}}).may_retry);
  EXPECT_FALSE(trouble_told(429, "", "", "m", {{"x-should-retry", "false"}}).may_retry);
  EXPECT_TRUE(trouble_told(500, "", "", "m", {{"x-should-retry", "maybe"}}).may_retry);
}

TEST(Trouble, a_request_that_is_too_long_is_known_by_many_words) {
  for (const std::string words :
       {"prompt is too long: 210000 tokens > 200000 maximum", "input length and `max_tokens` exceed context limit",
        "This model's maximum context length is 8192 tokens", "the request exceeds the available context size"}) {
    EXPECT_EQ(trouble_told(400, "invalid_request_error", "", words).code, ErrorCode::context_exceeded) << words;
  }
  EXPECT_EQ(trouble_told(400, "", "context_length_exceeded").code, ErrorCode::context_exceeded);
  EXPECT_EQ(trouble_told(400, "", "content_filter").code, ErrorCode::refused);
}

TEST(Trouble, the_requests_id_is_in_every_failure) {
  const Trouble trouble = trouble_told(529, "overloaded_error", "", "Overloaded", {{"request-id", "req_9"}});
  const Failure failure = failure_of(trouble);
  EXPECT_EQ(failure.code, "api-overloaded");
  EXPECT_EQ(failure.message, "the model's API is overloaded (529): Overloaded (request req_9)");
  EXPECT_THAT(failure_of(trouble_told(500, "", "", "m", {{"x-request-id", "o1"}})).message, HasSubstr("(request o1)"));
}

// When to come back. ------------------------------------------------------------------------------------------------
TEST(Trouble, a_redirect_names_its_target) {
  const Trouble moved = trouble_told(307, "", "", "", {{"location", "https://eu.example.com/v1/messages"}});
  EXPECT_FALSE(moved.may_retry);
  EXPECT_EQ(moved.message,
            "the address redirects to https://eu.example.com/v1/messages (307): set base_url to where the API is");
}

TEST(RetryAfter, milliseconds_seconds_and_dates_are_read) {
  const auto wait = [](Headers headers) { return retry_after(head_of(429, std::move(headers)), now); };
  EXPECT_EQ(wait({{"retry-after-ms", "1500"}, {"retry-after", "9"}}), Millis{1500});
  EXPECT_EQ(wait({{"retry-after-ms", "soon"}, {"retry-after", "9"}}), Millis{9000});
  EXPECT_EQ(wait({{"retry-after", "2.5"}}), Millis{2500});
  EXPECT_EQ(wait({{"retry-after", "300"}}), Millis{300'000}) << "no cap at a minute";
  EXPECT_EQ(wait({{"retry-after", "Tue, 14 Nov 2023 22:14:20 GMT"}}), Millis{60'000});
  EXPECT_EQ(wait({{"retry-after", "Tue, 14 Nov 2023 22:00:00 GMT"}}), Millis{0}) << "it has passed";
  EXPECT_EQ(wait({{"retry-after", "1e99"}}), std::chrono::hours{24});
  EXPECT_EQ(wait({{"retry-after", "-5"}}), std::nullopt);
  EXPECT_EQ(wait({{"retry-after", "tomorrow"}}), std::nullopt);
  EXPECT_EQ(wait({}), std::nullopt);
}

TEST(RetryAfter, without_it_a_limit_that_is_used_up_says_when) {
  EXPECT_EQ(trouble_told(429, "", "", "m",
                         {{"anthropic-ratelimit-input-tokens-limit", "1000"},
                          {"anthropic-ratelimit-input-tokens-remaining", "0"},
                          {"anthropic-ratelimit-input-tokens-reset", "2023-11-14T22:13:50Z"},
                          {"anthropic-ratelimit-requests-remaining", "5"},
                          {"anthropic-ratelimit-requests-reset", "2023-11-14T23:13:50Z"}})
                .retry_after,
            Millis{30'000});
  EXPECT_EQ(
      trouble_told(429, "", "", "m", {{"x-ratelimit-remaining-tokens", "0"}, {"x-ratelimit-reset-tokens", "6m0s"}})
          .retry_after,
      Millis{360'000});
  EXPECT_EQ(trouble_told(529).retry_after, std::nullopt);
}

TEST(RateHeaders, both_families_are_read) {
  const RateLimits own = rate_limits(head_of(200, {{"anthropic-ratelimit-requests-limit", "1000"},
                                                   {"anthropic-ratelimit-requests-remaining", "999"},
                                                   {"anthropic-ratelimit-requests-reset", "2023-11-14T22:13:21.500Z"},
                                                   {"anthropic-ratelimit-output-tokens-limit", "400000"},
                                                   {"anthropic-ratelimit-tokens-reset", "garbage"}}),
                                     now);
  EXPECT_EQ(own.requests, (RateLimit{1000, 999, now + Millis{1500}}));
  EXPECT_EQ(own.output_tokens, (RateLimit{400000, std::nullopt, std::nullopt}));
  EXPECT_EQ(own.tokens, RateLimit{});
  const RateLimits other = rate_limits(head_of(200, {{"x-ratelimit-limit-requests", "60"},
                                                     {"x-ratelimit-remaining-requests", "59"},
                                                     {"x-ratelimit-reset-requests", "1s"},
                                                     {"x-ratelimit-limit-tokens", "-1"},
                                                     {"x-ratelimit-remaining-tokens", "many"}}),
                                       now);
  EXPECT_EQ(other.requests, (RateLimit{60, 59, now + Millis{1000}}));
  EXPECT_EQ(other.tokens, RateLimit{});
}

TEST(RateHeaders, times_and_durations_of_every_form_are_read) {
  EXPECT_EQ(reset_duration("6m0s"), Millis{360'000});
  EXPECT_EQ(reset_duration("1h2m3s"), Millis{3'723'000});
  EXPECT_EQ(reset_duration("20ms"), Millis{20});
  EXPECT_EQ(reset_duration("1.5s"), Millis{1500});
  EXPECT_EQ(reset_duration("7"), Millis{7000});
  EXPECT_EQ(reset_duration(""), Millis{0});
  EXPECT_EQ(reset_duration("5y"), std::nullopt);
  EXPECT_EQ(rfc3339_time("2023-11-14T22:13:20Z"), now);
  EXPECT_EQ(rfc3339_time("2023-11-15T00:13:20+02:00"), now);
  EXPECT_EQ(rfc3339_time("2023-11-14T17:13:20.123456-05:00"), now + Millis{123});
  for (const std::string bad : {"", "2023", "2023-13-01T00:00:00Z", "2023-11-14 22:13", "2023-11-14T22:13:20", "x"}) {
    EXPECT_EQ(rfc3339_time(bad), std::nullopt) << bad;
  }
  EXPECT_EQ(http_date("Tue, 14 Nov 2023 22:13:20 GMT"), now);
  for (const std::string bad : {"", "Tue, GMT", "Tue, 14 Foo 2023 22:13:20 GMT", "Tue, 1x Nov 2023 22:13:20 GMT"}) {
    EXPECT_EQ(http_date(bad), std::nullopt) << bad;
  }
}

// Nothing was told. -------------------------------------------------------------------------------------------------
TEST(Trouble, how_a_transfer_ended_says_what_it_was) {
  const ResponseHead began = head_of(200, {{"request-id", "req_1"}});
  struct Row {
    Transfer how;
    bool had_begun;
    ErrorCode expected;
    bool may_retry;
  };
  const std::vector<Row> rows = {
      {Transfer::timeout_idle, true, ErrorCode::api_timeout, true},
      {Transfer::timeout_idle, false, ErrorCode::api_timeout, true},
      {Transfer::timeout_deadline, true, ErrorCode::api_timeout, true},
      {Transfer::timeout_connect, false, ErrorCode::api_timeout, true},
      {Transfer::dns, false, ErrorCode::api_timeout, true},
      {Transfer::refused, false, ErrorCode::api_timeout, true},
      {Transfer::reset, false, ErrorCode::api_timeout, true},
      {Transfer::reset, true, ErrorCode::api_error, true},
      {Transfer::partial, true, ErrorCode::api_error, true},
      {Transfer::complete, true, ErrorCode::api_error, true},
      {Transfer::tls, false, ErrorCode::api_error, false},
      {Transfer::cancelled, true, ErrorCode::aborted, false},
      {Transfer::other, false, ErrorCode::api_error, false},
      {Transfer::other, true, ErrorCode::api_error, true},
  };
  for (const Row& row : rows) {
    const Trouble trouble = transfer_trouble({row.how, "why"}, row.had_begun ? &began : nullptr);
    EXPECT_EQ(kebab(trouble.code), kebab(row.expected)) << static_cast<int>(row.how);
    EXPECT_EQ(trouble.may_retry, row.may_retry) << static_cast<int>(row.how);
    EXPECT_EQ(trouble.request_id, row.had_begun ? "req_1" : "");
    EXPECT_THAT(trouble.message, HasSubstr("why"));
  }
}

// Answers that are none. --------------------------------------------------------------------------------------------
Answer saying(const std::string& text, StopReason stop) {
  Answer answer;
  answer.stop = stop;
  answer.blocks = {{.kind = Block::Kind::text, .text = text, .signature = {}, .data = {}}};
  return answer;
}

TEST(Trouble, refusals_full_contexts_and_empty_answers_are_errors_of_their_own_and_not_retried) {
  const ResponseHead head = head_of(200);
  const auto code = [&](const std::string& text, StopReason stop) {
    const auto trouble = answer_trouble(saying(text, stop), head);
    EXPECT_FALSE(trouble && trouble->may_retry && trouble->code != ErrorCode::api_error);
    return trouble ? std::string{kebab(trouble->code)} : "ok";
  };
  EXPECT_EQ(code("x", StopReason::end_turn), "ok");
  EXPECT_EQ(code("x", StopReason::stop_sequence), "ok");
  EXPECT_EQ(code("x", StopReason::other), "ok");
  EXPECT_EQ(code("x", StopReason::none), "ok");
  EXPECT_EQ(code("x", StopReason::max_tokens), "ok") << "cut off is a warning";
  EXPECT_EQ(code("x", StopReason::refusal), "refused");
  EXPECT_EQ(code("x", StopReason::context_exceeded), "ok") << "this too";
  EXPECT_EQ(code("", StopReason::context_exceeded), "context-exceeded");
  EXPECT_EQ(code("x", StopReason::broken_off), "api-error");
  EXPECT_EQ(code("", StopReason::end_turn), "response-empty");
  EXPECT_EQ(code(" \n\t ", StopReason::end_turn), "response-empty");
  EXPECT_EQ(code("", StopReason::max_tokens), "response-empty");
  EXPECT_TRUE(truncation(saying("x", StopReason::max_tokens)));
  EXPECT_TRUE(truncation(saying("x", StopReason::context_exceeded)));
  EXPECT_FALSE(truncation(saying("x", StopReason::end_turn)));
}

}  // namespace
}  // namespace baton::api
