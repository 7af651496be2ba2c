#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/project_skills.h"
#include "cli/safety_policy.h"
#include "engine/runtime_choice.h"

namespace baton::cli {

/// What the configuration, the skill and the run's own recorded `--set` say about agent programs.
class ProjectAgents final : public AgentSettings {
 public:
  /// Reads the user's prices, if there are any. What is wrong with them is in `faults`.
  ProjectAgents(const Project& project, ProjectSkills& skills);

  [[nodiscard]] ClaudeSettings claude(const Run& run, const Step& step) const override;
  [[nodiscard]] ApiSettings api(const Run& run, const Step& step, const std::string& runtime) const override;
  [[nodiscard]] std::string model_of(const Run& run, const std::string& runtime) const override;
  [[nodiscard]] std::vector<std::string> constraints(const Run& run) const override;
  [[nodiscard]] std::shared_ptr<const Prices> prices() const override { return prices_; }

  /// The configuration with what the run's own `--set` said.
  [[nodiscard]] const Config& config_for(const Run& run) const;

 private:
  const Project& project_;
  ProjectSkills& skills_;
  std::shared_ptr<const Prices> prices_;
  mutable std::map<std::string, Config> configs_;  ///< by the run's recorded settings
  mutable RunPolicies policies_;
};

/// What the user says of prices, by itself.
struct UserPrices {
  std::string file;       ///< where it is looked for; empty if there is no home
  bool is_there = false;  ///< the file
  Prices own;
};
/// Faults: bad-prices.
std::expected<UserPrices, Faults> user_prices();

/// The built-in prices with the user's laid over them. Faults: bad-prices.
std::expected<Prices, Faults> project_prices();

/// How long an attempt with this skill may take: what the configuration says of it, else the skill itself, else what is
/// said of the runtime (the skill's own where the step names none, else `own`, that of its run).
std::optional<Millis> skill_timeout(const Config& config, ProjectSkills& skills, const std::string& skill,
                                    const std::string& runtime, const std::string& own);

/// Gives steps what the configuration and their skills say of them and they do not say themselves: runtime and model.
void apply_skill_terms(std::vector<Step>& steps, const Config& config, ProjectSkills& skills, bool model_is_given);

}  // namespace baton::cli
