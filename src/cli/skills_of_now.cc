#include "cli/skills_of_now.h"

#include <utility>

#include "cli/session/session_agents.h"

namespace baton::cli {

const std::optional<SkillText>& SkillsOfNow::find(const std::string& name) {
  if (const auto known = known_.find(name); known != known_.end()) return known->second;
  std::optional<SkillText> found = skills_.find(name);
  if (!found) {
    if (auto agent = agent_file(project_, name)) found = SkillText{std::move(agent->body), {}, {}};
  }
  return known_.emplace(name, std::move(found)).first->second;
}

}  // namespace baton::cli
