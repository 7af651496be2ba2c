// What a run knows of its steps' outputs: their digests, when they were checked, and what an edit leads to.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace baton::test
