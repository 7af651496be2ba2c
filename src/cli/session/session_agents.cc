#include "cli/session/session_agents.h"

#include <cstdlib>

#include "base/limits.h"
#include "base/text.h"
#include "dialect/session/agents.h"
#include "engine/real_files.h"

namespace baton::cli {

std::optional<SessionAgents::Found> SessionAgents::agent_file(const std::string& name) const {
  if (!is_id(name)) return std::nullopt;
  const char* home = std::getenv("HOME");
  for (const std::string& root : {project_.root(), std::string{home == nullptr ? "" : home}}) {
    if (root.empty()) continue;
    const std::string folder = root + "/.claude/agents";
    const std::string path = folder + "/" + name + ".md";
    const auto text = RealFiles{}.read(path, Limits::skill_bytes_max);
    if (!text || !*text) continue;
    if (auto agent = read_skill(**text, {path, name})) return Found{std::move(*agent), folder};
  }
  return std::nullopt;
}

std::optional<SkillText> SessionAgents::find(const std::string& name) {
  if (auto skill = skills_.find(name)) return skill;
  if (auto found = agent_file(name)) return SkillText{std::move(found->agent.body), {}, {}};
  if (!served_.contains(name)) return std::nullopt;
  return SkillText{session::built_in_agent(name), {}, {}};
}

std::string SessionAgents::name_for(const std::string& agent, const Config& config) const {
  return config.text("session.agents." + agent).value_or(agent);
}

bool SessionAgents::is_news(const std::string& name) {
  if (told_.contains(name) || skills_.registry().find(name) || agent_file(name)) return false;
  told_.insert(name);
  return true;
}

std::string SessionAgents::model_of(const std::string& name) {
  if (skills_.registry().find(name)) return {};  // apply_skill_terms() sees to that
  const auto found = agent_file(name);
  // `inherit` and the like are words of the agent's own program.
  return found && found->agent.model != "inherit" ? found->agent.model : std::string{};
}

}  // namespace baton::cli
