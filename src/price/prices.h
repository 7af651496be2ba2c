#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/fault.h"
#include "core/usage.h"

namespace baton {

/// What one token costs, in millionths of a millionth of a dollar: a list price in dollars per million tokens, with up
/// to six decimals, is a whole number here, so sums are exact.
struct TokenPrices {
  std::int64_t input = 0;
  std::int64_t output = 0;
  std::int64_t cache_read = 0;
  std::int64_t cache_write = 0;     ///< kept for five minutes
  std::int64_t cache_write_1h = 0;  ///< kept for an hour

  bool operator==(const TokenPrices&) const = default;
};

struct ModelPrice {
  TokenPrices prices;
  std::optional<std::int64_t> above_prompt_tokens = {};  ///< a prompt larger than this is charged by `above`
  TokenPrices above = {};

  bool operator==(const ModelPrice&) const = default;
};

/// What models cost, from a dated table that users may override. A model that is not in it has no price, which is not
/// a price of 0.
class Prices {
 public:
  using Models = std::map<std::string, ModelPrice, std::less<>>;
  using Aliases = std::map<std::string, std::string, std::less<>>;

  /// The table this build came with (src/price/prices.json).
  static const Prices& built_in();

  /// `{"date","models":{"ID":{"input","output","cache_read"?,"cache_write"?,"cache_write_1h"?,
  /// "above"?:{"prompt_tokens",…}}},"aliases":{"NAME":"ID"}}`, dollars per million tokens. An ID may end in `*`.
  /// What is left out: cache reads and writes cost what input costs, writes for an hour what other writes cost.
  static std::expected<Prices, Faults> read(std::string_view text, const std::string& file);

  /// This table with a user's laid over it: models and aliases of the same name are replaced, `null` takes one away.
  [[nodiscard]] std::expected<Prices, Faults> overridden_by(std::string_view text, const std::string& file) const;

  /// Of one request where prices go by the size of the prompt. `cache_write_1h` are those of `tokens.cache_write` that
  /// are kept for an hour. Nothing if the model's price is not known.
  [[nodiscard]] std::optional<Cost> cost_of(std::string_view model, const Tokens& tokens,
                                            std::int64_t cache_write_1h = 0) const;

  /// Finds an alias, an id, or an id as providers dress it up: `us.anthropic.ID-20260101-v1:0`, `anthropic/ID`,
  /// `ID@20260101`, `ID[1m]`.
  [[nodiscard]] const ModelPrice* price_of(std::string_view model) const;

  [[nodiscard]] const std::string& date() const { return date_; }
  [[nodiscard]] const Models& models() const { return models_; }
  [[nodiscard]] const Aliases& aliases() const { return aliases_; }

 private:
  friend class PricesReader;

  std::string date_;
  Models models_;
  Aliases aliases_;
};

/// The text of src/price/prices.json.
std::string_view built_in_prices_text();

/// Money never wraps around: what is beyond all measure stays at the greatest.
Cost operator+(Cost a, Cost b);

}  // namespace baton
