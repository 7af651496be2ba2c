// The parts of chains that change their course: `decompose`, `route`, conflicts, reviews, budgets, interruptions, and
// what the settings of skills come to.
#include <signal.h>

#include <fmt/core.h>
#include <gmock/gmock.h>

#include "support/chain_place.h"

namespace baton::test {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

class ChainParts : public WithChain {
 protected:
  /// `decompose` answers this.
  void decomposes(const std::string& answer) { claude.does("decompose", "says '" + answer + "'"); }
  /// Each sub-task says "I am NAME" and lists the files that it found.
  void tasks_look_around(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      claude.does("build:" + name,
                  "ls > seen-by-" + name + "; echo x > made-by-" + name + "; says 'I am " + name + "'");
    }
  }
  /// Whether the sub-task began from the work of the other.
  bool saw(const std::string& task, const std::string& other) {
    const std::string branch = text_at(place.show(), "branch");
    return has(git("show " + branch + ":seen-by-" + task), "made-by-" + other);
  }
  std::vector<std::string> steps() {
    std::vector<std::string> names;
    const json::object shown = place.show();
    for (const json::value& step : shown.at("steps").as_array()) names.push_back(text_at(step.as_object(), "id"));
    return names;
  }
  static constexpr const char* exits = "exit 3";
};

// decompose ---------------------------------------------------------------------------------------------------------

using Form = std::pair<const char*, const char*>;
class Decomposed : public ChainParts, public ::testing::WithParamInterface<Form> {};

TEST_P(Decomposed, IsReadInAllItsForms) {
  decomposes(GetParam().second);
  tasks_look_around({"api", "page"});
  const Outcome ran = run("sdlc");
  ASSERT_EQ(ran.code, 3) << ran;
  EXPECT_THAT(steps(), ElementsAre("spec", "decompose", "build:api", "build:page", "review", "document"));
  EXPECT_TRUE(has(claude.prompt("build:page.1"), "\nSub-task: page\n"));
  EXPECT_TRUE(saw("page", "api"));
  EXPECT_FALSE(saw("api", "page"));
  EXPECT_TRUE(has(claude.prompt("review.1"), "### api\nI am api\n\n### page\nI am page\n"));
}

INSTANTIATE_TEST_SUITE_P(
    As, Decomposed,
    ::testing::Values(
        Form{"AnObject", R"({"tasks": [{"name": "api"}, {"name": "page", "dependencies": ["api"]}]})"},
        Form{"AList", R"([{"id": "api"}, {"id": "page", "depends_on": ["api"]}])"},
        Form{"AListWithTitles", R"([{"title": "api"}, {"title": "page", "depends_on": "api"}])"},
        Form{"Prose",
             "Here is what I came to:\n\n```json\n"
             R"([{"name": "api"}, {"name": "page", "dependencies": ["api"]}])"
             "\n```\nGood luck [with it]."},
        Form{"Groups", R"({"tasks": [{"name": "api", "parallel_group": "a"}, {"name": "page", "stage": "b"}]})"},
        Form{"NumberedGroups", R"([{"name": "api", "stage": 1}, {"name": "page", "stage": 10}])"},
        Form{"GroupsAgainstDependencies", R"([{"name": "api", "parallel_group": "2"}, )"
                                          R"({"name": "page", "parallel_group": "1", "dependencies": ["api"]}])"}),
    [](const auto& given) { return std::string{given.param.first}; });

TEST_F(ChainParts, SubTasksGetThePlansOutputTheirDescriptionAndNoOtherSubTasks) {
  claude.does("spec", "says 'SPEC-1'");
  decomposes(R"(DECOMPOSED [{"name": "api", "description": "Serve it"}, {"name": "page", "description": "Show it"}])");
  tasks_look_around({"api", "page"});
  ASSERT_EQ(run("sdlc").code, 3);
  const std::string prompt = claude.prompt("build:api.1");
  EXPECT_TRUE(has(prompt, "Serve it"));
  EXPECT_TRUE(has(prompt, "Add a login page"));
  EXPECT_TRUE(has(prompt, "DECOMPOSED"));
  EXPECT_FALSE(has(prompt, "SPEC-1")) << "only the one before";
  EXPECT_FALSE(saw("page", "api"));
}

