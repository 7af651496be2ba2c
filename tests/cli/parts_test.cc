// Workflows as steps, and values of earlier steps in commands and missions, from outside.
#include <gmock/gmock.h>

#include "support/programs.h"
#include "support/scripted_claude.h"

namespace baton::test {
namespace {

using ::testing::UnorderedElementsAre;

class Parts : public Outside {
 protected:
  Parts() {
    place.workflow(
        "child",
        {step("read",
              "cat ${{ inputs.text }} > \"$BATON_OUTPUT\"; printf ' %s' ${{ inputs.tone }} >> "
              "\"$BATON_OUTPUT\"",
              "output: ${{ sandbox }}/outputs/read.txt"),
         step("verdict", "printf '{\"text\": \"%s\"}' \"$(cat ${{ steps.read.output }})\" > \"$BATON_OUTPUT\"",
              "needs: [read]\noutput: ${{ sandbox }}/outputs/verdict.json\nfinal: true")},
        "inputs: [{name: text}, {name: tone, required: false, default: dry}]\n");
  }
  static std::string draft() {
    return step("draft", "printf hello > \"$BATON_OUTPUT\"", "output: ${{ sandbox }}/outputs/draft.txt");
  }
};

TEST_F(Parts, AWorkflowAsAStep) {
  place.workflow(
      "w", {draft(),
            "  - id: review\n    needs: [draft]\n    workflow: child\n    with: {text: \"${{ "
            "steps.draft.output }}\", tone: soft}\n",
            step("end", "echo ${{ steps.review.output.text }}; cat ${{ steps.review.output }}", "needs: [review]")});
  const Outcome ran = place.baton({"run", "w"});
  ASSERT_EQ(ran.code, 0) << ran;
  const json::object shown = place.show();
  EXPECT_THAT(step_states_of(shown),
              UnorderedElementsAre("draft=completed", "review:read=completed", "review:verdict=completed",
                                   "review=completed", "end=completed"));
  EXPECT_EQ(place.baton({"logs", "last", "end", "--raw"}).out, "hello soft\n{\"text\": \"hello soft\"}");
  EXPECT_TRUE(text_at(step_of(shown, "review"), "output").ends_with("/review/outputs/verdict.json"));
}

TEST_F(Parts, AFinalOneGivesTheResult) {
  place.workflow("w", {draft(),
                       "  - id: review\n    needs: [draft]\n    workflow: child\n    final: true\n    with: {text: "
                       "\"${{ steps.draft.output }}\"}\n"});
  const Outcome ran = place.baton({"run", "w"});
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(parse_json(ran.out).at("artifact"), (json::object{{"text", "hello dry"}})) << "by its default";
}

TEST_F(Parts, AWorkflowForEachItem) {
  place.workflow("w", {draft(),
                       "  - id: all\n    needs: [draft]\n    for_each: [a, b]\n    workflow: child\n    final: true\n"
                       "    with: {text: \"${{ steps.draft.output }}\", tone: \"${{ item }}\"}\n"});
  const Outcome ran = place.baton({"run", "w"});
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_THAT(step_states_of(place.show()),
              UnorderedElementsAre("draft=completed", "all=completed", "all:1:read=completed",
                                   "all:1:verdict=completed", "all:2:read=completed", "all:2:verdict=completed"));
  EXPECT_EQ(parse_json(ran.out).at("artifact"),
            (json::array{json::object{{"text", "hello a"}}, json::object{{"text", "hello b"}}}));
}

TEST_F(Parts, AFalseConditionLeavesTheWholeWorkflowOut) {
  place.workflow("w", {draft(),
                       "  - id: review\n    needs: [draft]\n    when: '1 > 2'\n    workflow: child\n    with: {text: "
                       "\"${{ steps.draft.output }}\"}\n",
                       step("after", "true", "needs: [review]")});
  const Outcome ran = place.baton({"run", "w", "--json"});
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_THAT(step_states_of(place.show()),
              UnorderedElementsAre("draft=completed", "review:read=skipped", "review:verdict=skipped", "review=skipped",
                                   "after=skipped"));
}

TEST_F(Parts, AWorkflowInsideItselfIsRefused) {
  place.write("workflows/one.md", "---\nname: one\ndescription: d\nsteps:\n  - id: a\n    workflow: two\n---\n");
  place.write("workflows/two.md", "---\nname: two\ndescription: d\nsteps:\n  - id: b\n    workflow: one\n---\n");
  for (const char* verb : {"check", "plan", "run"}) {
    const Outcome refused = place.baton({verb, "one"});
    EXPECT_NE(refused.code, 0) << verb;
    EXPECT_TRUE(says_error(refused, "workflow-cycle") && has(refused.err, "one -> two -> one")) << refused;
  }
  EXPECT_FALSE(place.exists("sandbox"));
}

/// A value nobody should trust: quotes, substitutions, an expression, several lines.
constexpr const char* hostile_json =
    R"({"title": "it's \"q\" $(touch canary) `touch canary`; touch canary\n${{ sandbox }} $HOME\\"})";
constexpr const char* hostile_text = "it's \"q\" $(touch canary) `touch canary`; touch canary\n${{ sandbox }} $HOME\\";

class Values : public WithScriptedClaude {
 protected:
  Values() {
    place.write("hostile.json", hostile_json);
    hostile = step("a", "cp hostile.json \"$BATON_OUTPUT\"", "output: ${{ sandbox }}/outputs/a.json");
  }
  std::string hostile;
};

TEST_F(Values, OfAnEarlierStepMayStandInACheckAndNeverBecomePartOfItsLine) {
  place.workflow(
      "w", {hostile,
            step("b", "echo '{}' > \"$BATON_OUTPUT\"",
                 "needs: [a]\noutput: ${{ sandbox }}/outputs/b.json\nvalidate:\n  command: printf '%s' ${{ "
                 "steps.a.output.title }} > checked"),
            step("c", "echo ${{ item }} > \"$BATON_OUTPUT\"",
                 "for_each: [1, 2]\noutput: ${{ sandbox }}/outputs/${{ item }}.json\nvalidate:\n  command: [grep, "
                 "-q, 2, '${{ sandbox }}/outputs/${{ item }}.json']")});
  const Outcome ran = place.baton({"run", "w"});
  EXPECT_EQ(ran.code, 1) << ran;
  EXPECT_EQ(place.read("checked"), hostile_text);
  EXPECT_FALSE(place.exists("canary"));
  const json::object shown = place.show();
  EXPECT_EQ(text_at(step_of(shown, "b"), "state"), "completed");
  EXPECT_EQ(text_at(step_of(shown, "c:1"), "state"), "failed") << "each item is checked by a command of its own";
  EXPECT_EQ(text_at(step_of(shown, "c:2"), "state"), "completed");
}

TEST_F(Values, OfAnEarlierStepNeverBecomePartOfAShellLine) {
  place.workflow("w", {hostile,
                       step("b",
                            "printf '%s' ${{ steps.a.output.title }} > plain\n"
                            "printf '%s' \"${{ steps.a.output.title }}\" > double\n"
                            "printf '%s' '${{ steps.a.output.title }}' > single\n"
                            "sh -c 'printf %s \"$1\"' sh ${{ steps.a.output.title }} > inner",
                            "needs: [a]"),
                       "  - id: c\n    needs: [a]\n    command: [sh, -c, 'printf %s \"$1\" > listed', sh, \"${{ "
                       "steps.a.output.title }}\"]\n"});
  const Outcome ran = place.baton({"run", "w"});
  ASSERT_EQ(ran.code, 0) << ran;
  for (const char* name : {"plain", "double", "single", "inner", "listed"})
    EXPECT_EQ(place.read(name), hostile_text) << name;
  EXPECT_FALSE(place.exists("canary"));
}

TEST_F(Values, OfAnEarlierStepStandInAMissionAsTheyAre) {
  place.workflow("w", {hostile, agent_step("b", "Say ${{ steps.a.output.title }} twice.", "needs: [a]")});
  const Outcome ran = place.baton({"run", "w", "--task", "Do it for ${{ sandbox }}."});
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_TRUE(has(claude.prompt("b.1"), std::string{"Say "} + hostile_text + " twice.")) << claude.prompt("b.1");
  EXPECT_TRUE(has(claude.prompt("b.1"), "Do it for ${{ sandbox }}.")) << "the user's task, to the letter";
  EXPECT_FALSE(place.exists("canary"));
}

TEST_F(Values, ThatAreMissingFailTheStepThatAskedForThem) {
  place.workflow("w", {hostile, step("b", "touch ran ${{ steps.a.output.nothing }}", "needs: [a]")});
  const Outcome ran = place.baton({"run", "w"});
  EXPECT_EQ(ran.code, 1) << ran;
  EXPECT_TRUE(says_error(ran, "unknown-value") && has(ran.err, "'b'")) << ran;
  EXPECT_FALSE(place.exists("ran"));
}

TEST_F(Values, ThatWouldLeadOutOfTheProjectFailTheStep) {
  place.write("hostile.json", R"({"title": "../../../away"})");
  place.workflow("w", {hostile, step("b", "touch ran",
                                     "needs: [a]\noutput: ${{ sandbox }}/outputs/${{ "
                                     "steps.a.output.title }}.json")});
  const Outcome ran = place.baton({"run", "w"});
  EXPECT_EQ(ran.code, 1) << ran;
  EXPECT_TRUE(says_error(ran, "path-leaves-folder")) << ran;
  EXPECT_FALSE(place.exists("ran"));
}

TEST_F(Values, OutputsThatAreNotJsonAreTexts) {
  place.workflow("w",
                 {step("a", "printf '  plain words\\n' > \"$BATON_OUTPUT\"", "output: ${{ sandbox }}/outputs/a.md"),
                  step("b", "true", "needs: [a]\nwhen: steps.a.output == 'plain words'"),
                  step("c", "printf '{broken' > \"$BATON_OUTPUT\"", "output: ${{ sandbox }}/outputs/c.txt"),
                  step("d", "printf '{broken' > \"$BATON_OUTPUT\"", "output: ${{ sandbox }}/outputs/d.json")});
  const Outcome ran = place.baton({"run", "w"});
  EXPECT_EQ(ran.code, 1) << ran;
  EXPECT_THAT(step_states_of(place.show()),
              UnorderedElementsAre("a=completed", "b=completed", "c=completed", "d=failed"));
  EXPECT_TRUE(says_error(ran, "checks-failed") && has(ran.err, "'d'")) << ran;
}

}  // namespace
}  // namespace baton::test
