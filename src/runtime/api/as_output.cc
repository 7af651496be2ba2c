#include "base/text.h"
#include "runtime/api/api_runtime.h"
#include "runtime/api/json_reading.h"

namespace baton::api {
namespace {

/// What stands in the first fence: between its line and the line that closes it; empty if there is none.
std::string_view fenced(std::string_view text) {
  constexpr std::string_view fence = "```";
  const auto open = text.find(fence);
  if (open == std::string_view::npos) return {};
  const auto line_end = text.find('\n', open);
  if (line_end == std::string_view::npos) return {};
  const auto close = text.find("\n```", line_end);
  return text.substr(line_end + 1, close == std::string_view::npos ? close : close - line_end - 1);
}

/// From the first brace to the last: a model that says a few words before and after.
std::string_view braced(std::string_view text) {
  const auto first = text.find_first_of("{[");
  if (first == std::string_view::npos) return {};
  const auto last = text.find_last_of(text[first] == '{' ? '}' : ']');
  return last == std::string_view::npos || last < first ? std::string_view{} : text.substr(first, last - first + 1);
}

}  // namespace

std::string as_output(std::string_view answer, OutputFormat format) {
  if (format != OutputFormat::json) return std::string{answer};
  const std::string_view whole = trim(answer);
  for (const std::string_view part : {whole, trim(fenced(whole)), braced(whole)}) {
    if (!part.empty() && read_json(part)) return std::string{part};
  }
  return std::string{answer};
}

}  // namespace baton::api
