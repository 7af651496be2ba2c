// What workers say, and what comes of it.
#include "dialect/team/reports.h"

#include <gmock/gmock.h>

#include "unit/dialect/team/world.h"

namespace baton::team {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

event::WorkerReported said(const std::string& text, const std::string& data = "") {
  return {step_index(0), 1, "r1", "consensus_blocked", "writer", text, data};
}

struct TeamReports : testing::Test {
  TeamStory team{made_of({task_of("DRAFT-1", "writer", {}, {"artifacts/d.md"}),
                          task_of("TEST-1", "tester", {"DRAFT-1"}), task_of("TEST-2", "tester", {"DRAFT-1"})})};
  baton::Run& run = team.story.run;
  StepIndex draft() { return team.story.step("DRAFT-1"); }

  void SetUp() override { team.story.begin(); }
  Judgement judged(const std::string& task, int attempt = 1, const std::vector<std::string>& missing = {}) {
    return judge(run, team.story.step(task), attempt, missing);
  }
  /// As the engine does it: the revision is on record before the task is completed.
  void ends(const std::string& task) {
    team.story.ends(task);
    Judgement j = judged(task);
    if (j.revision) team.story.happens(*j.revision);
    team.story.checked(task, true);
  }
};

TEST(TeamConsensus, FromTheDataOrFromTheWords) {
  EXPECT_EQ(consensus_of(said("x", R"({"severity":"medium"})")).divergence, Divergence::medium);
  EXPECT_EQ(consensus_of(said("[w] D-1 complete. Discuss R1: consensus_blocked (severity=LOW)")).divergence,
            Divergence::low);
  EXPECT_EQ(consensus_of(said("no word of it")).divergence, Divergence::high) << "nobody passes over it";
  const Consensus c =
      consensus_of(said("consensus_blocked (severity=HIGH)\nDivergences: tone\n- Action items: rewrite"));
  EXPECT_THAT(c.divergences, ElementsAre("tone"));
  EXPECT_THAT(c.actions, ElementsAre("rewrite"));
  EXPECT_THAT(consensus_of(said("x", R"({"severity":"HIGH","action_items":["a","b"]})")).actions,
              ElementsAre("a", "b"));
}

TEST(TeamReportIds, TheSameWordsAreTheSameReport) {
  EXPECT_EQ(report_id("A-1", 1, "complete", "x", ""), report_id("A-1", 1, "complete", "x", ""));
  EXPECT_NE(report_id("A-1", 1, "complete", "x", ""), report_id("A-1", 2, "complete", "x", ""));
  EXPECT_NE(report_id("A-1", 1, "complete", "xy", ""), report_id("A-1", 1, "complete", "x", "y"));
}

TEST_F(TeamReports, AnErrorThatNobodyTookBackFailsTheAttempt) {
  team.begins("DRAFT-1").says("DRAFT-1", "error", "no sources");
  EXPECT_THAT(judged("DRAFT-1").results.at(0).message, HasSubstr("no sources"));
  team.says("DRAFT-1", "complete", "found some after all");
  EXPECT_THAT(judged("DRAFT-1").results, IsEmpty());
  EXPECT_THAT(judged("DRAFT-1", 2).results, IsEmpty()) << "of another attempt";
}

TEST_F(TeamReports, AMissingArtifactFailsItWhateverWasSaid) {
  team.begins("DRAFT-1")
      .says("DRAFT-1", "complete")
      .says("DRAFT-1", "consensus_blocked", "x", R"({"severity":"HIGH"})");
  const Judgement j = judged("DRAFT-1", 1, {"artifacts/d.md"});
  ASSERT_EQ(j.results.size(), 1U);
  EXPECT_THAT(j.results[0].message, HasSubstr("artifacts/d.md"));
  EXPECT_FALSE(j.revision);
}

TEST_F(TeamReports, HighMakesOneRevisionThatSuccessorsWaitFor) {
  team.begins("DRAFT-1").says("DRAFT-1", "consensus_blocked", "tone",
                              R"({"severity":"HIGH","action_items":["rewrite it"]})");
  ends("DRAFT-1");
  EXPECT_EQ(team.story.states(), "DRAFT-1:completed TEST-1:pending TEST-2:pending DRAFT-1-R1:pending");
  const Work& work = *run.step(team.story.step("DRAFT-1-R1")).work;
  EXPECT_EQ(work.skill, "writer");
  EXPECT_EQ(work.output, ".workflow/.team/TC-x/artifacts/d.md");
  EXPECT_THAT(work.mission, HasSubstr("- rewrite it"));
  team.begins("DRAFT-1-R1");
  team.says("DRAFT-1-R1", "consensus_blocked", "still", R"({"severity":"HIGH"})");
  team.story.ends("DRAFT-1-R1");
  const Judgement second = judged("DRAFT-1-R1");
  EXPECT_FALSE(second.revision) << "there is no R2";
  EXPECT_THAT(second.pause, HasSubstr("'DRAFT-1-R1'"));
  team.story.happens(event::PauseAsked{second.pause});
  team.story.checked("DRAFT-1-R1", true);
  EXPECT_EQ(run.state(), RunState::paused);
  team.story.happens(event::ResumeAsked{});
  team.does("TEST-1").does("TEST-2");
  EXPECT_EQ(run.state(), RunState::completed);
}

TEST_F(TeamReports, TheOriginalAgainIsRevisedOnceOnly) {
  team.begins("DRAFT-1").says("DRAFT-1", "consensus_blocked", "x", R"({"severity":"HIGH"})");
  ends("DRAFT-1");
  team.story.happens(event::RetryAsked{draft()});
  team.begins("DRAFT-1").says("DRAFT-1", "consensus_blocked", "x", R"({"severity":"HIGH"})", 2);
  EXPECT_FALSE(judged("DRAFT-1", 2).revision);
  EXPECT_NE(judged("DRAFT-1", 2).pause, "");
}

TEST_F(TeamReports, MediumIsNotedAndHandedOnLowJustHandedOn) {
  team.begins("DRAFT-1")
      .says("DRAFT-1", "consensus_blocked", "",
            R"({"severity":"MEDIUM","divergences":["length"],"action_items":["cut it"]})")
      .says("DRAFT-1", "consensus_blocked", "", R"({"severity":"LOW","divergences":["taste"]})");
  EXPECT_FALSE(judged("DRAFT-1").revision);
  EXPECT_EQ(judged("DRAFT-1").pause, "");
  EXPECT_THAT(caveats_of(run, draft()), ElementsAre("MEDIUM: length", "LOW: taste"));
  const auto notes = wisdom_notes(run);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0].text, "- [writer] DRAFT-1 (MEDIUM): cut it <!-- r1 -->\n");
}

TEST_F(TeamReports, AGapGoesToARoleThatCoversItAndNeverToANewOne) {
  Team t = team.team;
  t.capabilities.push_back({"security audit", "TEST", ""});
  const auto covering = [&](const std::string& data, const std::string& role = "writer") {
    event::WorkerReported r = said("somebody should look", data);
    r.role = role;
    const Role* found = covering_role(gap_of(r), t);
    return found == nullptr ? "" : found->name;
  };
  EXPECT_EQ(covering(R"({"suggested_capability":"tester"})"), "tester");
  EXPECT_EQ(covering(R"({"suggested_capability":"a TEST of it"})"), "tester") << "by its prefix";
  EXPECT_EQ(covering(R"({"suggested_capability":"Security Audit of code"})"), "tester") << "by what it can do";
  EXPECT_EQ(covering(R"({"suggested_capability":"translation"})"), "");
  EXPECT_EQ(covering(R"({"suggested_capability":"tester"})", "tester"), "") << "not to the one who asks";
  EXPECT_EQ(covering(""), "");
}

}  // namespace
}  // namespace baton::team
