#include "base/utf8.h"

#include <algorithm>

namespace baton {
namespace {

constexpr std::size_t going_on_max = 3;  // of the bytes of one character; where there are more, it is no UTF-8

/// A byte that goes on with a character.
bool goes_on(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

}  // namespace

Utf8Character utf8_front(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  if (lead < 0xC2 || lead > 0xF4) return {};
  const std::size_t size = lead >= 0xF0 ? 4U : lead >= 0xE0 ? 3U : 2U;
  if (text.size() < size) return {};
  char32_t code = lead & (0xFFU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if (!goes_on(text[i])) return {};
    code = (code << 6U) | (byte(i) & 0x3FU);
  }
  const bool overlong = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  if (overlong || surrogate || code > 0x10FFFF) return {};
  return {code, size};
}

Utf8Character utf8_shown(std::string_view text) {
  constexpr char32_t replacement = 0xFFFD;
  const Utf8Character character = utf8_front(text);
  return character.size > 0 ? character : Utf8Character{replacement, 1};
}

std::size_t utf8_fault(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    if (static_cast<unsigned char>(text[i]) < 0x80) {  // nearly always: do not pay for a decoding
      ++i;
      continue;
    }
    const std::size_t size = utf8_front(text.substr(i)).size;
    if (size == 0) return i;
    i += size;
  }
  return std::string_view::npos;
}

std::int64_t count_characters(std::string_view text) {
  return std::ranges::count_if(text, [](char c) { return !goes_on(c); });
}

std::string_view whole_front(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  std::size_t size = bytes_max;
  while (size > 0 && bytes_max - size < going_on_max && goes_on(text[size])) --size;
  return text.substr(0, size);
}

std::string_view whole_back(std::string_view text) {
  std::size_t cut = 0;
  while (cut < std::min(text.size(), going_on_max) && goes_on(text[cut])) ++cut;
  return text.substr(cut);
}

std::string_view first_characters(std::string_view text, std::int64_t count) {
  std::size_t size = 0;
  for (; size < text.size() && count > 0; --count) {
    ++size;
    while (size < text.size() && goes_on(text[size])) ++size;
  }
  return text.substr(0, size);
}

std::string_view without_byte_order_mark(std::string_view text) {
  return text.starts_with(byte_order_mark) ? text.substr(byte_order_mark.size()) : text;
}

}  // namespace baton
