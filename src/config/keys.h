#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace baton {

enum class KeyKind { text, integer, number, boolean, duration, list, choice };

/// A key that the configuration knows. `*` in the pattern stands for one name.
struct KeySpec {
  std::string_view pattern;
  KeyKind kind;
  std::string_view initial;  ///< the default as text; empty: unset
  std::string_view explanation;
  std::string_view choices = {};  ///< for `choice`, separated by '|'
};

const std::vector<KeySpec>& known_keys();
const KeySpec* find_key(std::string_view key);

/// Empty if `value` fits the key, else what was expected.
std::string misfit(const KeySpec& spec, std::string_view value);

}  // namespace baton
