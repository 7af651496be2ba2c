#include "view/top/cost_pane.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "core/facts.h"
#include "view/cells.h"
#include "view/gauge.h"
#include "view/run_facts.h"
#include "view/top/draw.h"
#include "view/used.h"
#include "view/words.h"

namespace baton::top {
namespace {

constexpr std::size_t name_columns = 12;

std::string row_of(const std::string& name, const Used& sum, std::int64_t most) {
  const double share = most > 0 ? static_cast<double>(sum.tokens.total()) / static_cast<double>(most) : 0;
  const bool is_silent = sum.tokens_unknown > 0 && sum.tokens.total() == 0;
  return fmt::format("{} {:>3} {:>6} {:>7} {}", fit(printable(name), name_columns), sum.attempts,
                     is_silent ? "?" : short_number(sum.tokens.total()), short_money(sum.cost(), sum.known),
                     most > 0 ? bar(share, 6) : std::string{});
}

/// There is little room, and whose models these are is known.
std::string shown_model(const std::string& model) {
  constexpr std::string_view maker = "claude-";
  return model.starts_with(maker) ? model.substr(maker.size()) : model;
}

std::string head_of(const char* what) {
  return fmt::format("{} {:>3} {:>6} {:>7}", fit(what, name_columns), "×", "TOKENS", "COST");
}

}  // namespace

std::vector<Entry> cost_entries(const Run& run) {
  std::vector<std::pair<std::string, Used>> steps;
  std::map<std::string, Used> models;
  Used total;
  for (const StepIndex i : steps_in_reading_order(run)) {
    Used sum;
    for (const Attempt& a : shown_attempts(run, i)) {
      sum.add(run, a);
      total.add(run, a);
      const std::string& model = model_of(run, a);
      models[model.empty() ? run.interned(a.runtime) : shown_model(model)].add(run, a);
    }
    if (sum.attempts > 0) steps.emplace_back(run.step(i).id, sum);
  }
  std::vector<Entry> out;
  if (steps.empty()) return out;
  std::int64_t most = 0;
  for (const auto& [name, sum] : steps) most = std::max(most, sum.tokens.total());
  out.push_back({Entry::Kind::head, head_of("STEP")});
  for (const auto& [name, sum] : steps) out.push_back({Entry::Kind::plain, row_of(name, sum, most)});
  out.push_back({Entry::Kind::plain, ""});
  out.push_back({Entry::Kind::head, head_of("MODEL")});
  for (const auto& [name, sum] : models) out.push_back({Entry::Kind::plain, row_of(name, sum, total.tokens.total())});
  out.push_back({Entry::Kind::plain, ""});
  out.push_back({Entry::Kind::head, row_of("total", total, 0)});
  out.push_back(
      {Entry::Kind::note, fmt::format("input {}  output {}  cache read {}  cache written {}",
                                      short_number(total.tokens.input), short_number(total.tokens.output),
                                      short_number(total.tokens.cache_read), short_number(total.tokens.cache_write))});
  return out;
}

}  // namespace baton::top
