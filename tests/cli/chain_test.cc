// Chains of skills from outside: a task in, a reviewed change out.
#include <gmock/gmock.h>

#include "support/chain_place.h"

namespace baton::test {
namespace {

using ::testing::ElementsAre;

class Chain : public WithChain {
 protected:
  static constexpr const char* two_parts =
      R"(says 'Here it is: {"tasks": [{"name": "Server side", "dependencies": []}, {"name": "Page", "dependencies": []}]}')";
};

TEST_F(Chain, SkillsRunOneAfterAnotherEachWithThePreviousOutputAndNoOther) {
  claude.does("spec", "says 'SPEC: see specs/login.md'");
  claude.does("build", "says 'BUILT: the page is there'");
  const Outcome ran = run("plan-build", {"--json"});
  EXPECT_EQ(ran.code, 3) << ran;
  EXPECT_THAT(claude.started(), ElementsAre("spec.1", "build.1", "review.1"));
  EXPECT_TRUE(has(claude.prompt("build.1"), "SPEC: see specs/login.md"));
  EXPECT_TRUE(has(claude.prompt("review.1"), "BUILT: the page is there"));
  EXPECT_FALSE(has(claude.prompt("review.1"), "SPEC:")) << "only the one before";
  EXPECT_FALSE(has(claude.prompt("spec.1"), "# Previous output"));
  for (const char* whom : {"spec.1", "build.1", "review.1"}) EXPECT_TRUE(has(claude.prompt(whom), "Add a login page"));
  EXPECT_EQ(text_at(json_lines(ran.out).back(), "type"), "run.reviewing");
  EXPECT_THAT(step_states_of(place.show()), ElementsAre("spec=completed", "build=completed", "review=completed"));
}

TEST_F(Chain, WorksInATreeOfItsOwnWithACommitForEachSkillThatChangedSomething) {
  writes("spec", "specs/login.md");
  writes("build", "login.html");
  const Outcome ran = run("plan-build");
  EXPECT_EQ(ran.code, 3) << ran;
  const json::object shown = place.show();
  const std::string id = text_at(shown, "run");
  EXPECT_EQ(text_at(shown, "branch"), "baton/" + id);
  EXPECT_EQ(text_at(shown, "worktree"), place.state("worktrees/" + id));
  EXPECT_EQ(git("log --format=%s main..baton/" + id), "feat(build): Add a login page\ndocs(spec): Add a login page");
  EXPECT_FALSE(place.exists("login.html")) << "nothing shows in the user's own folder";
  EXPECT_EQ(git("status --porcelain"), "");
  EXPECT_TRUE(has(place.baton({"diff", "last"}).out, "+made"));
}

TEST_F(Chain, TheVerdictIsShownAndAcceptTakesTheChange) {
  writes("build", "login.html");
  const Outcome ran = run("plan-build");
  EXPECT_TRUE(has(ran.err, "It is well made.")) << ran;
  const Outcome accepted = place.baton({"accept", "last"});
  EXPECT_EQ(accepted.code, 0) << accepted;
  EXPECT_EQ(place.run_state(), "accepted");
  EXPECT_EQ(place.read("login.html"), "made\n") << "what is checked out follows";
  EXPECT_EQ(git("status --porcelain"), "");
  EXPECT_EQ(git("branch --list 'baton/*'"), "");
  EXPECT_EQ(place.baton({"accept", "last"}).code, 0) << "it may be said twice";
}

TEST_F(Chain, RejectKeepsTheRecordAndRemovesTheTree) {
  writes("build", "login.html");
  EXPECT_EQ(run("plan-build").code, 3);
  const std::string tree = text_at(place.show(), "worktree");
  EXPECT_EQ(place.baton({"reject", "last"}).code, 0);
  EXPECT_EQ(place.run_state(), "rejected");
  EXPECT_FALSE(file_exists(tree));
  EXPECT_EQ(git("branch --list 'baton/*'"), "");
}

TEST_F(Chain, RejectedWithAMessageARevisionGoesOnInTheSameTree) {
  writes("build", "login.html");
  writes("build-2", "login.html", "blue");
  EXPECT_EQ(run("plan-build").code, 3);
  EXPECT_EQ(place.baton({"reject", "last", "-m", "Make it blue"}).code, 0);
  EXPECT_TRUE(eventually([&] { return place.run_state() == "reviewing" && claude.started().size() == 5; }));
  EXPECT_TRUE(has(claude.prompt("build-2.1"), "Make it blue"));
  EXPECT_EQ(place.baton({"accept", "last"}).code, 0);
  EXPECT_EQ(place.read("login.html"), "blue\n");
}

TEST_F(Chain, RouteChoosesTheWorkflow) {
  claude.does("route", "says 'plan-build'");
  const Outcome ran = run("auto", {"--json"});
  EXPECT_EQ(ran.code, 3) << ran;
  EXPECT_THAT(claude.started(), ElementsAre("route.1", "spec.1", "build.1", "review.1"));
  EXPECT_EQ(text_at(place.show(), "workflow"), "plan-build");
  ASSERT_EQ(of_type(json_lines(ran.out), "plan.extended").size(), 1U);
}

TEST_F(Chain, SubTasksWorkInTreesOfTheirOwnAndAreMergedInOrder) {
  claude.does("decompose", two_parts);
  writes("build:server-side", "server.txt");
  writes("build:Page", "page.txt");
  const Outcome ran = run("sdlc");
  ASSERT_EQ(ran.code, 3) << ran;
  EXPECT_THAT(step_states_of(place.show()),
              ElementsAre("spec=completed", "decompose=completed", "build:server-side=completed",
                          "build:Page=completed", "review=completed", "document=completed"));
  EXPECT_TRUE(has(claude.prompt("build:Page.1"), "\nSub-task: Page\n"));
  EXPECT_TRUE(has(claude.prompt("review.1"), "### Server side\nWrote server.txt.\n\n### Page\nWrote page.txt.\n"))
      << claude.prompt("review.1");
  EXPECT_EQ(place.baton({"accept", "last"}).code, 0);
  EXPECT_TRUE(place.exists("server.txt"));
  EXPECT_TRUE(place.exists("page.txt"));
  EXPECT_EQ(git("branch --list 'baton/*'"), "");
  EXPECT_EQ(git("worktree list --porcelain | grep -c ^worktree"), "1");
}

TEST_F(Chain, AConflictGoesToAResolvingStepAndThenOn) {
  claude.does("decompose", two_parts);
  writes("build:server-side", "shared.txt", "one");
  writes("build:Page", "shared.txt", "two");
  claude.does("resolve", "grep -q '<<<<<<<' shared.txt && echo both > shared.txt; says 'Resolved.'");
  const Outcome ran = run("sdlc");
  ASSERT_EQ(ran.code, 3) << ran;
  EXPECT_EQ(place.baton({"accept", "last"}).code, 0);
  EXPECT_EQ(place.read("shared.txt"), "both\n");
}

TEST_F(Chain, AFailedSkillFailsTheRunAtOnceAndResumeGivesItThePreviousOutputAgain) {
  claude.does("spec", "says 'SPEC-7'");
  claude.does("build.1", "fails 500 api_error broken");
  const Outcome ran = run("plan-build");
  EXPECT_EQ(ran.code, 1) << ran;
  EXPECT_THAT(claude.started(), ElementsAre("spec.1", "build.1"));
  EXPECT_EQ(place.baton({"resume", "last"}).code, 3);
  EXPECT_THAT(claude.started(), ElementsAre("spec.1", "build.1", "build.2", "review.1"));
  EXPECT_TRUE(has(claude.prompt("build.2"), "SPEC-7"));
}

TEST_F(Chain, FollowUpsGoOnFromAFinishedRun) {
  writes("build", "login.html");
  EXPECT_EQ(run("build").code, 0);
  EXPECT_EQ(place.run_state(), "completed");
  writes("build-2", "more.html");
  const Outcome more = place.baton({"run", "--continue", "last", "--task", "And a logout page"});
  EXPECT_EQ(more.code, 0) << more;
  EXPECT_TRUE(has(claude.prompt("build-2.1"), "And a logout page"));
  EXPECT_TRUE(has(claude.prompt("build-2.1"), "Add a login page"));
  EXPECT_EQ(place.baton({"accept", "last"}).code, 0);
  EXPECT_TRUE(place.exists("more.html"));
}

TEST_F(Chain, FollowUpsOnAnAcceptedRunBeginFromWhereItsChangeLanded) {
  writes("build", "login.html");
  ASSERT_EQ(run("plan-build").code, 3);
  ASSERT_EQ(place.baton({"accept", "last"}).code, 0);
  const std::string landed = text_at(place.show(), "landed");
  place.write("by-hand", "mine\n");
  git("add by-hand && git commit -q -m 'by hand'");
  claude.does("build-2", "cat login.html by-hand > seen; says 'Saw both.'");
  const Outcome more = place.baton({"run", "--continue", "last", "--task", "And a logout page"});
  EXPECT_EQ(more.code, 3) << "it was reviewed once, so a person has the last word again" << more;
  EXPECT_EQ(place.run_state(), "reviewing");
  EXPECT_TRUE(has(claude.prompt("build-2.1"), "And a logout page") &&
              has(claude.prompt("build-2.1"), "Add a login page") &&
              has(claude.prompt("build-2.1"), "All of that was accepted"))
      << claude.prompt("build-2.1");
  EXPECT_EQ(git("diff --name-only main.." + text_at(place.show(), "branch")), "seen");
  EXPECT_TRUE(has(place.baton({"diff", "last", "--stat"}).out, "seen") &&
              !has(place.baton({"diff", "last", "--stat"}).out, "login.html"))
      << "only what was added";
  const Outcome accepted = place.baton({"accept", "last"});
  EXPECT_EQ(accepted.code, 0) << accepted;
  EXPECT_EQ(place.read("seen"), "made\nmine\n");
  EXPECT_NE(text_at(place.show(), "landed"), landed);
  EXPECT_EQ(git("branch --list 'baton/*'"), "");
  EXPECT_EQ(place.baton({"run", "--continue", "last", "--task", "Once more"}).code, 3) << "as often as you like";
  ASSERT_EQ(place.baton({"reject", "last"}).code, 0);
  const Outcome rejected = place.baton({"run", "--continue", "last", "--task", "And more"});
  EXPECT_EQ(rejected.code, 2) << rejected;
  EXPECT_TRUE(says_error(rejected, "cannot-continue") && has(rejected.err, "was rejected: its change was given up") &&
              has(rejected.err, "refs/baton/rejected/"))
      << rejected;
  EXPECT_EQ(place.read("seen"), "made\nmine\n") << "what was accepted stays";
}

TEST_F(Chain, FollowUpsOnASquashedRunLandToo) {
  writes("build", "login.html");
  ASSERT_EQ(run("build", {"--set", "git.merge=squash"}).code, 0);
  ASSERT_EQ(place.baton({"accept", "last"}).code, 0);
  ASSERT_EQ(place.baton({"clean", "--older-than", "0s"}).code, 0);
  writes("build-2", "more.html");
  const Outcome more = place.baton({"run", "--continue", "last", "--task", "And a logout page"});
  EXPECT_EQ(more.code, 0) << more;
  EXPECT_EQ(place.run_state(), "completed");
  const Outcome accepted = place.baton({"accept", "last"});
  EXPECT_EQ(accepted.code, 0) << accepted;
  EXPECT_TRUE(place.exists("login.html") && place.exists("more.html"));
  EXPECT_EQ(place.run_state(), "accepted");
}

TEST_F(Chain, AutoAcceptTakesAChangeWhoseReviewPassed) {
  writes("build", "login.html");
  const Outcome ran = run("plan-build", {"--set", "review.auto_accept=true"});
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(place.run_state(), "accepted");
  EXPECT_TRUE(place.exists("login.html"));
}

TEST_F(Chain, AutoAcceptLeavesAChangeWhoseReviewDidNotPassToAPerson) {
  claude.does("review", R"(says '{"success": false, "review_summary": "No.", "review_issues": []}')");
  EXPECT_EQ(run("plan-build", {"--set", "review.auto_accept=true"}).code, 3);
  EXPECT_EQ(place.run_state(), "reviewing");
}

TEST_F(Chain, OutsideGitItRunsInPlaceAndSaysSo) {
  sh("rm -rf .git");
  writes("build", "login.html");
  const Outcome ran = run("build");
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_TRUE(has(ran.err, "works in the project's own folder")) << ran;
  EXPECT_TRUE(place.exists("login.html"));
}

TEST_F(Chain, ARehearsalShowsTheWiringAndTouchesNothing) {
  const Outcome ran = run("sdlc", {"--rehearse"});
  EXPECT_EQ(ran.code, 3) << ran;
  EXPECT_TRUE(claude.started().empty());
  EXPECT_EQ(git("worktree list --porcelain | grep -c ^worktree"), "1");
  EXPECT_EQ(place.show().at("steps").as_array().size(), 7U);
}

TEST_F(Chain, WithoutATaskNothingIsStarted) {
  const Outcome ran = place.baton({"run", "build"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_TRUE(says_error(ran, "no-task")) << ran;
}

}  // namespace
}  // namespace baton::test
