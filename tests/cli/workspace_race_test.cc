// Several processes that want to carry out one task.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "cli/workspace_place.h"

namespace baton::test {
namespace {

using WorkspaceRace = WithWorkspace;

TEST_F(WorkspaceRace, TheLoserIsRefusedAndLeavesNoRun) {
  claude.does("default", await_file("go") + "; says '# Copy\n\nAs it was asked for.'");
  for (int round = 1; round <= 5; ++round) {
    const std::string id = fmt::format("t-{}", round);
    task({.id = id});
    std::vector<Process> all;
    for (int n = 0; n < 4; ++n) all.push_back(place.start({"run", "workspace/tasks/" + id + ".md"}));
    ASSERT_TRUE(eventually([&] { return std::ranges::count_if(all, [](Process& p) { return p.ended(); }) >= 3; }));
    place.write("go", "");
    int done = 0;
    for (Process& p : all) {
      const Outcome outcome = p.wait();
      if (outcome.code == 0 && ++done == 1) continue;
      EXPECT_EQ(outcome.code, 2) << outcome;
      EXPECT_TRUE(says_error(outcome, "task-not-executable")) << outcome;
    }
    EXPECT_EQ(done, 1);
    EXPECT_EQ(status(id), "completed");
    EXPECT_EQ(query_number(place.state("baton.db"), "SELECT count(*) FROM runs"), round);
    EXPECT_THAT(claude.started(), testing::SizeIs(round));
    std::filesystem::remove(place.file("go"));
  }
}

}  // namespace
}  // namespace baton::test
