#include "config/toml_layer.h"

#include <fmt/core.h>
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <tuple>

#include "base/limits.h"
#include "base/text.h"

namespace baton {
namespace {

Place place_of(const std::string& file, const toml::source_region& region) {
  return {file, static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
}

std::string scalar_text(const toml::node& node) {
  if (const auto text = node.value<std::string>()) return *text;
  if (node.is_boolean()) return *node.value<bool>() ? "true" : "false";
  if (node.is_integer()) return fmt::format("{}", *node.value<std::int64_t>());
  if (node.is_floating_point()) return fmt::format("{}", *node.value<double>());
  return {};
}

WrittenAs form_of(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::string:
      return WrittenAs::text;
    case toml::node_type::integer:
      return WrittenAs::integer;
    case toml::node_type::floating_point:
      return WrittenAs::number;
    case toml::node_type::boolean:
      return WrittenAs::boolean;
    case toml::node_type::array:
      return WrittenAs::list;
    case toml::node_type::table:
      return WrittenAs::table;
    case toml::node_type::none:
    case toml::node_type::date:
    case toml::node_type::time:
    case toml::node_type::date_time:
      return WrittenAs::other;
  }
  return WrittenAs::other;
}

std::vector<GivenItem> items_of(const toml::array& list, const std::string& file) {
  std::vector<GivenItem> items;
  for (const toml::node& item : list) {
    items.push_back({scalar_text(item), place_of(file, item.source()), item.is_string()});
  }
  return items;
}

void flatten(const toml::table& table, const std::string& prefix, const std::string& file, std::vector<Given>& out) {
  for (const auto& [name, node] : table) {
    Given given{prefix + std::string{name.str()}, {}, place_of(file, name.source()), form_of(node)};
    if (const toml::table* inner = node.as_table(); inner != nullptr && !inner->empty()) {
      flatten(*inner, given.key + ".", file, out);
      continue;
    }
    if (const toml::array* list = node.as_array()) {
      given.items = items_of(*list, file);
      given.value = list_text(given.items);
    } else {
      given.value = scalar_text(node);
    }
    out.push_back(std::move(given));
  }
}

}  // namespace

std::vector<Given> read_toml(const std::string& path, Faults& faults) {
  std::vector<Given> all;
  std::error_code error;
  if (path.empty() || !std::filesystem::exists(path, error)) return all;
  const auto refuse = [&](const char* why) {
    faults.push_back({"bad-config", fmt::format("{} {}", path, why), {}, {path}});
    return all;
  };
  if (std::filesystem::file_size(path, error) > Limits::file_bytes_max || error) {
    return refuse("is too large or not a file");
  }
  std::ifstream stream{path, std::ios::binary};
  if (!stream) return refuse("cannot be read");
  std::stringstream text;
  text << stream.rdbuf();
  try {
    flatten(toml::parse(text.str()), "", path, all);
  } catch (const toml::parse_error& e) {
    faults.push_back(
        {"bad-config", std::string{e.description()}, "this is not valid TOML", place_of(path, e.source())});
  }
  // The parser keeps keys by name; people read a file from its top.
  std::ranges::sort(all, {}, [](const Given& g) { return std::tuple{g.place.line, g.place.column, g.key}; });
  return all;
}

std::optional<std::vector<GivenItem>> read_items(std::string_view text) {
  if (!trim(text).starts_with('[')) return std::nullopt;
  try {
    const toml::table table = toml::parse("list = " + std::string{text});
    const toml::array* list = table["list"].as_array();
    if (list == nullptr || table.size() != 1) return std::nullopt;
    std::vector<GivenItem> items = items_of(*list, {});
    for (GivenItem& item : items) item.place = {};
    return items;
  } catch (const toml::parse_error&) {
    return std::nullopt;
  }
}

std::optional<std::vector<std::string>> read_toml_list(std::string_view text) {
  const auto items = read_items(text);
  if (!items) return std::nullopt;
  std::vector<std::string> texts;
  for (const GivenItem& item : *items) texts.push_back(item.text);
  return texts;
}

std::string list_text(const std::vector<GivenItem>& items) {
  std::vector<std::string> quoted;
  quoted.reserve(items.size());
  for (const GivenItem& item : items) quoted.push_back(json_quote(item.text));
  return "[" + join(quoted, ",") + "]";
}

}  // namespace baton
