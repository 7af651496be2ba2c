#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>

#include "base/text.h"
#include "dialect/markdown/draft.h"
#include "dialect/markdown/keys.h"

namespace baton::markdown {
namespace {

const std::vector<std::string>& names_of_workflow_keys() {
  static const std::vector<std::string> keys = names_of(workflow_keys());
  return keys;
}

const std::vector<std::string>& known_input_keys() {
  static const std::vector<std::string> keys = names_of(input_keys());
  return keys;
}

class WorkflowDraftReader {
 public:
  WorkflowDraftReader(const YamlNode& root, const std::string& file, const MarkdownDefaults& defaults,
                      FaultList& faults)
      : root_{root}, file_{file}, defaults_{defaults}, faults_{faults} {}

  WorkflowDraft read() {
    for (std::size_t i = 0; i < root_.size(); ++i) read_key(root_.key(i), root_.value(i));
    if (trim(draft_.name).empty() && !wrong_name_) {
      faults_.error("missing-name", spot_of(root_), "the workflow has no 'name'",
                    "add 'name: <name>' to the front matter");
    }
    if (trim(draft_.description).empty() && !wrong_description_) {
      faults_.warning("missing-description", spot_of(root_), "the workflow has no 'description'",
                      "add 'description: <one line>': it is what people see in lists");
    }
    if (!has_steps_ && !has_outputs_) {
      faults_.error("no-steps", spot_of(root_), "the workflow has no steps",
                    "add 'steps:' with a list of at least one step");
    }
    return std::move(draft_);
  }

 private:
  void read_key(const YamlNode& key, const YamlNode& value) {
    const std::string_view word = key.text();
    if (word == "name") {
      const auto text = read_text(value, "'name'", faults_);
      wrong_name_ = !text;
      draft_.name = text.value_or("");
    } else if (word == "version") {
      draft_.version = read_text(value, "'version'", faults_).value_or("");
    } else if (word == "description") {
      const auto text = read_text(value, "'description'", faults_);
      wrong_description_ = !text;
      draft_.description = trim(text.value_or(""));
    } else if (word == "skills") {
      read_texts(value, "'skills'", faults_);
    } else if (word == "inputs") {
      read_inputs(value);
    } else if (word == "steps") {
      read_steps(key, value);
    } else if (word == "outputs") {
      has_outputs_ = true;
      report_old_outputs(key, value);
    } else {
      report_unknown_key(key, "the workflow", names_of_workflow_keys(), faults_);
    }
  }

  void read_steps(const YamlNode& key, const YamlNode& node) {
    has_steps_ = true;
    if (node.is_null() || (node.is_sequence() && node.size() == 0)) {
      faults_.error("no-steps", spot_of(key), "the workflow has no steps",
                    "add at least one step, '- id: <name>' first");
      return;
    }
    if (!node.is_sequence()) {
      faults_.error("wrong-type", spot_of(node), "'steps' has to be a list", "begin every step with '- id: <name>'");
      return;
    }
    if (node.size() > steps_max) {
      faults_.error("too-many-steps", spot_of(key),
                    fmt::format("the workflow has {} steps; {} is the most there may be", node.size(), steps_max),
                    "split the workflow");
      return;
    }
    draft_.steps.reserve(node.size());
    for (std::size_t i = 0; i < node.size(); ++i) {
      const YamlNode item = node.item(i);
      if (item.is_mapping()) {
        draft_.steps.push_back(read_step_draft(item, i + 1, defaults_, faults_));
      } else {
        faults_.error("wrong-type", spot_of(item), fmt::format("step {} has to be a mapping of keys and values", i + 1),
                      "begin it with '- id: <name>'");
      }
    }
  }

  void read_inputs(const YamlNode& node) {
    if (node.is_null()) return;
    if (!node.is_sequence()) {
      faults_.error("wrong-type", spot_of(node), "'inputs' has to be a list",
                    "begin every input with '- name: <name>'");
      return;
    }
    for (std::size_t i = 0; i < node.size(); ++i) read_input(node.item(i));
  }

