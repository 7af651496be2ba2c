#include "runtime/api/json_reading.h"

#include <algorithm>

#include "base/boost_json.h"
#include "runtime/api/characters.h"
#include "text/json_value.h"

namespace baton::api {

namespace json = boost::json;

std::optional<json::value> read_json(std::string_view text) {
  json::parse_options options;
  options.allow_invalid_utf8 = true;
  options.max_depth = json_depth_max;
  boost::system::error_code error;
  json::value value = json::parse({text.data(), text.size()}, error, {}, options);
  if (error && text.find("\\u") != std::string_view::npos) {
    const std::string mended = with_halves_as_bytes(text);
    value = json::parse(mended, error, {}, options);
  }
  if (error) return std::nullopt;
  return value;
}

std::string unescaped(std::string_view inside) {
  const auto value = read_json("\"" + std::string{inside} + "\"");
  if (!value || !value->is_string()) return std::string{inside};
  return as_characters(std::string{value->get_string()});
}

std::string number_or_text_at(const json::object& object, std::string_view key) {
  const json::value* found = object.if_contains(key);
  if (found == nullptr || found->is_null()) return {};
  if (found->is_string()) return std::string{string_at(object, key)};
  return found->is_number() ? json::serialize(*found) : std::string{};
}

std::optional<std::int64_t> count_at(const json::object& object, std::string_view key) {
  constexpr double count_max = 1e12;
  const json::value* found = object.if_contains(key);
  if (found == nullptr || !found->is_number()) return std::nullopt;
  const auto number = static_cast<double>(number_of(*found));
  if (!(number >= 0)) return 0;
  return static_cast<std::int64_t>(std::min(number, count_max));
}

}  // namespace baton::api
