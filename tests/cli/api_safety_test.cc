// What a model, its tools and its server must not get at, through the real engine, holder and courier.
#include <gmock/gmock.h>

#include "cli/api_place.h"
#include "support/kernel.h"

namespace baton::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class ApiSafety : public WithApi {
 protected:
  /// The model calls these tools at once, and is done.
  void wants(const std::string& blocks) {
    server.script(R"([{"answer":{"stop_reason":"tool_use","blocks":[)" + blocks +
                  R"(]}},{"answer":{"text":"I am done."}}])");
  }
  static std::string command(const std::string& line) {
    return R"({"type":"tool_use","id":"c","name":"bash","input":{"command":")" + line + "\"}}";
  }
  Outcome run_with_tools() {
    return run_api("anthropic", {"--set", R"(runtime.anthropic.tools=["run","write","read"])"});
  }
};

TEST_F(ApiSafety, CommandsOfAModelFindNoKey) {
  if (!can_confine_commands()) GTEST_SKIP() << "this system cannot confine commands";
  workflow();
  wants(command("env; cat /proc/[0-9]*/environ; echo looked"));
  const Outcome ran = run_with_tools();
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_THAT(bodies().at(1), HasSubstr("looked"));
  EXPECT_THAT(bodies().at(1), HasSubstr("BATON_STEP=a"));
  EXPECT_THAT(bodies().at(1), Not(HasSubstr("canary")));
  EXPECT_THAT(files_with_key(), IsEmpty());
}

/// A confined command may not look there; what a core or another program of the user's would hold is wiped out as well.
TEST_F(ApiSafety, WhatRunsCommandsHasNoKeyInItsEnvironment) {
  if (!can_confine_commands()) GTEST_SKIP() << "this system cannot confine commands";
  workflow();
  wants(command("mkdir -p out; echo $PPID > out/new; mv out/new out/pid; while [ ! -e out/go ]; do sleep 0.01; done"));
  Process running = place.start(args_of("anthropic", {"--set", R"(runtime.anthropic.tools=["run"])"}));
  ASSERT_TRUE(eventually([&] { return place.exists("out/pid"); }));
  const std::string environment = read_text("/proc/" + lines_of(place.read("out/pid")).at(0) + "/environ");
  place.write("out/go", "");
  EXPECT_EQ(running.wait().code, 0);
  EXPECT_THAT(environment, HasSubstr("BATON_FOLDER="));
  EXPECT_THAT(environment, Not(HasSubstr(canary_key)));
}

TEST_F(ApiSafety, ToolsTouchNeitherGitNorTheState) {
  if (!can_confine_commands()) GTEST_SKIP() << "this system cannot confine commands";
  workflow();
  place.write(".git/config", "[core]\n");
  wants(
      command("echo x > .git/config; echo x > .baton/evil; echo x > .baton/baton.db; echo made > made.txt") +
      R"(,{"type":"tool_use","id":"w","name":"write_file","input":{"file_path":".git/hooks/post-checkout","content":"x"}})" +
      R"(,{"type":"tool_use","id":"r","name":"read_file","input":{"file_path":".baton/baton.db"}})");
  const Outcome ran = run_with_tools();
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(place.read(".git/config"), "[core]\n");
  EXPECT_FALSE(std::filesystem::exists(place.file(".git/hooks/post-checkout")));
  EXPECT_FALSE(std::filesystem::exists(place.file(".baton/evil")));
  EXPECT_THAT(bodies().at(1), HasSubstr("is closed to tools"));
  EXPECT_THAT(bodies().at(1), Not(HasSubstr("SQLite format")));
}

TEST_F(ApiSafety, WhatACommandWroteToTheOutputStays) {
  if (!can_confine_commands()) GTEST_SKIP() << "this system cannot confine commands";
  workflow();
  wants(command("mkdir -p out; echo by a command > out/a.md"));
  const Outcome ran = run_with_tools();
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(place.read("out/a.md"), "by a command\n");
}

