#include "dialect/session/task_id.h"

#include <algorithm>

#include "base/text.h"

namespace baton::session {
namespace {

constexpr std::size_t short_letters_max = 3;  // of an id without a dash: `HTTP2` is none

bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_capital(c) || is_digit(c) || (c >= 'a' && c <= 'z') || c == '_'; }

std::size_t run_of(std::string_view text, bool (*belongs)(char)) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, belongs) - text.begin());
}

/// `001`, `1.2.3`, `A1`: some capitals, digits, further numbers after dots.
bool is_number_part(std::string_view part, std::size_t letters_max) {
  const std::size_t letters = run_of(part, is_capital);
  if (letters > letters_max) return false;
  for (const std::string_view number : split(part.substr(letters), '.')) {
    if (number.empty() || run_of(number, is_digit) != number.size()) return false;
  }
  return true;
}

/// Without what stands in parentheses, full-width ones too.
std::string without_remarks(std::string_view text) {
  constexpr std::string_view wide_open = "（";
  constexpr std::string_view wide_close = "）";
  std::string out;
  int depth = 0;
  while (!text.empty()) {
    std::size_t size = 1;
    if (text.starts_with('(') || text.starts_with(wide_open)) {
      ++depth;
      size = text.starts_with('(') ? 1 : wide_open.size();
    } else if (text.starts_with(')') || text.starts_with(wide_close)) {
      depth = std::max(0, depth - 1);
      size = text.starts_with(')') ? 1 : wide_close.size();
    } else if (depth == 0) {
      out += text.front();
    }
    text.remove_prefix(size);
  }
  return out;
}

}  // namespace

bool is_task_id(std::string_view word) {
  if (word.empty() || !is_capital(word.front()) || !is_id(word)) return false;
  const std::vector<std::string_view> parts = split(word, '-');
  if (parts.size() == 1) return !is_digit(word.front()) && is_number_part(word, short_letters_max);
  const auto is_plain = [](std::string_view part) {
    return !part.empty() && std::ranges::all_of(part, [](char c) { return is_capital(c) || is_digit(c) || c == '_'; });
  };
  return std::ranges::all_of(parts.begin(), parts.end() - 1, is_plain) &&
         is_number_part(parts.back(), short_letters_max);
}

std::size_t task_id_size(std::string_view text) {
  std::size_t size = run_of(text, [](char c) { return is_word(c) || c == '-' || c == '.'; });
  while (size > 0 && !is_word(text[size - 1])) --size;
  return is_task_id(text.substr(0, size)) ? size : 0;
}

std::vector<std::string> task_ids_in(std::string_view text) {
  const std::string plain = without_remarks(text);
  std::vector<std::string> ids;
  for (std::size_t at = 0; at < plain.size();) {
    const std::string_view rest = std::string_view{plain}.substr(at);
    const std::size_t size = task_id_size(rest);
    if (size > 0 && std::ranges::find(ids, rest.substr(0, size)) == ids.end()) ids.emplace_back(rest.substr(0, size));
    at += std::max<std::size_t>({size, run_of(rest, [](char c) { return is_word(c) || c == '-'; }), 1});
  }
  return ids;
}

bool comes_before(std::string_view one, std::string_view other) {
  while (!one.empty() && !other.empty()) {
    if (is_digit(one.front()) && is_digit(other.front())) {
      std::string_view left = one.substr(0, run_of(one, is_digit));
      std::string_view right = other.substr(0, run_of(other, is_digit));
      one.remove_prefix(left.size());
      other.remove_prefix(right.size());
      left.remove_prefix(std::min(left.find_first_not_of('0'), left.size()));
      right.remove_prefix(std::min(right.find_first_not_of('0'), right.size()));
      if (left.size() != right.size()) return left.size() < right.size();
      if (left != right) return left < right;
    } else {
      if (one.front() != other.front()) return one.front() < other.front();
      one.remove_prefix(1);
      other.remove_prefix(1);
    }
  }
  return one.size() < other.size();
}

}  // namespace baton::session
