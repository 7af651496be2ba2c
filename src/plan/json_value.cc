#include "plan/json_value.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/boost_json.h"
#include "base/text.h"

namespace baton {
namespace {

namespace json = boost::json;

constexpr std::size_t shown_bytes_max = 80;

/// `line 3, column 7` of the byte where reading stopped.
std::string place_in(std::string_view content, std::size_t offset) {
  const std::string_view before = content.substr(0, std::min(offset, content.size()));
  const auto line = 1 + std::ranges::count(before, '\n');
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0: the first line
  return fmt::format("line {}, column {}", line, before.size() - line_start + 1);
}

/// The member or item that one part of a dotted path names; null if there is none.
const json::value* child(const json::value& parent, std::string_view part) {
  if (const auto* object = parent.if_object()) return object->if_contains(part);
  const auto* array = parent.if_array();
  if (array == nullptr || part.empty() || (part.size() > 1 && part.front() == '0')) return nullptr;
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
  if (error != std::errc{} || end != part.data() + part.size()) return nullptr;
  return array->if_contains(index);
}

using Visit = std::function<void(const std::string&, const json::value*)>;

/// Goes down one part after the other; no deeper than the value itself, which has json_depth_max levels.
class ValueWalk {
 public:
  ValueWalk(std::string_view path, const Visit& visit) : parts_{split(path, '.')}, visit_{visit} {}

  void from(const json::value& root) { go(&root, 0); }

 private:
  void go(const json::value* here, std::size_t depth) {
    if (here == nullptr || depth == parts_.size()) return visit_(join(trail_, "."), here);
    const std::string_view part = parts_[depth];
    if (part == "*") return go_everywhere(*here, depth);
    step(child(*here, part), std::string{part}, depth);
  }

  void go_everywhere(const json::value& here, std::size_t depth) {
    if (const auto* array = here.if_array()) {
      for (std::size_t i = 0; i < array->size(); ++i) step(&(*array)[i], std::to_string(i), depth);
    } else if (const auto* object = here.if_object()) {
      for (const auto& member : *object) step(&member.value(), std::string{std::string_view{member.key()}}, depth);
    } else {
      step(nullptr, "*", depth);
    }
  }

  void step(const json::value* next, std::string part, std::size_t depth) {
    trail_.push_back(std::move(part));
    if (next == nullptr) {  // say what was wanted there, whole
      std::vector<std::string> wanted = trail_;
      for (std::size_t i = depth + 1; i < parts_.size(); ++i) wanted.emplace_back(parts_[i]);
      visit_(join(wanted, "."), nullptr);
    } else {
      go(next, depth + 1);
    }
    trail_.pop_back();
  }