/// Where the system allows namespaces, Baton is started in one that allows none beneath it.
TEST_F(ApiSafety, WhereACommandCannotBeConfinedItIsNotRun) {
  workflow();
  wants(command("mkdir -p out; touch out/ran; cat /proc/[0-9]*/environ"));
  const auto args = args_of("anthropic", {"--set", R"(runtime.anthropic.tools=["run"])"});
  const auto under = without_user_namespaces();
  if (!under) GTEST_SKIP() << "there are user namespaces here, and /proc/sys cannot be written to";
  const Outcome ran = place.start_under(*under, args).wait();
  EXPECT_EQ(ran.code, 1) << ran;
  EXPECT_EQ(code_of(1), "sandbox-unavailable");
  EXPECT_FALSE(place.exists("out/ran"));
  EXPECT_EQ(requests(), 1) << "the model is told nothing more";
  EXPECT_THAT(files_with_key(), IsEmpty());

  wants(command("mkdir -p out; touch out/ran"));
  const auto open = args_of("anthropic", {"--set", R"(runtime.anthropic.tools=["run"])", "--set",
                                          "runtime.anthropic.unconfined_commands=true"});
  const Outcome allowed = place.start_under(*under, open).wait();
  EXPECT_EQ(allowed.code, 0) << allowed;
  EXPECT_TRUE(place.exists("out/ran"));
}

TEST_F(ApiSafety, AKeyThatIsSentBackInAnotherFormIsCovered) {
  workflow();
  server.script(R"([{"status":401,"error":{"message":"no good: c2stY2FuYXJ5LTdmM2E5YzUxZDJlOA== )"
                R"(736b2d63616e6172792d376633613963353164326538"}}])");
  const Outcome ran = run_api("anthropic");
  EXPECT_EQ(ran.code, 1) << ran;
  EXPECT_THAT(ran.err, HasSubstr("no good"));
  for (const std::string& form : canary_forms()) EXPECT_THAT(ran.out + ran.err, Not(HasSubstr(form)));
  EXPECT_THAT(files_with_key(), IsEmpty());
}

TEST_F(ApiSafety, HeadersOfTheEnvironmentAreSentAndNotStored) {
  workflow();
  place.env["ANTHROPIC_API_KEY"] = "another-key";
  place.env["ANTHROPIC_CUSTOM_HEADERS"] = std::string{"x-gateway: "} + canary_key;
  server.script(R"([{"answer":{"text":"Said."}}])");
  const Outcome ran = run_api("anthropic");
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_THAT(server.seen(), HasSubstr(canary_key));
  EXPECT_THAT(files_with_key(), IsEmpty());
}

TEST_F(ApiSafety, AnAddressWithAPasswordIsRefusedAndNotStored) {
  workflow();
  for (const std::string key : {"proxy", "base_url"}) {
    const Outcome ran =
        run_api("anthropic", {"--set", "runtime.anthropic." + key + "=http://me:" + canary_key + "@127.0.0.1:1/"});
    EXPECT_EQ(ran.code, 2) << ran;
    EXPECT_THAT(ran.out + ran.err, Not(HasSubstr("canary")));
  }
  place.env["ANTHROPIC_BASE_URL"] = std::string{"http://me:"} + canary_key + "@127.0.0.1:1/";
  const Outcome ran = run_api("anthropic");
  EXPECT_EQ(ran.code, 2) << ran;
  EXPECT_THAT(files_with_key(), IsEmpty());
  EXPECT_EQ(requests(), 0);
}

TEST_F(ApiSafety, ABatchWhereThereAreNoneIsRefused) {
  workflow("    mode: batch\n");
  const Outcome ran = run_api("openai");
  EXPECT_EQ(ran.code, 2) << ran;
  EXPECT_THAT(ran.err, HasSubstr("error[no-batches]"));
  workflow();
  EXPECT_EQ(run_api("openai", {"--set", "runtime.openai.mode=batch"}).code, 2);
  EXPECT_EQ(requests(), 0);
}

}  // namespace
}  // namespace baton::test
