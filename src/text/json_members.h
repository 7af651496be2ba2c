#pragma once

#include <boost/json/fwd.hpp>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace baton {

// What others wrote, taken as it comes: these never fail, they give less.

/// A member that is of this kind; what is of another kind is as good as none: null, or an empty text.
const boost::json::object* object_at(const boost::json::object& object, std::string_view key);
const boost::json::array* array_at(const boost::json::object& object, std::string_view key);
/// As it is, blanks and all.
std::string_view string_at(const boost::json::object& object, std::string_view key);

/// The value at a dotted path through objects; null if there is none, or it is null.
const boost::json::value* value_at(const boost::json::object& object, std::string_view path);
/// The first of these paths that leads somewhere.
const boost::json::value* value_at(const boost::json::object& object, std::initializer_list<std::string_view> paths);

/// A string without the blanks around it, a number or truth value as text, anything else as JSON on one line.
std::string as_text(const boost::json::value& value);
std::string text_at(const boost::json::object& object, std::initializer_list<std::string_view> paths);

/// A list's items, an object's values, a single value alone; nothing for null and for an empty text.
std::vector<const boost::json::value*> as_list(const boost::json::value& value);
std::vector<std::string> texts_at(const boost::json::object& object, std::initializer_list<std::string_view> paths);

/// A string without the blanks around it, or a whole number as text; empty for anything else.
std::string word_of(const boost::json::value& value);
/// The first of these members of which there is a word.
std::string word_at(const boost::json::object& object, std::initializer_list<std::string_view> keys);

}  // namespace baton