TEST_F(ChainParts, CyclesDuplicatesAndUnknownNamesAreToldAndPutRight) {
  decomposes(R"([{"name": "a", "dependencies": ["b"]}, {"name": "b", "dependencies": ["a"]}, {"name": "a"}, )"
             R"({"name": "c", "dependencies": ["nobody", "c"]}])");
  const Outcome ran = run("sdlc");
  ASSERT_EQ(ran.code, 3) << ran;
  EXPECT_TRUE(has(ran.err, "in a circle: b -> a -> b")) << ran;
  EXPECT_TRUE(has(ran.err, "the later one is now 'a-2'")) << ran;
  EXPECT_TRUE(has(ran.err, "'nobody', which is no task")) << ran;
  EXPECT_TRUE(has(ran.err, "depends on itself")) << ran;
  EXPECT_THAT(steps(), UnorderedElementsAre("spec", "decompose", "build:a", "build:b", "build:a-2", "build:c", "review",
                                            "document"));
}

TEST_F(ChainParts, OneTaskRunsPlainlyInTheRunsOwnTree) {
  decomposes(R"([{"name": "only"}])");
  claude.does("build:only", "echo x > made; says \"$PWD\"");
  ASSERT_EQ(run("sdlc").code, 3);
  EXPECT_EQ(output_of("build:only"), text_at(place.show(), "worktree"));
  EXPECT_EQ(git("branch --list 'baton/*--*'"), "");
}

TEST_F(ChainParts, AnUnreadableAnswerIsRetriedOnceWithTheFaultInThePrompt) {
  claude.does("decompose.1", R"(says '{"tasks": [{"name": "api"')");
  claude.does("decompose.2", R"(says '[{"name": "api"}]')");
  const Outcome ran = run("sdlc");
  EXPECT_EQ(ran.code, 3) << ran;
  EXPECT_TRUE(has(claude.prompt("decompose.2"), "the JSON cannot be read")) << claude.prompt("decompose.2");
  EXPECT_THAT(claude.started(),
              ElementsAre("spec.1", "decompose.1", "decompose.2", "build:api.1", "review.1", "document.1"));
}

TEST_F(ChainParts, AnAnswerThatStaysUnreadableFailsTheRun) {
  decomposes("I would not divide this.");
  const Outcome ran = run("sdlc");
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(says_error(ran, "checks-failed")) << ran;
  EXPECT_TRUE(has(ran.err, "no JSON")) << ran;
  EXPECT_THAT(claude.started(), ElementsAre("spec.1", "decompose.1", "decompose.2")) << "never ignored";
}

TEST_F(ChainParts, AFailedSubTaskIsRunAgainAloneAndAllAreMerged) {
  decomposes(R"([{"name": "api"}, {"name": "page"}])");
  tasks_look_around({"api", "page"});
  claude.does("build:page.1", exits);
  ASSERT_EQ(run("sdlc").code, 1);
  EXPECT_EQ(place.baton({"resume", "last"}).code, 3);
  EXPECT_THAT(claude.started(), UnorderedElementsAre("spec.1", "decompose.1", "build:api.1", "build:page.1",
                                                     "build:page.2", "review.1", "document.1"));
  EXPECT_EQ(place.baton({"accept", "last"}).code, 0);
  EXPECT_TRUE(place.exists("made-by-api"));
  EXPECT_TRUE(place.exists("made-by-page"));
}

// route -------------------------------------------------------------------------------------------------------------

TEST_F(ChainParts, AnUnknownRouteWithNothingLeftFailsAndNamesAnswerAndChoices) {
  claude.does("route", "says 'bananas'");
  const Outcome ran = run("auto");
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(has(ran.err, "'bananas'")) << ran;
  EXPECT_TRUE(has(ran.err, "choices: build, plan-build, quick-fix, sdlc")) << ran;
  claude.does("route.2", "says 'build'");
  EXPECT_EQ(place.baton({"resume", "last"}).code, 0) << "it is asked again";
  EXPECT_THAT(claude.started(), ElementsAre("route.1", "route.2", "build.1"));
}

