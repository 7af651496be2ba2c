#include "skill/fields.h"

#include <algorithm>

#include "base/text.h"
#include "text/yaml_json.h"

namespace baton {
namespace {

std::string plain_text(const YamlNode& node) {
  if (!node.is_scalar()) return yaml_as_json(node);
  return std::string{node.is_null() ? std::string_view{} : node.text()};
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/// Where the colon of `key: value` stands; npos if the line is no such thing. A key is one word.
std::size_t key_end(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return std::string_view::npos;
  if (!std::ranges::all_of(line.substr(0, colon), is_word)) return std::string_view::npos;
  const bool parted = colon + 1 == line.size() || line[colon + 1] == ' ' || line[colon + 1] == '\t';
  return parted ? colon : std::string_view::npos;
}

std::string_view unquoted(std::string_view text) {
  text = trim(text);
  const bool quoted = text.size() >= 2 && text.front() == text.back() && (text.front() == '"' || text.front() == '\'');
  return quoted ? text.substr(1, text.size() - 2) : text;
}

bool opens_block(std::string_view value) {
  return !value.empty() && (value.front() == '|' || value.front() == '>') &&
         value.find_first_not_of("+-0123456789", 1) == std::string_view::npos;
}

class LineReader {
 public:
  explicit LineReader(int lines_before) : line_{lines_before} {}

  SkillFields read(std::string_view text) {
    for (std::string_view line : split(text, '\n')) {
      ++line_;
      if (line.ends_with('\r')) line.remove_suffix(1);
      read_line(line);
    }
    return std::move(fields_);
  }

 private:
  void read_line(std::string_view line) {
    const std::string_view content = trim(line);
    const bool indented = !line.empty() && (line.front() == ' ' || line.front() == '\t');
    const std::size_t colon = indented ? std::string_view::npos : key_end(line);
    if (colon != std::string_view::npos) return begin(line.substr(0, colon), trim(line.substr(colon + 1)));
    if (field_ == nullptr || (!in_block_ && (content.empty() || content.starts_with('#')))) return;
    if (in_block_) return go_on(content, "\n");
    if (field_->text.empty() && content.starts_with("- ")) {
      field_->items.emplace_back(unquoted(content.substr(2)));
    } else if (const std::size_t inner = key_end(content); field_->text.empty() && inner != std::string_view::npos) {
      field_->entries.try_emplace(std::string{content.substr(0, inner)}, unquoted(content.substr(inner + 1)));
    } else {
      go_on(content, " ");
    }
  }

  void begin(std::string_view key, std::string_view value) {
    in_block_ = opens_block(value);
    SkillField field{.line = line_};
    if (value.starts_with('[') && value.ends_with(']')) {
      for (const std::string_view item : split(value.substr(1, value.size() - 2), ',')) {
        if (!trim(item).empty()) field.items.emplace_back(unquoted(item));
      }
    } else if (!in_block_) {
      field.text = unquoted(value);
    }
    const bool is_new = fields_.find(key) == nullptr;
    SkillField& kept = fields_.add(key, field);
    field_ = is_new ? &kept : nullptr;
  }

  void go_on(std::string_view content, std::string_view separator) {
    if (!field_->text.empty()) field_->text += separator;
    field_->text += content;
  }

  SkillFields fields_;
  SkillField* field_ = nullptr;  // of the value that further lines belong to; std::map never moves it
  bool in_block_ = false;
  int line_;
};

}  // namespace

SkillFields fields_of(const YamlNode& root) {
  SkillFields fields;
  for (std::size_t i = 0; i < root.size(); ++i) {
    const YamlNode value = root.value(i);
    SkillField field{.line = value.line()};
    if (value.is_scalar()) field.text = plain_text(value);
    if (value.is_sequence()) {
      for (std::size_t j = 0; j < value.size(); ++j) field.items.push_back(plain_text(value.item(j)));
    }
    if (value.is_mapping()) {
      for (std::size_t j = 0; j < value.size(); ++j) {
        field.entries.try_emplace(std::string{value.key(j).text()}, plain_text(value.value(j)));
      }
    }
    fields.add(root.key(i).text(), field);
  }
  return fields;
}

SkillFields fields_of_lines(std::string_view text, int lines_before) { return LineReader{lines_before}.read(text); }

}  // namespace baton
