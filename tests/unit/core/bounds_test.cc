// Walls, and how often a step is tried at all: whatever runtimes and providers say, attempts do not start without
// bound.
#include <gtest/gtest.h>

#include "core/facts.h"
#include "core/wall.h"
#include "support/story.h"

namespace baton::test {
namespace {

constexpr Millis minute{60'000};
constexpr Millis hour{3'600'000};

Failure used_up(std::optional<Time> until = {}) {
  Failure failure{"agent-usage-limit", "the quota is used up", true};
  failure.used_up = true;
  failure.parked_until = until;
  return failure;
}

/// The step runs into a wall once more, and its time comes.
Millis hits(Story& story, const Failure& wall) {
  story.begins("a").ends("a", wall);
  const Millis wait = story.due_in(retry_timer, "a").value_or(Millis{-1});
  if (story.run.state() == RunState::parked) story.after(wait).fires(retry_timer, "a");
  return wait;
}

TEST(Walls, WithAMomentToComeHoldUntilThen) {
  Story story{"a"};
  story.begin();
  EXPECT_EQ(hits(story, used_up(story.now + Millis{5000})), Millis{5000});
  EXPECT_EQ(story.state("a"), StepState::ready);
  EXPECT_EQ(story.run.of(story.step("a")).retries_used, 0);
}

TEST(Walls, WithoutAMomentToComeKeepEverythingOffForAFloorThatDoubles) {
  struct {
    const char* what;
    std::optional<Millis> from_now;
  } const cases[] = {
      {"a reset two seconds ago", Millis{-2000}}, {"a reset right now", Millis{0}}, {"no word about when", {}}};
  for (const auto& [what, from_now] : cases) {
    Story story{"a"};
    story.begin();
    Millis floor = minute;
    for (int n = 0; n < 8; ++n, floor = std::min(floor * 2, hour)) {
      const auto until = from_now ? std::optional{story.now + *from_now} : std::nullopt;
      EXPECT_EQ(hits(story, used_up(until)), floor) << what << ", wall " << n + 1;
      ASSERT_EQ(story.state("a"), StepState::ready) << what;
    }
    EXPECT_EQ(story.run.of(story.step("a")).retries_used, 0) << what;
  }
}

TEST(Walls, KeepOffAsLongAsTheRunsSettingsSay) {
  Story story{"a"};
  story.settings.wall_floor = Millis{10};
  story.begin();
  EXPECT_EQ(hits(story, used_up()), Millis{10});
  EXPECT_EQ(hits(story, used_up()), Millis{20});
}

TEST(Walls, ThatNameAMomentWhichPassedOnlyBecauseTheEndWasHeardLateAreOver) {
  Story story{"a"};
  story.begin().begins("a");
  event::AttemptEnded end{.step = story.step("a"), .attempt = 1, .failure = used_up(story.now + minute)};
  end.finished = story.now;
  story.after(2 * minute).happens(end);
  EXPECT_EQ(story.due_in(retry_timer, "a"), Millis{0});
}

TEST(Walls, AreBelievedForThirtyFiveDays) {
  Story story{"a"};
  story.begin();
  const Millis days{std::chrono::days{35}};
  EXPECT_EQ(hits(story, used_up(time_from_ms(3'976'214'400'000))), days) << "what says 2096";
  EXPECT_EQ(hits(story, Failure{"agent-rate-limited", "429", true, Millis{std::chrono::days{400}}}), days);
}

TEST(Walls, TwelveInARowPauseTheRunUntilAPersonGoesOn) {
  Story story{"a; b: a"};
  story.begin();
  for (int n = 1; n < 12; ++n) hits(story, used_up());
  story.begins("a").ends("a", used_up());
  EXPECT_EQ(story.run.state(), RunState::paused);
  EXPECT_EQ(story.run.pause_cause(), PauseCause::walls);
  EXPECT_EQ(error_of(story.run)->code, "too-many-walls");
  EXPECT_FALSE(story.run.has_work());

  story.happens(event::ResumeAsked{}).fires(retry_timer, "a");
  EXPECT_EQ(story.run.state(), RunState::running) << "who goes on does not want to wait once more";
  for (int n = 1; n < 12; ++n) hits(story, used_up());
  EXPECT_NE(story.run.state(), RunState::paused) << "it may try as often as before";
}

TEST(Walls, AnAnswerInBetweenCountsAnew) {
  Story story{"a"};
  story.policy("a") = {.retries = 9};
  story.with_output("a").begin();
  for (int n = 1; n < 12; ++n) hits(story, used_up());
  story.begins("a").ends("a").checked("a", false);
  ASSERT_EQ(story.state("a"), StepState::ready);
  EXPECT_EQ(hits(story, used_up()), minute);
  EXPECT_EQ(story.state("a"), StepState::ready);
}

TEST(Walls, OfARunThatOtherRulesBeganAreReplayedAsTheyWere) {
  Story story{"a"};
  story.happens(event::RunCreated{std::make_shared<const Plan>(story.plan), story.settings});
  story.happens(event::DriverTook{.pid = 1, .host = "here", .epoch = 1, .rules = event::Rules::first});
  for (int n = 0; n < 40; ++n) EXPECT_EQ(hits(story, used_up(story.now - Millis{2000})), Millis{0});
  EXPECT_EQ(story.attempts("a"), 40);

  story.happens(event::DriverTook{2, "here", 2}).begins("a").ends("a", used_up());
  EXPECT_EQ(story.run.pause_cause(), PauseCause::walls) << "and bounded from its next driver on";
  EXPECT_EQ(story.run.state(), RunState::paused);
}

TEST(Deferrals, ByAProviderAreBelievedForThirtyFiveDaysAndThoseByABudgetToTheMoment) {
  for (const bool by_budget : {false, true}) {
    Story story{"a"};
    story.begin();
    const Millis days{std::chrono::days{36}};
    story.happens(event::StepDeferred{story.step("a"), "claude", story.now + days, by_budget ? "money" : ""});
    EXPECT_EQ(story.due_in(retry_timer, "a"), by_budget ? days : Millis{std::chrono::days{35}});
  }
}

TEST(Starts, OfAStepAreThirtyInAMinuteAtMost) {
  Story story{"a"};
  story.begin();
  for (int n = 0; n < 30; ++n) {
    ASSERT_EQ(story.state("a"), StepState::ready) << n;
    story.begins("a").vanishes("a").after(Millis{100});
  }
  ASSERT_EQ(story.state("a"), StepState::waiting);
  const Millis wait = story.due_in(retry_timer, "a").value();
  EXPECT_EQ(wait, minute - Millis{30 * 100}) << "until the first of them is a minute ago";
  EXPECT_EQ(story.run.state(), RunState::running);
  story.after(wait).fires(retry_timer, "a");
  EXPECT_EQ(story.state("a"), StepState::ready);
}

TEST(Starts, ThatAPersonAsksForAreBoundedToo) {
  Story story{"a"};
  story.begin();
  for (int n = 0; n < 30; ++n) story.does("a").happens(event::RetryAsked{story.step("a")});
  EXPECT_EQ(story.state("a"), StepState::waiting);
  EXPECT_EQ(story.due_in(retry_timer, "a"), minute);
}

TEST(Starts, OfAStepAreTenThousandInARunAtMost) {
  Story story{"a; b: a"};
  story.policy("a").retries = 60'000;
  story.begin();
  while (story.state("a") != StepState::failed) {
    ASSERT_LE(story.attempts("a"), 10'000);
    if (story.state("a") == StepState::waiting) {
      story.after(story.due_in(retry_timer, "a").value()).fires(retry_timer, "a");
    } else {
      story.begins("a").ends("a", Failure{"checks-failed", "wrong", true});
    }
    story.history.clear();
    story.commands.clear();
  }
  EXPECT_EQ(story.attempts("a"), 10'000);
  EXPECT_EQ(error_of(story.run, story.step("a"))->code, "too-many-attempts");
  EXPECT_EQ(story.run.state(), RunState::failed);
}

}  // namespace
}  // namespace baton::test
