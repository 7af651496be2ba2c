#include "text/place.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/utf8.h"

namespace baton {

LineAt line_at(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto breaks = std::ranges::count(before, '\n');
  return {static_cast<int>(breaks) + 1, before.substr(before.rfind('\n') + 1)};  // npos + 1 is 0: the first line
}

Place place_at(std::string_view text, std::size_t offset, const std::string& file) {
  const LineAt line = line_at(text, offset);
  return {file, line.number, static_cast<int>(count_characters(line.before)) + 1};
}

std::string place_in_words(std::string_view text, std::size_t offset) {
  const LineAt line = line_at(text, offset);
  return fmt::format("line {}, column {}", line.number, line.before.size() + 1);
}

}  // namespace baton
