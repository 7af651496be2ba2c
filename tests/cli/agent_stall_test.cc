// An agent that gives no sign of life.
#include "support/scripted_claude.h"

namespace baton::test {
namespace {

class AgentStall : public Outside {
 protected:
  ScriptedClaude claude{place};
  AgentStall() {
    write_skill(place);
    place.workflow("w", {agent_step("a", "write", "retries: 1")});
  }
};

TEST_F(AgentStall, ASilentAgentIsWarnedOfStoppedAndTriedAgain) {
  claude.does("a.1", "begin; exec sleep 1000");
  const Outcome ran =
      place.baton({"run", "w", "--json", "--set", "limits.stall=100ms", "--set", "limits.retry_delay=1ms"});
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(of_type(json_lines(ran.out), "step.quiet").size(), 1U) << ran;
  EXPECT_TRUE(has(json::serialize(attempt_of(place.show(), "a", 1)), "attempt-stalled"));
}

TEST_F(AgentStall, TheStepsOwnWordCountsMore) {
  place.workflow("w", {agent_step("a", "write", "retries: 0\nstall: 100ms")});
  claude.does("a", "begin; exec sleep 1000");
  const Outcome ran = place.baton({"run", "w", "--set", "limits.stall=1h"});
  EXPECT_EQ(ran.code, 1) << ran;
  EXPECT_TRUE(has(ran.err, "no sign of life")) << ran;
}

TEST_F(AgentStall, ZeroIsNever) {
  place.workflow("w", {agent_step("a", "write", "retries: 0\nstall: 0")});
  claude.does("a", "begin; sleep 1; answer m1 100 20; put '{\"title\":1}'; result 100 20 0.0008");
  EXPECT_EQ(place.baton({"run", "w", "--set", "limits.stall=100ms"}).code, 0);
}

}  // namespace
}  // namespace baton::test