TEST_F(ChainParts, ASecondRouteIsSkippedWithAWarning) {
  workflow("loop", R"("route", "build", "test")");
  claude.does("route", "says 'loop'");
  const Outcome ran = run("loop");
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_TRUE(has(ran.err, "'route' of its own, which is left out")) << ran;
  EXPECT_THAT(claude.started(), ElementsAre("route.1", "build.1", "test.1"));
}

TEST_F(ChainParts, ARouteTwiceInTheListIsRunOnce) {
  workflow("twice", R"("route", "route", "build")");
  claude.does("route", "says 'no idea'");
  const Outcome ran = run("twice");
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_TRUE(has(ran.err, "only the first one is run")) << ran;
  EXPECT_THAT(claude.started(), ElementsAre("route.1", "build.1"));
}

TEST_F(ChainParts, ARouteToMissingSkillsNamesThemAllAndKeepsWhatIsLeft) {
  workflow("broken", R"("nosuch", "build", "neither")");
  workflow("mine", R"("route", "test")");
  claude.does("route", "says 'broken'");
  const Outcome ran = run("mine");
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_TRUE(has(ran.err, "'nosuch', 'neither'")) << ran;
  EXPECT_THAT(claude.started(), ElementsAre("route.1", "test.1"));
  const Outcome nothing_left = run("auto");
  EXPECT_EQ(nothing_left.code, 1);
  EXPECT_TRUE(has(nothing_left.err, "'nosuch', 'neither'")) << nothing_left;
}

TEST_F(ChainParts, ARoutedChainFailsAndResumesByTheChosenPlan) {
  claude.does("route", "says 'quick-fix'");
  claude.does("build.1", exits);
  ASSERT_EQ(run("auto").code, 1);
  EXPECT_EQ(place.baton({"resume", "last"}).code, 0);
  EXPECT_THAT(claude.started(), ElementsAre("route.1", "build.1", "build.2", "test.1")) << "nobody chooses again";
}

// Conflicts ---------------------------------------------------------------------------------------------------------

class ChainConflict : public ChainParts {
 protected:
  ChainConflict() {
    decomposes(R"([{"name": "api"}, {"name": "page"}])");
    writes("build:api", "shared.txt", "one");
    writes("build:page", "shared.txt", "two");
  }
  std::string shared() { return text_at(place.show(), "worktree") + "/shared.txt"; }
  /// `accept` of a conflict wakes the run, which goes on behind it.
  std::string state_after(const std::vector<std::string>& steps_started) {
    EXPECT_TRUE(eventually([&] {
      const json::object shown = place.show();
      return claude.started() == steps_started && text_at(shown, "state") != "running" && shown.at("driver").is_null();
    })) << place.baton({"show", "last"}).out;
    return place.run_state();
  }
};

TEST_F(ChainConflict, AResolvingStepIsToldWhatIsInConflictAndWithWhom) {
  claude.does("resolve", "grep -q '<<<<<<<' shared.txt && echo both > shared.txt; says 'Resolved.'");
  const Outcome ran = run("sdlc");
  ASSERT_EQ(ran.code, 3) << ran;
  EXPECT_TRUE(has(claude.prompt("resolve.1"), "- shared.txt\n")) << claude.prompt("resolve.1");
  EXPECT_TRUE(has(claude.prompt("resolve.1"), "--page")) << claude.prompt("resolve.1");
  EXPECT_TRUE(has(claude.prompt("review.1"), "### api\n"));
  EXPECT_FALSE(has(claude.prompt("review.1"), "Resolved.")) << "it is no part of the task";
  EXPECT_EQ(place.baton({"accept", "last"}).code, 0);
  EXPECT_EQ(place.read("shared.txt"), "both\n");
}

