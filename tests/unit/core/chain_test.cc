// What chains ask of a run: answers that change the plan, conflicts in the midst, a review at the end.
#include <gtest/gtest.h>

#include "core/facts.h"
#include "support/story.h"

namespace baton::test {
namespace {

using Announced = command::Announce::Kind;

void answers(Story& story, std::string_view id, Extends extends = Extends::nothing, bool reviews = false) {
  Step& step = story.plan.steps[at(*find_step(story.plan, id))];
  Work work = *step.work;
  work.answers = true;
  work.extends = extends;
  work.reviews = reviews;
  step.work = std::make_shared<const Work>(std::move(work));
}

/// New steps "x; y: x" that follow `by`; the first of them needs it.
event::PlanExtended extension(const Story& story, std::string_view by, std::string_view graph, bool replaces = true) {
  event::PlanExtended e;
  e.by = story.step(by);
  e.first = step_index(story.run.step_count());
  e.replaces_rest = replaces;
  for (Step step : plan_of(graph).steps) {
    for (StepIndex& need : step.needs) need = step_index(at(need) + story.run.step_count());
    if (step.needs.empty()) step.needs.push_back(e.by);
    e.steps.push_back(std::move(step));
  }
  return e;
}

TEST(Answers, AStepThatAnswersIsCheckedAsOneWithAnOutput) {
  Story story{"a"};
  answers(story, "a");
  story.begin().does("a");
  EXPECT_EQ(story.state("a"), StepState::checking);
  story.checked("a", true);
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST(Answers, NothingGoesOnByTheOldPlanOnceAnAnswerIsThere) {
  Story story{"route; build: route"};
  answers(story, "route", Extends::route);
  story.begin().does("route").checked("route", true);
  EXPECT_EQ(story.states(), "route:checking build:pending") << "until what the answer does to the plan is on record";
  story.happens(extension(story, "route", "spec; build: spec"));
  EXPECT_EQ(story.states(), "route:completed build:cancelled spec:ready build:pending");
  story.does("spec").does("build");
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST(Answers, WhoeverTakesTheRunUpChecksAnAnswerAgainThatDidNothingYet) {
  Story story{"route; build: route"};
  answers(story, "route", Extends::route);
  story.begin().does("route").checked("route", true);
  const auto outstanding = story.run.outstanding();
  ASSERT_EQ(outstanding.size(), 1U);
  EXPECT_EQ(std::get<command::CheckOutput>(outstanding[0]).step, story.step("route"));
}

TEST(Answers, ACancelledRunEndsThoughOneComesThatWouldChangeThePlan) {
  Story story{"route; build: route"};
  answers(story, "route", Extends::route);
  story.begin().begins("route").happens(event::CancelAsked{"me"}).ends("route").checked("route", true);
  EXPECT_EQ(story.run.state(), RunState::cancelled);
  story.happens(extension(story, "route", "spec"));
  EXPECT_EQ(story.states(), "route:cancelled build:cancelled");
  story.happens(event::RetryAsked{}).does("route").checked("route", true);
  story.happens(extension(story, "route", "spec")).does("spec");
  EXPECT_EQ(story.run.state(), RunState::completed) << "run again, it answers again";
}

TEST(Answers, AnEmptyExtensionLeavesThePlanAsItIs) {
  Story story{"decompose; build: decompose"};
  answers(story, "decompose", Extends::decompose);
  story.begin().does("decompose").checked("decompose", true);
  event::PlanExtended nothing;
  nothing.by = story.step("decompose");
  nothing.first = step_index(story.run.step_count());
  story.happens(nothing);
  EXPECT_EQ(story.states(), "decompose:completed build:ready");
}

TEST(Answers, WhatIsReadyAndHasNotStartedIsReplacedToo) {
  Story story{"route; other"};
  answers(story, "route", Extends::route);
  story.begin().does("route").checked("route", true).happens(extension(story, "route", "spec"));
  EXPECT_EQ(story.states(), "route:completed other:cancelled spec:ready");
  EXPECT_EQ(story.run.next_ready(), story.step("spec"));
}

TEST(Answers, StepsThatWereReplacedBeforeTheyBeganAreGone) {
  Story story{"route; build: route"};
  answers(story, "route", Extends::route);
  story.begin().does("route").checked("route", true);
  event::PlanExtended e = extension(story, "route", "spec; build: spec");
  e.workflow = "plan-build";
  story.happens(e);
  EXPECT_EQ(story.run.step_total(), 3U);
  EXPECT_EQ(story.run.count(StepState::cancelled), 0U);
  EXPECT_TRUE(story.run.never_existed(step_index(1)));
  EXPECT_EQ(story.run.find("build"), step_index(3)) << "the name is another's now";
  EXPECT_EQ(story.run.workflow(), "plan-build");
}

TEST(Answers, AFailedCheckIsTriedAgainWhereOnlyChecksMayBe) {
  Story story{"decompose"};
  answers(story, "decompose", Extends::decompose);
  story.policy("decompose").check_retries = 1;
  story.begin().does("decompose").checked("decompose", false);
  EXPECT_EQ(story.state("decompose"), StepState::ready);
  story.does("decompose").checked("decompose", false);
  EXPECT_EQ(story.run.state(), RunState::failed) << "once, not for ever";
  Story other{"decompose"};
  other.policy("decompose").check_retries = 1;
  other.begin().begins("decompose").fails("decompose");
  EXPECT_EQ(other.run.state(), RunState::failed) << "what failed for another reason is not tried again";
}

TEST(Answers, ALimitOfTheProvidersIsNotTheSkillsFault) {
  Story story{"build"};
  story.policy("build").limit_retries = 1;
  const Failure limited{"agent-rate-limited", "too many requests", true};
  story.begin().begins("build").ends("build", limited);
  EXPECT_EQ(story.state("build"), StepState::waiting);
  story.after(Millis{2000}).fires(TimerId::Kind::retry, "build").begins("build").ends("build", limited);
  EXPECT_EQ(story.run.state(), RunState::failed);
}

TEST(Conflicts, AStepWaitsForTheOneThatResolvesAndThenHasItsTurnAgain) {
  Story story{"a; b: a"};
  story.with_flow("b", Flow{.tree = true}).begin().does("a");
  ASSERT_EQ(story.commanded<command::TakeTurn>().size(), 1U);
  event::PlanExtended e = extension(story, "b", "resolve", false);
  e.steps[0].needs = {story.step("a")};
  e.joins = {{story.step("b"), e.first}};
  story.happens(e);
  EXPECT_EQ(story.states(), "a:completed b:pending resolve:ready");
  story.does("resolve");
  const auto turns = story.commanded<command::TakeTurn>();
  ASSERT_EQ(turns.size(), 1U);
  EXPECT_EQ(turns[0].round, 2) << "another turn, so that its work has another name";
  story.turns("b", TurnVerdict::go).does("b");
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST(Conflicts, APersonIsAskedAndTheAnswerGivesTheStepItsTurnAgain) {
  Story story{"a"};
  story.with_flow("a", Flow{.tree = true}).begin().turns("a", TurnVerdict::ask);
  EXPECT_EQ(story.state("a"), StepState::waiting);
  EXPECT_EQ(story.run.state(), RunState::reviewing);
  EXPECT_FALSE(story.run.awaits_review()) << "it waits in its midst, not at its end";
  story.commands.clear();
  story.happens(event::GateAnswered{{}, true, ""});
  EXPECT_EQ(story.commanded<command::TakeTurn>().size(), 1U);
  story.turns("a", TurnVerdict::go).does("a");
  EXPECT_EQ(story.run.state(), RunState::completed);
}

/// Steps that answer, each in the tree of this name.
void works_in(Story& story, const std::vector<std::pair<std::string_view, std::string>>& trees) {
  for (const auto& [id, tree] : trees) {
    answers(story, id);
    Step& step = story.plan.steps[at(*find_step(story.plan, id))];
    Work work = *step.work;
    work.tree = tree;
    step.work = std::make_shared<const Work>(std::move(work));
    step.flow = std::make_shared<const Flow>(Flow{.tree = true});
  }
}

struct InOneTree : testing::Test {
  Story story{"spec; build: spec; review: build"};

  void SetUp() override {
    works_in(story, {{"spec", "."}, {"build", "."}, {"review", "."}});
    story.begin().turns("spec", TurnVerdict::go).does("spec").checked("spec", true);
    story.turns("build", TurnVerdict::go).begins("build").happens(event::RetryAsked{story.step("spec")});
  }
};

TEST_F(InOneTree, AStepThatIsRunAgainWaitsForTheOneAtWork) {
  EXPECT_EQ(story.states(), "spec:pending build:running review:pending");
  story.commands.clear();
  story.ends("build");
  EXPECT_TRUE(story.commanded<command::TakeTurn>().empty()) << "its changes are not committed yet";
  story.checked("build", true);
  const auto turns = story.commanded<command::TakeTurn>();
  ASSERT_EQ(turns.size(), 1U) << "one at a time";
  EXPECT_EQ(turns[0].step, story.step("review"));
  story.turns("review", TurnVerdict::go).does("review");
  story.checked("review", true).turns("spec", TurnVerdict::go).does("spec").checked("spec", true);
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST_F(InOneTree, OneThatIsReadyWaitsForATurnToBeTaken) {
  story.ends("build").checked("build", true).turns("review", TurnVerdict::go);
  EXPECT_EQ(story.state("review"), StepState::ready);
  EXPECT_EQ(story.run.next_ready(), std::nullopt) << "the tree is being made ready for another";
  story.turns("spec", TurnVerdict::go);
  EXPECT_EQ(story.run.next_ready(), story.step("review"));
  story.begins("review");
  EXPECT_EQ(story.run.next_ready(), std::nullopt);
  story.ends("review").checked("review", true);
  EXPECT_EQ(story.run.next_ready(), story.step("spec"));
}

TEST_F(InOneTree, CancelledItWaitsForNothing) {
  story.happens(event::CancelAsked{"me"}).fails("build");
  EXPECT_EQ(story.run.state(), RunState::cancelled);
}

TEST(Trees, StepsInTreesOfTheirOwnDoNotWaitForEachOther) {
  Story story{"a; b"};
  works_in(story, {{"a", "a"}, {"b", "b"}});
  story.begin();
  EXPECT_EQ(story.commanded<command::TakeTurn>().size(), 2U);
}

TEST(Trees, OneThatIsGoneIsMadeAgainBeforeTheNextAttempt) {
  Story story{"a"};
  works_in(story, {{"a", "."}});
  story.policy("a").retries = 2;
  story.begin().turns("a", TurnVerdict::go).does("a").checked("a", false);
  EXPECT_EQ(story.state("a"), StepState::ready) << "what failed otherwise has its tree";
  story.does("a").commands.clear();
  story.happens(event::OutputChecked{story.step("a"), 2, {{event::tree_gone_check, false, "gone"}}, ""});
  EXPECT_EQ(story.state("a"), StepState::pending);
  const auto turns = story.commanded<command::TakeTurn>();
  ASSERT_EQ(turns.size(), 1U);
  EXPECT_EQ(turns[0].round, 2);
  story.turns("a", TurnVerdict::go).does("a").checked("a", true);
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST(Trees, AreMadeReadyAgainWithWhatAnotherDidAgainMeanwhile) {
  Story story{"a; b: a"};
  works_in(story, {{"a", "a"}, {"b", "b"}});
  story.policy("b").check_retries = 1;
  story.begin().turns("a", TurnVerdict::go).does("a").checked("a", true).turns("b", TurnVerdict::go);
  story.begins("b").happens(event::RetryAsked{story.step("a")}).ends("b").checked("b", false);
  EXPECT_EQ(story.state("b"), StepState::pending);
  story.turns("a", TurnVerdict::go).does("a").commands.clear();
  story.checked("a", true);
  EXPECT_EQ(story.commanded<command::TakeTurn>().size(), 1U) << "what it builds on is another";
}

struct Reviewed : testing::Test {
  Story story{"build; review: build; document: review"};

  void SetUp() override {
    answers(story, "review", Extends::nothing, true);
    story.begin().does("build").does("review").checked("review", true).does("document");
  }
};

TEST_F(Reviewed, ARunWithAReviewEndsWithAPersonsWord) {
  EXPECT_EQ(story.run.state(), RunState::reviewing);
  EXPECT_TRUE(story.run.awaits_review());
  EXPECT_TRUE(story.announced(Announced::run_reviewing));
  EXPECT_FALSE(story.run.has_work());
}

TEST_F(Reviewed, AcceptedItSaysWhereTheChangeIs) {
  story.happens(event::ReviewAnswered{true, "", "0123abcd"});
  EXPECT_EQ(story.run.state(), RunState::accepted);
  EXPECT_EQ(story.run.landed(), "0123abcd");
  story.happens(event::ReviewAnswered{false, "", ""});
  EXPECT_EQ(story.run.state(), RunState::accepted) << "what is accepted stays accepted";
}

TEST_F(Reviewed, RejectedItIsOver) {
  story.happens(event::ReviewAnswered{false, "no", ""});
  EXPECT_EQ(story.run.state(), RunState::rejected);
}

TEST_F(Reviewed, ARevisionGoesOnAndIsReviewedAgain) {
  event::PlanExtended e = extension(story, "document", "build-2; review-2: build-2", false);
  e.task = "make it blue";
  story.happens(e);
  EXPECT_EQ(story.run.state(), RunState::running);
  EXPECT_EQ(story.run.later_tasks(), std::vector<std::string>{"make it blue"});
  story.does("build-2").does("review-2");
  EXPECT_TRUE(story.run.awaits_review());
}

TEST_F(Reviewed, OnlyAPersonAddsToARunThatHasEnded) {
  story.happens(extension(story, "document", "late", false));
  EXPECT_EQ(story.run.step_count(), 3U);
  EXPECT_TRUE(story.run.awaits_review());
}

TEST(Review, AFailedRunIsNotReviewed) {
  Story story{"build; review: build; document: review"};
  answers(story, "review", Extends::nothing, true);
  story.begin().does("build").does("review").checked("review", true).begins("document").fails("document");
  EXPECT_EQ(story.run.state(), RunState::failed);
  story.happens(event::ReviewAnswered{true, "", ""});
  EXPECT_EQ(story.run.state(), RunState::failed);
}

TEST(Review, ACompletedRunsChangeCanBeTakenToo) {
  Story story{"build"};
  story.begin().does("build").happens(event::ReviewAnswered{true, "", "c0ffee"});
  EXPECT_EQ(story.run.state(), RunState::accepted);
}

}  // namespace
}  // namespace baton::test
