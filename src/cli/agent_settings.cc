#include "cli/agent_settings.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "base/limits.h"
#include "base/text.h"
#include "cli/agent_runtimes.h"
#include "cli/api_settings.h"
#include "cli/run_settings.h"
#include "cli/session/session_agents.h"
#include "cli/time_zone.h"
#include "core/facts.h"
#include "engine/real_files.h"

namespace baton::cli {
namespace {

/// Where the user keeps what he says about himself: ~/.config/baton.
std::string user_folder() {
  const char* config_home = std::getenv("XDG_CONFIG_HOME");
  if (config_home != nullptr && *config_home == '/') return std::string{config_home} + "/baton";
  const char* home = std::getenv("HOME");
  return home == nullptr || *home == '\0' ? std::string{} : std::string{home} + "/.config/baton";
}

}  // namespace

namespace {

std::string prices_file() {
  const std::string folder = user_folder();
  return folder.empty() ? folder : folder + "/prices.json";
}

/// Nothing if there is no such file.
std::expected<std::optional<std::string>, Faults> prices_text() {
  if (prices_file().empty()) return std::nullopt;
  auto text = RealFiles{}.read(prices_file(), Limits::file_bytes_max);
  if (!text) return std::unexpected(Faults{text.error()});
  return std::move(*text);
}

}  // namespace

std::expected<UserPrices, Faults> user_prices() {
  auto text = prices_text();
  if (!text) return std::unexpected(text.error());
  UserPrices user{prices_file(), text->has_value(), {}};
  if (!*text) return user;
  auto own = Prices::read(**text, user.file);
  if (!own) return std::unexpected(own.error());
  user.own = std::move(*own);
  return user;
}

std::expected<Prices, Faults> project_prices() {
  const auto text = prices_text();
  if (!text) return std::unexpected(text.error());
  if (!*text) return Prices::built_in();
  return Prices::built_in().overridden_by(**text, prices_file());
}

ProjectAgents::ProjectAgents(const Project& project, ProjectSkills& skills) : project_(project), skills_(skills) {
  auto prices = project_prices();
  prices_ = std::make_shared<const Prices>(prices ? *prices : Prices::built_in());
}

const Config& ProjectAgents::config_for(const Run& run) const {
  const std::vector<std::string> recorded = recorded_sets(run.settings());
  if (recorded.empty()) return project_.config();
  const std::string key = join(recorded, "\n");
  const auto known = configs_.find(key);
  if (known != configs_.end()) return known->second;
  // They were read without faults when they were recorded; a configuration file that broke since is no reason to stop.
  auto config = project_.config_with(recorded);
  return configs_.emplace(key, config ? *config : project_.config()).first->second;
}

namespace {

/// A skill that names its tools has those and no others: a review that may only read must not be able to write.
/// `Bash(git diff:*)` needs Bash to be there. None named: all there are.
std::optional<std::vector<std::string>> tools_there(const std::vector<std::string>& allowed) {
  if (allowed.empty()) return std::nullopt;
  std::vector<std::string> names;
  for (const std::string& tool : allowed) {
    const std::string name = tool.substr(0, tool.find('('));
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

std::vector<std::string> tools_of_agent_file(const Project& project, const std::string& agent) {
  auto found = agent_file(project, agent);
  return found ? std::move(found->tools) : std::vector<std::string>{};
}

}  // namespace

ClaudeSettings ProjectAgents::claude(const Run& run, const Step& step) const {
  const Config& config = config_for(run);
  const std::string& skill_name = step.work->skill;
  const bool is_session = run.plan().dialect == "session";
  const std::string of_skill = "skills." + skill_name + ".";
  ClaudeSettings settings;
  settings.command = command_of(config, "claude");
  settings.max_turns =
      config.integer(of_skill + "max_turns").value_or(config.integer("runtime.claude.max_turns").value_or(0));
  settings.max_budget_usd = config.number("runtime.claude.max_budget_usd");
  settings.permission_mode = config.text("runtime.claude.permission_mode").value_or(settings.permission_mode);
  settings.extra_args = config.list("runtime.claude.args");
  settings.linger = config.duration("runtime.claude.linger").value_or(settings.linger);
  settings.disallowed_tools = config.list("runtime.claude.disallowed_tools");
  for (std::string& tool : config.list(of_skill + "disallowed_tools")) {
    settings.disallowed_tools.push_back(std::move(tool));
  }
  if (config.has(of_skill + "tools")) {
    settings.allowed_tools = config.list(of_skill + "tools");  // an empty list is an answer too: none
  } else {
    const auto found = skills_.registry().find(skill_name);
    if (found) settings.allowed_tools = found->skill.tools;
    if (!found && is_session) settings.allowed_tools = tools_of_agent_file(project_, skill_name);
    if (settings.allowed_tools.empty()) settings.allowed_tools = config.list("runtime.claude.tools");
  }
  if (run.plan().dialect == "chain" || is_session) settings.tools = tools_there(settings.allowed_tools);
  settings.offset_of = offset_of_zone;
  settings.keeps_background_setting = std::getenv("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS") != nullptr;
  const auto folder = run.settings().options.find("folder");
  if (folder != run.settings().options.end()) {
    policies_.apply(settings, folder->second, config, project_.root());
  }
  return settings;
}

/// By the policy that is enforced, which the run has kept since it began.
std::vector<std::string> ProjectAgents::constraints(const Run& run) const {
  return policies_.rules(option_of(run, "folder"), config_for(run));
}

std::string ProjectAgents::model_of(const Run& run, const std::string& runtime) const {
  if (asks_api(runtime)) return api_model(config_for(run), runtime);
  return config_for(run).text("runtime." + runtime + ".model").value_or("");
}

ApiSettings ProjectAgents::api(const Run& run, const Step& step, const std::string& runtime) const {
  ApiSettings settings = api_settings(config_for(run), runtime, step.work->skill);
  // The courier gives up a little before whoever holds it does, and says so.
  settings.deadline = step.timeout();
  if (!step.work->mode.empty()) {
    settings.batch = step.work->mode == "batch" && settings.protocol == api::Protocol::messages;
  }
  return settings;
}

std::optional<Millis> skill_timeout(const Config& config, ProjectSkills& skills, const std::string& skill,
                                    const std::string& runtime, const std::string& own) {
  const std::string prefix = "skills." + skill + ".";
  if (const auto timeout = config.duration(prefix + "timeout")) return timeout;
  const auto found = skills.registry().find(skill);
  if (found && found->skill.timeout) return found->skill.timeout;
  std::string named = runtime.empty() ? config.text(prefix + "runtime").value_or("") : runtime;
  if (named.empty()) named = own;
  return named.empty() ? std::nullopt : config.duration("runtime." + named + ".timeout");
}

void apply_skill_terms(std::vector<Step>& steps, const Config& config, ProjectSkills& skills, bool model_is_given) {
  std::map<std::string, std::string> models;  // thousands of steps have a few skills
  const auto model_of = [&](const std::string& skill) -> const std::string& {
    const auto known = models.find(skill);
    if (known != models.end()) return known->second;
    const auto found = skills.registry().find(skill);
    return models.emplace(skill, found ? found->skill.model : std::string{}).first->second;
  };
  for (Step& s : steps) {
    if (s.flow != nullptr && !s.flow->body.empty()) {
      Flow flow = *s.flow;
      apply_skill_terms(flow.body, config, skills, model_is_given);
      s.flow = std::make_shared<const Flow>(std::move(flow));
    }
    if (s.work == nullptr || s.work->skill.empty()) continue;
    const std::string prefix = "skills." + s.work->skill + ".";
    Work work = *s.work;
    if (work.runtime.empty()) work.runtime = config.text(prefix + "runtime").value_or("");
    if (work.model.empty()) work.model = config.text(prefix + "model").value_or("");
    if (work.model.empty() && !model_is_given) work.model = model_of(s.work->skill);
    if (work != *s.work) s.work = std::make_shared<const Work>(std::move(work));
  }
}

}  // namespace baton::cli