TEST_F(ChainConflict, AnUnresolvedOneGoesToAPersonAndAcceptGoesOnOnceItIsResolved) {
  claude.does("resolve", "says 'I cannot.'");
  const Outcome ran = run("sdlc");
  EXPECT_EQ(ran.code, 3) << ran;
  EXPECT_TRUE(has(ran.err, "shared.txt")) << ran << "\nit says where";
  EXPECT_EQ(place.run_state(), "reviewing");
  const std::vector<std::string> so_far = claude.started();
  EXPECT_THAT(so_far, UnorderedElementsAre("spec.1", "decompose.1", "build:api.1", "build:page.1", "resolve.1"));
  EXPECT_TRUE(has(read_text(shared()), "<<<<<<<")) << "it is left as it is";

  const Outcome accepted = place.baton({"accept", "last"});
  EXPECT_EQ(accepted.code, 0) << accepted;
  EXPECT_TRUE(has(accepted.err, "the merge that review waits for is tried again") && !has(accepted.err, "accepted"))
      << "nobody has accepted a review that was not made" << accepted;
  EXPECT_EQ(state_after(so_far), "reviewing") << "nothing was resolved: it is asked for once more";

  write_text(shared(), "by hand\n");
  EXPECT_EQ(place.baton({"accept", "last"}).code, 0);
  std::vector<std::string> all = so_far;
  all.insert(all.end(), {"review.1", "document.1"});
  EXPECT_EQ(state_after(all), "reviewing") << "now by the review";
  EXPECT_EQ(place.baton({"accept", "last"}).code, 0);
  EXPECT_EQ(place.run_state(), "accepted");
  EXPECT_EQ(place.read("shared.txt"), "by hand\n");
}

TEST_F(ChainConflict, ResumeAfterItWasResolvedGoesOnToo) {
  claude.does("resolve", "says 'I cannot.'");
  ASSERT_EQ(run("sdlc").code, 3);
  EXPECT_EQ(place.baton({"resume", "last"}).code, 3) << "it still waits";
  write_text(shared(), "by hand\n");
  EXPECT_EQ(place.baton({"accept", "last"}).code, 0);
  EXPECT_TRUE(eventually([&] { return claude.started().size() == 7 && place.run_state() == "reviewing"; }));
}

TEST_F(ChainConflict, RejectedTheTreesGoAndWhatWasMadeIsKept) {
  claude.does("resolve", "says 'I cannot.'");
  ASSERT_EQ(run("sdlc").code, 3);
  const std::string id = text_at(place.show(), "run");
  const Outcome rejected = place.baton({"reject", "last"});
  EXPECT_EQ(rejected.code, 0) << rejected;
  EXPECT_EQ(place.run_state(), "rejected");
  EXPECT_EQ(git("status --porcelain && git branch --list 'baton/*'"), "");
  EXPECT_EQ(git("worktree list --porcelain | grep -c ^worktree"), "1");
  EXPECT_EQ(git("show refs/baton/rejected/" + id + "--page:shared.txt"), "two");
}

TEST_F(ChainConflict, AResolvingAgentThatCrashesFailsTheRunAndResumeTriesAgain) {
  claude.does("resolve.1", exits);
  claude.does("resolve.2", "echo both > shared.txt; says 'Resolved.'");
  EXPECT_EQ(run("sdlc").code, 1);
  EXPECT_EQ(place.baton({"resume", "last"}).code, 3);
  EXPECT_EQ(place.baton({"accept", "last"}).code, 0);
  EXPECT_EQ(place.read("shared.txt"), "both\n");
}

TEST_F(ChainConflict, EachMergeThatStopsGetsAResolvingStepOfItsOwn) {
  decomposes(R"([{"name": "api"}, {"name": "page"}, {"name": "docs"}])");
  writes("build:docs", "shared.txt", "three");
  claude.does("resolve", "echo resolved-1 > shared.txt; says 'Resolved.'");
  claude.does("resolve-2", "echo resolved-2 > shared.txt; says 'Resolved.'");
  const Outcome ran = run("sdlc");
  ASSERT_EQ(ran.code, 3) << ran;
  EXPECT_EQ(place.baton({"accept", "last"}).code, 0);
  EXPECT_EQ(place.read("shared.txt"), "resolved-2\n");
}

// Interruptions -----------------------------------------------------------------------------------------------------

