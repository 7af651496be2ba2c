#pragma once

#include <boost/json/fwd.hpp>

#include <compare>
#include <cstdint>
#include <expected>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "text/decimal.h"

namespace baton {

/// Nesting of JSON that is looked into: more is no result but an attack on our stack.
inline constexpr std::size_t json_depth_max = 64;

/// Reads one whole document; a byte order mark before it is passed over. The error says what is wrong and at which line
/// and column. Numbers that no machine number holds exactly are kept as they are written: for Boost such a value is a
/// string, so ask is_number() and if_text() what a value is, and not its kind.
std::expected<boost::json::value, std::string> parse_json(std::string_view text);

/// The value at a dotted path, through objects and lists; null if there is none. `$` alone is `root` itself.
const boost::json::value* find_value(const boost::json::value& root, std::string_view path);

/// Calls `visit` for every value that `path` means, with its own path: `*` is every item of a list or object. Where the
/// way ends too early the value is null. An empty list has no items, so nothing is called for it.
void visit_values(const boost::json::value& root, std::string_view path,
                  const std::function<void(const std::string& path, const boost::json::value* value)>& visit);

/// As compact JSON on one line, at most 80 bytes of it.
std::string shown(const boost::json::value& value);

/// The same text for equal values, whatever the order of keys; 1 and 1.0 are equal.
std::string canonical(const boost::json::value& value);
bool same(const boost::json::value& one, const boost::json::value& other);

/// `array`, `boolean`, `integer`, `null`, `number`, `object` or `string`.
bool has_type(const boost::json::value& value, std::string_view type);
std::string_view type_name(const boost::json::value& value);

bool is_number(const boost::json::value& value);

/// Null where the value is no text.
const boost::json::string* if_text(const boost::json::value& value);

/// A number near enough to its value to reckon with. What a rule asks of it is for exact() to say.
/// REQUIRES: it is a number.
long double number_of(const boost::json::value& value);

/// A number as it is written.
/// REQUIRES: it is a number.
Decimal exact(const boost::json::value& value);
std::strong_ordering compare_numbers(const boost::json::value& one, const boost::json::value& other);

/// As compact JSON, with numbers as people write them: 0.5 and not 5E-1.
std::string written_json(const boost::json::value& value);

/// The same JSON without a blank too many; the error is parse_json's.
std::expected<std::string, std::string> compact_json(std::string_view text);

}  // namespace baton
