// What a run knows of its steps' outputs: their digests, when they were checked, and what an edit leads to.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/story.h"

namespace baton::test {
namespace {

TEST(Outputs, TheTimeOfACheckIsKept) {
  Story story{"a; b: a"};
  story.with_output("a").begin().does("a").after(Millis{30}).checked("a", true);
  EXPECT_EQ(story.run.checked_at(story.step("a")), story.now);
  EXPECT_EQ(story.run.checked_at(story.step("b")), Time{}) << "it has no output";
  story.after(Millis{500}).happens(event::OutputChanged{story.step("a"), {}, "other"});
  EXPECT_EQ(story.run.checked_at(story.step("a")), story.now);
}

TEST(Outputs, WhatIsFoundWasCheckedWhenTheRunBegan) {
  Story story{"a; b: a"};
  story.with_output("a");
  story.happens(event::RunCreated{std::make_shared<const Plan>(story.plan), story.settings, {{step_index(0), "d"}}});
  const Time began = story.now;
  story.after(Millis{10}).happens(event::DriverTook{1, "here", 1});
  EXPECT_EQ(story.run.checked_at(story.step("a")), began);
  story.happens(event::OutputChanged{story.step("a"), {}, "other"});
  EXPECT_EQ(story.run.checked_at(story.step("a")), story.now);
  EXPECT_EQ(story.run.digest_of(story.step("a")), "other");
}

TEST(Outputs, TheSameOutputToldAgainChangesNothing) {
  Story story{"a; b: a"};
  story.with_output("a").begin().does("a").checked("a", true).does("b");
  ASSERT_EQ(story.run.state(), RunState::completed);
  story.happens(event::OutputChanged{story.step("a"), {}, "d"});
  EXPECT_EQ(story.run.state(), RunState::completed) << "it was written again, and that is known";
  story.happens(event::OutputChanged{story.step("a"), {}, "other"});
  EXPECT_EQ(story.states(), "a:completed b:ready");
}

TEST(Outputs, AnEditOfACompositesOutputIsRememberedToo) {
  Story story{"a; b: a"};
  story.with_output("a").with_flow("a", {.for_each = "[1]"}).begin();
  event::TurnTaken done;
  done.step = story.step("a");
  done.generation = 1;
  done.round = 1;
  done.verdict = TurnVerdict::done;
  done.digest = "d1";
  story.happens(done).does("b");
  EXPECT_EQ(story.run.checked_at(story.step("a")), story.now);
  story.after(Millis{10}).happens(event::OutputChanged{story.step("a"), {}, "d2"});
  EXPECT_EQ(story.run.digest_of(story.step("a")), "d2");
  EXPECT_EQ(story.run.checked_at(story.step("a")), story.now);
  EXPECT_EQ(story.states(), "a:completed b:ready");
}

bool asks_to_verify(const std::vector<Command>& commands) {
  return std::ranges::any_of(commands,
                             [](const Command& c) { return std::holds_alternative<command::VerifyOutputs>(c); });
}

event::OutputDoubted doubt(const Story& story, std::string_view id, std::string_view by = {}) {
  return {story.step(id), by.empty() ? std::optional<StepIndex>{} : story.step(by)};
}

TEST(Outputs, ARunIsOverOnceAllOfThemWereLookedAt) {
  Story story{"a; b: a"};
  story.outputs_stand = false;
  story.with_output("a").begin().does("a").checked("a", true).does("b");
  EXPECT_EQ(story.run.state(), RunState::running);
  EXPECT_TRUE(story.run.has_work());
  EXPECT_TRUE(asks_to_verify(story.commands));
  EXPECT_TRUE(asks_to_verify(story.run.outstanding())) << "whoever takes it up looks as well";
  story.happens(event::OutputsStand{});
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST(Outputs, ARunWithoutAnyIsNotLookedAtAndOneOfOldRulesIsNot) {
  Story none{"a"};
  none.outputs_stand = false;
  none.begin().does("a");
  EXPECT_EQ(none.run.state(), RunState::completed);
  Story old{"a"};
  old.outputs_stand = false;
  old.with_output("a").begin();
  old.happens(event::DriverTook{.pid = 1, .host = "here", .epoch = 1, .rules = event::Rules::bounded});
  old.does("a").checked("a", true);
  EXPECT_EQ(old.run.state(), RunState::completed);
}

TEST(Outputs, ALookThatIsAnsweredLateEndsNothingThatGoesOn) {
  Story story{"a; b: a"};
  story.outputs_stand = false;
  story.with_output("a").begin().does("a").checked("a", true).does("b");
  story.happens(event::RetryAsked{story.step("b")}).happens(event::OutputsStand{});
  EXPECT_EQ(story.states(), "a:completed b:ready");
  EXPECT_EQ(story.run.state(), RunState::running);
}

TEST(Outputs, OneInDoubtIsCheckedAgainAndThoseThatHaveNotBegunWait) {
  Story story{"a; b: a; c: a"};
  story.with_output("a").begin().does("a").checked("a", true).begins("b");
  story.happens(doubt(story, "a", "c"));
  EXPECT_EQ(story.states(), "a:checking b:running c:pending") << "what is at work goes on";
  story.checked("a", true);
  EXPECT_EQ(story.states(), "a:completed b:running c:ready");
  EXPECT_EQ(story.attempts("a"), 1) << "nothing is made twice";
}

TEST(Outputs, TheOneThatWasAboutToBuildOnItWaitsIfOnlyThroughOthers) {
  Story story{"a; gate: a; c: gate"};
  story.with_output("a").with_nothing("gate").begin().does("a").checked("a", true);
  ASSERT_EQ(story.states(), "a:completed gate:completed c:ready");
  story.happens(doubt(story, "a", "c"));
  EXPECT_EQ(story.states(), "a:checking gate:completed c:pending");
  story.checked("a", false);
  EXPECT_EQ(story.states(), "a:failed gate:completed c:skipped");
}

TEST(Outputs, OneThatFailsNowIsPaidForAgainOnlyIfAPersonSaysSo) {
  Story story{"a; b: a; c: b; d"};
  story.outputs_stand = false;
  story.with_output("a").policy("a").retries = 3;
  story.begin().does("a").checked("a", true).does("b").does("c").does("d");
  story.happens(doubt(story, "a")).checked("a", false);
  EXPECT_EQ(story.states(), "a:failed b:completed c:completed d:completed");
  EXPECT_EQ(story.run.state(), RunState::failed);
  story.happens(event::ResumeAsked{});
  EXPECT_EQ(story.states(), "a:ready b:pending c:pending d:completed") << "and with it all that was made from it";
}

TEST(Outputs, OneThatDoesNotKeepStillIsNotWaitedForForEver) {
  Story story{"a; b: a"};
  story.with_output("a").begin().does("a").checked("a", true);
  int checks = 1;
  for (; checks < 100 && story.state("a") == StepState::completed; ++checks) {
    story.happens(doubt(story, "a", "b")).checked("a", true);
  }
  EXPECT_EQ(checks, 11);
  EXPECT_EQ(story.states(), "a:failed b:skipped");
}

TEST(Outputs, OneThatOthersChangeOneAfterTheOtherIsKept) {
  std::string graph = "a";
  for (int n = 1; n <= 15; ++n) graph += "; e" + std::to_string(n) + ": a";
  Story story{graph};
  story.with_output("a").begin().does("a").checked("a", true);
  for (int n = 1; n <= 15; ++n) {
    const std::string edits = "e" + std::to_string(n);
    story.happens(doubt(story, "a", edits)).checked("a", true).does(edits);
  }
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST(Outputs, ALoopIsNotGoneOnWithBecauseARoundsOutputIsAnother) {
  Story story{"a; b: a"};
  story.with_output("a").with_flow("a", {.until = "output.n == 1", .loop_max = 3}).begin();
  Step round = plan_of("i").steps[0];
  Work work = *round.work;
  work.output = "i.json";
  round.work = std::make_shared<const Work>(std::move(work));
  story.happens(event::TurnTaken{.step = story.step("a"), .generation = 1, .round = 1, .made = {round}});
  story.does("i").checked("i", true).turns("a", TurnVerdict::done);
  ASSERT_EQ(story.states(), "a:completed b:ready i:completed");
  story.happens(doubt(story, "i", "b"));
  story.happens(event::OutputChecked{story.step("i"), 1, {}, "another"});
  EXPECT_EQ(story.states(), "a:completed b:ready i:completed");
}

TEST(Outputs, AStepThatWaitsForWhatGaveWayWaitsNoLonger) {
  Story story{"a; y: a; x: y"};
  story.with_flow("a", {.for_each = "[1]"}).begin();
  Step item = plan_of("i").steps[0];
  Work work = *item.work;
  work.output = "i.json";
  item.work = std::make_shared<const Work>(std::move(work));
  story.happens(event::TurnTaken{.step = story.step("a"), .generation = 1, .round = 1, .made = {item}});
  story.does("i").checked("i", true).turns("a", TurnVerdict::done).does("y");
  story.happens(doubt(story, "i", "x")).checked("i", true);  // x needs the item itself from now on
  story.happens(event::RetryAsked{story.step("y")}).begins("y");
  story.happens(event::RetryAsked{story.step("i")});
  story.happens(event::RetryAsked{story.step("a")});
  ASSERT_EQ(story.state("x"), StepState::pending);
  story.ends("y");
  EXPECT_EQ(story.state("x"), StepState::ready) << story.states();
}

TEST(Outputs, AListIsPutTogetherAnewFromAnItemThatIsAnother) {
  Story story{"a; b: a"};
  story.with_output("a").with_flow("a", {.for_each = "[1]"}).begin();
  Step item = plan_of("i").steps[0];
  Work work = *item.work;
  work.output = "i.json";
  item.work = std::make_shared<const Work>(std::move(work));
  event::TurnTaken made{
      .step = story.step("a"), .generation = 1, .round = 1, .verdict = TurnVerdict::go, .made = {item}};
  story.happens(made).does("i").checked("i", true);
  event::TurnTaken done{.step = story.step("a"), .generation = 1, .round = 2, .verdict = TurnVerdict::done};
  done.digest = "list";
  story.happens(done);
  ASSERT_EQ(story.states(), "a:completed b:ready i:completed");
  story.happens(doubt(story, "i", "b"));
  story.happens(event::OutputChecked{story.step("i"), 1, {}, "another"});
  EXPECT_EQ(story.states(), "a:pending b:pending i:completed");
  story.happens(done);
  EXPECT_EQ(story.states(), "a:completed b:ready i:completed");
}

TEST(Outputs, ADoubtThatIsToldTwiceLetsBothWait) {
  Story story{"a; b: a; c: a"};
  story.with_output("a").with_flow("b", {.when = "1 == 1"}).with_flow("c", {.when = "1 == 1"});
  story.begin().does("a").checked("a", true);
  story.happens(doubt(story, "a", "b")).happens(doubt(story, "a", "c"));
  EXPECT_EQ(story.states(), "a:checking b:pending c:pending");
  story.commands.clear();
  story.checked("a", true);
  const auto turns = std::ranges::count_if(
      story.commands, [](const Command& c) { return std::holds_alternative<command::TakeTurn>(c); });
  EXPECT_EQ(turns, 2) << "each has its turn once more";
}

TEST(Outputs, OneThatWasFoundIsMadeWhereItIsNoLongerWhatItWas) {
  Story story{"a; b: a"};
  story.with_output("a");
  story.happens(event::RunCreated{std::make_shared<const Plan>(story.plan), story.settings, {{step_index(0), "d"}}});
  story.happens(event::DriverTook{1, "here", 1});
  ASSERT_EQ(story.states(), "a:completed b:ready");
  story.happens(doubt(story, "a", "b"));
  EXPECT_EQ(story.states(), "a:ready b:pending");
}

TEST(Outputs, TheListOfACompositeIsPutTogetherOnceMore) {
  Story story{"a; b: a"};
  story.with_output("a").with_flow("a", {.for_each = "[1]"}).begin();
  story.turns("a", TurnVerdict::go, "i").does("i");
  event::TurnTaken done{.step = story.step("a"), .generation = 1, .round = 2, .verdict = TurnVerdict::done};
  done.digest = "d";
  story.happens(done);
  ASSERT_EQ(story.states(), "a:completed b:ready i:completed");
  story.commands.clear();
  story.happens(doubt(story, "a", "b"));
  EXPECT_EQ(story.states(), "a:pending b:pending i:completed") << "nothing of it runs again";
  story.happens(done);
  EXPECT_EQ(story.states(), "a:completed b:ready i:completed");
}

}  // namespace
}  // namespace baton::test
