#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fault.h"

namespace baton {

/// In which form a value was written. A `word` comes from the environment or a flag, where everything is text.
enum class WrittenAs { word, text, integer, number, boolean, list, table, other };

/// One item of a list that was given.
struct GivenItem {
  std::string text;
  Place place = {};
  bool is_text = true;
};

/// One value that a layer gives: of a TOML file, with its dotted name and its place.
struct Given {
  std::string key;
  std::string value;  ///< as text; a list as JSON
  Place place = {};   ///< of the key
  WrittenAs as = WrittenAs::word;
  std::vector<GivenItem> items = {};  ///< of a list
  std::string written = {};           ///< what the file calls the key, where that is another name than ours
};

/// In the order of the file. A table with nothing in it is one entry too. A file that does not exist has none. Broken
/// TOML is one fault with its place.
std::vector<Given> read_toml(const std::string& path, Faults& faults);

/// The items of `["a","b"]`, in TOML's (and JSON's) words; nothing if it is none.
std::optional<std::vector<GivenItem>> read_items(std::string_view text);
std::optional<std::vector<std::string>> read_toml_list(std::string_view text);

/// `["a","b"]`
std::string list_text(const std::vector<GivenItem>& items);

}  // namespace baton
