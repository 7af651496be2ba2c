// What people see of a team: the graph, the banner, a stall.
#include <gmock/gmock.h>

#include "dialect/team/status_text.h"
#include "unit/dialect/team/world.h"

namespace baton::team {
namespace {

using testing::HasSubstr;
using testing::Not;

struct TeamStatus : testing::Test {
  TeamStory team{
      made_of({task_of("RESEARCH-1", "researcher", {}, {"artifacts/sources.md"}),
               task_of("DRAFT-1", "writer", {"RESEARCH-1"}, {"artifacts/deep/draft.md"}),
               task_of("TEST-1", "tester", {"RESEARCH-1"}), task_of("TEST-2", "tester", {"DRAFT-1", "TEST-1"})})};
  std::set<std::string> files{"artifacts/sources.md", "artifacts/deep/draft.md"};

  void SetUp() override { team.story.begin(); }
  TeamView view() {
    return view_of(team.story.run, team.team, team.story.now,
                   [this](const std::string& path) { return files.contains(path); });
  }
};

TEST_F(TeamStatus, TheGraphSideBySide) {
  team.does("RESEARCH-1").begins("DRAFT-1");
  team.story.after(Millis{65'000});
  team.team.tasks.push_back(task_of("TEST-9", "tester"));
  EXPECT_EQ(status_text(view(), team.story.now),
            "[executor] Pipeline Status\n"
            "[executor] Progress: 1/5 (20%)\n"
            "[executor]\n"
            "[executor] Execution Graph:\n"
            "[executor]   done RESEARCH-1 (researcher) | . TEST-9 (tester)\n"
            "[executor]     >>> DRAFT-1 (writer) | o TEST-1 (tester)\n"
            "[executor]       o TEST-2 (tester)\n"
            "[executor]   done=completed  >>>=running  o=pending  .=not created\n"
            "[executor]\n"
            "[executor] Active Workers:\n"
            "[executor]   > DRAFT-1 (writer) - running 1m 05s\n"
            "[executor] Ready to spawn: TEST-1, TEST-9\n"
            "[executor] Commands: 'resume' to advance | 'check' to refresh\n");
}

TEST_F(TeamStatus, TheBannerIsTheSeeds) {
  team.does("RESEARCH-1").does("DRAFT-1").does("TEST-1");
  team.story.after(Millis{125'000});
  team.does("TEST-2");
  ASSERT_EQ(team.story.run.state(), RunState::completed);
  EXPECT_EQ(banner(view()),
            "[executor] ============================================\n"
            "[executor] TASK COMPLETE\n"
            "[executor]\n"
            "[executor] Deliverables:\n"
            "[executor]   - sources.md (researcher)\n"
            "[executor]   - draft.md (writer)\n"
            "[executor]\n"
            "[executor] Pipeline: 4/4 tasks\n"
            "[executor] Roles: researcher, writer, tester\n"
            "[executor] Duration: 2m 05s\n"
            "[executor]\n"
            "[executor] Session: .workflow/.team/TC-x\n"
            "[executor] ============================================\n");
  EXPECT_THAT(next_commands(view(), "TC-x"), HasSubstr("baton team TC-x extend FILE"));
}

TEST_F(TeamStatus, ALoopSaysHowFarItIs) {
  TeamStory loop{
      made_of({task_of("DRAFT-1", "writer", {}, {}, true), task_of("DRAFT-2", "writer", {"DRAFT-1"}, {}, true)})};
  loop.story.begin();
  loop.begins("DRAFT-1", {"DRAFT-2"}).says("DRAFT-1", "complete");
  const TeamView v = view_of(loop.story.run, loop.team, loop.story.now, [](const std::string&) { return false; });
  EXPECT_THAT(status_text(v, loop.story.now),
              HasSubstr("> DRAFT-1 (writer) - running 0.0s [inner-loop: 1/2 tasks done]"));
  EXPECT_THAT(status_text(v, loop.story.now), HasSubstr(">>> DRAFT-2 (writer)"));
}

TEST_F(TeamStatus, AStallNamesWhatIsInTheWay) {
  team.does("RESEARCH-1").begins("DRAFT-1");
  team.story.fails("DRAFT-1", false);
  team.does("TEST-1");
  ASSERT_EQ(team.story.run.state(), RunState::failed);
  team.team.tasks[3].needs.push_back("PLAN-7");
  const std::string text = stall_text(view());
  EXPECT_EQ(text,
            "[executor] PIPELINE STALLED\n"
            "[executor]   DRAFT-1 (writer) failed: exit code 1\n"
            "[executor]   TEST-2 (tester) waits for DRAFT-1 (failed), PLAN-7 (no such task)\n");
  EXPECT_THAT(next_commands(view(), "TC-x"), HasSubstr("baton team TC-x retry DRAFT-1"));
  EXPECT_THAT(next_commands(view(), "TC-x"), HasSubstr("baton team TC-x skip DRAFT-1"));
}

TEST_F(TeamStatus, BeforeAnythingBegan) {
  Team t = team.team;
  t.file.completed = {"RESEARCH-1"};
  const TeamView v = view_of(t, [](const std::string&) { return true; });
  EXPECT_THAT(status_text(v, {}), HasSubstr("done RESEARCH-1 (researcher)"));
  EXPECT_THAT(status_text(v, {}), HasSubstr(". DRAFT-1 (writer) | . TEST-1 (tester)"));
}

TEST(TeamSummaries, SayWhatIsThereInALine) {
  EXPECT_EQ(summary_line("issues.md", "# Issues\n\n- one thing\n- another\n"), "  - issues.md: one thing (and 1 more)");
  EXPECT_EQ(summary_line("issues.md", "# Issues\n"), "") << "only its title";
}

}  // namespace
}  // namespace baton::team