  void read_input(const YamlNode& node) {
    InputDecl input;
    input.place = {file_, node.line(), node.column()};
    if (node.is_scalar()) {
      input.name = node.text();  // '- content' can only mean one thing
    } else if (node.is_mapping()) {
      for (std::size_t i = 0; i < node.size(); ++i) read_input_key(node.key(i), node.value(i), input);
    }
    if (!is_id(input.name)) {
      faults_.error("bad-input-name", spot_of(node),
                    input.name.empty() ? "an input has no 'name'"
                                       : fmt::format("'{}' cannot be the name of an input", shorten(input.name, 80)),
                    "add 'name: <name>', made of letters, digits, '_' and '-'");
      return;
    }
    const auto [known, is_new] = input_lines_.try_emplace(input.name, node.line());
    if (!is_new) {
      faults_.error("duplicate-input", spot_of(node), fmt::format("the input '{}' is declared twice", input.name),
                    fmt::format("remove one; the other is on line {}", known->second));
      return;
    }
    draft_.inputs.push_back(std::move(input));
  }

  void read_input_key(const YamlNode& key, const YamlNode& value, InputDecl& input) {
    const std::string_view word = key.text();
    if (word == "name") {
      input.name = read_text(value, "'name' of an input", faults_).value_or("");
    } else if (word == "required") {
      input.required = read_truth(value, "'required' of an input", faults_).value_or(true);
    } else if (word == "description") {
      input.description = read_text(value, "'description' of an input", faults_).value_or("");
    } else if (word == "type") {
      input.type = read_text(value, "'type' of an input", faults_).value_or("");
      if (input.type == "file" || input.type == "json" || input.type.empty()) return;
      faults_.warning("bad-enum", spot_of(value),
                      fmt::format("'type' of an input cannot be '{}'", shorten(input.type, 80)),
                      "write file or json; anything else is not looked at");
      input.type.clear();
    } else if (word == "default") {
      input.default_value = read_text(value, "'default' of an input", faults_);
    } else {
      report_unknown_key(key, "an input", known_input_keys(), faults_);
    }
  }

  /// Version 0.5 had a mapping of outputs. Its very steps, in today's form, are the best help there is.
  void report_old_outputs(const YamlNode& key, const YamlNode& node) {
    constexpr std::size_t steps_shown_max = 20;
    std::string help = "Migrate to a list of 'steps:', each with 'skill:' + 'mission:':\n    steps:";
    const std::size_t shown = node.is_mapping() ? std::min(node.size(), steps_shown_max) : 0;
    for (std::size_t i = 0; i < shown; ++i) help += migrated_step(node.key(i).text(), node.value(i));
    if (shown == 0) help += migrated_step("summary", node);
    faults_.error("old-outputs-syntax", spot_of(key), "'outputs:' is the syntax of version 0.5: steps are a list now",
                  std::move(help));
  }

  static std::string migrated_step(std::string_view id, const YamlNode& old) {
    std::string step = fmt::format("\n      - id: {}\n        skill: {}\n        mission: <what the skill is to do>",
                                   id, text_at(old, "agent").value_or("<name>"));
    std::vector<std::string> needs;
    if (const auto required = old.find("requires"); required && required->is_sequence()) {
      for (std::size_t i = 0; i < required->size(); ++i) needs.emplace_back(required->item(i).text());
    }
    if (!needs.empty()) step += fmt::format("\n        needs: [{}]", join(needs, ", "));
    step += needs.empty() ? "\n        input: ${{ sandbox }}/inputs/content.md"
                          : fmt::format("\n        input: ${{{{ steps.{}.output }}}}", needs.back());
    step += fmt::format("\n        output: ${{{{ sandbox }}}}/outputs/{}",
                        text_at(old, "artifact").value_or(std::string{id} + ".json"));
    if (text_at(old, "final") == "true") step += "\n        final: true";
    if (old.find("validate")) step += "\n        validate: <as it was>";
    return step;
  }

  const YamlNode& root_;
  const std::string& file_;
  const MarkdownDefaults& defaults_;
  FaultList& faults_;
  WorkflowDraft draft_;
  std::unordered_map<std::string, int> input_lines_;
  bool has_steps_ = false;
  bool has_outputs_ = false;
  bool wrong_name_ = false;
  bool wrong_description_ = false;
};

}  // namespace

WorkflowDraft read_workflow_draft(const YamlNode& root, const std::string& file, const MarkdownDefaults& defaults,
                                  FaultList& faults) {
  return WorkflowDraftReader{root, file, defaults, faults}.read();
}

}  // namespace baton::markdown
