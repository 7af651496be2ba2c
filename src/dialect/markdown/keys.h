#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace baton::markdown {

/// A key that front matter may have. The reader refuses every other, and editors are told of just these.
struct Key {
  std::string_view name;
  std::string_view schema;  ///< of its value: members of a JSON Schema, without the braces
  std::string_view about;   ///< one line for people
  bool required = false;
};

const std::vector<Key>& workflow_keys();
const std::vector<Key>& input_keys();
const std::vector<Key>& step_keys();
/// The rules of `validate`.
const std::vector<Key>& check_keys();
const std::vector<Key>& budget_keys();
const std::vector<Key>& loop_keys();
const std::vector<Key>& gate_keys();

std::vector<std::string> names_of(const std::vector<Key>& keys);

/// All of the above as one JSON Schema (draft 2020-12), for the language servers of editors. It is no stricter than the
/// reader: what it refuses, `baton check` refuses too.
std::string front_matter_schema();

}  // namespace baton::markdown
