#pragma once

#include <boost/json/fwd.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace baton {

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

}  // namespace baton
