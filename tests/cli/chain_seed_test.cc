// The seed of skill chains, criterion by criterion: each acceptance criterion and each edge case has a test whose name
// quotes it. Above each test stands the criterion as the seed has it; where that speaks of Go, what it means here.
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <set>

#include "support/chain_place.h"

namespace baton::test {
namespace {

using ::testing::ElementsAre;

class ChainSeed : public WithChain {};

// Acceptance criteria -----------------------------------------------------------------------------------------------

// "`StartSkill()` launches subprocess and returns `<-chan SkillResult` with result text on completion": each skill is a
// process of its own, and what it said at its end is its step's output, there for whoever comes next.
TEST_F(ChainSeed, StartSkillLaunchesSubprocessAndReturnsSkillResultWithResultTextOnCompletion) {
  claude.does("spec", "says 'The plan.'");
  claude.does("build", "says 'The work.'");
  ASSERT_EQ(run("plan-build").code, 3);
  std::set<std::string> pids;
  for (const std::string& line : claude.processes()) pids.insert(line.substr(line.find(' ')));
  EXPECT_EQ(pids.size(), 3U);
  EXPECT_EQ(output_of("spec"), "The plan.");
  EXPECT_EQ(output_of("build"), "The work.");
}

// "`StartSkill()` does NOT set run terminal state (Completed/Failed)": a skill's end is not the run's.
TEST_F(ChainSeed, StartSkillDoesNOTSetRunTerminalStateCompletedFailed) {
  waits("build", "go");
  Process running = start("quick-fix", {"--json"});
  (void)claude.pid_of("build.1");
  EXPECT_EQ(place.run_state(), "running");
  let_go("go");
  const Outcome ran = running.wait();
  EXPECT_EQ(ran.code, 0) << ran;
  std::vector<std::string> story;
  for (const json::object& line : json_lines(ran.out)) {
    const std::string type = text_at(line, "type");
    if (type == "step.finished" || type.starts_with("run.")) story.push_back(type);
  }
  EXPECT_THAT(story, ElementsAre("run.started", "step.finished", "step.finished", "run.finished"));
}

// "`StartSkill()` still logs to ring buffer and tracks tokens/cost": what a skill printed is kept and shown by `logs`,
// and its tokens and cost add up to the run's.
TEST_F(ChainSeed, StartSkillStillLogsToRingBufferAndTracksTokensCost) {
  claude.does("build", "echo 'not json'; says 'BUILT-9'");
  ASSERT_EQ(run("quick-fix").code, 0);
  EXPECT_TRUE(has(place.baton({"logs", "last", "build", "--raw"}).out, "BUILT-9"));
  EXPECT_TRUE(has(place.baton({"logs", "last", "build", "--raw"}).out, "not json"));
  const json::object shown = place.show();
  EXPECT_EQ(number_at(shown.at("tokens").as_object(), "input"), 200);
  EXPECT_EQ(number_at(shown.at("tokens").as_object(), "output"), 40);
  EXPECT_DOUBLE_EQ(shown.at("cost_usd").to_number<double>(), 0.0016);
  EXPECT_DOUBLE_EQ(step_of(shown, "build").at("cost_usd").to_number<double>(), 0.0008);
}

// "`ResolveWorkflow()` returns skill list for valid workflow, error for unknown"
TEST_F(ChainSeed, ResolveWorkflowReturnsSkillListForValidWorkflowErrorForUnknown) {
  const json::object plan = parse_json(place.baton({"plan", "sdlc", "--format", "json"}).out).as_object();
  std::vector<std::string> skills;
  for (const json::value& step : plan.at("steps").as_array()) skills.push_back(text_at(step.as_object(), "skill"));
  EXPECT_THAT(skills, ElementsAre("spec", "decompose", "build", "review", "document"));
  const Outcome ran = run("plan-buidl");
  EXPECT_EQ(ran.code, 2);
  EXPECT_TRUE(says_error(ran, "unknown-workflow")) << ran;
  EXPECT_TRUE(has(ran.err, "did you mean 'plan-build'")) << ran;
}

// "`ValidateWorkflow()` detects missing skills in registry": all of them, before anything is started.
TEST_F(ChainSeed, ValidateWorkflowDetectsMissingSkillsInRegistry) {
  workflow("mine", R"("spec", "nosuch", "build", "neither")");
  const Outcome ran = run("mine");
  EXPECT_EQ(ran.code, 2);
  EXPECT_TRUE(has(ran.err, "error[unknown-skill]: workflow \"mine\": there is no skill 'nosuch'")) << ran;
  EXPECT_TRUE(has(ran.err, "there is no skill 'neither'")) << ran;
  EXPECT_TRUE(claude.started().empty());
}

// "`Executor.Execute()` runs skills sequentially in correct order"
TEST_F(ChainSeed, ExecutorExecuteRunsSkillsSequentiallyInCorrectOrder) {
  workflow("mine", R"("spec", "build", "test", "build", "document")");
  const std::string log = place.file("../order");
  claude.does("default", "echo \"begin $BATON_STEP\" >> " + log + "; says 'x'; echo \"end $BATON_STEP\" >> " + log);
  ASSERT_EQ(run("mine").code, 0);
  EXPECT_THAT(lines_of(read_text(log)),
              ElementsAre("begin spec", "end spec", "begin build", "end build", "begin test", "end test",
                          "begin build-2", "end build-2", "begin document", "end document"));
}

// "Each skill receives `PreviousOutput` from the preceding skill's result text": and from no other.
TEST_F(ChainSeed, EachSkillReceivesPreviousOutputFromThePrecedingSkillsResultText) {
  workflow("mine", R"("spec", "build", "test", "document")");
  for (const char* skill : {"spec", "build", "test", "document"}) {
    claude.does(skill, fmt::format("says 'RESULT-OF-{}'", skill));
  }
  ASSERT_EQ(run("mine").code, 0);
  const std::vector<std::string> skills{"spec", "build", "test", "document"};
  for (std::size_t reader = 0; reader < skills.size(); ++reader) {
    for (std::size_t writer = 0; writer < skills.size(); ++writer) {
      EXPECT_EQ(has(claude.prompt(skills[reader] + ".1"), "RESULT-OF-" + skills[writer]), writer + 1 == reader)
          << skills[reader] << " and what " << skills[writer] << " said";
    }
  }
}

// "`SkillIndex` and `CurrentSkill` update at each skill transition"
TEST_F(ChainSeed, SkillIndexAndCurrentSkillUpdateAtEachSkillTransition) {
  for (const char* skill : {"spec", "build", "review"}) waits(skill, skill);
  Process running = start("plan-build");
  (void)claude.pid_of("spec.1");
  EXPECT_EQ(progress(), R"(0 of 3: ["spec"])");
  let_go("spec");
  (void)claude.pid_of("build.1");
  EXPECT_EQ(progress(), R"(1 of 3: ["build"])");
  let_go("build");
  (void)claude.pid_of("review.1");
  EXPECT_EQ(progress(), R"(2 of 3: ["review"])");
  let_go("review");
  const Outcome ran = running.wait();
  EXPECT_EQ(ran.code, 3) << ran;
  EXPECT_EQ(progress(), "3 of 3: []");
  for (const char* line : {"[1/3] spec started", "[2/3] build started", "[3/3] review started"}) {
    EXPECT_TRUE(has(ran.err, line)) << ran;
  }
}

// "Run state transitions: `StateRunning` during execution, `StateCompleted`/`StateReviewing` on success, `StateFailed`
// on error"
TEST_F(ChainSeed,
       RunStateTransitionsStateRunningDuringExecutionStateCompletedStateReviewingOnSuccessStateFailedOnError) {
  waits("build", "go");
  Process running = start("build");
  (void)claude.pid_of("build.1");
  EXPECT_EQ(place.run_state(), "running");
  let_go("go");
  EXPECT_EQ(running.wait().code, 0);
  EXPECT_EQ(place.run_state(), "completed");
  EXPECT_EQ(run("plan-build").code, 3);
  EXPECT_EQ(place.run_state(), "reviewing");
  claude.does("build", "exit 3");
  EXPECT_EQ(run("plan-build").code, 1);
  EXPECT_EQ(place.run_state(), "failed");
}

// "Per-skill timeouts from config are enforced": and said as such.
TEST_F(ChainSeed, PerSkillTimeoutsFromConfigAreEnforced) {
  claude.does("build", "begin; until_there never");
  const Outcome ran = run("plan-build", {"--set", "skills.build.timeout=1s"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(says_error(ran, "attempt-timed-out")) << ran;
  EXPECT_TRUE(has(ran.err, "TIMEOUT")) << ran;
  EXPECT_THAT(claude.started(), ElementsAre("spec.1", "build.1")) << "spec has a timeout of its own";
  EXPECT_TRUE(place.living_steps().empty());
}

// "Route skill output overrides the workflow"
TEST_F(ChainSeed, RouteSkillOutputOverridesTheWorkflow) {
  workflow("mine", R"("route", "document")");
  claude.does("route", "says 'quick-fix'");
  ASSERT_EQ(run("mine").code, 0);
  EXPECT_THAT(claude.started(), ElementsAre("route.1", "build.1", "test.1")) << "what was left is replaced";
  EXPECT_EQ(text_at(place.show(), "workflow"), "quick-fix");
  EXPECT_EQ(progress(), "3 of 3: []");
}

// "Decompose skill output is parsed and parallel groups execute concurrently": the two of the first group each wait for
// the other to begin, and the one of the second group finds both of them ended.
TEST_F(ChainSeed, DecomposeSkillOutputIsParsedAndParallelGroupsExecuteConcurrently) {
  claude.does(
      "decompose",
      R"(says '{"tasks": [{"name": "one", "parallel_group": "core"}, {"name": "two", "parallel_group": "core"},)"
      R"( {"name": "three", "parallel_group": "after", "dependencies": ["one"]}]}')");
  const std::string at = place.file("../");
  claude.does("build:one", "touch " + at + "one; until_there " + at + "two; touch one; says 'ONE'");
  claude.does("build:two", "touch " + at + "two; until_there " + at + "one; touch two; says 'TWO'");
  claude.does("build:three", "[ -e one ] && [ -e two ] && says 'THREE'");
  const Outcome ran = run("sdlc");
  ASSERT_EQ(ran.code, 3) << ran;
  EXPECT_EQ(output_of("build:three"), "THREE");
  EXPECT_TRUE(has(claude.prompt("review.1"), "### one\nONE\n\n### two\nTWO\n\n### three\nTHREE\n"));
}

// "`Cancel()` stops the executor goroutine and running subprocess"
TEST_F(ChainSeed, CancelStopsTheExecutorGoroutineAndRunningSubprocess) {
  waits("build", "never");
  Process running = start("plan-build");
  const pid_t agent = claude.pid_of("build.1");
  EXPECT_EQ(place.baton({"cancel", "last"}).code, 0);
  EXPECT_EQ(running.wait().code, 5);
  EXPECT_TRUE(eventually([&] { return !is_alive(agent); }));
  EXPECT_THAT(step_states_of(place.show()), ElementsAre("spec=completed", "build=cancelled", "review=cancelled"));
  EXPECT_EQ(place.run_state(), "cancelled");
}

// "`Resume()` restarts from the last incomplete skill (based on `SkillIndex`)"
TEST_F(ChainSeed, ResumeRestartsFromTheLastIncompleteSkillBasedOnSkillIndex) {
  claude.does("build.1", "exit 3");
  ASSERT_EQ(run("plan-build").code, 1);
  EXPECT_EQ(progress(), "1 of 3: []");
  EXPECT_EQ(place.baton({"resume", "last"}).code, 3);
  EXPECT_THAT(claude.started(), ElementsAre("spec.1", "build.1", "build.2", "review.1"));
  EXPECT_EQ(progress(), "3 of 3: []");
}

// "Executor pauses between skills when run state is `StatePaused`": nothing starts until somebody resumes it.
TEST_F(ChainSeed, ExecutorPausesBetweenSkillsWhenRunStateIsStatePaused) {
  waits("spec", "go", "SPEC-3");
  Process running = start("plan-build");
  (void)claude.pid_of("spec.1");
  ASSERT_EQ(place.baton({"pause", "last"}).code, 0);
  EXPECT_EQ(running.wait().code, 4);
  let_go("go");
  EXPECT_EQ(place.run_state(), "paused");
  EXPECT_THAT(claude.started(), ElementsAre("spec.1"));
  EXPECT_EQ(place.baton({"resume", "last"}).code, 3);
  EXPECT_THAT(claude.started(), ElementsAre("spec.1", "build.1", "review.1"));
  EXPECT_TRUE(has(claude.prompt("build.1"), "SPEC-3"));
}

// "TUI can launch a run that executes a real workflow via the executor": whoever launches one need not stay, and others
// see how it goes on.
TEST_F(ChainSeed, TUICanLaunchARunThatExecutesARealWorkflowViaTheExecutor) {
  waits("build", "go");
  const Outcome launched = place.baton({"run", "quick-fix", "--task", "Add a login page", "--detach"});
  ASSERT_EQ(launched.code, 0) << launched;
  const std::string id = lines_of(launched.out).front();
  (void)claude.pid_of("build.1");
  EXPECT_EQ(place.run_state(id), "running");
  let_go("go");
  EXPECT_TRUE(eventually([&] { return place.run_state(id) == "completed"; }));
  EXPECT_THAT(claude.started(), ElementsAre("build.1", "test.1"));
}

// "All unit tests pass": that is seen where they are run. What is promised by it, that every workflow there is works,
// can be tried without an agent.
TEST_F(ChainSeed, AllUnitTestsPass) {
  for (const char* workflow : {"build", "plan-build", "sdlc", "quick-fix"}) {
    const Outcome ran = run(workflow, {"--rehearse"});
    EXPECT_THAT(ran.code, ::testing::AnyOf(0, 3)) << workflow << ran;
  }
  EXPECT_TRUE(claude.started().empty());
}

// "`go build ./...` succeeds with no errors": there is a program, and it starts.
TEST_F(ChainSeed, GoBuildSucceedsWithNoErrors) {
  const Outcome asked = place.baton({"--version"});
  EXPECT_EQ(asked.code, 0) << asked;
  EXPECT_TRUE(has(asked.out, "baton ")) << asked;
}

// "`go vet ./...` reports no issues": here `check` looks at a definition and starts nothing.
TEST_F(ChainSeed, GoVetReportsNoIssues) {
  const Outcome checked = place.baton({"check", "auto", "build", "plan-build", "sdlc", "quick-fix"});
  EXPECT_EQ(checked.code, 0) << checked;
  EXPECT_FALSE(has(checked.err, "error[")) << checked;
  EXPECT_FALSE(has(checked.err, "warning[")) << checked;
}

// Edge cases --------------------------------------------------------------------------------------------------------

class ChainSeedEdge : public ChainSeed {};

// "Workflow with single skill: Should work without any context passing"
TEST_F(ChainSeedEdge, WorkflowWithSingleSkillShouldWorkWithoutAnyContextPassing) {
  ASSERT_EQ(run("build").code, 0);
  EXPECT_THAT(claude.started(), ElementsAre("build.1"));
  EXPECT_FALSE(has(claude.prompt("build.1"), "# Previous output"));
}

// "Skill not in registry: Fail immediately with clear error, not panic"
TEST_F(ChainSeedEdge, SkillNotInRegistryFailImmediatelyWithClearErrorNotPanic) {
  workflow("mine", R"("buidl")");
  const Outcome ran = run("mine");
  EXPECT_EQ(ran.code, 2);
  EXPECT_FALSE(ran.killed);
  EXPECT_TRUE(says_error(ran, "unknown-skill")) << ran;
  EXPECT_TRUE(has(ran.err, "did you mean 'build'")) << ran;
}

// "All skills fail on first: Run should be `StateFailed` with `SkillIndex=1`"
TEST_F(ChainSeedEdge, AllSkillsFailOnFirstRunShouldBeStateFailedWithSkillIndex1) {
  claude.does("default", "exit 3");
  const Outcome ran = run("sdlc");
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(claude.started(), ElementsAre("spec.1"));
  EXPECT_EQ(place.run_state(), "failed");
  EXPECT_EQ(progress(), "0 of 5: []");
  EXPECT_EQ(text_at(step_of(place.show(), "spec"), "state"), "failed");
}

// "Route skill returns unknown workflow: Fall back to original workflow, log warning"
TEST_F(ChainSeedEdge, RouteSkillReturnsUnknownWorkflowFallBackToOriginalWorkflowLogWarning) {
  workflow("mine", R"("route", "build")");
  claude.does("route", "says 'bananas'");
  const Outcome ran = run("mine");
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_TRUE(has(ran.err, "warning[chain-note]: route answered 'bananas'")) << ran;
  EXPECT_THAT(claude.started(), ElementsAre("route.1", "build.1"));
  EXPECT_EQ(text_at(place.show(), "workflow"), "mine");
}

// "Decompose returns empty task list: Skip parallel phase, continue with next sequential skill"
TEST_F(ChainSeedEdge, DecomposeReturnsEmptyTaskListSkipParallelPhaseContinueWithNextSequentialSkill) {
  claude.does("decompose", R"(says '{"tasks": []}')");
  const Outcome ran = run("sdlc");
  EXPECT_EQ(ran.code, 3) << ran;
  EXPECT_THAT(claude.started(), ElementsAre("spec.1", "decompose.1", "build.1", "review.1", "document.1"));
  EXPECT_FALSE(has(ran.err, "0 steps more")) << ran;
}

// "Decompose returns single-task groups: Execute "parallel" group of 1 sequentially (no goroutine overhead)"
TEST_F(ChainSeedEdge, DecomposeReturnsSingleTaskGroupsExecuteParallelGroupOf1Sequentially) {
  claude.does("decompose", R"(says '[{"name": "one", "parallel_group": 1}, {"name": "two", "parallel_group": 2}]')");
  claude.does("build:one", "echo made > one; says 'ONE'");
  claude.does("build:two", "cat one && says 'TWO'");
  const Outcome ran = run("sdlc");
  ASSERT_EQ(ran.code, 3) << ran;
  EXPECT_THAT(claude.started(),
              ElementsAre("spec.1", "decompose.1", "build:one.1", "build:two.1", "review.1", "document.1"));
}

// "Concurrent runs: Two runs executing simultaneously should not interfere (separate contexts, separate ring buffers)"
TEST_F(ChainSeedEdge, ConcurrentRunsTwoRunsExecutingSimultaneouslyShouldNotInterfere) {
  const std::string there = place.file("../there");
  claude.does("build", "mkdir -p " + there + "; touch " + there + "/$BATON_RUN; while [ $(ls " + there +
                           " | wc -l) -lt 2 ]; do sleep 0.02; done; echo x > $BATON_RUN.txt; says \"I am $BATON_RUN\"");
  Process one = start("build");
  Process two = start("build");
  EXPECT_EQ(one.wait().code, 0);
  EXPECT_EQ(two.wait().code, 0);
  const json::array runs = parse_json(place.baton({"list", "--json"}).out).as_array();
  ASSERT_EQ(runs.size(), 2U);
  for (const json::value& listed : runs) {
    const std::string id = text_at(listed.as_object(), "run");
    const json::object shown = place.show(id);
    EXPECT_EQ(read_text(text_at(step_of(shown, "build"), "output")), "I am " + id);
    EXPECT_EQ(git("ls-tree --name-only baton/" + id + " | grep txt"), id + ".txt");
    EXPECT_TRUE(has(place.baton({"logs", id, "build", "--raw"}).out, "I am " + id));
    EXPECT_EQ(place.baton({"accept", id}).code, 0);
  }
  EXPECT_EQ(sh("ls *.txt | wc -l"), "2") << "both landed";
}

// "Pause during skill execution: Process manager handles SIGSTOP; executor detects paused state between skills"
TEST_F(ChainSeedEdge, PauseDuringSkillExecutionProcessManagerHandlesSIGSTOPExecutorDetectsPausedStateBetweenSkills) {
  waits("build", "go");
  Process running = start("quick-fix");
  const pid_t agent = claude.pid_of("build.1");
  ASSERT_EQ(place.baton({"pause", "last"}).code, 0);
  EXPECT_EQ(running.wait().code, 4);
  EXPECT_TRUE(eventually([&] { return stands_still(agent); }));
  EXPECT_EQ(place.run_state(), "paused");
  let_go("go");
  EXPECT_EQ(place.baton({"resume", "last"}).code, 0);
  EXPECT_THAT(claude.started(), ElementsAre("build.1", "test.1")) << "the same process went on";
}

// "Pause then cancel: Cancel should work even if paused (context cancellation wakes `waitIfPaused`)"
TEST_F(ChainSeedEdge, PauseThenCancelCancelShouldWorkEvenIfPaused) {
  waits("build", "never");
  Process running = start("quick-fix");
  const pid_t agent = claude.pid_of("build.1");
  ASSERT_EQ(place.baton({"pause", "last"}).code, 0);
  EXPECT_EQ(running.wait().code, 4);
  EXPECT_EQ(place.baton({"cancel", "last"}).code, 0);
  EXPECT_TRUE(eventually([&] { return !is_alive(agent); }));
  EXPECT_EQ(place.run_state(), "cancelled");
}

// "Resume already-completed run: Should return error, not restart"
TEST_F(ChainSeedEdge, ResumeAlreadyCompletedRunShouldReturnErrorNotRestart) {
  ASSERT_EQ(run("build").code, 0);
  const Outcome resumed = place.baton({"resume", "last"});
  EXPECT_EQ(resumed.code, 2);
  EXPECT_TRUE(says_error(resumed, "run-is-over")) << resumed;
  EXPECT_THAT(claude.started(), ElementsAre("build.1"));
  EXPECT_EQ(place.run_state(), "completed");
}

// "Rate limit during skill: Process manager auto-pauses; executor's `waitIfPaused` blocks until resume": here it wakes
// by itself when the limit is over.
TEST_F(ChainSeedEdge, RateLimitDuringSkillProcessManagerAutoPausesExecutorsWaitIfPausedBlocksUntilResume) {
  claude.does("build.1",
              "begin\necho '{\"type\":\"rate_limit_event\",\"rate_limit_info\":{\"status\":\"rejected\","
              "\"rateLimitType\":\"five_hour\",\"resetsAt\":'$(($(date +%s) + 2))'}}'\n"
              "fails 429 api_error 'You have hit your usage limit'");
  claude.does("spec", "says 'SPEC-4'");
  const Outcome ran = run("plan-build", {"--json"});
  EXPECT_EQ(ran.code, 3) << ran;
  EXPECT_EQ(of_type(json_lines(ran.out), "run.parked").size(), 1U);
  EXPECT_THAT(claude.started(), ElementsAre("spec.1", "build.1", "build.2", "review.1"));
  EXPECT_TRUE(has(claude.prompt("build.2"), "SPEC-4"));
}

// "Empty `PreviousOutput`: First skill in workflow should work with empty previous output"
TEST_F(ChainSeedEdge, EmptyPreviousOutputFirstSkillInWorkflowShouldWorkWithEmptyPreviousOutput) {
  ASSERT_EQ(run("plan-build").code, 3);
  EXPECT_FALSE(has(claude.prompt("spec.1"), "# Previous output"));
  EXPECT_TRUE(has(claude.prompt("spec.1"), "Add a login page"));
  EXPECT_TRUE(has(claude.prompt("build.1"), "# Previous output"));
}

// "Very long result text: Should be passed as-is; truncation is a future concern": it is passed as it is up to 64 KiB;
// beyond that the next one gets head, tail and where the whole is.
TEST_F(ChainSeedEdge, VeryLongResultTextShouldBePassedAsIs) {
  const auto says_long = [](int bytes) {
    return fmt::format(
        "begin; printf '%s' '{{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"HEAD-'\n"
        "head -c {} /dev/zero | tr '\\0' x\n"
        "echo '-TAIL\",\"num_turns\":1,\"total_cost_usd\":0,\"modelUsage\":{{}}}}'",
        bytes);
  };
  claude.does("spec", says_long(50'000));
  claude.does("build", says_long(200'000));
  ASSERT_EQ(run("plan-build").code, 3);
  EXPECT_TRUE(has(claude.prompt("build.1"), "HEAD-" + std::string(50'000, 'x') + "-TAIL"));
  const std::string prompt = claude.prompt("review.1");
  EXPECT_LT(prompt.size(), 100'000U);
  EXPECT_TRUE(has(prompt, "HEAD-xxx"));
  EXPECT_TRUE(has(prompt, "xxx-TAIL"));
  const std::string whole = text_at(step_of(place.show(), "build"), "output");
  EXPECT_TRUE(has(prompt, whole)) << "where it is whole";
  EXPECT_EQ(read_text(whole), "HEAD-" + std::string(200'000, 'x') + "-TAIL");
}

}  // namespace
}  // namespace baton::test
