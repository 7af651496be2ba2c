#include "runtime/api/schema_fit.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/boost_json.h"
#include "runtime/api/json_reading.h"

namespace baton::api {

namespace json = boost::json;

namespace {

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::ranges::find(words, word) != words.end();
}

constexpr std::array<std::string_view, 10> formats = {"date-time", "time", "date", "duration", "email",
                                                      "hostname",  "uri",  "ipv4", "ipv6",     "uuid"};
// What only narrows: the answer is looked at for it afterwards.
constexpr std::array<std::string_view, 22> narrowing = {"minimum",
                                                        "maximum",
                                                        "exclusiveMinimum",
                                                        "exclusiveMaximum",
                                                        "multipleOf",
                                                        "minLength",
                                                        "maxLength",
                                                        "maxItems",
                                                        "uniqueItems",
                                                        "minProperties",
                                                        "maxProperties",
                                                        "contains",
                                                        "minContains",
                                                        "maxContains",
                                                        "propertyNames",
                                                        "dependentRequired",
                                                        "dependentSchemas",
                                                        "if",
                                                        "then",
                                                        "else",
                                                        "not",
                                                        "examples"};
constexpr std::array<std::string_view, 5> words_only = {"$schema", "$id", "$comment", "readOnly", "writeOnly"};

class Fitting {
 public:
  explicit Fitting(const json::value& root) : root_{root} {}

  std::optional<json::value> fit(const json::value& schema) {
    if (const bool* any = schema.if_bool()) return *any ? std::optional<json::value>{json::object{}} : std::nullopt;
    const json::object* object = schema.if_object();
    if (object == nullptr) return std::nullopt;
    json::object out;
    for (const auto& [key, value] : *object) {
      if (!take(key, value, out)) return std::nullopt;
    }
    return close(*object, out) ? std::optional<json::value>{std::move(out)} : std::nullopt;
  }

 private:
  /// False: the schema cannot be fitted.
  bool take(std::string_view key, const json::value& value, json::object& out) {
    if (is_one_of(key, narrowing) || is_one_of(key, words_only)) return true;
    if (key == "minItems") {
      if (value.is_number()) out[key] = value == json::value(0) ? 0 : 1;
      return true;
    }
    if (key == "format") {
      if (value.is_string() && is_one_of(value.get_string(), formats)) out[key] = value;
      return true;
    }
    if (key == "pattern") {
      const bool simple = value.is_string() && value.get_string().find("(?") == std::string_view::npos &&
                          value.get_string().find("\\b") == std::string_view::npos;
      if (simple) out[key] = value;
      return true;
    }
    if (key == "$ref") return take_reference(value, out);
    if (key == "properties" || key == "$defs" || key == "definitions") return take_map(key, value, out);
    if (key == "items") return take_one(key, value, out);
    if (key == "anyOf" || key == "allOf" || key == "oneOf")
      return take_list(key == "oneOf" ? "anyOf" : key, value, out);
    if (key == "patternProperties" || key == "prefixItems") return false;
    if (key == "additionalProperties") return true;  // close() sees to it
    out[key] = value;
    return true;
  }

  bool take_one(std::string_view key, const json::value& value, json::object& out) {
    auto fitted = fit(value);
    if (fitted) out[key] = std::move(*fitted);
    return fitted.has_value();
  }

  bool take_map(std::string_view key, const json::value& value, json::object& out) {
    const json::object* members = value.if_object();
    if (members == nullptr) return false;
    json::object fitted;
    for (const auto& [name, schema] : *members) {
      if (!take_one(name, schema, fitted)) return false;
    }
    out[key] = std::move(fitted);
    return true;
  }

  bool take_list(std::string_view key, const json::value& value, json::object& out) {
    const json::array* schemas = value.if_array();
    if (schemas == nullptr) return false;
    json::array fitted;
    for (const json::value& schema : *schemas) {
      auto one = fit(schema);
      if (!one) return false;
      fitted.push_back(std::move(*one));
    }
    out[key] = std::move(fitted);
    return true;
  }

  bool take_reference(const json::value& value, json::object& out) {
    if (!value.is_string()) return false;
    const std::string target{value.get_string()};
    if (!target.starts_with("#/")) return false;
    if (std::ranges::find(path_, target) != path_.end()) return false;  // it leads back to itself
    boost::system::error_code error;
    const json::value* found = root_.find_pointer(target.substr(1), error);
    if (found == nullptr) return false;
    path_.push_back(target);
    const bool fits = path_.size() < 64 && fit(*found).has_value();
    path_.pop_back();
    if (fits) out["$ref"] = value;
    return fits;
  }

  /// An object has exactly the members it names. One that names none but takes any cannot be told so.
  static bool close(const json::object& from, json::object& out) {
    const json::value* type = out.if_contains("type");
    const bool is_object =
        (type != nullptr && type->is_string() && type->get_string() == "object") || out.contains("properties");
    if (!is_object) return true;
    const json::value* more = from.if_contains("additionalProperties");
    const bool names_members = out.contains("properties");
    if (more != nullptr && more->is_object()) return false;
    if (!names_members && (more == nullptr || !more->is_bool() || more->get_bool())) return false;
    out["additionalProperties"] = false;
    return true;
  }

  const json::value& root_;
  std::vector<std::string> path_;
};

bool is_strict(const json::value& value) {
  if (const auto* list = value.if_array()) return std::ranges::all_of(*list, is_strict);
  const json::object* object = value.if_object();
  if (object == nullptr) return true;
  const json::object* properties = object_at(*object, "properties");
  const json::array* required = array_at(*object, "required");
  if (properties != nullptr && object->contains("additionalProperties") &&
      properties->size() != (required == nullptr ? 0 : required->size())) {
    return false;
  }
  return std::ranges::all_of(*object, [](const auto& member) { return is_strict(member.value()); });
}

}  // namespace

std::optional<std::string> fitted_schema(std::string_view schema) {
  const auto root = read_json(schema);
  if (!root || !root->is_object() || root->get_object().empty()) return std::nullopt;
  const auto fitted = Fitting{*root}.fit(*root);
  if (!fitted) return std::nullopt;
  return json::serialize(*fitted);
}

bool is_strict_schema(std::string_view fitted) {
  const auto root = read_json(fitted);
  return root && is_strict(*root);
}

bool is_object_schema(std::string_view schema) {
  const auto root = read_json(schema);
  return root && root->is_object() && string_at(root->get_object(), "type") == "object";
}

bool is_json_object(std::string_view text) {
  const auto value = read_json(text);
  return value && value->is_object();
}

}  // namespace baton::api
