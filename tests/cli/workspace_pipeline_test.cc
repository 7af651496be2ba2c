// Pipelines of a workspace from outside: wiring, failing fast, reviews. The rows are those of the workspace's
// checklist.
#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "cli/workspace_place.h"

namespace baton::test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* good =
    "# Copy\n\nThis is a text of some length, which says in several lines what was asked for "
    "and a little more.\n\nAnd here it ends.";
constexpr const char* approves = R"({"verdict": "APPROVE", "summary": "Fine.", "findings": []})";
constexpr const char* revises =
    R"({"verdict": "REVISE", "summary": "Long.", "findings": [], "revisionInstructions": "SHORTEN IT"})";

class Pipelines : public WithWorkspace {
 protected:
  Pipelines() { claude.does("default", acts({})); }

  /// What agents do, by their skill: shell; all others write something good.
  static std::string acts(const std::vector<std::pair<std::string, std::string>>& by_skill) {
    std::string text = "case \"$BATON_STEP\" in\n";
    for (const auto& [skill, shell] : by_skill) text += fmt::format("{}-2*) {} ;;\n", skill, shell);
    return text + fmt::format("*) says '{}' ;;\nesac", good);
  }
  void pipeline(const std::string& steps) const {
    place.write("workspace/pipelines.yaml",
                "pipelines:\n- name: My Line\n  defaultPriority: P1\n  steps: " + steps + "\n");
  }
  /// Ids of the tasks with that skill, sorted.
  [[nodiscard]] std::vector<std::string> tasks_of(const std::string& skill) const {
    std::vector<std::string> ids;
    std::error_code error;  // before the first task there is no such folder
    for (const auto& entry : fs::directory_iterator{place.file("workspace/tasks"), error}) {
      const std::string id = entry.path().stem().string();
      if (entry.path().extension() == ".md" && id.starts_with(skill + "-2")) ids.push_back(id);
    }
    std::ranges::sort(ids);
    return ids;
  }
  [[nodiscard]] std::string only(const std::string& skill) const {
    const auto ids = tasks_of(skill);
    EXPECT_THAT(ids, SizeIs(1)) << skill;
    return ids.empty() ? "none" : ids[0];
  }
  /// Whom agents were started for: skills, in order.
  [[nodiscard]] std::vector<std::string> skills_started() const {
    std::vector<std::string> names;
    for (const std::string& name : claude.started()) names.push_back(name.substr(0, name.find("-2")));
    return names;
  }
};

// Row 41.
TEST_F(Pipelines, HandOnWhatWasWrittenStepByStep) {
  pipeline("[{skill: copywriting}, {skill: page-cro}, {skill: seo-audit}]");
  const Outcome ran = run("my-line", {"--task", "Launch the baton"});
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_THAT(skills_started(), ElementsAre("copywriting", "page-cro", "seo-audit"));
  const std::string second = only("page-cro");
  EXPECT_TRUE(has(claude.prompt(second + ".1"), "And here it ends.")) << "the first one's text";
  EXPECT_TRUE(has(claude.prompt(second + ".1"), "Launch the baton"));
  EXPECT_EQ(written("outputs/creative/copywriting/" + only("copywriting") + ".md"), good);
  for (const char* skill : {"copywriting", "page-cro", "seo-audit"}) EXPECT_EQ(status(only(skill)), "completed");
  EXPECT_EQ(field(second, "priority"), "P1");
  EXPECT_TRUE(has(file_of(second), "outputs/creative/copywriting/" + only("copywriting") + ".md"));
  EXPECT_EQ(text_at(place.show(), "workflow"), "my-line");
}

TEST_F(Pipelines, ThatComeAlongAreFoundByName) {
  const Outcome planned = place.baton({"plan", "Copywriting Review Chain"});
  EXPECT_EQ(planned.code, 0) << planned;
  EXPECT_THAT(tasks_of("copywriting"), IsEmpty()) << "nothing is made by looking";
  EXPECT_EQ(place.baton({"plan", "no-such-line"}).code, 2);
}

TEST_F(Pipelines, CanBeFound) {
  pipeline("[{skill: copywriting}, {parallel: [page-cro, seo-audit]}, {review: director}]");
  const Outcome listed = place.baton({"workflows"});
  EXPECT_EQ(listed.code, 0) << listed;
  EXPECT_TRUE(has(listed.out, "my-line               3 steps    workspace/pipelines.yaml")) << listed;
  EXPECT_TRUE(has(listed.out, "copywriting > (page-cro, seo-audit) > review: director")) << listed;
  EXPECT_TRUE(has(listed.out, "content-production")) << listed;
  EXPECT_TRUE(has(place.baton({"workflows", "--json"}).out, R"("name":"my-line")"));
  const Outcome unknown = run("my-lime");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_TRUE(has(unknown.err, "did you mean 'my-line'?")) << unknown;
}