  std::vector<std::string_view> parts_;
  const Visit& visit_;
  std::vector<std::string> trail_;
};

/// As people write it: 0.5 and not 5E-1. Stops once there is more than `bytes_max` of it.
void append_compact(const json::value& value, std::size_t bytes_max, std::string& out) {
  if (const auto* array = value.if_array()) {
    out += '[';
    for (std::size_t i = 0; i < array->size() && out.size() <= bytes_max; ++i) {
      if (i > 0) out += ',';
      append_compact((*array)[i], bytes_max, out);
    }
    out += ']';
  } else if (const auto* object = value.if_object()) {
    out += '{';
    bool is_first = true;
    for (const auto& member : *object) {
      if (out.size() > bytes_max) break;
      if (!std::exchange(is_first, false)) out += ',';
      out += json_quote(member.key()) + ":";
      append_compact(member.value(), bytes_max, out);
    }
    out += '}';
  } else if (const auto* text = value.if_string()) {
    out += text->size() > bytes_max ? json_quote(shorten(*text, bytes_max)) : json_quote(*text);
  } else if (const auto* number = value.if_double()) {
    fmt::format_to(std::back_inserter(out), "{}", *number);
  } else {
    out += json::serialize(value);
  }
}

std::string canonical_number(const json::value& value) {
  if (const auto* number = value.if_int64()) return std::to_string(*number);
  if (const auto* number = value.if_uint64()) return std::to_string(*number);
  const double number = value.as_double();
  constexpr double exact_max = 9007199254740992.0;  // 2^53: beyond it not every whole number is a double
  if (std::trunc(number) == number && std::abs(number) <= exact_max) {
    return std::to_string(static_cast<std::int64_t>(number));
  }
  return fmt::format("{}", number);
}

void append_canonical(const json::value& value, std::string& out) {
  if (const auto* array = value.if_array()) {
    out += '[';
    for (const json::value& item : *array) {
      append_canonical(item, out);
      out += ',';
    }
    out += ']';
  } else if (const auto* object = value.if_object()) {
    std::vector<const json::key_value_pair*> members;
    for (const auto& member : *object) members.push_back(&member);
    std::ranges::sort(members, {}, [](const auto* m) { return std::string_view{m->key()}; });
    out += '{';
    for (const auto* member : members) {
      out += json_quote(member->key()) + ":";
      append_canonical(member->value(), out);
      out += ',';
    }
    out += '}';
  } else if (value.is_number()) {
    out += canonical_number(value);
  } else {
    out += json::serialize(value);
  }
}

}  // namespace

std::expected<json::value, std::string> parse_json(std::string_view text) {
  json::parse_options options;
  options.max_depth = json_depth_max;
  json::parser parser{json::make_shared_resource<json::monotonic_resource>(), options};
  json::error_code error;
  const std::size_t read = parser.write_some(text.data(), text.size(), error);
  if (!error && read < text.size() && !trim(text.substr(read)).empty()) error = json::error::extra_data;
  if (error) return std::unexpected(fmt::format("{} at {}", error.message(), place_in(text, read)));
  return parser.release();
}

const json::value* find_value(const json::value& root, std::string_view path) {
  if (path == "$") return &root;
  const json::value* here = &root;
  for (const std::string_view part : split(path, '.')) {
    here = child(*here, part);
    if (here == nullptr) return nullptr;
  }
  return here;
}

void visit_values(const json::value& root, std::string_view path, const Visit& visit) {
  if (path == "$") return visit("$", &root);
  ValueWalk{path, visit}.from(root);
}

std::string shown(const json::value& value) {
  std::string out;
  append_compact(value, shown_bytes_max, out);  // a value may be 64 MB: only its beginning is written out
  return shorten(out, shown_bytes_max);
}

std::string canonical(const json::value& value) {
  std::string out;
  append_canonical(value, out);
  return out;
}

bool same(const json::value& one, const json::value& other) {
  if (one.is_string() && other.is_string()) return one.get_string() == other.get_string();
  if (one.is_number() != other.is_number() || (!one.is_number() && one.kind() != other.kind())) return false;
  if (one.is_array() && one.get_array().size() != other.get_array().size()) return false;
  if (one.is_object() && one.get_object().size() != other.get_object().size()) return false;
  return canonical(one) == canonical(other);
}

bool has_type(const json::value& value, std::string_view type) {
  if (type == "integer") {
    if (const auto* number = value.if_double()) return std::trunc(*number) == *number;
    return value.is_number();
  }
  if (type == "number") return value.is_number();
  return type_name(value) == type;
}

std::string_view type_name(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null:
      return "null";
    case json::kind::bool_:
      return "boolean";
    case json::kind::int64:
    case json::kind::uint64:
      return "integer";
    case json::kind::double_:
      return "number";
    case json::kind::string:
      return "string";
    case json::kind::array:
      return "array";
    case json::kind::object:
      return "object";
  }
  return "";
}

long double number_of(const json::value& value) {
  if (const auto* number = value.if_int64()) return static_cast<long double>(*number);
  if (const auto* number = value.if_uint64()) return static_cast<long double>(*number);
  return static_cast<long double>(value.as_double());
}

std::int64_t count_characters(std::string_view text) {
  return std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
}

std::expected<std::string, std::string> compact_json(std::string_view text) {
  const auto value = parse_json(text);
  if (!value) return std::unexpected(value.error());
  std::string out;
  append_compact(*value, std::string::npos, out);
  return out;
}

}  // namespace baton
