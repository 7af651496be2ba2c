// Settings of model APIs that are wrong are refused before anything starts; those that are right do what they say.
#include <gmock/gmock.h>

#include "cli/api_place.h"

namespace baton::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ApiSettingsOutside : public WithApi {
 protected:
  ApiSettingsOutside() { workflow(); }

  /// Refused with exit 2, nobody asked, no run on record.
  std::string refusal(const Outcome& ran) {
    EXPECT_EQ(ran.code, 2) << ran;
    EXPECT_EQ(requests(), 0);
    EXPECT_EQ(parse_json(place.baton({"list", "--json"}).out).as_array().size(), 0U);
    return ran.err;
  }
  std::string refused(const std::string& set, const std::string& runtime = "anthropic") {
    return refusal(run_api(runtime, {"--set", set}));
  }
};

TEST_F(ApiSettingsOutside, ThatAreNoneAreRefusedWithTheirPlace) {
  EXPECT_THAT(refused("runtime.openai.base_url=foo", "openai"),
              AllOf(HasSubstr("'foo' of runtime.openai.base_url is not an address"), HasSubstr("--> --set")));
  EXPECT_THAT(refused("runtime.anthropic.thinking=lots"), HasSubstr("is not off, on or a whole number of tokens"));
  EXPECT_THAT(refused("runtime.anthropic.version=x"), HasSubstr("is not a date"));
  place.write("baton.toml", "[runtime.anthropic]\ntools = [\"fly\"]\nkey_file = \"/nope\"\nca_file = \"ca.pem\"\n");
  const std::string told = refusal(run_api("anthropic"));
  EXPECT_THAT(told, AllOf(HasSubstr("runtime.anthropic.tools names the tool 'fly', and there is none"),
                          HasSubstr("there are read, write, list, search, run"), HasSubstr("baton.toml:2:1")));
  EXPECT_THAT(told, AllOf(HasSubstr("runtime.anthropic.key_file names '/nope', which cannot be read"),
                          HasSubstr("baton.toml:3:1")));
  EXPECT_THAT(told, AllOf(HasSubstr("ca_file names '" + place.file("ca.pem") + "', which cannot be read"),
                          HasSubstr("baton.toml:4:1")));
}

TEST_F(ApiSettingsOutside, AnAddressOfTheEnvironmentIsLookedAtToo) {
  place.env["ANTHROPIC_BASE_URL"] = "foo";
  EXPECT_THAT(refusal(run_api("anthropic")),
              AllOf(HasSubstr("'foo' of ANTHROPIC_BASE_URL is not an address"), HasSubstr("--> ANTHROPIC_BASE_URL")));
  place.env["ANTHROPIC_BASE_URL"] = std::string{"http://me:"} + canary_key + "@127.0.0.1:1/";
  const std::string told = refusal(run_api("anthropic"));
  EXPECT_THAT(told, AllOf(HasSubstr("the address of ANTHROPIC_BASE_URL has a name or password in it"),
                          HasSubstr("help: take it out"), Not(HasSubstr("canary"))));
  EXPECT_THAT(place.baton({"models"}).out, Not(HasSubstr("canary")));
}

TEST_F(ApiSettingsOutside, WithoutAModelNothingStarts) {
  const std::vector<std::string> args = {"run", "w", "--runtime", "openai"};
  EXPECT_THAT(refusal(place.baton(args)),
              AllOf(HasSubstr("error[no-model]: step 'a' goes to 'openai'"), HasSubstr("runtime.openai.model")));
  place.write("baton.toml", "[skills.writer]\nmodel = \"local\"\n");
  EXPECT_EQ(place.baton(args).code, 0) << "its skill names one";
}

TEST_F(ApiSettingsOutside, ToolsOfASkillThatAreNoneAreTold) {
  place.write("baton.toml", "[skills.writer]\ntools = [\"WebSearch\", \"Read\"]\n");
  const Outcome ran = run_api("anthropic");
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_THAT(ran.err, AllOf(HasSubstr("warning[unknown-tool]: 'anthropic' has no tool 'WebSearch'"),
                             HasSubstr("baton.toml:2:1"), Not(HasSubstr("'Read'"))));
}

