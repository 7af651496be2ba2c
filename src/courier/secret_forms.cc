#include "courier/secret_forms.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>

namespace baton::courier {
namespace {

bool is_plain(char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

/// Each character that is neither letter nor digit as `form` says; `%02X`, `\u%04x`.
template <class Form>
std::string escaped(std::string_view secret, Form&& form) {
  std::string text;
  for (const char c : secret) text += is_plain(c) ? std::string(1, c) : form(static_cast<unsigned char>(c));
  return text;
}

std::string in_hex(std::string_view secret, bool upper) {
  std::string text;
  for (const char c : secret) {
    const auto byte = static_cast<unsigned char>(c);
    text += upper ? fmt::format("{:02X}", byte) : fmt::format("{:02x}", byte);
  }
  return text;
}

/// With `before` unknown bytes in front: only the digits that nothing but the secret decides.
std::string in_base64(std::string_view secret, std::size_t before, std::string_view last_digits) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  const std::string whole = std::string(before, '\0') + std::string{secret};
  std::string text;
  const std::size_t first = (before * 8 + 5) / 6;
  for (std::size_t digit = first; (digit + 1) * 6 <= whole.size() * 8; ++digit) {
    unsigned value = 0;
    for (std::size_t bit = digit * 6; bit < digit * 6 + 6; ++bit) {
      value = value * 2 + ((static_cast<unsigned char>(whole[bit / 8]) >> (7 - bit % 8)) & 1U);
    }
    text += value < digits.size() ? digits[value] : last_digits[value - digits.size()];
  }
  return text;
}

}  // namespace

std::vector<std::string> secret_forms(std::string_view secret) {
  std::vector<std::string> forms;
  const auto add = [&](std::string form) {
    if (std::ranges::find(forms, form) == forms.end()) forms.push_back(std::move(form));
  };
  add(std::string{secret});
  add(in_hex(secret, false));
  add(in_hex(secret, true));
  add(escaped(secret, [](unsigned c) { return fmt::format("%{:02X}", c); }));
  add(escaped(secret, [](unsigned c) { return fmt::format("%{:02x}", c); }));
  add(escaped(secret, [](unsigned c) { return fmt::format("\\u{:04X}", c); }));
  add(escaped(secret, [](unsigned c) { return fmt::format("\\u{:04x}", c); }));
  for (std::size_t before = 0; before < 3; ++before) {
    add(in_base64(secret, before, "+/"));
    add(in_base64(secret, before, "-_"));
  }
  return forms;
}

}  // namespace baton::courier
