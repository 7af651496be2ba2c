// What the two files that read and apply schemas share. For source files only: Boost.JSON comes with it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/boost_json.h"
#include "plan/pattern.h"
#include "plan/schema.h"

namespace baton {

/// A schema that was understood: its text as a value, and what its patterns and references stand for.
struct Schema::Parts {
  boost::json::value root;
  std::map<std::string, const boost::json::value*, std::less<>> references;  ///< `#/definitions/a` -> the schema
  std::map<std::string, Pattern, std::less<>> patterns;                      ///< of `pattern` and `patternProperties`
  bool only_reference_counts = true;  ///< what stands beside a `$ref` is passed over, as up to draft 7
  std::vector<std::string> passed_over;
};

}  // namespace baton
