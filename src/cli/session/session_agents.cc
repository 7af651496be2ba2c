#include "cli/session/session_agents.h"

#include <fmt/core.h>

#include <cstdlib>

#include "base/limits.h"
#include "base/text.h"
#include "engine/real_files.h"

namespace baton::cli {

std::optional<Skill> agent_file(const Project& project, const std::string& name) {
  if (!is_id(name)) return std::nullopt;
  const char* home = std::getenv("HOME");
  for (const std::string& root : {project.root(), std::string{home == nullptr ? "" : home}}) {
    if (root.empty()) continue;
    const std::string path = fmt::format("{}/.claude/agents/{}.md", root, name);
    const auto text = RealFiles{}.read(path, Limits::skill_bytes_max);
    if (!text || !*text) continue;
    if (auto agent = read_skill(**text, {path, name})) return std::move(*agent);
  }
  return std::nullopt;
}

std::string SessionAgents::name_for(const std::string& agent, const Config& config) const {
  return config.text("session.agents." + agent).value_or(agent);
}

bool SessionAgents::is_news(const std::string& name) {
  if (told_.contains(name) || skills_.registry().find(name) || agent_file(project_, name)) return false;
  told_.insert(name);
  return true;
}

std::string SessionAgents::model_of(const std::string& name) {
  if (skills_.registry().find(name)) return {};  // apply_skill_terms() sees to that
  const auto found = agent_file(project_, name);
  // `inherit` and the like are words of the agent's own program.
  return found && found->model != "inherit" ? found->model : std::string{};
}

}  // namespace baton::cli
