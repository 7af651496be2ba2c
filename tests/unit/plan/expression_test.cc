#include "plan/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "known_values.h"

namespace baton {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

KnownValues sample() {
  KnownValues values;
  values.outputs = {{"list", R"({"files":["a.md","b.md"],"count":2,"title":"Zwölf","none":null,"ok":true,"rate":1.5})"},
                    {"note", "  plain text \n"},
                    {"a.b", R"({"x":1})"},
                    {"big", R"([9007199254740993, 18446744073709551615])"}};
  values.states = {{"list", "completed"}, {"other", "skipped"}};
  values.paths = {{"list", "sandbox/x/outputs/list.json"}};
  values.inputs = {{"options", R"({"tone":"dry"})"}};
  return values;
}

const Surroundings around{.sandbox = "sandbox/x", .item = R"({"name":"n","tags":["t"]})", .index = 3, .self = "note"};

bool truth(const std::string& condition) {
  const auto result = is_true(condition, sample(), around);
  EXPECT_TRUE(result) << condition << ": " << (result ? "" : result.error().message);
  return result.value_or(false);
}

Fault trouble(const std::string& condition) {
  const auto result = is_true(condition, sample(), around);
  EXPECT_FALSE(result) << condition;
  return result ? Fault{} : result.error();
}

std::string filled(const std::string& text) {
  const auto result = fill_in(text, sample(), around);
  EXPECT_TRUE(result) << text << ": " << (result ? "" : result.error().message);
  return result.value_or("");
}

TEST(Expression, given_literals_when_taken_as_conditions_then_empty_things_are_false) {
  for (const char* condition : {"true", "1", "-1", "0.5", "'x'", "\"x\"", "item", "!false", "!null", "!''", "!0"}) {
    EXPECT_TRUE(truth(condition)) << condition;
  }
  for (const char* condition : {"false", "null", "0", "''", "!true", "steps.list.output.none", "steps.nobody.output"}) {
    EXPECT_FALSE(truth(condition)) << condition;
  }
}

TEST(Expression, given_comparisons_when_worked_out_then_numbers_and_texts_have_an_order) {
  for (const char* condition : {"1 == 1.0",
                                "1 != 2",
                                "2 < 10",
                                "10 >= 10",
                                "1.5 <= 1.5",
                                "'a' < 'b'",
                                "'b' > 'a'",
                                "'1' != 1",
                                "steps.list.output.count == 2",
                                "steps.list.output.title == 'Zwölf'",
                                "steps.note.output == 'plain text'",
                                "output == 'plain text'",
                                "steps.list.output.none == null",
                                "steps.list.output.missing == null",
                                "steps.big.output.0 == 9007199254740993",
                                "steps.big.output.0 != 9007199254740992",
                                "index == 3",
                                "steps.list.state == 'completed'",
                                "inputs.options.tone == 'dry'",
                                "item.tags.0 == 't'",
                                "steps.a.b.output.x == 1",
                                "sandbox == 'sandbox/x'",
                                "(1 < 2) == true"}) {
    EXPECT_TRUE(truth(condition)) << condition;
  }
  EXPECT_FALSE(truth("1 == '1'"));
  EXPECT_FALSE(truth("steps.list.output.count == 3"));
}

TEST(Expression, given_values_of_different_types_when_put_in_order_then_it_is_a_fault) {
  for (const char* condition : {"1 < '2'", "null < 1", "steps.nobody.output < 1", "true > false", "item <= 2"}) {
    const Fault fault = trouble(condition);
    EXPECT_EQ(fault.code, "bad-expression") << condition;
    EXPECT_THAT(fault.message, HasSubstr("cannot be put in order"));
  }
}

TEST(Expression, given_and_and_or_when_worked_out_then_no_more_is_looked_at_than_needed) {
  EXPECT_FALSE(truth("false && 1 < 'x'"));
  EXPECT_TRUE(truth("true || 1 < 'x'"));
  EXPECT_FALSE(truth("exists(steps.nobody.output) && steps.nobody.output.n > 1"));
  EXPECT_TRUE(truth("false && false || true"));
  EXPECT_FALSE(truth("false && (false || true)"));
  EXPECT_TRUE(truth("!false && !(1 == 2)"));
}

TEST(Expression, given_the_functions_when_called_then_they_count_look_inside_and_tell_what_is_there) {
  for (const char* condition :
       {"length('Zwölf') == 5", "length(steps.list.output.files) == 2", "length(item) == 2", "length(null) == 0",
        "length(steps.nobody.output) == 0", "contains('haystack', 'st')", "contains(steps.list.output.files, 'a.md')",
        "!contains(steps.list.output.files, 'c.md')", "contains(item, 'name')", "!contains(item, 'n')",
        "!contains(steps.nobody.output, 1)", "exists(steps.list.output.files)", "!exists(steps.list.output.none)",
        "!exists(steps.list.output.title.deep)", "!exists(steps.list.output.files.7)", "exists(output)"}) {
    EXPECT_TRUE(truth(condition)) << condition;
  }
  EXPECT_THAT(trouble("length(1)").message, HasSubstr("has no length"));
  EXPECT_THAT(trouble("contains(1, 1)").message, HasSubstr("cannot contain"));
  EXPECT_THAT(trouble("contains('1', 1)").message, HasSubstr("cannot contain"));
}

struct Wrong {
  const char* source;
  std::size_t at;
  const char* words;
};

TEST(Expression, given_what_is_no_expression_when_read_then_the_fault_has_its_place) {
  const std::string deep = std::string(70, '(') + "1" + std::string(70, ')');
  for (const auto& [source, at, words] : {Wrong{"", 0, "empty"},
                                          Wrong{"  ", 2, "empty"},
                                          Wrong{"1 <", 3, "ends too early"},
                                          Wrong{"1 = 2", 2, "write '=='"},
                                          Wrong{"a && b", 0, "'a' is not known"},
                                          Wrong{"1 & 2", 2, "write '&&'"},
                                          Wrong{"1 == 2 == 3", 7, "cannot be chained"},
                                          Wrong{"(1", 0, "never closed"},
                                          Wrong{"1)", 1, "not expected"},
                                          Wrong{"'x", 0, "never closed"},
                                          Wrong{"'\\q'", 1, "backslash"},
                                          Wrong{"1 2", 2, "not expected"},
                                          Wrong{"github.sha", 0, "not known"},
                                          Wrong{"item..x", 0, "not known"},
                                          Wrong{"index.x", 0, "not known"},
                                          Wrong{"1 && steps.a", 5, "write steps.ID.output"},
                                          Wrong{"steps.a.state.x", 0, "not known"},
                                          Wrong{"length()", 7, "before ')'"},
                                          Wrong{"length(1, 2)", 0, "takes 1 value"},
                                          Wrong{"contains(1)", 0, "takes 2 values"},
                                          Wrong{"system('x')", 0, "no function 'system'"},
                                          Wrong{"12ab", 0, "no number"},
                                          Wrong{"012", 0, "begin with 0"},
                                          Wrong{"- 1", 0, "after '-'"},
                                          Wrong{"${{ item }}", 0, "inside another"},
                                          Wrong{"item@b", 4, "not expected"},
                                          Wrong{"1 @", 2, "not expected"},
                                          Wrong{"inputs", 0, "not known"},
                                          Wrong{deep.c_str(), 64, "64 deep"}}) {
    const auto references = references_of(source);
    ASSERT_FALSE(references) << source;
    EXPECT_EQ(references.error().at, at) << source << ": " << references.error().message;
    EXPECT_THAT(references.error().message, HasSubstr(words)) << source;
  }
  EXPECT_FALSE(references_of(std::string(70'000, ' ')));
}

TEST(Expression, given_a_very_long_chain_when_read_then_it_needs_no_depth_but_has_a_limit) {
  std::string chain = "true";
  for (int i = 0; i < 5000; ++i) chain += " && true";
  EXPECT_TRUE(truth(chain));
  std::string longer = "1";
  for (int i = 0; i < 10'500; ++i) longer += "||1";
  EXPECT_FALSE(references_of(longer));
}

TEST(Expression, given_an_expression_when_asked_for_references_then_each_comes_with_its_name_field_and_place) {
  const auto references = references_of("steps.a.b.output.x.0 == inputs.n && steps.c:1.state != item.k || output.ok");
  ASSERT_TRUE(references);
  std::vector<std::string> shown;
  for (const Reference& reference : *references) {
    shown.push_back(std::to_string(reference.at) + "+" + std::to_string(reference.size) + " " + to_source(reference));
  }
  EXPECT_THAT(shown, ElementsAre("0+20 steps.a.b.output.x.0", "24+8 inputs.n", "36+15 steps.c:1.state", "55+6 item.k",
                                 "65+9 output.ok"));
  EXPECT_EQ((*references)[0].name, "a.b");
  EXPECT_EQ((*references)[0].field, "x.0");
  EXPECT_TRUE(lone_reference(" (item.x) "));
  EXPECT_FALSE(lone_reference("!item.x"));
}

TEST(Expression, given_references_when_rewritten_then_only_they_change) {
  const Rewrite rewrite = [](const Reference& reference) -> std::optional<std::string> {
    if (reference.kind != Reference::Kind::step_output) return std::nullopt;
    Reference renamed = reference;
    renamed.name = "sub:" + reference.name;
    return to_source(renamed);
  };
  EXPECT_EQ(rewrite_expression("!steps.a.output.x  && 'steps.a.output' == item", rewrite),
            "!steps.sub:a.output.x  && 'steps.a.output' == item");
  EXPECT_EQ(rewrite_text("a ${{ steps.a.output }} steps.a.output ${{ index }} ${{ open", rewrite),
            "a ${{ steps.sub:a.output }} steps.a.output ${{ index }} ${{ open");
}

// Texts ---------------------------------------------------------------------------------------------------------------

TEST(FillIn, given_a_text_when_filled_in_then_texts_come_as_they_are_other_values_as_json_and_files_as_paths) {
  EXPECT_EQ(filled("nothing in here"), "nothing in here");
  EXPECT_EQ(filled("${{ steps.list.output }}"), "sandbox/x/outputs/list.json");
  EXPECT_EQ(filled("<${{steps.list.output.title}}|${{ steps.list.output.files }}|${{ item }}|${{ index }}>"),
            R"(<Zwölf|["a.md","b.md"]|{"name":"n","tags":["t"]}|3>)");
  EXPECT_EQ(filled("${{ sandbox }} ${{ steps.list.output.ok }} ${{ steps.list.output.none }} ${{ "
                   "steps.list.output.rate }} ${{ steps.list.state }}"),
            "sandbox/x true null 1.5 completed");
  EXPECT_EQ(filled("${{ length(steps.list.output) }} ${{ 1 < 2 }} ${{ inputs.options.tone }}"), "6 true dry");
}

TEST(FillIn, given_a_value_that_looks_like_an_expression_when_put_in_then_it_is_not_looked_at_again) {
  KnownValues values;
  values.outputs["evil"] = R"x({"x":"${{ steps.secret.output.x }} $(rm -rf /)"})x";
  values.outputs["secret"] = R"({"x":"hidden"})";
  EXPECT_EQ(fill_in("a ${{ steps.evil.output.x }} b", values, {}), "a ${{ steps.secret.output.x }} $(rm -rf /) b");
}

TEST(FillIn, given_a_value_that_is_missing_when_filled_in_then_it_is_a_fault_that_names_it) {
  for (const char* text : {"${{ steps.list.output.nope }}", "${{ steps.nobody.output.x }}",
                           "${{ steps.nobody.output }}", "${{ inputs.other.x }}", "${{ steps.nobody.state }}"}) {
    const auto result = fill_in(text, sample(), around);
    ASSERT_FALSE(result) << text;
    EXPECT_EQ(result.error().code, "unknown-value") << text;
  }
  EXPECT_EQ(fill_in("${{ item }}", sample(), {}).error().code, "unknown-value");
  EXPECT_EQ(fill_in("${{ index }}", sample(), {}).error().code, "unknown-value");
  EXPECT_EQ(fill_in("${{ 1 <", sample(), {}).error().code, "bad-expression");
  EXPECT_EQ(fill_in("${{ nonsense }}", sample(), {}).error().code, "bad-expression");
}

TEST(FillIn, given_values_without_end_when_filled_in_then_there_is_a_limit) {
  KnownValues values;
  values.outputs["big"] = "{\"x\":\"" + std::string(600'000, 'x') + "\"}";
  EXPECT_TRUE(fill_in("${{ steps.big.output.x }}", values, {}));
  const auto result = fill_in("${{ steps.big.output.x }}${{ steps.big.output.x }}", values, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "value-too-large");
  EXPECT_EQ(values.looked_up, 2) << "one look for each text";
}

TEST(FillIn, given_any_text_when_escaped_and_quoted_then_it_comes_back_as_it_was) {
  for (const char* text : {"plain", "${{ item }}", "$${{{ }}", "it's \"x\" \\ }} ${{", "a\nb\tc", "${", "}}}}", "'"}) {
    EXPECT_EQ(fill_in(escape_text(text), KnownValues{}, {}), text);
    EXPECT_EQ(fill_in("${{ " + quote_text(text) + " }}", KnownValues{}, {}), text);
  }
}

TEST(ItemsOf, given_a_list_or_an_expression_when_asked_then_each_item_is_compact_json) {
  EXPECT_THAT(items_of("steps.list.output.files", sample(), around).value(), ElementsAre("\"a.md\"", "\"b.md\""));
  EXPECT_THAT(items_of(R"( [1, 2.50, "x", {"a": [null, true]}] )", sample(), around).value(),
              ElementsAre("1", "2.5", "\"x\"", R"({"a":[null,true]})"));
  EXPECT_THAT(items_of("[]", sample(), around).value(), IsEmpty());
  EXPECT_THAT(items_of("steps.big.output", sample(), around).value(),
              ElementsAre("9007199254740993", "18446744073709551615"));
}

TEST(ItemsOf, given_what_is_no_list_when_asked_then_the_code_tells_why) {
  EXPECT_EQ(items_of("steps.list.output", sample(), around).error().code, "not-a-list");
  EXPECT_EQ(items_of("steps.note.output", sample(), around).error().code, "not-a-list");
  EXPECT_EQ(items_of("[1,", sample(), around).error().code, "not-a-list");
  EXPECT_EQ(items_of("steps.nobody.output", sample(), around).error().code, "unknown-value");
  EXPECT_EQ(items_of("steps.list.output.nope", sample(), around).error().code, "unknown-value");
  EXPECT_EQ(items_of("1 <", sample(), around).error().code, "bad-expression");
}

TEST(Expression, given_comparisons_with_a_step_s_state_when_asked_for_then_each_is_told_with_its_place) {
  const auto compared =
      compared_states("steps.a.state == 'completd' || !('failed' != steps.b.c.state) && steps.a.state == item");
  ASSERT_THAT(compared, SizeIs(2));
  EXPECT_EQ(compared[0].step + " " + compared[0].state, "a completd");
  EXPECT_EQ(compared[0].at, 17U);
  EXPECT_EQ(compared[1].step + " " + compared[1].state, "b.c failed");
  EXPECT_THAT(compared_states("steps.a.output == 'completd'"), IsEmpty());
}

}  // namespace
}  // namespace baton
