// The library's own client against a scripted server on loopback: both families, every way to misbehave.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <thread>

#include "base/text.h"
#include "baton/baton.h"
#include "support/hasty_server.h"
#include "support/scripted_http.h"

namespace baton {
namespace {

using Code = ExecutionErrorCode;
using test::ScriptedHttp;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* key = "sk-canary-5b1e77aa";

struct HttpAsked : testing::TestWithParam<ApiFamily> {
  [[nodiscard]] bool is_messages() const { return GetParam() == ApiFamily::anthropic; }
  [[nodiscard]] HttpClientConfig config(const ScriptedHttp& server) const {
    HttpClientConfig config;
    config.family = GetParam();
    config.api_key = key;
    config.base_url = server.url("");
    return config;
  }
  static ClientRequest request() {
    ClientRequest request;
    request.system_prompt = "You write.";
    request.user_message = "Write it.";
    request.model = "claude-sonnet-4-6";
    request.max_tokens = 100;
    return request;
  }
  [[nodiscard]] ExecutionError failure(ScriptedHttp& server, const std::string& script) const {
    server.script(script);
    HttpClient client{config(server)};
    const ClientReply reply = client.complete(request());
    EXPECT_TRUE(std::holds_alternative<ExecutionError>(reply)) << script;
    return std::holds_alternative<ExecutionError>(reply) ? std::get<ExecutionError>(reply) : ExecutionError{};
  }
};
INSTANTIATE_TEST_SUITE_P(Families, HttpAsked, testing::Values(ApiFamily::anthropic, ApiFamily::openai));

// Row 5: the shape of an answer.
TEST_P(HttpAsked, AnswersWithTextTokensAndAReason) {
  ScriptedHttp server;
  const std::string usage = is_messages()
                                ? R"({"input_tokens":7,"cache_read_input_tokens":20,"cache_creation_input_tokens":3,
                                      "output_tokens":9})"
                                : R"({"prompt_tokens":30,"completion_tokens":9,
                                      "prompt_tokens_details":{"cached_tokens":20}})";
  for (const bool stream : {true, false}) {
    server.script(R"([{"answer":{"text":"The answer.","usage":)" + usage + "}}]");
    HttpClientConfig settings = config(server);
    settings.stream = stream;
    HttpClient client{settings};
    const ClientReply reply = client.complete(request());
    ASSERT_TRUE(std::holds_alternative<ClientResponse>(reply)) << std::get<ExecutionError>(reply).message;
    const auto& response = std::get<ClientResponse>(reply);
    EXPECT_EQ(response.content, "The answer.");
    EXPECT_EQ(response.input_tokens, 30);
    EXPECT_EQ(response.cache_read_tokens, 20);
    EXPECT_EQ(response.output_tokens, 9);
    EXPECT_EQ(response.stop_reason, StopReason::end_turn);
    EXPECT_THAT(response.request_id, testing::StartsWith("req_"));
  }
  const std::string seen = server.seen();
  EXPECT_THAT(seen, HasSubstr(is_messages() ? "\"/v1/messages\"" : "\"/v1/chat/completions\""));
  EXPECT_THAT(seen, HasSubstr(is_messages() ? std::string{"\"x-api-key\", \""} + key
                                            : std::string{"\"authorization\", \"Bearer "} + key));
  EXPECT_THAT(seen, HasSubstr("You write."));
}

TEST_P(HttpAsked, ACutAnswerIsToldAsSuch) {
  ScriptedHttp server{
      fmt::format(R"([{{"answer":{{"text":"Half","stop_reason":"{}"}}}}])", is_messages() ? "max_tokens" : "length")};
  HttpClient client{config(server)};
  EXPECT_EQ(std::get<ClientResponse>(client.complete(request())).stop_reason, StopReason::max_tokens);
}

// Rows 21 and 22: what each answer means, and whether it may be asked again.
TEST_P(HttpAsked, TellsErrorsApart) {
  struct Row {
    int status;
    Code code;
    bool retryable;
  };
  ScriptedHttp server;
  for (const Row& row :
       {Row{429, Code::api_rate_limited, true}, Row{529, Code::api_overloaded, true}, Row{500, Code::api_error, true},
        Row{408, Code::api_timeout, true}, Row{401, Code::api_error, false}, Row{403, Code::api_error, false},
        Row{400, Code::api_error, false}}) {
    const ExecutionError error =
        failure(server, fmt::format(R"([{{"status":{},"error":{{"message":"as told"}}}}])", row.status));
    EXPECT_EQ(to_string(error.code), to_string(row.code)) << row.status;
    EXPECT_EQ(error.retryable, row.retryable) << row.status;
    EXPECT_FALSE(error.request_id.empty()) << row.status;
    EXPECT_THAT(error.message, HasSubstr("as told"));
  }
  EXPECT_EQ(failure(server, R"([{"status":429,"headers":{"retry-after":"7"},"error":{}}])").retry_after,
            Milliseconds{7000});
}

