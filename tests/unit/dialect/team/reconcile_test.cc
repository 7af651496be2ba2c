// What a team session's file says against what there is.
#include "dialect/team/reconcile.h"

#include <gmock/gmock.h>

#include "unit/dialect/team/world.h"

namespace baton::team {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct TeamReconciled : testing::Test {
  Team team = made_of({task_of("A-1", "a", {}, {"artifacts/1.md"}), task_of("A-2", "a", {"A-1"}),
                       task_of("A-3", "a", {}, {"artifacts/3.md"})});
  std::set<std::string> files;
  std::set<int> alive;
  Reality real{now, [this](const std::string& path) { return files.contains(path); },
               [this](int pid) { return alive.contains(pid); }};
  std::vector<std::string> said(const std::vector<Note>& notes) {
    std::vector<std::string> out;
    for (const Note& n : notes) out.push_back(n.type + ": " + n.summary);
    return out;
  }
};

TEST_F(TeamReconciled, WhatIsRecordedCountsIfItsArtifactIsThereOrNoneWasDeclared) {
  team.file.completed = {"A-1", "A-2", "A-3", "OTHER-1"};
  files = {"artifacts/1.md"};
  const Beginning b = begin_from(team, real);
  EXPECT_THAT(b.completed, ElementsAre("A-1", "A-2"));
  EXPECT_THAT(
      said(b.notes),
      ElementsAre("warning: Task A-3 removed from completed_tasks: its artifact is not there (artifacts/3.md)"));
}

TEST_F(TeamReconciled, InterruptedAndOrphanedWorkIsToldApartFromLiveWork) {
  team.tasks[2].status = "in_progress";
  team.tasks[2].claimed = now - Millis{299'999};
  team.file.workers = {{"A-1", "a", "w1", 41, now - Millis{9'000'000}}, {"A-2", "a", "w2", 42, now}};
  alive = {41};
  const Beginning b = begin_from(team, real);
  EXPECT_THAT(b.claims,
              ElementsAre(Claim{"A-1", 41, now - Millis{9'000'000}}, Claim{"A-3", {}, now - Millis{299'999}}));
  EXPECT_THAT(said(b.notes), ElementsAre("warning: Task A-2 reset from interrupted state"));
  team.tasks[2].claimed = now - Millis{300'000};
  team.file.workers.clear();
  EXPECT_THAT(said(begin_from(team, real).notes), ElementsAre("error: Fast-advance orphan A-3 reset"));
  EXPECT_THAT(begin_from(team, real).claims, IsEmpty());
}

TEST_F(TeamReconciled, AgainstARunThatIsKnown) {
  TeamStory story{team};
  story.story.begin();
  story.begins("A-1");
  story.story.ends("A-1").checked("A-1", true);
  team.file.completed = {"A-2", "A-3"};
  Difference d = differ(story.story.run, team, real);
  EXPECT_THAT(d.added, ElementsAre("A-1"));
  EXPECT_THAT(d.done, ElementsAre(story.story.step("A-2"))) << "it declares nothing";
  EXPECT_EQ(d.notes.size(), 1U);
  files = {"artifacts/3.md"};
  EXPECT_EQ(differ(story.story.run, team, real).done.size(), 2U);
  story.begins("A-3");
  EXPECT_EQ(differ(story.story.run, team, real).done.size(), 1U) << "what was begun here is known here";
  team.file.completed = {"A-1"};
  team.tasks.push_back(task_of("A-9", "a"));
  d = differ(story.story.run, team, real);
  ASSERT_EQ(d.missing.size(), 1U);
  EXPECT_EQ(d.missing[0].id, "A-9");
  team.tasks.pop_back();
  EXPECT_TRUE(differ(story.story.run, team, real).is_nothing()) << "the second time there is nothing to do";
}

TEST_F(TeamReconciled, NotesAreKeptInTheRecord) {
  const std::vector<Note> notes{{"warning", "A-1", "so \"it\" is"}};
  EXPECT_EQ(notes_from_json(to_json(notes)), notes);
}

}  // namespace
}  // namespace baton::team
