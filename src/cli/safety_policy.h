#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "config/config.h"
#include "plan/plan.h"
#include "runtime/claude.h"
#include "safety/policy.h"

namespace baton::cli {

/// What the configuration says of safety. Faults: bad-safety-pattern.
std::expected<safety::Policy, Faults> policy_of(const Config& config);

/// Where a run keeps its policy, and the settings by which claude asks it.
struct SafetyFiles {
  std::string policy;
  std::string settings;
};
SafetyFiles safety_files(const std::string& run_folder);

/// Writes both into the run's folder; of a policy that is not enabled, only itself. `baton`: the program that the hook
/// starts, absolute.
Status write_safety_files(const std::string& run_folder, const safety::Policy& policy, const std::string& baton);

/// True if any step of the plan goes to an agent.
bool has_agents(const std::vector<Step>& steps);

/// The policies that runs keep in their folders, read once each.
class RunPolicies {
 public:
  /// Gives an attempt of the run in `run_folder` its hook, and the reader of its stream an eye for blocked commands. A
  /// run without a policy of its own gets the one that `config` says, and keeps it from then on. `root`: where paths in
  /// the settings' own arguments begin.
  void apply(ClaudeSettings& settings, const std::string& run_folder, const Config& config, const std::string& root);

  /// What agents of that run are told of it; nothing if it is not enabled.
  std::vector<std::string> rules(const std::string& run_folder, const Config& config);

 private:
  const safety::Policy& of(const std::string& run_folder, const Config& config);

  std::map<std::string, safety::Policy> policies_;
};

}  // namespace baton::cli
