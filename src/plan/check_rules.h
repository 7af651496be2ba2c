#pragma once

#include <boost/json/fwd.hpp>

#include <string_view>

#include "plan/check.h"

namespace baton {

/// One of the rules that name a path, or `schema`.
CheckResult check_rule(const Check& check, const boost::json::value& root, const Evidence& evidence);

/// A rule for the whole text of an output.
CheckResult check_text(const Check& check, std::string_view text);

}  // namespace baton
