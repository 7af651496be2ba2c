// Looking into JSON that others wrote: none of these fails, a value of another type is as good as none.
// For source files only: Boost.JSON comes with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/boost_json.h"
#include "text/json_members.h"

namespace baton::api {

/// Nothing if it is no JSON. Text that is not UTF-8 is taken as it is, and an escaped half of a character as bytes:
/// servers cut characters in two between events, and put together they are whole again (as_characters()).
std::optional<boost::json::value> read_json(std::string_view text);

/// A text, or a number as a text.
std::string number_or_text_at(const boost::json::object& object, std::string_view key);
/// A count of tokens; never negative, and nothing if it is no number.
std::optional<std::int64_t> count_at(const boost::json::object& object, std::string_view key);

}  // namespace baton::api
