#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace baton {

/// `text` as a JSON string with its quotes; bytes that are not UTF-8 become U+FFFD.
std::string json_quote(std::string_view text);

/// `text` with every control character shown as a sign (`\x1b`, `\u202e`), so that it can never drive a terminal.
/// Newlines and tabs stay. Bytes that are not UTF-8 become U+FFFD.
std::string printable(std::string_view text);

/// The nearest of `known` to `word` by edit distance, or "" where none is near enough to be a likely slip.
std::string nearest(std::string_view word, const std::vector<std::string>& known);

/// Lower case, every run of other characters than [a-z0-9] one '-', none at the ends, at most `size_max` long.
std::string slug(std::string_view text, std::size_t size_max = 30);

/// `text` with a blank for every control character, so that a value with a line of its own cannot begin another one.
std::string one_line(std::string_view text);

std::string join(const std::vector<std::string>& parts, std::string_view separator);
bool is_one_of(const std::vector<std::string>& words, std::string_view word);
std::string_view trim(std::string_view text);
std::vector<std::string_view> split(std::string_view text, char separator);

/// Cuts to at most `bytes_max` bytes without cutting a character in two; says so with a sign at the end.
std::string shorten(std::string_view text, std::size_t bytes_max);

/// An id that may become part of a path: a letter, digit or '_' first, then also '.', '-', ':'; at most 128 bytes.
/// The one grammar of ids: no '/', no '..' alone, nothing a path could be led astray by.
bool is_id(std::string_view text);

}  // namespace baton
