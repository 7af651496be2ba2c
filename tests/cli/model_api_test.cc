// Both model APIs through the real engine, holder and courier, against a scripted server on loopback.
#include <gmock/gmock.h>

#include "cli/api_place.h"

namespace baton::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Api : public WithApi, public testing::WithParamInterface<const char*> {
 protected:
  [[nodiscard]] std::string runtime() const { return GetParam(); }
  [[nodiscard]] bool is_messages() const { return runtime() == "anthropic"; }
  [[nodiscard]] std::string setting(const std::string& key) const { return "runtime." + runtime() + "." + key; }
  pid_t courier() const {
    const std::string holder = std::to_string(place.living("baton-holder").at(0));
    return std::stoi(lines_of(read_text("/proc/" + holder + "/task/" + holder + "/children") + "\n").at(0));
  }
};
INSTANTIATE_TEST_SUITE_P(Families, Api, testing::Values("anthropic", "openai"));

TEST_P(Api, AnAnswerIsTheOutputStreamedOrNot) {
  workflow();
  for (const char* stream : {"true", "false"}) {
    server.script(R"([{"answer":{"text":"Said so."},"split":7}])");
    const Outcome ran = run_api(runtime(), {"--set", setting("stream") + "=" + stream});
    ASSERT_EQ(ran.code, 0) << ran;
    EXPECT_EQ(place.read("out/a.md"), "Said so.");
    const json::object attempt = attempt_of(place.show(), "a", 1);
    EXPECT_EQ(number_at(attempt.at("tokens").as_object(), "output"), 5);
    EXPECT_FALSE(attempt.at("cost_usd").is_null());
    EXPECT_EQ(has(bodies().back(), R"("stream":true)"), std::string{stream} == "true") << bodies().back();
  }
}

TEST_P(Api, AnObjectInsideASentenceIsNoOutput) {
  place.workflow("w",
                 {"  - id: a\n    skill: writer\n    input: in.md\n    mission: 'Do it.'\n    output: out/a.json\n"});
  server.script(R"([{"answer":{"text":"I cannot give you {\"x\": \"value\"} because there is none."}},)"
                R"({"answer":{"text":"Here it is:\n```json\n{\"x\": 1}\n```\nThat is all."}}])");
  const Outcome ran = run_api(runtime());
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(requests(), 2) << "what is said of an object is not the object";
  EXPECT_EQ(place.read("out/a.json"), R"({"x": 1})");
}

TEST_P(Api, AnErrorInsideAStreamIsTriedAgain) {
  workflow();
  server.script(is_messages() ? R"([{"error":{"type":"overloaded_error","after":4}},{"answer":{"text":"Now."}}])"
                              : R"([{"error":{"type":"server_error","after":2}},{"answer":{"text":"Now."}}])");
  const Outcome ran = run_api(runtime());
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(place.read("out/a.md"), "Now.");
  EXPECT_EQ(requests(), 2);
  EXPECT_EQ(attempts(), 2U) << "each request is an attempt";
}

TEST_P(Api, StreamsThatEndEarlyAreTriedAgainAndTheirTokensCount) {
  workflow();
  server.script(fmt::format(R"([{{"cut":{},"end":"reset"}},{{"events_max":{}}},{{"answer":{{"text":"Whole."}}}}])",
                            is_messages() ? 700 : 300, is_messages() ? 4 : 2));
  const Outcome ran = run_api(runtime());
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(place.read("out/a.md"), "Whole.");
  EXPECT_EQ(requests(), 3);
  if (is_messages()) {
    EXPECT_GE(number_at(place.show().at("tokens").as_object(), "input"), 20);
  }
}

TEST_P(Api, ARequestsIdIsInTheError) {
  workflow();
  server.script(R"([{"status":400,"headers":{"x-request-id":"req_find_me","request-id":"req_find_me"},
                     "error":{"message":"no such","request_id":"req_find_me"}}])");
  const Outcome ran = run_api(runtime());
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(has(ran.err, "req_find_me") && has(ran.err, "no such")) << ran;
  EXPECT_EQ(requests(), 1);
}

