#pragma once

#include <string>
#include <string_view>

namespace baton::api {

/// JSON in which an escaped half of a character (`\ud83d` without its `\ude00`, as servers write that cut one in two)
/// stands as three bytes instead, which no reader of JSON refuses that takes any bytes. All else stays as it is.
std::string with_halves_as_bytes(std::string_view json);

/// What the inside of a JSON string stands for, as characters; as it is written if it is none.
std::string unescaped(std::string_view inside);

/// Text as UTF-8: halves that have come together are joined; what then is no character becomes U+FFFD.
std::string as_characters(std::string text);

}  // namespace baton::api
