// Attempts that are admitted on the condition that the step they need ends well.
#include <gtest/gtest.h>

#include "core/facts.h"
#include "support/digest.h"
#include "support/story.h"

namespace baton::test {
namespace {

/// Admits the step behind `id`, if there is one that may be.
bool admit_after(Story& story, std::string_view id) {
  const auto next = story.run.next_after(story.step(id));
  if (!next) return false;
  story.happens(
      event::AttemptAdmitted{*next, story.run.next_attempt(*next), "command", "", "boot", story.attempts(id)});
  return true;
}
Story& drop(Story& story, std::string_view id) {
  return story.happens(event::AttemptEnded{
      .step = story.step(id), .attempt = story.attempts(id), .finished = story.now, .dropped = true});
}
StepState shown(const Story& story, std::string_view id) { return shown_state(story.run, story.step(id)); }

TEST(Ahead, TheNextOneIsAdmittedWhileTheOneBeforeItRuns) {
  Story story{"a; b: a"};
  story.begin().begins("a").commands.clear();
  ASSERT_TRUE(admit_after(story, "a"));
  EXPECT_EQ(shown(story, "b"), StepState::pending);
  EXPECT_TRUE(shown_attempts(story.run, story.step("b")).empty());
  EXPECT_EQ(story.run.in_flight(), 1U) << "it takes up no slot";
  const auto starts = story.commanded<command::StartAttempt>();
  ASSERT_EQ(starts.size(), 1U);
  EXPECT_EQ(starts[0].step, story.step("b"));
  story.ends("a");
  EXPECT_EQ(shown(story, "b"), StepState::running);
  EXPECT_EQ(story.run.in_flight(), 1U);
  EXPECT_FALSE(story.run.next_ready()) << "it is not admitted twice";
  story.start("b").ends("b");
  EXPECT_EQ(story.run.state(), RunState::completed);
  EXPECT_EQ(story.attempts("b"), 1);
}

TEST(Ahead, NothingIsWhereRunsTakeTurns) {
  Story story{"a; b: a"};
  story.happens(event::RunCreated{std::make_shared<const Plan>(story.plan), story.settings});
  story.happens(event::DriverTook{1, "here", 1, true}).happens(event::PlaceTaken{}).begins("a");
  EXPECT_FALSE(admit_after(story, "a"));
  EXPECT_EQ(shown(story, "b"), StepState::pending);
}

TEST(Ahead, WhatWasDroppedNeverWas) {
  Story story{"a; b: a"};
  story.begin().begins("a");
  ASSERT_TRUE(admit_after(story, "a"));
  story.fails("a", false);
  EXPECT_EQ(story.run.state(), RunState::running) << "b's end has to be heard";
  EXPECT_EQ(shown(story, "b"), StepState::pending);
  drop(story, "b");
  EXPECT_EQ(story.states(), "a:failed b:skipped");
  EXPECT_EQ(story.attempts("b"), 0);
  EXPECT_EQ(story.run.state(), RunState::failed);
}

TEST(Ahead, WhatWasDroppedIsTriedWhenTheStepBeforeItWorkedAfterAll) {
  Story story{"a; b: a"};
  story.policy("a").retries = 1;
  story.begin().begins("a");
  ASSERT_TRUE(admit_after(story, "a"));
  drop(story.fails("a"), "b");
  EXPECT_EQ(story.states(), "a:waiting b:pending");
  story.after(Millis{5000}).fires(TimerId::Kind::retry, "a").begins("a");
  ASSERT_TRUE(admit_after(story, "a"));
  story.ends("a").start("b").ends("b");
  EXPECT_EQ(story.run.state(), RunState::completed);
  EXPECT_EQ(story.attempts("b"), 1);
}

TEST(Ahead, OneThatIsDroppedThoughTheStepBeforeItWorkedIsReady) {
  Story story{"a; b: a"};
  story.begin().begins("a");
  ASSERT_TRUE(admit_after(story, "a"));
  drop(story.ends("a"), "b");
  EXPECT_EQ(story.states(), "a:completed b:ready");
  EXPECT_EQ(story.run.in_flight(), 0U);
  EXPECT_EQ(story.all_goes_well().run.state(), RunState::completed);
}

TEST(Ahead, AnAttemptIsFollowedOnce) {
  Story story{"a; b: a; c: a"};
  story.begin().begins("a");
  ASSERT_TRUE(admit_after(story, "a"));
  EXPECT_FALSE(admit_after(story, "a"));
  drop(story, "b");
  EXPECT_EQ(story.state("b"), StepState::pending);
  EXPECT_EQ(story.run.in_flight(), 1U);
  EXPECT_FALSE(admit_after(story, "a")) << "or it would be asked for again and again while nobody takes it";
  EXPECT_EQ(story.ends("a").all_goes_well().run.state(), RunState::completed);
}

TEST(Ahead, ALineIsShort) {
  Story story{"a; b: a; c: b; d: c; e: d; f: e; g: f"};
  story.begin().begins("a");
  std::string_view last = "a";
  for (const std::string_view next : {"b", "c", "d", "e"}) {
    ASSERT_TRUE(admit_after(story, last));
    last = next;
  }
  EXPECT_FALSE(admit_after(story, "e"));
  EXPECT_EQ(story.run.in_flight(), 1U);
  story.ends("a").start("b");
  EXPECT_TRUE(admit_after(story, "e"));
  EXPECT_FALSE(admit_after(story, "f"));
}

TEST(Ahead, OnlyPlainCommandsThatNeedNothingElse) {
  const auto may = [](const auto& change) {
    Story story{"z; a; b: a"};
    change(story);
    story.begin();
    if (story.state("a") == StepState::ready) story.begins("a");
    return admit_after(story, "a");
  };
  EXPECT_TRUE(may([](Story&) {}));
  EXPECT_FALSE(may([](Story& s) { s.with_output("b"); })) << "its folder is made when its turn comes";
  EXPECT_FALSE(may([](Story& s) { s.with_output("a"); })) << "its output has to be checked";
  EXPECT_FALSE(may([](Story& s) { s.plan.steps[2].needs.push_back(step_index(0)); }));
  EXPECT_FALSE(may([](Story& s) { s.with_flow("b", {.gate = true}); }));
  EXPECT_FALSE(may([](Story& s) { s.plan.steps[2].work = std::make_shared<const Work>(Work{.skill = "x"}); }));
  EXPECT_FALSE(may([](Story& s) { s.plan.steps[1].work = std::make_shared<const Work>(Work{.skill = "x"}); }));
  EXPECT_FALSE(may([](Story& s) { s.with_nothing("b"); }));
  EXPECT_FALSE(may([](Story& s) { s.policy("b").on_unknown = OnUnknown::ask; })) << "nobody is to be asked for nothing";
  EXPECT_FALSE(may([](Story& s) {
    s.plan.steps[0].work = std::make_shared<const Work>(Work{.skill = "x", .extends = Extends::route});
  })) << "what is still to come may be replaced";
}

TEST(Ahead, NotWhileTheRunStandsStillOrTheAttemptIsToEnd) {
  Story story{"a; b: a"};
  story.policy("a").timeout = Millis{1000};
  story.begin().begins("a");
  story.happens(event::PauseAsked{"me"});
  EXPECT_FALSE(admit_after(story, "a"));
  story.happens(event::ResumeAsked{});
  ASSERT_TRUE(story.run.next_after(story.step("a")));
  story.after(Millis{1000}).fires(TimerId::Kind::attempt_timeout, "a");
  EXPECT_FALSE(admit_after(story, "a"));
}

TEST(Ahead, AnAdmissionThatDoesNotFitChangesNothing) {
  Story story{"a; b: a; c: b"};
  story.begin().begins("a");
  const std::uint64_t before = digest(story.run);
  story.happens(event::AttemptAdmitted{story.step("b"), 1, "command", "", "boot", 2});
  story.happens(event::AttemptAdmitted{story.step("b"), 2, "command", "", "boot", 1});
  story.happens(event::AttemptAdmitted{story.step("c"), 1, "command", "", "boot", 1});
  EXPECT_EQ(digest(story.run), before);
}

TEST(Ahead, CancellingStopsTheLineFirst) {
  Story story{"a; b: a; c: b"};
  story.begin().begins("a");
  ASSERT_TRUE(admit_after(story, "a") && admit_after(story, "b"));
  story.commands.clear();
  story.happens(event::CancelAsked{"me"});
  const auto stops = story.commanded<command::StopAttempt>();
  ASSERT_EQ(stops.size(), 3U);
  EXPECT_EQ(stops[2].step, story.step("a")) << "or its end would let the others begin";
  drop(drop(story, "b"), "c");
  EXPECT_EQ(story.states(), "a:running b:cancelled c:cancelled");
  story.fails("a");
  EXPECT_EQ(story.run.state(), RunState::cancelled);
  EXPECT_EQ(story.attempts("b") + story.attempts("c"), 0);
  EXPECT_EQ(story.happens(event::RetryAsked{}).all_goes_well().run.state(), RunState::completed);
}

TEST(Ahead, OneThatBeganBeforeItWasCancelledIsCancelledAsEver) {
  Story story{"a; b: a"};
  story.begin().begins("a");
  ASSERT_TRUE(admit_after(story, "a"));
  story.happens(event::CancelAsked{"me"}).ends("a").start("b").fails("b");
  EXPECT_EQ(story.states(), "a:completed b:cancelled");
  EXPECT_EQ(story.attempts("b"), 1);
  EXPECT_EQ(story.run.state(), RunState::cancelled);
}

TEST(Ahead, ALostStepTakesTheLineBack) {
  Story story{"a; b: a; c: b"};
  story.begin().begins("a");
  ASSERT_TRUE(admit_after(story, "a") && admit_after(story, "b"));
  story.vanishes("a");
  EXPECT_EQ(story.state("a"), StepState::ready);
  story.begins("a");  // before the others are heard of: they do not belong to this attempt
  drop(drop(story, "b"), "c");
  EXPECT_EQ(story.states(), "a:running b:pending c:pending");
  EXPECT_EQ(story.run.in_flight(), 1U);
  EXPECT_TRUE(admit_after(story, "a") && admit_after(story, "b"));
  story.ends("a").start("b").ends("b").start("c").ends("c");
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST(Ahead, TakenUpAgainTheLineStandsInItsOrder) {
  Plan plan = plan_of("c; b; a");
  plan.steps[0].needs = {step_index(1)};
  plan.steps[1].needs = {step_index(2)};
  Story story{std::move(plan)};
  story.begin().begins("a");
  ASSERT_TRUE(admit_after(story, "a") && admit_after(story, "b"));
  std::string order;
  for (const Command& c : story.run.outstanding()) {
    if (const auto* start = std::get_if<command::StartAttempt>(&c)) order += story.run.step(start->step).id;
  }
  EXPECT_EQ(order, "abc");
}

}  // namespace
}  // namespace baton::test