TEST_P(HttpAsked, StreamsThatEndEarlyAreNoAnswers) {
  ScriptedHttp server;
  for (const char* script : {R"([{"cut":200,"end":"reset"}])", R"([{"cut":200,"end":"close"}])", R"([{"end":"reset"}])",
                             R"([{"events_max":3}])"}) {
    const ExecutionError error = failure(server, script);
    EXPECT_THAT((std::vector{Code::api_error, Code::api_timeout}), testing::Contains(error.code)) << script;
    EXPECT_EQ(error.retryable, true) << script << error.message;
  }
}

TEST_P(HttpAsked, WhatWasSpentOnAFailureIsTold) {
  ScriptedHttp server;
  const ExecutionError error =
      failure(server, R"([{"answer":{"usage":{"input_tokens":11}},"error":{"type":"overloaded_error","after":1}}])");
  EXPECT_EQ(error.code, Code::api_overloaded);
  EXPECT_EQ(error.input_tokens, is_messages() ? 11 : 0) << "chat completions tell it only at their end";
}

TEST_P(HttpAsked, NobodyThereIsATimeoutThatMayPass) {
  HttpClientConfig settings;
  settings.family = GetParam();
  {
    const ScriptedHttp gone;
    settings.base_url = gone.url("");
  }
  HttpClient client{settings};
  const auto error = std::get<ExecutionError>(client.complete(request()));
  EXPECT_EQ(to_string(error.code), "API_TIMEOUT") << error.message;
  EXPECT_EQ(error.retryable, true);
}

// Row 32: a stop is heard in the middle of an answer, and before one.
TEST_P(HttpAsked, StopsInTheMiddleOfAnAnswer) {
  ScriptedHttp server{R"([{"answer":{"text":"slow"},"split":20,"middle":"never"}])"};
  HttpClient client{config(server)};
  std::stop_source stop;
  ClientRequest asked = request();
  asked.stop = stop.get_token();
  std::jthread stopper{[&] {
    (void)server.until_requests(1);
    stop.request_stop();
  }};
  EXPECT_EQ(std::get<ExecutionError>(client.complete(asked)).code, Code::aborted);
  stopper.join();
  (void)server.until_abandoned(1);
  EXPECT_EQ(std::get<ExecutionError>(client.complete(asked)).code, Code::aborted) << "it is stopped already";
  EXPECT_THAT(server.stats(), HasSubstr("\"requests\": 1,"));
}

TEST_P(HttpAsked, ACallHasATimeOfItsOwn) {
  ScriptedHttp server{R"([{"end":"silence"}])"};
  HttpClient client{config(server)};
  ClientRequest asked = request();
  asked.timeout = Milliseconds{100};
  EXPECT_EQ(to_string(std::get<ExecutionError>(client.complete(asked)).code), "API_TIMEOUT");
}

TEST_P(HttpAsked, TheKeyStandsInNoMessage) {
  ScriptedHttp server;
  for (const char* form :
       {R"([{{"status":401,"error":{{"message":"bad key {}"}}}}])", R"([{{"status":500,"body":"{}"}}])"}) {
    const ExecutionError error = failure(server, fmt::format(fmt::runtime(form), key));
    EXPECT_THAT(error.message, Not(HasSubstr("canary")));
  }
}

TEST_P(HttpAsked, OneClientServesManyThreadsEachCallOverAConnectionOfItsOwn) {
  ScriptedHttp server;
  HttpClient client{config(server)};
  {
    std::vector<std::jthread> threads;
    for (int n = 0; n < 8; ++n) {
      threads.emplace_back([&] {
        for (int i = 0; i < 5; ++i) EXPECT_TRUE(std::holds_alternative<ClientResponse>(client.complete(request())));
      });
    }
  }
  const std::string stats = server.stats();
  EXPECT_THAT(stats, HasSubstr("\"requests\": 40,"));
  EXPECT_THAT(stats, HasSubstr("\"connections\": 40,"));
}

