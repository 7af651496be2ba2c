#include "prompt/prompt.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"

namespace baton {
namespace {

/// A value that has a line of its own must not be able to begin another one.
std::string one_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n' || c == '\r') {
      out += ' ';
    } else {
      out += c;
    }
  }
  return out;
}

std::string skill_section(const PromptParts& parts) {
  const std::string_view body = trim(parts.skill_body);
  if (body.empty() && parts.skill.empty()) return {};
  if (body.empty()) return fmt::format("# Skill\n\nUse the skill '{}'.\n", one_line(parts.skill));
  if (parts.skill.empty()) return fmt::format("# Skill\n\n{}\n", body);
  return fmt::format("# Skill: {}\n\n{}\n", one_line(parts.skill), body);
}

std::string rules_section(const PromptParts& parts) {
  std::vector<std::string> rules;
  if (!parts.inputs.empty()) rules.emplace_back("Read every input listed below before you begin.");
  if (!parts.output.empty()) {
    rules.emplace_back(
        parts.output_format == OutputFormat::json
            ? "Write the result as one valid JSON document to the exact output path below; the step is done "
              "only when that file is there."
            : "Write the result to the exact output path below; the step is done only when that file is there.");
    rules.emplace_back("An answer in text does not replace the file.");
  }
  if (!parts.checks.empty()) rules.emplace_back("The output has to meet every rule of the validation below.");
  rules.emplace_back("Do this step only, and do it yourself: start no other agents.");
  for (const std::string& constraint : parts.constraints) rules.push_back(one_line(constraint));
  std::string section = "# Rules\n\n";
  for (const std::string& rule : rules) section += fmt::format("- {}\n", rule);
  return section;
}

std::string context_section(const PromptParts& parts) {
  std::string section = fmt::format("# Context\n\nStep: {}\n", one_line(parts.step));
  if (!parts.folder.empty()) section += fmt::format("Folder: {}\n", one_line(parts.folder));
  if (!parts.branch.empty()) section += fmt::format("Branch: {}\n", one_line(parts.branch));
  if (!parts.sub_task.empty()) section += fmt::format("Sub-task: {}\n", one_line(parts.sub_task));
  for (const std::string& input : parts.inputs) section += fmt::format("Input: {}\n", one_line(input));
  if (!parts.output.empty()) section += fmt::format("Output: {}\n", one_line(parts.output));
  if (!parts.checks.empty()) section += fmt::format("Validation: {}\n", rules_json(parts.checks));
  return section;
}

std::string feedback_section(const PromptParts& parts) {
  if (all_passed(parts.feedback)) return {};
  std::string section = fmt::format(
      "# What was wrong with the previous attempt\n\nThis is attempt {}. The output of the one before failed these "
      "checks; mend exactly this:\n\n",
      parts.attempt);
  for (const CheckResult& result : parts.feedback) {
    if (!result.passed) section += fmt::format("- {}: {}\n", one_line(result.name), one_line(result.message));
  }
  return section;
}

}  // namespace

PromptParts prompt_parts(const Step& step) {
  PromptParts parts;
  parts.step = step.id;
  if (step.work == nullptr) return parts;
  parts.skill = step.work->skill;
  parts.inputs = step.work->inputs;
  parts.output = step.work->output;
  parts.output_format = step.work->output_format;
  parts.checks = step.work->checks;
  parts.mission = step.work->mission;
  return parts;
}

std::string assemble(const PromptParts& parts) {
  std::string prompt;
  for (const std::string& section :
       {skill_section(parts), rules_section(parts), context_section(parts), feedback_section(parts)}) {
    if (!section.empty()) prompt += section + "\n";
  }
  return prompt + fmt::format("# Mission\n\n{}\n", trim(parts.mission));
}

}  // namespace baton
