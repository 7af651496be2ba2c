#include "config/toml_layer.h"

#include <fmt/core.h>
#include <toml++/toml.h>

#include <filesystem>
#include <fstream>
#include <sstream>

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

void flatten(const toml::table& table, const std::string& prefix, const std::string& file,
             std::vector<TomlEntry>& out) {
  for (const auto& [name, node] : table) {
    const std::string key = prefix + std::string{name.str()};
    if (const toml::table* inner = node.as_table()) {
      flatten(*inner, key + ".", file, out);
    } else if (const toml::array* list = node.as_array()) {
      std::vector<std::string> items;
      for (const toml::node& item : *list) items.push_back(json_quote(scalar_text(item)));
      out.push_back({key, "[" + join(items, ",") + "]", place_of(file, name.source())});
    } else {
      out.push_back({key, scalar_text(node), place_of(file, name.source())});
    }
  }
}

}  // namespace

std::vector<TomlEntry> read_toml(const std::string& path, Faults& faults) {
  std::vector<TomlEntry> entries;
  std::error_code error;
  if (path.empty() || !std::filesystem::exists(path, error)) return entries;
  if (std::filesystem::file_size(path, error) > Limits::file_bytes_max || error) {
    faults.push_back({"bad-config", fmt::format("{} is too large or not a file", path), {}, {path}});
    return entries;
  }
  std::ifstream stream{path, std::ios::binary};
  std::stringstream text;
  text << stream.rdbuf();
  try {
    flatten(toml::parse(text.str()), "", path, entries);
  } catch (const toml::parse_error& e) {
    faults.push_back(
        {"bad-config", std::string{e.description()}, "this is not valid TOML", place_of(path, e.source())});
  }
  return entries;
}

std::optional<std::vector<std::string>> read_toml_list(std::string_view text) {
  if (!trim(text).starts_with('[')) return std::nullopt;
  try {
    const toml::table table = toml::parse("list = " + std::string{text});
    const toml::array* list = table["list"].as_array();
    if (list == nullptr) return std::nullopt;
    std::vector<std::string> items;
    for (const toml::node& item : *list) items.push_back(scalar_text(item));
    return items;
  } catch (const toml::parse_error&) {
    return std::nullopt;
  }
}

}  // namespace baton
