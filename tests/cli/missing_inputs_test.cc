// Inputs that are not there: refused before anything starts, or found missing at the step's turn, before it costs.
#include "support/programs.h"
#include "support/scripted_claude.h"

namespace baton::test {
namespace {

/// A step that reads a file, in each way that steps are carried out.
struct Way {
  std::string name;
  bool is_agent = false;
  bool is_rehearsed = false;
};

class MissingInput : public Outside, public testing::WithParamInterface<Way> {
 protected:
  MissingInput() { write_skill(place); }

  [[nodiscard]] std::string reader(const std::string& more) const {
    return GetParam().is_agent ? agent_step("a", "Write it.", more) : step("a", "echo a >> started", more);
  }
  Outcome run(std::vector<std::string> more = {}) {
    std::vector<std::string> args{"run", "w"};
    if (GetParam().is_rehearsed) args.emplace_back("--rehearse");
    args.insert(args.end(), more.begin(), more.end());
    return place.baton(args);
  }
  void expect_not_started() const {
    EXPECT_TRUE(claude.processes().empty());
    EXPECT_FALSE(place.exists("started"));
  }

  ScriptedClaude claude{place};
};

TEST_P(MissingInput, OfAStepThatNeedsNoOtherIsRefused) {
  place.workflow("w", {reader("input: notes/x.md")});
  const Outcome refused = run();
  EXPECT_EQ(refused.code, 2) << refused;
  EXPECT_TRUE(says_error(refused, "input-not-found") && has(refused.err, "notes/x.md")) << refused;
  EXPECT_TRUE(has(refused.err, "workflows/w.md:")) << refused;
  EXPECT_FALSE(file_exists(place.state()) || place.exists("sandbox")) << "nothing was started";
  expect_not_started();
  place.write("notes/x.md", "x\n");
  EXPECT_EQ(run().code, 0);
}

TEST_P(MissingInput, ThatANeedCouldWriteIsLookedForAtTheStepsTurn) {
  place.workflow("w", {step("before", "true"), reader("needs: before\ninput: side.md")});
  const Outcome ran = run();
  EXPECT_EQ(ran.code, 1) << ran;
  EXPECT_TRUE(has(ran.err, "warning[input-not-found]")) << ran;
  expect_not_started();
  const json::object a = place.show().at("steps").as_array().at(1).as_object();
  EXPECT_EQ(text_at(a, "state"), "failed");
  ASSERT_EQ(a.at("attempts").as_array().size(), 1U) << "trying again does not help";
  EXPECT_EQ(text_at(a.at("attempts").as_array().at(0).as_object().at("error").as_object(), "code"), "input-not-found");
}

TEST_P(MissingInput, ThatWasNotGivenIsRefused) {
  place.workflow("w", {reader("input: ${{ inputs.content }}")});
  const Outcome refused = run();
  EXPECT_EQ(refused.code, 2) << refused;
  EXPECT_TRUE(says_error(refused, "input-not-found") && has(refused.err, "-i content=")) << refused;
  expect_not_started();
  place.write("note.md", "x\n");
  EXPECT_EQ(run({"--file", "note.md"}).code, 0);
}

TEST_P(MissingInput, ThatAnInputsValueNamesIsRefusedToo) {
  place.workflow("w",
                 {reader("input: 'notes/${{ inputs.n.month }}.md'"),
                  step("other", "echo b >> started", "for_each: inputs.n.all\ninput: 'all/${{ item }}.md'")},
                 "inputs: [{name: n}, {name: more, required: false}]\n");
  EXPECT_EQ(place.baton({"check", "w"}).code, 0) << "which nobody knows yet";
  const std::vector<std::string> given{"-i", R"(n={"month":"may","all":["x"]})"};
  const Outcome refused = run(given);
  EXPECT_EQ(refused.code, 2) << refused;
  EXPECT_TRUE(says_error(refused, "input-not-found") && has(refused.err, "notes/may.md")) << refused;
  EXPECT_TRUE(has(refused.err, "all/x.md")) << refused;
  EXPECT_FALSE(file_exists(place.state()) || place.exists("sandbox")) << "nothing was started";
  expect_not_started();
  place.write("notes/may.md", "x\n");
  place.write("all/x.md", "x\n");
  const Outcome ran = run(given);
  EXPECT_EQ(ran.code, 0) << ran;
}

TEST_P(MissingInput, IsNoMatterOfStepsThatDoNotRun) {
  place.workflow("w", {reader("input: notes/x.md"), step("other", "true")});
  const Outcome ran = run({"--only", "other"});
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_FALSE(has(ran.err, "input-not-found")) << ran;
}

INSTANTIATE_TEST_SUITE_P(Of, MissingInput,
                         testing::Values(Way{"command"}, Way{"claude", true}, Way{"rehearsed_command", false, true},
                                         Way{"rehearsed_agent", true, true}),
                         [](const auto& info) { return info.param.name; });

class OptionalInput : public Outside {};

TEST_F(OptionalInput, ThatIsNotGivenIsLeftOut) {
  write_skill(place);
  const ScriptedClaude claude{place};
  const std::string inputs = "input: [\"${{ inputs.notes }}\", \"${{ inputs.text }}\"]";
  place.workflow("w",
                 {agent_step("a", "Notes:[${{ inputs.notes }}]", inputs),
                  step("b", "echo \"$BATON_INPUT_1|$BATON_INPUT_2|\"${{ inputs.notes }}\"|\" > got", inputs)},
                 "inputs: [{name: text}, {name: notes, required: false}]\n");
  place.write("text.md", "x\n");
  ASSERT_EQ(place.baton({"run", "w", "-i", "text=text.md"}).code, 0);
  const std::string folder = "sandbox/" + text_at(place.show(), "sandbox") + "/inputs/";
  EXPECT_EQ(place.read("got"), place.file(folder + "text.md") + "|||\n");
  EXPECT_TRUE(has(claude.prompt(), "Input: " + folder + "text.md")) << claude.prompt();
  EXPECT_TRUE(has(claude.prompt(), "Notes:[]") && !has(claude.prompt(), "notes.md")) << claude.prompt();

  ASSERT_EQ(place.baton({"run", "w", "-i", "text=text.md", "-i", "notes=text.md"}).code, 0);
  const std::string given = "sandbox/" + text_at(place.show(), "sandbox") + "/inputs/";
  EXPECT_EQ(place.read("got"),
            place.file(given + "notes.md") + "|" + place.file(given + "text.md") + "|" + given + "notes.md|\n");
}

TEST_F(OptionalInput, CheckTakesInputsAsGiven) {
  place.workflow("w",
                 {step("a", "true", "input: ${{ inputs.text }}"), step("b", "true", "input: ${{ inputs.notes }}"),
                  step("c", "true", "input: ${{ sandbox }}/inputs/other.md")},
                 "inputs: [{name: text}, {name: notes, required: false}]\n");
  const Outcome good = place.baton({"check", "w"});
  EXPECT_EQ(good.code, 0) << good;
  EXPECT_FALSE(has(good.err, "input-not-found")) << good;
  place.workflow("v",
                 {step("a", "true"), step("b", "true", "input: gone.md"), step("c", "true", "needs: a\ninput: x")});
  const Outcome bad = place.baton({"check", "v"});
  EXPECT_EQ(bad.code, 2) << bad;
  EXPECT_TRUE(says_error(bad, "input-not-found") && has(bad.err, "warning[input-not-found]")) << bad;
}

}  // namespace
}  // namespace baton::test