TEST_P(Api, WhatTheServerSaysOfWaitingIsObeyed) {
  workflow();
  server.script(R"([{"status":429,"headers":{"retry-after-ms":"300"},"error":{"type":"rate_limit_error"}},
                    {"status":500,"headers":{"x-should-retry":"false"},"error":{}}])");
  const Outcome ran = run_api(runtime(), {"--json"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(requests(), 2) << "the second one was told not to come again";
  const auto retrying = of_type(json_lines(ran.out), "step.retrying");
  ASSERT_EQ(retrying.size(), 1U) << ran;
  EXPECT_GE(number_at(retrying[0], "delay_ms"), 300);
}

TEST_P(Api, SilenceIsATimeout) {
  workflow();
  server.script(R"([{"cut":150,"end":"silence","times":0}])");
  EXPECT_EQ(run_api(runtime(), {"--set", setting("idle_timeout") + "=200ms", "--set", "limits.retries=1"}).code, 1);
  EXPECT_EQ(code_of(2), "api-timeout");
  EXPECT_EQ(requests(), 2);
}

TEST_P(Api, WithoutAWordTheFirstTimeIsTheOneThatHolds) {
  workflow();
  for (const char* stream : {"true", "false"}) {
    server.script(R"([{"end":"silence","times":0}])");
    EXPECT_EQ(run_api(runtime(), {"--set", setting("first_timeout") + "=200ms", "--set", "limits.retries=0", "--set",
                                  setting("stream") + "=" + stream})
                  .code,
              1);
    EXPECT_EQ(code_of(1), "api-timeout");
  }
}

TEST_P(Api, PingsAndCommentsAreNoProgress) {
  workflow();
  const std::string head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
  const std::string first = is_messages() ? "data: {\"type\":\"message_start\",\"message\":{}}\n\n"
                                          : "data: {\"choices\":[{\"delta\":{\"content\":\"Well\"}}]}\n\n";
  const std::string last = is_messages() ? "data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\","
                                           "\"text\":\"Well\"}}\n\ndata: {\"type\":\"message_stop\"}\n\n"
                                         : "data: [DONE]\n\n";
  json::array play{json::object{{"send", head + first}}};
  for (int n = 0; n < 100; ++n) {
    play.push_back(
        json::object{{"send", "event: ping\ndata: {\"type\": \"ping\"}\n\n: still here\n\n"}, {"sleep", 20}});
  }
  play.push_back(json::object{{"send", last}, {"end", "close"}});
  server.script(json::serialize(json::array{json::object{{"times", 0}, {"play", play}}}));
  EXPECT_EQ(run_api(runtime(), {"--set", "limits.retries=0"}).code, 0) << "it would be an answer";
  EXPECT_EQ(run_api(runtime(), {"--set", setting("idle_timeout") + "=300ms", "--set", "limits.retries=0"}).code, 1);
  EXPECT_EQ(code_of(1), "api-timeout");
}

TEST_P(Api, ASurplusAnswerIsNobodys) {
  std::vector<std::string> steps;
  json::array rules;
  for (int n = 1; n <= 5; ++n) {
    const std::string needs = n == 1 ? "" : fmt::format("    needs: [s{}]\n", n - 1);
    steps.push_back(fmt::format(
        "  - id: s{0}\n    skill: writer\n{1}    input: in.md\n    mission: 'Part {0}.'\n    output: out/{0}.md\n", n,
        needs));
    rules.push_back(json::object{{"surplus", n == 1},
                                 {"when", json::object{{"contains", fmt::format("Part {}.", n)}}},
                                 {"answer", json::object{{"text", fmt::format("{} {}", n, std::string(4000, 'x'))}}}});
  }
  place.workflow("w", steps);
  server.script(json::serialize(rules));
  for (const char* stream : {"true", "false"}) {
    server.script(json::serialize(rules));
    const Outcome ran = run_api(runtime(), {"--set", setting("stream") + "=" + stream});
    ASSERT_EQ(ran.code, 0) << ran;
    for (int n = 1; n <= 5; ++n) {
      const std::string path = fmt::format("out/{}.md", n);
      EXPECT_TRUE(place.read(path).starts_with(fmt::format("{} x", n))) << path;
    }
  }
}

TEST_P(Api, ALengthThatLiesFailsItsOwnCallWhichIsTriedAgain) {
  workflow();
  for (const int length : {60, 9000}) {
    server.script(
        fmt::format(R"([{{"answer":{{"text":"It lied."}},"length":{}}},{{"answer":{{"text":"Now."}}}}])", length));
    const Outcome ran = run_api(runtime(), {"--set", setting("stream") + "=false"});
    ASSERT_EQ(ran.code, 0) << ran;
    EXPECT_EQ(place.read("out/a.md"), "Now.");
    EXPECT_EQ(code_of(1), "api-error");
  }
}

TEST_P(Api, AnAnswerThatAnotherRequestHadIsAskedForAgain) {
  place.workflow(
      "w",
      {"  - id: a\n    skill: writer\n    input: in.md\n    mission: 'Do it.'\n    output: out/a.md\n",
       "  - id: b\n    skill: writer\n    needs: [a]\n    input: in.md\n    mission: 'More.'\n    output: out/b.md\n"});
  for (const char* id : {R"("answer":{"text":"One.","id":"msg_01XFDUDYJgAACzvnptvVoYEL"})",
                         R"("answer":{"text":"One."},"headers":{"request-id":"req_011CSHoEeqs5C35K2UUqR7Fy"})"}) {
    server.script(fmt::format(R"([{{"times":2,{}}},{{"answer":{{"text":"Two."}}}}])", id));
    const Outcome ran = run_api(runtime());
    ASSERT_EQ(ran.code, 0) << ran;
    EXPECT_EQ(place.read("out/b.md"), "Two.");
    EXPECT_EQ(code_of(1, "b"), "api-error");
    EXPECT_TRUE(place.show().at("cost_usd").is_null()) << "what it told was of another";
  }
}

TEST_P(Api, WithoutAWordAProviderThatLimitsIsLeftAloneAsLongAsTheUserSays) {
  workflow();
  server.script(R"([{"status":429,"error":{"type":"rate_limit_error"}},{"answer":{"text":"Now."}}])");
  const Outcome ran = run_api(runtime(), {"--set", "limits.rate_limit_backoff=2s", "--json"});
  ASSERT_EQ(ran.code, 0) << ran;
  const auto finished = of_type(json_lines(ran.out), "run.finished");
  EXPECT_GE(number_at(finished.front(), "duration_ms"), 2000) << ran;
}

TEST_P(Api, ARedirectNamesItsTarget) {
  workflow();
  server.script(R"([{"redirect":"https://elsewhere.test/v1/messages"}])");
  const Outcome ran = run_api(runtime());
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(has(ran.err, "https://elsewhere.test/v1/messages") && has(ran.err, "base_url")) << ran;
  EXPECT_EQ(requests(), 1);
}

TEST_P(Api, UsageThatCannotBeIsToldAndNotAdded) {
  workflow();
  server.script(R"([{"answer":{"text":"Said.","usage":{"input_tokens":900000000,"prompt_tokens":900000000}}}])");
  const Outcome ran = run_api(runtime(), {"--budget", "1"});
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_TRUE(has(ran.err, "but: its server told of 9000000")) << ran;
  const json::object attempt = attempt_of(place.show(), "a", 1);
  EXPECT_LT(number_at(attempt.at("tokens").as_object(), "input"), 10'000);
  EXPECT_TRUE(place.show().at("cost_usd").is_null());
}

TEST_P(Api, WhatHadComeOfALostCallIsCounted) {
  workflow();
  const std::string usage = R"("usage":{"input_tokens":321,"prompt_tokens":321})";
  server.script(R"([{"answer":{"text":"A long answer.",)" + usage +
                R"(},"middle":"never"},{"answer":{"text":"Again."}}])");
  Process driver = place.start(args_of(runtime()));
  const auto logged = [&] {
    const auto runs = place.run_state().empty() ? json::object{} : attempt_of(place.show(), "a", 1);
    const auto* log = runs.if_contains("log");
    return log == nullptr || !log->is_string() ? std::string{} : read_text(std::string{log->as_string()});
  };
  ASSERT_TRUE(eventually([&] { return has(logged(), is_messages() ? "content_block_start" : "A lo"); })) << logged();
  ASSERT_EQ(::kill(courier(), SIGKILL), 0);
  EXPECT_EQ(driver.wait().code, 0);
  EXPECT_EQ(place.read("out/a.md"), "Again.");
  const json::object lost = attempt_of(place.show(), "a", 1);
  EXPECT_EQ(text_at(lost, "state"), "unknown");
  const std::int64_t input = number_at(lost.at("tokens").as_object(), "input");
  EXPECT_TRUE(is_messages() ? input == 321 : input > 0) << input << ", a guess where it is told at the end only";
}

TEST_P(Api, ItsTimeHoldsAlsoIfOnlyTheRunNamesIt) {
  workflow();
  server.script(R"([{"cut":150,"end":"silence","times":0}])");
  const Outcome ran = run_api(runtime(), {"--set", setting("timeout") + "=300ms", "--set",
                                          setting("idle_timeout") + "=30s", "--set", "limits.retries=0"});
  EXPECT_EQ(ran.code, 1) << ran;
  const json::object attempt = attempt_of(place.show(), "a", 1);
  EXPECT_FALSE(has(json::serialize(attempt.at("error")), "nothing came")) << json::serialize(attempt);
}

TEST_P(Api, AnAnswerThatWasCutOffIsTold) {
  workflow();
  server.script(std::string{R"([{"times":0,"answer":{"text":"Half","stop_reason":")"} +
                (is_messages() ? "max_tokens" : "length") + "\"}}]");
  const Outcome ran = run_api(runtime());
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_TRUE(has(ran.err, "a completed") && has(ran.err, "but: its answer was cut off")) << ran;
  EXPECT_TRUE(has(place.baton({"show", "last"}).out, "but: its answer was cut off"));
  const auto finished = of_type(json_lines(run_api(runtime(), {"--json"}).out), "step.finished");
  ASSERT_EQ(finished.size(), 1U);
  EXPECT_EQ(text_at(finished[0].at("error").as_object(), "code"), "response-truncated");
}

TEST_P(Api, AKilledEngineLosesNoAnswerAndAsksNoSecondTime) {
  workflow();
  server.script(R"([{"answer":{"text":"It was not lost."},"split":20,"middle":"go"}])");
  Process driver = place.start(args_of(runtime()));
  (void)server.until_requests(1);
  ASSERT_TRUE(eventually([&] { return place.run_state() == "running"; }));
  driver.kill(SIGKILL);
  (void)driver.wait();
  server.go("go");
  (void)server.until_idle();
  const Outcome resumed = place.baton({"resume", "last"});
  EXPECT_TRUE(resumed.code == 0 || says_error(resumed, "run-is-over")) << resumed;
  EXPECT_EQ(place.run_state(), "completed");
  EXPECT_EQ(place.read("out/a.md"), "It was not lost.");
  EXPECT_EQ(requests(), 1);
  EXPECT_EQ(attempts(), 1U);
}

TEST_P(Api, ACancelledRunGivesItsCallUp) {
  workflow();
  server.script(R"([{"answer":{"text":"never"},"split":20,"middle":"never"}])");
  Process driver = place.start(args_of(runtime()));
  (void)server.until_requests(1);
  ASSERT_EQ(place.baton({"cancel", "last"}).code, 0);
  EXPECT_EQ(driver.wait().code, 5);
  (void)server.until_abandoned(1);
  EXPECT_EQ(place.run_state(), "cancelled");
  EXPECT_FALSE(place.exists("out/a.md"));
}

TEST_P(Api, APauseLetsTheCallEndAndStartsNothingNew) {
  place.workflow(
      "w",
      {"  - id: a\n    skill: writer\n    input: in.md\n    mission: 'Do it.'\n    output: out/a.md\n",
       "  - id: b\n    skill: writer\n    needs: [a]\n    input: in.md\n    mission: 'More.'\n    output: out/b.md\n"});
  server.script(R"([{"answer":{"text":"first"},"split":20,"middle":"go"},{"answer":{"text":"second"}}])");
  Process driver = place.start(args_of(runtime()));
  (void)server.until_requests(1);
  ASSERT_EQ(place.baton({"pause", "last"}).code, 0);
  EXPECT_EQ(driver.wait().code, 4);
  server.go("go");
  (void)server.until_idle();
  EXPECT_EQ(place.run_state(), "paused");
  EXPECT_EQ(requests(), 1) << "nothing new while it is paused";
  const Outcome resumed = place.baton({"resume", "last"});
  EXPECT_EQ(resumed.code, 0) << resumed;
  EXPECT_EQ(place.read("out/a.md"), "first");
  EXPECT_EQ(place.read("out/b.md"), "second");
  EXPECT_EQ(requests(), 2) << "the call of before was not made again";
}

// Row 47: tools only where they were asked for, their results go back, the loop is bounded, tokens add up.
TEST_P(Api, ToolsWorkInTheFolderAndTheirLoopIsBounded) {
  workflow();
  const std::string call =
      is_messages()
          ? R"({"answer":{"stop_reason":"tool_use","blocks":[{"type":"tool_use","id":"t1","name":"write_file","input":{"file_path":"made.txt","content":"by a tool"}}]}})"
          : R"({"answer":{"text":"","stop_reason":"tool_calls","more":{"tool_calls":[{"index":0,"id":"t1","type":"function","function":{"name":"write_file","arguments":"{\"file_path\":\"made.txt\",\"content\":\"by a tool\"}"}}]}}})";
  server.script("[" + call + R"(,{"answer":{"text":"Done."}}])");
  const Outcome ran = run_api(runtime(), {"--set", setting("tools") + R"(=["write"])"});
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(place.read("made.txt"), "by a tool");
  EXPECT_EQ(place.read("out/a.md"), "Done.");
  EXPECT_EQ(attempts(), 1U) << "a loop of tools is one attempt";
  EXPECT_EQ(number_at(place.show().at("tokens").as_object(), "output"), 10);
  EXPECT_THAT(bodies().at(0), HasSubstr("\"tools\""));
  EXPECT_THAT(bodies().at(1), HasSubstr(is_messages() ? "tool_result" : "tool_call_id"));
  server.script("[" + call.substr(0, call.size() - 1) + R"(,"times":0}])");
  EXPECT_EQ(
      run_api(runtime(), {"--set", setting("tools") + R"(=["write"])", "--set", setting("max_turns") + "=2"}).code, 1);
  EXPECT_EQ(code_of(1), "tool-loop-limit");
  server.script(R"([{"answer":{"text":"No tools."}}])");
  ASSERT_EQ(run_api(runtime()).code, 0);
  EXPECT_THAT(bodies().back(), Not(HasSubstr("\"tools\"")));
}

