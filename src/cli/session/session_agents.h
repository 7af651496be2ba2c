#pragma once

#include <optional>
#include <set>
#include <string>

#include "cli/project_skills.h"
#include "skill/skill.h"

namespace baton::cli {

/// `.claude/agents/NAME.md` of the project, else of the user.
std::optional<Skill> agent_file(const Project& project, const std::string& name);

/// Who does the tasks of a session: an agent's name is a skill's, or that of a file `.claude/agents/NAME.md` of the
/// project or the user, else what comes along stands in for it.
class SessionAgents {
 public:
  SessionAgents(const Project& project, ProjectSkills& skills) : project_(project), skills_(skills) {}

  /// The name under which `agent` is found: what `session.agents.NAME` says, else its own.
  [[nodiscard]] std::string name_for(const std::string& agent, const Config& config) const;
  /// Nothing defines it: it goes by what comes along, and that has to be said. True once for each name.
  bool is_news(const std::string& name);
  /// The model that the agent's own file names; may be empty.
  std::string model_of(const std::string& name);

 private:
  const Project& project_;
  ProjectSkills& skills_;
  std::set<std::string, std::less<>> told_;
};

}  // namespace baton::cli
