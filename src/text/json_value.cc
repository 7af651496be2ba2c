#include "text/json_value.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "base/boost_json.h"
#include "base/boost_json_parser.h"
#include "base/number.h"
#include "base/text.h"
#include "base/utf8.h"
#include "text/place.h"

namespace baton {
namespace {

namespace json = boost::json;

constexpr std::size_t shown_bytes_max = 80;

// A number that is kept as it is written is a string that begins with this byte, which no text can hold: JSON is UTF-8.
constexpr char number_mark = '\xFF';

/// The number as it is written; empty if the value is none, or one that Boost can hold.
std::string_view written_number(const json::value& value) {
  const auto* text = value.if_string();
  if (text == nullptr || !text->starts_with(number_mark)) return {};
  return std::string_view{*text}.substr(1);
}

std::string number_text(const json::value& value) {
  if (const auto* number = value.if_int64()) return std::to_string(*number);
  if (const auto* number = value.if_uint64()) return std::to_string(*number);
  if (const auto* number = value.if_double()) return fmt::format("{}", *number);
  return std::string{written_number(value)};
}

/// Puts together what Boost's own parser would, but for numbers that a double does not hold as they are written.
struct ValueMaker {
  static constexpr std::size_t max_object_size = json::object::max_size();
  static constexpr std::size_t max_array_size = json::array::max_size();
  static constexpr std::size_t max_key_size = json::string::max_size();
  static constexpr std::size_t max_string_size = json::string::max_size();

  json::value_stack values;

  static bool on_document_begin(json::error_code&) { return true; }
  static bool on_document_end(json::error_code&) { return true; }
  static bool on_object_begin(json::error_code&) { return true; }
  static bool on_array_begin(json::error_code&) { return true; }
  static bool on_number_part(json::string_view, json::error_code&) { return true; }
  static bool on_comment_part(json::string_view, json::error_code&) { return true; }
  static bool on_comment(json::string_view, json::error_code&) { return true; }
  bool on_object_end(std::size_t count, json::error_code&) { return values.push_object(count), true; }
  bool on_array_end(std::size_t count, json::error_code&) { return values.push_array(count), true; }
  bool on_key_part(json::string_view s, std::size_t, json::error_code&) { return values.push_chars(s), true; }
  bool on_key(json::string_view s, std::size_t, json::error_code&) { return values.push_key(s), true; }
  bool on_string_part(json::string_view s, std::size_t, json::error_code&) { return values.push_chars(s), true; }
  bool on_string(json::string_view s, std::size_t, json::error_code&) { return values.push_string(s), true; }
  bool on_int64(std::int64_t i, json::string_view, json::error_code&) { return values.push_int64(i), true; }
  bool on_uint64(std::uint64_t u, json::string_view, json::error_code&) { return values.push_uint64(u), true; }
  bool on_bool(bool truth, json::error_code&) { return values.push_bool(truth), true; }
  bool on_null(json::error_code&) { return values.push_null(), true; }

  /// `written`: the whole of it, because what is parsed comes in one piece.
  bool on_double(double /*nearly*/, json::string_view written, json::error_code&) {
    const std::string_view text{written.data(), written.size()};
    if (const auto number = parse_whole<double>(text); number && is_held_by(*number, text)) {
      values.push_double(*number);
    } else {
      values.push_chars({&number_mark, 1});
      values.push_string(written);
    }
    return true;
  }

