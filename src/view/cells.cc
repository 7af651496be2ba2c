#include "view/cells.h"

#include <array>
#include <cstdint>
#include <utility>

namespace baton {
namespace {

struct Character {
  char32_t code;
  std::size_t bytes;
};

/// REQUIRES: printable() text, which is whole UTF-8.
Character next_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t size = lead < 0x80 ? 1U : lead >= 0xF0 ? 4U : lead >= 0xE0 ? 3U : 2U;
  if (size > text.size()) return {0xFFFD, text.size()};
  char32_t code = size == 1 ? lead : lead & (0xFFU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) code = (code << 6U) | (static_cast<unsigned char>(text[i]) & 0x3FU);
  return {code, size};
}

constexpr std::array<std::pair<char32_t, char32_t>, 9> wide = {{{0x1100, 0x115F},
                                                                {0x2E80, 0x303E},
                                                                {0x3041, 0xA4CF},
                                                                {0xAC00, 0xD7A3},
                                                                {0xF900, 0xFAFF},
                                                                {0xFE30, 0xFE6F},
                                                                {0xFF00, 0xFF60},
                                                                {0x1F300, 0x1FAFF},
                                                                {0x20000, 0x3FFFD}}};

std::size_t width_of(char32_t c) {
  const bool combining = (c >= 0x300 && c <= 0x36F) || (c >= 0x200B && c <= 0x200F) || (c >= 0xFE00 && c <= 0xFE0F);
  if (combining) return 0;
  for (const auto& [first, last] : wide) {
    if (c >= first && c <= last) return 2;
  }
  return 1;
}

}  // namespace

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const auto [code, bytes] = next_character(text);
    columns += width_of(code);
    text.remove_prefix(bytes);
  }
  return columns;
}

std::string cut(std::string_view text, std::size_t columns) {
  if (columns_of(text) <= columns) return std::string{text};
  if (columns == 0) return {};
  std::string out;
  std::size_t used = 0;
  while (!text.empty()) {
    const auto [code, bytes] = next_character(text);
    if (used + width_of(code) > columns - 1) break;
    used += width_of(code);
    out += text.substr(0, bytes);
    text.remove_prefix(bytes);
  }
  return out + "…";
}

std::string fit(std::string_view text, std::size_t columns) {
  std::string out = cut(text, columns);
  out.append(columns - columns_of(out), ' ');
  return out;
}

}  // namespace baton
