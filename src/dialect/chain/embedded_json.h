#pragma once

#include <boost/json/fwd.hpp>

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

namespace baton::chain {

/// An object or list that stands somewhere in a text. Of use where somebody's word is looked for that stands in prose,
/// too (a route, a list of tasks, a verdict); an output comes of an answer's document alone (plan/answer_document.h).
struct EmbeddedJson {
  const boost::json::value* value = nullptr;  ///< null if it is broken
  std::string trouble;                        ///< what is wrong with it, and where
  bool whole = false;                         ///< there is nothing else in the text but a fence around it
  bool last = false;                          ///< nothing but the end of a fence follows it
};

/// Calls `visit` for every JSON object and list in `text`, in order, the outermost only, until it returns false.
/// Whatever lies inside one that is broken is passed over: a part of it must not be taken for the whole. A text of more
/// than 4 MiB is not looked into and counts as broken.
void each_json(std::string_view text, const std::function<bool(const EmbeddedJson&)>& visit);

/// The text of a member that is a string or a whole number; empty if there is none under any of these keys. Of several
/// the first that is not empty counts.
std::string text_of(const boost::json::object& object, std::initializer_list<std::string_view> keys);

/// A string without the blanks around it, or a whole number as text; empty for anything else.
std::string text_of(const boost::json::value& value);

/// The first of these members that is there and not null; null if there is none.
const boost::json::value* member(const boost::json::object& object, std::initializer_list<std::string_view> keys);

}  // namespace baton::chain
