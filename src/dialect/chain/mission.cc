#include "dialect/chain/mission.h"

#include <fmt/core.h>

#include <array>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace baton::chain {
namespace {

constexpr std::size_t files_told_max = 200;

/// Of skills that look at what others did.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> fixed{{
    {"test",
     "Run this project's own checks and tests on the change in this working tree, mend what the change broke, and "
     "report "
     "as the skill says. The change was made for the user's task above; that task is context only, so add nothing else "
     "to "
     "it."},
    {"review",
     "Review the change in this working tree against the user's task above and report your verdict as the skill says. "
     "The "
     "task is context only: do not carry it out, and change no file."},
    {"document",
     "Document the change in this working tree as the skill says. The change was made for the user's task above; that "
     "task is context only, so change no code."},
    {"commit",
     "Commit what is uncommitted in this working tree as the skill says. The change was made for the user's task "
     "above; "
     "that task is context only, so change no file."},
}};

constexpr std::string_view follow_up_lead =
    "The user's task above has been carried out in this working tree already. Now the user asks for this in addition; "
    "do "
    "exactly this, on top of what is there:\n\n";

}  // namespace

std::string mission_of(const std::string& skill) {
  for (const auto& [name, mission] : fixed) {
    if (name == skill) return std::string{mission};
  }
  if (skill == "route") return "Choose the workflow that fits the user's task above. Do not carry the task out.";
  if (skill == "decompose") {
    return "Divide the user's task above into sub-tasks as the skill says. Do not carry any of it out.";
  }
  if (skill == "spec") return "Write the plan for the user's task above as the skill says. Do not carry it out.";
  return "Carry out the user's task above as the skill says.";
}

std::string sub_task_mission(const std::string& skill, const std::string& name, const std::string& text) {
  std::string mission = mission_of(skill);
  mission += fmt::format(
      "\n\nThe task was divided, and others see to the rest of it. See to this part only, the sub-task '{}'{}",
      one_line(name), text.empty() ? "." : ":\n\n" + text);
  return mission;
}

std::string revision_mission(const std::string& message) {
  return "The user's task above has been carried out in this working tree, and a person has looked at the change. "
         "Revise "
         "it as that person asks, on top of what is there:\n\n" +
         message;
}

std::string follow_up_mission(const std::string& task) { return std::string{follow_up_lead} + task; }

std::string task_of_follow_up(const std::string& mission) {
  return mission.starts_with(follow_up_lead) ? mission.substr(follow_up_lead.size()) : std::string{};
}

std::string resolve_mission(const std::vector<std::string>& files, const std::string& with) {
  std::string mission = fmt::format(
      "Merging {} into this working tree stopped at conflicts. Resolve them as the skill says, so that both sides' "
      "work "
      "is kept. The user's task above is context only.\n\nFiles in conflict:\n",
      with.empty() ? "the work of another step" : fmt::format("'{}'", one_line(with)));
  for (std::size_t i = 0; i < files.size() && i < files_told_max; ++i) {
    mission += fmt::format("- {}\n", one_line(files[i]));
  }
  if (files.size() > files_told_max) mission += fmt::format("- and {} more\n", files.size() - files_told_max);
  return mission;
}

}  // namespace baton::chain
