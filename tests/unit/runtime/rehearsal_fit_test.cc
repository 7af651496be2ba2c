// Outputs that are made up meet the step's own checks wherever that can be done.
#include "runtime/rehearsal_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/rehearsal_output.h"

namespace baton {
namespace {

using Kind = Check::Kind;

std::vector<CheckResult> rehearse(const std::vector<Check>& checks, const std::string& output = "o.json",
                                  const std::map<std::string, std::string>& compared = {}) {
  const OutputFormat format = output.ends_with(".json") ? OutputFormat::json : OutputFormat::text;
  const Step step{.id = "a",
                  .needs = {},
                  .work = std::make_shared<Work>(Work{.skill = "s",
                                                      .mission = "Write a few words about the weather of today.",
                                                      .output = output,
                                                      .output_format = format,
                                                      .checks = checks}),
                  .policy = {},
                  .final = false};
  Evidence evidence{.output_of = [&](const std::string& id) -> std::optional<std::string> {
    const auto found = compared.find(id);
    return found == compared.end() ? std::nullopt : std::optional{found->second};
  }};
  evidence.commands.assign(command_checks(checks).size(), {true, "OK"});
  std::vector<CheckResult> all;
  for (std::uint64_t chance = 1; chance < 6; ++chance) {
    const std::string made = made_up_output(step, chance, compared);
    for (CheckResult& r : evaluate(checks, format, made, evidence)) {
      if (!r.passed) r.message += "\n" + made;
      all.push_back(std::move(r));
    }
  }
  return all;
}

void expect_passes(const std::vector<Check>& checks, const std::string& output = "o.json",
                   const std::map<std::string, std::string>& compared = {}) {
  for (const CheckResult& r : rehearse(checks, output, compared)) EXPECT_TRUE(r.passed) << r.name << ": " << r.message;
}

TEST(RehearsalFit, given_each_rule_alone_when_played_then_it_passes) {
  for (const char* type : {"string", "number", "integer", "boolean", "array", "object", "null"}) {
    expect_passes({{Kind::type, "meta.x", 0, "\"" + std::string{type} + "\""}});
  }
  expect_passes({{Kind::type, "$", 0, "\"array\""}});
  expect_passes({{Kind::one_of, "status", 0, R"(["final","review"])"}});
  expect_passes({{Kind::min_length, "t", 500}});
  expect_passes({{Kind::max_length, "t", 3}});
  expect_passes({{Kind::min_items, "tags", 7}});
  expect_passes({{Kind::max_items, "tags", 1}});
  expect_passes({{Kind::minimum, "score", 0, "1000.5"}});
  expect_passes({{Kind::maximum, "score", 0, "-1"}});
  expect_passes({{Kind::equals, "v", 0, R"({"x":[1]})"}});
  expect_passes({{Kind::command, {}, 0, "\"x\"", {}, {"x"}}, {Kind::required_field, "a"}});
}

TEST(RehearsalFit, given_rules_for_one_field_and_for_every_item_when_played_then_they_hold_together) {
  expect_passes({{Kind::required_field, "title"},
                 {Kind::type, "title", 0, "\"string\""},
                 {Kind::min_length, "title", 10},
                 {Kind::max_length, "title", 12},
                 {Kind::pattern, "title", 0, "^[A-Z][a-z]+$"}});
  expect_passes({{Kind::required_field, "items"},
                 {Kind::min_items, "items", 4},
                 {Kind::max_items, "items", 4},
                 {Kind::type, "items.*.id", 0, "\"integer\""},
                 {Kind::minimum, "items.*.id", 0, "10"},
                 {Kind::one_of, "items.*.kind", 0, R"(["a","b"])"},
                 {Kind::equals, "items.0.kind", 0, "\"b\""}});
  expect_passes({{Kind::min_quotes, {}, 3}, {Kind::type, "importantQuotes.*", 0, "\"string\""}});
  expect_passes({{Kind::type, "n", 0, "\"integer\""}, {Kind::minimum, "n", 0, "0.5"}, {Kind::maximum, "n", 0, "1.5"}});
}

TEST(RehearsalFit, given_patterns_that_people_write_when_played_then_a_text_is_found) {
  for (const char* pattern :
       {"^[a-z]+-\\d{4}$", "^v\\d+\\.\\d+\\.\\d+$", "^(feat|fix|docs): .+", "^https?://", "^[A-Z]{3}-[0-9]+$", "\\S",
        "^[^\\s@]+@[^\\s@]+\\.[a-z]{2,}$", "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z$", "^[[:upper:]]", "(?i)^done$",
        "^#[0-9a-f]{6}$", "^\\w+(-\\w+)*$", "^.{10,20}$"}) {
    expect_passes({{Kind::pattern, "x", 0, pattern}});
    expect_passes({{Kind::pattern, {}, 0, pattern}}, "o.md");
  }
}

TEST(RehearsalFit, given_another_steps_field_when_played_then_it_is_taken_over) {
  const std::map<std::string, std::string> compared{{"one", R"({"meta":{"id":"abc-1"}})"}};
  expect_passes({{Kind::required_field, "contentId"}, {Kind::equals, "contentId", 0, "meta.id", "one"}}, "o.json",
                compared);
}

TEST(RehearsalFit, given_a_value_that_may_be_null_when_another_rule_asks_for_more_then_both_hold) {
  for (const char* types : {R"(["number","null"])", R"(["null","number"])", R"(["integer","null","string"])"}) {
    expect_passes({{Kind::type, "score", 0, types}, {Kind::minimum, "score", 0, "2.5"}});
    expect_passes({{Kind::maximum, "score", 0, "-2.5"}, {Kind::type, "score", 0, types}});
  }
  expect_passes({{Kind::type, "t", 0, R"(["null","string"])"}, {Kind::min_length, "t", 30}});
  expect_passes({{Kind::type, "t", 0, R"(["null","number","string"])"}, {Kind::pattern, "t", 0, "^[a-z]{3}$"}});
  expect_passes({{Kind::type, "l", 0, R"(["null","string","array"])"}, {Kind::min_items, "l", 2}});
  expect_passes({{Kind::required_field, "v"}, {Kind::type, "v", 0, R"(["null","boolean"])"}});
  expect_passes({{Kind::one_of, "e", 0, R"([null,"no",1,7])"}, {Kind::minimum, "e", 0, "5"}});
  expect_passes({{Kind::one_of, "e", 0, R"([null,"a","long enough"])"}, {Kind::min_length, "e", 5}});
}

TEST(RehearsalFit, given_others_that_compare_with_a_field_when_played_then_it_is_there_and_fits_them_too) {
  const std::vector<Check> other{{Kind::equals, "contentId", 0, "meta.id", "a"},
                                 {Kind::type, "contentId", 0, "\"integer\""},
                                 {Kind::minimum, "contentId", 0, "40"},
                                 {Kind::required_field, "contentId"},
                                 {Kind::min_length, "elsewhere", 5},
                                 {Kind::equals, "of", 0, "x", "another"}};
  const std::vector<Check> asked = checks_by_comparison(other, "a");
  EXPECT_TRUE(checks_by_comparison(other, "nobody").empty());
  const Step step{.id = "a",
                  .needs = {},
                  .work = std::make_shared<Work>(Work{.skill = "s", .mission = "m", .output = "o.json"}),
                  .policy = {},
                  .final = false};
  const std::string made = made_up_output(step, 1, {}, asked);
  EXPECT_TRUE(meets(made, {{Kind::minimum, "meta.id", 0, "40"}}, {})) << made;
  EXPECT_EQ(made.find("elsewhere"), std::string::npos) << made;
  expect_passes(other, "o.json", {{"a", made}, {"another", R"({"x":1})"}});

  Work own = *step.work;
  own.checks = {{Kind::type, "meta.id", 0, "\"string\""}};
  const Step strict{.id = "a", .needs = {}, .work = std::make_shared<Work>(own), .policy = {}, .final = false};
  EXPECT_TRUE(meets(made_up_output(strict, 1, {}, asked), own.checks, {})) << "its own rules come first";
}

TEST(RehearsalFit, given_a_schema_when_played_then_what_it_asks_for_is_there) {
  expect_passes({{Kind::schema, {}, 0, R"({
    "type":"object","additionalProperties":false,"required":["title","items","when","mail","score","kind","ref"],
    "definitions":{"person":{"type":"object","required":["name"],"properties":{"name":{"type":"string","minLength":3}}}},
    "properties":{
      "title":{"type":"string","minLength":20,"maxLength":30},
      "items":{"type":"array","minItems":2,"maxItems":3,"uniqueItems":true,"items":{"type":"string"}},
      "when":{"type":"string","format":"date-time"},"mail":{"format":"email","type":"string"},
      "score":{"type":"integer","exclusiveMinimum":4,"maximum":8,"multipleOf":3},
      "kind":{"enum":["x","y"]},"ref":{"$ref":"#/definitions/person"},
      "either":{"anyOf":[{"type":"null"},{"type":"string"}]}}})"}});
  expect_passes({{Kind::schema, {}, 0, R"({"type":"array","minItems":1,"items":{"const":5}})"}});
  expect_passes({{Kind::schema, {}, 0, R"({"required":["a"],"properties":{"a":{"type":"number"}}})"},
                 {Kind::required_field, "b"},
                 {Kind::min_length, "b", 40}});
}

TEST(RehearsalFit, given_numbers_that_are_compared_exactly_when_played_then_they_are_met_exactly) {
  for (const char* rules :
       {R"("minimum":0.25,"multipleOf":0.1)", R"("minimum":19.985,"multipleOf":0.01)",
        R"("minimum":100000000000000000000000000001)", R"("maximum":-100000000000000000000000000001)",
        R"("const":0.1000000000000000055511151231257827)", R"("minimum":1,"multipleOf":7)"}) {
    expect_passes(
        {{Kind::schema,
          {},
          0,
          R"({"type":"object","required":["n"],"properties":{"n":{"type":"number",)" + std::string{rules} + "}}}"}});
  }
  expect_passes({{Kind::minimum, "n", 0, "100000000000000000000000000001"}});
  expect_passes({{Kind::schema, {}, 0, R"({"x-parts":{"a b":{"const":5}},"$ref":"#/x-parts/a%20b"})"}});
}

TEST(RehearsalFit, given_texts_when_played_then_lengths_and_patterns_hold) {
  expect_passes({{Kind::min_length, {}, 3000}}, "o.md");
  expect_passes({{Kind::max_length, {}, 10}}, "o.md");
  expect_passes({{Kind::pattern, {}, 0, "(?m)^## Risks$"}, {Kind::min_length, {}, 500}}, "o.md");
  expect_passes({{Kind::pattern, {}, 0, "^APPROVED$"}, {Kind::max_length, {}, 20}}, "o.txt");
}

TEST(RehearsalFit, given_what_nobody_can_meet_when_played_then_the_check_fails_honestly) {
  const auto results = rehearse({{Kind::min_length, "a", 9}, {Kind::max_length, "a", 3}});
  EXPECT_FALSE(all_passed(results));
  EXPECT_FALSE(all_passed(rehearse({{Kind::equals, "a", 0, "id", "nobody"}})));
  EXPECT_FALSE(all_passed(rehearse({{Kind::pattern, "a", 0, "^[^\\x00-\\x{10FFFF}]$"}})));
}

TEST(RehearsalFit, given_hostile_rules_when_played_then_it_ends_and_stays_small) {
  std::string nested;
  for (int i = 0; i < 10'000; ++i) nested += "(";
  EXPECT_EQ(text_matching(nested, 0, 10), "");
  (void)rehearse({{Kind::min_items, "a", 1'000'000'000}, {Kind::min_length, "b", 1'000'000'000}});
  (void)rehearse({{Kind::pattern, "a", 0, "((a{1000}){1000}"}});
  (void)rehearse({{Kind::schema, {}, 0, R"({"$ref":"#"})"}});
  (void)rehearse({{Kind::schema, {}, 0, R"({"required":["a"],"properties":{"a":{"$ref":"#"}}})"}});
}

}  // namespace
}  // namespace baton
