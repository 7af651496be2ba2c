#include "text/decimal.h"

#include <algorithm>

#include "base/number.h"

namespace baton {
namespace {

constexpr std::size_t exponent_digits_max = 15;  // a text's own digits cannot carry it out of 64 bits then
constexpr std::size_t divided_digits_max = 400;

std::size_t count_digits(std::string_view text) { return std::min(text.find_first_not_of("0123456789"), text.size()); }

std::optional<std::int64_t> read_exponent(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
  if (text.size() > exponent_digits_max) return std::nullopt;
  const std::int64_t exponent = parse_whole<std::int64_t>(text).value_or(0);
  return is_negative ? -exponent : exponent;
}

/// Order by size alone. A number's first digit stands at `digits.size() + exponent`.
std::strong_ordering compare_sizes(const Decimal& one, const Decimal& other) {
  if (one.digits.empty() || other.digits.empty()) return !one.digits.empty() <=> !other.digits.empty();
  const auto height = [](const Decimal& d) { return static_cast<std::int64_t>(d.digits.size()) + d.exponent; };
  if (const auto order = height(one) <=> height(other); order != 0) return order;
  return one.digits.compare(other.digits) <=> 0;  // without zeros at the end the shorter one is the smaller
}

/// A whole number as its digits, without zeros in front.
class Remainder {
 public:
  explicit Remainder(const std::string& unit) : unit_{unit} {}

  /// Takes one more digit of what is divided, as one does on paper.
  void take(char digit) {
    if (!left_.empty() || digit != '0') left_ += digit;
    while (is_enough()) subtract();
  }
  [[nodiscard]] bool is_zero() const { return left_.empty(); }

 private:
  [[nodiscard]] bool is_enough() const {
    return left_.size() != unit_.size() ? left_.size() > unit_.size() : left_ >= unit_;
  }

  void subtract() {
    int borrowed = 0;
    for (std::size_t i = 0; i < left_.size(); ++i) {
      char& digit = left_[left_.size() - 1 - i];
      const int taken = (i < unit_.size() ? unit_[unit_.size() - 1 - i] - '0' : 0) + borrowed;
      borrowed = digit - '0' < taken ? 1 : 0;
      digit = static_cast<char>(digit - taken + 10 * borrowed);
    }
    left_.erase(0, left_.find_first_not_of('0'));  // npos: nothing is left
  }

  const std::string& unit_;
  std::string left_;
};

}  // namespace

bool is_json_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const std::size_t whole = count_digits(text);
  if (whole == 0 || (whole > 1 && text.front() == '0')) return false;
  text.remove_prefix(whole);
  if (text.starts_with('.')) {
    const std::size_t fraction = count_digits(text.substr(1));
    if (fraction == 0) return false;
    text.remove_prefix(1 + fraction);
  }
  if (text.empty()) return true;
  if (text.front() != 'e' && text.front() != 'E') return false;
  text.remove_prefix(1);
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && count_digits(text) == text.size();
}

std::optional<Decimal> read_decimal(std::string_view number) {
  Decimal read;
  read.is_negative = number.starts_with('-');
  if (read.is_negative) number.remove_prefix(1);
  const std::size_t whole = count_digits(number);
  read.digits = number.substr(0, whole);
  number.remove_prefix(whole);
  if (number.starts_with('.')) {
    const std::size_t fraction = count_digits(number.substr(1));
    read.digits += number.substr(1, fraction);
    read.exponent = -static_cast<std::int64_t>(fraction);
    number.remove_prefix(1 + fraction);
  }
  read.digits.erase(0, std::min(read.digits.find_first_not_of('0'), read.digits.size()));
  const std::size_t size = read.digits.find_last_not_of('0') + 1;  // npos + 1 is 0: there are only zeros
  read.exponent += static_cast<std::int64_t>(read.digits.size() - size);
  read.digits.resize(size);
  if (read.digits.empty()) return Decimal{};  // whatever its exponent
  if (number.empty()) return read;
  const auto exponent = read_exponent(number.substr(1));
  if (!exponent) return std::nullopt;
  read.exponent += *exponent;
  return read;
}

std::strong_ordering compare(const Decimal& one, const Decimal& other) {
  if (one.is_negative != other.is_negative) return other.is_negative <=> one.is_negative;
  return one.is_negative ? compare_sizes(other, one) : compare_sizes(one, other);
}

std::optional<bool> is_multiple(const Decimal& number, const Decimal& unit) {
  if (number.digits.empty()) return true;
  if (unit.digits.empty()) return false;
  // With finer steps than the unit's it would have to end in a 0, and it does not.
  if (number.exponent < unit.exponent) return false;
  if (number.digits.size() > divided_digits_max || unit.digits.size() > divided_digits_max) return std::nullopt;
  // Zeros beyond these bring no more of the factors 2 and 5 into the unit than it can have.
  const auto zeros =
      std::min<std::int64_t>(number.exponent - unit.exponent, 4 * static_cast<std::int64_t>(unit.digits.size()));
  Remainder remainder{unit.digits};
  for (const char digit : number.digits) remainder.take(digit);
  for (std::int64_t i = 0; i < zeros && !remainder.is_zero(); ++i) remainder.take('0');
  return remainder.is_zero();
}

}  // namespace baton
