#include <fmt/core.h>

#include <algorithm>

#include "base/number.h"
#include "base/text.h"
#include "dialect/markdown/draft.h"
#include "dialect/markdown/keys.h"

namespace baton::markdown {
namespace {

constexpr std::int64_t rounds_max = 1000;
constexpr std::int64_t tokens_max = 1'000'000'000'000;
constexpr std::int64_t turns_max = 1'000'000;
constexpr std::size_t dollar_digits_max = 7;
constexpr std::size_t nano_digits = 9;

std::string of(std::string_view key, const std::string& owner) { return fmt::format("'{}' of {}", key, owner); }

/// Calls `read` for each known key of a mapping; reports the others. False if it is none.
template <class Read>
bool read_mapping(const YamlNode& node, const std::string& what, const std::vector<std::string>& known,
                  const char* help, FaultList& faults, Read read) {
  if (!node.is_mapping()) {
    faults.error("wrong-type", spot_of(node), fmt::format("{} has to be a mapping", what), help);
    return false;
  }
  for (std::size_t i = 0; i < node.size(); ++i) {
    const std::string_view key = node.key(i).text();
    if (std::ranges::find(known, key) == known.end()) {
      report_unknown_key(node.key(i), what, known, faults);
    } else {
      read(key, node.value(i));
    }
  }
  return true;
}

/// Takes the braces off: `when: ${{ x }}` and `when: x` are the same.
void take_braces_off(Located& text) {
  const std::string_view inner = trim(text.text);
  if (!inner.starts_with("${{") || !inner.ends_with("}}") || inner.find("}}") != inner.size() - 2) return;
  const auto begin = static_cast<std::size_t>(inner.data() - text.text.data()) + 3;
  const std::string bare = text.text.substr(begin, inner.size() - 5);
  text.spot = spot_at(text, begin);
  if (text.lead) text.lead = 0;
  text.text = bare;
}

/// Dollars to billionths of one, without a detour through binary fractions.
std::optional<std::int64_t> nano_usd_of(std::string_view text) {
  const std::size_t dot = std::min(text.find('.'), text.size());
  std::string digits{text.substr(0, dot)};
  std::string_view fraction = text.substr(std::min(dot + 1, text.size()));
  const auto is_digits = [](std::string_view part) {
    return !part.empty() && std::ranges::all_of(part, [](char c) { return c >= '0' && c <= '9'; });
  };
  if (!is_digits(digits) || digits.size() > dollar_digits_max) return std::nullopt;
  if (dot < text.size() && (!is_digits(fraction) || fraction.size() > nano_digits)) return std::nullopt;
  digits.append(fraction).append(nano_digits - fraction.size(), '0');
  return parse_whole<std::int64_t>(digits);
}

void read_dollars(const YamlNode& node, const std::string& what, StepBudget& budget, FaultList& faults) {
  budget.nano_usd = node.is_scalar() ? nano_usd_of(trim(node.text())) : std::nullopt;
  if (budget.nano_usd) return;
  faults.error("bad-number", spot_of(node), fmt::format("{} has to be a number of dollars, such as 0.50", what),
               node.is_scalar() ? fmt::format("it is '{}'", shorten(node.text(), 40)) : "");
}

}  // namespace

std::optional<Located> read_condition(const YamlNode& node, const std::string& what, FaultList& faults) {
  if (!node.is_scalar()) {
    read_text(node, what, faults);
    return std::nullopt;
  }
  Located text = located(node);
  if (node.is_null() || trim(text.text).empty()) {
    faults.error("bad-expression", spot_of(node), fmt::format("{} is empty", what),
                 "write a condition, such as steps.check.output.ok == true; put it in quotes if it begins with '!'");
    return std::nullopt;
  }
  take_braces_off(text);
  return text;
}

std::optional<ForEachDraft> read_for_each(const YamlNode& node, const std::string& owner, FaultList& faults) {
  if (node.is_sequence()) return ForEachDraft{std::nullopt, node, spot_of(node)};
  if (node.is_mapping() || node.is_null() || trim(node.text()).empty()) {
    faults.error("wrong-type", spot_of(node),
                 fmt::format("{} has to be a list, or an expression that gives one", of("for_each", owner)),
                 "write it as [a, b], or as ${{ steps.ID.output }}");
    return std::nullopt;
  }
  Located text = located(node);
  take_braces_off(text);
  return ForEachDraft{std::move(text), std::nullopt, spot_of(node)};
}

std::optional<LoopDraft> read_loop(const YamlNode& node, const std::string& owner, FaultList& faults) {
  LoopDraft loop{std::nullopt, 0, spot_of(node)};
  const std::string what = of("loop", owner);
  bool has_max = false;
  const bool is_mapping = read_mapping(
      node, what, names_of(loop_keys()), "write it as {until: output.done, max: 5}", faults,
      [&](std::string_view key, const YamlNode& value) {
        if (key == "until") {
          loop.until = read_condition(value, fmt::format("'until' of the loop of {}", owner), faults);
          return;
        }
        has_max = true;
        const auto max =
            read_count(value, fmt::format("'max' of the loop of {}", owner), rounds_max, "bad-number", faults);
        loop.max = static_cast<std::int32_t>(max.value_or(1));
        if (max == 0) {
          faults.error("bad-number", spot_of(value), fmt::format("'max' of the loop of {} has to be at least 1", owner),
                       "leave the loop out, or write how many rounds there may be");
        }
      });
  if (!is_mapping) return std::nullopt;
  if (!has_max) {
    faults.error("bad-number", loop.spot, fmt::format("the loop of {} has no 'max'", owner),
                 "add 'max: <rounds>', from 1 to 1000: a loop without an end could cost without an end");
    loop.max = 1;
  }
  return loop;
}

std::optional<GateDraft> read_gate(const YamlNode& node, const std::string& owner, FaultList& faults) {
  if (node.is_scalar()) {
    if (node.text() == "approve") return GateDraft{{"", spot_of(node)}};
    faults.error("bad-enum", spot_of(node),
                 fmt::format("{} cannot be '{}'", of("gate", owner), shorten(node.text(), 80)),
                 "write 'approve', or {approve: <a question>}");
    return std::nullopt;
  }
  GateDraft gate{{"", spot_of(node)}};
  bool is_whole = false;
  read_mapping(node, of("gate", owner), names_of(gate_keys()),
               "write 'gate: approve', or 'gate: {approve: <a question>}'", faults,
               [&](std::string_view, const YamlNode& value) {
                 is_whole = read_text(value, of("approve", owner), faults).has_value();
                 if (is_whole && !value.is_null()) gate.question = located(value);
               });
  if (!is_whole) return std::nullopt;
  return gate;
}

std::vector<WithDraft> read_with(const YamlNode& node, const std::string& owner, FaultList& faults) {
  std::vector<WithDraft> with;
  if (node.is_null()) return with;
  if (!node.is_mapping()) {
    faults.error("wrong-type", spot_of(node), fmt::format("{} has to be a mapping", of("with", owner)),
                 "write it as {<input>: <path or expression>}");
    return with;
  }
  for (std::size_t i = 0; i < node.size(); ++i) {
    const std::string what = fmt::format("'{}' in 'with' of {}", shorten(node.key(i).text(), 80), owner);
    if (read_text(node.value(i), what, faults)) with.push_back({located(node.key(i)), located(node.value(i))});
  }
  return with;
}

StepBudget read_budget(const YamlNode& node, const std::string& owner, FaultList& faults) {
  StepBudget budget;
  const std::string what = of("budget", owner);
  if (node.is_scalar()) {
    read_dollars(node, what, budget, faults);
    return budget;
  }
  read_mapping(node, what, names_of(budget_keys()), "write dollars, or {usd: 0.50, tokens: 20000, turns: 10}", faults,
               [&](std::string_view key, const YamlNode& value) {
                 const std::string part = fmt::format("'{}' of the budget of {}", key, owner);
                 if (key == "usd") {
                   read_dollars(value, part, budget, faults);
                 } else if (key == "tokens") {
                   budget.tokens = read_count(value, part, tokens_max, "bad-number", faults).value_or(0);
                 } else {
                   budget.turns = read_count(value, part, turns_max, "bad-number", faults).value_or(0);
                 }
               });
  return budget;
}

}  // namespace baton::markdown