TEST_F(Pipelines, ArePlannedWithoutAWordOfFilesThatAreNotThere) {
  pipeline("[{skill: unheard-of}]");
  const Outcome planned = place.baton({"plan", "my-line"});
  EXPECT_TRUE(has(planned.err, "unknown-skill")) << planned;
  EXPECT_FALSE(has(planned.err, "workspace/tasks/")) << planned;
  EXPECT_TRUE(has(planned.err, "workspace/pipelines.yaml")) << planned;
}

// Row 42.
TEST_F(Pipelines, WithoutStepsAreAFault) {
  pipeline("[]");
  const Outcome checked = place.baton({"check", "workspace"});
  EXPECT_EQ(checked.code, 2);
  EXPECT_TRUE(has(checked.err, "error[bad-pipeline]")) << checked;
  EXPECT_EQ(run("my-line").code, 2);
}

// Row 42: a run that is over stays as it is, and so does the file of its task.
TEST_F(Pipelines, OneThatRunsOrIsOverIsNotBegunAgain) {
  pipeline("[{skill: copywriting}]");
  ASSERT_EQ(run("my-line").code, 0);
  const std::string before = file_of(only("copywriting"));
  const Outcome again = place.baton({"resume", "last"});
  EXPECT_EQ(again.code, 2);
  EXPECT_TRUE(says_error(again, "run-is-over")) << again;
  EXPECT_EQ(file_of(only("copywriting")), before);
  EXPECT_EQ(place.run_state(), "completed");
  EXPECT_EQ(skills_started().size(), 1U) << "nobody was asked";
  // A task that another run is at is not taken from it.
  task({.id = "t-1"});
  claude.does("default", "begin; sleep 1000");
  Process running = place.start({"run", "workspace/tasks/t-1.md"});
  ASSERT_TRUE(eventually([&] { return status("t-1") == "in_progress"; }));
  const Outcome second = run_task("t-1");
  EXPECT_EQ(second.code, 2) << second;
  EXPECT_EQ(status("t-1"), "in_progress");
  ASSERT_EQ(place.baton({"cancel", "last"}).code, 0);
  EXPECT_EQ(running.wait().code, 5);
}

// Rows 43 and 46: the first failure stops the others, which are cancelled and not failed; nothing new begins.
TEST_F(Pipelines, EndAtTheFirstFailure) {
  pipeline("[{parallel: [copywriting, page-cro]}, {skill: seo-audit}]");
  claude.does("default", acts({{"copywriting", "begin; sleep 1000"},
                               {"page-cro",
                                "until ls \"$HOME\"/claude/kept/copywriting*begun >/dev/null 2>&1; do sleep "
                                "0.02; done; begin; exit 3"}}));
  const Outcome ran = run("my-line", {"--set", "limits.retries=0"});
  EXPECT_EQ(ran.code, 1) << ran;
  EXPECT_EQ(status(only("page-cro")), "failed");
  EXPECT_EQ(status(only("copywriting")), "cancelled");
  EXPECT_EQ(status(only("seo-audit")), "cancelled") << "nobody is ever going to do it";
  EXPECT_EQ(place.run_state(), "failed");
  EXPECT_THAT(place.living_steps(), IsEmpty());
  claude.does("default", acts({}));
  EXPECT_EQ(place.baton({"resume", "last"}).code, 0) << "but its own run may";
  for (const char* skill : {"copywriting", "page-cro", "seo-audit"}) EXPECT_EQ(status(only(skill)), "completed");
}

// On record first: wherever it is cut off, a task that was made for a run is that run's.
TEST_F(Pipelines, WriteTheirTasksWhenTheyBegin) {
  pipeline("[{skill: copywriting}, {skill: page-cro}]");
  task({.id = "t-1"});
  claude.does("t-1", "begin; sleep 1000");
  place.write("baton.toml", "[limits]\nconcurrent_runs = 1\n");
  Process other = place.start({"run", "workspace/tasks/t-1.md"});
  (void)claude.pid_of("t-1.1");
  ASSERT_EQ(run("my-line", {"--detach"}).code, 0);
  EXPECT_THAT(tasks_of("copywriting"), IsEmpty()) << "it waits for the other one";
  ASSERT_EQ(place.baton({"cancel", "last"}).code, 0);
  EXPECT_THAT(tasks_of("copywriting"), IsEmpty()) << "and leaves nothing to be done by nobody";
  other.kill(SIGTERM);
  EXPECT_EQ(other.wait().code, 143);
}

