#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace baton {

struct Tokens {
  std::int64_t input = 0;
  std::int64_t output = 0;
  std::int64_t cache_read = 0;
  std::int64_t cache_write = 0;

  [[nodiscard]] std::int64_t total() const { return input + output + cache_read + cache_write; }
  Tokens& operator+=(const Tokens& o) {
    input += o.input;
    output += o.output;
    cache_read += o.cache_read;
    cache_write += o.cache_write;
    return *this;
  }
  bool operator==(const Tokens&) const = default;
};

/// Money in billionths of a dollar: sums come out to the cent whatever their order.
struct Cost {
  std::int64_t nano_usd = 0;

  [[nodiscard]] double usd() const { return static_cast<double>(nano_usd) / 1e9; }
  auto operator<=>(const Cost&) const = default;
};

/// What people read: `$12.50`, `$0.0042`, `$0.000018`. Never fewer than two decimals, and as many as it takes for what
/// is not nothing not to look like it.
std::string money(Cost cost);

/// What an attempt has used so far, counted from its beginning. A cost that is not known is absent, never 0.
struct Usage {
  Tokens tokens;
  std::optional<Cost> cost;
  std::int64_t turns = 0;       ///< answers of the model
  bool tokens_unknown = false;  ///< nobody told them; `tokens` are 0 then
  std::string model = {};       ///< that answered, where it is known: it may be another than the one that was asked for

  bool operator==(const Usage&) const = default;
};

}  // namespace baton
