// Gates from outside: a person is asked, answers, and the run goes on or does not.
#include <gmock/gmock.h>

#include "support/programs.h"

namespace baton::test {
namespace {

using ::testing::ElementsAre;

class Gates : public Outside {
 protected:
  void ends_as(const std::string& state) {
    EXPECT_TRUE(eventually([&] { return place.run_state() == state; })) << json::serialize(place.show());
  }
};

TEST_F(Gates, AsksAndLeavesWithThree) {
  place.workflow(
      "w", {step("draft", "printf '{\"title\": \"Otters\"}' > \"$BATON_OUTPUT\"",
                 "output: ${{ sandbox }}/outputs/draft.json"),
            "  - id: ask\n    needs: [draft]\n    gate: {approve: \"Publish ${{ steps.draft.output.title }}?\"}\n",
            step("publish", "touch published", "needs: [ask]")});
  const Outcome ran = place.baton({"run", "w", "--json"});
  EXPECT_EQ(ran.code, 3) << ran;
  const auto lines = json_lines(ran.out);
  EXPECT_EQ(text_at(lines.back(), "type"), "run.reviewing");
  EXPECT_EQ(text_at(lines.back(), "state"), "reviewing");
  const auto gated = of_type(lines, "step.gated");
  ASSERT_EQ(gated.size(), 1U);
  EXPECT_EQ(text_at(gated[0], "question"), "Publish Otters?") << "with its values filled in";
  const json::object shown = place.show();
  EXPECT_EQ(text_at(shown, "state"), "reviewing");
  EXPECT_EQ(text_at(step_of(shown, "ask"), "state"), "waiting");
  EXPECT_TRUE(has(place.baton({"show", "last"}).out, "Publish Otters?"));
  EXPECT_TRUE(has(place.baton({"why", "last", "ask"}).out, "a person is asked: Publish Otters?"));
  EXPECT_FALSE(place.exists("published"));
  const Outcome again = place.baton({"run", "w"});
  EXPECT_TRUE(has(again.err, "ask waits for approval: Publish Otters?")) << again;
  EXPECT_TRUE(has(again.err, "waiting for you: step 'ask': Publish Otters?\n  'baton accept ")) << again;
  EXPECT_FALSE(has(again.err, "error[")) << "nothing went wrong" << again;
  EXPECT_EQ(again.code, 3);
  EXPECT_TRUE(has(ran.err, R"({"type":"error","code":"gate-waiting")")) << ran;
}

TEST_F(Gates, WhatIsAskedComesBeforeWhatFailedBesides) {
  place.workflow("w", {step("bad", "exit 1"), "  - id: ask\n    gate: {approve: \"Go on?\"}\n"});
  const Outcome ran = place.baton({"run", "w"});
  EXPECT_EQ(ran.code, 3) << ran;
  EXPECT_TRUE(has(ran.err, "waiting for you: step 'ask': Go on?\n  'baton accept ")) << ran;
  EXPECT_EQ(text_at(place.show().at("error").as_object(), "code"), "gate-waiting");
}

TEST_F(Gates, AcceptedTheRunGoesOnInTheBackground) {
  place.workflow("w", {"  - id: ask\n    gate: approve\n", step("publish", "touch published", "needs: [ask]")});
  ASSERT_EQ(place.baton({"run", "w"}).code, 3);
  const Outcome accepted = place.baton({"accept", "last"});
  EXPECT_EQ(accepted.code, 0) << accepted;
  EXPECT_TRUE(has(accepted.err, "accepted: ask")) << accepted;
  ends_as("completed");
  EXPECT_TRUE(place.exists("published"));
  EXPECT_TRUE(has(place.baton({"why", "last", "ask"}).out, "a person approved it"));
  const Outcome again = place.baton({"accept", "last"});
  EXPECT_EQ(again.code, 2) << again;
  EXPECT_TRUE(says_error(again, "nothing-to-review")) << again;
}

TEST_F(Gates, ResumeOfAReviewingRunStillWaits) {
  place.workflow("w", {"  - id: ask\n    gate: approve\n", step("publish", "touch published", "needs: [ask]")});
  ASSERT_EQ(place.baton({"run", "w"}).code, 3);
  EXPECT_EQ(place.baton({"resume", "last"}).code, 3);
  EXPECT_FALSE(place.exists("published"));
}

TEST_F(Gates, RejectedTheRunIsOverAndSaysWhy) {
  place.workflow("w", {"  - id: ask\n    gate: approve\n", step("publish", "touch published", "needs: [ask]")});
  ASSERT_EQ(place.baton({"run", "w"}).code, 3);
  const Outcome rejected = place.baton({"reject", "last", "-m", "not before Monday"});
  EXPECT_EQ(rejected.code, 0) << rejected;
  ends_as("rejected");
  EXPECT_FALSE(place.exists("published"));
  const json::object shown = place.show();
  EXPECT_THAT(step_states_of(shown), ElementsAre("ask=failed", "publish=skipped"));
  EXPECT_EQ(text_at(shown.at("error").as_object(), "code"), "gate-rejected");
  EXPECT_TRUE(has(text_at(shown.at("error").as_object(), "message"), "not before Monday"));
  EXPECT_TRUE(has(place.baton({"why", "last", "ask"}).out, "a person rejected it: not before Monday"));
  const Outcome resumed = place.baton({"resume", "last"});
  EXPECT_EQ(resumed.code, 2) << resumed;
  EXPECT_TRUE(says_error(resumed, "run-is-over")) << resumed;
  EXPECT_EQ(place.baton({"retry", "last", "ask"}).code, 3) << "asks again";
  ASSERT_EQ(place.baton({"accept", "last"}).code, 0);
  ends_as("completed");
}

TEST_F(Gates, AGateWithWorkOfItsOwnBeginsOnlyWhenApproved) {
  place.workflow("w", {step("publish", "echo once >> published", "gate: {approve: 'Now?'}")});
  ASSERT_EQ(place.baton({"run", "w"}).code, 3);
  EXPECT_FALSE(place.exists("published"));
  ASSERT_EQ(place.baton({"accept", "last", "publish"}).code, 0);
  ends_as("completed");
  EXPECT_EQ(place.read("published"), "once\n");
}

TEST_F(Gates, OneBeforeItemsIsAskedOnceAndNothingRunsBefore) {
  place.workflow("w", {step("t", "echo ${{ item }} >> ran", "for_each: [a, b]\ngate: {approve: 'All of them?'}")});
  const Outcome run = place.baton({"run", "w", "--json", "--jobs", "1"});
  EXPECT_EQ(run.code, 3) << run;
  EXPECT_EQ(of_type(json_lines(run.out), "step.gated").size(), 1U);
  EXPECT_FALSE(place.exists("ran")) << place.read("ran");
  ASSERT_EQ(place.baton({"accept", "last"}).code, 0);
  ends_as("completed");
  EXPECT_EQ(place.read("ran"), "a\nb\n");
}

TEST_F(Gates, OneBeforeRoundsIsAskedOnce) {
  place.workflow("w", {step("t", "echo ${{ index }} >> ran; echo 1 > \"$BATON_OUTPUT\"",
                            "loop: {max: 2}\ngate: approve\noutput: ${{ sandbox }}/outputs/t.json")});
  EXPECT_EQ(place.baton({"run", "w"}).code, 3);
  EXPECT_FALSE(place.exists("ran"));
  ASSERT_EQ(place.baton({"accept", "last"}).code, 0);
  ends_as("completed");
  EXPECT_EQ(place.read("ran"), "1\n2\n");
}

TEST_F(Gates, RejectedItemsAreNeverMade) {
  place.workflow("w", {step("t", "echo ${{ item }} >> ran", "for_each: [a, b]\ngate: approve")});
  ASSERT_EQ(place.baton({"run", "w"}).code, 3);
  ASSERT_EQ(place.baton({"reject", "last"}).code, 0);
  ends_as("rejected");
  EXPECT_FALSE(place.exists("ran"));
  EXPECT_THAT(step_states_of(place.show()), ElementsAre("t=failed"));
}

TEST_F(Gates, ItemsThatAreAskedForAreAskedForOneByOne) {
  place.workflow("w", {step("t", "echo ${{ item }} >> ran", "for_each: [a, b]\ngate: {approve: 'Take ${{ item }}?'}")});
  const Outcome run = place.baton({"run", "w", "--json"});
  EXPECT_EQ(run.code, 3) << run;
  const auto gated = of_type(json_lines(run.out), "step.gated");
  ASSERT_EQ(gated.size(), 2U);
  EXPECT_EQ(text_at(gated[0], "question") + text_at(gated[1], "question"), "Take a?Take b?");
  ASSERT_EQ(place.baton({"accept", "last", "t:2"}).code, 0);
  ASSERT_TRUE(eventually([&] { return place.read("ran") == "b\n"; }));
  ends_as("reviewing");
  ASSERT_EQ(place.baton({"accept", "last"}).code, 0);
  ends_as("completed");
  EXPECT_EQ(place.read("ran"), "b\na\n");
}

TEST_F(Gates, AnsweredWhileAnotherProcessDrivesTheRun) {
  place.workflow("w", {step("publish", "touch published", "gate: approve"), step("long", await_file("go")),
                       step("both", "true", "needs: [publish, long]")});
  Process run = place.start({"run", "w", "--json"});
  ASSERT_TRUE(eventually([&] { return has(run.out(), "step.gated"); })) << run.err();
  EXPECT_EQ(place.run_state(), "running");
  const Outcome accepted = place.baton({"accept", "last"});
  EXPECT_EQ(accepted.code, 0) << accepted;
  EXPECT_TRUE(eventually([&] { return place.exists("published"); })) << "while the other step is still at work";
  EXPECT_FALSE(run.ended());
  place.write("go", "");
  const Outcome ended = run.wait();
  EXPECT_EQ(ended.code, 0) << ended;
  EXPECT_EQ(text_at(json_lines(ended.out).back(), "state"), "completed");
}

TEST_F(Gates, RejectedWhileOthersWorkTheDriverLeavesWithFive) {
  place.workflow("w", {step("publish", "touch published", "gate: approve"), step("long", await_file("go"))});
  Process run = place.start({"run", "w", "--json"});
  ASSERT_TRUE(eventually([&] { return has(run.out(), "step.gated"); })) << run.err();
  ASSERT_EQ(place.baton({"reject", "last"}).code, 0);
  place.write("go", "");
  const Outcome ended = run.wait();
  EXPECT_EQ(ended.code, 5) << ended;
  EXPECT_EQ(text_at(json_lines(ended.out).back(), "state"), "rejected");
  EXPECT_EQ(text_at(step_of(place.show(), "long"), "state"), "completed") << "what was at work went on to its end";
}

TEST_F(Gates, AnUnknownRunAndAStepThatDoesNotWaitAreRefused) {
  EXPECT_TRUE(says_error(place.baton({"accept", "last"}), "unknown-run"));
  place.workflow("w", {"  - id: ask\n    gate: approve\n", step("other", "true")});
  ASSERT_EQ(place.baton({"run", "w"}).code, 3);
  const Outcome wrong = place.baton({"accept", "last", "other"});
  EXPECT_EQ(wrong.code, 2) << wrong;
  EXPECT_TRUE(says_error(wrong, "nothing-to-review") && has(wrong.err, "waiting: ask")) << wrong;
  EXPECT_EQ(place.baton({"cancel", "last"}).code, 0);
  EXPECT_EQ(place.run_state(), "cancelled");
}

}  // namespace
}  // namespace baton::test
