// Which ready step of which run may start.
#include "core/dispatcher.h"

#include <gtest/gtest.h>

#include "support/story.h"

namespace baton::test {
namespace {

struct Floor {
  explicit Floor(int total_max = 0) : dispatcher(total_max) {}

  Story& run(std::string_view graph, int jobs) {
    stories.push_back(std::make_unique<Story>(graph));
    stories.back()->settings.jobs = jobs;
    stories.back()->begin();
    return *stories.back();
  }
  /// Admits all that may be admitted now; tells it as "run.step" words.
  std::string admit_all() {
    std::vector<Dispatcher::Candidate> candidates;
    for (const auto& s : stories) candidates.push_back({"r", &s->run, ahead, slots});
    std::string order;
    const auto provider = [&](const Run& r, StepIndex i) { return r.step(i).id.substr(0, 1); };
    while (const auto next = dispatcher.next(candidates, now, provider)) {
      Story& story = *stories[next->candidate];
      const std::string id = story.run.step(next->step).id;
      order += (order.empty() ? "" : " ") + std::to_string(next->candidate + 1) + "." + id;
      if (next->not_before) {
        order += "!";
        set_aside_until = *next->not_before;
        story.now = now;
        story.happens(event::StepDeferred{next->step, "p", *next->not_before});
        continue;
      }
      story.begins(id);
    }
    return order;
  }

  Dispatcher dispatcher;
  std::vector<std::unique_ptr<Story>> stories;
  Time now = time_from_ms(1000);
  int ahead = 0;
  std::optional<int> slots;
  Time set_aside_until{};
};

TEST(Dispatcher, GivesARunItsJobSlotsAndNoMore) {
  Floor floor;
  Story& story = floor.run("a; b; c", 2);
  EXPECT_EQ(floor.admit_all(), "1.a 1.b");
  EXPECT_EQ(floor.admit_all(), "");
  story.ends("a");
  EXPECT_EQ(floor.admit_all(), "1.c");
}

TEST(Dispatcher, AdmitsAheadWhatTheHostMayKeepWaiting) {
  Floor floor;
  floor.ahead = 1;
  floor.run("a; b; c; d", 2);
  EXPECT_EQ(floor.admit_all(), "1.a 1.b 1.c");
}

TEST(Dispatcher, LetsRunsTakeTurns) {
  Floor floor;
  floor.run("a; b; c", 4);
  floor.run("d; e; f", 4);
  floor.run("g", 4);
  EXPECT_EQ(floor.admit_all(), "1.a 2.d 3.g 1.b 2.e 1.c 2.f");
}

TEST(Dispatcher, KeepsTheLimitOfAllRunsTogetherAndStaysFair) {
  Floor floor{2};
  Story& first = floor.run("a; b; c", 4);
  Story& second = floor.run("d; e; f", 4);
  EXPECT_EQ(floor.admit_all(), "1.a 2.d");
  first.ends("a");
  EXPECT_EQ(floor.admit_all(), "1.b");
  first.ends("b");
  EXPECT_EQ(floor.admit_all(), "2.e") << "the second run's turn";
  second.ends("d");
  EXPECT_EQ(floor.admit_all(), "1.c");
}

TEST(Dispatcher, SetsAsideWhatGoesToAProviderThatCoolsDown) {
  Floor floor;
  const Time until = floor.now + Millis{500};
  floor.dispatcher.set_cool_downs({{"p", until - Millis{1}}, {"p", until}, {"x", until}});
  floor.run("p1; q1", 4);
  floor.run("p2", 4);
  EXPECT_EQ(floor.admit_all(), "1.p1! 1.q1 2.p2!") << "those behind it need not wait";
  EXPECT_EQ(floor.set_aside_until, until) << "the longest counts";
  floor.now = until;
  for (const auto& s : floor.stories) {
    s->now = until;
    const StepIndex first = step_index(0);
    s->happens(event::TimerFired{retry_of(first)});
  }
  EXPECT_EQ(floor.admit_all(), "2.p2 1.p1") << "the second run's turn";
}

TEST(Dispatcher, ACoolDownThatIsNotToldAgainIsOver) {
  Floor floor;
  floor.dispatcher.set_cool_downs({{"p", floor.now + Millis{500}}});
  floor.dispatcher.set_cool_downs({});
  floor.run("p1", 4);
  EXPECT_EQ(floor.admit_all(), "1.p1");
}

TEST(Dispatcher, WhoWasSentAwayWithoutATimeFindsOut) {
  for (const bool told : {false, true}) {
    Floor floor;
    Failure busy{"agent-overloaded", "529", true};
    if (told) busy.retry_after = Millis{10};
    floor.stories.push_back(std::make_unique<Story>("p1"));
    Story& again = *floor.stories[0];
    again.policy("p1").retries = 1;
    again.begin()
        .begins("p1")
        .ends("p1", busy)
        .after(Millis{60'000})
        .happens(event::TimerFired{retry_of(again.step("p1"))});
    floor.now = again.now;
    floor.dispatcher.set_cool_downs({{"p", floor.now + Millis{500}, floor.now - Millis{1}}});
    EXPECT_EQ(floor.admit_all(), told ? "1.p1!" : "1.p1") << told;
  }
}

TEST(Dispatcher, KeepsARunToItsShareOfWhatAllProcessesMayHave) {
  Floor floor;
  floor.slots = 1;
  Story& story = floor.run("a; b; c", 4);
  EXPECT_EQ(floor.admit_all(), "1.a");
  story.ends("a");
  floor.slots = 2;
  EXPECT_EQ(floor.admit_all(), "1.b 1.c");
  floor.slots = 0;
  story.ends("b");
  EXPECT_EQ(floor.admit_all(), "");
}

TEST(Dispatcher, StartsNothingOfARunThatStandsStill) {
  Floor floor;
  Story& story = floor.run("a", 4);
  story.happens(event::PauseAsked{"me"});
  EXPECT_EQ(floor.admit_all(), "");
  story.happens(event::ResumeAsked{});
  EXPECT_EQ(floor.admit_all(), "1.a");
}

}  // namespace
}  // namespace baton::test
