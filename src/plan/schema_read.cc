// Understanding a JSON Schema before it is used: every keyword's value is of the right kind, every pattern compiles,
// every reference leads to a schema of this document.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "base/text.h"
#include "plan/json_value.h"
#include "plan/schema_parts.h"

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
    schema(parts_.root, "#");
    for (const auto& [reference, place] : asked_) {
      const auto found = schemas_.find(reference);
      if (found == schemas_.end()) {
        throw BadSchema{reference.starts_with('#')
                            ? fmt::format("{}: '$ref' leads nowhere: '{}'", place, shorten(reference, 80))
                            : fmt::format("{}: '$ref' leads out of the schema: '{}'", place, shorten(reference, 80))};
      }
      parts_.references.emplace(reference, found->second);
    }
  }

 private:
  [[noreturn]] static void wrong(const std::string& place, std::string_view keyword, std::string_view wanted) {
    throw BadSchema{fmt::format("{}: '{}' has to be {}", place, keyword, wanted)};
  }

  // As deep as the document, which was limited when it was parsed.
  void schema(const json::value& value, const std::string& place) {
    schemas_.emplace(place, &value);
    if (value.is_bool()) return;
    const auto* object = value.if_object();
    if (object == nullptr) throw BadSchema{fmt::format("{}: a schema has to be an object, true or false", place)};
    for (const auto& member : *object) keyword(member.key(), member.value(), place);
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
    if ((key == "pattern" || key == "format" || key == "$ref") && !value.is_string()) wrong(place, key, "a text");
    if (key == "pattern") pattern(value.get_string(), place);
    if (key == "$ref") asked_.emplace_back(normal(value.get_string()), place);
  }

  /// `#/` is `#` with an empty key to some writers, but nobody means that.
  static std::string normal(std::string_view reference) {
    return std::string{reference == "#/" || reference.empty() ? "#" : reference};
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
    if (array == nullptr || !std::ranges::all_of(*array, [](const json::value& v) { return v.is_string(); })) {
      wrong(place, key, "a list of names");
    }
  }

  static void name_lists(const json::value& value, const std::string& place) {
    const auto* object = value.if_object();
    if (object == nullptr) wrong(place, "dependentRequired", "an object of lists");
    for (const auto& member : *object) names("dependentRequired", member.value(), place);
  }

  static void count(std::string_view key, const json::value& value, const std::string& place) {
    if (!has_type(value, "integer") || number_of(value) < 0) wrong(place, key, "a whole number from 0 on");
  }

  static void number(std::string_view key, const json::value& value, const std::string& place) {
    if (!value.is_number()) wrong(place, key, "a number");
    if (key == "multipleOf" && !(number_of(value) > 0)) wrong(place, key, "more than 0");
  }

  static void type(const json::value& value, const std::string& place) {
    const auto is_type = [](const json::value& v) { return v.is_string() && is_one_of(v.get_string(), type_names); };
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

Pattern known(const char* expression) { return *Pattern::compile(expression); }

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

const Pattern* format_pattern(std::string_view format) {
  static const std::map<std::string, Pattern, std::less<>> patterns{
      {"date", known(R"(^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$)")},
      {"time", known(R"(^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([zZ]|[+-]([01]\d|2[0-3]):[0-5]\d)$)")},
      {"date-time", known(R"(^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[tT ])"
                          R"(([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([zZ]|[+-]([01]\d|2[0-3]):[0-5]\d)$)")},
      {"email", known(R"(^[^@\s]+@[^@\s]+$)")},
      {"uri", known(R"(^[A-Za-z][A-Za-z0-9+.-]*:[^\s]*$)")},
      {"uuid", known("^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$")},
      {"ipv4", known(R"(^((25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(25[0-5]|2[0-4]\d|1?\d?\d)$)")}};
  const auto found = patterns.find(format);
  return found == patterns.end() ? nullptr : &found->second;
}

}  // namespace baton
