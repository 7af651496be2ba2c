#include "dialect/workspace/prompt_layout.h"

#include <fmt/core.h>

#include "base/text.h"
#include "dialect/workspace/paths.h"

namespace baton::workspace {
namespace {

constexpr std::string_view between = "\n\n";

std::string system_text(const PromptMaterial& m) {
  std::string text{trim(m.skill_body)};
  for (const Reference& reference : m.references) {
    if (!text.empty()) text += between;
    text += fmt::format("---\n## Reference: {}\n{}", reference.name, trim(reference.text));
  }
  return text;
}

std::string context_text(const PromptMaterial& m) {
  const bool known = m.context && !trim(*m.context).empty();
  return fmt::format("## Product Context\n{}\n\n",
                     known ? std::string{trim(*m.context)}
                           : "No product marketing context available. Work with the information provided in the task.");
}

bool is_context(const InputText& input) {
  const auto path = inner_path(input.path);
  return path && *path == context_path;
}

std::string inputs_text(const PromptMaterial& m) {
  std::string text = "## Upstream Inputs\n";
  bool any = false;
  for (const InputText& input : m.inputs) {
    if (is_context(input)) continue;  // it is there already
    text += fmt::format("### Input: {}\nSource: {}\n\n{}\n\n", input.description, input.path, input.text);
    any = true;
  }
  if (!any) text += "No upstream inputs for this task.\n\n";
  return text;
}

std::string task_text(const PromptMaterial& m) {
  const Task& t = m.task;
  std::string text =
      fmt::format("## Task Assignment\n- **Task ID:** {}\n- **From:** {}\n- **Priority:** {}\n- **Goal:** {}\n\n", t.id,
                  t.from, name(t.priority), t.goal);
  text += fmt::format("## Requirements\n{}\n\n", t.requirements);
  if (t.revision_count > 0) {
    text += fmt::format(
        "## Revision Context\nThis is revision #{}. Previous output was reviewed and changes were requested.\nSee the "
        "review feedback in the upstream inputs above.\n\n",
        t.revision_count);
  }
  text += fmt::format("## Output Instructions\n- Write your complete output below\n- Format: {}\n", t.output_format);
  text += "- Be thorough and follow the skill guidelines above\n";
  if (m.to_program) text += "- Your last message is the output, as it is: write no file and leave nothing out of it\n";
  return text;
}

}  // namespace

std::string Prompt::whole() const { return system.empty() ? user() : system + std::string{between} + user(); }

Prompt build_prompt(const PromptMaterial& material) {
  return {system_text(material), context_text(material), inputs_text(material), task_text(material)};
}

}  // namespace baton::workspace
