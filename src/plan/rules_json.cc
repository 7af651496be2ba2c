#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "plan/check.h"

namespace baton {
namespace {

/// What stands at the check's path, or at the rule itself where it has none.
std::string value_json(const Check& check) {
  switch (check.kind) {
    case Check::Kind::required_field:
      return json_quote(check.path);
    case Check::Kind::has_hooks:
      return "true";
    case Check::Kind::min_quotes:
    case Check::Kind::min_key_points:
    case Check::Kind::min_outline_sections:
    case Check::Kind::min_length:
    case Check::Kind::max_length:
    case Check::Kind::min_items:
    case Check::Kind::max_items:
      return std::to_string(check.count);
    case Check::Kind::pattern:
      return json_quote(check.value);
    case Check::Kind::equals:
      if (check.step.empty()) return check.value;
      return json_quote(fmt::format("${{{{ steps.{}.output.{} }}}}", check.step, check.value));
    case Check::Kind::type:
    case Check::Kind::one_of:
    case Check::Kind::minimum:
    case Check::Kind::maximum:
    case Check::Kind::schema:
    case Check::Kind::command:
      return check.value;
  }
  return "null";
}

/// One key of the rules, and what its checks have gathered there.
struct Rule {
  Check::Kind kind;
  std::vector<const Check*> checks;

  [[nodiscard]] std::string value() const {
    std::vector<std::string> items;
    if (kind == Check::Kind::required_field) {
      for (const Check* check : checks) items.push_back(value_json(*check));
      return "[" + join(items, ",") + "]";
    }
    if (checks.front()->path.empty()) {
      for (const Check* check : checks) items.push_back(value_json(*check));
      return items.size() == 1 ? items.front() : "[" + join(items, ",") + "]";
    }
    for (const Check* check : checks) items.push_back(json_quote(check->path) + ":" + value_json(*check));
    return "{" + join(items, ",") + "}";
  }
};

}  // namespace

std::string_view rule_name(Check::Kind kind) {
  switch (kind) {
    case Check::Kind::required_field:
      return "required_fields";
    case Check::Kind::min_quotes:
      return "min_quotes";
    case Check::Kind::min_key_points:
      return "min_key_points";
    case Check::Kind::min_outline_sections:
      return "min_outline_sections";
    case Check::Kind::has_hooks:
      return "has_hooks";
    case Check::Kind::type:
      return "types";
    case Check::Kind::one_of:
      return "enum";
    case Check::Kind::min_length:
      return "min_length";
    case Check::Kind::max_length:
      return "max_length";
    case Check::Kind::min_items:
      return "min_items";
    case Check::Kind::max_items:
      return "max_items";
    case Check::Kind::minimum:
      return "min";
    case Check::Kind::maximum:
      return "max";
    case Check::Kind::pattern:
      return "pattern";
    case Check::Kind::equals:
      return "equals";
    case Check::Kind::schema:
      return "schema";
    case Check::Kind::command:
      return "command";
  }
  return "";
}

std::string rules_json(const std::vector<Check>& checks) {
  std::vector<Rule> rules;
  for (const Check& check : checks) {
    auto rule = std::ranges::find(rules, check.kind, &Rule::kind);
    if (rule == rules.end()) rule = rules.insert(rules.end(), Rule{check.kind, {}});
    rule->checks.push_back(&check);
  }
  std::vector<std::string> members;
  members.reserve(rules.size());
  for (const Rule& rule : rules) members.push_back(fmt::format("\"{}\":{}", rule_name(rule.kind), rule.value()));
  return "{" + join(members, ",") + "}";
}

}  // namespace baton
