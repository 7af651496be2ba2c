#include "text/json_list.h"

#include <stdexcept>

namespace baton {
namespace {

[[noreturn]] void refuse(const char* what) { throw std::invalid_argument(what); }

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::size_t past_space(std::string_view text, std::size_t at) {
  while (at < text.size() && is_space(text[at])) ++at;
  return at;
}

/// `at` is a quotation mark; the place behind the one that ends the string.
std::size_t past_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
  refuse("a string has no end");
}

/// The place behind the value that begins at `at`.
std::size_t past_value(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  while (at < text.size()) {
    switch (text[at]) {
      case '"':
        at = past_string(text, at);
        if (depth == 0) return at;
        continue;
      case '{':
      case '[':
        ++depth;
        break;
      case '}':
      case ']':
        if (depth == 0) return at;
        if (--depth == 0) return at + 1;
        break;
      case ',':
        if (depth == 0) return at;
        break;
      default:
        break;
    }
    ++at;
  }
  refuse("a value has no end");
}

/// What has to be there next, after any space.
std::size_t past(std::string_view text, std::size_t at, char what) {
  at = past_space(text, at);
  if (at >= text.size() || text[at] != what) refuse("a sign is missing between values");
  return at + 1;
}

}  // namespace

JsonList::JsonList(std::string_view text) : text_(text), at_(past(text, 0, '[')) {}

std::optional<std::string_view> JsonList::next() {
  at_ = past_space(text_, at_);
  if (at_ < text_.size() && text_[at_] == ']') return std::nullopt;
  if (met_ > 0) at_ = past_space(text_, past(text_, at_, ','));
  const std::size_t from = at_;
  at_ = past_value(text_, from);
  ++met_;
  return text_.substr(from, at_ - from);
}

WithoutList take_out_list(std::string_view object, std::string_view key) {
  std::size_t at = past_space(object, past(object, 0, '{'));
  while (at < object.size() && object[at] == '"') {
    const std::size_t end = past_string(object, at);
    const std::string_view name = object.substr(at + 1, end - at - 2);
    const std::size_t from = past_space(object, past(object, end, ':'));
    at = past_value(object, from);
    if (name == key) {
      return {std::string{object.substr(0, from)} + "[]" + std::string{object.substr(at)},
              object.substr(from, at - from)};
    }
    at = past_space(object, at);
    if (at < object.size() && object[at] == ',') at = past_space(object, at + 1);
  }
  refuse("a list is missing");
}

}  // namespace baton