TEST_F(ChainParts, APreviousOutputIsRestoredHoweverOftenASkillFails) {
  workflow("five", R"("spec", "build", "test", "review", "document")");
  claude.does("spec", "says 'OUT-1'");
  claude.does("build", "says 'OUT-2'");
  for (const char* attempt : {"test.1", "test.2", "test.3"}) claude.does(attempt, exits);
  ASSERT_EQ(run("five").code, 1);
  for (const int code : {1, 1, 3}) EXPECT_EQ(place.baton({"resume", "last"}).code, code);
  EXPECT_THAT(claude.started(),
              ElementsAre("spec.1", "build.1", "test.1", "test.2", "test.3", "test.4", "review.1", "document.1"));
  for (const char* attempt : {"test.1", "test.2", "test.3", "test.4"}) {
    EXPECT_TRUE(has(claude.prompt(attempt), "# Previous output\n\nOUT-2\n")) << attempt;
    EXPECT_FALSE(has(claude.prompt(attempt), "OUT-1")) << attempt;
  }
}

TEST_F(ChainParts, WhatAFailedAttemptChangedIsThereForTheNextOne) {
  claude.does("build.1", "echo half > login.html; exit 3");
  claude.does("build.2", "cat login.html; echo whole >> login.html; says 'Done.'");
  ASSERT_EQ(run("build").code, 1);
  EXPECT_EQ(place.baton({"resume", "last"}).code, 0);
  EXPECT_EQ(place.baton({"accept", "last"}).code, 0);
  EXPECT_EQ(place.read("login.html"), "half\nwhole\n");
}

TEST_F(ChainParts, CancelledInTheMiddleOfSubTasksAllOfThemEnd) {
  decomposes(R"([{"name": "api"}, {"name": "page"}])");
  waits("build:api", "never");
  waits("build:page", "never");
  Process running = start("sdlc");
  const pid_t one = claude.pid_of("build:api.1");
  const pid_t two = claude.pid_of("build:page.1");
  EXPECT_EQ(place.baton({"cancel", "last"}).code, 0);
  EXPECT_EQ(running.wait().code, 5);
  EXPECT_TRUE(eventually([&] { return !is_alive(one) && !is_alive(two); }));
  EXPECT_THAT(step_states_of(place.show()),
              ElementsAre("spec=completed", "decompose=completed", "build:api=cancelled", "build:page=cancelled",
                          "review=cancelled", "document=cancelled"));
}

TEST_F(ChainParts, PausedInTheMiddleOfSubTasksAllOfThemStandStillAndGoOn) {
  decomposes(R"([{"name": "api"}, {"name": "page"}])");
  waits("build:api", "go");
  waits("build:page", "go");
  Process running = start("sdlc");
  const pid_t one = claude.pid_of("build:api.1");
  const pid_t two = claude.pid_of("build:page.1");
  EXPECT_EQ(place.baton({"pause", "last"}).code, 0);
  EXPECT_EQ(running.wait().code, 4);
  EXPECT_TRUE(eventually([&] { return stands_still(one) && stands_still(two); }));
  let_go("go");
  EXPECT_EQ(place.baton({"resume", "last"}).code, 3);
  EXPECT_EQ(claude.started().size(), 6U) << "the same processes went on";
}

TEST_F(ChainParts, KilledAtItsSecondSkillItGoesOnFromThere) {
  claude.does("spec", "says 'SPEC-2'");
  waits("build", "go");
  Process running = start("plan-build");
  (void)claude.pid_of("build.1");
  running.kill(SIGKILL);
  running.wait();
  let_go("go");
  EXPECT_EQ(place.baton({"resume", "last"}).code, 3);
  EXPECT_THAT(claude.started(), ElementsAre("spec.1", "build.1", "review.1")) << "nothing is done twice";
}

// Limits ------------------------------------------------------------------------------------------------------------

