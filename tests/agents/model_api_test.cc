// The runtimes `anthropic` and `openai` through the real holder and courier, against a scripted model on loopback.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "agents/real_claude.h"
#include "support/kernel.h"

namespace baton::test {
namespace {

using testing::ElementsAre;

constexpr const char* canary = "sk-canary-7f3a9c";

class ModelApi : public Outside {
 protected:
  void SetUp() override {
    ASSERT_TRUE(file_exists(program_of_ours("baton-courier"))) << "every build has one";
    api.start();
    place.env["ANTHROPIC_API_KEY"] = canary;
    place.env["OPENAI_API_KEY"] = canary;
    place.env["ANTHROPIC_BASE_URL"] = api.url();
    place.env["OPENAI_BASE_URL"] = api.url() + "/v1";
    place.write("in.md", "The input.\n");
    write_skill(place);
  }

  /// One step `a` whose mission has the scripted answers in it: FAKE(...).
  void workflow(const std::string& fake, const std::string& more = "") {
    place.workflow("w", {"  - id: a\n    skill: writer\n    input: in.md\n    mission: 'Do it. FAKE(" + fake +
                         ")'\n    output: out/a.md\n" + more});
  }
  Outcome run(const std::string& runtime, const std::vector<std::string>& more = {}) {
    std::vector<std::string> args = {"run", "w", "--runtime", runtime, "--set", "limits.retry_delay=10ms"};
    args.insert(args.end(), more.begin(), more.end());
    const bool names_model = std::ranges::find(more, "--model") != more.end();
    if (runtime == "openai" && !names_model) args.insert(args.end(), {"--model", "gpt-5.6"});
    return place.baton(args);
  }
  std::string code_of(std::size_t n) {
    const json::object attempt = attempt_of(place.show(), "a", n);
    const auto* error = attempt.if_contains("error");
    return error == nullptr || !error->is_object() ? "" : text_at(error->get_object(), "code");
  }
  std::size_t attempts() { return step_of(place.show(), "a").at("attempts").as_array().size(); }

  /// Of the one run there is; "" as long as there is none.
  std::string log_of_run() {
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator{place.state("runs"), none}) {
      return read_text(entry.path().string() + "/logs/a.1.out");
    }
    return {};
  }

