#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/workspace/task.h"

namespace baton::workspace {

/// A file of a skill's `references/`.
struct Reference {
  std::string name;  ///< without its folder
  std::string text;
};

/// A file that a task builds on, with its text.
struct InputText {
  std::string path;
  std::string description;
  std::string text;
};

/// Everything that goes into a task's prompt.
struct PromptMaterial {
  std::string skill_body = {};
  std::vector<Reference> references = {};  ///< in the order of their names
  std::optional<std::string> context = {};
  std::vector<InputText> inputs = {};
  Task task;
  bool to_program = false;  ///< an agent program gets it: its last message is what counts
};

/// A task's prompt, in parts that change ever more often, so that the prompts of siblings begin alike: the skill and
/// its references, the shared context, the inputs, and last the task itself.
struct Prompt {
  std::string system;  ///< empty if the skill says nothing
  std::string context;
  std::string inputs;
  std::string task;

  [[nodiscard]] std::string user() const { return context + inputs + task; }
  /// All of it, for whoever takes one text.
  [[nodiscard]] std::string whole() const;
};

/// Nothing is escaped and nothing left out. An input that is the context's own file is not told twice.
Prompt build_prompt(const PromptMaterial& material);

}  // namespace baton::workspace
