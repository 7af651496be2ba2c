#include "view/cost_view.h"

#include <fmt/core.h>

#include <map>

#include "base/text.h"
#include "view/cells.h"
#include "view/json_text.h"
#include "view/words.h"

namespace baton {
namespace {

struct Sum {
  std::size_t attempts = 0;
  std::size_t unknown = 0;         ///< attempts among them whose cost nobody knows
  std::size_t tokens_unknown = 0;  ///< likewise
  Tokens tokens;
  Cost known;

  void add(const Spent& s) {
    ++attempts;
    tokens += s.tokens;
    if (s.tokens_unknown) ++tokens_unknown;
    if (s.cost) {
      known.nano_usd += s.cost->nano_usd;
    } else {
      ++unknown;
    }
  }
  /// How much of what was read came from a provider's cache; nothing if nothing was read.
  [[nodiscard]] std::optional<double> cache_hits() const {
    const std::int64_t read = tokens.input + tokens.cache_read + tokens.cache_write;
    if (read == 0) return std::nullopt;
    return static_cast<double>(tokens.cache_read) / static_cast<double>(read);
  }
  [[nodiscard]] std::optional<Cost> cost() const { return unknown > 0 ? std::nullopt : std::optional{known}; }
};

using Sums = std::map<std::string, Sum>;
using Word = std::string (*)(const Spent&);

/// One way to look at it: what the rows are called, and to which of them an attempt belongs.
struct Grouping {
  const char* title;
  const char* list;
  const char* key;
  Word word;
};

constexpr Grouping groupings[] = {
    {"DAY (UTC)", "days", "day", [](const Spent& s) { return rfc3339(s.at).substr(0, 10); }},
    {"WORKFLOW", "workflows", "workflow", [](const Spent& s) { return s.workflow; }},
    {"MODEL", "models", "model", [](const Spent& s) { return s.model; }},
    {"SKILL", "skills", "skill", [](const Spent& s) { return s.skill; }},
};

Sum total_of(const std::vector<Spent>& spent) {
  Sum total;
  for (const Spent& s : spent) total.add(s);
  return total;
}

Sums sums_of(const std::vector<Spent>& spent, Word word) {
  Sums sums;
  for (const Spent& s : spent) sums[word(s)].add(s);
  return sums;
}

std::string shown_cost(const Sum& sum) {
  if (sum.unknown == 0) return money(sum.known);
  if (sum.known.nano_usd == 0) return "unknown";
  return fmt::format("unknown; {} without {}", money(sum.known), counted(sum.unknown, "attempt"));
}

std::string row_text(const std::string& name, const Sum& sum) {
  return fmt::format("{}  {:>8}  {:>8}  {}\n", fit(name.empty() ? "(not named)" : printable(name), 28), sum.attempts,
                     short_number(sum.tokens.total()), shown_cost(sum));
}

JsonObject& add_sum(JsonObject& object, const Sum& sum) {
  return object.raw("cost_usd", json_of(sum.cost()))
      .raw("known_usd", json_of(std::optional{sum.known}))
      .number("attempts", static_cast<std::int64_t>(sum.attempts))
      .number("attempts_of_unknown_cost", static_cast<std::int64_t>(sum.unknown))
      .raw("tokens", json_of(sum.tokens))
      .number("attempts_of_unknown_tokens", static_cast<std::int64_t>(sum.tokens_unknown))
      .raw("cache_hit_rate", sum.cache_hits() ? fmt::format("{:.4f}", *sum.cache_hits()) : "null");
}

}  // namespace

std::string cost_text(const std::vector<Spent>& spent, std::size_t rehearsed) {
  std::string text;
  for (const Grouping& g : groupings) {
    if (spent.empty()) break;
    text += fmt::format("{}  ATTEMPTS    TOKENS  COST\n", fit(g.title, 28));
    for (const auto& [name, sum] : sums_of(spent, g.word)) text += row_text(name, sum);
    text += "\n";
  }
  const Sum total = total_of(spent);
  text += spent.empty() ? "no agent has used anything here yet\n" : row_text("total", total);
  if (const auto hits = total.cache_hits(); hits && *hits > 0) {
    text += fmt::format("{:.0f} % of what models read came from the cache\n", *hits * 100);
  }
  if (rehearsed > 0)
    text += fmt::format("{} rehearsed: not counted, nothing was spent\n", counted(rehearsed, "attempt"));
  return text;
}

std::string cost_json(const std::vector<Spent>& spent, std::size_t rehearsed) {
  JsonObject object;
  add_sum(object, total_of(spent));
  object.number("attempts_rehearsed", static_cast<std::int64_t>(rehearsed));
  for (const Grouping& g : groupings) {
    std::vector<std::string> rows;
    for (const auto& [name, sum] : sums_of(spent, g.word)) {
      JsonObject row;
      row.raw(g.key, name.empty() ? "null" : json_quote(name));
      rows.push_back(add_sum(row, sum).done());
    }
    object.raw(g.list, "[" + join(rows, ",\n ") + "]");
  }
  return object.done();
}

}  // namespace baton