  /// The shortest text that means this double means the same number as `text`. How great numbers are written a double
  /// would not keep.
  static bool is_held_by(double number, std::string_view text) {
    constexpr std::size_t always_held = 15;  // so many digits come through a double unharmed
    const bool has_exponent = text.find_first_of("eE") != std::string_view::npos;
    if (text.size() <= always_held && !has_exponent) return true;
    constexpr double great = 18446744073709551616.0;  // 2^64
    const bool is_whole = !has_exponent && text.find('.') == std::string_view::npos;
    if (is_whole || std::abs(number) >= great) return false;
    const auto written = read_decimal(text);
    return written && written == read_decimal(fmt::format("{}", number));
  }
};

/// The member or item that one part of a dotted path names; null if there is none.
const json::value* child(const json::value& parent, std::string_view part) {
  if (const auto* object = parent.if_object()) return object->if_contains(part);
  const auto* array = parent.if_array();
  if (array == nullptr || part.empty() || (part.size() > 1 && part.front() == '0')) return nullptr;
  const auto index = parse_whole<std::size_t>(part);
  return index ? array->if_contains(*index) : nullptr;
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
  } else if (is_number(value)) {
    const std::string number = number_text(value);
    out += number.size() > bytes_max ? shorten(number, bytes_max) : number;
  } else if (const auto* text = value.if_string()) {
    out += text->size() > bytes_max ? json_quote(shorten(*text, bytes_max)) : json_quote(*text);
  } else {
    out += json::serialize(value);
  }
}

std::string canonical_number(const json::value& value) {
  const Decimal number = exact(value);
  return fmt::format("{}{}e{}", number.is_negative ? "-" : "", number.digits, number.exponent);
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
  } else if (is_number(value)) {
    out += canonical_number(value);
  } else {
    out += json::serialize(value);
  }
}

}  // namespace

std::expected<json::value, std::string> parse_json(std::string_view text) {
  text = without_byte_order_mark(text);
  json::parse_options options;
  options.max_depth = json_depth_max;
  json::basic_parser<ValueMaker> parser{options};
  json::value_stack& values = parser.handler().values;
  values.reset(json::make_shared_resource<json::monotonic_resource>());
  json::error_code error;
  const std::size_t read = parser.write_some(false, text.data(), text.size(), error);
  if (!error && !trim(text.substr(read)).empty()) error = json::error::extra_data;
  if (error) return std::unexpected(fmt::format("{} at {}", error.message(), place_in_words(text, read)));
  return values.release();
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
  if (is_number(one) && is_number(other)) return compare_numbers(one, other) == 0;
  if (is_number(one) || is_number(other) || one.kind() != other.kind()) return false;
  if (one.is_string()) return one.get_string() == other.get_string();
  if (one.is_array() && one.get_array().size() != other.get_array().size()) return false;
  if (one.is_object() && one.get_object().size() != other.get_object().size()) return false;
  return canonical(one) == canonical(other);
}

bool has_type(const json::value& value, std::string_view type) {
  if (type == "integer") {
    if (const auto* number = value.if_double()) return std::trunc(*number) == *number;
    return is_number(value) && exact(value).is_whole();
  }
  if (type == "number") return is_number(value);
  return type_name(value) == type;
}

std::string_view type_name(const json::value& value) {
  if (!written_number(value).empty()) return exact(value).is_whole() ? "integer" : "number";
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

bool is_number(const json::value& value) { return value.is_number() || !written_number(value).empty(); }

const json::string* if_text(const json::value& value) { return is_number(value) ? nullptr : value.if_string(); }

Decimal exact(const json::value& value) { return read_decimal(number_text(value)).value_or(Decimal{}); }

std::strong_ordering compare_numbers(const json::value& one, const json::value& other) {
  if (one.is_int64() && other.is_int64()) return one.get_int64() <=> other.get_int64();
  return compare(exact(one), exact(other));
}

long double number_of(const json::value& value) {
  if (const std::string_view written = written_number(value); !written.empty()) {
    return std::strtold(std::string{written}.c_str(), nullptr);
  }
  if (const auto* number = value.if_int64()) return static_cast<long double>(*number);
  if (const auto* number = value.if_uint64()) return static_cast<long double>(*number);
  return static_cast<long double>(value.as_double());
}

std::string written_json(const json::value& value) {
  std::string out;
  append_compact(value, std::string::npos, out);
  return out;
}

std::expected<std::string, std::string> compact_json(std::string_view text) {
  const auto value = parse_json(text);
  if (!value) return std::unexpected(value.error());
  return written_json(*value);
}

}  // namespace baton
