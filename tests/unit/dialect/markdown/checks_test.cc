// The rules of `validate` as they are written: read, ordered, recorded; what is wrong with them, and where.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dialect/markdown/reader.h"
#include "dialect/markdown/rules.h"

namespace baton {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Expected<std::string> schema_file(const std::string& path) {
  if (path == "schemas/a.json") return R"({ "type": "object" })";
  if (path == "schemas/bad.json") return R"({"type":"strin"})";
  return fault("file-unreadable", "there is no file " + path);
}

/// One agent step `a` whose rules begin on line 11 of the file, then step `b` that needs `one` with those rules.
std::expected<Workflow, Faults> read_rules(const std::string& rules, const std::string& output = "o.json",
                                           const std::string& more = "") {
  const std::string text =
      "---\nname: k\ndescription: d\nsteps:\n  - id: a\n    skill: s\n    mission: m\n    input: i.md\n    output: " +
      output + "\n    validate:\n" + rules + more + "---\n";
  return read_markdown({text, "w.md", "w"}, {.sandbox = "sandbox/x", .inputs = {}, .read_file = schema_file}, {});
}

std::vector<Check> checks_of(const std::string& rules, const std::string& output = "o.json") {
  const auto workflow = read_rules(rules, output);
  EXPECT_TRUE(workflow) << (workflow ? "" : to_text(workflow.error().at(0)));
  return workflow ? workflow->plan.steps.at(0).work->checks : std::vector<Check>{};
}

std::vector<std::string> faults_of(const std::expected<Workflow, Faults>& workflow) {
  std::vector<std::string> lines;
  EXPECT_FALSE(workflow);
  if (workflow) return lines;
  for (const Fault& f : workflow.error()) {
    lines.push_back(f.code + " " + std::to_string(f.place.line) + ":" + std::to_string(f.place.column));
  }
  return lines;
}

Fault only_fault(const std::string& rules, const std::string& output = "o.json") {
  const auto workflow = read_rules(rules, output);
  EXPECT_FALSE(workflow) << rules;
  if (workflow) return {};
  EXPECT_THAT(workflow.error(), SizeIs(1)) << rules;
  return workflow.error().at(0);
}

TEST(ReadChecks, given_every_rule_when_read_then_agents_are_told_what_was_written) {
  const std::vector<Check> checks = checks_of(
      "      types: {a: string, 'b.*': [integer, 'null']}\n"
      "      enum: {status: [final, 3, true, ~, 'true']}\n"
      "      min_length: {a: 2}\n      max_length: {a: 9}\n      min_items: {l: 1}\n      max_items: {l: 3}\n"
      "      min: {n: -1}\n      max: {n: 0.5}\n      pattern: {a: '^[a-z]+$'}\n"
      "      equals: {v: {x: [1]}, w: done}\n"
      "      schema: {type: object, required: [a]}\n"
      "      command: [./check.sh, --fast]\n"
      "      has_hooks: true\n      required_fields: [a]\n");
  EXPECT_EQ(rules_json(checks),
            R"({"required_fields":["a"],"has_hooks":true,"types":{"a":"string","b.*":["integer","null"]},)"
            R"("enum":{"status":["final",3,true,null,"true"]},"min_length":{"a":2},"max_length":{"a":9},)"
            R"("min_items":{"l":1},"max_items":{"l":3},"min":{"n":-1},"max":{"n":0.5},"pattern":{"a":"^[a-z]+$"},)"
            R"("equals":{"v":{"x":[1]},"w":"done"},"schema":{"type":"object","required":["a"]},)"
            R"("command":["./check.sh","--fast"]})");
}

TEST(ReadChecks, given_the_first_five_and_others_when_read_then_theirs_come_first_and_the_rest_as_written) {
  std::vector<std::string> names;
  for (const Check& check : checks_of("      max: {n: 1}\n      has_hooks: true\n      types: {b: string, a: string}\n"
                                      "      min_quotes: 1\n      required_fields: [z, y]\n")) {
    names.push_back(std::string{rule_name(check.kind)} + ":" + check.path);
  }
  EXPECT_THAT(names, ElementsAre("required_fields:z", "required_fields:y", "min_quotes:", "has_hooks:", "max:n",
                                 "types:b", "types:a"));
}

TEST(ReadChecks, given_a_schema_in_a_file_when_read_then_its_text_is_in_the_plan) {
  const std::vector<Check> checks = checks_of("      schema: schemas/a.json\n");
  ASSERT_THAT(checks, SizeIs(1));
  EXPECT_EQ(checks[0].value, R"({"type":"object"})");
}

TEST(ReadChecks, given_a_schema_that_says_what_is_not_checked_when_read_then_it_warns_at_its_place) {
  const auto workflow = read_rules(
      "      schema: {properties: {a: {format: datte}, b: {$ref: '#/definitions/c', minLength: 3}},"
      " definitions: {c: {}}}\n");
  ASSERT_TRUE(workflow);
  ASSERT_THAT(workflow->warnings, SizeIs(2));
  for (const Fault& warning : workflow->warnings) {
    EXPECT_EQ(warning.code, "schema-not-checked");
    EXPECT_EQ(warning.place.line, 11);
  }
  EXPECT_THAT(workflow->warnings[0].message, HasSubstr("#/properties/a: the format 'datte' is not known"));
  EXPECT_THAT(workflow->warnings[1].message, HasSubstr("#/properties/b: 'minLength' beside '$ref' is not looked at"));
}

TEST(ReadChecks, given_numbers_and_texts_that_look_like_them_when_read_then_they_are_kept_as_written) {
  EXPECT_EQ(rules_json(checks_of("      equals: {a: 100000000000000000000000000001, b: !!str 12, c: !!int '12'}\n"
                                 "      enum: {d: [18446744073709551616, 0.1000000000000000055511151231257827]}\n")),
            R"({"equals":{"a":100000000000000000000000000001,"b":"12","c":12},)"
            R"("enum":{"d":[18446744073709551616,0.1000000000000000055511151231257827]}})");
  EXPECT_EQ(only_fault("      min: {n: 18446744073709551617}\n      max: {n: 18446744073709551616}\n").code,
            "bad-check");
}

TEST(ReadChecks, given_commands_when_read_then_lines_go_to_the_shell_and_values_never_become_part_of_it) {
  const std::vector<Check> line = checks_of("      command: test -s ${{ steps.a.output }}\n", "o $(rm).json");
  ASSERT_THAT(line, SizeIs(1));
  EXPECT_THAT(line[0].argv, ElementsAre("/bin/sh", "-c", "test -s \"$BATON_VALUE_1\""));
  EXPECT_THAT(line[0].env, ElementsAre("BATON_VALUE_1=o $(rm).json"));
  const std::vector<Check> two = checks_of("      command: [[./a], [./b, '${{ sandbox }}']]\n");
  ASSERT_THAT(two, SizeIs(2));
  EXPECT_THAT(two[1].argv, ElementsAre("./b", "sandbox/x"));
  EXPECT_EQ(rules_json(two), R"({"command":[["./a"],["./b","${{ sandbox }}"]]})");
}

TEST(ReadChecks, given_a_command_that_speaks_of_a_field_when_read_then_it_is_filled_in_when_its_turn_comes) {
  const std::string two =
      "  - id: b\n    skill: s\n    mission: m\n    needs: [a]\n    input: i.md\n    output: p.json\n    "
      "validate:\n"
      "      command: [[./check, '${{ steps.a.output.title }}', '${{ steps.b.output }}'], [sh, -c, './c ${{ "
      "steps.a.output.title }}']]\n";
  const auto workflow = read_rules("      required_fields: [x]\n", "o.json", two);
  ASSERT_TRUE(workflow) << to_text(workflow.error().at(0));
  const Step& b = workflow->plan.steps.at(1);
  ASSERT_NE(b.flow, nullptr);
  EXPECT_TRUE(b.flow->deferred);
  ASSERT_THAT(b.work->checks, SizeIs(2));
  EXPECT_THAT(b.work->checks[0].argv, ElementsAre("./check", "${{ steps.a.output.title }}", "p.json"));
  EXPECT_THAT(b.work->checks[1].argv, ElementsAre("sh", "-c", "./c \"$BATON_VALUE_1\""));
  EXPECT_THAT(b.work->checks[1].env, ElementsAre("BATON_VALUE_1=${{ steps.a.output.title }}"));
  const auto own = read_rules("      command: ./c ${{ steps.a.output.title }}\n");
  ASSERT_FALSE(own) << "it is not there before the check";
  EXPECT_EQ(own.error().at(0).place.line, 11);
}

TEST(ReadChecks, given_a_text_output_when_read_then_rules_may_be_for_the_whole_text) {
  const std::string rules =
      "      min_length: 100\n      max_length: 5000\n      pattern: '(?m)^# '\n      command: ./c\n";
  const auto workflow = read_rules(rules, "o.md");
  ASSERT_TRUE(workflow) << to_text(workflow.error().at(0));
  EXPECT_THAT(workflow->warnings, IsEmpty());
  EXPECT_EQ(rules_json(workflow->plan.steps[0].work->checks),
            R"({"min_length":100,"max_length":5000,"pattern":"(?m)^# ","command":"./c"})");
  EXPECT_THAT(only_fault("      min_length: 100\n").message, HasSubstr("names no field, but the output is JSON"));
}

TEST(ReadChecks, given_bounds_that_exclude_each_other_when_read_then_the_later_one_is_shown) {
  const auto both = read_rules(
      "      max_items: {l: 2, m: 4}\n      min: {n: 0.5}\n      min_items: {m: 4, l: 3}\n      max:\n"
      "        n: -1\n        other: -2\n");
  EXPECT_THAT(faults_of(both), testing::UnorderedElementsAre("bad-check 11:22", "bad-check 15:12"));
  const Fault fault = only_fault("      min_length: {'a.*.t': 10}\n      max_length: {'a.*.t': 9}\n");
  EXPECT_EQ(fault.message, "'a.*.t' in 'max_length' of step 'a' is 9, less than 'min_length', which is 10");
  EXPECT_EQ(fault.place.line, 12);
  EXPECT_THAT(only_fault("      min_length: 100\n      max_length: 10\n", "o.md").message,
              HasSubstr("'max_length' of step 'a' is 10, less than 'min_length', which is 100"));
  EXPECT_THAT(only_fault("      min: {n: 1.5e3}\n      max: {n: 1499}\n").message, HasSubstr("1499"));
  EXPECT_THAT(checks_of("      min: {n: 3}\n      max: {n: 3, 'n.x': 1}\n      max_items: {n: 1}\n"), SizeIs(4));
}

TEST(CompareSteps, given_a_field_of_another_step_when_read_then_the_check_knows_both) {
  const std::string two =
      "  - id: b\n    skill: s\n    mission: m\n    needs: [a]\n    input: i.md\n    output: p.json\n    validate:\n";
  for (const char* written : {"      equals: {contentId: ${{ steps.a.output.meta.id }}}\n",
                              "      equals:\n        contentId: ${{ steps.a.output.meta.id }}\n",
                              "      equals: {contentId: '${{steps.a.output.meta.id}}'}\n"}) {
    const auto workflow = read_rules("      required_fields: [x]\n", "o.json", two + written);
    ASSERT_TRUE(workflow) << written << to_text(workflow.error().at(0));
    const Check& check = workflow->plan.steps[1].work->checks.at(0);
    EXPECT_EQ(check, (Check{Check::Kind::equals, "contentId", 0, "meta.id", "a"})) << written;
  }
}

TEST(CompareSteps, given_a_step_that_is_not_there_or_not_needed_when_read_then_it_is_a_fault_as_everywhere) {
  EXPECT_THAT(faults_of(read_rules("      equals: {x: '${{ steps.c.output.y }}'}\n")),
              ElementsAre("unknown-step-reference 11:19"));
  const std::string other = "  - id: b\n    command: [x]\n    output: p.json\n";
  EXPECT_THAT(faults_of(read_rules("      equals: {x: '${{ steps.b.output.y }}'}\n", "o.json", other)),
              ElementsAre("reference-not-needed 11:19"));
  EXPECT_THAT(faults_of(read_rules("      equals: {x: '${{ steps.a.output.y }}'}\n")),
              ElementsAre("reference-not-needed 11:19"))
      << "its own output says nothing about itself";
  const std::string without = "  - id: b\n    command: [x]\n";
  EXPECT_THAT(faults_of(read_rules("      equals: {x: '${{ steps.b.output.y }}'}\n", "o.json", without)),
              Contains("unknown-step-reference 11:19"));
}

struct BadRule {
  const char* rules;
  const char* place;
  const char* message;
  const char* help;
};

TEST(BadChecks, given_rules_that_mean_nothing_when_read_then_each_is_told_with_its_place_and_what_to_write) {
  const std::vector<BadRule> rules{
      {"      typs: {a: string}\n", "unknown-check 11:7", "unknown check 'typs'", "did you mean 'types'?"},
      {"      minlength: {a: 3}\n", "unknown-check 11:7", "unknown check 'minlength'", "did you mean 'min_length'?"},
      {"      nonsense: 3\n", "unknown-check 11:7", "unknown check 'nonsense'", "known checks: required_fields, "},
      {"      types: string\n", "bad-check 11:14", "'types' of step 'a' has to be a mapping of fields",
       "types: {title:"},
      {"      types: {}\n", "bad-check 11:14", "has to be a mapping of fields", ""},
      {"      types: {a: strng}\n", "bad-check 11:18", "is no type: 'strng'", "did you mean 'string'?"},
      {"      types: {a: [string, {}]}\n", "wrong-type 11:27", "has to be a text", ""},
      {"      types: {'': string}\n", "bad-check 11:15", "names no field", "items.*.title"},
      {"      enum: {a: final}\n", "bad-check 11:17", "has to be a list of values", "[draft, final]"},
      {"      enum: {a: []}\n", "bad-check 11:17", "has to be a list of values", ""},
      {"      min_length: {a: few}\n", "bad-check 11:23", "has to be a whole number from 0", "it is 'few'"},
      {"      min_length: {a: -1}\n", "bad-check 11:23", "has to be a whole number from 0", ""},
      {"      min_items: 3\n", "bad-check 11:18", "has to be a mapping of fields", "min_items: {title: 3}"},
      {"      min: {a: much}\n", "bad-check 11:16", "has to be a number", "it is 'much'"},
      {"      max: {a: '3'}\n", "bad-check 11:16", "has to be a number", ""},
      {"      pattern: {a: '('}\n", "bad-check 11:20", "is no pattern: missing )", "RE2"},
      {"      pattern: {a: '(?=x)'}\n", "bad-check 11:20", "is no pattern", ""},
      {"      pattern: {a: ''}\n", "bad-check 11:20", "it is empty", ""},
      {"      equals: {a: 'x ${{ steps.b.output.c }}'}\n", "bad-check 11:19", "compares with no field of a step",
       "${{ steps.ID.output.FIELD }}"},
      {"      equals: {a: '${{ steps.b.output }}'}\n", "bad-check 11:19", "compares with no field of a step", ""},
      {"      equals: 3\n", "bad-check 11:15", "has to be a mapping of fields", ""},
      {"      schema: [1]\n", "bad-check 11:15", "has to be a JSON Schema, or the path of one", ""},
      {"      schema: {type: strin}\n", "bad-schema 11:15", "cannot be used: #: 'type' has to be one of", "draft 7"},
      {"      schema: {$ref: 'http://x/y'}\n", "bad-schema 11:15", "leads out of the schema", ""},
      {"      schema: schemas/bad.json\n", "bad-schema 11:15", "(schemas/bad.json) cannot be used", ""},
      {"      schema: schemas/none.json\n", "bad-schema 11:15", "cannot be read: there is no file", ""},
      {"      schema: ../x.json\n", "bad-schema 11:15", "lies outside of the project", ""},
      {"      schema: /etc/passwd\n", "bad-schema 11:15", "lies outside of the project", ""},
      {"      command: []\n", "bad-check 11:16", "'command' of step 'a' is empty", ""},
      {"      command: {a: 1}\n", "wrong-type 11:16", "has to be a text or a list of texts", ""},
      {"      command: echo ${{ nonsense }}\n", "unknown-expression 11:16", "cannot be read", ""},
      {"      types: {a: string, a: number}\n", "duplicate-key 11:26", "'a'", ""},
      {"      min: {a: 1}\n      min: {b: 1}\n", "duplicate-key 12:7", "'min'", ""}};
  for (const BadRule& rule : rules) {
    const Fault f = only_fault(rule.rules);
    EXPECT_EQ(f.code + " " + std::to_string(f.place.line) + ":" + std::to_string(f.place.column), rule.place)
        << rule.rules;
    EXPECT_THAT(f.message, HasSubstr(rule.message)) << rule.rules;
    EXPECT_THAT(f.help, HasSubstr(rule.help)) << rule.rules;
  }
}

// Rules alone, as `baton validate` gets them --------------------------------------------------------------------------

TEST(ReadRules, given_json_in_every_way_of_writing_when_read_then_the_rules_are_there) {
  for (const char* text :
       {R"({"required_fields":["a"],"pattern":{"t":"^\\d\ud83d\ude00"}})",
        "{\n\t\"required_fields\": [\"a\"],\n\t\"pattern\": {\"t\":\"^\\\\d\xF0\x9F\x98\x80\"}\n}\n"}) {
    const auto checks = read_rules(text, "RULES", OutputFormat::json, schema_file);
    ASSERT_TRUE(checks) << text << to_text(checks.error().at(0));
    EXPECT_EQ(rules_json(*checks), "{\"required_fields\":[\"a\"],\"pattern\":{\"t\":\"^\\\\d\xF0\x9F\x98\x80\"}}");
  }
  EXPECT_THAT(*read_rules("{}", "RULES", OutputFormat::json, schema_file), IsEmpty());
}

TEST(ReadRules, given_what_is_no_rule_when_read_then_it_is_a_fault_with_its_place) {
  const auto code = [](const char* text) {
    const auto checks = read_rules(text, "RULES", OutputFormat::json, schema_file);
    EXPECT_FALSE(checks) << text;
    return checks ? "" : checks.error().at(0).code + " " + std::to_string(checks.error().at(0).place.column);
  };
  EXPECT_EQ(code("{\"a\""), "bad-rules 0");
  EXPECT_EQ(code("a: 1"), "bad-rules 0") << "YAML is not asked for";
  EXPECT_EQ(code("[]"), "bad-rules 1");
  EXPECT_EQ(code(R"({"required_field":["a"]})"), "unknown-check 2");
  EXPECT_EQ(code(R"({"equals":{"a":"${{ steps.x.output.y }}"}})"), "bad-check 16");
  EXPECT_EQ(code(R"({"command":"cat ${{ sandbox }}"})"), "unknown-expression 12");
}

}  // namespace
}  // namespace baton
