#pragma once

#include <map>
#include <memory>
#include <string>

#include "cli/project_skills.h"
#include "dialect/chain/extend.h"

namespace baton::cli {

/// Gives the steps of a chain what the configuration and their skills say of them.
void apply_chain_terms(std::vector<Step>& steps, const Config& config, ProjectSkills& skills, bool model_is_given,
                       const std::string& runtime);

/// What a person asks for at a run's end, as the run is told it.
EventBody extension_event(const Run& run, chain::Extension extension, const std::string& task);

/// The chains and skills of a project, and what steps' answers mean for a run made of them. Looked up when asked for:
/// a workflow that is chosen is what it is then.
class ProjectChains {
 public:
  ProjectChains(const Project& project, ProjectSkills& skills) : project_(project), skills_(skills) {}

  /// `has_trees`: each sub-task can have a working tree of its own.
  [[nodiscard]] chain::Library library(bool has_trees, const Config& config) const;

  std::vector<CheckResult> check(const Run& run, StepIndex step, const std::string& answer);
  chain::Extension extend(const Run& run, StepIndex by, const std::string& answer);
  chain::Extension resolve(const Run& run, StepIndex waiting, const std::vector<std::string>& files,
                           const std::string& with);

  /// What a person asks for at the end of a run.
  chain::Extension revise(const Run& run, const std::string& message);
  chain::Extension follow_up(const Run& run, const std::string& task);

 private:
  [[nodiscard]] chain::Library library_of(const Run& run) const;
  [[nodiscard]] const Config& config_of(const Run& run) const;
  chain::Extension with_terms(chain::Extension extension, const Run& run) const;

  const Project& project_;
  ProjectSkills& skills_;
  mutable std::unique_ptr<Config> config_;  ///< of the run that was asked about last
};

}  // namespace baton::cli