  FakeApi api;
};

class EitherApi : public ModelApi, public testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(Runtimes, EitherApi, testing::Values("anthropic", "openai"));

TEST_P(EitherApi, AnswersAndItsAnswerIsTheOutput) {
  workflow("ok");
  const Outcome ran = run(GetParam());
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(place.read("out/a.md"), "OK");
  EXPECT_EQ(api.requests().size(), 1U);
  const json::object attempt = attempt_of(place.show(), "a", 1);
  EXPECT_EQ(text_at(attempt, "runtime"), GetParam());
  EXPECT_GT(number_at(attempt.at("tokens").as_object(), "output"), 0);
  EXPECT_FALSE(attempt.at("cost_usd").is_null());
}

struct Row {
  const char* fake;
  int code;              ///< of the run
  std::size_t requests;  ///< the first one included
  const char* error;     ///< of the last attempt
};

TEST_P(EitherApi, EveryWayToFailHasItsCodeAndItsNumberOfRequests) {
  const std::vector<Row> rows = {{"429", 1, 3, "api-rate-limited"},
                                 {"529", 1, 3, "api-overloaded"},
                                 {"500", 1, 3, "api-error"},
                                 {"401", 1, 1, "api-error"},
                                 {"400", 1, 1, "api-error"},
                                 {"500 ok", 0, 2, ""},
                                 {"drop", 1, 3, "api-error"},
                                 {"malformed", 1, 3, "api-error"},
                                 {"empty", 1, 1, "response-empty"},
                                 {"refuse", 1, 1, "refused"},
                                 {"truncate", 0, 1, "response-truncated"}};
  for (const Row& row : rows) {
    const std::size_t before = api.requests().size();
    workflow(row.fake);
    // A model of its own each, so that nobody waits for what another row did to its provider.
    const std::string model = fmt::format("model-{}", &row - rows.data());
    const Outcome ran =
        run(GetParam(), {"--set", "limits.retries=2", "--set", "limits.rate_limit_backoff=10ms", "--model", model});
    EXPECT_EQ(ran.code, row.code) << row.fake << "\n" << ran;
    EXPECT_EQ(api.requests().size() - before, row.requests) << row.fake;
    EXPECT_EQ(attempts(), row.requests) << row.fake << ": each request is an attempt";
    EXPECT_EQ(code_of(row.requests), row.error) << row.fake;
  }
}

TEST_P(EitherApi, NoRetriesMeansOneRequest) {
  workflow("529");
  EXPECT_EQ(run(GetParam(), {"--set", "limits.retries=0"}).code, 1);
  EXPECT_EQ(api.requests().size(), 1U);
}

TEST_P(EitherApi, ASilentServerIsATimeout) {
  workflow("hang");
  const std::string key = std::string{"runtime."} + GetParam() + ".idle_timeout=300ms";  // it breaks off half-way
  EXPECT_EQ(run(GetParam(), {"--set", key, "--set", "limits.retries=0"}).code, 1);
  EXPECT_EQ(code_of(1), "api-timeout");
}

TEST_P(EitherApi, WithoutStreamingTheSameComesOut) {
  workflow("ok");
  const std::string key = std::string{"runtime."} + GetParam() + ".stream=false";
  EXPECT_EQ(run(GetParam(), {"--set", key}).code, 0);
  EXPECT_EQ(place.read("out/a.md"), "OK");
}

TEST_P(EitherApi, ToolsWorkInTheFolderAndTheirLoopGoesOn) {
  if (!can_confine_commands()) GTEST_SKIP() << "this system cannot confine commands";
  workflow(R"([{"shell":"cat in.md > seen.txt"},{"text":"done"}])");
  const std::string key = std::string{"runtime."} + GetParam() + R"(.tools=["run"])";
  const Outcome ran = run(GetParam(), {"--set", key});
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(place.read("seen.txt"), "The input.\n");
  EXPECT_EQ(place.read("out/a.md"), "done");
  EXPECT_EQ(attempts(), 1U) << "a loop of tools is one attempt";
}

TEST_P(EitherApi, TheKeyIsNowhereOnDisk) {
  workflow("401");
  (void)run(GetParam());
  workflow("ok");
  (void)run(GetParam());
  (void)place.baton({"report", "last", "-o", place.file("report.html")});
  for (const auto& entry : std::filesystem::recursive_directory_iterator{place.root()}) {
    if (!entry.is_regular_file()) continue;
    EXPECT_FALSE(has(read_text(entry.path()), "canary")) << entry.path();
  }
}

TEST_F(ModelApi, AKilledEngineLosesNoAnswer) {
  workflow("middle=rest");
  Process driver = place.start({"run", "w", "--runtime", "anthropic"});
  ASSERT_TRUE(eventually([&] { return has(log_of_run(), "baton-http/1 200"); })) << "the answer has begun";
  driver.kill(SIGKILL);
  (void)driver.wait();
  api.go("rest");
  // The holder's own wake may be quicker: then there is nothing left to resume.
  const Outcome resumed = place.baton({"resume", "last"});
  EXPECT_TRUE(resumed.code == 0 || has(resumed.err, "error[run-is-over]")) << resumed;
  EXPECT_EQ(place.run_state(), "completed");
  EXPECT_EQ(place.read("out/a.md"), "OK");
  EXPECT_EQ(api.requests().size(), 1U) << "it was asked once";
  EXPECT_EQ(attempts(), 1U);
}

TEST_F(ModelApi, WithAKeyAndNoProgramItIsChosen) {
  workflow("ok");
  place.env["PATH"] = "/usr/bin:/bin";
  const Outcome ran = place.baton({"run", "w"});
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(text_at(attempt_of(place.show(), "a", 1), "runtime"), "anthropic");
}

}  // namespace
}  // namespace baton::test
