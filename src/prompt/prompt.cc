#include "prompt/prompt.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace baton {
namespace {

/// A value that has a line of its own must not be able to begin another one. All else in it, be it a path, stays.
std::string in_one_line(std::string text) {
  std::ranges::replace_if(text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

/// Texts of others, told whole. Whoever reads the prompt's own lines must not take one of theirs for it.
std::string told(std::string_view text) {
  constexpr std::array<std::string_view, 4> own{"Input:", "Output:", "Validation:", "Sub-task:"};
  std::string out;
  for (std::string_view line : split(trim(text), '\n')) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (std::ranges::any_of(own, [&](std::string_view word) { return line.starts_with(word); })) out += ' ';
    out += line;
    out += '\n';
  }
  return out;
}

std::string skill_section(const PromptParts& parts) {
  if (trim(parts.skill_body).empty()) {
    if (parts.skill.empty()) return {};
    return fmt::format("# Skill\n\nUse the skill '{}'.\n", in_one_line(parts.skill));
  }
  std::string section = parts.skill.empty() ? "# Skill\n\n" : fmt::format("# Skill: {}\n\n", in_one_line(parts.skill));
  section += told(parts.skill_body);
  if (parts.skill_folder.empty()) return section;
  section += "\nFiles that the skill speaks of lie beneath its folder. Read them when you need them.\n\n";
  section += fmt::format("Skill folder: {}\n", in_one_line(parts.skill_folder));
  for (const std::string& file : parts.skill_files) section += fmt::format("Skill file: {}\n", in_one_line(file));
  return section;
}

void add_output_rules(const PromptParts& parts, std::vector<std::string>& rules) {
  if (parts.output.empty()) return;
  const bool is_json = parts.output_format == OutputFormat::json;
  rules.push_back(
      fmt::format("Write the result yourself, with your file tool, {}to the exact output path below. This is a must: "
                  "the step is done only when that file is there.",
                  is_json ? "as one valid JSON document " : ""));
  rules.emplace_back("Never give the result as text only: an answer does not replace the file.");
  const std::string validation = parts.checks.empty() ? std::string{} : rules_json(parts.checks);
  if (is_json && validation.find("\"contentId\"") != std::string::npos) {
    rules.emplace_back("The JSON has to have a 'contentId': the id of the content that it is about.");
  }
  if (!parts.checks.empty()) rules.emplace_back("The output has to meet every rule of the validation below.");
}

std::string rules_section(const PromptParts& parts) {
  std::vector<std::string> rules;
  if (!parts.inputs.empty()) rules.emplace_back("Read every input listed below before you begin.");
  if (!trim(parts.skill_body).empty()) {
    rules.emplace_back("Carry out the mission as the skill above says. It is all here: there is nothing to invoke.");
  }
  add_output_rules(parts, rules);
  if (parts.answers) {
    rules.emplace_back(
        "Your last message is this step's result. It is handed on as it is, and nothing else of what you say: put "
        "everything there that the next one has to know.");
    rules.emplace_back("Nobody can answer questions: decide, and say what you decided.");
  }
  rules.emplace_back("Do this step only, and do it yourself: start no other agents.");
  for (const std::string& constraint : parts.constraints) rules.push_back(in_one_line(constraint));
  std::string section = "# Rules\n\n";
  for (const std::string& rule : rules) section += fmt::format("- {}\n", rule);
  return section;
}

std::string context_section(const PromptParts& parts) {
  std::string section = fmt::format("# Context\n\nStep: {}\n", in_one_line(parts.step));
  if (!parts.folder.empty()) section += fmt::format("Folder: {}\n", in_one_line(parts.folder));
  if (!parts.branch.empty()) section += fmt::format("Branch: {}\n", in_one_line(parts.branch));
  if (!parts.sub_task.empty()) section += fmt::format("Sub-task: {}\n", in_one_line(parts.sub_task));
  for (const NeededOutput& need : parts.needed) {
    section += fmt::format("Result of step '{}': {}\n", in_one_line(need.step), in_one_line(need.path));
  }
  for (const std::string& note : parts.notes) section += in_one_line(note) + "\n";
  for (const std::string& input : parts.inputs) section += fmt::format("Input: {}\n", in_one_line(input));
  if (!parts.output.empty()) section += fmt::format("Output: {}\n", in_one_line(parts.output));
  if (!parts.previous_output.empty()) {
    section += fmt::format("Previous output, set aside: {}\n", in_one_line(parts.previous_output));
  }
  if (!parts.checks.empty()) section += fmt::format("Validation: {}\n", rules_json(parts.checks));
  return section;
}

/// What the steps before have to say, each under a name of its own where there are several.
std::string handed_on_section(const PromptParts& parts) {
  if (parts.handed_on.empty()) return {};
  std::string section = "# Previous output\n\n";
  for (const HandedOn& result : parts.handed_on) {
    if (!result.name.empty()) section += fmt::format("### {}\n", in_one_line(result.name));
    section += told(result.text);
    if (!result.path.empty()) {
      section += fmt::format("\nThis is its beginning and its end. The whole is in {}\n", in_one_line(result.path));
    }
    section += "\n";
  }
  section.pop_back();
  return section;
}

std::string feedback_section(const PromptParts& parts) {
  if (all_passed(parts.feedback)) return {};
  std::string section = fmt::format(
      "# What was wrong with the previous attempt\n\nThis is attempt {}. The output of the one before failed these "
      "checks; mend exactly this:\n\n",
      parts.attempt);
  for (const CheckResult& result : parts.feedback) {
    if (!result.passed) section += fmt::format("- {}: {}\n", in_one_line(result.name), in_one_line(result.message));
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
  parts.sub_task = step.work->sub_task;
  parts.notes = step.work->notes;
  parts.answers = step.work->answers;
  return parts;
}

std::string assemble(const PromptParts& parts) {
  std::string prompt;
  for (const std::string& section : {skill_section(parts), rules_section(parts), context_section(parts),
                                     handed_on_section(parts), feedback_section(parts)}) {
    if (!section.empty()) prompt += section + "\n";
  }
  if (!trim(parts.task).empty()) prompt += "# The user's task\n\n" + told(parts.task) + "\n";
  return prompt + "# Mission\n\n" + told(parts.mission);
}

}  // namespace baton
