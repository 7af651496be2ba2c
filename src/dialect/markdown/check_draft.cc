#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "base/text.h"
#include "dialect/markdown/draft.h"

namespace baton::markdown {
namespace {

constexpr std::int64_t count_max = 1'000'000;

struct CountRule {
  const char* key;
  Check::Kind kind;
};
constexpr std::array<CountRule, 3> count_rules{{{"min_quotes", Check::Kind::min_quotes},
                                                {"min_key_points", Check::Kind::min_key_points},
                                                {"min_outline_sections", Check::Kind::min_outline_sections}}};

constexpr std::array<Check::Kind, 5> kinds_in_order{Check::Kind::required_field, Check::Kind::min_quotes,
                                                    Check::Kind::min_key_points, Check::Kind::min_outline_sections,
                                                    Check::Kind::has_hooks};

const std::vector<std::string>& known_rules() {
  static const std::vector<std::string> rules{"required_fields", "min_quotes", "min_key_points", "min_outline_sections",
                                              "has_hooks"};
  return rules;
}

void read_fields(const YamlNode& node, const std::string& owner, std::vector<Check>& checks, FaultList& faults) {
  for (const Located& field : read_texts(node, fmt::format("'required_fields' of {}", owner), faults)) {
    if (field.text.empty()) {
      faults.error("bad-check", field.spot, fmt::format("a required field of {} has no name", owner),
                   "name a field of the output, such as 'title' or 'meta.author'");
      continue;
    }
    checks.push_back({Check::Kind::required_field, field.text, 0});
  }
}

void read_rule(const YamlNode& key, const YamlNode& value, const std::string& owner, std::vector<Check>& checks,
               FaultList& faults) {
  const std::string_view word = key.text();
  if (word == "required_fields") return read_fields(value, owner, checks, faults);
  if (word == "has_hooks") {
    const auto wanted = read_truth(value, fmt::format("'has_hooks' of {}", owner), faults);
    if (wanted.value_or(false)) checks.push_back({Check::Kind::has_hooks, {}, 0});
    return;
  }
  const auto* rule = std::ranges::find_if(count_rules, [&](const CountRule& r) { return word == r.key; });
  if (rule != count_rules.end()) {
    const auto count = read_count(value, fmt::format("'{}' of {}", word, owner), count_max, "bad-check", faults);
    if (count) checks.push_back({rule->kind, {}, *count});
    return;
  }
  const std::string near = faults.deserves_hint() ? nearest(word, known_rules()) : "";
  faults.error("unknown-check", spot_of(key), fmt::format("{} has an unknown check '{}'", owner, shorten(word, 80)),
               near.empty() ? fmt::format("known checks: {}", join(known_rules(), ", "))
                            : fmt::format("did you mean '{}'?", near));
}

}  // namespace

std::vector<Check> read_checks(const YamlNode& node, const std::string& owner, FaultList& faults) {
  std::vector<Check> checks;
  if (node.is_null()) return checks;
  if (!node.is_mapping()) {
    faults.error("wrong-type", spot_of(node), fmt::format("'validate' of {} has to be a mapping", owner),
                 "write the checks as 'required_fields: [a, b]' and so on, each on a line of its own");
    return checks;
  }
  for (std::size_t i = 0; i < node.size(); ++i) read_rule(node.key(i), node.value(i), owner, checks, faults);
  // The order of results is part of the format, whatever order the rules were written in.
  std::vector<Check> sorted;
  for (const Check::Kind kind : kinds_in_order) {
    std::ranges::copy_if(checks, std::back_inserter(sorted), [&](const Check& check) { return check.kind == kind; });
  }
  return sorted;
}

}  // namespace baton::markdown
