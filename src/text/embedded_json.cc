#include "text/embedded_json.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/boost_json.h"
#include "base/text.h"
#include "text/json_value.h"
#include "text/place.h"

namespace baton {
namespace {

namespace json = boost::json;

constexpr std::size_t searched_bytes_max = 4U << 20U;
constexpr std::size_t broken_max = 20;  // each may cost a look at all that follows

/// Brackets stand in prose too. Here somebody meant JSON.
bool is_meant_as_json(std::string_view from_bracket) {
  const auto next = from_bracket.find_first_not_of(" \t\r\n", 1);
  if (next == std::string_view::npos) return false;
  const std::string_view begins = from_bracket.front() == '{' ? "\"}" : "{[\"]-0123456789";
  return begins.find(from_bracket[next]) != std::string_view::npos;
}

/// Where the bracket that `text` begins with is closed, brackets in strings not counted; npos if it never is.
std::size_t end_of_brackets(std::string_view text) {
  std::size_t open = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++open;
    } else if ((c == '}' || c == ']') && --open == 0) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

/// How much of `text` belongs to the broken JSON that it begins with. If that is never closed, a new fence is where
/// something else begins.
std::size_t size_of_broken(std::string_view text) {
  const std::size_t end = end_of_brackets(text);
  if (end != std::string_view::npos) return end;
  const std::size_t fence = text.find("\n```");
  return std::min(fence, text.size());
}

/// Nothing, or the marks of a fence.
bool is_wrapping(std::string_view text) {
  text = trim(text);
  if (text.empty()) return true;
  if (!text.starts_with("```") && !text.starts_with("~~~")) return false;
  text.remove_prefix(3);
  return std::ranges::all_of(text, [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
}

}  // namespace

void each_json(std::string_view text, const std::function<bool(const EmbeddedJson&)>& visit) {
  if (text.size() > searched_bytes_max) {
    visit({nullptr, fmt::format("there is more than {} MiB of it", searched_bytes_max >> 20U)});
    return;
  }
  json::parse_options options;
  options.max_depth = json_depth_max;
  options.allow_trailing_commas = true;
  std::size_t found = 0;
  std::size_t broken = 0;
  std::size_t begin = 0;
  while (broken < broken_max && (begin = text.find_first_of("{[", begin)) < text.size()) {
    const std::string_view rest = text.substr(begin);
    if (!is_meant_as_json(rest)) {
      ++begin;
      continue;
    }
    json::parser parser{{}, options};
    json::error_code error;
    const std::size_t read = parser.write_some(rest.data(), rest.size(), error);
    ++found;
    if (error) {
      ++broken;
      if (!visit({nullptr, fmt::format("{} at {}", error.message(), place_in_words(text, begin + read))})) return;
      begin += size_of_broken(rest);
      continue;
    }
    const json::value value = parser.release();
    const bool last = is_wrapping(rest.substr(read));
    const bool whole = found == 1 && last && is_wrapping(text.substr(0, begin));
    if (!visit({&value, {}, whole, last})) return;
    begin += read;
  }
}

}  // namespace baton