TEST_F(ChainParts, ATimeoutIsSaidAsSuchWhereverItIsTold) {
  claude.does("build", "begin; until_there never");
  const Outcome ran = run("quick-fix", {"--set", "skills.build.timeout=1s"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(has(ran.err, "TIMEOUT")) << ran;
  EXPECT_TRUE(has(place.baton({"why", "last", "build"}).out, "TIMEOUT"));
  const json::object attempt = attempt_of(place.show(), "build", 1);
  EXPECT_EQ(text_at(attempt.at("error").as_object(), "code"), "attempt-timed-out");
  EXPECT_TRUE(has(text_at(attempt.at("error").as_object(), "message"), "TIMEOUT"));
}

TEST_F(ChainParts, ASkillIsNotRetriedUnlessTheConfigurationSaysSo) {
  claude.does("build.1", exits);
  EXPECT_EQ(run("quick-fix").code, 1);
  EXPECT_THAT(claude.started(), ElementsAre("build.1"));
}

TEST_F(ChainParts, ASkillIsRetriedAsOftenAsTheConfigurationSays) {
  claude.does("build.1", exits);
  claude.does("build.2", exits);
  EXPECT_EQ(run("quick-fix", {"--set", "limits.retries=2", "--set", "limits.retry_delay=10ms"}).code, 0);
  EXPECT_THAT(claude.started(), ElementsAre("build.1", "build.2", "build.3", "test.1"));
}

TEST_F(ChainParts, ABudgetPausesTheChainAndMoreOfItGoesOn) {
  // A skill costs $0.0008.
  const Outcome ran = run("plan-build", {"--budget", "0.001", "--json"});
  EXPECT_EQ(ran.code, 4) << ran;
  EXPECT_EQ(text_at(json_lines(ran.out).back(), "type"), "run.paused");
  EXPECT_THAT(claude.started(), ElementsAre("spec.1", "build.1"));
  EXPECT_EQ(place.baton({"resume", "last"}).code, 4) << "still the same budget";
  EXPECT_EQ(place.baton({"resume", "last", "--budget", "1"}).code, 3);
  EXPECT_THAT(claude.started(), ElementsAre("spec.1", "build.1", "review.1"));
}

TEST_F(ChainParts, ATokenBudgetOfTheConfigurationPausesTheChainToo) {
  EXPECT_EQ(run("plan-build", {"--set", "limits.budget_tokens=150"}).code, 4);
  EXPECT_EQ(place.run_state(), "paused");
  EXPECT_EQ(place.baton({"resume", "last", "--token-budget", "100000"}).code, 3);
}

// Reviews -----------------------------------------------------------------------------------------------------------

TEST_F(ChainParts, AVerdictInProseIsShownWithItsIssues) {
  claude.does("review", R"(says 'I looked. {"success": false, "review_summary": "It leaks.", "review_issues": )"
                        R"([{"severity": "blocker", "file": "a.c", "description": "Frees nothing"}]} That is all.')");
  const Outcome ran = run("plan-build");
  EXPECT_EQ(ran.code, 3);
  EXPECT_TRUE(has(ran.err, "review: not passed: It leaks.")) << ran;
  EXPECT_TRUE(has(ran.err, "blocker: a.c: Frees nothing")) << ran;
}

TEST_F(ChainParts, AVerdictThatCannotBeReadIsForAPersonWhateverIsAutomatic) {
  claude.does("review", "says 'Looks fine to me.'");
  const Outcome ran = run("plan-build", {"--set", "review.auto_accept=true"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_TRUE(has(ran.err, "no verdict could be read")) << ran;
  EXPECT_EQ(place.run_state(), "reviewing");
}

TEST_F(ChainParts, ABlockerIsNoPassEvenIfItIsCalledASuccess) {
  claude.does("review", R"(says '{"success": true, "review_summary": "Nice.", "review_issues": )"
                        R"([{"severity": "blocker", "description": "Deletes all"}]}')");
  EXPECT_EQ(run("plan-build", {"--set", "review.auto_accept=true"}).code, 3);
  EXPECT_EQ(place.run_state(), "reviewing");
}

TEST_F(ChainParts, AChainWithAReviewInItsMiddleEndsReviewingToo) {
  workflow("mine", R"("build", "review", "document")");
  EXPECT_EQ(run("mine").code, 3);
  EXPECT_THAT(claude.started(), ElementsAre("build.1", "review.1", "document.1"));
  EXPECT_EQ(place.run_state(), "reviewing");
}

// Settings ----------------------------------------------------------------------------------------------------------

TEST_F(ChainParts, ModelAndToolsOfASkillReachTheProgramsArguments) {
  const Outcome ran =
      run("quick-fix", {"--set", "skills.build.model=some-model", "--set", R"(skills.build.tools=["Read", "Grep"])"});
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(claude.option("--model", "build.1"), "some-model");
  EXPECT_EQ(claude.option("--allowedTools", "build.1"), "Read,Grep");
  EXPECT_NE(claude.option("--model", "test.1"), "some-model");
  EXPECT_NE(claude.option("--allowedTools", "test.1"), "Read,Grep");
}

TEST_F(ChainParts, SettingsOfASkillHoldForItsSubTasksAndAfterAResume) {
  decomposes(R"([{"name": "api"}, {"name": "page"}])");
  claude.does("build:page.1", exits);
  ASSERT_EQ(run("sdlc", {"--set", "skills.build.model=some-model"}).code, 1);
  ASSERT_EQ(place.baton({"resume", "last"}).code, 3);
  for (const char* attempt : {"build:api.1", "build:page.1", "build:page.2"}) {
    EXPECT_EQ(claude.option("--model", attempt), "some-model") << attempt;
  }
}

TEST_F(ChainParts, TheRuntimeOfASkillIsTheOneThatIsStarted) {
  const Outcome unknown = run("quick-fix", {"--set", "skills.test.runtime=abacus"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_TRUE(says_error(unknown, "unknown-runtime")) << unknown;
  EXPECT_TRUE(has(unknown.err, "abacus")) << unknown;
  EXPECT_TRUE(claude.started().empty());
  const std::string other = place.env["HOME"] + "/other-claude";
  claude.install(other);
  EXPECT_EQ(run("build", {"--set", "skills.build.runtime=claude", "--set",
                          "runtime.claude.command=[\"" + other + "\", \"--mine\"]"})
                .code,
            0);
  EXPECT_TRUE(claude.has_argument("--mine", "build.1"));
}

TEST_F(ChainParts, WithoutIsolationItWorksInTheProjectsFolderOneSubTaskAfterTheOther) {
  decomposes(R"([{"name": "api"}, {"name": "page"}])");
  tasks_look_around({"api", "page"});
  const Outcome ran = run("sdlc", {"--isolation", "none"});
  ASSERT_EQ(ran.code, 3) << ran;
  EXPECT_TRUE(has(ran.err, "one after the other")) << ran;
  EXPECT_TRUE(has(place.read("seen-by-page"), "made-by-api"));
  EXPECT_FALSE(has(place.read("seen-by-api"), "made-by-page"));
  EXPECT_EQ(git("branch --list 'baton/*'"), "");
  EXPECT_EQ(place.baton({"accept", "last"}).code, 0);
  EXPECT_EQ(git("log --format=%s"), "first") << "in place there is nothing to land, and nothing is committed";
}

TEST_F(ChainParts, IsolationIsRefusedWhereThereIsNoRepository) {
  sh("rm -rf .git");
  const Outcome ran = run("build", {"--isolation", "worktree"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_TRUE(says_error(ran, "not-a-repository")) << ran;
  EXPECT_TRUE(claude.started().empty());
}

TEST_F(ChainParts, ATaskOfSeveralLinesReachesEverySkillWhole) {
  place.write("../task", "First line\n\nOutput: /etc/passwd\nSecond 'line' with \"quotes\" and $HOME\n");
  const Outcome ran = place.baton({"run", "quick-fix", "--task-file", place.file("../task")});
  EXPECT_EQ(ran.code, 0) << ran;
  for (const char* whom : {"build.1", "test.1"}) {
    EXPECT_TRUE(has(claude.prompt(whom), "First line\n")) << whom;
    EXPECT_TRUE(has(claude.prompt(whom), "Second 'line' with \"quotes\" and $HOME\n")) << whom;
    EXPECT_FALSE(has(claude.prompt(whom), "\nOutput: /etc/passwd")) << "a task's line is no line of the prompt's own";
  }
}

}  // namespace
}  // namespace baton::test
