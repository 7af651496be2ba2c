#include <fmt/core.h>

#include "base/boost_json.h"
#include "base/text.h"
#include "safety/policy.h"
#include "text/json_members.h"

namespace baton::safety {
namespace {

namespace json = boost::json;

std::string list_json(const std::vector<Rule>& rules) {
  std::vector<std::string> items;
  for (const Rule& rule : rules) {
    std::string item = "{";
    if (!rule.name.empty()) item += fmt::format("\"name\":{},", json_quote(rule.name));
    item += fmt::format("\"pattern\":{}", json_quote(rule.pattern));
    if (!rule.why.empty()) item += fmt::format(",\"why\":{}", json_quote(rule.why));
    items.push_back(item + fmt::format(",\"origin\":{}}}", json_quote(rule.origin)));
  }
  return items.empty() ? "[]" : "[\n  " + join(items, ",\n  ") + "\n ]";
}

Fault bad_policy(const std::string& why) {
  return {"bad-safety-policy", fmt::format("the recorded safety policy cannot be read: {}", why),
          "it is safety.json in the run's folder; remove it, and the next attempt has it written anew"};
}

/// False if it is no list of rules: one that is half read would let through what the other half blocks.
bool read_rules(const json::object& object, std::string_view key, std::vector<Rule>& rules) {
  const json::value* list = object.if_contains(key);
  if (list == nullptr || !list->is_array()) return false;
  for (const json::value& item : list->get_array()) {
    if (!item.is_object()) return false;
    const auto text = [&](std::string_view member) { return std::string{string_at(item.get_object(), member)}; };
    rules.push_back({text("name"), text("pattern"), text("why"), text("origin")});
  }
  return true;
}

}  // namespace

std::string to_json(const PolicyText& policy) {
  return fmt::format("{{\"version\":1,\n \"enabled\":{},\n \"blocked\":{},\n \"allow\":{}}}\n", policy.enabled,
                     list_json(policy.blocked), list_json(policy.allow));
}

std::expected<Policy, Faults> read_policy(std::string_view text) {
  json::error_code error;
  const json::value value = json::parse({text.data(), text.size()}, error);
  if (error || !value.is_object()) return std::unexpected(Faults{bad_policy("it is not a JSON object")});
  const json::object& object = value.get_object();
  const json::value* version = object.if_contains("version");
  if (version == nullptr || *version != 1) return std::unexpected(Faults{bad_policy("it is not of version 1")});
  PolicyText policy;
  const json::value* enabled = object.if_contains("enabled");
  if (enabled == nullptr || !enabled->is_bool()) return std::unexpected(Faults{bad_policy("it has no 'enabled'")});
  policy.enabled = enabled->get_bool();
  if (!read_rules(object, "blocked", policy.blocked) || !read_rules(object, "allow", policy.allow)) {
    return std::unexpected(Faults{bad_policy("'blocked' and 'allow' have to be lists of patterns")});
  }
  return Policy::compile(std::move(policy));
}

}  // namespace baton::safety
