#include "plan/schema.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/boost_json.h"
#include "text/json_value.h"

namespace baton {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::string> failures(std::string_view schema, std::string_view document) {
  const auto read = Schema::read(schema);
  EXPECT_TRUE(read) << schema << ": " << (read ? "" : read.error());
  const auto value = parse_json(document);
  EXPECT_TRUE(value) << document;
  return read && value ? read->failures(*value) : std::vector<std::string>{"?"};
}

std::string refusal(std::string_view schema) {
  const auto read = Schema::read(schema);
  EXPECT_FALSE(read) << schema;
  return read ? "" : read.error();
}

struct Case {
  const char* schema;
  std::vector<const char*> good;
  std::vector<const char*> bad;
};

TEST(Schema, given_each_keyword_when_checked_then_what_fits_passes_and_what_does_not_fails) {
  const std::vector<Case> cases{
      {"true", {"1", "{}"}, {}},
      {"false", {}, {"1"}},
      {R"({"type":"integer"})", {"1", "1.0"}, {"1.5", "\"1\""}},
      {R"({"type":["string","null"]})", {"\"\"", "null"}, {"1"}},
      {R"({"enum":[1,"a",{"x":1}]})", {"1", "1.0", "\"a\"", R"({"x":1})"}, {"2", R"({"x":2})"}},
      {R"({"const":[1]})", {"[1]", "[1.0]"}, {"[2]", "1"}},
      {R"({"minLength":2,"maxLength":3})", {"\"äö\"", "\"abc\"", "5"}, {"\"ä\"", "\"abcd\""}},
      {R"({"pattern":"^a"})", {"\"ab\"", "5"}, {"\"ba\""}},
      {R"({"format":"date"})", {"\"2026-01-31\"", "5"}, {"\"2026-13-01\"", "\"soon\""}},
      {R"({"format":"date-time"})", {"\"2026-01-31T10:00:00Z\""}, {"\"2026-01-31\""}},
      {R"({"format":"something"})", {"\"x\""}, {}},
      {R"({"minimum":1,"maximum":2})", {"1", "2", "1.5", "\"x\""}, {"0.9", "2.1"}},
      {R"({"exclusiveMinimum":1,"exclusiveMaximum":2})", {"1.5"}, {"1", "2"}},
      {R"({"multipleOf":0.1})", {"0.3", "7"}, {"0.25"}},
      {R"({"multipleOf":3})", {"9", "-3", "0"}, {"10"}},
      {R"({"minItems":1,"maxItems":2})", {"[1]", "{}"}, {"[]", "[1,2,3]"}},
      {R"({"uniqueItems":true})", {"[1,2]", "[]"}, {"[1,1.0]", R"([{"a":1,"b":2},{"b":2,"a":1}])"}},
      {R"({"items":{"type":"string"}})", {"[\"a\"]", "[]"}, {"[\"a\",1]"}},
      {R"({"items":[{"type":"string"}],"additionalItems":false})", {"[\"a\"]"}, {"[1]", "[\"a\",1]"}},
      {R"({"prefixItems":[{"type":"string"}],"items":{"type":"null"}})", {"[\"a\",null]"}, {"[\"a\",1]"}},
      {R"({"contains":{"const":1}})", {"[0,1]"}, {"[]", "[0]"}},
      {R"({"contains":{"const":1},"minContains":2,"maxContains":2})", {"[1,1]"}, {"[1]", "[1,1,1]"}},
      {R"({"required":["a"]})", {R"({"a":null})", "5"}, {"{}"}},
      {R"({"properties":{"a":{"type":"string"}}})", {"{}", R"({"a":""})", R"({"b":1})"}, {R"({"a":1})"}},
      {R"({"properties":{"a":true},"additionalProperties":false})", {R"({"a":1})"}, {R"({"b":1})"}},
      {R"({"patternProperties":{"^x-":{"type":"string"}},"additionalProperties":false})",
       {R"({"x-a":"1"})"},
       {R"({"x-a":1})", R"({"y":"1"})"}},
      {R"({"propertyNames":{"maxLength":2}})", {R"({"ab":1})"}, {R"({"abc":1})"}},
      {R"({"minProperties":1,"maxProperties":1})", {R"({"a":1})"}, {"{}", R"({"a":1,"b":2})"}},
      {R"({"dependencies":{"a":["b"],"c":{"required":["d"]}}})",
       {"{}", R"({"a":1,"b":1})", R"({"c":1,"d":1})"},
       {R"({"a":1})", R"({"c":1})"}},
      {R"({"dependentRequired":{"a":["b"]},"dependentSchemas":{"c":{"required":["d"]}}})",
       {R"({"a":1,"b":1})"},
       {R"({"a":1})", R"({"c":1})"}},
      {R"({"allOf":[{"minimum":1},{"maximum":2}]})", {"1"}, {"0", "3"}},
      {R"({"anyOf":[{"type":"string"},{"minimum":5}]})", {"\"a\"", "6"}, {"1"}},
      {R"({"oneOf":[{"minimum":1},{"maximum":5}]})", {"0", "6"}, {"3"}},
      {R"({"not":{"type":"string"}})", {"1"}, {"\"a\""}},
      {R"({"if":{"type":"string"},"then":{"minLength":2},"else":{"minimum":2}})", {"\"ab\"", "2"}, {"\"a\"", "1"}},
      {R"({"definitions":{"n":{"type":"number"}},"items":{"$ref":"#/definitions/n"}})", {"[1]"}, {"[\"a\"]"}},
      {R"({"$defs":{"a/b":{"type":"number"}},"$ref":"#/$defs/a~1b"})", {"1"}, {"\"a\""}},
      {R"({"properties":{"next":{"$ref":"#"}},"required":["v"]})",
       {R"({"v":1,"next":{"v":2}})"},
       {R"({"v":1,"next":{"next":{"v":1}}})"}},
      {R"({"title":"t","$schema":"http://json-schema.org/draft-07/schema#","default":5,"x-mine":[]})", {"1"}, {}}};
  for (const Case& c : cases) {
    for (const char* document : c.good) EXPECT_THAT(failures(c.schema, document), IsEmpty()) << c.schema << document;
    for (const char* document : c.bad) EXPECT_FALSE(failures(c.schema, document).empty()) << c.schema << document;
  }
}

TEST(Schema, given_failures_when_told_then_they_name_the_field_what_is_there_and_what_is_wanted) {
  const char* schema = R"({"type":"object","required":["title","tags"],"additionalProperties":false,
    "properties":{"title":{"type":"string","minLength":3},"tags":{"items":{"enum":["a","b"]}},"n":{"maximum":5}}})";
  EXPECT_THAT(failures(schema, R"({"title":"x","n":9,"tags":["a","c"]})"),
              ElementsAre(R"(Field 'title' is "x", expected at least 3 characters)",
                          "Field 'n' is 9, expected at most 5", R"(Field 'tags.1' is "c", expected one of ["a","b"])"));
  EXPECT_THAT(
      failures(schema, R"({"title":"xyz","more":1})"),
      ElementsAre("Field 'tags' is missing, and the schema requires it", "Field 'more' is not allowed by the schema"));
  EXPECT_THAT(failures(schema, "5"), ElementsAre("The output is 5, expected object"));
}

TEST(Schema, given_a_thousand_failures_when_told_then_the_first_few_stand_for_all) {
  std::string list = "[0";
  for (int i = 1; i < 1000; ++i) list += ",0";
  const auto told = failures(R"({"items":{"type":"string"}})", list + "]");
  ASSERT_THAT(told, SizeIs(6));
  EXPECT_EQ(told.back(), "and 995 more");
}

TEST(Schema, given_what_cannot_be_used_when_read_then_it_says_what_and_where) {
  EXPECT_THAT(refusal("{"), HasSubstr("line 1"));
  EXPECT_EQ(refusal("[]"), "#: a schema has to be an object, true or false");
  EXPECT_EQ(
      refusal(R"({"properties":{"a":{"type":"strin"}}})"),
      "#/properties/a: 'type' has to be one of array, boolean, integer, null, number, object, string, or a list of "
      "these");
  EXPECT_THAT(refusal(R"({"pattern":"("})"), HasSubstr("is no pattern"));
  EXPECT_THAT(refusal(R"({"patternProperties":{"(":{}}})"), HasSubstr("is no pattern"));
  EXPECT_EQ(refusal(R"({"minLength":-1})"), "#: 'minLength' has to be a whole number from 0 on");
  EXPECT_EQ(refusal(R"({"multipleOf":0})"), "#: 'multipleOf' has to be more than 0");
  EXPECT_EQ(refusal(R"({"required":"a"})"), "#: 'required' has to be a list of names");
  EXPECT_EQ(refusal(R"({"items":5})"), "#/items: a schema has to be an object, true or false");
  EXPECT_EQ(refusal(R"({"allOf":[]})"), "#: 'allOf' has to be a list of schemas");
  EXPECT_EQ(refusal(R"({"unevaluatedProperties":false})"), "#: 'unevaluatedProperties' is not supported");
}

TEST(Schema, given_a_reference_out_of_the_document_when_read_then_it_is_refused_and_nothing_is_fetched) {
  EXPECT_EQ(refusal(R"({"$ref":"http://example.com/s.json"})"),
            "#: '$ref' leads out of the schema: 'http://example.com/s.json'");
  EXPECT_EQ(refusal(R"({"items":{"$ref":"other.json#/a"}})"),
            "#/items: '$ref' leads out of the schema: 'other.json#/a'");
  EXPECT_EQ(refusal(R"({"$ref":"#/definitions/a"})"), "#: '$ref' leads nowhere: '#/definitions/a'");
  EXPECT_EQ(refusal(R"({"enum":[{"pattern":"("}],"items":{"$ref":"#/enum/0"}})"),
            "#/items: '$ref' leads nowhere: '#/enum/0'")
      << "data is no schema";
}

TEST(Schema, given_references_when_followed_then_pointers_lead_through_any_key_and_percent_signs_stand_for_others) {
  const std::vector<Case> cases{
      {R"({"x-parts":{"n":{"type":"number"}},"items":{"$ref":"#/x-parts/n"}})", {"[1]"}, {"[\"a\"]"}},
      {R"({"components":{"schemas":[{"type":"number"}]},"$ref":"#/components/schemas/0"})", {"1"}, {"\"a\""}},
      {R"({"definitions":{"a b":{"type":"number"}},"$ref":"#/definitions/a%20b"})", {"1"}, {"\"a\""}},
      {R"({"definitions":{"a%b":{"type":"number"}},"$ref":"#/definitions/a%25b"})", {"1"}, {"\"a\""}},
      {R"({"definitions":{"a\"b":{"type":"number"}},"$ref":"#/definitions/a%22b"})", {"1"}, {"\"a\""}},
      {R"({"definitions":{"ä":{"type":"number"}},"$ref":"#/definitions/%C3%A4"})", {"1"}, {"\"a\""}},
      {R"({"definitions":{"a/b~c":{"type":"number"}},"$ref":"#/definitions/a~1b~0c"})", {"1"}, {"\"a\""}},
      {R"({"properties":{"enum":{"type":"number"},"b":{"$ref":"#/properties/enum"}}})",
       {R"({"b":1})"},
       {R"({"b":""})"}},
      {R"({"x-a":{"default":{"$ref":"#/x-b"}},"x-b":{"type":"number"},"items":{"$ref":"#/x-a/default"}})",
       {"[1]"},
       {"[\"a\"]"}},
      {R"({"properties":{"$ref":{"type":"string"}}})", {R"({"$ref":"a"})"}, {R"({"$ref":2})"}}};
  for (const Case& c : cases) {
    for (const char* document : c.good) EXPECT_THAT(failures(c.schema, document), IsEmpty()) << c.schema << document;
    for (const char* document : c.bad) EXPECT_FALSE(failures(c.schema, document).empty()) << c.schema << document;
  }
  for (const char* nowhere : {"#/x-a/b", "#/x-a/n", "#x-a", "#/x-a%2", "#/const", "#/items/examples/0"}) {
    EXPECT_THAT(refusal(fmt::format(R"({{"x-a":{{"n":5}},"const":{{}},"items":{{"examples":[{{}}]}},)"
                                    R"("contains":{{"$ref":"{}"}}}})",
                                    nowhere)),
                HasSubstr("leads nowhere"))
        << nowhere;
  }
}

TEST(Schema, given_rules_beside_a_reference_when_checked_then_they_count_from_the_draft_after_the_7th_on) {
  const std::string rules =
      R"("definitions":{"list":{"type":"array"}},"properties":{"a":{"$ref":"#/definitions/list","maxItems":2}})";
  const char* document = R"({"a":[1,2,3]})";
  for (const char* draft : {"", R"("$schema":"http://json-schema.org/draft-07/schema#",)",
                            R"("$schema":"http://json-schema.org/draft-04/schema",)"}) {
    const std::string schema = "{" + std::string{draft} + rules + "}";
    EXPECT_THAT(failures(schema, document), IsEmpty()) << schema;
    EXPECT_THAT(failures(schema, R"({"a":1})"), SizeIs(1)) << schema;
    EXPECT_THAT(Schema::read(schema)->passed_over(),
                ElementsAre("#/properties/a: 'maxItems' beside '$ref' is not looked at, as in draft 7"));
  }
  const std::string later = R"({"$schema":"https://json-schema.org/draft/2019-09/schema",)" + rules + "}";
  EXPECT_THAT(failures(later, document), SizeIs(1));
  EXPECT_THAT(Schema::read(later)->passed_over(), IsEmpty());
  EXPECT_THAT(Schema::read(R"({"$ref":"#/$defs/a","$defs":{"a":{}},"title":"t","description":"d"})")->passed_over(),
              IsEmpty())
      << "these say nothing of documents";
}

TEST(Schema, given_a_format_that_nobody_knows_when_read_then_it_is_said) {
  const auto schema = Schema::read(R"({"properties":{"a":{"format":"datte"},"b":{"format":"date"}}})");
  ASSERT_TRUE(schema);
  ASSERT_THAT(schema->passed_over(), SizeIs(1));
  EXPECT_THAT(schema->passed_over()[0], HasSubstr("#/properties/a: the format 'datte' is not known"));
}

struct Written {
  const char* format;
  const char* text;
  bool is_good;
};

TEST(Schema, given_dates_and_times_when_checked_then_the_calendar_and_leap_seconds_count) {
  const std::vector<Written> cases{{"date", "2024-02-29", true},
                                   {"date", "2023-02-29", false},
                                   {"date", "2000-02-29", true},
                                   {"date", "1900-02-29", false},
                                   {"date", "2026-02-31", false},
                                   {"date", "2026-04-31", false},
                                   {"date", "2026-12-31", true},
                                   {"date", "2026-13-01", false},
                                   {"date", "0000-01-01", true},
                                   {"date", "2026-1-1", false},
                                   {"date", "20260101", false},
                                   {"date", "2026-01-01 ", false},
                                   {"time", "08:30:06.283185Z", true},
                                   {"time", "24:00:00Z", false},
                                   {"time", "12:00:00", false},
                                   {"time", "23:59:60Z", true},
                                   {"time", "23:59:61Z", false},
                                   {"time", "22:59:60Z", false},
                                   {"time", "23:58:60Z", false},
                                   {"time", "01:29:60+01:30", true},
                                   {"time", "23:29:60+23:30", true},
                                   {"time", "15:59:60-08:00", true},
                                   {"time", "00:29:60-23:30", true},
                                   {"time", "23:59:60+01:00", false},
                                   {"time", "23:59:60-01:00", false},
                                   {"time", "23:59:60.5z", true},
                                   {"time", "01:02:03+24:00", false},
                                   {"time", "01:02:03+00:60", false},
                                   {"date-time", "1963-06-19T08:30:06.283185Z", true},
                                   {"date-time", "1963-06-19t08:30:06z", true},
                                   {"date-time", "1998-12-31T23:59:60Z", true},
                                   {"date-time", "1998-12-31T15:59:60.123-08:00", true},
                                   {"date-time", "1998-12-31T23:58:60Z", false},
                                   {"date-time", "1998-12-31T22:59:60Z", false},
                                   {"date-time", "1990-02-31T15:59:59.123-08:00", false},
                                   {"date-time", "2023-02-29T00:00:00Z", false},
                                   {"date-time", "1990-12-31T15:59:59-24:00", false},
                                   {"date-time", "1990-12-31T10:00:00", false}};
  for (const Written& w : cases) {
    EXPECT_EQ(failures(fmt::format(R"({{"format":"{}"}})", w.format), fmt::format("\"{}\"", w.text)).empty(), w.is_good)
        << w.format << " " << w.text;
  }
}

TEST(Schema, given_schemas_that_go_round_in_circles_or_explode_when_checked_then_there_is_an_end) {
  const char* gave_up = "The schema takes more work to check than is allowed";
  EXPECT_THAT(failures(R"({"definitions":{"a":{"$ref":"#/definitions/a"}},"$ref":"#/definitions/a"})", "1"),
              ElementsAre(gave_up));
  EXPECT_THAT(failures(R"({"allOf":[{"$ref":"#"}]})", "1"), ElementsAre(gave_up));
  std::string bomb = R"({"definitions":{"a0":{"type":"string"})";
  for (int i = 1; i < 40; ++i) {
    bomb += fmt::format(R"(,"a{0}":{{"anyOf":[{{"$ref":"#/definitions/a{1}"}},{{"$ref":"#/definitions/a{1}"}}]}})", i,
                        i - 1);
  }
  EXPECT_THAT(failures(bomb + R"(},"$ref":"#/definitions/a39"})", "1"), ElementsAre(gave_up));
}

TEST(Schema, given_texts_that_break_other_expressions_when_checked_then_they_are_answered) {
  const std::string digits(1'000'000, '1');
  EXPECT_THAT(failures(R"({"format":"date"})", "\"" + digits + "\""), SizeIs(1));
  EXPECT_THAT(failures(R"({"pattern":"^(1+)+$"})", "\"" + digits + "x\""), SizeIs(1));
  std::string list = "[0";
  for (int i = 1; i < 200'000; ++i) list += "," + std::to_string(i);
  EXPECT_THAT(failures(R"({"uniqueItems":true})", list + ",0]"), ElementsAre("The output has 0 twice"));
}

}  // namespace
}  // namespace baton