TEST_F(ApiSettingsOutside, AKeysFileIsFoundFromTheRootAndFromHome) {
  place.env.erase("ANTHROPIC_API_KEY");
  place.write("keys/own", std::string{canary_key} + "\n");
  write_text(place.env["HOME"] + "/key", std::string{canary_key} + "\n");
  place.write("sub/.keep", "");
  for (const std::string path : {"keys/own", "~/key"}) {
    const Outcome ran = run_api("anthropic", {"-C", "sub", "--set", "runtime.anthropic.key_file=" + path});
    EXPECT_EQ(ran.code, 0) << path << ran;
  }
  EXPECT_EQ(requests(), 2);
  EXPECT_THAT(server.seen(), HasSubstr(canary_key));
}

TEST_F(ApiSettingsOutside, CertificatesAreFoundFromTheRoot) {
  const ScriptedHttp tls{"[]", true};
  place.env["ANTHROPIC_BASE_URL"] = tls.tls_url("");
  EXPECT_EQ(run_api("anthropic", {"--set", "limits.retries=0"}).code, 1) << "nobody trusts it";
  place.write("certs/ca.pem", read_text(tls.ca_file()));
  const Outcome ran = run_api("anthropic", {"--set", "runtime.anthropic.ca_file=certs/ca.pem"});
  EXPECT_EQ(ran.code, 0) << ran;
}

// Batches. ------------------------------------------------------------------------------------------------------------
TEST_F(ApiSettingsOutside, ABatchThatCannotBeIsToldByCheckAndRun) {
  workflow("    mode: batch\n    runtime: claude\n");
  EXPECT_THAT(refusal(place.baton({"run", "w"})),
              HasSubstr("error[no-batches]: step 'a' is to be asked in a batch, and 'claude' has none"));
  const Outcome checked = place.baton({"check", "w"});
  EXPECT_EQ(checked.code, 2) << checked;
  EXPECT_THAT(checked.err, HasSubstr("error[no-batches]"));
  place.workflow("c", {"  - id: a\n    command: 'true'\n    mode: batch\n"});
  EXPECT_THAT(refusal(place.baton({"run", "c"})), HasSubstr("and it is a command"));
  EXPECT_EQ(place.baton({"check", "c"}).code, 2);
}

TEST_F(ApiSettingsOutside, ABatchGoesWithoutToolsAndThatIsTold) {
  workflow("    mode: batch\n    runtime: anthropic\n");
  place.write("baton.toml", "[runtime.anthropic]\ntools = [\"read\"]\n");
  const Outcome checked = place.baton({"check", "w"});
  EXPECT_EQ(checked.code, 0) << checked;
  EXPECT_THAT(checked.err, HasSubstr("warning[batch-without-tools]: step 'a'"));
  server.script(R"([{"wait":"never"}])");
  EXPECT_THAT(place.baton({"run", "w", "--detach"}).err, HasSubstr("warning[batch-without-tools]"));
  EXPECT_EQ(place.baton({"cancel", "last"}).code, 0);
}

// Retries go by the runtime. ------------------------------------------------------------------------------------------
TEST_F(ApiSettingsOutside, CallsAreTriedTwiceMoreWhereverTheyComeFrom) {
  const std::string busy =
      R"([{"times":2,"status":529,"error":{"type":"overloaded_error"}},{"answer":{"text":"Said."}}])";
  const std::vector<std::string> how = {"--runtime", "anthropic", "--set", "limits.retry_delay=10ms"};
  const auto run_target = [&](std::vector<std::string> args) {
    args.insert(args.end(), how.begin(), how.end());
    return place.baton(args);
  };
  place.write("baton.toml", "[workflows]\nalone = [\"writer\"]\n");
  server.script(busy);
  const Outcome chain = run_target({"run", "alone", "--task", "Write."});
  EXPECT_EQ(chain.code, 0) << chain;
  EXPECT_EQ(requests(), 3);

  const std::string folder = ".workflow/active/WFS-x/";
  place.write(folder + "workflow-session.json", R"({"session_id":"WFS-x","project":"x","status":"planning"})");
  place.write(folder + "IMPL_PLAN.md", "# Plan\n");
  place.write(folder + "TODO_LIST.md",
              "# Tasks: x\n\n## Task Progress\n- [ ] **IMPL-1**: Do it → [📋](./.task/IMPL-1.json)\n");
  place.write(folder + ".task/IMPL-1.json",
              R"({"id":"IMPL-1","title":"Do it","status":"pending","convergence":{"criteria":["it works"]}})");
  server.script(busy);
  const Outcome session = run_target({"run", "WFS-x"});
  EXPECT_EQ(session.code, 0) << session;
  EXPECT_EQ(requests(), 6);
}

}  // namespace
}  // namespace baton::test
