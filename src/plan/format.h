#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace baton {

/// The words of a schema's `format` that are looked at: `date`, `time`, `date-time` …
const std::vector<std::string>& known_formats();

/// True if the text is written so, or if nobody knows the format. Dates are those of the calendar, and a 60th second
/// is one only where a leap second can be.
bool meets_format(std::string_view format, std::string_view text);

}  // namespace baton
