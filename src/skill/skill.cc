#include "skill/skill.h"

#include <fmt/core.h>

#include "base/limits.h"
#include "base/text.h"
#include "base/utf8.h"
#include "skill/fields.h"
#include "text/front_matter.h"
#include "text/yaml_tree.h"

namespace baton {
namespace {

/// `Read, Bash(git add:*) Write`: commas and blanks part the names, but not inside of parentheses.
std::vector<std::string> split_tools(std::string_view text) {
  std::vector<std::string> tools;
  std::string tool;
  int depth = 0;
  const auto finish = [&] {
    if (!tool.empty()) tools.push_back(std::move(tool));
    tool.clear();
  };
  for (const char c : text) {
    if (c == '(') ++depth;
    if (c == ')' && depth > 0) --depth;
    const bool parts = c == ',' || c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (parts && depth == 0) {
      finish();
    } else {
      tool += c;
    }
  }
  finish();
  return tools;
}

class SkillReader {
 public:
  explicit SkillReader(const SkillSource& source) : source_{source} {}

  Skill read(std::string_view text) {
    skill_.name = source_.folder_name;
    if (const auto front = split_front_matter(text, source_.file)) {
      skill_.body = trim(front->body);
      read_front(*front);
    } else {
      skill_.body = trim(without_byte_order_mark(text));
    }
    if (skill_.description.empty())
      warn("skill-without-description", 0, fmt::format("skill '{}' has no description", skill_.name),
           "add 'description: <what it is for, and when to use it>'");
    return std::move(skill_);
  }

 private:
  void warn(std::string code, int line, std::string message, std::string help) {
    skill_.warnings.push_back({std::move(code),
                               std::move(message),
                               std::move(help),
                               {source_.file, line, line > 0 ? 1 : 0},
                               Severity::warning});
  }

  void read_front(const FrontMatter& front) {
    YamlRead yaml = read_yaml(front.yaml, source_.file, front.lines_before);
    const auto root = yaml.tree ? yaml.tree->root() : std::nullopt;
    if (root && root->is_mapping()) {
      for (Fault& f : yaml.faults) {
        f.severity = Severity::warning;
        skill_.warnings.push_back(std::move(f));
      }
      return take(fields_of(*root));
    }
    if (trim(front.yaml).empty()) return;
    const int line = yaml.faults.empty() ? front.lines_before + 1 : yaml.faults.front().place.line;
    warn("skill-not-yaml", line, "the front matter is not valid YAML; it was read line by line, as 'key: value'",
         "indent the further lines of a value, and put a value with ': ' in it in quotes");
    take(fields_of_lines(front.yaml, front.lines_before));
  }

  void take(const SkillFields& fields) {
    take_name(fields);
    skill_.description = text_of(fields, "description");
    skill_.model = text_of(fields, "model");
    skill_.license = text_of(fields, "license");
    skill_.compatibility = text_of(fields, "compatibility");
    take_tools(fields);
    take_timeout(fields);
    take_inputless(fields);
    if (const SkillField* metadata = fields.find("metadata")) skill_.metadata = metadata->entries;
  }

  static std::string text_of(const SkillFields& fields, const char* key) {
    const SkillField* field = fields.find(key);
    return field == nullptr ? std::string{} : std::string{trim(field->text)};
  }

  void take_name(const SkillFields& fields) {
    const SkillField* field = fields.find("name");
    if (field == nullptr) return;
    const std::string name{trim(field->text)};
    if (name.empty() || name == source_.folder_name) return;
    if (!is_id(name)) {
      return warn("skill-name-differs", field->line,
                  fmt::format("'{}' cannot be the name of a skill; its folder's name is taken", shorten(name, 80)),
                  fmt::format("write 'name: {}'", source_.folder_name));
    }
    skill_.name = name;
    if (source_.folder_name.empty()) return;
    warn("skill-name-differs", field->line,
         fmt::format("the skill calls itself '{}', but its folder is '{}'", name, source_.folder_name),
         "both names find it; let the folder have the skill's name");
  }

  void take_tools(const SkillFields& fields) {
    for (const char* key : {"allowed-tools", "allowed_tools", "tools"}) {
      const SkillField* field = fields.find(key);
      if (field == nullptr) continue;
      skill_.tools = field->items.empty() ? split_tools(field->text) : field->items;
      if (!skill_.tools.empty()) return;
    }
  }

  void take_timeout(const SkillFields& fields) {
    const SkillField* field = fields.find("timeout");
    if (field == nullptr) return;
    const auto time = parse_duration(trim(field->text));
    if (!time) return warn("bad-duration", field->line, time.error().message, time.error().help);
    if (time->count() > 0) skill_.timeout = *time;
  }

  void take_inputless(const SkillFields& fields) {
    const SkillField* field = fields.find("inputless");
    if (field == nullptr) return;
    const std::string_view word = trim(field->text);
    skill_.inputless = word == "true" || word == "True" || word == "TRUE";
    if (skill_.inputless || word == "false" || word == "False" || word == "FALSE") return;
    warn("wrong-type", field->line, "'inputless' of a skill has to be true or false", "write 'true' or 'false'");
  }

  const SkillSource& source_;
  Skill skill_;
};

}  // namespace

Expected<Skill> read_skill(std::string_view text, const SkillSource& source) {
  if (text.size() > Limits::skill_bytes_max) {
    return std::unexpected(Fault{"file-too-large",
                                 fmt::format("the skill is larger than {} MiB", Limits::skill_bytes_max >> 20U),
                                 "move what is long to files in its 'references' folder",
                                 {source.file, 0, 0}});
  }
  if (auto bad = find_bad_bytes(text, source.file)) return std::unexpected(std::move(*bad));
  return SkillReader{source}.read(text);
}

Expected<Skill> read_skill_head(std::string_view beginning, const SkillSource& source) {
  const auto front = split_front_matter(beginning, source.file);
  // A body is cut anywhere, also inside of a character: it is none of a list's business.
  const std::string_view head =
      front ? beginning.substr(0, static_cast<std::size_t>(front->body.data() - beginning.data())) : std::string_view{};
  if (auto bad = find_bad_bytes(head, source.file)) return std::unexpected(std::move(*bad));
  return SkillReader{source}.read(head);
}

}  // namespace baton
