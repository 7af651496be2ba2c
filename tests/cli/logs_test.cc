// What an agent printed, read to a person.
#include "support/scripted_claude.h"

namespace baton::test {
namespace {

class Logs : public WithScriptedClaude {
 protected:
  static constexpr const char* events =
      R"sh(begin
echo '{"type":"assistant","message":{"id":"m1","model":"'$model'","content":[{"type":"text","text":"I look.\u001b[2J"},'\
'{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"npm test"}}]},"parent_tool_use_id":null}'
echo '{"type":"user","message":{"content":[{"type":"tool_result","content":"no tests","is_error":true}]}}'
)sh";
  Logs() { place.workflow("w", {agent_step("a", "m")}); }
};

TEST_F(Logs, OfAnAgentAreReadableAndItsBytesAreThereToo) {
  claude.does("a", std::string{events} + "put '{\"title\":1}'; result 100 20 0.0042");
  ASSERT_EQ(place.baton({"run", "w"}).code, 0);
  const Outcome read = place.baton({"logs", "last", "a"});
  EXPECT_EQ(read.out,
            "[begin] claude-opus-5-5\nI look.\\x1b[2J\n[tool] Bash: npm test\n[tool failed] no tests\nDone.\n"
            "[result] done; 1 turn, 120 tokens, $0.0042\n");
  const Outcome painted = place.baton({"logs", "last", "a", "--color", "always"});
  EXPECT_TRUE(has(painted.out, "\x1b[36m[tool] Bash: npm test\x1b[0m")) << painted;
  EXPECT_FALSE(has(painted.out, "\x1b[2J")) << "colours are ours alone";
  const std::string log = text_at(attempt_of(place.show(), "a", 1), "log");
  EXPECT_EQ(place.baton({"logs", "last", "a", "--raw"}).out, read_text(log));
  EXPECT_TRUE(has(read_text(log), "\\u001b[2J"));
}

TEST_F(Logs, CanBeFollowedBothWays) {
  claude.does("a", std::string{events} + "printf '{\"type\":\"ass'; until_there go; echo 'istant\"}'; " +
                       "put '{\"title\":1}'; result 100 20 0.0042");
  Process run = place.start({"run", "w"});
  ASSERT_TRUE(eventually([&] { return place.run_state() == "running"; }));
  Process read = place.start({"logs", "last", "--follow"});
  Process raw = place.start({"logs", "last", "a", "-f", "--raw"});
  ASSERT_TRUE(eventually([&] { return has(read.out(), "[tool failed] no tests\n"); })) << read.out();
  ASSERT_TRUE(eventually([&] { return has(raw.out(), "{\"type\":\"ass"); })) << raw.out();
  EXPECT_FALSE(has(read.out(), "[result]") || read.ended());
  const Outcome now = place.baton({"logs", "last", "a"});
  EXPECT_TRUE(now.out.ends_with("[tool failed] no tests\n")) << "half an event tells nothing" << now;
  place.write("go", "");
  EXPECT_EQ(run.wait().code, 0);
  const Outcome followed = read.wait();
  EXPECT_TRUE(followed.out.starts_with("==> a (attempt 1)\n") && has(followed.out, "[result] done")) << followed;
  EXPECT_EQ(raw.wait().out, read_text(text_at(attempt_of(place.show(), "a", 1), "log")));
}

}  // namespace
}  // namespace baton::test
