// A chain of skills with the real claude: it plans, builds and judges in a working tree, as the built-in skills tell
// it.
#include <gmock/gmock.h>

#include "agents/real_claude.h"

namespace baton::test {
namespace {

using ::testing::ElementsAre;

class RealClaudeChain : public RealClaude {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(RealClaude::SetUp());
    if (IsSkipped()) return;
    place.env["GIT_CONFIG_NOSYSTEM"] = "1";
    write_text(place.env["HOME"] + "/.gitconfig", "[user]\n\tname = Ada\n\temail = ada@example.org\n");
    place.write("README", "first\n");
    git("init -q -b main && git add -A && git commit -q -m first");
    place.write("README", "first\nmine\n");
    place.write("untracked", "mine\n");
  }

  std::string git(const std::string& command) {
    const std::string out = place.file("../git.out");
    Process shell{{.argv = {"/bin/sh", "-c", "git " + command + " 2>&1"},
                   .cwd = place.root(),
                   .env = place.env,
                   .out_path = out,
                   .err_path = out + ".err"}};
    const Outcome ended = shell.wait();
    EXPECT_EQ(ended.code, 0) << command << "\n" << ended;
    return ended.out.substr(0, ended.out.find_last_not_of('\n') + 1);
  }

  static json::object rule(const char* words, const json::array& steps) { return {{"match", words}, {"steps", steps}}; }
  static json::object wrote(const std::string& file, const std::string& text) {
    return {{"text", "Writing."}, {"write", {file, text}}};
  }

  /// The model plans, builds and judges; each is known by words of its skill.
  void start_model(const std::string& verdict) {
    api.start(
        {rule("Judge the change in this working tree", {json::object{{"shell", "git log --oneline"}}, says(verdict)}),
         rule("Write the plan for the task", {wrote("specs/login.md", "# Login\n"), says("specs/login.md")}),
         rule("Carry out the task in this working tree",
              {wrote("login.html", "<form>\n"), says("The page is login.html.")})});
  }
};

TEST_F(RealClaudeChain, PlanBuildGoesFromTaskToReviewingAndAcceptLandsIt) {
  start_model(R"(Here it is: {"success": true, "review_summary": "It is well made.", "review_issues": []})");
  const Outcome ran = place.baton({"run", "plan-build", "--task", "Add a login page"});
  ASSERT_EQ(ran.code, 3) << ran;
  EXPECT_TRUE(has(ran.err, "It is well made.")) << ran;
  const json::object shown = place.show();
  EXPECT_EQ(text_at(shown, "state"), "reviewing");
  EXPECT_THAT(step_states_of(shown), ElementsAre("spec=completed", "build=completed", "review=completed"));
  for (const char* id : {"spec", "build", "review"}) {
    EXPECT_EQ(step_of(shown, id).at("attempts").as_array().size(), 1U) << id;
    EXPECT_GT(cost_in(attempt_of(shown, id, 1)), 0) << id;
  }
  EXPECT_EQ(api.requests().size(), 6U) << "three agents, two answers each";
  const std::string branch = text_at(shown, "branch");
  EXPECT_EQ(git("log --format=%s main.." + branch), "feat(build): Add a login page\ndocs(spec): Add a login page")
      << "a commit for each skill that changed something";
  EXPECT_EQ(git("show --format= --name-only " + branch), "login.html");
  EXPECT_EQ(git("status --porcelain"), " M README\n?? untracked") << "nothing shows in the user's own folder";

  const Outcome accepted = place.baton({"accept", "last"});
  EXPECT_EQ(accepted.code, 0) << accepted;
  EXPECT_EQ(place.run_state(), "accepted");
  EXPECT_EQ(place.read("login.html"), "<form>\n");
  EXPECT_EQ(place.read("specs/login.md"), "# Login\n");
  EXPECT_EQ(git("status --porcelain"), " M README\n?? untracked");
  EXPECT_EQ(git("branch --list 'baton/*'"), "");
  EXPECT_TRUE(place.living_steps().empty());
}

TEST_F(RealClaudeChain, AReviewThatDoesNotPassIsShownWithItsIssues) {
  start_model(
      R"({"success": false, "review_summary": "Not yet.", "review_issues": [)"
      R"({"severity": "blocker", "file": "login.html", "issue": "It has no button.", "description": "It has no button."}]})");
  const Outcome ran =
      place.baton({"run", "plan-build", "--task", "Add a login page", "--set", "review.auto_accept=true"});
  EXPECT_EQ(ran.code, 3) << ran;
  EXPECT_TRUE(has(ran.err, "Not yet.")) << ran;
  EXPECT_TRUE(has(ran.err, "It has no button.")) << ran;
  EXPECT_EQ(place.run_state(), "reviewing");
  EXPECT_EQ(place.baton({"reject", "last"}).code, 0);
  EXPECT_EQ(git("branch --list 'baton/*'"), "");
  EXPECT_EQ(git("status --porcelain"), " M README\n?? untracked");
}

}  // namespace
}  // namespace baton::test
