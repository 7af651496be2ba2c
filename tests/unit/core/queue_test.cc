// A run that needs a place to go on, and steps whose provider is left alone.
#include <gtest/gtest.h>

#include "support/digest.h"
#include "support/story.h"

namespace baton::test {
namespace {

using Announced = command::Announce::Kind;

Story& created(Story& story) {
  return story.happens(event::RunCreated{std::make_shared<const Plan>(story.plan), story.settings});
}
Story& taken(Story& story, bool queues = true) { return story.happens(event::DriverTook{1, "here", 1, queues}); }
std::size_t told(Story& story, Announced kind) {
  return static_cast<std::size_t>(std::ranges::count_if(story.commands, [&](const Command& c) {
    const auto* tell = std::get_if<command::Announce>(&c);
    return tell != nullptr && tell->kind == kind;
  }));
}
template <class Kind>
std::size_t commanded(const Story& story) {
  return static_cast<std::size_t>(
      std::ranges::count_if(story.commands, [](const Command& c) { return std::holds_alternative<Kind>(c); }));
}

TEST(Queue, ARunBeginsWhenItHasAPlaceAndNotBefore) {
  Story story{"a; b: a"};
  story.settings.time_budget = Millis{10'000};
  taken(created(story));
  EXPECT_EQ(story.run.state(), RunState::queued);
  EXPECT_TRUE(story.run.wants_place());
  EXPECT_FALSE(story.run.next_ready());
  EXPECT_EQ(told(story, Announced::run_started), 0U);
  story.after(Millis{60'000}).happens(event::PlaceTaken{});
  EXPECT_EQ(story.run.state(), RunState::running);
  EXPECT_EQ(told(story, Announced::run_started), 1U);
  EXPECT_EQ(story.run.started(), story.now) << "the wait is not its running time";
  ASSERT_TRUE(story.run.next_ready());
  story.begins("a").ends("a").begins("b").ends("b");
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST(Queue, WithoutLimitsThereIsNone) {
  Story story{"a"};
  taken(created(story), false);
  EXPECT_EQ(story.run.state(), RunState::running);
  story.happens(event::PlaceTaken{});
  EXPECT_EQ(told(story, Announced::run_resumed) + told(story, Announced::run_started), 1U);
}

TEST(Queue, ALimitThatWasLiftedLetsTheRunGo) {
  Story story{"a"};
  taken(created(story));
  taken(story, false);
  EXPECT_EQ(story.run.state(), RunState::running);
  EXPECT_EQ(told(story, Announced::run_started), 1U);
}

TEST(Queue, TakenUpByAnotherDriverARunQueuesAnewAndItsAttemptsGoOn) {
  Story story{"a; b: a"};
  taken(created(story)).happens(event::PlaceTaken{}).begins("a");
  taken(story);
  EXPECT_EQ(story.run.state(), RunState::queued);
  EXPECT_FALSE(story.run.is_frozen());
  story.ends("a");
  EXPECT_EQ(story.run.state(), RunState::queued) << "b has to wait for a place";
  EXPECT_FALSE(story.run.next_ready());
  story.happens(event::PlaceTaken{});
  EXPECT_EQ(story.run.state(), RunState::running);
  EXPECT_EQ(told(story, Announced::run_started), 1U) << "it had begun";
  EXPECT_EQ(told(story, Announced::run_resumed), 1U);
  EXPECT_TRUE(story.run.next_ready());
}

TEST(Queue, ARunWithNothingLeftToDoEndsWithoutAPlace) {
  Story story{"a"};
  taken(created(story)).happens(event::PlaceTaken{}).begins("a");
  taken(story).ends("a");
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST(Queue, AResumedRunQueuesAndItsAttemptsStandStillUntilItHasAPlace) {
  Story story{"a"};
  story.policy("a").timeout = Millis{5000};
  taken(created(story)).happens(event::PlaceTaken{}).begins("a").happens(event::PauseAsked{"me"});
  taken(story).happens(event::ResumeAsked{});
  EXPECT_EQ(story.run.state(), RunState::queued);
  EXPECT_TRUE(story.run.is_frozen());
  EXPECT_EQ(commanded<command::ThawAttempts>(story), 0U);
  story.after(Millis{60'000}).happens(event::TimerFired{timeout_of(story.step("a"))});
  EXPECT_EQ(commanded<command::StopAttempt>(story), 0U) << "its time stands still";
  story.happens(event::PlaceTaken{});
  EXPECT_EQ(story.run.state(), RunState::running);
  EXPECT_FALSE(story.run.is_frozen());
  EXPECT_EQ(commanded<command::ThawAttempts>(story), 1U);
  story.ends("a");
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST(Queue, CancelIsHeardAtOnce) {
  Story fresh{"a; b: a"};
  taken(created(fresh)).happens(event::CancelAsked{"me"});
  EXPECT_EQ(fresh.run.state(), RunState::cancelled);

  Story frozen{"a"};
  taken(created(frozen)).happens(event::PlaceTaken{}).begins("a").happens(event::PauseAsked{"me"});
  taken(frozen).happens(event::ResumeAsked{}).happens(event::CancelAsked{"me"});
  EXPECT_EQ(commanded<command::StopAttempt>(frozen), 1U);
  EXPECT_EQ(commanded<command::ThawAttempts>(frozen), 1U);
  frozen.fails("a");
  EXPECT_EQ(frozen.run.state(), RunState::cancelled);
}

TEST(Queue, PauseIsHeardAtOnceAndResumeBeginsTheRun) {
  Story story{"a"};
  taken(created(story)).happens(event::PauseAsked{"me"});
  EXPECT_EQ(story.run.state(), RunState::paused);
  taken(story).happens(event::PlaceTaken{});
  EXPECT_EQ(story.run.state(), RunState::paused) << "it wants none";
  story.happens(event::ResumeAsked{}).happens(event::PauseAsked{"me"}).happens(event::ResumeAsked{});
  EXPECT_EQ(story.run.state(), RunState::queued);
  story.happens(event::PlaceTaken{});
  EXPECT_EQ(told(story, Announced::run_started), 1U);
  EXPECT_TRUE(story.run.next_ready());
}

TEST(Queue, ARetriedRunQueues) {
  Story story{"a"};
  story.policy("a").retries = 0;
  taken(created(story)).happens(event::PlaceTaken{}).begins("a").fails("a");
  ASSERT_EQ(story.run.state(), RunState::failed);
  taken(story).happens(event::RetryAsked{});
  EXPECT_EQ(story.run.state(), RunState::queued);
  EXPECT_FALSE(story.run.next_ready());
  story.happens(event::PlaceTaken{});
  EXPECT_TRUE(story.run.next_ready());
}

TEST(Queue, AParkedRunHoldsNoPlace) {
  Story story{"a; b"};
  taken(created(story)).happens(event::PlaceTaken{}).begins("a");
  story.ends("a", Failure{"agent-usage-limit", "", true, {}, story.now + Millis{1000}});
  ASSERT_EQ(story.run.state(), RunState::parked);
  story.after(Millis{1000}).happens(event::TimerFired{retry_of(story.step("a"))});
  EXPECT_EQ(story.run.state(), RunState::queued);
  story.happens(event::PlaceTaken{});
  EXPECT_EQ(story.run.state(), RunState::running);
}

TEST(Queue, AnExtensionIsHeardWhileTheRunWaits) {
  Story story{"a; b: a"};
  taken(created(story)).happens(event::PlaceTaken{}).begins("a");
  taken(story);
  const Plan more = plan_of("a; b; n");
  story.happens(event::PlanExtended{step_index(0), step_index(2), {more.steps[2]}, false, {}});
  EXPECT_EQ(story.run.step_count(), 3U);
}

TEST(Queue, TheSameEventsGiveTheSameRun) {
  Story story{"a; b: a"};
  taken(created(story)).happens(event::PlaceTaken{}).begins("a").happens(event::PauseAsked{"me"});
  taken(story).happens(event::ResumeAsked{}).happens(event::PlaceTaken{}).ends("a");
  story.happens(event::StepDeferred{story.step("b"), "p", story.now + Millis{10}});
  baton::Run again;
  for (const Event& e : story.history) (void)again.apply(e);
  EXPECT_EQ(digest(again), digest(story.run));
}

TEST(Deferral, AStepWaitsForItsProviderAndUsesUpNoRetry) {
  Story story{"a; b"};
  story.begin();
  const StepIndex a = story.step("a");
  story.happens(event::StepDeferred{a, "claude", story.now + Millis{60'000}});
  EXPECT_EQ(story.run.of(a).state, StepState::waiting);
  EXPECT_EQ(story.run.state(), RunState::running) << "a minute is waited for here";
  ASSERT_NE(story.run.deferral_of(a), nullptr);
  EXPECT_EQ(story.run.deferral_of(a)->runtime, "claude");
  EXPECT_EQ(story.run.next_ready(), story.step("b")) << "those behind it need not wait";
  EXPECT_EQ(told(story, Announced::step_deferred), 1U);
  story.after(Millis{60'000}).happens(event::TimerFired{retry_of(a)});
  EXPECT_EQ(story.run.of(a).state, StepState::ready);
  EXPECT_EQ(story.run.of(a).retries_used, 0);
  story.begins("a");
  EXPECT_EQ(story.run.deferral_of(a), nullptr);
}

TEST(Deferral, ALongerWaitParksTheRun) {
  Story story{"a"};
  story.begin();
  const Time until = story.now + Millis{60'001};
  story.happens(event::StepDeferred{story.step("a"), "claude", until});
  EXPECT_EQ(story.run.state(), RunState::parked);
  EXPECT_EQ(story.run.parked_until(), until);
  story.after(Millis{60'001}).happens(event::TimerFired{retry_of(story.step("a"))});
  EXPECT_EQ(story.run.state(), RunState::running);
  EXPECT_TRUE(story.run.next_ready());
}

TEST(Deferral, ChangesNothingWhereItDoesNotFit) {
  Story story{"a; b: a"};
  story.begin().begins("a");
  story.happens(event::StepDeferred{story.step("a"), "p", story.now + Millis{10}});
  story.happens(event::StepDeferred{story.step("b"), "p", story.now + Millis{10}});
  story.happens(event::StepDeferred{step_index(9), "p", story.now + Millis{10}});
  EXPECT_EQ(story.run.of(story.step("a")).state, StepState::running);
  EXPECT_EQ(story.run.of(story.step("b")).state, StepState::pending);
}

}  // namespace
}  // namespace baton::test
