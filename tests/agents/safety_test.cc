// The safety hook, asked by the real claude. The commands would do no harm if they were run.
#include <gmock/gmock.h>

#include <filesystem>

#include "agents/real_claude.h"

namespace baton::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class RealClaudeSafety : public RealClaude {
 protected:
  static json::object runs(const std::string& command) { return {{"shell", command}}; }
  std::string raw_log() { return place.baton({"logs", "last", "a", "--raw"}).out; }
};

TEST_F(RealClaudeSafety, ABlockedCommandIsNotRunAndTheModelIsToldWhy) {
  api.start();
  workflow(joined({{runs("touch ran; git push  -f nowhere"), runs("touch harmless")}, writes()}));
  const Outcome ran = place.baton({"run", "w", "--json"});
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_FALSE(place.exists("ran"));
  EXPECT_TRUE(place.exists("harmless")) << "others are";
  EXPECT_THAT(raw_log(), HasSubstr("Blocked by Baton's rule 'force-push'"));
  EXPECT_THAT(ran.out, HasSubstr("WARNING: safety pattern matched: force-push"));
}

TEST_F(RealClaudeSafety, TheUsersOwnHooksStayWhereverTheyAreSaid) {
  api.start();
  const auto hook = [](const std::string& name) {
    return R"({"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"cat >> hook-)" + name +
           R"("}]}]}})";
  };
  place.write(".claude/settings.json", hook("project"));
  write_text(place.env["CLAUDE_CONFIG_DIR"] + "/settings.json", hook("user"));
  place.write("own.json", hook("own"));
  place.write("baton.toml", "[runtime.claude]\nargs = [\"--settings\", \"own.json\"]\n");
  workflow(joined({{runs("touch ran; git push -f nowhere")}, writes()}));
  const Outcome ran = place.baton({"run", "w", "--json"});
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_FALSE(place.exists("ran")) << raw_log();
  for (const char* name : {"hook-project", "hook-user", "hook-own"}) {
    EXPECT_THAT(place.read(name), HasSubstr("git push")) << name;
  }
}

TEST_F(RealClaudeSafety, BypassedPermissionsDoNotBypassTheHook) {
  api.start();
  place.env["IS_SANDBOX"] = "1";
  place.write("baton.toml", "[runtime.claude]\npermission_mode = \"bypassPermissions\"\n");
  workflow(joined({{runs("touch ran; git push -f nowhere"), runs("touch harmless")}, writes()}));
  const Outcome ran = place.baton({"run", "w", "--state-dir", place.file("it's \"the\" $(state)")});
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_FALSE(place.exists("ran"));
  EXPECT_TRUE(place.exists("harmless"));
}

TEST_F(RealClaudeSafety, AHookThatIsGoneBlocks) {
  api.start();
  // The first command takes the policy away (nothing of ours is safe from an agent); from then on nothing runs.
  workflow(joined({{runs("rm -f .baton/runs/*/safety.json"), runs("touch ran")}, writes()}));
  const Outcome ran = place.baton({"run", "w"});
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_FALSE(place.exists("ran")) << raw_log();
  EXPECT_THAT(raw_log(), HasSubstr("there is no policy"));
}

TEST_F(RealClaudeSafety, SwitchedOffNothingIsBlocked) {
  api.start();
  workflow(joined({{runs("touch ran; git push -f nowhere")}, writes()}));
  const Outcome ran = place.baton({"run", "w", "--json", "--set", "safety.enabled=false"});
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_TRUE(place.exists("ran"));
  EXPECT_THAT(ran.out, Not(HasSubstr("WARNING: safety")));
}

}  // namespace
}  // namespace baton::test