TEST_P(Api, TheKeyIsFoundNowhere) {
  workflow();
  // The server sends back what it was sent, as an error and as an answer; the engine is looked at while it waits.
  server.script(std::string{R"([{"status":401,"error":{"message":"bad key )"} + canary_key + R"("}},
                {"answer":{"text":"Your key is )" +
                canary_key + R"(","delta":1000},"middle":"go","split":30}])");
  EXPECT_EQ(run_api(runtime()).code, 1);
  Process driver = place.start(args_of(runtime(), {"-v", "-v"}));
  (void)server.until_requests(2);
  for (const pid_t pid : place.living()) {
    const std::string line = read_text("/proc/" + std::to_string(pid) + "/cmdline");
    for (const std::string& form : canary_forms()) EXPECT_THAT(line, Not(HasSubstr(form)));
  }
  const std::string courier_folder = "/proc/" + std::to_string(courier());
  EXPECT_THAT(read_text(courier_folder + "/cmdline"), HasSubstr("baton-courier"));
  EXPECT_THAT(read_text(courier_folder + "/environ"), Not(HasSubstr("canary")));
  const std::string holder = std::to_string(place.living("baton-holder").at(0));
  EXPECT_THAT(read_text("/proc/" + holder + "/environ"), AllOf(HasSubstr("BATON_E2E"), Not(HasSubstr("canary"))));
  for (const std::string& folder : {courier_folder, "/proc/" + std::to_string(driver.pid())}) {
    EXPECT_THAT(read_text(folder + "/limits"), HasSubstr("Max core file size        0 ")) << folder;
  }
  server.go("go");
  const Outcome ran = driver.wait();
  EXPECT_EQ(ran.code, 0) << ran;
  for (const std::vector<std::string>& verb : std::vector<std::vector<std::string>>{{"show", "last", "--json"},
                                                                                    {"logs", "last"},
                                                                                    {"logs", "last", "--raw"},
                                                                                    {"why", "last", "a"},
                                                                                    {"list", "--json"},
                                                                                    {"cost"},
                                                                                    {"models"},
                                                                                    {"config", "--explain"},
                                                                                    {"doctor"}}) {
    const Outcome told = place.baton(verb);
    EXPECT_THAT(told.out + told.err, Not(HasSubstr("canary"))) << verb[0];
  }
  EXPECT_THAT(ran.out + ran.err, Not(HasSubstr("canary")));
  EXPECT_THAT(files_with_key(), IsEmpty());
  EXPECT_TRUE(has(server.seen(), canary_key)) << "the server did get it";
}

