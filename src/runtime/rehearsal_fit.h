#pragma once

#include <boost/json/fwd.hpp>

#include <map>
#include <string>
#include <vector>

#include "plan/check.h"

namespace baton {

/// Changes a made-up JSON document until it meets the checks, as far as it can be brought to. `compared`: outputs of
/// other steps, by step.
std::string fit_json(const std::string& document, const std::vector<Check>& checks,
                     const std::map<std::string, std::string>& compared);

/// Whether it does. Commands are not run, and count as passed.
bool meets(const std::string& document, const std::vector<Check>& checks,
           const std::map<std::string, std::string>& compared);

/// The same as fit_json for a text and the rules that look at texts.
std::string fit_text(std::string text, const std::vector<Check>& checks);

/// Changes `value` as little as it can so that it meets `schema`, whose references are looked up in `root`.
void fit_schema(boost::json::value& value, const boost::json::value& schema, const boost::json::value& root);

/// A text that the expression is found in, with `length_min` to `length_max` characters if there is such a one; empty
/// where none was found. Understands what people write to describe names, dates and numbers, not every expression.
std::string text_matching(const std::string& expression, std::int64_t length_min, std::int64_t length_max);

}  // namespace baton
