// Texts that a regular expression matches: a guess is made from the expression itself, then tried.
#include <algorithm>
#include <array>

#include "base/number.h"
#include "base/utf8.h"
#include "plan/pattern.h"
#include "runtime/rehearsal_fit.h"
#include "text/json_value.h"

namespace baton {
namespace {

constexpr std::size_t made_bytes_max = 1U << 20U;
constexpr int pattern_depth_max = 50;

/// Reads an expression once and writes down what each part of it would match, taking the first of alternatives.
class Guess {
 public:
  /// `times`: how often a part comes that may come any number of times.
  Guess(std::string_view expression, std::size_t times) : rest_{expression}, times_{times} {}

  std::string make() { return alternatives(0); }

 private:
  [[nodiscard]] bool at(char c) const { return !rest_.empty() && rest_.front() == c; }

  char take() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  std::string alternatives(int depth) {
    const std::string first = sequence(depth);
    while (at('|')) {
      take();
      (void)sequence(depth);
    }
    return first;
  }

  std::string sequence(int depth) {
    std::string out;
    while (!rest_.empty() && !at('|') && !at(')')) {
      const std::string piece = one(depth);
      const std::size_t count = how_often();
      for (std::size_t i = 0; i < count && out.size() + piece.size() < made_bytes_max; ++i) out += piece;
    }
    return out;
  }

  std::string one(int depth) {
    const char c = take();
    if (c == '(') return group(depth);
    if (c == '[') return bracket();
    if (c == '\\') return escape();
    if (c == '.') return "a";
    if (c == '^' || c == '$') return "";
    return std::string{c};
  }

  std::string group(int depth) {
    if (at('?')) {
      while (!rest_.empty() && !at(':') && !at('>') && !at(')')) take();
      if (!rest_.empty() && !at(')')) take();
    }
    std::string inner = depth < pattern_depth_max ? alternatives(depth + 1) : "";
    if (at(')')) take();
    return inner;
  }

  std::string escape() {
    if (rest_.empty()) return "";
    const char c = take();
    switch (c) {
      case 'd':
        return "1";
      case 'w':
        return "a";
      case 's':
        return " ";
      case 'D':
      case 'S':
        return "a";
      case 'W':
        return "-";
      case 'n':
        return "\n";
      case 't':
        return "\t";
      case 'b':
      case 'B':
      case 'A':
      case 'z':
        return "";
      default:
        return std::string{c};
    }
  }

  /// The first character that a class allows; of what it forbids, one that is not there.
  std::string bracket() {
    const bool is_not = at('^');
    if (is_not) take();
    std::string members;
    bool is_first = true;
    while (!rest_.empty() && (is_first || !at(']'))) {
      is_first = false;
      if (rest_.starts_with("[:")) {
        members += posix_class();
        continue;
      }
      const char c = take();
      members += c == '\\' ? escape() : std::string{c};
      if (rest_.size() > 1 && at('-') && rest_[1] != ']') {  // a range begins with its first
        take();
        take();
      }
    }
    if (at(']')) take();
    if (!is_not) return std::string{first_characters(members, 1)};
    for (const char c : std::string_view{"aA1 -_.x"}) {
      if (members.find(c) == std::string::npos) return std::string{c};
    }
    return "~";
  }

  std::string posix_class() {
    const std::size_t end = rest_.find(":]");
    const std::string_view name = rest_.substr(2, end == std::string_view::npos ? 0 : end - 2);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 2);
    if (name == "digit" || name == "xdigit") return "1";
    if (name == "upper") return "A";
    if (name == "space" || name == "blank") return " ";
    if (name == "punct") return "-";
    return "a";
  }

  std::size_t how_often() {
    if (rest_.empty()) return 1;
    std::size_t count = 1;
    if (at('*')) {
      take();
      count = times_;
    } else if (at('+')) {
      take();
      count = std::max<std::size_t>(times_, 1);
    } else if (at('?')) {
      take();
      count = 1;
    } else if (at('{')) {
      count = braces();
    }
    if (at('?')) take();  // not greedy: all the same here
    return count;
  }

  std::size_t braces() {
    const std::size_t end = rest_.find('}');
    if (end == std::string_view::npos) return 1;
    const std::string inner{rest_.substr(1, end - 1)};
    rest_.remove_prefix(end + 1);
    const std::size_t comma = inner.find(',');
    const auto number = [](const std::string& digits, std::size_t otherwise) {
      return digits.size() < 6 ? parse_whole<std::size_t>(digits).value_or(otherwise) : otherwise;
    };
    const std::size_t least = number(inner.substr(0, comma), 1);
    if (comma == std::string::npos) return least;
    const std::size_t most = number(inner.substr(comma + 1), std::max(least, times_));
    return std::clamp(times_, least, std::max(least, most));
  }

  std::string_view rest_;
  std::size_t times_;
};

}  // namespace

std::string text_matching(const std::string& expression, std::int64_t length_min, std::int64_t length_max) {
  const auto pattern = Pattern::compile(expression);
  if (!pattern) return {};
  const auto is_good = [&](const std::string& text) {
    const std::int64_t size = count_characters(text);
    return size >= length_min && size <= length_max && pattern->is_in(text);
  };
  std::vector<std::string> candidates;
  for (std::size_t times : {1U, 2U, 3U, 0U, 5U, 8U, 12U, 20U, 40U, 100U}) {
    candidates.push_back(Guess{expression, times}.make());
  }
  if (length_min > 0 && length_min < static_cast<std::int64_t>(made_bytes_max)) {
    candidates.push_back(Guess{expression, static_cast<std::size_t>(length_min)}.make());
  }
  for (const char* usual : {"rehearsal", "Rehearsal", "2026-01-02", "2026-01-02T03:04:05Z", "1", "12.5", "a-1",
                            "v1.0.0", "https://example.com/", "name@example.com", "true"}) {
    candidates.emplace_back(usual);
  }
  for (const std::string& candidate : candidates) {
    if (is_good(candidate)) return candidate;
    if (count_characters(candidate) < length_min && length_min <= static_cast<std::int64_t>(made_bytes_max)) {
      // Found anywhere is enough for an expression that is not tied to the ends.
      const std::string padded =
          candidate + std::string(static_cast<std::size_t>(length_min - count_characters(candidate)), 'a');
      if (is_good(padded)) return padded;
    }
  }
  return {};
}

}  // namespace baton