TEST_P(Api, TheMoneyOfADayIsLookedAtBeforeEachCall) {
  place.workflow(
      "w",
      {"  - id: a\n    skill: writer\n    input: in.md\n    mission: 'Do it.'\n    output: out/a.md\n",
       "  - id: b\n    skill: writer\n    needs: [a]\n    input: in.md\n    mission: 'More.'\n    output: out/b.md\n"});
  const std::string usage = is_messages() ? R"({"input_tokens":1000000,"output_tokens":1000000})"
                                          : R"({"prompt_tokens":1000000,"completion_tokens":1000000})";
  server.script(R"([{"times":0,"answer":{"text":"Dear.","usage":)" + usage + "}}]");
  const Outcome ran = run_api(runtime(), {"--set", "limits.budget_day_usd=1", "--no-wait"});
  EXPECT_TRUE(ran.code == 4 || ran.code == 75) << ran;
  EXPECT_TRUE(has(ran.err, "today's budget of $1.00 is spent (limits.budget_day_usd)")) << ran;
  EXPECT_EQ(requests(), 1) << "the second step was not begun";
  EXPECT_FALSE(place.exists("out/b.md"));
  const Outcome cost = place.baton({"cost", "--json"});
  EXPECT_GT(parse_json(cost.out).at("cost_usd").to_number<double>(), 1.0) << cost;
}

