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
    for (const auto& s : stories) candidates.push_back({"r", &s->run, ahead});
    std::string order;
    const auto provider = [&](const Run& r, StepIndex i) { return r.step(i).id.substr(0, 1); };
    while (const auto next = dispatcher.next(candidates, now, provider)) {
      Story& story = *stories[next->candidate];
      const std::string id = story.run.step(next->step).id;
      order += (order.empty() ? "" : " ") + std::to_string(next->candidate + 1) + "." + id;
      story.begins(id);
      dispatcher.provider_took(id.substr(0, 1));
    }
    return order;
  }

  Dispatcher dispatcher;
  std::vector<std::unique_ptr<Story>> stories;
  Time now = time_from_ms(1000);
  int ahead = 0;
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

TEST(Dispatcher, KeepsAProvidersLimit) {
  Floor floor;
  floor.dispatcher.set_provider("p", {.at_once_max = 1});
  Story& story = floor.run("p1; p2", 4);
  floor.run("q1", 4);
  EXPECT_EQ(floor.admit_all(), "1.p1 2.q1");
  story.ends("p1");
  EXPECT_EQ(floor.admit_all(), "") << "the provider has not said that it is free";
  floor.dispatcher.provider_gave("p");
  EXPECT_EQ(floor.admit_all(), "1.p2");
}

TEST(Dispatcher, WaitsForAProvidersCoolDown) {
  Floor floor;
  floor.dispatcher.set_provider("p", {.at_once_max = 0, .not_before = floor.now + Millis{500}});
  floor.run("p1", 4);
  EXPECT_EQ(floor.admit_all(), "");
  floor.now += Millis{500};
  EXPECT_EQ(floor.admit_all(), "1.p1");
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
