#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "plan/check.h"

namespace baton {

/// The JSON document of an answer: the whole of it; else the one fenced block that is JSON; else an object or list that
/// begins on a line of its own and ends the answer. Nothing where that might be another one as well, and never a part
/// of a sentence: `I cannot give you {"x": 1}` gives nothing.
std::optional<std::string_view> document_of(std::string_view answer);

/// An answer as the output that a step is to have. One in which no document is found stays as it is, for the checks to
/// refuse.
std::string as_output(std::string_view answer, OutputFormat format);

}  // namespace baton
