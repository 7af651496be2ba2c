// Conditions, items and rounds from outside: what runs, what is left out, and what a person is told of it.
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <csignal>
#include <filesystem>
#include <map>

#include "support/programs.h"

namespace baton::test {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

class Flows : public Outside {
 protected:
  /// A line of `why`, `show` or of standard error has both parts.
  static bool has_line(const std::string& text, const std::string& one, const std::string& other) {
    return std::ranges::any_of(lines_of(text),
                               [&](const std::string& line) { return has(line, one) && has(line, other); });
  }
  std::string why(const std::string& step) { return place.baton({"why", "last", step}).out; }
  /// How often each item ran, counted by what it left behind.
  [[nodiscard]] std::vector<std::string> ran() const { return lines_of(place.read("ran")); }
};

// --- Conditions -------------------------------------------------------------------------------------------------

constexpr const char* score_step = R"(printf '{"score": 5, "flags": ["new"]}' > "$BATON_OUTPUT")";
constexpr const char* score_output = "output: ${{ sandbox }}/outputs/score.json";

TEST_F(Flows, AFalseConditionSkipsAndIsNoFailure) {
  place.workflow("w", {step("score", score_step, score_output),
                       step("print", "touch printed", "needs: [score]\nwhen: steps.score.output.score >= 8")});
  const Outcome ran = place.baton({"run", "w", "--json"});
  EXPECT_EQ(ran.code, 0) << ran;
  const auto lines = json_lines(ran.out);
  EXPECT_EQ(text_at(lines.back(), "state"), "completed");
  EXPECT_EQ(lines.back().at("counts"),
            (json::object{{"completed", 1}, {"failed", 0}, {"skipped", 1}, {"blocked", 0}, {"cancelled", 0}}));
  EXPECT_FALSE(lines.back().contains("error"));
  const json::object finished = of_type(lines, "step.finished").back();
  EXPECT_EQ(text_at(finished, "state"), "skipped");
  EXPECT_TRUE(has(text_at(finished, "reason"), "steps.score.output.score >= 8")) << json::serialize(finished);
  EXPECT_FALSE(finished.contains("error"));
  EXPECT_FALSE(place.exists("printed"));
}

TEST_F(Flows, WhySaysWhichConditionDidNotHold) {
  place.workflow("w", {step("score", score_step, score_output),
                       step("print", "true", "needs: [score]\nwhen: steps.score.output.score >= 8"),
                       step("after", "true", "needs: [print]")});
  const Outcome ran = place.baton({"run", "w"});
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_TRUE(has_line(ran.err, "print skipped", "'steps.score.output.score >= 8' does not hold")) << ran;
  EXPECT_TRUE(has_line(ran.err, "after skipped", "it needs 'print', which was skipped")) << ran;
  EXPECT_TRUE(has_line(why("print"), "because", "'steps.score.output.score >= 8' does not hold")) << why("print");
  EXPECT_TRUE(has_line(why("after"), "because", "it needs 'print', which was skipped")) << why("after");
  const std::string shown = place.baton({"show", "last"}).out;
  EXPECT_TRUE(has_line(shown, "print", "does not hold")) << shown;
  EXPECT_TRUE(has(text_at(step_of(place.show(), "print"), "reason"), "does not hold"));
}

TEST_F(Flows, ConditionsOnOutputsInputsAndStates) {
  place.workflow("w",
                 {step("score", score_step, score_output),
                  step("high", "true", "needs: [score]\nwhen: ${{ steps.score.output.score > 8 }}"),
                  step("new", "true", "needs: [score]\nwhen: contains(steps.score.output.flags, 'new')"),
                  step("deep", "true", "when: inputs.options.deep"), step("after-high", "true", "needs: [high]"),
                  step("instead", "true", "needs: [high]\nwhen: steps.high.state == 'skipped'"),
                  step("with-high", "true", "needs: [high]\nwhen: steps.high.state == 'completed'")},
                 "inputs: [{name: options, type: json}]\n");
  const auto states = [&](const char* options) {
    const Outcome ran = place.baton({"run", "w", "-i", std::string{"options="} + options});
    EXPECT_EQ(ran.code, 0) << ran;
    return step_states_of(place.show());
  };
  EXPECT_THAT(states(R"({"deep": true})"),
              ElementsAre("score=completed", "high=skipped", "new=completed", "deep=completed", "after-high=skipped",
                          "instead=completed", "with-high=skipped"));
  EXPECT_EQ(states(R"({"deep": false})")[3], "deep=skipped");
  EXPECT_EQ(states("{}")[3], "deep=skipped") << "what is missing is false";
}

TEST_F(Flows, AConditionThatMeansNothingFailsTheStep) {
  place.workflow("w", {step("score", score_step, score_output),
                       step("print", "true", "needs: [score]\nwhen: steps.score.output.flags > 3")});
  const Outcome ran = place.baton({"run", "w"});
  EXPECT_EQ(ran.code, 1) << ran;
  EXPECT_TRUE(says_error(ran, "bad-expression")) << ran;
  EXPECT_TRUE(has(ran.err, "'print'")) << ran;
}

TEST_F(Flows, WhereTheFinalStepWasSkippedNothingCameOfIt) {
  place.workflow(
      "w", {step("made", "echo x > \"$BATON_OUTPUT\"", "output: ${{ sandbox }}/outputs/made.txt"),
            step("last", "echo y > \"$BATON_OUTPUT\"", "needs: [made]\nwhen: '1 > 2'\noutput: last.txt\nfinal: true")});
  place.write("last.txt", "of yesterday\n");
  const Outcome ran = place.baton({"run", "w"});
  EXPECT_EQ(ran.code, 0) << ran;
  const json::object result = parse_json(ran.out).as_object();
  EXPECT_EQ(text_at(result, "status"), "skipped");
  EXPECT_TRUE(has(ran.err, "warning[final-step-skipped]") && has(ran.err, "'1 > 2' does not hold")) << ran;
  EXPECT_TRUE(result.at("artifact").is_null());
  EXPECT_FALSE(place.show().contains("artifact"));
}

// --- Items ------------------------------------------------------------------------------------------------------

TEST_F(Flows, ItemsOfAListAreStepsOfTheirOwnAndJoined) {
  place.workflow("w", {step("t", "printf '{\"lang\": \"%s\", \"n\": %s}' ${{ item }} ${{ index }} > \"$BATON_OUTPUT\"",
                            "for_each: [de, fr]\noutput: ${{ sandbox }}/outputs/text.${{ item }}.json"),
                       step("all", "cat ${{ steps.t.output }} > \"$BATON_OUTPUT\"; basename ${{ steps.t.output }}",
                            "needs: [t]\noutput: ${{ sandbox }}/outputs/all.json\nfinal: true")});
  const Outcome ran = place.baton({"run", "w", "--json"});
  ASSERT_EQ(ran.code, 0) << ran;
  const auto lines = json_lines(ran.out);
  const auto extended = of_type(lines, "plan.extended");
  ASSERT_EQ(extended.size(), 1U);
  EXPECT_EQ(text_at(extended[0], "by"), "t");
  EXPECT_EQ(extended[0].at("steps"), (json::array{"t:1", "t:2"}));
  const json::object shown = place.show();
  EXPECT_THAT(step_states_of(shown),
              UnorderedElementsAre("t=completed", "all=completed", "t:1=completed", "t:2=completed"));
  const json::value expected =
      json::array{json::object{{"lang", "de"}, {"n", 1}}, json::object{{"lang", "fr"}, {"n", 2}}};
  EXPECT_EQ(parse_json(read_text(text_at(shown, "artifact"))), expected);
  EXPECT_TRUE(text_at(step_of(shown, "t"), "output").ends_with("/outputs/t.items.json"));
  EXPECT_TRUE(has(place.baton({"logs", "last", "all"}).out, "t.items.json"));
  const std::string text = place.baton({"show", "last"}).out;
  EXPECT_LT(text.find("✓ t:2"), text.find("✓ all")) << "parts stand below what they are parts of\n" << text;
}

TEST_F(Flows, AListOfItemsThatIsNotWhatItWasIsPutTogetherAgainAndNothingIsPaidAgain) {
  place.workflow(
      "w", {step("t", "echo ${{ item }} >> ran; printf '\"%s\"' ${{ item }} > \"$BATON_OUTPUT\"",
                 "for_each: [de, fr]\noutput: ${{ sandbox }}/outputs/text.${{ item }}.json"),
            step("all", "cat ${{ steps.t.output }} > seen; echo all >> ran; [ -e go ] && echo 1 > \"$BATON_OUTPUT\"",
                 "needs: [t]\noutput: ${{ sandbox }}/outputs/all.json\nfinal: true")});
  const std::string list = "[\n\"de\",\n\"fr\"\n]\n";
  const std::vector<std::pair<const char*, std::string>> harms = {
      {"shortened", list.substr(0, 7)}, {"shortened to a list", "[]\n"}, {"garbled", "\"\xff{"}, {"gone", ""}};
  for (const auto& [what, text] : harms) {
    for (const char* verb : {"resume", "retry", "run"}) {
      SCOPED_TRACE(std::string{what} + " " + verb);
      std::filesystem::remove(place.file("go"));
      ASSERT_EQ(place.baton({"run", "w"}).code, 1);
      const std::string sandbox = text_at(place.show(), "sandbox");
      const std::string path = "sandbox/" + sandbox + "/outputs/t.items.json";
      ASSERT_EQ(place.read(path), list);
      place.write(path, text);
      if (text.empty()) std::filesystem::remove(place.file(path));
      std::filesystem::remove(place.file("ran"));
      std::filesystem::remove(place.file("seen"));
      place.write("go", "");
      const bool anew = std::string_view{verb} == "run";
      const Outcome on = anew ? place.baton({"run", "--sandbox-id", sandbox}) : place.baton({verb, "last"});
      EXPECT_EQ(on.code, 0) << on;
      EXPECT_EQ(place.read(path), list);
      EXPECT_EQ(place.read("seen"), list);
      EXPECT_EQ(place.read("ran"), "all\n") << "no item ran again";
      // Once all is done, only the list is made anew.
      std::filesystem::remove(place.file(path));
      std::filesystem::remove(place.file("ran"));
      EXPECT_EQ(place.baton({"run", "--sandbox-id", sandbox}).code, 0);
      EXPECT_EQ(place.read(path), list);
      EXPECT_FALSE(place.exists("ran"));
    }
  }
}

TEST_F(Flows, ItemsAndRoundsAreInTheSandboxesRecord) {
  place.write("workflows/part.md",
              "---\nname: part\ndescription: d\nsteps:\n" +
                  step("in", "echo 1 > \"$BATON_OUTPUT\"", "output: ${{ sandbox }}/outputs/in.json") + "---\n");
  place.workflow("w", {step("t", "[ ${{ item }} != fr ] && echo 1 > \"$BATON_OUTPUT\"",
                            "for_each: [de, fr]\noutput: ${{ sandbox }}/outputs/text.${{ item }}.json"),
                       step("again", "echo ${{ index }} > \"$BATON_OUTPUT\"",
                            "loop: {max: 2}\noutput: ${{ sandbox }}/outputs/again.json"),
                       "  - id: parts\n    workflow: part\n    for_each: [x]\n"});
  const Outcome ran = place.baton({"run", "w", "--jobs", "1"});
  EXPECT_EQ(ran.code, 1) << ran;
  const json::object record =
      parse_json(place.read("sandbox/" + text_at(place.show(), "sandbox") + "/validation.json")).as_object();
  std::map<std::string, std::pair<std::string, bool>> told;
  for (const auto& [id, entry] : record.at("steps").as_object()) {
    told[id] = {text_at(entry.as_object(), "output"), entry.at("validated").as_bool()};
  }
  using Entry = std::pair<std::string, bool>;
  EXPECT_EQ(told["t:1"], (Entry{"outputs/text.de.json", true}));
  EXPECT_EQ(told["t:2"], (Entry{"outputs/text.fr.json", false})) << "it failed";
  EXPECT_EQ(told["t"], (Entry{"outputs/t.items.json", false})) << "and so did what it is an item of";
  EXPECT_EQ(told["again:1"], (Entry{"outputs/again.json", true}));
  EXPECT_EQ(told["again:2"], (Entry{"outputs/again.json", true}));
  EXPECT_EQ(told["parts:1:in"], (Entry{"parts/1/outputs/in.json", true}));
}

TEST_F(Flows, TwoStepsThatMakeItemsAtOnceAreToldApart) {
  place.workflow("w", {step("a", "true", "for_each: [x, y]"), step("b", "true", "for_each: [z]")});
  const auto extended = of_type(json_lines(place.baton({"run", "w", "--json"}).out), "plan.extended");
  ASSERT_EQ(extended.size(), 2U);
  EXPECT_EQ(extended[0].at("steps"), (json::array{"a:1", "a:2"}));
  EXPECT_EQ(extended[1].at("steps"), (json::array{"b:1"}));
}

TEST_F(Flows, ItemsOfAnOutputRunAtOnceAsFarAsJobsAllows) {
  // Each waits for the other: with one at a time this could not end.
  place.workflow("w", {step("find", R"(printf '{"names": [{"n": "a"}, {"n": "b"}]}' > "$BATON_OUTPUT")",
                            "output: ${{ sandbox }}/outputs/found.json"),
                       step("t",
                            "touch here-${{ item.n }}; i=0; until [ -e here-a ] && [ -e here-b ]; do\n"
                            "sleep 0.01; i=$((i+1)); [ $i -lt 4000 ]; done",
                            "needs: [find]\nfor_each: ${{ steps.find.output.names }}"),
                       step("end", "echo the end", "needs: [t]")});
  const Outcome ran = place.baton({"run", "w", "--jobs", "2"});
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_THAT(step_states_of(place.show()),
              UnorderedElementsAre("find=completed", "t=completed", "end=completed", "t:1=completed", "t:2=completed"));
}

TEST_F(Flows, NoItemsAreCompletedAtOnce) {
  place.workflow("w", {step("find", "printf '[]' > \"$BATON_OUTPUT\"", "output: ${{ sandbox }}/outputs/found.json"),
                       step("t", "true > \"$BATON_OUTPUT\"",
                            "needs: [find]\nfor_each: ${{ steps.find.output }}\noutput: out/${{ index }}.json"),
                       step("end", "cat ${{ steps.t.output }}", "needs: [t]")});
  const Outcome ran = place.baton({"run", "w"});
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(place.baton({"logs", "last", "end", "--raw"}).out, "[]\n");
}

class AFailedItem : public Flows {
 protected:
  AFailedItem() {
    place.workflow(
        "w", {step("t", "echo ${{ item }} >> ran; [ ${{ item }} != fr ] || [ -e mended ]", "for_each: [de, fr, it]"),
              step("end", "echo end >> ran", "needs: [t]")});
  }
};

TEST_F(AFailedItem, FailsTheRunAndResumeRunsJustThatOneAgain) {
  const Outcome failed = place.baton({"run", "w"});
  EXPECT_EQ(failed.code, 1) << failed;
  EXPECT_TRUE(has_line(failed.err, "error[command-failed]", "'t:2'")) << failed;
  EXPECT_TRUE(has_line(why("t"), "because", "its part 't:2' failed")) << why("t");
  EXPECT_TRUE(has_line(why("t"), "made", "t:2 (failed)")) << why("t");
  EXPECT_THAT(ran(), UnorderedElementsAre("de", "fr", "it"));
  place.write("mended", "");
  const Outcome resumed = place.baton({"resume", "last"});
  EXPECT_EQ(resumed.code, 0) << resumed;
  EXPECT_THAT(ran(), UnorderedElementsAre("de", "fr", "it", "fr", "end"));
  EXPECT_EQ(step_of(place.show(), "t:2").at("attempts").as_array().size(), 2U);
}

TEST_F(AFailedItem, RetryOfTheNamedItemRunsJustThatOne) {
  ASSERT_EQ(place.baton({"run", "w"}).code, 1);
  place.write("mended", "");
  EXPECT_EQ(place.baton({"retry", "last", "t:2"}).code, 0);
  EXPECT_THAT(ran(), UnorderedElementsAre("de", "fr", "it", "fr", "end"));
}

TEST_F(Flows, KilledAmongItsItemsNoneRunsTwice) {
  std::string items;
  for (int i = 1; i <= 12; ++i) items += (i > 1 ? ", i" : "i") + std::to_string(i);
  place.workflow("w", {step("t", "echo ${{ item }} >> ran; [ ${{ item }} != i5 ] || { " + await_file("go") + "; }",
                            "for_each: [" + items + "]"),
                       step("end", "echo end >> ran", "needs: [t]")});
  Process run = place.start({"run", "w", "--jobs", "2"});
  ASSERT_TRUE(eventually([&] { return count_lines(place.file("ran"), "i5") == 1; }));
  run.kill(SIGKILL);
  EXPECT_TRUE(run.wait().killed);
  place.write("go", "");
  // The holder may have woken the run meanwhile and even ended it: then there is nothing left to resume.
  const Outcome resumed = place.baton({"resume", "last"});
  EXPECT_TRUE(resumed.code == 0 || says_error(resumed, "run-is-over")) << resumed;
  EXPECT_EQ(place.run_state(), "completed");
  for (int i = 1; i <= 12; ++i) EXPECT_EQ(count_lines(place.file("ran"), "i" + std::to_string(i)), 1) << i;
  EXPECT_EQ(count_lines(place.file("ran"), "end"), 1);
}

// --- Rounds -----------------------------------------------------------------------------------------------------

constexpr const char* round_step = R"(printf '{"score": %s}' ${{ index }} > "$BATON_OUTPUT")";
constexpr const char* round_output = "output: ${{ sandbox }}/outputs/draft.json\n";

TEST_F(Flows, ALoopEndsWhenItsConditionHolds) {
  place.workflow("w",
                 {step("improve", round_step, std::string{round_output} + "loop: {until: output.score >= 3, max: 5}"),
                  step("end", "cat ${{ steps.improve.output }}", "needs: [improve]")});
  const Outcome ran = place.baton({"run", "w"});
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_THAT(step_states_of(place.show()),
              UnorderedElementsAre("improve=completed", "end=completed", "improve:1=completed", "improve:2=completed",
                                   "improve:3=completed"));
  EXPECT_EQ(place.baton({"logs", "last", "end", "--raw"}).out, R"({"score": 3})");
}

TEST_F(Flows, AnExhaustedLoopFailsAndSaysOnWhat) {
  place.workflow("w",
                 {step("improve", round_step, std::string{round_output} + "loop: {until: output.score >= 3, max: 2}"),
                  step("end", "touch ended", "needs: [improve]")});
  const Outcome ran = place.baton({"run", "w", "--json"});
  EXPECT_EQ(ran.code, 1) << ran;
  EXPECT_TRUE(has(ran.err, "loop-exhausted")) << ran;
  const json::object error = json_lines(ran.out).back().at("error").as_object();
  EXPECT_EQ(text_at(error, "code"), "loop-exhausted");
  EXPECT_TRUE(has(text_at(error, "message"), "'output.score >= 3' did not hold after 2 rounds"));
  EXPECT_TRUE(has_line(why("improve"), "loop-exhausted", "after 2 rounds")) << why("improve");
  EXPECT_FALSE(place.exists("ended"));
}

TEST_F(Flows, TheResultIsWhatAFinalCompositeBroughtTogether) {
  place.workflow("w", {step("t", "printf '%s text' ${{ item }} > \"$BATON_OUTPUT\"",
                            "for_each: [a, b]\noutput: ${{ sandbox }}/outputs/${{ item }}.md\nfinal: true")});
  const Outcome ran = place.baton({"run", "w"});
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(parse_json(ran.out).at("artifact"), (json::array{"a text", "b text"}));
  EXPECT_TRUE(text_at(place.show(), "artifact").ends_with("/outputs/t.items.json"));
}

TEST_F(Flows, NumbersAreHandedOnAsTheyAreWrittenAndAByteOrderMarkIsPassedOver) {
  constexpr const char* number = "100000000000000000000000000001";
  place.workflow(
      "w", {step("a", "printf '\\357\\273\\277{\"list\":[100000000000000000000000000001]}' > \"$BATON_OUTPUT\"",
                 "output: ${{ sandbox }}/outputs/a.json\nvalidate: {max: {list.0: 100000000000000000000000000001}}"),
            step("b", "printf '\\357\\273\\277[%s]' ${{ item }} > \"$BATON_OUTPUT\"",
                 "needs: [a]\nfor_each: ${{ steps.a.output.list }}\nwhen: item > 100000000000000000000000000000\n"
                 "output: ${{ sandbox }}/outputs/${{ index }}.json\nfinal: true")});
  const Outcome ran = place.baton({"run", "w"});
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_TRUE(has(ran.out, fmt::format("\"artifact\":[[{}]]", number))) << ran;
}

}  // namespace
}  // namespace baton::test
