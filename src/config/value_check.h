#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/keys.h"
#include "config/toml_layer.h"

namespace baton {

/// A value that does not fit its key: what was expected, and where exactly it is wrong.
struct Misfit {
  std::string value;
  std::string expected;
  std::string why = {};     ///< where `expected` does not say it all
  bool is_pattern = false;  ///< a text that is no pattern
  Place place = {};         ///< of one item of a list; else no particular one
  bool names_user = false;  ///< an address with a password in it, which is not repeated
};

/// What is wrong with the address of a server; nothing if it is one. `name`: of the key or variable that has it.
std::optional<Fault> address_fault(const std::string& name, std::string_view address, const Place& place);

/// The fault that a misfit is.
Fault fault_of(const Misfit& misfit, const std::string& key, const Place& place);

/// `~/` is the user's home, and what is relative is beneath the project's root. As it is where those are not known.
std::string whole_path(const std::string& path, const std::string& root, const std::string& home);

/// Everything about `given` that does not fit the key. A list that was given as a word is a list afterwards, its items
/// parted by commas; but a pattern may have commas of its own, so that there a word is one item.
std::vector<Misfit> misfits(const KeySpec& spec, Given& given);

}  // namespace baton
