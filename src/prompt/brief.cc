#include "prompt/brief.h"

#include <fmt/core.h>

#include "base/text.h"

namespace baton {
namespace {

/// Ends in exactly one line end.
std::string paragraph(std::string_view text) { return std::string{trim(text)} + "\n"; }

std::string context_of(const PromptParts& parts, const std::vector<ToldFile>& inputs) {
  std::string context;
  if (!trim(parts.task).empty()) context += "# The user's task\n\n" + paragraph(parts.task) + "\n";
  for (const ToldFile& input : inputs) {
    context += fmt::format("# Input: {}\n\n{}\n", input.name, paragraph(input.text));
  }
  for (const HandedOn& result : parts.handed_on) {
    const std::string heading = result.name.empty() ? "# Previous output" : "# Previous output: " + result.name;
    context += fmt::format("{}\n\n{}\n", heading, paragraph(result.text));
  }
  if (!trim(parts.previous_text).empty()) {
    context += "# What this step answered before\n\n" + paragraph(parts.previous_text) + "\n";
  }
  return context;
}

std::string rules_of(const PromptParts& parts) {
  const bool is_json = !parts.output.empty() && parts.output_format == OutputFormat::json && !parts.answers;
  std::string rules = "# Rules\n\n";
  if (is_json) {
    rules += "- Answer with one valid JSON document and nothing else: no words around it, no code fence.\n";
  } else {
    rules += "- Your answer is the result, as it is: give all of it, and nothing that does not belong to it.\n";
  }
  if (!parts.checks.empty()) rules += "- The answer has to meet every rule of the validation below.\n";
  rules +=
      "- Nobody can answer questions: decide, and say what you decided only where the result has a place for it.\n";
  for (const std::string& constraint : parts.constraints) rules += fmt::format("- {}\n", trim(constraint));
  if (!parts.checks.empty()) rules += fmt::format("\nValidation: {}\n", rules_json(parts.checks));
  return rules;
}

std::string feedback_of(const PromptParts& parts) {
  if (all_passed(parts.feedback)) return {};
  std::string text = fmt::format(
      "# What was wrong with the previous attempt\n\nThis is attempt {}. The answer before failed these checks; mend "
      "exactly this:\n\n",
      parts.attempt);
  for (const CheckResult& result : parts.feedback) {
    if (!result.passed) text += fmt::format("- {}: {}\n", result.name, result.message);
  }
  return text + "\n";
}

}  // namespace

Brief make_brief(const PromptParts& parts, const std::vector<ToldFile>& references,
                 const std::vector<ToldFile>& inputs) {
  Brief brief;
  if (!trim(parts.skill_body).empty()) brief.skill = paragraph(parts.skill_body);
  for (const ToldFile& reference : references) {
    brief.references.push_back(fmt::format("---\n## Reference: {}\n\n{}", reference.name, paragraph(reference.text)));
  }
  brief.context = context_of(parts, inputs);
  brief.task = rules_of(parts) + "\n" + feedback_of(parts);
  for (const std::string& note : parts.notes) brief.task += std::string{trim(note)} + "\n";
  if (!parts.sub_task.empty()) brief.task += fmt::format("Sub-task: {}\n\n", parts.sub_task);
  brief.task += "# Mission\n\n" + paragraph(parts.mission);
  return brief;
}

std::string whole_text(const Brief& brief) {
  std::string text = brief.skill;
  for (const std::string& reference : brief.references) text += (text.empty() ? "" : "\n") + reference;
  for (const std::string& part : {brief.context, brief.task}) {
    if (!part.empty()) text += (text.empty() ? "" : "\n") + part;
  }
  return text;
}

}  // namespace baton
