// Understanding a JSON Schema before it is used: every keyword's value is of the right kind, every pattern compiles,
// every reference leads to a schema of this document.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <ranges>
#include <stdexcept>

#include "base/text.h"
#include "plan/format.h"
#include "plan/schema_parts.h"
#include "text/json_value.h"

namespace baton {
namespace {

namespace json = boost::json;

/// Thrown inside this file only: reading stops at the first thing that is wrong.
struct BadSchema : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What keywords hold. Those in none of these lists say nothing about the document and are passed over.
constexpr std::array<std::string_view, 14> one_schema{"additionalItems",
                                                      "additionalProperties",
                                                      "contains",
                                                      "else",
                                                      "if",
                                                      "items",
                                                      "not",
                                                      "propertyNames",
                                                      "then",
                                                      "unevaluatedItems",
                                                      "unevaluatedProperties",
                                                      "contentSchema",
                                                      "$recursiveRef",
                                                      "$dynamicRef"};
constexpr std::array<std::string_view, 4> not_supported{"unevaluatedItems", "unevaluatedProperties", "$recursiveRef",
                                                        "$dynamicRef"};
constexpr std::array<std::string_view, 4> schema_lists{"allOf", "anyOf", "oneOf", "prefixItems"};
constexpr std::array<std::string_view, 6> schema_maps{"$defs",      "definitions",       "dependentSchemas",
                                                      "properties", "patternProperties", "dependencies"};
constexpr std::array<std::string_view, 8> counts{"minLength",     "maxLength",     "minItems",    "maxItems",
                                                 "minProperties", "maxProperties", "minContains", "maxContains"};
constexpr std::array<std::string_view, 5> numbers{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
                                                  "multipleOf"};
constexpr std::array<std::string_view, 4> data{"const", "default", "enum", "examples"};
constexpr std::array<std::string_view, 7> type_names{"array",  "boolean", "integer", "null",
                                                     "number", "object",  "string"};

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::ranges::find(words, word) != words.end();
}

/// A key as a part of a JSON pointer.
std::string escaped(std::string_view key) {
  std::string out;
  for (const char c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

class Reader {
 public:
  explicit Reader(Schema::Parts& parts) : parts_{parts} {}

  void read() {
    parts_.only_reference_counts = is_of_draft_7(parts_.root);
    schema(parts_.root, "#");
    for (std::size_t i = 0; i < asked_.size(); ++i) {  // a schema that is led to may lead further
      const auto [reference, place] = asked_[i];
      const auto pointer = pointer_of(reference);
      if (!pointer) wrong_reference(place, "leads out of the schema", reference);
      if (const json::value* found = find(*pointer)) {
        parts_.references.emplace(reference, found);
      } else {
        wrong_reference(place, "leads nowhere", reference);
      }
    }
  }

 private:
  [[noreturn]] static void wrong(const std::string& place, std::string_view keyword, std::string_view wanted) {
    throw BadSchema{fmt::format("{}: '{}' has to be {}", place, keyword, wanted)};
  }

  [[noreturn]] static void wrong_reference(const std::string& place, std::string_view what, std::string_view where) {
    throw BadSchema{fmt::format("{}: '$ref' {}: '{}'", place, what, shorten(where, 80))};
  }

  /// Who names no draft means the 7th, as docs/checks.md says.
  static bool is_of_draft_7(const json::value& root) {
    const auto* object = root.if_object();
    const auto* said = object == nullptr ? nullptr : object->if_contains("$schema");
    const auto* draft = said == nullptr ? nullptr : if_text(*said);
    return draft == nullptr || std::string_view{*draft}.find("json-schema.org/draft/20") == std::string_view::npos;
  }

  /// The schema at a pointer; null if there is none. It may stand where no keyword leads, and is read only then;
  /// but what is data is no schema.
  const json::value* find(std::string_view pointer) {
    if (const auto known = schemas_.find("#" + std::string{pointer}); known != schemas_.end()) return known->second;
    if (!pointer.starts_with('/')) return nullptr;  // an anchor
    const json::value* here = &parts_.root;
    std::string place = "#";
    bool is_keyword = true;  // of a schema, and no name of its author's
    for (const std::string_view part : split(pointer, '/') | std::views::drop(1)) {
      if (is_keyword && is_one_of(part, data)) return nullptr;
      json::error_code error;
      here = here->find_pointer("/" + std::string{part}, error);
      if (here == nullptr) return nullptr;
      place.append("/").append(part);
      is_keyword = schemas_.contains(place);
    }
    if (here->is_object() || here->is_bool()) return schema(*here, place), here;
    return nullptr;
  }

  // As deep as the document, which was limited when it was parsed.
  void schema(const json::value& value, const std::string& place) {
    schemas_.emplace(place, &value);
    if (value.is_bool()) return;
    const auto* object = value.if_object();
    if (object == nullptr) throw BadSchema{fmt::format("{}: a schema has to be an object, true or false", place)};
    if (parts_.only_reference_counts && object->contains("$ref")) return only_reference(*object, place);
    for (const auto& member : *object) keyword(member.key(), member.value(), place);
  }

  /// Whatever stands beside it is reached by references alone.
  void only_reference(const json::object& object, const std::string& place) {
    keyword("$ref", object.at("$ref"), place);
    std::vector<std::string> beside;
    for (const auto& member : object) {
      if (is_rule(member.key())) beside.push_back(fmt::format("'{}'", std::string_view{member.key()}));
    }
    if (beside.empty()) return;
    parts_.passed_over.push_back(fmt::format("{}: {} beside '$ref' {} not looked at, as in draft 7", place,
                                             join(beside, ", "), beside.size() == 1 ? "is" : "are"));
  }

  /// It says something about documents.
  static bool is_rule(std::string_view key) {
    constexpr std::array<std::string_view, 13> more{
        "const",   "dependencies",      "dependentRequired", "dependentSchemas", "enum", "format",     "maximum",
        "pattern", "patternProperties", "properties",        "required",         "type", "uniqueItems"};
    return is_one_of(key, more) || is_one_of(key, counts) || is_one_of(key, numbers) || is_one_of(key, schema_lists) ||
           (is_one_of(key, one_schema) && key != "contentSchema");
  }

  void keyword(std::string_view key, const json::value& value, const std::string& place) {
    const std::string here = place + "/" + escaped(key);
    if (is_one_of(key, not_supported)) throw BadSchema{fmt::format("{}: '{}' is not supported", place, key)};
    if (key == "items" && value.is_array()) return list(key, value, place);
    if (is_one_of(key, one_schema)) return schema(value, here);
    if (is_one_of(key, schema_lists)) return list(key, value, place);
    if (is_one_of(key, schema_maps)) return map(key, value, place);
    if (is_one_of(key, counts)) return count(key, value, place);
    if (is_one_of(key, numbers)) return number(key, value, place);
    if (key == "type") return type(value, place);
    if (key == "enum" && !value.is_array()) wrong(place, key, "a list");
    if (key == "required") return names(key, value, place);
    if (key == "dependentRequired") return name_lists(value, place);
    if (key == "uniqueItems" && !value.is_bool()) wrong(place, key, "true or false");
    if ((key == "pattern" || key == "format" || key == "$ref") && if_text(value) == nullptr) {
      wrong(place, key, "a text");
    }
    if (key == "pattern") pattern(value.get_string(), place);
    if (key == "format") format(value.get_string(), place);
    if (key == "$ref") asked_.emplace_back(std::string_view{value.get_string()}, place);
  }

  void format(std::string_view name, const std::string& place) {
    if (std::ranges::find(known_formats(), name) != known_formats().end()) return;
    parts_.passed_over.push_back(
        fmt::format("{}: the format '{}' is not known, so nothing is held against it; known are {}", place,
                    shorten(printable(name), 80), join(known_formats(), ", ")));
  }

  void list(std::string_view key, const json::value& value, const std::string& place) {
    const auto* array = value.if_array();
    if (array == nullptr || array->empty()) wrong(place, key, "a list of schemas");
    for (std::size_t i = 0; i < array->size(); ++i) schema((*array)[i], fmt::format("{}/{}/{}", place, key, i));
  }

  void map(std::string_view key, const json::value& value, const std::string& place) {
    const auto* object = value.if_object();
    if (object == nullptr) wrong(place, key, "an object of schemas");
    for (const auto& member : *object) {
      const std::string here = fmt::format("{}/{}/{}", place, key, escaped(member.key()));
      if (key == "patternProperties") pattern(member.key(), place);
      if (key == "dependencies" && member.value().is_array()) {
        names(key, member.value(), place);
      } else {
        schema(member.value(), here);
      }
    }
  }

  static void names(std::string_view key, const json::value& value, const std::string& place) {
    const auto* array = value.if_array();
    if (array == nullptr || !std::ranges::all_of(*array, [](const json::value& v) { return if_text(v) != nullptr; })) {
      wrong(place, key, "a list of names");
    }
  }

  static void name_lists(const json::value& value, const std::string& place) {
    const auto* object = value.if_object();
    if (object == nullptr) wrong(place, "dependentRequired", "an object of lists");
    for (const auto& member : *object) names("dependentRequired", member.value(), place);
  }

  static void count(std::string_view key, const json::value& value, const std::string& place) {
    if (!has_type(value, "integer") || exact(value).is_negative) wrong(place, key, "a whole number from 0 on");
  }

  static void number(std::string_view key, const json::value& value, const std::string& place) {
    if (!is_number(value)) wrong(place, key, "a number");
    const Decimal given = exact(value);
    if (key == "multipleOf" && (given.is_negative || given.digits.empty())) wrong(place, key, "more than 0");
  }

  static void type(const json::value& value, const std::string& place) {
    const auto is_type = [](const json::value& v) {
      return if_text(v) != nullptr && is_one_of(v.get_string(), type_names);
    };
    const auto* array = value.if_array();
    if (array != nullptr ? !array->empty() && std::ranges::all_of(*array, is_type) : is_type(value)) return;
    wrong(place, "type", "one of array, boolean, integer, null, number, object, string, or a list of these");
  }

  void pattern(std::string_view expression, const std::string& place) {
    auto compiled = Pattern::compile(std::string{expression});
    if (!compiled) {
      throw BadSchema{fmt::format("{}: '{}' is no pattern: {}", place, shorten(expression, 80), compiled.error())};
    }
    parts_.patterns.emplace(expression, std::move(*compiled));
  }

  Schema::Parts& parts_;
  std::map<std::string, const json::value*, std::less<>> schemas_;  // by their JSON pointers
  std::vector<std::pair<std::string, std::string>> asked_;          // references, and where they stand
};

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lowered = static_cast<char>(c | 0x20);
  return lowered >= 'a' && lowered <= 'f' ? lowered - 'a' + 10 : -1;
}

}  // namespace

std::expected<Schema, std::string> Schema::read(std::string_view text) {
  auto root = parse_json(text);
  if (!root) return std::unexpected(root.error());
  auto parts = std::make_shared<Parts>();
  parts->root = std::move(*root);
  try {
    Reader{*parts}.read();
  } catch (const BadSchema& problem) {
    return std::unexpected(problem.what());
  }
  return Schema{std::move(parts)};
}

std::optional<std::string> pointer_of(std::string_view reference) {
  if (reference.empty()) return "";
  if (!reference.starts_with('#')) return std::nullopt;
  std::string pointer;
  for (std::size_t i = 1; i < reference.size(); ++i) {
    const int high = reference[i] == '%' && i + 2 < reference.size() ? hex_value(reference[i + 1]) : -1;
    const int low = high < 0 ? -1 : hex_value(reference[i + 2]);
    pointer += low < 0 ? reference[i] : static_cast<char>(16 * high + low);
    if (low >= 0) i += 2;
  }
  // `#/` is `#` with an empty key to some writers, but nobody means that.
  return pointer == "/" ? "" : pointer;
}

}  // namespace baton
