// Several engines on one journal: places, slots and cool-downs that they share.
#include <gtest/gtest.h>

#include "support/fleet.h"

namespace baton::test {
namespace {

Plan agents(std::string_view graph) {
  Plan plan = plan_of(graph);
  for (Step& s : plan.steps) {
    Work work = *s.work;
    work.command.clear();
    work.mission = "m";
    work.runtime = "inner";
    s.work = std::make_shared<const Work>(std::move(work));
    s.policy.retries = 2;
  }
  return plan;
}

/// Run a is paused in its first step, and b, which was queued behind it, has its place.
Fleet::Ship& paused_with_another_in_its_place(Fleet& fleet) {
  Fleet::Ship& first = fleet.begin("a", plan_of("s; t: s"));
  fleet.pass(Millis{10});
  fleet.begin("b", plan_of("s; t: s"));
  fleet.pass(Millis{100});
  first.engine->post("a", event::PauseAsked{"me"});
  fleet.pass(Millis{10});
  return first;
}

TEST(Sharing, RunsGoOneAfterAnotherInOrderOfCreation) {
  for (const bool told : {true, false}) {
    Fleet fleet;
    fleet.limits.concurrent_runs = 1;
    fleet.heeds_calls = told;
    for (const char* run : {"z", "m", "a"}) {
      fleet.begin(run, plan_of("s; t: s"));
      fleet.pass(Millis{10});
    }
    EXPECT_EQ(fleet.of("a").state, RunState::queued);
    EXPECT_TRUE(fleet.observer.told.starts_with("m:1 a:2 ")) << fleet.observer.told;
    fleet.pass(Millis{30'000});
    for (const char* run : {"z", "m", "a"}) EXPECT_EQ(fleet.of(run).state, RunState::completed) << run;
    EXPECT_GE(fleet.started("m"), fleet.finished("z"));
    EXPECT_GE(fleet.started("a"), fleet.finished("m"));
    if (told) {
      EXPECT_EQ(fleet.started("m"), fleet.finished("z")) << "whoever is called goes at once";
    } else {
      EXPECT_LE(fleet.started("m"), fleet.finished("z") + 1000) << "whoever is not looks every second";
    }
  }
}

TEST(Sharing, TwoPlacesAreTwoPlaces) {
  Fleet fleet;
  fleet.limits.concurrent_runs = 2;
  for (const char* run : {"a", "b", "c"}) {
    fleet.begin(run, plan_of("s"));
    fleet.pass(Millis{10});
  }
  EXPECT_EQ(fleet.of("b").state, RunState::running);
  EXPECT_EQ(fleet.of("c").state, RunState::queued);
  fleet.pass(Millis{10'000});
  EXPECT_EQ(fleet.started("c"), fleet.finished("a"));
}

TEST(Sharing, AKilledDriversPlaceIsFreeAndItsRunQueuesAnew) {
  Fleet fleet;
  fleet.limits.concurrent_runs = 1;
  fleet.outcomes["a/s"] = {.lasts = Millis{20'000}};
  fleet.outcomes["b/s"] = {.lasts = Millis{50'000}};
  Fleet::Ship& first = fleet.begin("a", plan_of("s; t: s"));
  fleet.pass(Millis{10});
  fleet.begin("b", plan_of("s"));
  fleet.pass(Millis{5000});
  ASSERT_EQ(fleet.of("b").state, RunState::queued);
  fleet.kill(first);
  fleet.pass(Millis{1000});
  EXPECT_EQ(fleet.of("b").state, RunState::running) << "within a second";
  fleet.take("a");
  fleet.pass(Millis{30'000});
  EXPECT_EQ(fleet.of("a").state, RunState::queued) << "it waits for b now, with what it had at work ended";
  fleet.pass(Millis{60'000});
  EXPECT_EQ(fleet.of("a").state, RunState::completed);
  EXPECT_GE(fleet.finished("a"), fleet.finished("b"));
}

TEST(Sharing, PausedRunsHoldNoPlaceAndQueueWhenResumed) {
  Fleet fleet;
  fleet.limits.concurrent_runs = 1;
  Fleet::Ship& first = paused_with_another_in_its_place(fleet);
  EXPECT_EQ(fleet.of("a").state, RunState::paused);
  EXPECT_EQ(fleet.of("b").state, RunState::running);
  first.engine->post("a", event::ResumeAsked{});
  fleet.pass(Millis{10});
  EXPECT_EQ(fleet.of("a").state, RunState::queued);
  fleet.pass(Millis{20'000});
  EXPECT_EQ(fleet.of("a").state, RunState::completed);
  EXPECT_GE(fleet.finished("a"), fleet.finished("b") + 1000);
}

TEST(Sharing, WhatStandsStillInAPauseTakesUpNoSlotOfWhoeverHasItsPlace) {
  Fleet fleet;
  fleet.limits.concurrent_runs = 1;
  fleet.limits.concurrent_steps = 1;
  Fleet::Ship& first = paused_with_another_in_its_place(fleet);
  first.engine->post("a", event::ResumeAsked{});
  fleet.pass(Millis{20'000});
  EXPECT_EQ(fleet.of("b").state, RunState::completed);
  EXPECT_EQ(fleet.of("a").state, RunState::completed);
  EXPECT_GE(fleet.finished("a"), fleet.finished("b"));
}

TEST(Sharing, CancelOfAQueuedRunIsHeardAtOnceAndLetsTheNextGo) {
  Fleet fleet;
  fleet.limits.concurrent_runs = 1;
  fleet.outcomes["a/s"] = {.lasts = Millis{5000}};
  fleet.begin("a", plan_of("s"));
  fleet.pass(Millis{10});
  Fleet::Ship& second = fleet.begin("b", plan_of("s"));
  fleet.pass(Millis{10});
  fleet.begin("c", plan_of("s"));
  fleet.pass(Millis{10});
  second.engine->post("b", event::CancelAsked{"me"});
  fleet.pass(Millis{10});
  EXPECT_EQ(fleet.of("b").state, RunState::cancelled);
  fleet.pass(Millis{20'000});
  EXPECT_EQ(fleet.started("c"), fleet.finished("a"));
}

TEST(Sharing, ARunLeftInTheQueueIsWokenWhenThereIsRoom) {
  Fleet fleet;
  fleet.limits.concurrent_runs = 1;
  fleet.begin("a", plan_of("s"));
  fleet.pass(Millis{10});
  Fleet::Ship& left = fleet.begin("b", plan_of("s"));
  fleet.pass(Millis{10});
  EXPECT_TRUE(left.engine->can_wait_alone("b"));
  ASSERT_TRUE(left.engine->release_into_queue("b"));
  left.engine.reset();
  left.host.engine_died();
  EXPECT_TRUE(fleet.woken.empty());
  fleet.pass(Millis{5000});
  EXPECT_EQ(fleet.woken, std::vector<std::string>{"b"});
  fleet.take("b");
  fleet.pass(Millis{5000});
  EXPECT_EQ(fleet.of("b").state, RunState::completed);
}

TEST(Sharing, ARunThatLeavesTheQueueJustAsThereIsRoomIsWokenAllTheSame) {
  Fleet fleet;
  fleet.limits.concurrent_runs = 1;
  fleet.heeds_calls = false;  // it has stopped listening already
  Fleet::Ship& first = fleet.begin("a", plan_of("s"));
  fleet.pass(Millis{10});
  Fleet::Ship& left = fleet.begin("b", plan_of("s"));
  fleet.pass(Millis{10});
  first.engine->post("a", event::CancelAsked{"me"});
  ASSERT_TRUE(first.engine->tick());
  while (first.host.deliver()) {
  }
  fleet.clock.set(fleet.clock.now() + Millis{900});
  first.host.catch_up();
  while (first.host.deliver()) {
  }
  ASSERT_TRUE(first.engine->tick());
  ASSERT_EQ(fleet.of("a").state, RunState::cancelled);
  ASSERT_EQ(fleet.of("b").state, RunState::queued);
  ASSERT_TRUE(left.engine->release_into_queue("b"));
  left.engine.reset();
  EXPECT_EQ(fleet.woken, std::vector<std::string>{"b"});
}

TEST(Sharing, ARunWithAPlaceIsNotLeftToTheHost) {
  Fleet fleet;
  fleet.limits.concurrent_runs = 1;
  fleet.outcomes["a/s"] = {.lasts = Millis{5000}};
  Fleet::Ship& ship = fleet.begin("a", plan_of("s"));
  fleet.pass(Millis{100});
  EXPECT_FALSE(ship.engine->will_be_woken("a")) << "a place is a living process's";
  Fleet unlimited;
  unlimited.outcomes["a/s"] = {.lasts = Millis{5000}};
  Fleet::Ship& other = unlimited.begin("a", plan_of("s"));
  unlimited.pass(Millis{100});
  EXPECT_TRUE(other.engine->will_be_woken("a"));
}

TEST(Sharing, StepsOfAllRunsTogetherAreLimitedAndRunsTakeTurns) {
  Fleet fleet;
  fleet.limits.concurrent_steps = 1;
  std::size_t most = 0;
  std::string order;
  const auto watch = [&](Fleet::Ship& ship) {
    ship.host.watch.started = [&](const AttemptKey& key) { order += key.run + key.step + " "; };
  };
  watch(fleet.begin("a", plan_of("1; 2; 3")));
  fleet.pass(Millis{10});
  watch(fleet.begin("b", plan_of("1; 2; 3")));
  for (int n = 0; n < 300; ++n) {
    fleet.pass(Millis{50});
    std::size_t alive = 0;
    for (const auto& ship : fleet.ships) alive += ship->host.alive(ship->run);
    most = std::max(most, alive);
  }
  EXPECT_EQ(most, 1U);
  EXPECT_EQ(order, "a1 a2 b1 a3 b2 b3 ") << "a has wanted its second since before b was there";
  EXPECT_EQ(fleet.of("a").state, RunState::completed);
  EXPECT_EQ(fleet.of("b").state, RunState::completed);
}

TEST(Sharing, AKilledDriversSlotsAreFree) {
  Fleet fleet;
  fleet.limits.concurrent_steps = 1;
  fleet.outcomes["a/s"] = {.lasts = Millis{60'000}};
  Fleet::Ship& first = fleet.begin("a", plan_of("s"));
  fleet.pass(Millis{10});
  fleet.begin("b", plan_of("s"));
  fleet.pass(Millis{2000});
  ASSERT_EQ(fleet.of("b").current.size(), 0U);
  fleet.kill(first);
  fleet.pass(Millis{3000});
  EXPECT_EQ(fleet.of("b").state, RunState::completed);
}

TEST(Sharing, ARunThatIsPausedWhileItWaitsForASlotIsNotWaitedFor) {
  Fleet fleet;
  fleet.limits.concurrent_steps = 1;
  fleet.begin("a", plan_of("s; t: s"));
  fleet.pass(Millis{10});
  Fleet::Ship& second = fleet.begin("b", plan_of("s"));
  fleet.pass(Millis{10});
  second.engine->post("b", event::PauseAsked{"me"});
  fleet.pass(Millis{5000});
  EXPECT_EQ(fleet.of("a").state, RunState::completed);
  EXPECT_EQ(fleet.of("b").state, RunState::paused);
}

TEST(Sharing, WhatOneRunIsToldOfItsProviderHoldsForAll) {
  Fleet fleet;
  fleet.outcomes["a/s.1"] = {.lasts = Millis{100}, .retry_after = Millis{30'000}};
  fleet.begin("a", agents("s; t: s"));
  fleet.pass(Millis{500});
  fleet.begin("b", agents("s"));
  fleet.begin("c", plan_of("s"));
  fleet.pass(Millis{20'000});
  EXPECT_EQ(fleet.of("c").state, RunState::completed) << "a command has no provider";
  EXPECT_EQ(fleet.of("b").state, RunState::running);
  EXPECT_TRUE(fleet.of("b").current.empty());
  fleet.pass(Millis{20'000});
  EXPECT_EQ(fleet.of("b").state, RunState::completed);
  EXPECT_EQ(fleet.finished("b"), 31'100) << "at its end, and not before";
  EXPECT_EQ(fleet.of("a").state, RunState::completed);
}

TEST(Sharing, AnAgentBehindACommandIsSetAsideToo) {
  Fleet fleet;
  fleet.outcomes["a/s.1"] = {.lasts = Millis{100}, .retry_after = Millis{30'000}};
  fleet.begin("a", agents("s"));
  fleet.pass(Millis{500});
  Plan mixed = plan_of("c; s");
  mixed.steps[1] = agents("c; s").steps[1];
  fleet.begin("b", mixed);
  fleet.pass(Millis{10'000});
  EXPECT_EQ(fleet.of("b").done, 1U);
  EXPECT_TRUE(fleet.of("b").current.empty());
}

TEST(Sharing, AQuotaThatParksARunParksOthersToo) {
  Fleet fleet;
  fleet.outcomes["a/s.1"] = {.lasts = Millis{100}, .quota_back = Millis{3'600'000}};
  fleet.begin("a", agents("s"));
  fleet.pass(Millis{500});
  Fleet::Ship& other = fleet.begin("b", agents("s"));
  fleet.pass(Millis{500});
  EXPECT_EQ(fleet.of("a").state, RunState::parked);
  EXPECT_EQ(fleet.of("b").state, RunState::parked) << "without having asked";
  EXPECT_EQ(other.engine->next_due(), time_from_ms(1'000'000 + 3'600'100)) << "it wakes by itself";
  fleet.pass(Millis{3'700'000});
  EXPECT_EQ(fleet.of("a").state, RunState::completed);
  EXPECT_EQ(fleet.of("b").state, RunState::completed);
}

TEST(Sharing, WhoWasGivenNoTimeFindsOutForAllOthers) {
  Fleet fleet;
  fleet.limits.rate_limit_backoff = Millis{50'000};
  fleet.outcomes["a/s.1"] = {.lasts = Millis{100}, .rate_limited = true};
  fleet.begin("a", agents("s; t: s"));
  fleet.pass(Millis{500});
  fleet.begin("b", agents("s"));
  fleet.pass(Millis{10'000});
  EXPECT_EQ(fleet.of("a").state, RunState::completed) << "it tried again by its own rule, and t did not have to wait";
  EXPECT_TRUE(fleet.of("b").current.empty());
  fleet.begin("c", agents("s"));
  fleet.pass(Millis{2000});
  EXPECT_EQ(fleet.of("c").state, RunState::completed) << "all is well again";
  fleet.pass(Millis{60'000});
  EXPECT_EQ(fleet.of("b").state, RunState::completed);
}

}  // namespace
}  // namespace baton::test
