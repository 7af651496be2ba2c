// The rules beyond the format's first five: each passes, fails, misses its field and meets a value of another type.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/check.h"

namespace baton {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using Kind = Check::Kind;

CheckResult one(const Check& check, std::string_view content, const Evidence& evidence = {}) {
  const auto results = evaluate({check}, OutputFormat::json, content, evidence);
  EXPECT_THAT(results, SizeIs(1));
  return results.at(0);
}

CheckResult of_text(const Check& check, std::string_view content) {
  const auto results = evaluate({check}, OutputFormat::text, content);
  EXPECT_THAT(results, SizeIs(1));
  return results.at(0);
}

Check with_value(Kind kind, std::string path, std::string value) {
  return {kind, std::move(path), 0, std::move(value)};
}

TEST(Types, given_each_type_when_checked_then_only_its_own_values_pass) {
  const std::vector<std::pair<std::string, std::string>> values{
      {"string", "\"x\""}, {"boolean", "true"}, {"array", "[]"}, {"object", "{}"}, {"null", "null"}, {"integer", "3"}};
  for (const auto& [type, own] : values) {
    for (const auto& [other, value] : values) {
      const std::string content = "{\"a\":" + value + "}";
      EXPECT_EQ(one(with_value(Kind::type, "a", "\"" + type + "\""), content).passed, type == other) << type << content;
    }
  }
  EXPECT_TRUE(one(with_value(Kind::type, "a", "\"number\""), R"({"a":3})").passed);
  EXPECT_TRUE(one(with_value(Kind::type, "a", "\"number\""), R"({"a":3.5})").passed);
  EXPECT_TRUE(one(with_value(Kind::type, "a", "\"integer\""), R"({"a":3.0})").passed);
  EXPECT_FALSE(one(with_value(Kind::type, "a", "\"integer\""), R"({"a":3.5})").passed);
}

TEST(Types, given_a_wrong_or_missing_value_when_checked_then_the_message_says_what_is_there_and_what_is_wanted) {
  const Check check = with_value(Kind::type, "a.n", R"(["integer","null"])");
  EXPECT_EQ(one(check, R"({"a":{"n":null}})"), (CheckResult{"types_a.n", true, "OK"}));
  EXPECT_EQ(one(check, R"({"a":{"n":"3"}})"),
            (CheckResult{"types_a.n", false, R"(Field 'a.n' is "3" (string), expected integer or null)"}));
  EXPECT_EQ(one(check, R"({"a":3})"),
            (CheckResult{"types_a.n", false, "Field 'a.n' is missing, expected integer or null"}));
}

TEST(Enum, given_values_when_checked_then_any_of_them_passes_whatever_its_type) {
  const Check check = with_value(Kind::one_of, "status", R"(["final","review",3,null,{"b":1,"a":2}])");
  for (const char* value : {"\"final\"", "3", "3.0", "null", R"({"a":2,"b":1})"}) {
    EXPECT_TRUE(one(check, std::string{"{\"status\":"} + value + "}").passed) << value;
  }
  const Check two = with_value(Kind::one_of, "status", R"(["final","review"])");
  EXPECT_EQ(one(two, R"({"status":"draft"})"),
            (CheckResult{"enum_status", false, R"(Field 'status' is "draft", expected one of "final", "review")"}));
  EXPECT_EQ(one(two, R"({"status":true})").message, R"(Field 'status' is true, expected one of "final", "review")");
  EXPECT_EQ(one(two, "{}").message, R"(Field 'status' is missing, expected one of "final", "review")");
}

TEST(Lengths, given_strings_when_checked_then_characters_count_and_not_bytes) {
  EXPECT_TRUE(one({Kind::min_length, "t", 4}, R"({"t":"äöü€"})").passed);
  EXPECT_TRUE(one({Kind::max_length, "t", 4}, R"({"t":"äöü€"})").passed);
  EXPECT_EQ(
      one({Kind::min_length, "t", 5}, R"({"t":"äöü€"})"),
      (CheckResult{"min_length_t", false, R"(Field 't' is "äöü€" (4 characters), expected at least 5 characters)"}));
  EXPECT_EQ(one({Kind::max_length, "t", 1}, R"({"t":"ab"})"),
            (CheckResult{"max_length_t", false, R"(Field 't' is "ab" (2 characters), expected at most 1 character)"}));
  EXPECT_EQ(one({Kind::min_length, "t", 5}, R"({"t":12345})").message,
            "Field 't' is 12345, expected a string of at least 5 characters");
  EXPECT_EQ(one({Kind::max_length, "t", 5}, "{}").message,
            "Field 't' is missing, expected a string of at most 5 characters");
}

TEST(Lengths, given_a_text_output_when_checked_without_a_path_then_the_whole_text_counts) {
  EXPECT_TRUE(of_text({Kind::min_length, {}, 3}, "# ä").passed);
  EXPECT_EQ(of_text({Kind::min_length, {}, 4}, "# ä"),
            (CheckResult{"min_length", false, "The text has 3 characters, expected at least 4"}));
  EXPECT_EQ(of_text({Kind::max_length, {}, 0}, "x"),
            (CheckResult{"max_length", false, "The text has 1 character, expected at most 0"}));
}

TEST(Items, given_lists_and_objects_when_checked_then_both_count) {
  EXPECT_TRUE(one({Kind::min_items, "x", 2}, R"({"x":[1,2]})").passed);
  EXPECT_TRUE(one({Kind::max_items, "x", 2}, R"({"x":{"a":1,"b":2}})").passed);
  EXPECT_TRUE(one({Kind::min_items, "$", 1}, R"([1])").passed);
  EXPECT_EQ(one({Kind::min_items, "x", 3}, R"({"x":[1,2]})"),
            (CheckResult{"min_items_x", false, "Field 'x' is [1,2] (2 items), expected at least 3 items"}));
  EXPECT_EQ(one({Kind::max_items, "x", 0}, R"({"x":{"a":1}})").message,
            R"(Field 'x' is {"a":1} (1 item), expected at most 0 items)");
  EXPECT_EQ(one({Kind::min_items, "x", 1}, R"({"x":"abc"})").message,
            R"(Field 'x' is "abc", expected a list or object of at least 1 item)");
  EXPECT_EQ(one({Kind::min_items, "x", 1}, "{}").message,
            "Field 'x' is missing, expected a list or object of at least 1 item");
  EXPECT_EQ(one({Kind::min_items, "$", 2}, "[1]").message, "The output is [1] (1 item), expected at least 2 items");
}

TEST(Bounds, given_numbers_when_checked_then_whole_and_broken_ones_compare) {
  EXPECT_TRUE(one(with_value(Kind::minimum, "n", "0.5"), R"({"n":0.5})").passed);
  EXPECT_TRUE(one(with_value(Kind::maximum, "n", "18446744073709551615"), R"({"n":18446744073709551614})").passed);
  EXPECT_EQ(one(with_value(Kind::minimum, "n", "1"), R"({"n":0.5})"),
            (CheckResult{"min_n", false, "Field 'n' is 0.5, expected at least 1"}));
  EXPECT_EQ(one(with_value(Kind::maximum, "n", "-2"), R"({"n":3})"),
            (CheckResult{"max_n", false, "Field 'n' is 3, expected at most -2"}));
  EXPECT_EQ(one(with_value(Kind::minimum, "n", "1"), R"({"n":"5"})").message,
            R"(Field 'n' is "5", expected a number of at least 1)");
  EXPECT_EQ(one(with_value(Kind::minimum, "n", "1"), "{}").message,
            "Field 'n' is missing, expected a number of at least 1");
}

TEST(Patterns, given_an_expression_when_checked_then_it_is_found_anywhere_unless_it_is_tied_to_the_ends) {
  EXPECT_TRUE(one(with_value(Kind::pattern, "id", "b+"), R"({"id":"abbc"})").passed);
  EXPECT_EQ(one(with_value(Kind::pattern, "id", "^b+$"), R"({"id":"abbc"})"),
            (CheckResult{"pattern_id", false, R"(Field 'id' is "abbc", expected a string that matches ^b+$)"}));
  EXPECT_EQ(one(with_value(Kind::pattern, "id", "^b"), R"({"id":7})").message,
            "Field 'id' is 7, expected a string that matches ^b");
  EXPECT_EQ(one(with_value(Kind::pattern, "id", "^b"), "{}").message,
            "Field 'id' is missing, expected a string that matches ^b");
  EXPECT_TRUE(of_text(with_value(Kind::pattern, {}, "(?m)^## Points$"), "# T\n## Points\n").passed);
  EXPECT_EQ(of_text(with_value(Kind::pattern, {}, "^##"), "# T\n"),
            (CheckResult{"pattern", false, R"(The text is "# T\n", expected a match of ^##)"}));
}

TEST(Patterns, given_what_makes_others_take_for_ever_when_checked_then_it_is_answered) {
  const std::string many(200'000, 'a');
  EXPECT_FALSE(one(with_value(Kind::pattern, "x", "^(a+)+$"), "{\"x\":\"" + many + "b\"}").passed);
  EXPECT_FALSE(one(with_value(Kind::pattern, "x", "^(a|aa)+$"), "{\"x\":\"" + many + "b\"}").passed);
}

TEST(Equals, given_a_value_when_checked_then_keys_may_come_in_any_order_and_numbers_in_any_form) {
  EXPECT_TRUE(one(with_value(Kind::equals, "v", R"({"a":1,"b":[2]})"), R"({"v":{"b":[2.0],"a":1}})").passed);
  EXPECT_EQ(one(with_value(Kind::equals, "v", "1"), R"({"v":"1"})"),
            (CheckResult{"equals_v", false, R"(Field 'v' is "1", expected 1)"}));
  EXPECT_EQ(one(with_value(Kind::equals, "v", "null"), "{}").message, "Field 'v' is missing, expected null");
}

TEST(Equals, given_another_steps_field_when_checked_then_both_have_to_be_the_same) {
  const Check check{Kind::equals, "contentId", 0, "meta.id", "summary"};
  const auto with = [](std::optional<std::string> text) {
    return Evidence{.output_of = [text](const std::string& step) { return step == "summary" ? text : std::nullopt; }};
  };
  EXPECT_TRUE(one(check, R"({"contentId":"a"})", with(R"({"meta":{"id":"a"}})")).passed);
  EXPECT_EQ(one(check, R"({"contentId":"b"})", with(R"({"meta":{"id":"a"}})")),
            (CheckResult{"equals_contentId", false,
                         R"(Field 'contentId' is "b", expected "a" ('meta.id' of step 'summary'))"}));
  EXPECT_EQ(one(check, "{}", with(R"({"meta":{"id":"a"}})")).message,
            R"(Field 'contentId' is missing, expected "a" ('meta.id' of step 'summary'))");
  EXPECT_EQ(one(check, R"({"contentId":"b"})", with("{}")).message,
            R"(Field 'contentId' is "b", but step 'summary' has no field 'meta.id')");
  EXPECT_EQ(one(check, R"({"contentId":"b"})", with("no json")).message,
            R"(Field 'contentId' is "b", but the output of step 'summary' is no JSON)");
  EXPECT_EQ(one(check, R"({"contentId":"b"})").message,
            R"(Field 'contentId' is "b", but step 'summary' has no output to compare with)");
  EXPECT_THAT(compared_steps({check, check, {Kind::equals, "a", 0, "1"}}), ElementsAre("summary"));
}

TEST(Paths, given_a_star_when_checked_then_every_item_counts_and_the_first_wrong_one_is_named) {
  const Check check = with_value(Kind::type, "items.*.x", "\"string\"");
  EXPECT_TRUE(one(check, R"({"items":[{"x":"a"},{"x":"b"}]})").passed);
  EXPECT_TRUE(one(check, R"({"items":{"p":{"x":"a"}}})").passed);
  EXPECT_TRUE(one(check, R"({"items":[]})").passed) << "there is nothing in it that could be wrong";
  EXPECT_EQ(one(check, R"({"items":[{"x":"a"},{"x":1},{},{"x":2}]})"),
            (CheckResult{"types_items.*.x", false,
                         "Field 'items.1.x' is 1 (integer), expected string (and 2 more like it)"}));
  EXPECT_EQ(one(check, R"({"items":[{}]})").message, "Field 'items.0.x' is missing, expected string");
  EXPECT_EQ(one(check, R"({"items":3})").message, "Field 'items.*.x' is missing, expected string");
  EXPECT_EQ(one(check, "{}").message, "Field 'items.*.x' is missing, expected string");
  EXPECT_TRUE(one({Kind::required_field, "items.*.x"}, R"({"items":[{"x":1},{"x":2}]})").passed);
  EXPECT_EQ(one({Kind::required_field, "items.*.x"}, R"({"items":[{"x":1},{"x":null}]})"),
            (CheckResult{"has_items.*.x", false, "Missing required field: items.*.x"}));
}

TEST(Paths, given_a_huge_list_when_checked_then_it_is_fine) {
  std::string content = R"({"items":[)";
  for (int i = 0; i < 200'000; ++i) content += std::to_string(i) + ",";
  content += R"("x"]})";
  EXPECT_EQ(one(with_value(Kind::type, "items.*", "\"integer\""), content).message,
            R"(Field 'items.200000' is "x" (string), expected integer)");
}

TEST(Values, given_a_long_one_when_a_message_shows_it_then_it_is_cut_to_80_bytes_on_one_line) {
  const std::string message = one({Kind::max_length, "t", 3}, "{\"t\":\"" + std::string(5000, 'y') + "\\n\"}").message;
  EXPECT_THAT(message, HasSubstr("y… (5001 characters), expected at most 3 characters"));
  EXPECT_LT(message.size(), 160U);
}

TEST(Commands, given_outcomes_when_evaluated_then_they_stand_in_their_places) {
  const std::vector<Check> checks{{Kind::command, {}, 0, "\"a\"", {}, {"/bin/sh", "-c", "a"}},
                                  {Kind::min_items, "x", 1},
                                  {Kind::command, {}, 0, "\"b\"", {}, {"/bin/sh", "-c", "b"}}};
  ASSERT_THAT(command_checks(checks), ElementsAre(&checks[0], &checks[2]));
  const Evidence evidence{.commands = {{true, "fine"}, {false, "not fine"}}};
  EXPECT_THAT(evaluate(checks, OutputFormat::json, R"({"x":[1]})", evidence),
              ElementsAre(CheckResult{"command", true, "fine"}, CheckResult{"min_items_x", true, "OK"},
                          CheckResult{"command_2", false, "not fine"}));
  EXPECT_FALSE(evaluate(checks, OutputFormat::json, R"({"x":[1]})")[0].passed) << "one that was not run has not passed";
}

TEST(Commands, given_what_was_printed_when_it_ended_then_the_last_line_is_the_message) {
  EXPECT_EQ(command_outcome(1, 0, "one\ntwo: bad\n\n").message, "two: bad");
  EXPECT_FALSE(command_outcome(1, 0, "one\n").passed);
  EXPECT_TRUE(command_outcome(0, 0, "one\n").passed);
  EXPECT_EQ(command_outcome(0, 0, "").message, "OK");
  EXPECT_EQ(command_outcome(3, 0, "\n").message, "The command ended with exit code 3");
  EXPECT_EQ(command_outcome(std::nullopt, 9, "").message, "The command was ended by signal 9");
  EXPECT_FALSE(command_outcome(std::nullopt, 9, "bye").passed);
}

TEST(TextOutputs, given_rules_for_texts_only_when_evaluated_then_no_json_is_asked_for) {
  const std::vector<Check> checks{{Kind::min_length, {}, 2}, {Kind::command, {}, 0, "\"a\"", {}, {"a"}}};
  EXPECT_THAT(evaluate(checks, OutputFormat::text, "# no json", {.commands = {{true, "OK"}}}), SizeIs(2));
  EXPECT_EQ(evaluate({{Kind::min_length, {}, 2}, {Kind::min_items, "x", 1}}, OutputFormat::text, "# no")[0].name,
            "file_readable");
}

TEST(RulesJson, given_every_rule_when_told_to_an_agent_then_it_is_as_it_was_written) {
  EXPECT_EQ(rules_json({{Kind::required_field, "a"},
                        {Kind::type, "a", 0, "\"string\""},
                        {Kind::min_length, "a", 3},
                        {Kind::type, "b", 0, R"(["null","array"])"},
                        {Kind::one_of, "a", 0, "[1,2]"},
                        {Kind::minimum, "n", 0, "0.5"},
                        {Kind::pattern, "a", 0, "^\"x\"$"},
                        {Kind::equals, "a", 0, "{\"k\":1}"},
                        {Kind::equals, "b", 0, "id", "one"},
                        {Kind::schema, {}, 0, "{\"type\":\"object\"}"},
                        {Kind::command, {}, 0, "[\"./check\",\"x\"]", {}, {"./check", "x"}}}),
            R"({"required_fields":["a"],"types":{"a":"string","b":["null","array"]},"min_length":{"a":3},)"
            R"("enum":{"a":[1,2]},"min":{"n":0.5},"pattern":{"a":"^\"x\"$"},)"
            R"("equals":{"a":{"k":1},"b":"${{ steps.one.output.id }}"},"schema":{"type":"object"},)"
            R"("command":["./check","x"]})");
  EXPECT_EQ(rules_json({{Kind::min_length, {}, 100}, {Kind::pattern, {}, 0, "^#"}}),
            R"({"min_length":100,"pattern":"^#"})");
}

}  // namespace
}  // namespace baton
