#include "plan/check_rules.h"

#include <fmt/core.h>

#include <functional>

#include "base/boost_json.h"
#include "base/text.h"
#include "base/utf8.h"
#include "plan/pattern.h"
#include "plan/schema.h"
#include "text/json_value.h"

namespace baton {
namespace {

namespace json = boost::json;

constexpr std::size_t wanted_bytes_max = 200;
constexpr std::size_t message_bytes_max = 1000;

std::string name_of_check(const Check& check) {
  return check.path.empty() ? std::string{rule_name(check.kind)}
                            : fmt::format("{}_{}", rule_name(check.kind), check.path);
}

/// What is wrong with a value, to be read after `Field 'x' `; nothing if it is well.
using Judge = std::function<std::optional<std::string>(const json::value& value)>;

/// Looks at every value that the check's path means. The first one that is wrong is told, and how many others are.
CheckResult judge_all(const Check& check, const json::value& root, const std::string& wanted, const Judge& judge) {
  std::string first;
  std::size_t wrong = 0;
  visit_values(root, check.path, [&](const std::string& path, const json::value* value) {
    auto what = value == nullptr ? fmt::format("is missing, expected {}", wanted) : judge(*value);
    if (!what) return;
    if (++wrong > 1) return;
    first = path == "$" ? "The output " + *what : fmt::format("Field '{}' {}", shorten(path, wanted_bytes_max), *what);
  });
  if (wrong == 0) return {name_of_check(check), true, "OK"};
  if (wrong > 1) first += fmt::format(" (and {} more like it)", wrong - 1);
  return {name_of_check(check), false, std::move(first)};
}

std::string is_but(const json::value& value, const std::string& wanted) {
  return fmt::format("is {}, expected {}", shown(value), wanted);
}

std::string counted(std::int64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

CheckResult check_type(const Check& check, const json::value& root) {
  const auto wanted = parse_json(check.value);
  std::vector<std::string> types;
  if (wanted && wanted->is_string()) types.emplace_back(std::string_view{wanted->get_string()});
  if (wanted && wanted->is_array()) {
    for (const json::value& type : wanted->get_array()) {
      if (type.is_string()) types.emplace_back(std::string_view{type.get_string()});
    }
  }
  const std::string words = join(types, " or ");
  return judge_all(check, root, words, [&](const json::value& value) -> std::optional<std::string> {
    for (const std::string& type : types) {
      if (has_type(value, type)) return std::nullopt;
    }
    return fmt::format("is {} ({}), expected {}", shown(value), type_name(value), words);
  });
}

CheckResult check_one_of(const Check& check, const json::value& root) {
  const auto allowed = parse_json(check.value);
  std::vector<std::string> words;
  const json::array none;
  const json::array& values = allowed && allowed->is_array() ? allowed->get_array() : none;
  for (const json::value& value : values) words.push_back(shown(value));
  const std::string wanted = "one of " + shorten(join(words, ", "), wanted_bytes_max);
  return judge_all(check, root, wanted, [&](const json::value& value) -> std::optional<std::string> {
    for (const json::value& one : values) {
      if (same(one, value)) return std::nullopt;
    }
    return is_but(value, wanted);
  });
}

std::string bound_words(const Check& check) {
  const bool is_least = check.kind == Check::Kind::min_length || check.kind == Check::Kind::min_items ||
                        check.kind == Check::Kind::minimum;
  return is_least ? "at least" : "at most";
}

bool is_within(const Check& check, std::int64_t size) {
  const bool is_least = check.kind == Check::Kind::min_length || check.kind == Check::Kind::min_items;
  return is_least ? size >= check.count : size <= check.count;
}

CheckResult check_length(const Check& check, const json::value& root) {
  const std::string bound = fmt::format("{} {}", bound_words(check), counted(check.count, "character", "characters"));
  const std::string wanted = "a string of " + bound;
  return judge_all(check, root, wanted, [&](const json::value& value) -> std::optional<std::string> {
    const auto* text = if_text(value);
    if (text == nullptr) return is_but(value, wanted);
    const std::int64_t size = count_characters(*text);
    if (is_within(check, size)) return std::nullopt;
    return fmt::format("is {} ({}), expected {}", shown(value), counted(size, "character", "characters"), bound);
  });
}

CheckResult check_items(const Check& check, const json::value& root) {
  const std::string bound = fmt::format("{} {}", bound_words(check), counted(check.count, "item", "items"));
  const std::string wanted = "a list or object of " + bound;
  return judge_all(check, root, wanted, [&](const json::value& value) -> std::optional<std::string> {
    if (!value.is_array() && !value.is_object()) return is_but(value, wanted);
    const auto size =
        static_cast<std::int64_t>(value.is_array() ? value.get_array().size() : value.get_object().size());
    if (is_within(check, size)) return std::nullopt;
    return fmt::format("is {} ({}), expected {}", shown(value), counted(size, "item", "items"), bound);
  });
}

CheckResult check_bound(const Check& check, const json::value& root) {
  const auto limit = parse_json(check.value);
  const json::value bound = limit && is_number(*limit) ? *limit : json::value(0);
  const std::string words = fmt::format("{} {}", bound_words(check), check.value);
  const std::string wanted = "a number of " + words;
  return judge_all(check, root, wanted, [&](const json::value& value) -> std::optional<std::string> {
    if (!is_number(value)) return is_but(value, wanted);
    const auto order = compare_numbers(value, bound);
    if (check.kind == Check::Kind::minimum ? order >= 0 : order <= 0) return std::nullopt;
    return is_but(value, words);
  });
}

CheckResult no_pattern(const Check& check, const std::string& why) {
  return {name_of_check(check), false, fmt::format("The pattern {} cannot be used: {}", check.value, why)};
}

CheckResult check_pattern(const Check& check, const json::value& root) {
  const auto pattern = Pattern::compile(check.value);
  if (!pattern) return no_pattern(check, pattern.error());
  const std::string wanted = "a string that matches " + shorten(check.value, wanted_bytes_max);
  return judge_all(check, root, wanted, [&](const json::value& value) -> std::optional<std::string> {
    const auto* text = if_text(value);
    if (text != nullptr && pattern->is_in(*text)) return std::nullopt;
    return is_but(value, wanted);
  });
}

/// What the other step's field holds, or why there is nothing to compare with.
std::expected<json::value, std::string> other_value(const Check& check, const Evidence& evidence) {
  const auto text = evidence.output_of ? evidence.output_of(check.step) : std::nullopt;
  if (!text) return std::unexpected(fmt::format("step '{}' has no output to compare with", check.step));
  const auto output = parse_json(*text);
  if (!output) return std::unexpected(fmt::format("the output of step '{}' is no JSON", check.step));
  const json::value* found = find_value(*output, check.value);
  if (found == nullptr) return std::unexpected(fmt::format("step '{}' has no field '{}'", check.step, check.value));
  return *found;
}

CheckResult check_equals(const Check& check, const json::value& root, const Evidence& evidence) {
  std::string where;
  std::expected<json::value, std::string> wanted = json::value{};
  if (check.step.empty()) {
    auto literal = parse_json(check.value);
    if (literal) wanted = std::move(*literal);
  } else {
    wanted = other_value(check, evidence);
    where = fmt::format(" ('{}' of step '{}')", check.value, check.step);
  }
  const std::string words = wanted ? shown(*wanted) + where : fmt::format("'{}' of step '{}'", check.value, check.step);
  return judge_all(check, root, words, [&](const json::value& value) -> std::optional<std::string> {
    if (!wanted) return fmt::format("is {}, but {}", shown(value), wanted.error());
    if (same(*wanted, value)) return std::nullopt;
    return is_but(value, words);
  });
}

CheckResult check_schema(const Check& check, const json::value& root) {
  const auto schema = Schema::read(check.value);
  if (!schema) return {"schema", false, fmt::format("The schema cannot be used: {}", schema.error())};
  const std::vector<std::string> failures = schema->failures(root);
  if (failures.empty()) return {"schema", true, "OK"};
  return {"schema", false, shorten(join(failures, "; "), message_bytes_max)};
}

}  // namespace

CheckResult check_rule(const Check& check, const json::value& root, const Evidence& evidence) {
  switch (check.kind) {
    case Check::Kind::type:
      return check_type(check, root);
    case Check::Kind::one_of:
      return check_one_of(check, root);
    case Check::Kind::min_length:
    case Check::Kind::max_length:
      return check_length(check, root);
    case Check::Kind::min_items:
    case Check::Kind::max_items:
      return check_items(check, root);
    case Check::Kind::minimum:
    case Check::Kind::maximum:
      return check_bound(check, root);
    case Check::Kind::pattern:
      return check_pattern(check, root);
    case Check::Kind::equals:
      return check_equals(check, root, evidence);
    case Check::Kind::schema:
      return check_schema(check, root);
    case Check::Kind::required_field:
    case Check::Kind::min_quotes:
    case Check::Kind::min_key_points:
    case Check::Kind::min_outline_sections:
    case Check::Kind::has_hooks:
    case Check::Kind::command:
      break;
  }
  return {name_of_check(check), false, "This check is not known"};
}

CheckResult check_text(const Check& check, std::string_view text) {
  if (check.kind == Check::Kind::pattern) {
    const auto pattern = Pattern::compile(check.value);
    if (!pattern) return no_pattern(check, pattern.error());
    if (pattern->is_in(text)) return {name_of_check(check), true, "OK"};
    return {name_of_check(check), false,
            fmt::format("The text is {}, expected a match of {}", shorten(json_quote(shorten(text, 160)), 80),
                        shorten(check.value, wanted_bytes_max))};
  }
  const std::int64_t size = count_characters(text);
  if (is_within(check, size)) return {name_of_check(check), true, "OK"};
  return {name_of_check(check), false,
          fmt::format("The text has {}, expected {} {}", counted(size, "character", "characters"), bound_words(check),
                      check.count)};
}

}  // namespace baton
