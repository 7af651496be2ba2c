#include "price/prices.h"

#include <algorithm>
#include <limits>

#include "base/ensure.h"

namespace baton {
namespace {

// Beyond these a count is an error of somebody's, and sums of products stay far from the greatest number.
constexpr std::int64_t tokens_max = 1'000'000'000'000;
constexpr std::int64_t pico_per_nano = 1000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool all_digits(std::string_view text) { return !text.empty() && std::ranges::all_of(text, is_digit); }

/// Cuts `-YYYYMMDD` or `-YYYY-MM-DD` off the end.
std::string_view without_date(std::string_view id) {
  if (id.size() > 9 && id[id.size() - 9] == '-' && all_digits(id.substr(id.size() - 8))) {
    return id.substr(0, id.size() - 9);
  }
  if (id.size() > 11) {
    const std::string_view end = id.substr(id.size() - 11);
    if (end[0] == '-' && end[5] == '-' && end[8] == '-' && all_digits(end.substr(1, 4)) &&
        all_digits(end.substr(6, 2)) && all_digits(end.substr(9, 2))) {
      return id.substr(0, id.size() - 11);
    }
  }
  return id;
}

/// Cuts `-v1:0` off the end.
std::string_view without_revision(std::string_view id) {
  const auto mark = id.rfind("-v");
  if (mark == std::string_view::npos) return id;
  const std::string_view revision = id.substr(mark + 2);
  const bool is_revision =
      !revision.empty() && std::ranges::all_of(revision, [](char c) { return is_digit(c) || c == ':'; });
  return is_revision ? id.substr(0, mark) : id;
}

/// The provider's id without what others hang on it.
std::string_view bare_id(std::string_view model) {
  if (const auto slash = model.rfind('/'); slash != std::string_view::npos) model.remove_prefix(slash + 1);
  if (const auto owner = model.find("anthropic."); owner != std::string_view::npos) model.remove_prefix(owner + 10);
  model = model.substr(0, model.find('['));
  model = model.substr(0, model.find('@'));
  model = without_date(without_revision(model));
  if (model.ends_with("-latest")) model.remove_suffix(7);
  return model;
}

const ModelPrice* by_pattern(const Prices::Models& models, std::string_view id) {
  const ModelPrice* best = nullptr;
  std::size_t longest = 0;
  for (const auto& [pattern, price] : models) {
    if (!pattern.ends_with('*') || pattern.size() < longest) continue;
    if (!id.starts_with(std::string_view{pattern}.substr(0, pattern.size() - 1))) continue;
    best = &price;
    longest = pattern.size();
  }
  return best;
}

std::int64_t within(std::int64_t count) { return std::clamp<std::int64_t>(count, 0, tokens_max); }

}  // namespace

Cost operator+(Cost a, Cost b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a.nano_usd, b.nano_usd, &sum)) return {std::numeric_limits<std::int64_t>::max()};
  return {sum};
}

const Prices& Prices::built_in() {
  static const Prices prices = [] {
    auto read = Prices::read(built_in_prices_text(), "prices.json");
    BATON_ENSURE(read, "the built-in prices are broken", read.error().front().message);
    return std::move(*read);
  }();
  return prices;
}

const ModelPrice* Prices::price_of(std::string_view model) const {
  if (const auto alias = aliases_.find(model); alias != aliases_.end()) model = alias->second;
  if (const auto found = models_.find(model); found != models_.end()) return &found->second;
  std::string_view id = bare_id(model);
  if (const auto alias = aliases_.find(id); alias != aliases_.end()) id = alias->second;
  if (const auto found = models_.find(id); found != models_.end()) return &found->second;
  return by_pattern(models_, id);
}

std::optional<Cost> Prices::cost_of(std::string_view model, const Tokens& tokens, std::int64_t cache_write_1h) const {
  const ModelPrice* price = price_of(model);
  if (price == nullptr) return std::nullopt;
  const std::int64_t input = within(tokens.input);
  const std::int64_t read = within(tokens.cache_read);
  const std::int64_t write = within(tokens.cache_write);
  const std::int64_t long_write = std::clamp<std::int64_t>(cache_write_1h, 0, write);
  const bool is_large = price->above_prompt_tokens && input + read + write > *price->above_prompt_tokens;
  const TokenPrices& p = is_large ? price->above : price->prices;
  std::int64_t nano = 0;
  std::int64_t pico = 0;  // what is left over of each product, summed apart so that nothing is rounded twice
  const auto add = [&](std::int64_t count, std::int64_t each) {
    nano += count * (each / pico_per_nano);
    pico += count * (each % pico_per_nano);
  };
  add(input, p.input);
  add(within(tokens.output), p.output);
  add(read, p.cache_read);
  add(write - long_write, p.cache_write);
  add(long_write, p.cache_write_1h);
  return Cost{nano + (pico + pico_per_nano / 2) / pico_per_nano};
}

}  // namespace baton
