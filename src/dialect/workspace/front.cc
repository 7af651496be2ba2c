#include "dialect/workspace/front.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/ensure.h"
#include "base/text.h"
#include "base/utf8.h"

namespace baton::workspace {
namespace {

constexpr std::string_view blanks = " \t\r";

bool is_fence(std::string_view line) {
  return line.starts_with("---") && line.find_first_not_of(blanks, 3) == std::string_view::npos;
}

bool is_blank(std::string_view line) { return line.find_first_not_of(blanks) == std::string_view::npos; }

/// Goes through a text line by line and knows where it is.
struct LineWalk {
  std::string_view text;
  std::size_t at = 0;
  int number = 0;  ///< of the line that was taken last

  [[nodiscard]] bool done() const { return at >= text.size(); }
  /// With its begin; without its end.
  std::pair<std::size_t, std::string_view> take() {
    const std::size_t begin = at;
    const std::size_t end = std::min(text.find('\n', at), text.size());
    at = std::min(end + 1, text.size());
    ++number;
    return {begin, text.substr(begin, end - begin)};
  }
};

/// Where a remark after a value begins: a `#` behind a blank.
std::size_t without_comment(std::string_view value) {
  for (std::size_t i = 1; i < value.size(); ++i) {
    if (value[i] != '#' || (value[i - 1] != ' ' && value[i - 1] != '\t')) continue;
    const std::size_t last = value.find_last_not_of(blanks, i - 1);
    return last == std::string_view::npos ? 0 : last + 1;
  }
  return value.size();
}

std::string_view without_quotes(std::string_view value) {
  const bool quoted = value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value[0];
  return quoted ? value.substr(1, value.size() - 2) : value;
}

std::optional<FrontLine> read_line(std::string_view line, std::size_t begin, int number) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view key = trim(line.substr(0, colon));
  if (key.empty() || key.front() == '#') return std::nullopt;
  std::size_t first = line.find_first_not_of(blanks, colon + 1);
  if (first == std::string_view::npos) first = std::min(colon + 1, line.size());
  const std::string_view value = trim(line.substr(first));
  const bool remark_only = value.starts_with('#');
  const std::size_t size = remark_only ? 0 : without_comment(value);
  return FrontLine{std::string{key},
                   std::string{without_quotes(value.substr(0, size))},
                   number,
                   static_cast<int>(count_characters(line.substr(0, first))) + 1,
                   begin + first,
                   size,
                   std::string{value}};
}

std::string newline_of(std::string_view text) {
  const std::size_t end = text.find('\n');
  return end != std::string_view::npos && end > 0 && text[end - 1] == '\r' ? "\r\n" : "\n";
}

}  // namespace

const FrontLine* Front::find(std::string_view key) const {
  const FrontLine* found = nullptr;
  for (const FrontLine& line : lines) {
    if (line.key == key) found = &line;
  }
  return found;
}

Expected<Front> read_front(std::string_view text, const std::string& file) {
  Front front;
  LineWalk lines{text, text.size() - without_byte_order_mark(text).size()};
  while (!lines.done()) {
    const auto [begin, line] = lines.take();
    if (is_blank(line)) continue;
    if (!is_fence(line)) return front;  // all of it is body
    break;
  }
  if (lines.done()) return front;
  const int opened = lines.number;
  while (!lines.done()) {
    const auto [begin, line] = lines.take();
    if (is_fence(line)) {
      front.end = begin;
      front.body = lines.at;
      front.body_line = lines.number + 1;
      front.present = true;
      return front;
    }
    if (auto read = read_line(line, begin, lines.number)) front.lines.push_back(std::move(*read));
  }
  return std::unexpected(
      Fault{"no-front-matter", "the front matter is never closed", "end it with a line '---'", {file, opened, 1}});
}

std::string with_values(std::string_view text, const std::vector<std::pair<std::string, std::string>>& values) {
  std::string result{text};
  for (const auto& [key, value] : values) {
    const auto front = read_front(result, "");
    BATON_ENSURE(front && front->present, "a file without a head is edited", key);
    const std::string word = on_one_line(value);
    if (const FrontLine* line = front->find(key)) {
      // After a bare colon there is no blank yet to stand behind.
      const bool bare = line->begin > 0 && result[line->begin - 1] == ':';
      result.replace(line->begin, line->size, (bare ? " " : "") + word);
    } else {
      result.insert(front->end, fmt::format("{}: {}{}", key, word, newline_of(result)));
    }
  }
  return result;
}

std::string on_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) line += c == '\n' || c == '\r' || c == '\0' ? ' ' : c;
  return std::string{trim(line)};
}

}  // namespace baton::workspace
