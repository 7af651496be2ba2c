// Files that two write: two steps, two items, two runs.
#include <algorithm>
#include <filesystem>

#include "support/programs.h"

namespace baton::test {
namespace {

class SharedOutputs : public Outside {
 protected:
  /// `check` and `run` refuse it alike, and nothing is started.
  void expect_refused(const std::string& code) {
    for (const char* verb : {"check", "run"}) {
      const Outcome refused = place.baton({verb, "w"});
      EXPECT_EQ(refused.code, 2) << verb << refused;
      EXPECT_TRUE(says_error(refused, code)) << verb << refused;
    }
    EXPECT_FALSE(file_exists(place.state()) || place.exists("sandbox"));
  }
  static std::string writer(const std::string& id, const std::string& output, const std::string& more = "") {
    return step(id, "mkdir -p out; echo " + id + " > \"$BATON_OUTPUT\"", "output: " + output + "\n" + more);
  }
  [[nodiscard]] std::string failure_of(const std::string& id) {
    const json::object run = place.show();
    for (const json::value& s : run.at("steps").as_array()) {
      const json::object& step = s.as_object();
      if (text_at(step, "id") == id) return json::serialize(step);
    }
    return "";
  }
};

TEST_F(SharedOutputs, OfTwoStepsNeitherOfWhichNeedsTheOther) {
  place.workflow("w", {writer("a", "out/x.txt"), writer("b", "./out//x.txt")});
  expect_refused("shared-output");
}

TEST_F(SharedOutputs, OneAfterTheOtherIsAWarning) {
  place.workflow("w", {writer("a", "out/x.txt"), writer("b", "./out//x.txt", "needs: a")});
  const Outcome ran = place.baton({"run", "w"});
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_TRUE(has(ran.err, "warning[shared-output]")) << ran;
  EXPECT_EQ(place.read("out/x.txt"), "b\n");
}

TEST_F(SharedOutputs, OfTwoItems) {
  place.workflow("w", {writer("a", "out.${{ item }}", "for_each: [de, de]")});
  expect_refused("outputs-collide");
}

TEST_F(SharedOutputs, OfItemsThatOnlyTheRunKnows) {
  place.workflow("w", {step("l", "echo '[\"de\", \"fr\", \"de\"]' > \"$BATON_OUTPUT\"", "output: l.json"),
                       writer("a", "out.${{ item }}", "needs: l\nfor_each: steps.l.output")});
  const Outcome ran = place.baton({"run", "w"});
  EXPECT_EQ(ran.code, 1) << ran;
  EXPECT_TRUE(has(ran.err, "items 1 and 3 would both write 'out.de'")) << ran;
  EXPECT_FALSE(place.exists("out.de") || place.exists("out.fr")) << "none of them began";
}

TEST_F(SharedOutputs, OfANameThatAValueMakes) {
  place.workflow(
      "w", {step("v", "echo '{\"name\": \"./x\"}' > \"$BATON_OUTPUT\"", "output: v.json"), writer("a", "out/x.txt"),
            step("b", "echo b > b.ran", "needs: v\noutput: out/${{ steps.v.output.name }}.txt")});
  const Outcome ran = place.baton({"run", "w"});
  EXPECT_EQ(ran.code, 1) << ran;
  EXPECT_TRUE(has(failure_of("b"), "outputs-collide") || has(ran.err, "outputs-collide")) << ran << failure_of("b");
  EXPECT_FALSE(place.exists("b.ran"));
  place.workflow("w", {step("v", "echo '{\"name\": \"x\"}' > \"$BATON_OUTPUT\"", "output: v.json"),
                       writer("a", "out/x.txt"), writer("b", "out/${{ steps.v.output.name }}.txt", "needs: [v, a]")});
  EXPECT_EQ(place.baton({"run", "w"}).code, 0) << "the later step takes the file over";
}

TEST_F(SharedOutputs, OfNamesThatTheRunsInputsMake) {
  const std::string head = "inputs: [{name: n}]\n";
  const auto expect_refused_with = [&](const std::string& input, const std::string& code) {
    const Outcome refused = place.baton({"run", "w", "-i", "n=" + input});
    EXPECT_EQ(refused.code, 2) << refused;
    EXPECT_TRUE(says_error(refused, code)) << refused;
    EXPECT_FALSE(file_exists(place.state()) || place.exists("sandbox")) << "nothing was started";
  };
  place.workflow("w", {writer("a", "out.${{ item }}", "for_each: inputs.n")}, head);
  expect_refused_with(R"(["de","fr","de"])", "outputs-collide");
  place.workflow("w", {writer("a", "out/x.txt"), writer("b", "out/${{ inputs.n.name }}.txt")}, head);
  expect_refused_with(R"({"name":"./x"})", "shared-output");
  const Outcome ran = place.baton({"run", "w", "-i", R"(n={"name":"y"})"});
  EXPECT_EQ(ran.code, 0) << ran;
}

class TwoRuns : public SharedOutputs {
 protected:
  TwoRuns() {
    place.workflow(
        "w", {step("a", "touch begun; " + await_file("go") + "; echo a > \"$BATON_OUTPUT\"", "output: report.md")});
    place.workflow("v", {writer("b", "./report.md")});
    place.workflow("other", {writer("b", "other.md")});
  }
};

TEST_F(TwoRuns, TheSecondOneIsRefusedAndNamesTheFirst) {
  Process first = place.start({"run", "w"});
  ASSERT_TRUE(eventually([&] { return place.exists("begun"); }));
  const std::string id = text_at(place.show(), "run");
  for (const char* workflow : {"w", "v"}) {
    const Outcome refused = place.baton({"run", workflow});
    EXPECT_EQ(refused.code, 2) << refused;
    EXPECT_TRUE(says_error(refused, "outputs-collide") && has(refused.err, id)) << refused;
  }
  EXPECT_EQ(place.baton({"run", "other"}).code, 0) << "another file is another matter";
  place.write("go", "");
  EXPECT_EQ(first.wait().code, 0);
  EXPECT_EQ(query_number(place.state("baton.db"), "SELECT count(*) FROM runs"), 2) << "what was refused is no run";
  EXPECT_EQ(place.baton({"run", "v"}).code, 0) << "the first one is over";
}

TEST_F(TwoRuns, OneThatWaitsForItsNextTryIsAtWork) {
  place.workflow(
      "w", {step("a", "echo >> tries; [ -e good ] && echo a > \"$BATON_OUTPUT\"", "output: report.md\nretries: 9")});
  ASSERT_EQ(place.baton({"run", "w", "--detach", "--set", "limits.retry_delay=1h"}).code, 0);
  const std::string id = text_at(place.show(), "run");
  ASSERT_TRUE(eventually([&] { return text_at(step_of(place.show(id), "a"), "state") == "waiting"; }));
  ASSERT_TRUE(eventually([&] { return place.living("baton").empty(); })) << "nobody drives it";
  const Outcome refused = place.baton({"run", "v"});
  EXPECT_EQ(refused.code, 2) << refused;
  EXPECT_TRUE(says_error(refused, "outputs-collide") && has(refused.err, id)) << refused;
  ASSERT_EQ(place.baton({"cancel", id}).code, 0);
  EXPECT_EQ(place.baton({"run", "v"}).code, 0);
}

TEST_F(TwoRuns, OfTwoThatBeginAtOnceOneIsRefused) {
  for (int round = 0; round < 5; ++round) {
    std::vector<Process> all;
    for (int n = 0; n < 4; ++n) all.push_back(place.start({"run", "w"}));
    ASSERT_TRUE(eventually([&] { return place.exists("begun"); }));
    ASSERT_TRUE(eventually([&] { return std::ranges::count_if(all, [](Process& p) { return p.ended(); }) == 3; }));
    place.write("go", "");
    int done = 0;
    for (Process& p : all) {
      const Outcome outcome = p.wait();
      done += outcome.code == 0 ? 1 : 0;
      if (outcome.code == 0) continue;
      EXPECT_EQ(outcome.code, 2) << outcome;
      EXPECT_TRUE(says_error(outcome, "outputs-collide")) << outcome;
    }
    EXPECT_EQ(done, 1);
    std::filesystem::remove(place.file("go"));
    std::filesystem::remove(place.file("begun"));
  }
}

TEST_F(TwoRuns, OneThatGoesOnIsRefusedToo) {
  place.workflow("v", {step("b", "[ -e good ] && echo b > \"$BATON_OUTPUT\"", "output: report.md")});
  ASSERT_EQ(place.baton({"run", "v"}).code, 1);
  const std::string failed = text_at(place.show(), "run");
  Process first = place.start({"run", "w"});
  ASSERT_TRUE(eventually([&] { return place.exists("begun"); }));
  place.write("good", "");
  for (const char* verb : {"resume", "retry"}) {
    const Outcome refused = place.baton({verb, failed});
    EXPECT_EQ(refused.code, 2) << refused;
    EXPECT_TRUE(says_error(refused, "outputs-collide")) << refused;
  }
  place.write("go", "");
  EXPECT_EQ(first.wait().code, 0);
  EXPECT_EQ(place.baton({"resume", failed}).code, 0);
}

}  // namespace
}  // namespace baton::test
