// An output counts only for the attempt that wrote it, and only as long as it is what was checked.
#include <gmock/gmock.h>

#include <filesystem>

#include "support/scripted_claude.h"

namespace baton::test {
namespace {

using ::testing::ElementsAre;

constexpr const char* silent_success = "begin; answer m1 100 20; result 100 20 0.0008";

std::string sandboxed(const std::string& id, const std::string& more = "") {
  std::string text = agent_step(id, "m", more);
  text.replace(text.find("output: out/"), 12, "output: ${{ sandbox }}/outputs/");
  return text;
}

class Wrote : public WithScriptedClaude {
 protected:
  [[nodiscard]] std::string sandbox() { return "sandbox/" + text_at(place.show(), "sandbox"); }
  [[nodiscard]] std::string state(const std::string& id) { return text_at(step_of(place.show(), id), "state"); }
};

TEST_F(Wrote, AnAttemptThatSaysSuccessAndWritesNothingDoesNotGetTheOneBeforeItsOutput) {
  for (const bool in_sandbox : {true, false}) {
    place.workflow("w", {in_sandbox ? sandboxed("a", "retries: 1") : agent_step("a", "m", "retries: 1")});
    claude.does("a.1", "begin; put '{\"title\":1}'; fails 500 api_error broken");
    claude.does("a.2", silent_success);
    const Outcome ran = place.baton({"run", "w", "--set", "limits.retry_delay=1ms"});
    EXPECT_EQ(ran.code, 1) << ran;
    EXPECT_EQ(state("a"), "failed");
    EXPECT_TRUE(has(ran.err, "was not written")) << ran.err;
  }
}

TEST_F(Wrote, TheOutputOfTheAttemptBeforeIsSetAsideAndTheNextOneIsToldWhere) {
  place.workflow("w", {sandboxed("a", "retries: 1")});
  claude.does("a.1", "begin; answer m1 100 20; put '{\"wrong\":1}'; result 100 20 0.0008");
  ASSERT_EQ(place.baton({"run", "w"}).code, 0);
  const std::string aside = sandbox() + "/logs/a.1.json";
  EXPECT_EQ(place.read(aside), "{\"wrong\":1}");
  EXPECT_EQ(claude.variable("BATON_PREVIOUS_OUTPUT", "a.1"), "(none)");
  EXPECT_EQ(claude.variable("BATON_PREVIOUS_OUTPUT", "a.2"), place.file(aside));
  EXPECT_TRUE(has(claude.prompt("a.2"), aside)) << claude.prompt("a.2");
  EXPECT_FALSE(has(claude.prompt("a.1"), "set aside"));
}

TEST_F(Wrote, WhatAnAttemptLeftBehindIsNotTheNextOnesHoweverItEnded) {
  struct Case {
    const char* first;
    const char* more;
  };
  for (const Case& row : {Case{"begin; put '{\"title\":1}'; exit 3", "retries: 1"},
                          Case{"begin; put '{\"title\":1}'; sleep 100", "retries: 1\ntimeout: 1s"},
                          Case{"begin; put '{\"title\":1}'; kill -9 $$", "retries: 1"}}) {
    place.workflow("w", {sandboxed("a", row.more)});
    claude.does("a.1", row.first);
    claude.does("a.2", silent_success);
    const Outcome ran = place.baton({"run", "w", "--set", "limits.retry_delay=1ms"});
    EXPECT_EQ(ran.code, 1) << row.first << ran;
    EXPECT_EQ(place.read(sandbox() + "/logs/a.1.json"), "{\"title\":1}") << row.first;
  }
}

TEST_F(Wrote, AStepThatIsRunAgainHasToWriteAgain) {
  place.workflow("w", {sandboxed("a", "retries: 0"), sandboxed("b", "needs: [a]")});
  ASSERT_EQ(place.baton({"run", "w"}).code, 0);
  claude.does("a.2", silent_success);
  EXPECT_EQ(place.baton({"retry", "last", "a"}).code, 1);
  EXPECT_EQ(state("a"), "failed");
  EXPECT_THAT(claude.started(), ElementsAre("a.1", "b.1", "a.2"));
}

TEST_F(Wrote, AFileOfTheUsersThatLayThereIsNoOutput) {
  place.workflow("w", {agent_step("a", "m", "retries: 0")});
  place.write("out/a.json", "{\"title\":\"from yesterday\"}");
  claude.does("a", silent_success);
  const Outcome ran = place.baton({"run", "w"});
  EXPECT_EQ(ran.code, 1) << ran;
  EXPECT_TRUE(has(ran.err, "touch")) << ran.err;
  EXPECT_EQ(place.read("out/a.json"), "{\"title\":\"from yesterday\"}") << "it stays where it is";

  claude.does("a", "begin; put '{\"title\":\"from yesterday\"}'; answer m1 100 20; result 100 20 0.0008");
  EXPECT_EQ(place.baton({"run", "w"}).code, 0) << "written again, with the same words";
}

TEST_F(Wrote, ACommandThatFindsItsFileUpToDateHasToTouchIt) {
  place.write("out/x.txt", "there");
  place.workflow("w", {step("a", "'true'", "output: out/x.txt")});
  const Outcome ran = place.baton({"run", "w"});
  EXPECT_EQ(ran.code, 1) << ran;
  place.workflow("w", {step("a", "touch out/x.txt", "output: out/x.txt")});
  EXPECT_EQ(place.baton({"run", "w"}).code, 0);
}

TEST_F(Wrote, AStepMayChangeInPlaceWhatItReads) {
  const std::string path = "${{ sandbox }}/outputs/x.txt";
  place.workflow("w", {step("a", "echo one > " + path, "output: " + path),
                       step("b", "echo two >> " + path, "needs: [a]\ninput: " + path + "\noutput: " + path)});
  const Outcome ran = place.baton({"run", "w"});
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(place.read(sandbox() + "/outputs/x.txt"), "one\ntwo\n");

  place.workflow("w", {step("a", "echo one > " + path, "output: " + path),
                       step("b", "'true'", "needs: [a]\ninput: " + path + "\noutput: " + path)});
  EXPECT_EQ(place.baton({"run", "w"}).code, 1) << "and has to";
}

TEST_F(Wrote, ALoopsNextRoundIsToldWhereTheLastOnesOutputIs) {
  const std::string path = "${{ sandbox }}/outputs/x.json";
  place.workflow("w", {step("a",
                            "if [ -n \"$BATON_PREVIOUS_OUTPUT\" ]; then n=2; cat $BATON_PREVIOUS_OUTPUT >> seen; else "
                            "n=1; fi; printf '{\"n\": %s}' $n > " +
                                path,
                            "output: " + path + "\nloop: {until: output.n == 2, max: 5}")});
  const Outcome ran = place.baton({"run", "w"});
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(place.read("seen"), "{\"n\": 1}");
}

// --- What was checked is what is used -----------------------------------------------------------------------------

TEST_F(Wrote, AnOutputThatALaterStepSpoilsIsNoSuccess) {
  for (const char* spoils : {"rm out/a.json", "echo garbage > out/a.json"}) {
    place.workflow("w", {step("a", "printf '{\"title\":1}' > out/a.json",
                              "output: out/a.json\nvalidate: {required_fields: [title]}"),
                         step("b", spoils, "needs: [a]")});
    std::filesystem::create_directories(place.file("out"));
    const Outcome ran = place.baton({"run", "w"});
    EXPECT_EQ(ran.code, 1) << spoils << ran;
    EXPECT_EQ(state("a"), "failed") << spoils;
    EXPECT_EQ(state("b"), "completed") << spoils;
    EXPECT_TRUE(has(ran.err, "is not what it was when it was checked")) << ran.err;
  }
}

TEST_F(Wrote, AnOutputThatALaterStepChangedWellIsCheckedAgainAndKept) {
  place.workflow("w", {step("a", "mkdir -p out; printf '{\"title\":1}' > out/a.json",
                            "output: out/a.json\nvalidate: {required_fields: [title]}"),
                       step("b", "printf '{\"title\":2}' > out/a.json; echo x >> ran", "needs: [a]"),
                       step("c", "'true'", "needs: [b]")});
  const Outcome ran = place.baton({"run", "w"});
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(place.read("ran"), "x\n") << "what changed it is not run again because of that";
}

TEST_F(Wrote, ASpoiltOutputIsPaidForAgainOnlyOnAPersonsWord) {
  place.workflow("w", {agent_step("a", "m", "retries: 2"), agent_step("b", "m", "needs: [a]"),
                       step("c", "if [ -e once ]; then exit 0; fi; touch once; rm out/a.json", "needs: [b]")});
  ASSERT_EQ(place.baton({"run", "w"}).code, 1);
  EXPECT_THAT(claude.started(), ElementsAre("a.1", "b.1"));
  ASSERT_EQ(place.baton({"resume", "last"}).code, 0);
  EXPECT_THAT(claude.started(), ElementsAre("a.1", "b.1", "a.2", "b.2")) << "and what was made from it is made anew";
}

TEST_F(Wrote, TheCommandsOfACheckLookAgainAsWell) {
  place.workflow("w", {step("a", "mkdir -p out; echo one > out/x",
                            "output: out/x\nvalidate: {command: 'echo x >> checks; grep -q one out/x'}"),
                       step("b", "echo garbage > out/x", "needs: [a]"), step("c", "cp out/x pub", "needs: [b]")});
  const Outcome ran = place.baton({"run", "w"});
  EXPECT_EQ(ran.code, 1) << ran;
  EXPECT_EQ(place.read("checks"), "x\nx\n");
  EXPECT_FALSE(place.exists("pub")) << "not even through a step without an output";
}

TEST_F(Wrote, NobodyGoesOnWhereOneSawThatTheDraftIsSpoilt) {
  for (const char* jobs : {"1", "4"}) {
    place.workflow("w", {agent_step("draft", "m"), "  - id: ok\n    needs: [draft]\n    gate: approve\n",
                         step("p1", "cp out/draft.json pub1", "needs: [ok]"),
                         step("p2", "cp out/draft.json pub2", "needs: [ok]")});
    ASSERT_EQ(place.baton({"run", "w", "--jobs", jobs}).code, 3);
    place.write("out/draft.json", "garbage");
    EXPECT_EQ(place.baton({"accept", "last"}).code, 0);
    ASSERT_TRUE(eventually([&] { return place.run_state() == "failed"; }));
    EXPECT_FALSE(place.exists("pub1") || place.exists("pub2")) << jobs;
  }
}

TEST_F(Wrote, AnItemThatIsGoneIsSeenBehindItsList) {
  place.workflow("w", {step("tr", "mkdir -p out; printf '{\"t\":1}' > out/tr-${{ index }}.json",
                            "for_each: [1, 2]\noutput: out/tr-${{ index }}.json"),
                       "  - id: ok\n    needs: [tr]\n    gate: approve\n", step("pub", "touch pub", "needs: [ok]")});
  ASSERT_EQ(place.baton({"run", "w"}).code, 3);
  std::filesystem::remove(place.file("out/tr-1.json"));
  EXPECT_EQ(place.baton({"accept", "last"}).code, 0);
  ASSERT_TRUE(eventually([&] { return place.run_state() == "failed"; }));
  EXPECT_FALSE(place.exists("pub"));
}

TEST_F(Wrote, WhatASubWorkflowMadeIsSeenBehindIt) {
  place.workflow("sub", {step("draft", "mkdir -p out; printf '{\"t\":1}' > out/d.json",
                              "output: out/d.json\nvalidate: {required_fields: [t]}")});
  place.workflow("w", {"  - id: s\n    workflow: sub\n", "  - id: ok\n    needs: [s]\n    gate: approve\n",
                       step("pub", "cp out/d.json pub", "needs: [ok]")});
  ASSERT_EQ(place.baton({"run", "w"}).code, 3);
  place.write("out/d.json", "garbage");
  EXPECT_EQ(place.baton({"accept", "last"}).code, 0);
  ASSERT_TRUE(eventually([&] { return place.run_state() == "failed"; }));
  EXPECT_FALSE(place.exists("pub"));
}

TEST_F(Wrote, NothingIsSetAsideOutsideOfTheProject) {
  std::filesystem::create_directories(place.file("../outside"));
  place.workflow("w", {sandboxed("a", "retries: 1")});
  claude.does("a.1",
              "begin; put '{}'; cd ${BATON_OUTPUT%/*/*}; rm -rf logs; ln -s ../../../outside logs; answer m1 100 20; "
              "result 1 2 0.1");
  const Outcome ran = place.baton({"run", "w"});
  EXPECT_EQ(ran.code, 1) << ran;
  EXPECT_TRUE(std::filesystem::is_empty(place.file("../outside")));
  EXPECT_EQ(code_of("a", 2), "path-leaves-folder");
}

TEST_F(Wrote, WhatIsChangedWhileAPersonIsAskedIsNotPublished) {
  place.workflow("w", {agent_step("draft", "m", "retries: 0"), "  - id: ok\n    needs: [draft]\n    gate: approve\n",
                       step("publish", "cp out/draft.json published", "needs: [ok]")});
  ASSERT_EQ(place.baton({"run", "w"}).code, 3);
  place.write("out/draft.json", "garbage");
  EXPECT_EQ(place.baton({"accept", "last"}).code, 0);
  ASSERT_TRUE(eventually([&] { return place.run_state() == "failed"; }));
  EXPECT_FALSE(place.exists("published"));
  EXPECT_EQ(state("draft"), "failed");
}

TEST_F(Wrote, NothingIsPaidForOnAnInputThatIsGoneWhenARunGoesOn) {
  for (const char* verb : {"resume", "retry"}) {
    place.workflow("w", {step("a", "mkdir -p out; echo a >> ran; printf '{\"title\":1}' > out/a.json",
                              "output: out/a.json\nvalidate: {required_fields: [title]}"),
                         agent_step("b", "m", "needs: [a]\nretries: 0")});
    std::filesystem::remove(place.file("ran"));
    claude.does("b.1", "begin; fails 500 api_error broken");
    ASSERT_EQ(place.baton({"run", "w"}).code, 1);
    claude.does("b.2", "cat out/a.json > read; begin; answer m1 100 20; put '{\"title\":1}'; result 100 20 0.0008");
    place.write("out/a.json", "garbage");
    EXPECT_EQ(place.baton({verb, "last"}).code, 0);
    EXPECT_EQ(place.read("ran"), "a\na\n") << verb;
    EXPECT_EQ(place.read("read"), "{\"title\":1}") << verb;
  }
}

TEST_F(Wrote, TheOutputOfAStepWhoseFileALaterOneTookOverIsNotAskedForAnyMore) {
  place.workflow(
      "w", {step("a", "mkdir -p out; echo one > out/x", "output: out/x\nvalidate: {command: 'grep -q one out/x'}"),
            step("b", "echo two > out/x", "needs: [a]\noutput: out/x"), step("c", "'true'", "needs: [b, a]")});
  const Outcome ran = place.baton({"run", "w"});
  EXPECT_EQ(ran.code, 0) << ran;
}

}  // namespace
}  // namespace baton::test
