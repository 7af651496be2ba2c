// Section 13 of the study of the original: what its own tests ask for, as far as it is about a run as a whole. Above
// each test stands the item word for word.
#include <signal.h>

#include <fmt/core.h>
#include <gmock/gmock.h>

#include "support/chain_place.h"

namespace baton::test {
namespace {

using ::testing::ElementsAre;

class ChainSpec : public WithChain {};

// 3. "Resume at skill_index 3 of 4 twice in a row starts at the third skill both times and ends with index 4 (absolute,
// not relative)."
TEST_F(ChainSpec, ResumeAtSkillIndex3Of4TwiceInARowStartsAtTheThirdSkillBothTimesAndEndsWithIndex4) {
  workflow("mine", R"("spec", "build", "test", "document")");
  claude.does("test.1", "exit 3");
  claude.does("test.2", "exit 3");
  ASSERT_EQ(run("mine").code, 1);
  EXPECT_EQ(place.baton({"resume", "last"}).code, 1);
  EXPECT_EQ(progress(), "2 of 4: []");
  EXPECT_EQ(place.baton({"resume", "last"}).code, 0);
  EXPECT_THAT(claude.started(), ElementsAre("spec.1", "build.1", "test.1", "test.2", "test.3", "document.1"));
  EXPECT_EQ(progress(), "4 of 4: []");
}

// 5. "Shutdown leaves a running run in state running with its PID kept; skill result is a distinct "disconnected"
// error, not a failure."
TEST_F(ChainSpec, ShutdownLeavesARunningRunInStateRunningWithItsPIDKept) {
  waits("build", "go", "BUILT-5");
  Process running = start("quick-fix");
  const pid_t agent = claude.pid_of("build.1");
  running.kill(SIGTERM);
  const Outcome left = running.wait();
  EXPECT_EQ(left.code, 143) << left;
  EXPECT_EQ(place.run_state(), "running");
  EXPECT_EQ(text_at(step_of(place.show(), "build"), "state"), "running");
  EXPECT_TRUE(is_alive(agent));
  let_go("go");
  EXPECT_EQ(place.baton({"resume", "last"}).code, 0);
  EXPECT_THAT(claude.started(), ElementsAre("build.1", "test.1")) << "its work was not thrown away";
  EXPECT_TRUE(has(claude.prompt("test.1"), "BUILT-5"));
}

// 6. "A skill whose child exits while its log file is being followed returns within seconds (no hang at EOF), with the
// result text, and the active count returns to 0."
TEST_F(ChainSpec, ASkillWhoseChildExitsWhileItsLogFileIsBeingFollowedReturnsWithTheResultText) {
  waits("build", "go", "BUILT-6");
  Process running = start("build");
  (void)claude.pid_of("build.1");
  Process following = place.start({"logs", "last", "build", "-f", "--raw"});
  let_go("go");
  EXPECT_EQ(running.wait().code, 0);
  const Outcome followed = following.wait();
  EXPECT_EQ(followed.code, 0) << followed;
  EXPECT_TRUE(has(followed.out, "BUILT-6"));
  EXPECT_EQ(output_of("build"), "BUILT-6");
  EXPECT_TRUE(eventually([&] { return place.living_steps().empty(); }));
}

// 7. "… result text from the `result` event is delivered; 500,000-char lines parse; blank lines skipped; non-JSON kept
// as raw; user content as string or blocks; empty user message emits nothing."
TEST_F(ChainSpec, ResultTextFromTheResultEventIsDelivered500000CharLinesParseBlankLinesSkippedNonJSONKeptAsRaw) {
  claude.does("build",
              "echo; echo 'plain words'; begin; echo\n"
              "echo '{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"as a string\"}}'\n"
              "echo '{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\","
              "\"tool_use_id\":\"t\",\"content\":\"in blocks\"}]}}'\n"
              "echo '{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"\"}}'\n"
              "printf '%s' '{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"'\n"
              "head -c 500000 /dev/zero | tr '\\0' y; echo '\"}}'\n"
              "says 'BUILT-7'");
  const Outcome ran = run("quick-fix", {"--json"});
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(output_of("build"), "BUILT-7");
  EXPECT_TRUE(has(claude.prompt("test.1"), "BUILT-7"));
  EXPECT_TRUE(has(place.baton({"logs", "last", "build", "--raw"}).out, "plain words"));
  for (const json::object& said : of_type(json_lines(ran.out), "step.said")) EXPECT_NE(text_at(said, "text"), "");
}

// 8. "`rate_limit_event` allowed emits nothing; rejected emits an error naming type and status."
TEST_F(ChainSpec, RateLimitEventAllowedEmitsNothingRejectedEmitsAnErrorNamingTypeAndStatus) {
  const auto event = [](const char* status) {
    return fmt::format(
        "echo '{{\"type\":\"rate_limit_event\",\"rate_limit_info\":{{\"status\":\"{}\",\"rateLimitType\":"
        "\"five_hour\",\"resetsAt\":'$(($(date +%s) + 3600))'}}}}'",
        status);
  };
  claude.does("build", "begin; " + event("allowed") + "\nsays 'BUILT-8'");
  const Outcome allowed = run("build", {"--json"});
  EXPECT_EQ(allowed.code, 0) << allowed;
  EXPECT_FALSE(has(allowed.out + allowed.err, "five_hour")) << allowed;
  claude.does("build", "begin; " + event("rejected") + "\nfails 429 api_error 'You have hit your usage limit'");
  const Outcome rejected = run("build", {"--no-wait"});
  EXPECT_EQ(rejected.code, 75) << rejected;
  EXPECT_TRUE(has(rejected.err, "limit")) << rejected;
  EXPECT_EQ(place.run_state(), "parked");
}

// 10. "Auto-commit: clean tree -> no commit; change -> `feat: build changes`; same subject at HEAD -> still one commit
// (amended)": a commit says what it is about; amending would take one away that somebody may have seen, so there is one
// for each attempt that changed something.
TEST_F(ChainSpec, AutoCommitCleanTreeNoCommitChangeFeatBuildChanges) {
  ASSERT_EQ(run("quick-fix").code, 0);
  EXPECT_EQ(branch_log(), "") << "nothing changed, nothing to commit";
  writes("build", "login.html");
  writes("test", "login.test");
  ASSERT_EQ(run("quick-fix").code, 0);
  EXPECT_EQ(branch_log(), "test(test): Add a login page\nfeat(build): Add a login page");
  claude.does("build", "echo made > login.html; git add -A; git commit -q -m 'its own'; says 'Committed.'");
  ASSERT_EQ(run("build").code, 0);
  EXPECT_EQ(branch_log(), "its own") << "what an agent committed itself is not committed again";
}

// 12. "Accept/reject refused when the store says running although the list still shows completed, and while a worker is
// active."
TEST_F(ChainSpec, AcceptRejectRefusedWhileAWorkerIsActive) {
  waits("review", "go");
  writes("build", "login.html");
  Process running = start("plan-build");
  (void)claude.pid_of("review.1");
  for (const char* verb : {"accept", "reject"}) {
    const Outcome refused = place.baton({verb, "last"});
    EXPECT_EQ(refused.code, 2) << refused;
    EXPECT_TRUE(says_error(refused, "nothing-to-review")) << refused;
  }
  const std::string tree = text_at(place.show(), "worktree");
  EXPECT_TRUE(file_exists(tree + "/login.html"));
  let_go("go");
  EXPECT_EQ(running.wait().code, 3);
  EXPECT_EQ(place.baton({"accept", "last"}).code, 0);
}

// The same where it was finished and works again: a follow-up.
TEST_F(ChainSpec, AcceptRejectRefusedWhenTheStoreSaysRunningAlthoughItWasCompleted) {
  writes("build", "login.html");
  ASSERT_EQ(run("build").code, 0);
  waits("build-2", "go");
  Process more = place.start({"run", "--continue", "last", "--task", "And a logout page"});
  (void)claude.pid_of("build-2.1");
  for (const char* verb : {"accept", "reject"}) EXPECT_EQ(place.baton({verb, "last"}).code, 2);
  EXPECT_FALSE(place.exists("login.html"));
  let_go("go");
  EXPECT_EQ(more.wait().code, 0);
  EXPECT_EQ(place.baton({"accept", "last"}).code, 0);
  EXPECT_TRUE(place.exists("login.html"));
}

}  // namespace
}  // namespace baton::test
