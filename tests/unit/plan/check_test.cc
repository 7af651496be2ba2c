#include "plan/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/limits.h"

namespace baton {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Check field(std::string path) { return {Check::Kind::required_field, std::move(path), 0}; }

CheckResult judge(const Check& check, std::string_view content) {
  const auto results = evaluate({check}, OutputFormat::json, content);
  EXPECT_THAT(results, SizeIs(1));
  return results.at(0);
}

TEST(RequiredField, given_it_is_there_when_checked_then_empty_values_pass_too) {
  for (const char* value : {"\"\"", "0", "false", "[]", "{}", "\"x\""}) {
    EXPECT_EQ(judge(field("a"), std::string{"{\"a\":"} + value + "}"), (CheckResult{"has_a", true, "OK"})) << value;
  }
}

TEST(RequiredField, given_null_or_nothing_when_checked_then_it_fails_in_the_words_of_the_format) {
  const CheckResult missing{"has_a", false, "Missing required field: a"};
  EXPECT_EQ(judge(field("a"), R"({"a":null})"), missing);
  EXPECT_EQ(judge(field("a"), R"({"b":1})"), missing);
  EXPECT_EQ(judge(field("a"), "null"), missing);
}

TEST(RequiredField, given_a_dotted_path_when_checked_then_objects_and_arrays_are_walked_and_scalars_are_not) {
  EXPECT_TRUE(judge(field("meta.author"), R"({"meta":{"author":"x"}})").passed);
  EXPECT_TRUE(judge(field("items.1.x"), R"({"items":[{},{"x":1}]})").passed);
  EXPECT_FALSE(judge(field("items.2"), R"({"items":[1,2]})").passed);
  EXPECT_FALSE(judge(field("items.01"), R"({"items":[1,2]})").passed);
  EXPECT_FALSE(judge(field("a.b"), R"({"a":"text"})").passed);
  EXPECT_TRUE(judge(field("0"), "[1]").passed);
}

TEST(Counts, given_arrays_when_checked_then_messages_say_how_many_and_how_many_are_needed) {
  EXPECT_EQ(judge({Check::Kind::min_quotes, {}, 2}, R"({"importantQuotes":["a","b"]})"),
            (CheckResult{"min_quotes", true, "Found 2 quotes (min: 2)"}));
  EXPECT_EQ(judge({Check::Kind::min_quotes, {}, 3}, R"({"importantQuotes":"abc"})"),
            (CheckResult{"min_quotes", false, "Found 0 quotes, need at least 3"}));
  EXPECT_EQ(judge({Check::Kind::min_key_points, {}, 2}, R"({"bullets":[1],"keyPoints":[1,2]})"),
            (CheckResult{"min_key_points", true, "Found 2 key points (min: 2)"}));
  EXPECT_EQ(judge({Check::Kind::min_key_points, {}, 2}, R"({"bullets":[1]})"),
            (CheckResult{"min_key_points", false, "Found 1 key points, need at least 2"}));
}

TEST(Outline, given_an_array_or_an_object_with_sections_when_checked_then_both_count) {
  const Check two{Check::Kind::min_outline_sections, {}, 2};
  EXPECT_EQ(judge(two, R"({"suggestedOutline":[1,2]})"),
            (CheckResult{"min_outline_sections", true, "Found 2 outline sections (min: 2)"}));
  EXPECT_EQ(judge(two, R"({"suggestedOutline":{"title":"t","sections":[1,2,3]}})"),
            (CheckResult{"min_outline_sections", true, "Found 3 outline sections (min: 2)"}));
  EXPECT_EQ(judge(two, R"({"suggestedOutline":{"sections":[1]}})"),
            (CheckResult{"min_outline_sections", false, "Found 1 sections, need at least 2"}));
}

TEST(Hooks, given_ideas_hooks_when_it_is_an_array_then_it_wins_over_top_level_hooks) {
  const Check hooks{Check::Kind::has_hooks, {}, 0};
  EXPECT_EQ(judge(hooks, R"({"ideas":{"hooks":[1,2]}})"), (CheckResult{"has_hooks", true, "Found 2 hooks"}));
  EXPECT_EQ(judge(hooks, R"({"hooks":[1]})"), (CheckResult{"has_hooks", true, "Found 1 hooks"}));
  EXPECT_EQ(judge(hooks, R"({"ideas":{"hooks":[]},"hooks":[1]})"),
            (CheckResult{"has_hooks", false, "No hooks found in artifact"}));
  EXPECT_EQ(judge(hooks, R"({"hooks":{}})"), (CheckResult{"has_hooks", false, "No hooks found in artifact"}));
}

TEST(Evaluate, given_several_rules_when_one_fails_then_all_results_are_there_in_order) {
  const auto results =
      evaluate({field("a"), field("b"), {Check::Kind::has_hooks, {}, 0}}, OutputFormat::json, R"({"b":1,"hooks":[1]})");
  std::vector<std::string> names;
  for (const auto& result : results) names.push_back(result.name);
  EXPECT_THAT(names, ElementsAre("has_a", "has_b", "has_hooks"));
  EXPECT_FALSE(all_passed(results));
  EXPECT_TRUE(all_passed({results[1], results[2]}));
}

TEST(Evaluate, given_broken_json_when_checked_then_the_one_check_file_readable_fails_with_the_place) {
  for (const char* content : {"{\"a\":\n oops}", "", "{} trailing", "{\"a\":1", "not json"}) {
    const auto results = evaluate({field("a")}, OutputFormat::json, content);
    ASSERT_THAT(results, SizeIs(1)) << content;
    EXPECT_EQ(results[0].name, "file_readable");
    EXPECT_FALSE(results[0].passed);
    EXPECT_THAT(results[0].message, HasSubstr("Failed to read artifact: "));
  }
  EXPECT_THAT(evaluate({}, OutputFormat::json, "{\"a\":\n oops}")[0].message, HasSubstr("line 2"));
}

TEST(Evaluate, given_no_rules_when_json_is_sound_then_nothing_is_reported) {
  EXPECT_THAT(evaluate({}, OutputFormat::json, "{}\n  \n"), IsEmpty());
}

TEST(Evaluate, given_a_text_output_when_it_has_no_rules_then_anything_passes_and_rules_still_need_json) {
  EXPECT_THAT(evaluate({}, OutputFormat::text, "# no json"), IsEmpty());
  EXPECT_EQ(evaluate({field("a")}, OutputFormat::text, "# no json")[0].name, "file_readable");
  EXPECT_TRUE(evaluate({field("a")}, OutputFormat::text, R"({"a":1})")[0].passed);
}

TEST(Evaluate, given_absurdly_deep_json_when_checked_then_it_is_refused_and_nothing_overflows) {
  const auto results = evaluate({}, OutputFormat::json, std::string(1'000'000, '['));
  ASSERT_THAT(results, SizeIs(1));
  EXPECT_EQ(results[0].name, "file_readable");
}

TEST(Evaluate, given_a_file_over_the_limit_when_checked_then_it_is_refused_unread) {
  const std::string huge(Limits::output_bytes_max + 1, ' ');
  EXPECT_THAT(evaluate({}, OutputFormat::text, huge), SizeIs(1));
}

TEST(RulesJson, given_rules_when_told_to_an_agent_then_they_are_compact_and_fields_are_gathered) {
  EXPECT_EQ(rules_json({field("a"), field("b\"c"), {Check::Kind::min_quotes, {}, 3}, {Check::Kind::has_hooks, {}, 0}}),
            R"({"required_fields":["a","b\"c"],"min_quotes":3,"has_hooks":true})");
  EXPECT_EQ(rules_json({{Check::Kind::min_key_points, {}, 1}, {Check::Kind::min_outline_sections, {}, 2}}),
            R"({"min_key_points":1,"min_outline_sections":2})");
  EXPECT_EQ(rules_json({}), "{}");
}

TEST(OutputMissing, given_no_file_when_reported_then_the_path_is_named) {
  EXPECT_EQ(output_missing("out/a.json"),
            (CheckResult{"output_written", false, "Output file was not written: out/a.json"}));
}

}  // namespace
}  // namespace baton