class Batches : public WithApi {
 protected:
  static std::string batch(const char* status) {
    return fmt::format(R"({{"id":"msgbatch_01","type":"message_batch","processing_status":"{}",
                           "request_counts":{{"processing":1}}}})",
                       status);
  }
};

TEST_F(Batches, AreSubmittedOnceAlsoIfTheEngineDies) {
  workflow("    mode: batch\n");
  server.script(R"([{"when":{"path":"/v1/messages/batches","method":"POST"},"json":)" + batch("in_progress") + "}]");
  Process driver = place.start(args_of("anthropic"));
  (void)server.until_requests(1);
  ASSERT_TRUE(eventually([&] { return has(place.baton({"logs", "last"}).out, "msgbatch_01"); }));
  driver.kill(SIGKILL);
  (void)driver.wait();
  EXPECT_EQ(place.run_state(), "running");
  EXPECT_THAT(bodies().at(0), HasSubstr("custom_id"));
  EXPECT_THAT(bodies().at(0), Not(HasSubstr("\"stream\"")));
  Process again = place.start({"resume", "last"});
  EXPECT_FALSE(eventually([&] { return requests() > 1; }, milliseconds{1500})) << "it is asked about politely";
  server.script(R"([{"when":{"path":"/v1/messages/batches/msgbatch_01/cancel","method":"POST"},"json":)" +
                batch("canceling") + "}]");
  ASSERT_EQ(place.baton({"cancel", "last"}).code, 0);
  EXPECT_EQ(again.wait().code, 5);
  EXPECT_EQ(requests(), 2) << "nobody pays for what nobody wants";
  EXPECT_THAT(server.seen(), HasSubstr("/v1/messages/batches/msgbatch_01/cancel"));
}

