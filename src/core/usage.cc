#include "core/usage.h"

#include <fmt/core.h>

#include <cstdlib>

namespace baton {

std::string money(Cost cost) {
  constexpr int decimals_min = 2;
  constexpr int decimals_of_cents = 4;
  constexpr int decimals_max = 9;  // what a Cost can hold
  constexpr std::int64_t dollar = 1'000'000'000;
  const std::int64_t size = std::abs(cost.nano_usd);
  int decimals = size < dollar ? decimals_of_cents : decimals_min;
  // Two digits that say something, however small it is.
  for (std::int64_t tiny = dollar / 1000; size < tiny && decimals < decimals_max; tiny /= 10) ++decimals;
  std::string text = fmt::format("{:.{}f}", static_cast<double>(size) / dollar, decimals);
  for (; decimals > decimals_min && text.back() == '0'; --decimals) text.pop_back();
  return (cost.nano_usd < 0 ? "-$" : "$") + text;
}

}  // namespace baton
