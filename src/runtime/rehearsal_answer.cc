#include "runtime/rehearsal_answer.h"

#include <fmt/core.h>

#include <vector>

#include "base/hash.h"
#include "base/text.h"
#include "runtime/rehearsal_output.h"

namespace baton {
namespace {

/// One of the workflows that the step was told of (`Workflow NAME: …`), but none that would only route again.
std::string made_up_route(const Work& work, std::uint64_t chance) {
  constexpr std::string_view told = "Workflow ";
  std::vector<std::string> names;
  for (const std::string& note : work.notes) {
    const auto colon = note.find(':');
    if (!note.starts_with(told) || colon == std::string::npos) continue;
    if (note.find("route", colon) == std::string::npos) names.push_back(note.substr(told.size(), colon - told.size()));
  }
  return names.empty() ? "build" : names[mix(chance) % names.size()];
}

constexpr std::string_view made_up_tasks = R"({"tasks": [
  {"name": "first-part", "dependencies": []},
  {"name": "second-part", "dependencies": []},
  {"name": "bring-together", "dependencies": ["first-part", "second-part"]}
]})";

}  // namespace

std::string made_up_answer(const Step& step, std::uint64_t chance) {
  const Work& work = *step.work;
  if (work.extends == Extends::route) return made_up_route(work, chance);
  if (work.extends == Extends::decompose) return std::string{made_up_tasks};
  if (work.extends == Extends::review) {
    return R"({"verdict": "APPROVE", "summary": "A rehearsal: nobody looked at anything.", "findings": []})";
  }
  if (work.reviews) {
    return R"({"success": true, "review_summary": "A rehearsal: nobody looked at anything.", "review_issues": []})";
  }
  return fmt::format("{} was rehearsed: {}.", work.skill.empty() ? step.id : work.skill, made_up_words(step, chance));
}

}  // namespace baton