TEST_P(HttpAsked, WhatAServerSendsTooMuchIsNobodysAnswer) {
  ScriptedHttp server{fmt::format(R"([{{"surplus":true,"answer":{{"text":"one {}"}}}},{{"answer":{{"text":"two"}}}}])",
                                  std::string(40'000, 'x'))};
  HttpClient client{config(server)};
  EXPECT_THAT(std::get<ClientResponse>(client.complete(request())).content, testing::StartsWith("one"));
  EXPECT_EQ(std::get<ClientResponse>(client.complete(request())).content, "two");
}

TEST_P(HttpAsked, AnAnswerThatAnotherRequestHadIsNone) {
  ScriptedHttp server{R"([{"times":0,"answer":{"text":"One.","id":"msg_01XFDUDYJgAACzvnptvVoYEL"}}])"};
  HttpClient client{config(server)};
  ClientRequest asked = request();
  EXPECT_TRUE(std::holds_alternative<ClientResponse>(client.complete(asked)));
  EXPECT_TRUE(std::holds_alternative<ClientResponse>(client.complete(asked))) << "asked again, it is the same";
  asked.user_message = "Something else.";
  const ClientReply reply = client.complete(asked);
  ASSERT_TRUE(std::holds_alternative<ExecutionError>(reply));
  const auto& error = std::get<ExecutionError>(reply);
  EXPECT_THAT(error.message, HasSubstr("another request"));
  EXPECT_EQ(error.retryable, true);
  EXPECT_EQ(error.input_tokens, 0) << "what it told was of another";
}

/// A stream that says "Late.": its first event, and all the others.
std::pair<std::string, std::string> late_answer(bool is_messages) {
  if (!is_messages) {
    return {"data: {\"choices\":[{\"delta\":{\"content\":\"Late.\"}}]}\n\n",
            "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"};
  }
  return {"data: {\"type\":\"message_start\",\"message\":{}}\n\n",
          "data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"Late.\"}}\n\n"
          "data: {\"type\":\"message_stop\"}\n\n"};
}

TEST_P(HttpAsked, PingsAreNoProgress) {
  const auto [first, rest] = late_answer(is_messages());
  const auto send = [](const std::string& bytes) { return R"({"send":)" + json_quote(bytes) + "},"; };
  const std::string ping = send("event: ping\ndata: {\"type\": \"ping\"}\n\n: still here\n\n") + R"({"sleep":20},)";
  std::string pings;
  for (int i = 0; i < 40; ++i) pings += ping;
  const std::string head = send("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n");
  // Before the first event, and behind it.
  for (const bool has_begun : {false, true}) {
    const std::string play = head + (has_begun ? send(first) + pings : pings + send(first)) + send(rest);
    ScriptedHttp server{R"([{"times":0,"play":[)" + play + R"({"end":"close"}]}])"};
    HttpClientConfig settings = config(server);
    EXPECT_EQ(std::get<ClientResponse>(HttpClient{settings}.complete(request())).content, "Late.");
    (has_begun ? settings.idle_timeout : settings.first_timeout) = Milliseconds{200};
    const ClientReply reply = HttpClient{settings}.complete(request());
    ASSERT_TRUE(std::holds_alternative<ExecutionError>(reply));
    EXPECT_EQ(to_string(std::get<ExecutionError>(reply).code), "API_TIMEOUT");
    EXPECT_THAT(std::get<ExecutionError>(reply).message, HasSubstr("for 200 ms"));
    EXPECT_EQ(std::get<ExecutionError>(reply).retryable, true);
  }
}

TEST_P(HttpAsked, WhatIsNotStreamedHasToBeThereInTheFirstTime) {
  ScriptedHttp server{R"([{"delay":400,"answer":{"text":"late"}},{"end":"silence"}])"};
  HttpClientConfig settings = config(server);
  settings.stream = false;
  settings.idle_timeout = Milliseconds{1};
  settings.first_timeout = Milliseconds{30'000};
  {
    HttpClient client{settings};
    EXPECT_EQ(std::get<ClientResponse>(client.complete(request())).content, "late");
  }
  settings.first_timeout = Milliseconds{100};
  HttpClient client{settings};
  EXPECT_EQ(to_string(std::get<ExecutionError>(client.complete(request())).code), "API_TIMEOUT");
}

TEST_P(HttpAsked, AnAnswerThatCameBeforeItsRequestWasSentWholeIsNone) {
  const test::HastyServer server{"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"};
  HttpClientConfig settings;
  settings.family = GetParam();
  settings.base_url = server.url;
  ClientRequest asked = request();
  asked.user_message = std::string(20'000'000, 'x');
  HttpClient client{settings};
  const ClientReply reply = client.complete(asked);
  ASSERT_TRUE(std::holds_alternative<ExecutionError>(reply));
  EXPECT_THAT(std::get<ExecutionError>(reply).message, HasSubstr("before the request was sent whole"));
  EXPECT_EQ(std::get<ExecutionError>(reply).retryable, true);
}

// Row 5, for real: only where a key is set and it is asked for.
TEST(RealApi, AnswersAsTheScriptedOneDoes) {
  const char* wanted = std::getenv("BATON_TEST_REAL_API");
  HttpClientConfig config = http_config_from_environment();
  if (wanted == nullptr || config.api_key.empty()) {
    GTEST_SKIP() << "set BATON_TEST_REAL_API=1 and ANTHROPIC_API_KEY to spend a few tokens";
  }
  HttpClient client{config};
  ClientRequest request;
  request.user_message = "Say OK.";
  request.model = default_config().model_map.at(ModelTier::haiku);
  request.max_tokens = 1000;
  const ClientReply reply = client.complete(request);
  ASSERT_TRUE(std::holds_alternative<ClientResponse>(reply)) << std::get<ExecutionError>(reply).message;
  EXPECT_FALSE(std::get<ClientResponse>(reply).content.empty());
  EXPECT_GT(std::get<ClientResponse>(reply).output_tokens, 0);
}

// Only where no key is set is a token looked for.
TEST(HttpSettings, ATokenOfTheEnvironmentIsSentAsOne) {
  ScriptedHttp server;
  const auto asked = [&] {
    HttpClient client{http_config_from_environment()};
    EXPECT_TRUE(std::holds_alternative<ClientResponse>(client.complete(HttpAsked::request())));
    return server.seen();
  };
  ::setenv("ANTHROPIC_BASE_URL", server.url("").c_str(), 1);
  ::setenv("ANTHROPIC_AUTH_TOKEN", "tok-1", 1);
  ::unsetenv("ANTHROPIC_API_KEY");
  EXPECT_THAT(asked(), AllOf(HasSubstr("Bearer tok-1"), Not(HasSubstr("x-api-key"))));
  ::setenv("ANTHROPIC_API_KEY", "key-2", 1);
  EXPECT_THAT(asked(), HasSubstr("key-2"));
  for (const char* name : {"ANTHROPIC_BASE_URL", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY"}) ::unsetenv(name);
}

/// A project with a task, a skill and a client that asks the server.
struct HttpExecution : testing::Test {
  const test::Scratch scratch;
  ExecutorConfig config = default_config();

  HttpExecution() {
    namespace fs = std::filesystem;
    fs::create_directories(scratch.file("workspace/tasks"));
    fs::create_directories(scratch.file(".agents/skills/copywriting"));
    test::write_bytes(scratch.file(".agents/skills/copywriting/SKILL.md"), "You write copy.\n");
    test::write_bytes(scratch.file("workspace/tasks/t-1.md"),
                      "---\nid: t-1\nstatus: pending\npriority: P2\nfrom: director\nto: copywriting\ncreated_at: "
                      "x\nupdated_at: x\nrevision_count: 0\noutput_path: outputs/creative/copywriting/t-1.md\n"
                      "output_format: Markdown\nnext_type: complete\n---\n\n## Context\n- **Goal:** g\n\n## "
                      "Requirements\n\nr\n");
    config.project_root = scratch.path();
    config.workspace = scratch.file("workspace");
    config.retry_delay = Milliseconds{1};
  }
  [[nodiscard]] ExecutionResult execute(const ScriptedHttp& server) const {
    HttpClientConfig http;
    http.api_key = key;
    http.base_url = server.url("");
    const Executor executor{std::make_shared<HttpClient>(http), config};
    return executor.execute(std::get<Task>(load_task(config.workspace, "t-1")));
  }
};

// The whole of it: a task, a skill, a call, a file.
TEST_F(HttpExecution, ATaskIsCarriedOutOverHttp) {
  ScriptedHttp server{R"([{"status":529,"error":{"type":"overloaded_error"}},
                          {"answer":{"text":"# Copy","usage":{"input_tokens":40,"output_tokens":2}}}])"};
  const ExecutionResult result = execute(server);
  ASSERT_EQ(result.status, ExecutionStatus::completed) << (result.error ? result.error->message : "");
  EXPECT_EQ(result.tokens_used.total, 42);
  EXPECT_EQ(test::bytes_of(scratch.file("workspace/outputs/creative/copywriting/t-1.md")), "# Copy");
  EXPECT_THAT(server.stats(), HasSubstr("\"requests\": 2,"));
}

TEST_F(HttpExecution, ACallThatWasGivenUpIsKnownByItsRequest) {
  ScriptedHttp server{R"([{"headers":{"request-id":"req_11"},"answer":{"text":"slow"},"split":20,"middle":"never"}])"};
  config.overall_timeout = Milliseconds{2000};
  const ExecutionResult result = execute(server);
  ASSERT_TRUE(result.error);
  EXPECT_EQ(to_string(result.error->code), "API_TIMEOUT") << result.error->message;
  EXPECT_EQ(result.error->request_id, "req_11");
}

}  // namespace
}  // namespace baton
