#include "text/json_patch.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/boost_json.h"
#include "base/text.h"
#include "base/utf8.h"
#include "text/json_value.h"
#include "text/place.h"

namespace baton {
namespace {

namespace json = boost::json;

constexpr std::string_view blanks = " \t\r\n";

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  const auto next = text.find_first_not_of(blanks, at);
  return next == std::string_view::npos ? text.size() : next;
}

std::size_t end_of_string(std::string_view text, std::size_t begin) {
  for (std::size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i + 1;
    }
  }
  return text.size();
}

/// A key may be written with escapes.
std::string key_of(std::string_view quoted) {
  if (quoted.find('\\') == std::string_view::npos) return std::string{quoted.substr(1, quoted.size() - 2)};
  json::error_code error;
  const json::value value = json::parse({quoted.data(), quoted.size()}, error);
  return error || !value.is_string() ? std::string{quoted} : std::string{value.as_string()};
}

/// The end of the line before an item, without further empty lines: one line break, then the indentation.
std::string one_gap(std::string_view gap) {
  const auto last = gap.rfind('\n');
  if (last == std::string_view::npos) return std::string{gap};
  const bool has_return = last > 0 && gap[last - 1] == '\r';
  return std::string{has_return ? "\r" : ""} + std::string{gap.substr(last)};
}

std::string on_one_line(const JsonPatch::Fields& fields, const std::string& colon) {
  std::string out = "{";
  for (const auto& [key, value] : fields) {
    if (out.size() > 1) out += colon.size() > 1 ? ", " : ",";
    out.append(json_quote(key)).append(colon).append(value);
  }
  return out + "}";
}

}  // namespace

Expected<json::object> read_object(std::string_view text, const std::string& file, const char* code) {
  const std::string_view whole = text;
  text = without_byte_order_mark(text);
  json::parse_options options;
  options.max_depth = json_depth_max;
  json::parser parser{{}, options};
  json::error_code error;
  const std::size_t read = parser.write_some(text.data(), text.size(), error);
  if (!error && !trim(text.substr(read)).empty()) error = json::error::extra_data;
  std::string message = error ? fmt::format("{} is not JSON: {}", file, error.message()) : std::string{};
  if (trim(text).empty()) message = fmt::format("{} is empty", file);
  if (!error) {
    json::value value = parser.release();
    if (value.is_object()) return std::move(value.as_object());
    message = fmt::format("{} holds {} and not a JSON object", file, type_name(value));
  }
  Fault broken = fault(code, std::move(message), "mend it; it is left as it is").error();
  broken.place = place_at(whole, error ? read + (whole.size() - text.size()) : 0, file);
  return std::unexpected(std::move(broken));
}

std::size_t end_of_value(std::string_view text, std::size_t begin) {
  if (begin >= text.size()) return text.size();
  if (text[begin] == '"') return end_of_string(text, begin);
  if (text[begin] != '{' && text[begin] != '[') return std::min(text.find_first_of(",]} \t\r\n", begin), text.size());
  std::size_t open = 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      i = end_of_string(text, i) - 1;
    } else if (c == '{' || c == '[') {
      ++open;
    } else if ((c == '}' || c == ']') && --open == 0) {
      return i + 1;
    }
  }
  return text.size();
}

std::vector<Bytes> items_of_list(std::string_view text, std::size_t begin) {
  std::vector<Bytes> items;
  std::size_t at = skip_blanks(text, begin + 1);
  while (at < text.size() && text[at] != ']') {
    items.push_back({at, end_of_value(text, at)});
    at = skip_blanks(text, items.back().end);
    if (at < text.size() && text[at] == ',') at = skip_blanks(text, at + 1);
  }
  return items;
}

JsonPatch::JsonPatch(std::string_view text) : text_{text} {
  open_ = text.find('{');
  std::size_t at = skip_blanks(text, open_ + 1);
  if (at < text.size() && text[at] == '"') layout_.gap = one_gap(text.substr(open_ + 1, at - open_ - 1));
  while (at < text.size() && text[at] == '"') {
    Member member;
    const std::size_t key_end = end_of_string(text, at);
    member.key = key_of(text.substr(at, key_end - at));
    at = skip_blanks(text, skip_blanks(text, key_end) + 1);
    if (members_.empty()) colon_ = text.substr(key_end, at - key_end);
    member.value = {at, end_of_value(text, at)};
    at = skip_blanks(text, member.value.end);
    if (at < text.size() && text[at] == ',') at = skip_blanks(text, at + 1);
    members_.push_back(std::move(member));
  }
  if (members_.empty()) layout_.gap = "\n  ";
}