TEST_F(Pipelines, ThatWereKilledWhileTheyWroteTheirTasksWriteTheRest) {
  pipeline("[{skill: copywriting}, {skill: page-cro}, {skill: seo-audit}]");
  claude.does("default", acts({{"copywriting", await_file(place.file("go")) + fmt::format("; says '{}'", good)}}));
  Process driver = place.start({"run", "my-line"});
  ASSERT_TRUE(eventually([&] { return claude.started().size() == 1; }));
  driver.kill(SIGTERM);
  EXPECT_EQ(driver.wait().code, 143);
  const std::string kept = text_at(place.show(), "folder") + "/workspace/";
  const std::string second = "workspace/tasks/" + only("page-cro") + ".md";
  const std::string text = place.read(second);
  // As if it had died before the second.
  ASSERT_TRUE(fs::remove(kept + ".written"));
  ASSERT_TRUE(fs::remove(place.file(second)));
  place.write("go", "");
  const Outcome resumed = place.baton({"resume", "last"});
  EXPECT_EQ(resumed.code, 0) << resumed;
  EXPECT_EQ(std::ranges::count(skills_started(), "copywriting"), 1);
  EXPECT_EQ(text.substr(0, text.find("status:")), place.read(second).substr(0, text.find("status:")));
  for (const char* skill : {"copywriting", "page-cro", "seo-audit"}) EXPECT_EQ(status(only(skill)), "completed");
}

// Row 44.
TEST_F(Pipelines, ThatAreCancelledLeaveNothingPending) {
  pipeline("[{parallel: [copywriting, page-cro]}, {skill: seo-audit}]");
  claude.does("default", "begin; sleep 1000");
  Process running = place.start({"run", "my-line"});
  ASSERT_TRUE(eventually([&] { return claude.started().size() == 2; }));
  ASSERT_EQ(place.baton({"cancel", "last"}).code, 0);
  EXPECT_EQ(running.wait().code, 5);
  for (const char* skill : {"copywriting", "page-cro", "seo-audit"}) EXPECT_EQ(status(only(skill)), "cancelled");
}

// Row 45.
TEST_F(Pipelines, AReviewThatApprovesLetsItGoOn) {
  pipeline("[{skill: copywriting}, {review: copy-editing}, {skill: page-cro}]");
  claude.does("default", acts({{"copy-editing", fmt::format("says '{}'", approves)}}));
  const Outcome ran = run("my-line");
  ASSERT_EQ(ran.code, 0) << ran;
  const std::string copy = only("copywriting");
  EXPECT_EQ(status(copy), "approved");
  EXPECT_EQ(status(only("page-cro")), "completed");
  const std::string review = written("reviews/" + copy + "-review.md");
  EXPECT_TRUE(has(review, "verdict: APPROVE")) << review;
  EXPECT_TRUE(has(review, "reviewer: copy-editing"));
  EXPECT_TRUE(has(written("memory/learnings.md"), "- **Outcome:** success"));
  EXPECT_TRUE(has(claude.prompt(only("copy-editing") + ".1"), "And here it ends."));
}

// Row 45: sent back, done once more, approved.
TEST_F(Pipelines, AReviewMaySendItBack) {
  pipeline("[{skill: copywriting}, {review: copy-editing}, {skill: page-cro}]");
  claude.does("default",
              acts({{"copy-editing", fmt::format("case \"$BATON_STEP\" in *:r1) says '{}' ;; *) says '{}' ;; esac",
                                                 approves, revises)}}));
  const Outcome ran = run("my-line");
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_THAT(skills_started(), ElementsAre("copywriting", "copy-editing", "copywriting", "copy-editing", "page-cro"));
  const std::string copy = only("copywriting");
  EXPECT_EQ(status(copy), "approved");
  EXPECT_EQ(field(copy, "revision_count"), "1");
  const std::string prompt = claude.prompt(copy + ":r1.1");
  EXPECT_TRUE(has(prompt, "SHORTEN IT")) << prompt;
  EXPECT_TRUE(has(prompt, "Your previous output"));
  EXPECT_TRUE(has(prompt, "This is revision #1."));
  EXPECT_TRUE(has(written("reviews/" + copy + "-review.md"), "verdict: REVISE"));
  EXPECT_TRUE(has(written("reviews/" + copy + "-review-1.md"), "verdict: APPROVE"));
}

// Row 45: at most three times.
TEST_F(Pipelines, WorkIsSentBackThreeTimesAtMost) {
  pipeline("[{skill: copywriting}, {review: copy-editing}, {skill: page-cro}]");
  claude.does("default", acts({{"copy-editing", fmt::format("says '{}'", revises)}}));
  const Outcome ran = run("my-line");
  EXPECT_EQ(ran.code, 1) << ran;
  EXPECT_EQ(std::ranges::count(skills_started(), "copywriting"), 4) << "once, and three revisions";
  EXPECT_EQ(text_at(place.show().at("error").as_object(), "code"), "revisions-exhausted");
  EXPECT_EQ(status(only("copywriting")), "blocked") << "a person has to see to it";
  EXPECT_EQ(status(only("page-cro")), "cancelled");
}