TEST_F(Batches, AnswersAreFetchedForHalfThePrice) {
  workflow("    mode: batch\n");
  server.script(R"([{"when":{"path":"/v1/messages/batches","method":"POST"},"wait":"go","json":)" +
                batch("in_progress") + "}]");
  Process driver = place.start(args_of("anthropic"));
  (void)server.until_requests(1);
  const std::string body = bodies().at(0);
  const std::string id = text_at(parse_json(body).at("requests").at(0).as_object(), "custom_id");
  server.script(R"([{"when":{"path":"/v1/messages/batches/msgbatch_01"},"times":0,"json":)" + batch("ended") +
                R"(},{"when":{"path":"/v1/messages/batches/msgbatch_01/results"},"times":0,"json":{"custom_id":")" +
                id +
                R"(","result":{"type":"succeeded","message":{"id":"m","type":"message","role":"assistant",
                "model":"claude-sonnet-4-6","content":[{"type":"text","text":"Cheap."}],"stop_reason":"end_turn",
                "usage":{"input_tokens":1000000,"output_tokens":0}}}}}])");
  server.go("go");
  const Outcome ran = driver.wait();
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(place.read("out/a.md"), "Cheap.");
  EXPECT_EQ(place.show().at("cost_usd"), 1.5) << "of three dollars";
}

class TasksOverApi : public WithApi {};

