#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace baton {

/// Takes the number that `text` begins with off its front. Nothing, and the text stays as it is, where there is none or
/// where it does not fit. A minus belongs to it where T has a sign; a plus and blanks never do.
template <class T>
std::optional<T> take_number(std::string_view& text) {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// The number that the whole of `text` is, as take_number() reads one.
template <class T>
std::optional<T> parse_whole(std::string_view text) {
  const auto number = take_number<T>(text);
  return text.empty() ? number : std::nullopt;
}

/// The same of hexadecimal digits.
template <class T>
  requires std::is_unsigned_v<T>
std::optional<T> parse_hex(std::string_view text) {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace baton
