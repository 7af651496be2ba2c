// Pauses, timeouts, budgets and cancelling, at every moment of a step's life.
#include <gtest/gtest.h>

#include "support/digest.h"
#include "support/story.h"

namespace baton::test {
namespace {

using Announced = command::Announce::Kind;
constexpr auto timeout_timer = TimerId::Kind::attempt_timeout;
constexpr auto budget_timer = TimerId::Kind::time_budget;

/// Steps up to one moment of the life of `a`.
struct Moment {
  const char* name;
  void (*reach)(Story&);
  bool in_flight;
};
const std::vector<Moment> moments = {
    {"ready", [](Story& s) { s.begin(); }, false},
    {"admitted", [](Story& s) { s.begin().admit("a"); }, true},
    {"running", [](Story& s) { s.begin().begins("a"); }, true},
    {"checking", [](Story& s) { s.begin().begins("a").ends("a"); }, false},
    {"waiting", [](Story& s) { s.begin().begins("a").fails("a"); }, false},
};
Story story_at(const Moment& moment) {
  Story story{"a; b: a"};
  story.policy("a") = {.retries = 1, .timeout = Millis{60'000}};
  story.with_output("a");
  moment.reach(story);
  story.commands.clear();
  return story;
}

TEST(Pause, AtEveryMomentStopsEverythingUntilResumed) {
  for (const Moment& moment : moments) {
    SCOPED_TRACE(moment.name);
    Story story = story_at(moment);
    const auto retry_left = story.due_in(retry_timer, "a");
    const bool at_work = moment.in_flight || story.state("a") == StepState::checking;  // a check may be a process
    story.happens(event::PauseAsked{"me"});
    EXPECT_EQ(story.run.state(), RunState::paused);
    EXPECT_EQ(story.run.pause_reason(), "me");
    EXPECT_FALSE(story.run.next_ready());
    EXPECT_EQ(story.commanded<command::FreezeAttempts>().size(), at_work ? 1U : 0U);
    for (const Command& c : story.run.outstanding()) EXPECT_FALSE(std::holds_alternative<command::SetTimer>(c));
    story.after(std::chrono::hours{100}).happens(event::ResumeAsked{});
    EXPECT_EQ(story.run.state(), RunState::running);
    EXPECT_EQ(story.commanded<command::ThawAttempts>().size(), 1U) << "the host may hold back what starts next";
    EXPECT_EQ(story.due_in(retry_timer, "a"), retry_left);
  }
}

TEST(Pause, WhatEndsMeanwhileIsTakenNoteOf) {
  Story story{"a; b: a"};
  story.begin().begins("a").happens(event::PauseAsked{"me"}).ends("a");
  EXPECT_EQ(story.states(), "a:completed b:ready");
  EXPECT_FALSE(story.run.next_ready());
  story.happens(event::ResumeAsked{}).all_goes_well();
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST(Pause, AsTheLastStepEndsIsFollowedByTheEnd) {
  Story story{"a"};
  story.begin().begins("a").happens(event::PauseAsked{"me"}).ends("a");
  EXPECT_EQ(story.run.state(), RunState::paused);
  story.happens(event::ResumeAsked{});
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST(Timeout, StopsTheAttemptAndCountsAsAFailure) {
  Story story{"a"};
  story.policy("a") = {.retries = 1, .timeout = Millis{5000}};
  story.begin().begins("a");
  EXPECT_EQ(story.due_in(timeout_timer, "a"), Millis{5000});
  story.after(Millis{5000}).fires(timeout_timer, "a");
  ASSERT_EQ(story.commanded<command::StopAttempt>().size(), 1U);
  EXPECT_EQ(story.state("a"), StepState::running) << "it is over when it has ended, not before";
  story.ends("a", Failure{"attempt-stopped", "", false});
  EXPECT_EQ(story.run.attempt(story.step("a"), 1)->detail->failure->code, "attempt-timed-out");
  EXPECT_EQ(story.state("a"), StepState::waiting);
}

TEST(Timeout, OfAnAttemptThatHadEndedInTimeIsNoFailure) {
  Story story{"a; b"};
  for (const char* id : {"a", "b"}) story.policy(id) = {.retries = 1, .timeout = Millis{5000}};
  story.begin().begins("a").begins("b");
  const Time in_time = story.now + Millis{4999};
  story.after(Millis{60'000}).fires(timeout_timer, "a").fires(timeout_timer, "b");  // the engine itself stood still
  story.happens(event::AttemptEnded{.step = story.step("a"), .attempt = 1, .exit = 0, .finished = in_time});
  story.happens(event::AttemptEnded{.step = story.step("b"), .attempt = 1, .exit = 0, .finished = story.now});
  EXPECT_EQ(story.states(), "a:completed b:waiting") << "b left as if all were well, but only when it was told to";
}

TEST(Timeout, BeginsWithTheProcessNotWithItsAdmission) {
  Story story{"a"};
  story.policy("a").timeout = Millis{5000};
  story.begin().admit("a").after(Millis{60'000});
  EXPECT_FALSE(story.due_in(timeout_timer, "a"));
  story.happens(event::AttemptStarted{story.step("a"), 1, 42, story.now - Millis{1000}});
  EXPECT_EQ(story.due_in(timeout_timer, "a"), Millis{4000}) << "told a second late";
}

TEST(Timeout, DoesNotRunWhilePaused) {
  Story story{"a"};
  story.policy("a").timeout = Millis{5000};
  story.begin().begins("a").after(Millis{2000}).happens(event::PauseAsked{"me"});
  story.after(std::chrono::hours{5}).fires(timeout_timer, "a");
  EXPECT_TRUE(story.commanded<command::StopAttempt>().empty());
  story.happens(event::ResumeAsked{});
  EXPECT_EQ(story.due_in(timeout_timer, "a"), Millis{3000});
}

TEST(Timeout, DoesNotCountPausesBeforeTheStartWasTold) {
  Story story{"a"};
  story.policy("a").timeout = Millis{5000};
  story.begin().admit("a").after(Millis{10});
  const Time started = story.now;
  for (int n = 0; n < 2; ++n) {
    story.after(Millis{1000})
        .happens(event::PauseAsked{"me"})
        .after(std::chrono::hours{1})
        .happens(event::ResumeAsked{});
  }
  story.after(Millis{500}).happens(event::PauseAsked{"me"}).after(std::chrono::hours{1});
  story.happens(event::AttemptStarted{story.step("a"), 1, 42, started}).happens(event::ResumeAsked{});
  EXPECT_EQ(story.due_in(timeout_timer, "a"), Millis{2500});
}

TEST(TimeBudget, PausesTheRunAndCountsNoPauses) {
  Story story{"a; b: a"};
  story.settings.time_budget = Millis{10'000};
  story.begin().begins("a").after(Millis{4000}).happens(event::PauseAsked{"me"});
  story.after(std::chrono::hours{1}).happens(event::ResumeAsked{});
  EXPECT_EQ(story.due_in(budget_timer), Millis{6000});
  story.after(Millis{6000}).fires(budget_timer);
  EXPECT_EQ(story.run.state(), RunState::paused);
  EXPECT_NE(story.run.pause_reason().find("time budget"), std::string::npos);
  RunSettings more = story.settings;
  more.time_budget = Millis{15'000};
  story.happens(event::SettingsChanged{more}).happens(event::ResumeAsked{});
  EXPECT_EQ(story.due_in(budget_timer), Millis{5000});
}

TEST(TimeBudget, ResumedWithoutMoreTimePausesAgain) {
  Story story{"a"};
  story.settings.time_budget = Millis{1000};
  story.begin().begins("a").after(Millis{1000}).fires(budget_timer).happens(event::ResumeAsked{});
  EXPECT_EQ(story.due_in(budget_timer), Millis{0});
  story.fires(budget_timer);
  EXPECT_EQ(story.run.state(), RunState::paused);
}

TEST(TimeBudget, StandsStillWhileAPersonIsAsked) {
  Story story{"a"};
  story.settings.time_budget = Millis{10'000};
  story.policy("a").on_unknown = OnUnknown::ask;
  story.begin().begins("a").after(Millis{1000}).vanishes("a");
  ASSERT_EQ(story.run.state(), RunState::reviewing);
  story.after(std::chrono::hours{10}).fires(budget_timer);
  EXPECT_EQ(story.run.state(), RunState::reviewing);
  story.happens(event::RetryAsked{});
  EXPECT_EQ(story.due_in(budget_timer), Millis{9000});
}

TEST(Budget, OfTokensWarnsAtFourFifthsAndThenPauses) {
  Story story{"a"};
  story.settings.token_budget = 1000;
  story.begin().begins("a").uses("a", 799);
  EXPECT_FALSE(story.announced(Announced::budget_warning));
  story.uses("a", 800);
  EXPECT_TRUE(story.announced(Announced::budget_warning));
  story.commands.clear();
  story.uses("a", 900);
  EXPECT_FALSE(story.announced(Announced::budget_warning)) << "once is enough";
  story.uses("a", 1000);
  EXPECT_EQ(story.run.state(), RunState::paused);
  EXPECT_EQ(story.commanded<command::FreezeAttempts>().size(), 1U);
}

TEST(Budget, OfDollarsPausesAndCanBeRaised) {
  Story story{"a"};
  story.settings.cost_budget = Cost{1'000'000'000};
  story.begin().begins("a").uses("a", 10, Cost{1'000'000'000});
  EXPECT_EQ(story.run.state(), RunState::paused);
  story.happens(event::ResumeAsked{});
  EXPECT_EQ(story.run.state(), RunState::paused) << "nothing is left of it";
  RunSettings more = story.settings;
  more.cost_budget = Cost{2'000'000'000};
  story.happens(event::SettingsChanged{more}).happens(event::ResumeAsked{});
  EXPECT_EQ(story.run.state(), RunState::running);
  story.commands.clear();
  story.uses("a", 10, Cost{1'600'000'000});
  EXPECT_TRUE(story.announced(Announced::budget_warning)) << "a new budget has a warning of its own";
}

TEST(Budget, CountsWhatAnAttemptSaysOfItselfOnce) {
  Story story{"a; b"};
  story.begin().begins("a").begins("b").uses("a", 100, Cost{5}).uses("a", 150, Cost{7}).uses("a", 150, Cost{7});
  story.uses("b", 10, Cost{1});
  EXPECT_EQ(story.run.tokens().total(), 160);
  EXPECT_EQ(story.run.cost(), Cost{8});
  story.uses("b", 20);
  EXPECT_FALSE(story.run.cost()) << "a cost that is not known is never 0";
}

TEST(Cancel, AtEveryMomentEndsTheRun) {
  for (const bool paused : {false, true}) {
    for (const Moment& moment : moments) {
      SCOPED_TRACE(std::string{moment.name} + (paused ? ", paused" : ""));
      Story story = story_at(moment);
      if (paused) story.happens(event::PauseAsked{"me"});
      story.commands.clear();
      story.happens(event::CancelAsked{"me"});
      EXPECT_EQ(story.commanded<command::StopAttempt>().size(), moment.in_flight ? 1U : 0U);
      EXPECT_EQ(story.run.state(), moment.in_flight ? RunState::running : RunState::cancelled);
      if (moment.in_flight) story.ends("a", Failure{"attempt-stopped", "", false});
      EXPECT_EQ(story.run.state(), RunState::cancelled);
      EXPECT_EQ(story.states(), "a:cancelled b:cancelled");
      EXPECT_TRUE(story.run.outstanding().empty());
      const std::uint64_t before = digest(story.run);
      const Time last = story.run.last_event();
      story.fires(retry_timer, "a").ends("a").checked("a", true).happens(event::ResumeAsked{});
      EXPECT_EQ(story.states(), "a:cancelled b:cancelled");
      EXPECT_EQ(story.run.last_event(), last);
      EXPECT_EQ(digest(story.run), before);
    }
  }
}

TEST(Cancel, OfAPausedRunThawsItAfterTheStops) {
  Story story{"a"};
  story.begin().begins("a").happens(event::PauseAsked{"me"});
  story.commands.clear();
  story.happens(event::CancelAsked{"me"});
  std::vector<std::size_t> order;
  for (const Command& c : story.commands) order.push_back(c.index());
  const auto stop = std::ranges::find(order, Command{command::StopAttempt{}}.index());
  const auto thaw = std::ranges::find(order, Command{command::ThawAttempts{}}.index());
  EXPECT_NE(stop, order.end());
  EXPECT_NE(thaw, order.end());
  EXPECT_LT(stop, thaw);
}

TEST(Cancel, KeepsAResultThatCameInTime) {
  Story story{"a; b: a"};
  story.begin().begins("a").happens(event::CancelAsked{"me"}).ends("a");
  EXPECT_EQ(story.states(), "a:completed b:cancelled");
  EXPECT_EQ(story.run.state(), RunState::cancelled);
}

TEST(Cancel, AnUnknownFateIsCancelledAndNotTriedAgain) {
  Story story{"a"};
  story.begin().begins("a").happens(event::CancelAsked{"me"}).vanishes("a");
  EXPECT_EQ(story.run.state(), RunState::cancelled);
}

}  // namespace
}  // namespace baton::test
