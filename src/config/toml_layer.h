#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fault.h"

namespace baton {

/// One key of a TOML file, with its dotted name and its place. Lists come as JSON.
struct TomlEntry {
  std::string key;
  std::string value;
  Place place;
};

/// A file that does not exist has no entries. Broken TOML is one fault with its place.
std::vector<TomlEntry> read_toml(const std::string& path, Faults& faults);

/// `["a","b"]` in TOML's (and JSON's) words; nothing if it is none.
std::optional<std::vector<std::string>> read_toml_list(std::string_view text);

}  // namespace baton