// Rows 15 and 35: the whole of a task, as it goes over the wire.
TEST_F(TasksOverApi, ATaskIsOneCallWithItsSkillAsTheSystemText) {
  task({.id = "t-1"});
  place.write("workspace/context/product-marketing-context.md", "We sell batons.\n");
  server.script(R"([{"answer":{"text":"# Copy","usage":{"input_tokens":300,"output_tokens":20}}}])");
  const Outcome ran = run_task("t-1", {"--runtime", "anthropic", "--model", "sonnet"});
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(status("t-1"), "completed");
  EXPECT_EQ(written("outputs/creative/copywriting/t-1.md"), "# Copy");
  const json::object body = parse_json(bodies().at(0)).as_object();
  EXPECT_EQ(number_at(body, "max_tokens"), 16384);
  EXPECT_THAT(json::serialize(body.at("system")), HasSubstr("You do copywriting."));
  EXPECT_THAT(json::serialize(body.at("system")), HasSubstr("cache_control"));
  const json::array& content = body.at("messages").as_array().at(0).at("content").as_array();
  ASSERT_EQ(content.size(), 2U);
  EXPECT_THAT(text_at(content[0].as_object(), "text"), HasSubstr("We sell batons."));
  EXPECT_TRUE(content[0].as_object().contains("cache_control"));
  EXPECT_THAT(text_at(content[1].as_object(), "text"), HasSubstr("t-1"));
  EXPECT_FALSE(content[1].as_object().contains("cache_control")) << "what changes is not kept";
  EXPECT_EQ(number_at(place.show().at("tokens").as_object(), "input"), 300);
}

// Rows 21 to 24, 26 to 28 over the wire: how often it is asked, what the task's file says.
TEST_F(TasksOverApi, EveryWayToEndHasItsCodeItsCallsAndItsStatus) {
  struct Row {
    const char* script;
    int code;
    std::int64_t calls;
    const char* status;
    const char* error;
  };
  const std::vector<Row> rows = {
      {R"([{"times":0,"status":429,"error":{"type":"rate_limit_error"}}])", 1, 3, "failed", "api-rate-limited"},
      {R"([{"times":0,"status":500,"error":{}}])", 1, 3, "failed", "api-error"},
      {R"([{"times":0,"status":401,"error":{"type":"authentication_error"}}])", 1, 1, "failed", "api-error"},
      {R"([{"status":500,"error":{}},{"answer":{"text":"ok"}}])", 0, 2, "completed", ""},
      {R"([{"answer":{"text":"  \n"}}])", 1, 1, "failed", "response-empty"},
      {R"([{"answer":{"text":"Half","stop_reason":"max_tokens"}}])", 0, 1, "completed", "response-truncated"},
      {R"([{"answer":{"text":"","stop_reason":"refusal"}}])", 1, 1, "failed", "refused"},
      {R"([{"answer":{"text":"x","stop_reason":"model_context_window_exceeded"}}])", 0, 1, "completed",
       "response-truncated"},
      {R"([{"answer":{"text":"","stop_reason":"model_context_window_exceeded"}}])", 1, 1, "failed", "context-exceeded"},
      {R"([{"times":0,"status":529,"error":{"type":"overloaded_error"}}])", 1, 3, "failed", "api-overloaded"}};
  int n = 0;
  for (const Row& row : rows) {
    const std::string id = "t-" + std::to_string(++n);
    task({.id = id});
    server.script(row.script);
    const std::int64_t before = requests();
    // A model of its own each, so that nobody waits for what another row did to its provider.
    const Outcome ran =
        run_task(id, {"--runtime", "anthropic", "--model", "model-" + id, "--set", "limits.rate_limit_backoff=10ms"});
    EXPECT_EQ(ran.code, row.code) << row.script << ran;
    EXPECT_EQ(requests() - before, row.calls) << row.script;
    EXPECT_EQ(status(id), row.status) << row.script;
    EXPECT_EQ(code_of(static_cast<std::size_t>(row.calls), id), row.error) << row.script;
    EXPECT_EQ(place.exists("workspace/outputs/creative/copywriting/" + id + ".md"), row.code == 0) << row.script;
  }
}

// Row 17: no call is made.
TEST_F(TasksOverApi, ATaskThatIsNotExecutableMakesNoCall) {
  task({.id = "t-1", .status = "completed"});
  EXPECT_EQ(run_task("t-1", {"--runtime", "anthropic"}).code, 2);
  EXPECT_EQ(requests(), 0);
  EXPECT_EQ(status("t-1"), "completed");
}

}  // namespace
}  // namespace baton::test
