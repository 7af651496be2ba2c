// Bringing a made-up output to meet checks. Each check is a small JSON Schema for the values at its path; all of a path
// are put together, so that a length and a pattern do not undo each other.
#include "runtime/rehearsal_fit.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/boost_json.h"
#include "base/number.h"
#include "base/text.h"
#include "base/utf8.h"
#include "text/json_value.h"

namespace baton {
namespace {

namespace json = boost::json;

constexpr int rounds_max = 3;  // one rule can disturb another that was met before

/// The schema that a check means for the values at its path; null where it means none.
json::value schema_of(const Check& check, const std::map<std::string, std::string>& compared) {
  const auto parsed = [](const std::string& text) {
    auto value = parse_json(text);
    return value ? *value : json::value{};
  };
  switch (check.kind) {
    case Check::Kind::type:
      return json::object{{"type", parsed(check.value)}};
    case Check::Kind::one_of:
      return json::object{{"enum", parsed(check.value)}};
    case Check::Kind::min_length:
      return json::object{{"text", true}, {"minLength", check.count}};
    case Check::Kind::max_length:
      return json::object{{"text", true}, {"maxLength", check.count}};
    case Check::Kind::min_items:
      return json::object{{"list", true}, {"minItems", check.count}, {"minProperties", check.count}};
    case Check::Kind::max_items:
      return json::object{{"list", true}, {"maxItems", check.count}, {"maxProperties", check.count}};
    case Check::Kind::minimum:
      return json::object{{"number", true}, {"minimum", parsed(check.value)}};
    case Check::Kind::maximum:
      return json::object{{"number", true}, {"maximum", parsed(check.value)}};
    case Check::Kind::pattern:
      return json::object{{"text", true}, {"pattern", check.value}};
    case Check::Kind::schema:
      return parsed(check.value);
    case Check::Kind::equals: {
      if (check.step.empty()) return json::object{{"const", parsed(check.value)}};
      const auto other = compared.find(check.step);
      if (other == compared.end()) return {};
      const json::value output = parsed(other->second);
      const json::value* wanted = find_value(output, check.value);
      return wanted == nullptr ? json::value{} : json::value(json::object{{"const", *wanted}});
    }
    case Check::Kind::required_field:
    case Check::Kind::min_quotes:
    case Check::Kind::min_key_points:
    case Check::Kind::min_outline_sections:
    case Check::Kind::has_hooks:
    case Check::Kind::command:
      break;
  }
  return {};
}

struct PathRule {
  std::string path;
  json::object schema;
};

/// Of the types that a value may have those that another rule takes, too: all that were allowed, where it takes none.
json::value types_left(const json::value* allowed, const json::array& wanted) {
  if (allowed == nullptr) return wanted;
  const json::array all = allowed->is_array() ? allowed->get_array() : json::array{*allowed};
  json::array left;
  for (const json::value& type : all) {
    if (std::ranges::find(wanted, type) != wanted.end()) left.push_back(type);
  }
  return left.empty() ? *allowed : json::value(left);
}

/// Marks that a value has to be of some kind become a type, or leave less of those that were named.
void settle_type(json::object& schema) {
  const std::pair<const char*, json::array> kinds[] = {
      {"text", {"string"}}, {"list", {"array", "object"}}, {"number", {"number", "integer"}}};
  for (const auto& [mark, types] : kinds) {
    if (schema.erase(mark) == 0 || schema.contains("const") || schema.contains("enum")) continue;
    schema["type"] = types_left(schema.if_contains("type"), types);
  }
}

/// Of the values that a rule lists those that the other rules for the same place take, too.
void settle_choice(json::object& schema, const std::vector<Check>& checks, const std::string& path) {
  const json::value* values = schema.if_contains("enum");
  if (values == nullptr || !values->is_array()) return;
  std::vector<Check> others;
  for (Check check : checks) {
    if (check.path != path || !check.step.empty()) continue;
    check.path = "v";
    others.push_back(std::move(check));
  }
  json::array left;
  for (const json::value& value : values->get_array()) {
    if (all_passed(evaluate(others, OutputFormat::json, json::serialize(json::object{{"v", value}})))) {
      left.push_back(value);
    }
  }
  if (!left.empty()) schema["enum"] = std::move(left);
}

std::vector<PathRule> rules_of(const std::vector<Check>& checks, const std::map<std::string, std::string>& compared) {
  std::vector<PathRule> rules;
  for (const Check& check : checks) {
    const json::value schema = schema_of(check, compared);
    if (!schema.is_object()) continue;
    const std::string path = check.kind == Check::Kind::schema ? "$" : check.path;
    const auto known = std::ranges::find(rules, path, &PathRule::path);
    if (known == rules.end() || check.kind == Check::Kind::schema) {
      rules.push_back({path, schema.get_object()});
    } else {
      for (const auto& member : schema.get_object()) known->schema[member.key()] = member.value();
    }
  }
  for (PathRule& rule : rules) {
    settle_type(rule.schema);
    if (rule.path != "$") settle_choice(rule.schema, checks, rule.path);
  }
  // What holds for the whole comes first: the rules for its parts are more exact.
  std::vector<PathRule> sorted;
  for (const bool whole : {true, false}) {
    std::ranges::copy_if(rules, std::back_inserter(sorted),
                         [&](const PathRule& r) { return (r.path == "$") == whole; });
  }
  return sorted;
}

bool is_position(std::string_view part) {
  return !part.empty() && part.size() < 4 && std::ranges::all_of(part, [](char c) { return c >= '0' && c <= '9'; });
}

/// Calls `change` for every value the path means, making those that are not there.
template <class Change>
void change_at(json::value& here, const std::vector<std::string_view>& parts, std::size_t depth, const Change& change) {
  if (depth == parts.size()) return change(here);
  const std::string_view part = parts[depth];
  if (part == "*") {
    if (here.is_object() && !here.get_object().empty()) {
      for (auto& member : here.get_object()) change_at(member.value(), parts, depth + 1, change);
      return;
    }
    if (!here.is_array()) here = json::array{};
    if (here.get_array().empty()) here.get_array().emplace_back("");
    for (json::value& item : here.get_array()) change_at(item, parts, depth + 1, change);
    return;
  }
  if (here.is_array() && is_position(part)) {
    const std::size_t index = parse_whole<std::size_t>(part).value_or(0);
    while (here.get_array().size() <= index) here.get_array().emplace_back("");
    return change_at(here.get_array()[index], parts, depth + 1, change);
  }
  if (!here.is_object()) {
    here = is_position(part) ? json::value(json::array{}) : json::value(json::object{});
    if (here.is_array()) return change_at(here, parts, depth, change);
  }
  change_at(here.get_object()[part], parts, depth + 1, change);
}

void append_pretty(const json::value& value, std::size_t level, std::string& out) {
  const bool is_list = value.is_array();
  if ((!is_list && !value.is_object()) || (is_list ? value.get_array().empty() : value.get_object().empty())) {
    out += written_json(value);
    return;
  }
  const auto begin_line = [&](bool is_first) {
    out += is_first ? "\n" : ",\n";
    out.append(2 * (level + 1), ' ');
  };
  out += is_list ? '[' : '{';
  bool is_first = true;
  if (is_list) {
    for (const json::value& item : value.get_array()) {
      begin_line(std::exchange(is_first, false));
      append_pretty(item, level + 1, out);
    }
  } else {
    for (const auto& member : value.get_object()) {
      begin_line(std::exchange(is_first, false));
      out += json_quote(member.key()) + ": ";
      append_pretty(member.value(), level + 1, out);
    }
  }
  out.append("\n").append(2 * level, ' ') += is_list ? ']' : '}';
}

}  // namespace

bool meets(const std::string& document, const std::vector<Check>& checks,
           const std::map<std::string, std::string>& compared) {
  Evidence evidence{.output_of = [&](const std::string& step) -> std::optional<std::string> {
    const auto found = compared.find(step);
    return found == compared.end() ? std::nullopt : std::optional{found->second};
  }};
  evidence.commands.assign(command_checks(checks).size(), {true, {}});
  return all_passed(evaluate(checks, OutputFormat::json, document, evidence));
}

std::string fit_json(const std::string& document, const std::vector<Check>& checks,
                     const std::map<std::string, std::string>& compared) {
  const std::vector<PathRule> rules = rules_of(checks, compared);
  if (rules.empty()) return document;
  auto root = parse_json(document);
  if (!root) return document;
  std::string text = document;
  for (int round = 0; round < rounds_max; ++round) {
    for (const PathRule& rule : rules) {
      const json::value schema(rule.schema);
      const auto fit = [&](json::value& value) { fit_schema(value, schema, schema); };
      if (rule.path == "$") {
        fit(*root);
      } else {
        change_at(*root, split(rule.path, '.'), 0, fit);
      }
    }
    text.clear();
    append_pretty(*root, 0, text);
    text += '\n';
    if (meets(text, checks, compared)) break;
  }
  return text;
}

std::string fit_text(std::string text, const std::vector<Check>& checks) {
  constexpr std::int64_t size_max = 10'000'000;
  std::int64_t least = 0;
  std::int64_t most = size_max;
  std::string match;
  for (const Check& check : checks) {
    if (check.kind == Check::Kind::min_length) least = std::min(check.count, size_max);
    if (check.kind == Check::Kind::max_length) most = std::min(check.count, size_max);
    if (check.kind == Check::Kind::pattern && !all_passed(evaluate({check}, OutputFormat::text, text))) {
      match = text_matching(check.value, 0, most);
    }
  }
  if (!match.empty()) {
    // At the beginning it is found, even by one that is tied to it; one tied to both ends has to stand alone.
    text = match + "\n" + text;
    const auto fits = [&](const std::string& t) { return all_passed(evaluate(checks, OutputFormat::text, t)); };
    if (!fits(std::string{first_characters(text, most)}) && fits(match)) return match;
  }
  const std::string more = "\nAnd a few words more, because the text has to be longer.\n";
  while (count_characters(text) < least) text += more;
  return std::string{first_characters(text, most)};
}

}  // namespace baton
