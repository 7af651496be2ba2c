#pragma once

#include <map>
#include <optional>
#include <string>

#include "cli/project_skills.h"
#include "engine/dialect_run.h"

namespace baton::cli {

/// The skills that agents are told, as they are now. Attempts that start together are told the same, and it is looked
/// for once.
class SkillsOfNow {
 public:
  SkillsOfNow(const Project& project, ProjectSkills& skills) : project_(project), skills_(skills) {}

  /// The skill of this name, else the agent that a file `.claude/agents/NAME.md` of the project or the user describes.
  const std::optional<SkillText>& find(const std::string& name);
  void look_anew() { known_.clear(); }

 private:
  const Project& project_;
  ProjectSkills& skills_;
  std::map<std::string, std::optional<SkillText>> known_;
};

}  // namespace baton::cli
