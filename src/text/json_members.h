#pragma once

#include <boost/json/fwd.hpp>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace baton {

/// What others wrote, taken as it comes: these never fail, they give less.

/// The value at a dotted path through objects; null if there is none, or it is null.
const boost::json::value* value_at(const boost::json::object& object, std::string_view path);
/// The first of these paths that leads somewhere.
const boost::json::value* value_at(const boost::json::object& object, std::initializer_list<std::string_view> paths);

/// A string as it is, a number or truth value as text, anything else as JSON on one line.
std::string as_text(const boost::json::value& value);
std::string text_at(const boost::json::object& object, std::initializer_list<std::string_view> paths);

/// A list's items, an object's values, a single value alone; nothing for null and for an empty text.
std::vector<const boost::json::value*> as_list(const boost::json::value& value);
std::vector<std::string> texts_at(const boost::json::object& object, std::initializer_list<std::string_view> paths);

/// The text of a member that is a string or a whole number; empty if there is none under any of these keys. Of several
/// the first that is not empty counts.
std::string text_of(const boost::json::object& object, std::initializer_list<std::string_view> keys);

/// A string without the blanks around it, or a whole number as text; empty for anything else.
std::string text_of(const boost::json::value& value);

/// The first of these members that is there and not null; null if there is none.
const boost::json::value* member(const boost::json::object& object, std::initializer_list<std::string_view> keys);

}  // namespace baton
