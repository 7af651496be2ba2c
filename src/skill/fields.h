#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "text/yaml_tree.h"

namespace baton {

/// One value of a skill's front matter, whatever it is: a text, a list of texts, or texts by name.
struct SkillField {
  std::string text = {};
  std::vector<std::string> items = {};
  std::map<std::string, std::string> entries = {};
  int line = 0;
};

/// A skill's front matter. Of a key that is there twice the first one counts.
class SkillFields {
 public:
  [[nodiscard]] const SkillField* find(std::string_view key) const {
    const auto found = fields_.find(key);
    return found == fields_.end() ? nullptr : &found->second;
  }
  SkillField& add(std::string_view key, const SkillField& field) {
    return fields_.try_emplace(std::string{key}, field).first->second;
  }

 private:
  std::map<std::string, SkillField, std::less<>> fields_;
};

/// REQUIRES: a mapping.
SkillFields fields_of(const YamlNode& root);

/// Front matter that is not YAML: `key: value` at the margin, `|` and `>` blocks, `- item` lists, `key: value` beneath
/// an empty key. Any other line goes on with the value before it, indented or not.
SkillFields fields_of_lines(std::string_view text, int lines_before);

}  // namespace baton
