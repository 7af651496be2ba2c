// Checks from outside: `baton validate`, and what a run does with outputs that pass and fail.
#include <fmt/core.h>

#include "support/programs.h"

namespace baton::test {
namespace {

class Validate : public Outside {
 protected:
  /// Writes `content` to `file` and checks it with these rules.
  Outcome validate(const std::string& content, const std::string& rules, const std::string& file = "out.json") {
    place.write(file, content);
    return place.baton({"validate", file, rules});
  }
  static std::vector<std::string> results(const Outcome& outcome) {
    std::vector<std::string> lines;
    const json::object object = parse_json(outcome.out).as_object();
    for (const json::value& check : object.at("checks").as_array()) {
      const json::object& c = check.as_object();
      lines.push_back(
          fmt::format("{} {}: {}", c.at("passed").as_bool() ? "+" : "-", text_at(c, "name"), text_at(c, "message")));
    }
    return lines;
  }
  using Lines = std::vector<std::string>;
};

TEST_F(Validate, PrintsTheSeedsObjectAndAnswersWithItsExitCode) {
  const Outcome good = validate(R"({"contentId":"c","headline":"h","keyThemes":[]})",
                                R"({"required_fields":["contentId","headline","keyThemes"]})");
  EXPECT_EQ(good.code, 0) << good;
  EXPECT_EQ(
      good.out,
      R"({"passed":true,"checks":[{"name":"has_contentId","passed":true,"message":"OK"},)"
      R"({"name":"has_headline","passed":true,"message":"OK"},{"name":"has_keyThemes","passed":true,"message":"OK"}]})"
      "\n");
  const Outcome bad = validate(R"({"headline":"h"})", R"({"min_quotes":2,"required_fields":["contentId"]})");
  EXPECT_EQ(bad.code, 1) << bad;
  EXPECT_EQ(bad.err, "");
  EXPECT_FALSE(parse_json(bad.out).as_object().at("passed").as_bool());
  EXPECT_EQ(results(bad), (Lines{"- has_contentId: Missing required field: contentId",
                                 "- min_quotes: Found 0 quotes, need at least 2"}));
  EXPECT_EQ(validate("{}", "{}").out, "{\"passed\":true,\"checks\":[]}\n");
}

TEST_F(Validate, RefusesWhatItCannotUnderstand) {
  const Outcome unknown = validate("{}", R"({"required_feilds":["a"]})");
  EXPECT_EQ(unknown.code, 2) << unknown;
  EXPECT_TRUE(says_error(unknown, "unknown-check")) << unknown;
  EXPECT_TRUE(has(unknown.err, "did you mean 'required_fields'?")) << unknown;
  EXPECT_EQ(unknown.out, "");
  EXPECT_TRUE(says_error(validate("{}", "{broken"), "bad-rules"));
  EXPECT_TRUE(says_error(place.baton({"validate", "nowhere.json", "{}"}), "file-unreadable"));
  EXPECT_EQ(place.baton({"validate", "nowhere.json", "{}"}).code, 2);
  EXPECT_TRUE(says_error(place.baton({"validate", "out.json"}), "bad-usage"));
  EXPECT_TRUE(says_error(validate("{}", "@nowhere.json"), "file-unreadable"));
}

TEST_F(Validate, CompatAnswersAsTheFirstValidatorDid) {
  place.write("out.json", "{}");
  const Outcome failed = place.baton({"validate", "out.json", R"({"required_fields":["a"]})", "--compat"});
  EXPECT_EQ(failed.code, 0) << failed;
  EXPECT_EQ(results(failed), (Lines{"- has_a: Missing required field: a"}));
  const Outcome missing = place.baton({"validate", "nowhere.json", "{}", "--compat"});
  EXPECT_EQ(missing.code, 0) << missing;
  EXPECT_TRUE(has(missing.out, R"("name":"file_readable","passed":false,"message":"Failed to read artifact: )"));
  const Outcome broken = place.baton({"validate", "out.json", "{broken", "--compat"});
  EXPECT_EQ(broken.code, 0) << broken;
  EXPECT_TRUE(has(broken.out, R"("name":"criteria_valid","passed":false,"message":"Invalid criteria JSON: )"));
}

TEST_F(Validate, ChecksEveryKindOfRule) {
  place.write("rules.json",
              R"({"types":{"n":"integer"},"enum":{"s":["a","b"]},"min_length":{"s":1},"max_length":{"s":1},
    "min_items":{"l":1},"max_items":{"l":1},"min":{"n":1},"max":{"n":2},"pattern":{"s":"^[ab]$"},"equals":{"n":1},
    "schema":"schemas/s.json","command":"grep -q s \"$BATON_OUTPUT\""})");
  place.write("schemas/s.json", R"({"required":["s"],"properties":{"s":{"type":"string"}}})");
  EXPECT_EQ(validate(R"({"n":1,"s":"a","l":[0]})", "@rules.json").code, 0);
  const Outcome bad = validate(R"({"n":"x","l":[]})", "@rules.json");
  EXPECT_EQ(bad.code, 1) << bad;
  EXPECT_EQ(results(bad), (Lines{R"(- types_n: Field 'n' is "x" (string), expected integer)",
                                 R"(- enum_s: Field 's' is missing, expected one of "a", "b")",
                                 "- min_length_s: Field 's' is missing, expected a string of at least 1 character",
                                 "- max_length_s: Field 's' is missing, expected a string of at most 1 character",
                                 "- min_items_l: Field 'l' is [] (0 items), expected at least 1 item",
                                 "+ max_items_l: OK", R"(- min_n: Field 'n' is "x", expected a number of at least 1)",
                                 R"(- max_n: Field 'n' is "x", expected a number of at most 2)",
                                 "- pattern_s: Field 's' is missing, expected a string that matches ^[ab]$",
                                 R"(- equals_n: Field 'n' is "x", expected 1)",
                                 "- schema: Field 's' is missing, and the schema requires it",
                                 "- command: The command ended with exit code 1"}));
}

TEST_F(Validate, RunsCommandsInTheProjectAndTakesTheirLastLineAsTheMessage) {
  place.write("check.sh", "#!/bin/sh\necho looking\nexec tail -n 1 \"$BATON_OUTPUT\"\n");
  EXPECT_EQ(results(validate("{}\n", R"({"command":["/bin/sh","check.sh"]})")), (Lines{"+ command: {}"}));
  EXPECT_EQ(results(validate("{}", R"({"command":[["/bin/sh","-c","echo no; exit 3"],["./nobody"]]})"))[0],
            "- command: no");
  EXPECT_TRUE(has(results(validate("{}", R"({"command":["./nobody"]})"))[0], "could not be started"));
  EXPECT_EQ(results(validate("{}", R"({"command":"kill -9 $$"})")),
            (Lines{"- command: The command was ended by signal 9"}));
}

TEST_F(Validate, ChecksTextsWhole) {
  const Outcome text = validate("# Title\n", R"({"min_length":3,"pattern":"^# "})", "out.md");
  EXPECT_EQ(results(text), (Lines{"+ min_length: OK", "+ pattern: OK"}));
  EXPECT_EQ(results(validate("# T", R"({"min_length":300})", "out.md")),
            (Lines{"- min_length: The text has 3 characters, expected at least 300"}));
}

// The format's own edge cases -----------------------------------------------------------------------------------------

TEST_F(Validate, ArtifactWithBadJsonNeverPassesAndNestedMetadataAuthorDoes) {
  const Outcome bad = validate("{\"a\":", "{}");
  EXPECT_EQ(bad.code, 1) << bad;
  ASSERT_EQ(results(bad).size(), 1U);
  EXPECT_TRUE(has(results(bad)[0], "- file_readable: Failed to read artifact: ")) << bad;
  EXPECT_EQ(validate(R"({"metadata":{"author":"x"}})", R"({"required_fields":["metadata.author"]})").code, 0);
}

TEST_F(Validate, RequiredFieldsPassesForEmptyValuesAndFailsForNullMissingAndAPathThroughAScalar) {
  for (const char* value : {"\"\"", "0", "false", "[]"}) {
    EXPECT_EQ(validate(fmt::format("{{\"f\":{}}}", value), R"({"required_fields":["f"]})").code, 0) << value;
  }
  EXPECT_EQ(validate(R"({"f":null})", R"({"required_fields":["f"]})").code, 1);
  EXPECT_EQ(validate("{}", R"({"required_fields":["f"]})").code, 1);
  EXPECT_EQ(validate(R"({"f":"text"})", R"({"required_fields":["f.g"]})").code, 1);
}

TEST_F(Validate, SuggestedOutlineAsAnObjectCountsItsSections) {
  EXPECT_EQ(
      results(validate(R"({"suggestedOutline":{"title":"t","sections":[1,2,3,4]}})", R"({"min_outline_sections":4})")),
      (Lines{"+ min_outline_sections: Found 4 outline sections (min: 4)"}));
}

// Runs ----------------------------------------------------------------------------------------------------------------

TEST_F(Validate, AStepWhoseIdIsNotItsOutputsStemIsStillChecked) {
  place.workflow("w", {step("analyze-content",
                            "echo '{\"a\":1}' > outputs.json; mkdir -p outputs; "
                            "echo '{\"a\":1}' > outputs/analysis.json",
                            "output: outputs/analysis.json\nvalidate: {required_fields: [a, b]}")});
  const Outcome ran = place.baton({"run", "w"});
  EXPECT_EQ(ran.code, 1) << ran;
  EXPECT_TRUE(has(ran.err, "Missing required field: b")) << ran;
}

TEST_F(Validate, ARehearsalMeetsEveryKindOfRule) {
  place.write("i.md", "x\n");
  place.write("schemas/s.json", R"({"type":"object","required":["price"],"properties":{"price":{"type":"number"}}})");
  const std::string one =
      "  - id: one\n    skill: s\n    mission: Write about it.\n    input: i.md\n"
      "    output: ${{ sandbox }}/outputs/one.json\n"
      "    validate: {required_fields: [contentId], types: {n: integer}, enum: {s: [a, b]}, min_length: {t: 50},\n"
      "      max_length: {t: 60}, min_items: {l: 4}, max_items: {l: 4}, min: {n: 7}, max: {n: 9},\n"
      "      pattern: {p: '^[A-Z]{2}-\\d+$'}, equals: {v: done}, schema: schemas/s.json, command: touch canary}\n";
  const std::string two =
      "  - id: two\n    skill: s\n    mission: Write about it.\n    input: i.md\n    needs: [one]\n"
      "    output: ${{ sandbox }}/outputs/two.json\n"
      "    validate: {equals: {contentId: ${{ steps.one.output.contentId }}}}\n";
  place.write("workflows/w.md", "---\nname: w\ndescription: d\nsteps:\n" + one + two + "---\n");
  const Outcome ran = place.baton({"run", "w", "--rehearse"});
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_FALSE(place.exists("canary")) << "a rehearsal runs no command of the user's";
  const json::object shown = place.show();
  EXPECT_EQ(attempt_of(shown, "one", 1).at("checks").as_array().size(), 13U);
  const json::object check = attempt_of(shown, "two", 1).at("checks").as_array().at(0).as_object();
  EXPECT_EQ(text_at(check, "name"), "equals_contentId");
  EXPECT_TRUE(check.at("passed").as_bool());
}

TEST_F(Validate, ComparesARealStepsOutputWithTheOneItNeeds) {
  const auto workflow = [&](const std::string& id) {
    place.workflow("w",
                   {step("one", "echo '{\"id\":\"x\"}' > one.json", "output: one.json"),
                    step("two", "echo '{\"id\":\"" + id + "\"}' > two.json",
                         "needs: [one]\noutput: two.json\nvalidate: {equals: {id: '${{ steps.one.output.id }}'}}")});
    return place.baton({"run", "w"});
  };
  EXPECT_EQ(workflow("x").code, 0);
  const Outcome other = workflow("y");
  EXPECT_EQ(other.code, 1) << other;
  EXPECT_TRUE(has(other.err, R"(Field 'id' is "y", expected "x" ('id' of step 'one'))")) << other;
}

TEST_F(Validate, AFailedRunSaysWhichCheckFailedOnWhichValueInWhichAttemptAndAgentsAreToldWordForWord) {
  place.write("i.md", "x\n");
  place.write(
      "workflows/w.md",
      "---\nname: w\ndescription: d\nsteps:\n  - id: a\n    skill: s\n    mission: Write.\n    input: i.md\n"
      "    output: ${{ sandbox }}/outputs/a.json\n    validate: {enum: {status: [final]}, types: {n: integer}}\n"
      "---\n");
  place.write(
      "script.yaml",
      "steps:\n  a:\n    attempts:\n      - output: {status: draft, n: 1}\n      - output: {status: rough, n: x}\n"
      "      - output: {status: late, n: 1}\n");
  const Outcome ran = place.baton({"run", "w", "--rehearse=script.yaml"});
  EXPECT_EQ(ran.code, 1) << ran;
  EXPECT_TRUE(has(ran.err, R"(step 'a': attempt 3 failed 1 of 2 checks: enum_status: )"
                           R"(Field 'status' is "late", expected one of "final")"))
      << ran;
  const json::object shown = place.show();
  EXPECT_EQ(step_of(shown, "a").at("attempts").as_array().size(), 3U) << "two retries by default";
  const std::string second = read_text(text_at(attempt_of(shown, "a", 2), "prompt"));
  EXPECT_TRUE(has(second, R"(- enum_status: Field 'status' is "draft", expected one of "final")")) << second;
  const std::string third = read_text(text_at(attempt_of(shown, "a", 3), "prompt"));
  EXPECT_TRUE(has(third, R"(- types_n: Field 'n' is "x" (string), expected integer)")) << third;
  EXPECT_FALSE(has(third, "draft")) << "only what the attempt before it did wrong";
  const std::string text = place.baton({"show", "last"}).out;
  EXPECT_TRUE(has(text, R"(attempt 1: enum_status: Field 'status' is "draft", expected one of "final")")) << text;
  EXPECT_TRUE(has(text, R"(attempt 2: types_n: Field 'n' is "x" (string), expected integer)")) << text;
  EXPECT_TRUE(has(text, R"(attempt 3: enum_status: Field 'status' is "late")")) << text;
  EXPECT_TRUE(has(place.baton({"why", "last", "a"}).out, "attempt 3 failed 1 of 2 checks")) << "why tells it too";
}

}  // namespace
}  // namespace baton::test
