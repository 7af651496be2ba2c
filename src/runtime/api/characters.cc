#include "runtime/api/characters.h"

#include <cstddef>
#include <utility>

#include "base/number.h"
#include "base/utf8.h"

namespace baton::api {
namespace {

constexpr std::string_view no_character = "\xEF\xBF\xBD";
constexpr std::size_t half_bytes = 3;
constexpr std::size_t escape_bytes = 6;  // \ud83d

bool is_first_half(unsigned code) { return code >= 0xD800 && code < 0xDC00; }
bool is_second_half(unsigned code) { return code >= 0xDC00 && code < 0xE000; }

/// The code of `\uXXXX` at the beginning; 0 if that is not there.
unsigned escaped_code(std::string_view text) {
  if (text.size() < escape_bytes || !text.starts_with("\\u")) return 0;
  return parse_hex<unsigned>(text.substr(2, escape_bytes - 2)).value_or(0);
}

/// The code of a half as its three bytes at the beginning; 0 if that is not there.
unsigned half_code(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (text.size() < half_bytes || byte(0) != 0xED || byte(1) < 0xA0 || byte(1) > 0xBF || (byte(2) & 0xC0U) != 0x80U) {
    return 0;
  }
  return 0xD000U | (byte(1) & 0x3FU) << 6U | (byte(2) & 0x3FU);
}

void append_half(unsigned code, std::string& text) {
  text += static_cast<char>(0xE0U | code >> 12U);
  text += static_cast<char>(0x80U | (code >> 6U & 0x3FU));
  text += static_cast<char>(0x80U | (code & 0x3FU));
}

void append_joined(unsigned first, unsigned second, std::string& text) {
  const unsigned code = 0x10000U + ((first - 0xD800U) << 10U) + (second - 0xDC00U);
  text += static_cast<char>(0xF0U | code >> 18U);
  text += static_cast<char>(0x80U | (code >> 12U & 0x3FU));
  text += static_cast<char>(0x80U | (code >> 6U & 0x3FU));
  text += static_cast<char>(0x80U | (code & 0x3FU));
}

/// How many bytes stand for one character that is none: a lead and what would go on with it.
std::size_t fault_size(std::string_view text) {
  constexpr std::size_t size_max = 3;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  std::size_t size = 1;
  if (byte(0) < 0xC2 || byte(0) > 0xF4) return size;
  while (size < text.size() && size < size_max && (byte(size) & 0xC0U) == 0x80U) ++size;
  return size;
}

}  // namespace

std::string with_halves_as_bytes(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  for (std::size_t i = 0; i < json.size();) {
    if (json[i] != '\\') {
      text += json[i++];
      continue;
    }
    const unsigned code = escaped_code(json.substr(i));
    const bool is_pair = is_first_half(code) && i + escape_bytes < json.size() &&
                         is_second_half(escaped_code(json.substr(i + escape_bytes)));
    if (!is_pair && (is_first_half(code) || is_second_half(code))) {
      append_half(code, text);
      i += escape_bytes;
      continue;
    }
    const std::size_t size = is_pair ? 2 * escape_bytes : 2;
    text += json.substr(i, size);
    i += size;
  }
  return text;
}

std::string as_characters(std::string text) {
  if (utf8_fault(text) == std::string::npos) return text;
  std::string whole;
  for (std::string_view rest = text; !rest.empty();) {
    if (const std::size_t size = utf8_front(rest).size; size > 0) {
      whole += rest.substr(0, size);
      rest.remove_prefix(size);
      continue;
    }
    const unsigned first = half_code(rest);
    const unsigned second = first == 0 ? 0 : half_code(rest.substr(half_bytes));
    if (is_first_half(first) && is_second_half(second)) {
      append_joined(first, second, whole);
      rest.remove_prefix(2 * half_bytes);
      continue;
    }
    whole += no_character;
    rest.remove_prefix(first != 0 ? half_bytes : fault_size(rest));
  }
  return whole;
}

}  // namespace baton::api
