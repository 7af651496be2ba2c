#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace baton {

struct Utf8Character {
  char32_t code = 0;
  std::size_t size = 0;  ///< bytes taken; 0: the text does not begin with a UTF-8 character
};

/// The first character of `text`.
/// REQUIRES: `text` is not empty.
Utf8Character utf8_front(std::string_view text);

/// The same, with U+FFFD and one byte where the text does not begin with a character.
/// REQUIRES: `text` is not empty.
Utf8Character utf8_shown(std::string_view text);

/// Where the first byte stands that belongs to no UTF-8 character; npos if all is well.
std::size_t utf8_fault(std::string_view text);

/// Characters (code points), not bytes.
std::int64_t count_characters(std::string_view text);

/// The most of `text`'s first `bytes_max` bytes that ends between two characters.
std::string_view whole_front(std::string_view text, std::size_t bytes_max);

/// What is left of a text that was cut anywhere, from its first whole character on.
std::string_view whole_back(std::string_view text);

/// Its first so many characters.
std::string_view first_characters(std::string_view text, std::int64_t count);

inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// The text behind a byte order mark, which some programs put before what they write.
std::string_view without_byte_order_mark(std::string_view text);

}  // namespace baton
