// What the two files that read and apply schemas share. For source files only: Boost.JSON comes with it.
#pragma once

#include <map>
#include <string>

#include "base/boost_json.h"
#include "plan/pattern.h"
#include "plan/schema.h"

namespace baton {

/// A schema that was understood: its text as a value, and what its patterns and references stand for.
struct Schema::Parts {
  boost::json::value root;
  std::map<std::string, const boost::json::value*, std::less<>> references;  ///< `#/definitions/a` -> the schema
  std::map<std::string, Pattern, std::less<>> patterns;                      ///< of `pattern` and `patternProperties`
};

/// The expression a `format` stands for; null for one that is not looked at.
const Pattern* format_pattern(std::string_view format);

}  // namespace baton
