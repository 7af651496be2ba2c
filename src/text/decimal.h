#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace baton {

/// A number exactly as it is written: `digits` times ten to the `exponent`. JSON has no largest number and no smallest
/// step, and what a machine's number makes of 9007199254740993 or 0.1 is another number.
struct Decimal {
  bool is_negative = false;
  std::string digits = {};  ///< none at the ends is a 0; empty: the number is 0
  std::int64_t exponent = 0;

  bool operator==(const Decimal&) const = default;
  [[nodiscard]] bool is_whole() const { return exponent >= 0; }
};

/// Written exactly as JSON writes numbers: it can be copied as it stands.
bool is_json_number(std::string_view text);

/// Nothing where the exponent has so many digits that no comparison means anything.
/// REQUIRES: is_json_number(number).
std::optional<Decimal> read_decimal(std::string_view number);

std::strong_ordering compare(const Decimal& one, const Decimal& other);

/// True if `number` is `unit` times a whole number. Nothing if that takes more digits than are looked at.
std::optional<bool> is_multiple(const Decimal& number, const Decimal& unit);

}  // namespace baton
