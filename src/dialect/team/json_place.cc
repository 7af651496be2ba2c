#include "dialect/team/json_place.h"

#include <fmt/core.h>

#include "base/boost_json.h"
#include "base/letters.h"
#include "base/text.h"
#include "dialect/team/team_file.h"
#include "text/json_members.h"
#include "text/json_patch.h"
#include "text/place.h"

namespace baton::team {

Place place_of(std::string_view text, std::string_view key, const std::string& file) {
  const JsonPatch members{text};
  const std::string_view value = members.raw(key);
  if (value.empty()) return {file, 1, 1};
  return place_at(text, static_cast<std::size_t>(value.data() - text.data()), file);
}

Expected<boost::json::object> read_file_object(std::string_view text, const std::string& file, std::string_view name) {
  auto object = read_object(text, file, "team-file-corrupt");
  if (object) return object;
  Fault corrupt = object.error();
  corrupt.message = fmt::format("Invalid session: {} corrupt: {}", name, corrupt.message);
  corrupt.help = rerun_hint;
  return std::unexpected(std::move(corrupt));
}

std::optional<bool> as_truth(std::string_view word) {
  const std::string known = lower(trim(word));
  if (known == "true" || known == "yes") return true;
  if (known == "false" || known == "no") return false;
  return std::nullopt;
}

std::optional<bool> truth_at(const boost::json::object& object, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    const boost::json::value* value = value_at(object, key);
    if (value == nullptr) continue;
    if (const auto truth = as_truth(as_text(*value))) return truth;
  }
  return std::nullopt;
}

}  // namespace baton::team
