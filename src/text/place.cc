#include "text/place.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/utf8.h"

namespace baton {

int LineAt::column() const { return static_cast<int>(count_characters(before)) + 1; }

LineAt line_at(std::string_view text, std::size_t offset, LineEnds ends) {
  offset = std::min(offset, text.size());
  int number = 1;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < offset; ++i) {
    const bool is_lone_cr = text[i] == '\r' && !text.substr(i + 1).starts_with('\n');
    if (text[i] != '\n' && !(ends == LineEnds::lf_and_cr && is_lone_cr)) continue;
    ++number;
    begin = i + 1;
  }
  return {number, text.substr(begin, offset - begin)};
}

Place place_at(std::string_view text, std::size_t offset, const std::string& file) {
  const LineAt line = line_at(text, offset);
  return {file, line.number, line.column()};
}

std::string place_in_words(std::string_view text, std::size_t offset) {
  const LineAt line = line_at(text, offset);
  return fmt::format("line {}, column {}", line.number, line.before.size() + 1);
}

}  // namespace baton