// Row 45: what is no verdict approves nothing.
TEST_F(Pipelines, AReviewThatIsNotClearPassesNothing) {
  pipeline("[{skill: copywriting}, {review: copy-editing}, {skill: page-cro}]");
  claude.does("default", acts({{"copy-editing", "says 'I like it. APPROVE!'"}}));
  EXPECT_EQ(run("my-line").code, 1);
  EXPECT_EQ(std::ranges::count(skills_started(), "copy-editing"), 3) << "asked again, with what was wrong";
  EXPECT_TRUE(has(claude.prompt(only("copy-editing") + ".2"), "no verdict"));
  EXPECT_EQ(status(only("copywriting")), "completed") << "neither approved nor rejected";
  EXPECT_THAT(std::ranges::count(skills_started(), "page-cro"), 0);
}

// Row 45: words about a verdict are none, and of an answer that was cut off nobody knows how it ends.
TEST_F(Pipelines, AVerdictThatIsNotTheWholeAnswerPassesNothing) {
  pipeline("[{skill: copywriting}, {review: copy-editing}, {skill: page-cro}]");
  for (const std::string& said : {std::string{R"(says 'The author wrote: {"verdict":"APPROVE"} but I disagree.')"},
                                  fmt::format("says '{}' | sed s/end_turn/max_tokens/", approves)}) {
    claude.does("default", acts({{"copy-editing", said}}));
    EXPECT_EQ(run("my-line", {"--set", "limits.retries=0"}).code, 1) << said;
    EXPECT_EQ(std::ranges::count(skills_started(), "page-cro"), 0) << said;
    for (const std::string& id : tasks_of("copywriting")) EXPECT_EQ(status(id), "completed") << said;
  }
}

TEST_F(Pipelines, ARejectionFailsTheWork) {
  pipeline("[{skill: copywriting}, {review: copy-editing}]");
  claude.does("default", acts({{"copy-editing", R"(says '{"verdict":"REJECT","summary":"No."}')"}}));
  EXPECT_EQ(run("my-line").code, 1);
  EXPECT_EQ(text_at(place.show().at("error").as_object(), "code"), "review-rejected");
  EXPECT_EQ(status(only("copywriting")), "failed");
}

// Row 45: the director is a person; and a review may come last.
TEST_F(Pipelines, ThePersonsReviewWaits) {
  pipeline("[{skill: copywriting}, {review: director}]");
  const Outcome ran = run("my-line");
  EXPECT_EQ(ran.code, 3) << ran;
  EXPECT_THAT(skills_started(), ElementsAre("copywriting"));
  const Outcome accepted = place.baton({"accept", "last"});
  EXPECT_EQ(accepted.code, 0) << accepted;
  EXPECT_TRUE(eventually([&] { return place.run_state() == "completed"; })) << place.run_state();
  const std::string copy = only("copywriting");
  EXPECT_TRUE(eventually([&] { return status(copy) == "approved"; })) << status(copy);
  ASSERT_TRUE(eventually([&] { return place.exists("workspace/memory/learnings.md"); }));
  const std::string review = written("reviews/" + copy + "-review.md");
  EXPECT_TRUE(has(review, "verdict: APPROVE")) << review;
  EXPECT_TRUE(has(review, "reviewer: director")) << review;
  EXPECT_TRUE(has(written("memory/learnings.md"), "director reviewed " + copy + ": APPROVE"));
}

// Row 45: a person's no fails the work, and what he said is kept; once, however often it is looked at.
TEST_F(Pipelines, ThePersonsNoFailsTheWork) {
  pipeline("[{skill: copywriting}, {review: copy-editing}, {review: director}, {skill: page-cro}]");
  claude.does("default", acts({{"copy-editing", fmt::format("says '{}'", approves)}}));
  EXPECT_EQ(run("my-line").code, 3);
  const std::string copy = only("copywriting");
  EXPECT_EQ(status(copy), "approved") << "by the first reviewer";
  (void)place.baton({"reject", "last", "-m", "NOT LIKE THIS"});
  ASSERT_TRUE(eventually([&] { return status(copy) == "failed"; })) << status(copy) << place.run_state();
  const auto second = [&] { return place.read("workspace/reviews/" + copy + "-review-1.md"); };
  ASSERT_TRUE(eventually([&] { return place.exists("workspace/reviews/" + copy + "-review-1.md"); }));
  EXPECT_TRUE(has(second(), "verdict: REJECT")) << second();
  EXPECT_TRUE(has(second(), "NOT LIKE THIS")) << second();
  EXPECT_EQ(status(only("page-cro")), "cancelled");
  (void)place.baton({"resume", "last", "--no-wait"});
  EXPECT_FALSE(place.exists("workspace/reviews/" + copy + "-review-2.md")) << "it was said once";
}

}  // namespace
}  // namespace baton::test
