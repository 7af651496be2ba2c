// Numbers as they are written: beyond 64 bits and beyond what a double holds they are kept, and compared exactly.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "base/boost_json.h"
#include "known_values.h"
#include "plan/check.h"
#include "plan/schema.h"
#include "text/decimal.h"
#include "text/json_value.h"

namespace baton {
namespace {

using Kind = Check::Kind;

bool passes(Kind kind, const std::string& value, const std::string& number) {
  const auto results = evaluate({{kind, "n", 0, value}}, OutputFormat::json, "{\"n\":" + number + "}");
  return results.size() == 1 && results[0].passed;
}

bool fits(const std::string& schema, const std::string& document) {
  const auto read = Schema::read(schema);
  EXPECT_TRUE(read) << schema << (read ? "" : read.error());
  const auto value = parse_json(document);
  EXPECT_TRUE(value) << document << (value ? "" : value.error());
  return read && value && read->failures(*value).empty();
}

constexpr const char* great = "100000000000000000000000000000";    // 10^29
constexpr const char* greater = "100000000000000000000000000001";  // and one

TEST(ExactNumbers, given_any_number_when_written_again_then_it_is_the_same_number) {
  for (const char* number : {"0",
                             "-1",
                             "9223372036854775807",
                             "-9223372036854775808",
                             "18446744073709551615",
                             "18446744073709551616",
                             "-9223372036854775809",
                             greater,
                             "0.1",
                             "1.5",
                             "0.30000000000000004",
                             "0.1000000000000000055511151231257827",
                             "3.14159265358979323846264338327950288",
                             "1e400",
                             "-1e-400",
                             "123456789012345678901234567890.5",
                             "100000000000000000000000000000",
                             "1e22",
                             "-1E+22",
                             "-9223372036854776000"}) {
    EXPECT_EQ(compact_json(fmt::format("{{\"a\": [ {} ]}}", number)).value_or(""),
              fmt::format("{{\"a\":[{}]}}", number));
    EXPECT_EQ(shown(*parse_json(number)), number);
  }
  EXPECT_EQ(compact_json("[1E2, 1.50, 1.0]").value_or(""), "[100,1.5,1]") << "as people write what a double holds";
}

TEST(ExactNumbers, given_great_numbers_when_asked_for_their_type_then_they_are_numbers_and_no_texts) {
  for (const char* number : {great, "1e400", "-18446744073709551616", "12345678901234567890.0"}) {
    EXPECT_TRUE(passes(Kind::type, "\"integer\"", number)) << number;
    EXPECT_TRUE(passes(Kind::type, "\"number\"", number)) << number;
    EXPECT_FALSE(passes(Kind::type, "\"string\"", number)) << number;
    EXPECT_EQ(type_name(*parse_json(number)), "integer") << number;
  }
  EXPECT_FALSE(passes(Kind::type, "\"integer\"", "12345678901234567890.5"));
  EXPECT_FALSE(passes(Kind::type, "\"integer\"", "1e-400"));
  EXPECT_TRUE(passes(Kind::type, "\"string\"", "\"" + std::string{great} + "\""));
  EXPECT_FALSE(passes(Kind::pattern, "1", great)) << "a pattern is for texts";
}

TEST(ExactNumbers, given_numbers_that_differ_in_their_last_digit_when_compared_then_every_rule_sees_it) {
  const std::vector<std::pair<std::string, std::string>> pairs{{great, greater},
                                                               {"9007199254740992.5", "9007199254740992.6"},
                                                               {"18446744073709551615", "18446744073709551616"},
                                                               {"9007199254740992", "9007199254740993"},
                                                               {"-9223372036854775809", "-9223372036854775808"},
                                                               {"0.1", "0.1000000000000000055511151231257827"},
                                                               {"-1e400", "1e400"},
                                                               {"1e-401", "1e-400"}};
  for (const auto& [low, high] : pairs) {
    EXPECT_FALSE(passes(Kind::equals, low, high)) << low << high;
    EXPECT_TRUE(passes(Kind::equals, high, high)) << high;
    EXPECT_FALSE(passes(Kind::one_of, "[" + low + "]", high)) << low << high;
    EXPECT_FALSE(passes(Kind::minimum, high, low)) << low << high;
    EXPECT_TRUE(passes(Kind::minimum, low, high)) << low << high;
    EXPECT_FALSE(passes(Kind::maximum, low, high)) << low << high;
    EXPECT_FALSE(fits(fmt::format("{{\"const\":{}}}", low), high)) << low << high;
    EXPECT_FALSE(fits(fmt::format("{{\"enum\":[{}]}}", low), high)) << low << high;
    EXPECT_FALSE(fits(fmt::format("{{\"minimum\":{}}}", high), low)) << low << high;
    EXPECT_FALSE(fits(fmt::format("{{\"maximum\":{}}}", low), high)) << low << high;
    EXPECT_FALSE(fits(fmt::format("{{\"exclusiveMaximum\":{}}}", high), high)) << high;
    EXPECT_TRUE(fits(fmt::format("{{\"exclusiveMaximum\":{}}}", high), low)) << low << high;
    EXPECT_TRUE(fits(fmt::format("{{\"exclusiveMinimum\":{}}}", low), high)) << low << high;
    EXPECT_TRUE(fits(R"({"uniqueItems":true})", fmt::format("[{},{}]", low, high))) << low << high;
    EXPECT_FALSE(fits(R"({"uniqueItems":true})", fmt::format("[{0},{0}]", high))) << high;
  }
  EXPECT_TRUE(fits(R"({"const":1e2})", "100.0"));
  EXPECT_TRUE(fits(R"({"const":[10000000000000000000000]})", "[1e22]"));
  EXPECT_FALSE(fits(R"({"uniqueItems":true})", "[1e400, 10e399]"));
}

struct Multiple {
  const char* unit;
  const char* number;
  bool is_one;
};

TEST(ExactNumbers, given_units_when_divided_by_then_the_answer_is_that_of_whole_numbers_and_decimals_as_written) {
  for (const Multiple& m : std::vector<Multiple>{
           {"2", "1000000001", false},
           {"2", "1000000000", true},
           {"2", "9007199254740993", false},
           {"3", "-9", true},
           {"3", "0", true},
           {"3", "0.0e5", true},
           {"0.01", "19.99", true},
           {"0.01", "19.995", false},
           {"0.1", "0.3", true},
           {"0.1", "0.30000000000000004", false},
           {"0.0001", "0.0075", true},
           {"0.0001", "0.00751", false},
           {"1.5", "4.5", true},
           {"1.5", "35", false},
           {"0.123456789", "1e308", false},
           {"0.5", "1e308", true},
           {"1e-8", "12391239123", true},
           {"1e-8", "1e400", true},
           {"7", "1e400", false},
           {"1e400", "2e400", true},
           {"1e400", "2e399", false},
           {"1048576", "1e20", true},
           {"2097152", "1e20", false},
           {"10000000000000000000000000000000000000003", "30000000000000000000000000000000000000009", true},
           {"10000000000000000000000000000000000000003", "30000000000000000000000000000000000000010", false},
       }) {
    EXPECT_EQ(fits(fmt::format("{{\"multipleOf\":{}}}", m.unit), m.number), m.is_one) << m.unit << " " << m.number;
  }
}

TEST(ExactNumbers, given_what_cannot_be_compared_exactly_when_checked_then_it_fails_also_inside_a_not) {
  const std::string unit(500, '7');
  const std::string number = unit + "1";
  EXPECT_FALSE(fits(fmt::format("{{\"multipleOf\":{}}}", unit), number));
  EXPECT_FALSE(fits(fmt::format("{{\"not\":{{\"multipleOf\":{}}}}}", unit), number));
  EXPECT_TRUE(fits(fmt::format("{{\"multipleOf\":{}}}", unit), "0"));
}

TEST(ExactNumbers, given_great_numbers_when_read_as_decimals_then_they_have_one_form) {
  EXPECT_EQ(read_decimal("1200e3"), read_decimal("12e5"));
  EXPECT_EQ(read_decimal("-0.00e99999999999999999999999"), Decimal{});
  EXPECT_EQ(read_decimal("0012.50"), (Decimal{false, "125", -1}));
  EXPECT_FALSE(read_decimal("1e9999999999999999999"));
}

TEST(ExactNumbers, given_expressions_when_worked_out_then_numbers_are_what_was_written) {
  KnownValues values;
  values.outputs = {{"a", fmt::format(R"({{"n":{},"list":[{},1.25],"small":1e-400}})", greater, greater)}};
  const Surroundings around{.sandbox = "s", .item = greater};
  EXPECT_EQ(fill_in("${{ steps.a.output.n }} ${{ item }}", values, around).value_or(""),
            fmt::format("{0} {0}", greater));
  EXPECT_EQ(fill_in("${{ steps.a.output.list }}", values, around).value_or(""), fmt::format("[{},1.25]", greater));
  EXPECT_EQ(items_of("steps.a.output.list", values, around).value_or(std::vector<std::string>{}),
            (std::vector<std::string>{greater, "1.25"}));
  EXPECT_EQ(items_of(fmt::format("[{}]", greater), values, around).value_or(std::vector<std::string>{}),
            (std::vector<std::string>{greater}));
  for (const std::string& condition :
       {fmt::format("steps.a.output.n == {}", greater), fmt::format("steps.a.output.n != {}", great),
        fmt::format("steps.a.output.n > {}", great), fmt::format("contains(steps.a.output.list, {})", greater),
        fmt::format("!contains(steps.a.output.list, {})", great), std::string{"steps.a.output.small"},
        std::string{"9007199254740993 > 9007199254740992.5"}, std::string{"steps.a.output.n != 'x'"}}) {
    EXPECT_TRUE(is_true(condition, values, around).value_or(false)) << condition;
  }
}

TEST(ExactNumbers, given_a_byte_order_mark_before_an_output_when_checked_then_it_is_passed_over) {
  EXPECT_TRUE(all_passed(evaluate({{Kind::required_field, "a"}}, OutputFormat::json, "\xEF\xBB\xBF{\"a\":1}")));
  EXPECT_FALSE(all_passed(evaluate({}, OutputFormat::json,
                                   "{\"a\":\xEF\xBB\xBF"
                                   "1}")));
}

}  // namespace
}  // namespace baton
