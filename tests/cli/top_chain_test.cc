// The dashboard over chains, sessions and teams with agents: what they changed, what they were told, what they said;
// and what people answer.
#include "session_place.h"
#include "support/chain_place.h"
#include "team_place.h"
#include "top_place.h"

namespace baton::test {
namespace {

class TopOfChains : public WithTopIn<WithChain> {
 protected:
  TopOfChains() { writes("build", "login.txt", "a page to log in"); }
  std::size_t steps() { return place.show().at("steps").as_array().size(); }
};

TEST_F(TopOfChains, ShowsDiffPromptOutputAndCost) {
  ASSERT_EQ(run("plan-build", {"--model", "opus"}).code, 3);
  open_top();
  ASSERT_TRUE(sees("? reviewing")) << screen();
  keys({"d"});
  EXPECT_TRUE(sees("+a page to log in")) << screen();
  keys({"5"});
  EXPECT_TRUE(sees("Add a login page")) << screen();
  keys({"2"});
  keys({"G"});
  keys({"6"});
  EXPECT_TRUE(sees("\"review_summary\": \"It is well")) << screen();
  keys({"7"});
  EXPECT_TRUE(sees("opus") && sees("total")) << screen();
}

TEST_F(TopOfChains, StartsAChainWithItsTask) {
  open_top();
  keys({"n"});
  ASSERT_TRUE(sees("which workflow?")) << screen();
  type("plan-build");
  keys({"Enter"});
  ASSERT_TRUE(sees("New run of plan-build")) << screen();
  type("Add a page to log out");
  keys({"C-s"});
  EXPECT_TRUE(becomes("last", "reviewing")) << screen();
  EXPECT_EQ(text_at(place.show(), "task"), "Add a page to log out");
  EXPECT_TRUE(sees("Add a page to log out")) << screen();
}

TEST_F(TopOfChains, AcceptsAndFollowsUp) {
  ASSERT_EQ(run("plan-build").code, 3);
  open_top();
  ASSERT_TRUE(sees("? reviewing")) << screen();
  const std::size_t before = steps();
  keys({"u"});
  EXPECT_TRUE(sees("Follow up on")) << screen();
  type("and a second page");
  keys({"C-s"});
  EXPECT_TRUE(eventually([&] { return steps() > before; })) << screen();
  EXPECT_TRUE(becomes("last", "reviewing")) << screen();
  EXPECT_TRUE(sees("? reviewing")) << screen();
  keys({"a"});
  EXPECT_TRUE(sees("Accept ")) << screen();
  keys({"y"});
  EXPECT_TRUE(becomes("last", "accepted")) << screen();
  EXPECT_TRUE(sees("✓ accepted")) << screen();
  EXPECT_EQ(place.read("login.txt"), "a page to log in\n") << "the change has landed";
}

TEST_F(TopOfChains, RejectsWithAMessageAndWithout) {
  ASSERT_EQ(run("plan-build").code, 3);
  open_top();
  ASSERT_TRUE(sees("? reviewing")) << screen();
  const std::size_t before = steps();
  keys({"x"});
  EXPECT_TRUE(sees("What is wrong?")) << screen();
  type("not quite");
  keys({"Enter"});
  EXPECT_TRUE(eventually([&] { return steps() > before; })) << screen();
  EXPECT_TRUE(becomes("last", "reviewing"));
  EXPECT_TRUE(sees("? reviewing")) << screen();
  keys({"x"});
  EXPECT_TRUE(sees("What is wrong?"));
  keys({"Enter"});
  EXPECT_TRUE(sees("Throw the work")) << screen();
  keys({"n"});
  EXPECT_TRUE(sees_no_more("Throw the work"));
  EXPECT_EQ(place.run_state(), "reviewing") << "it was asked first";
  keys({"x"});
  keys({"Enter"});
  EXPECT_TRUE(sees("Throw the work"));
  keys({"y"});
  EXPECT_TRUE(becomes("last", "rejected")) << screen();
  EXPECT_TRUE(sees("■ rejected")) << screen();
}

TEST_F(TopOfChains, FoldsThoughtsAndToolsFollowsAndShowsTheRawStream) {
  claude.does("spec", R"(begin; printf '%s\n' '{"type":"assistant","message":{"id":"m1","content":[{"type":"thinking",)"
                      R"("thinking":"A first thought.\nA second one."},{"type":"tool_use","id":"t","name":"Bash",)"
                      R"("input":{"command":"make one\nmake two"}}]}}' '{"type":"user","message":{"content":[)"
                      R"({"type":"tool_result","content":"made it\nand more"}]}}'; says 'Specified.')");
  ASSERT_EQ(run("plan-build").code, 3);
  open_top();
  ASSERT_TRUE(sees("? reviewing")) << screen();
  keys({"2"});
  keys({"g"});
  keys({"l"});
  ASSERT_TRUE(sees("▸ A first thought.") && sees("▸ [tool] Bash: make one") && sees("▸ [answer] made it")) << screen();
  EXPECT_FALSE(has(screen(), "A second one.") || has(screen(), "make two") || has(screen(), "and more"));
  EXPECT_TRUE(has(screen(), "⇣")) << "it follows";
  keys({"f"});
  EXPECT_TRUE(sees_no_more("⇣")) << screen();
  keys({"F"});
  EXPECT_TRUE(sees("A second one.") && sees("make two") && sees("and more")) << screen();
  keys({"F"});
  EXPECT_TRUE(sees_no_more("A second one.")) << screen();
  keys({"/"});
  type("second");
  keys({"Enter"});
  EXPECT_TRUE(sees("▾") && sees("A second one.")) << "what is found is unfolded";
  EXPECT_FALSE(has(screen(), "make two")) << "the others are not";
  keys({"Escape"});
  keys({"R"});
  EXPECT_TRUE(sees("\"tool_use\"")) << screen();
  keys({"R"});
  EXPECT_TRUE(sees_no_more("\"tool_use\"")) << screen();
}

using TopOfSessions = WithTopIn<WithSession>;

TEST_F(TopOfSessions, StartsASessionAndShowsItsTasks) {
  tasks({"IMPL-1", "IMPL-2"});
  open_top();
  keys({"n"});
  ASSERT_TRUE(sees("WFS-x")) << screen();
  type("WFS-x");
  keys({"Enter"});
  ASSERT_TRUE(sees("New run of WFS-x")) << screen();
  EXPECT_FALSE(has(screen(), "Task ")) << "a session has its tasks";
  keys({"C-s"});
  EXPECT_TRUE(becomes("last", "completed")) << screen();
  EXPECT_TRUE(sees("✓ IMPL-1  Do IMPL-1") && sees("✓ IMPL-2  Do IMPL-2")) << screen();
  EXPECT_TRUE(sees("Done as told.")) << screen();
}

using TopOfTeams = WithTopIn<WithTeam>;

TEST_F(TopOfTeams, ShowsWorkersThatGoOnByThemselves) {
  claude.does("A-1", "until_there '" + place.file("../go") + "'; put made; says 'Written.'");
  team({{"A-1", "a"}, {"B-1", "b", {"A-1"}}});
  ASSERT_EQ(act().code, 0);
  open_top();
  ASSERT_TRUE(sees("2 steps  TC-x") && sees("A-1  Do A-1") && sees("· B-1  Do B-1")) << screen();
  EXPECT_TRUE(sees("▶ running")) << screen();
  EXPECT_FALSE(has(screen(), "no driver")) << "the holder sees to it\n" << screen();
  place.write("../go", "");
  EXPECT_TRUE(sees("✓ A-1  Do A-1") && sees("✓ B-1  Do B-1") && sees("✓ completed")) << screen();
}

}  // namespace
}  // namespace baton::test
