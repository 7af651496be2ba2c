// Whose turn it is in a team: loops, claims of others, roles that are gone.
#include "dialect/team/turns.h"

#include <gmock/gmock.h>

#include "unit/dialect/team/world.h"

namespace baton::team {
namespace {

using Kind = TurnWord::Kind;
using testing::ElementsAre;
using testing::IsEmpty;

struct TeamTurnTest : testing::Test {
  TeamStory team{made_of({task_of("DRAFT-1", "writer", {}, {}, true), task_of("TEST-1", "tester", {"DRAFT-1"}),
                          task_of("DRAFT-2", "writer", {"DRAFT-1"}, {"artifacts/2.md"}, true),
                          task_of("DRAFT-3", "writer", {"TEST-1"}, {}, true),
                          task_of("DRAFT-4", "writer", {}, {}, true), task_of("DRAFT-5", "writer", {}, {}, false)})};
  TurnFacts facts{.now = now};
  std::set<std::string> begun;

  void SetUp() override { team.story.begin(); }
  TurnWord turn(const std::string& id) {
    const Team& t = team.team;
    return decide_turn(
        team.story.run, team.story.step(id),
        [&t](const std::string& task) { return t.find(task)->inner_loop.value_or(false); }, begun, facts);
  }
};

TEST_F(TeamTurnTest, AWorkerTakesAllOfItsLoopThatWaitsForNobodyElse) {
  EXPECT_THAT(turn("DRAFT-1").also, ElementsAre("DRAFT-2", "DRAFT-4")) << "3 waits for a test, 5 has no loop";
  EXPECT_THAT(turn("DRAFT-5").also, IsEmpty());
  EXPECT_THAT(turn("TEST-1").also, IsEmpty());
}

TEST_F(TeamTurnTest, OneLoopOfARoleAtATime) {
  begun.insert("writer");
  EXPECT_EQ(turn("DRAFT-4").kind, Kind::hold);
  EXPECT_EQ(turn("DRAFT-5").kind, Kind::go) << "it has none";
  begun.clear();
  team.begins("DRAFT-1", {"DRAFT-2", "DRAFT-4"});
  EXPECT_EQ(turn("DRAFT-4").kind, Kind::hold);
}

TEST_F(TeamTurnTest, WhatTheLoopDidIsDone) {
  team.does("DRAFT-1", {"DRAFT-2", "DRAFT-4"});
  EXPECT_EQ(turn("DRAFT-4").kind, Kind::done);
  EXPECT_EQ(turn("DRAFT-4").lead, team.story.step("DRAFT-1"));
  facts.declares = true;
  EXPECT_EQ(turn("DRAFT-2").kind, Kind::go) << "its artifact is not there";
  facts.artifacts_exist = true;
  EXPECT_EQ(turn("DRAFT-2").kind, Kind::done);
}

TEST_F(TeamTurnTest, WhatTheLoopsWorkerGaveUpIsNotDone) {
  team.begins("DRAFT-1", {"DRAFT-2", "DRAFT-4"}).says("DRAFT-4", "error");
  team.story.ends("DRAFT-1").checked("DRAFT-1", true);
  EXPECT_EQ(turn("DRAFT-4").kind, Kind::go);
}

TEST_F(TeamTurnTest, WhatAPersonHasRunAgainGetsAWorkerOfItsOwn) {
  team.does("DRAFT-1", {"DRAFT-4"});
  team.story.turns("DRAFT-4", TurnVerdict::done);
  EXPECT_EQ(team.story.state("DRAFT-4"), StepState::completed);
  team.story.happens(event::RetryAsked{team.story.step("DRAFT-4")});
  EXPECT_EQ(turn("DRAFT-4").kind, Kind::go);
}

TEST_F(TeamTurnTest, AClaimOfAProcessThatLivesIsKept) {
  const Claim claim{"DRAFT-5", 42, now - Millis{3'600'000}};
  facts.claim = &claim;
  facts.claimer_lives = true;
  EXPECT_EQ(turn("DRAFT-5").kind, Kind::hold);
  EXPECT_GT(turn("DRAFT-5").look_again, now);
  facts.claimer_lives = false;
  EXPECT_EQ(turn("DRAFT-5").kind, Kind::go);
  EXPECT_EQ(turn("DRAFT-5").reason, "Task DRAFT-5 reset from interrupted state");
  facts.declares = facts.artifacts_exist = true;
  EXPECT_EQ(turn("DRAFT-5").kind, Kind::done) << "it did its work before it ended";
}

TEST_F(TeamTurnTest, AClaimWithoutAProcessLastsFiveMinutes) {
  Claim claim{"DRAFT-5", {}, now - Millis{299'000}};
  facts.claim = &claim;
  EXPECT_EQ(turn("DRAFT-5").kind, Kind::hold);
  EXPECT_EQ(turn("DRAFT-5").look_again, now + Millis{1000});
  claim.since = now - Millis{300'000};
  EXPECT_EQ(turn("DRAFT-5").kind, Kind::go);
  EXPECT_EQ(turn("DRAFT-5").reason, "Fast-advance orphan DRAFT-5 reset");
}

TEST_F(TeamTurnTest, WhatCannotBe) {
  facts.unknown_needs = {"PLAN-9"};
  EXPECT_EQ(turn("DRAFT-5").kind, Kind::block);
  EXPECT_EQ(turn("DRAFT-5").code, "unknown-dependency");
  facts.unknown_needs.clear();
  facts.role_is_there = false;
  EXPECT_EQ(turn("DRAFT-5").kind, Kind::ask);
  EXPECT_EQ(turn("DRAFT-5").code, "role-file-missing");
}

TEST(TeamClaims, AreKeptInTheRecord) {
  const std::vector<Claim> claims{{"A-1", 42, now}, {"A-2", {}, {}}};
  EXPECT_EQ(claims_from_json(to_json(claims)), claims);
  EXPECT_THAT(claims_from_json(""), IsEmpty());
}

}  // namespace
}  // namespace baton::team
