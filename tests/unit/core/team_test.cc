// What workers of a team say, and what people decide about their tasks.
#include <gtest/gtest.h>

#include "core/facts.h"
#include "support/story.h"

namespace baton::test {
namespace {

using Announced = command::Announce::Kind;

struct TeamRun : testing::Test {
  Story story{"a; b: a; c: b; d"};

  void reports(std::string_view task, int attempt, const std::string& id, const std::string& kind = "complete") {
    story.happens(event::WorkerReported{story.step(task), attempt, id, kind, "writer", "said", ""});
  }
  void decides(std::string_view task, bool completed) {
    story.happens(event::StepDecided{story.step(task), completed, "left out by a person"});
  }
};

TEST_F(TeamRun, AReportCountsOnceAndOnlyForTheAttemptAtWork) {
  story.begin().begins("a");
  reports("a", 1, "r1");
  reports("a", 1, "r1", "error");
  reports("a", 2, "r2");
  reports("d", 1, "r3");
  ASSERT_EQ(story.run.reports().size(), 3U);
  EXPECT_EQ(story.run.reports()[0].said.kind, "complete") << "the same id again says nothing new";
  EXPECT_TRUE(story.run.reports()[0].current);
  EXPECT_FALSE(story.run.reports()[1].current) << "no attempt 2 is at work";
  EXPECT_FALSE(story.run.reports()[2].current) << "nobody is at work on d";
  EXPECT_EQ(story.state("a"), StepState::running) << "a claim changes nothing";
  story.ends("a");
  reports("a", 1, "r4");
  EXPECT_FALSE(story.run.reports().back().current) << "too late";
}

TEST_F(TeamRun, AWorkerSpeaksForAllTasksOfItsLoop) {
  Step& a = story.plan.steps[0];
  Work work = *a.work;
  work.also = {"b"};
  a.work = std::make_shared<const Work>(std::move(work));
  story.begin().begins("a");
  reports("b", 1, "r1");
  reports("c", 1, "r2");
  EXPECT_TRUE(story.run.reports()[0].current);
  EXPECT_FALSE(story.run.reports()[1].current);
}

TEST_F(TeamRun, ATimeoutPausesAndNamesTheTask) {
  story.policy("a").timeout = Millis{60'000};
  story.policy("a").timeout_pauses = true;
  story.policy("a").retries = 2;
  story.begin().begins("a").begins("d").after(Millis{60'000}).fires(TimerId::Kind::attempt_timeout, "a");
  story.ends("a", Failure{"agent-crashed", "killed", true});
  EXPECT_EQ(story.run.state(), RunState::paused);
  EXPECT_EQ(story.run.pause_cause(), PauseCause::step_timeout);
  EXPECT_NE(story.run.pause_reason().find("'a'"), std::string::npos) << story.run.pause_reason();
  EXPECT_EQ(story.state("a"), StepState::waiting);
  EXPECT_EQ(story.state("b"), StepState::pending) << "what depends on it is not given up";
  EXPECT_EQ(error_of(story.run, story.step("a"))->code, "attempt-timed-out");
  story.happens(event::ResumeAsked{}).ends("d");
  EXPECT_EQ(story.run.state(), RunState::reviewing) << "the rest went on; a person has to decide";
  story.happens(event::RetryAsked{story.step("a")});
  EXPECT_EQ(story.run.state(), RunState::running);
  story.all_goes_well();
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST_F(TeamRun, WhatIsLeftOutHoldsNobodyUp) {
  story.policy("a").timeout = Millis{60'000};
  story.policy("a").timeout_pauses = true;
  story.begin().begins("a").after(Millis{60'000}).fires(TimerId::Kind::attempt_timeout, "a");
  story.ends("a", Failure{"agent-crashed", "killed", true});
  decides("a", false);
  EXPECT_EQ(story.run.state(), RunState::running);
  EXPECT_EQ(story.state("a"), StepState::skipped);
  EXPECT_EQ(story.state("b"), StepState::ready);
  story.all_goes_well();
  EXPECT_EQ(story.run.state(), RunState::completed) << story.states();
  EXPECT_EQ(why_skipped(story.run, story.step("a")), "a person left it out");
}

TEST_F(TeamRun, WhatWasSkippedBecauseOfItWaitsAgain) {
  story.begin().begins("a").fails("a", false);
  EXPECT_EQ(story.state("c"), StepState::skipped);
  story.does("d");
  EXPECT_EQ(story.run.state(), RunState::failed);
  decides("a", true);
  EXPECT_EQ(story.states(), "a:completed b:ready c:pending d:completed");
  story.all_goes_well();
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST_F(TeamRun, NobodyDecidesAboutWhatIsAtWorkOrDone) {
  story.begin().begins("a");
  decides("a", false);
  EXPECT_EQ(story.state("a"), StepState::running);
  story.ends("a");
  decides("a", false);
  EXPECT_EQ(story.state("a"), StepState::completed);
  decides("c", false);
  EXPECT_EQ(story.state("c"), StepState::skipped);
  decides("c", true);
  EXPECT_EQ(story.state("c"), StepState::skipped) << "the first word counts";
  story.all_goes_well();
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST_F(TeamRun, NobodyDecidesAboutWhatIsMoreThanATask) {
  story.with_nothing("b").with_flow("d", Flow{.gate = true});
  story.begin();
  decides("b", true);
  decides("d", false);
  EXPECT_EQ(story.states(), "a:ready b:pending c:pending d:pending") << "what joins others, what a person approves";
}

TEST_F(TeamRun, ADecisionAboutATaskEndsNoPauseForSomethingElse) {
  story.begin().happens(event::PauseAsked{"somebody"});
  decides("a", false);
  EXPECT_EQ(story.run.state(), RunState::paused);
  EXPECT_EQ(story.state("a"), StepState::skipped);
  story.happens(event::ResumeAsked{}).all_goes_well();
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST_F(TeamRun, ARetryTakesTheWordBack) {
  story.begin();
  decides("a", false);
  story.happens(event::RetryAsked{story.step("a")});
  EXPECT_EQ(story.states(), "a:ready b:pending c:pending d:ready");
}

}  // namespace
}  // namespace baton::test