const JsonPatch::Member* JsonPatch::find(std::string_view key) const {
  const auto found =
      std::find_if(members_.rbegin(), members_.rend(), [&](const Member& member) { return member.key == key; });
  return found == members_.rend() ? nullptr : &*found;
}

std::string_view JsonPatch::raw(std::string_view key) const {
  const Member* member = find(key);
  return member == nullptr ? std::string_view{} : member->value.of(text_);
}

void JsonPatch::set(std::string_view key, const std::string& json) {
  const Member* member = find(key);
  if (member == nullptr) {
    added_.emplace_back(key, json);
  } else if (member->value.of(text_) != json) {
    splices_.push_back({member->value, json});
  }
}

std::string JsonPatch::take() && {
  std::string text;
  for (const auto& [key, value] : added_) {
    if (!text.empty() || !members_.empty()) text += ',';
    text.append(layout_.gap).append(json_quote(key)).append(colon_).append(value);
  }
  if (!added_.empty() && members_.empty()) {
    splices_.push_back({{open_, end_of_value(text_, open_)}, "{" + text + "\n}"});
  } else if (!added_.empty()) {
    splices_.push_back({{members_.back().value.end, members_.back().value.end}, text});
  }
  return spliced(text_, std::move(splices_));
}

std::string JsonPatch::deeper(const std::string& gap) const {
  const auto indentation = layout_.gap.substr(layout_.gap.rfind('\n') + 1);
  return gap + (indentation.empty() ? "  " : indentation);
}

/// `gap`: what stands before the object; its members go one level deeper.
std::string JsonPatch::rendered(const Fields& fields, const std::string& gap) const {
  std::string out = "{";
  const std::string inner = deeper(gap);
  for (const auto& [key, value] : fields) {
    if (out.size() > 1) out += ',';
    out.append(inner).append(json_quote(key)).append(colon_).append(value);
  }
  return out + gap + "}";
}

bool JsonPatch::append(std::string_view key, const Fields& fields) {
  const std::string_view before = raw(key);
  const bool fresh = before.empty() || before == "null";
  if (!fresh && before.front() != '[') return false;
  const std::string item_gap = deeper(layout_.gap);
  const auto as_list = [&] {
    if (!layout_.has_lines()) return "[" + on_one_line(fields, colon_) + "]";
    return "[" + item_gap + rendered(fields, item_gap) + layout_.gap + "]";
  };
  if (fresh) {
    set(key, as_list());
    return true;
  }
  const Bytes list = find(key)->value;
  const std::vector<Bytes> items = items_of_list(text_, list.begin);
  if (items.empty()) {
    splices_.push_back({list, as_list()});
    return true;
  }
  const std::string gap = one_gap(text_.substr(list.begin + 1, items.front().begin - list.begin - 1));
  const bool in_lines = items.back().of(text_).find('\n') != std::string_view::npos;
  const std::string separator = gap.empty() && colon_.size() > 1 ? " " : gap;
  splices_.push_back({{items.back().end, items.back().end},
                      "," + separator + (in_lines ? rendered(fields, gap) : on_one_line(fields, colon_))});
  return true;
}

std::string appended(std::string_view text, Bytes list, const JsonPatch::Fields& fields) {
  // The list is looked at as the one member of an object, one level up, so that it is laid out by the same rules.
  constexpr std::string_view around = "{\n\"list\": ";
  const std::string inside = std::string{around} + std::string{list.of(text)} + "\n}";
  const std::vector<Bytes> items = items_of_list(inside, around.size());
  JsonPatch patch{inside};
  std::string with;
  if (items.empty()) {
    std::string item = "{";
    for (const auto& [key, value] : fields)
      item += (item.size() > 1 ? ",\n    " : "\n    ") + json_quote(key) + ": " + value;
    with = "[\n  " + item + "\n  }\n]";
  } else {
    patch.append("list", fields);
    const std::string out = std::move(patch).take();
    with = out.substr(around.size(), out.size() - around.size() - 2);
  }
  return spliced(text, {{list, with}});
}

}  // namespace baton
