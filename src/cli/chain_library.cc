#include "cli/chain_library.h"

#include "cli/agent_runtimes.h"
#include "cli/agent_settings.h"
#include "cli/chains.h"
#include "cli/run_settings.h"
#include "core/facts.h"

namespace baton::cli {

void apply_chain_terms(std::vector<Step>& steps, const Config& config, ProjectSkills& skills, bool model_is_given,
                       const std::string& runtime) {
  apply_skill_terms(steps, config, skills, model_is_given);
  const auto timeout = config.duration("limits.step_timeout");
  const std::string of_run = own_runtime(config, runtime);
  for (Step& s : steps) {
    const auto own = skill_timeout(config, skills, s.work->skill, s.work->runtime, of_run);
    s.policy.timeout = own ? *own : timeout.value_or(Millis{0});
    s.policy.retries = retries_of(config, s.work->runtime, of_run, 0);
  }
}

EventBody extension_event(const Run& run, chain::Extension extension, const std::string& task) {
  event::PlanExtended e{step_index(run.step_count() - 1), step_index(run.step_count()), std::move(extension.steps),
                        extension.replaces_rest, std::move(extension.joins)};
  e.task = task;
  return e;
}

chain::Library ProjectChains::library(bool has_trees, const Config& config) const {
  chain::Library library;
  for (const auto& [name, found] : find_chains(project_, config)) library.workflows[name] = found.skills;
  library.terms.has_trees = has_trees;
  library.terms.policy_of = [config](const std::string& /*skill*/) {
    Policy policy;
    policy.limit_retries = config.integer("limits.rate_limit_retries").value_or(0);
    policy.retry_delay = config.duration("limits.retry_delay").value_or(policy.retry_delay);
    policy.stop_grace = config.duration("limits.stop_grace").value_or(policy.stop_grace);
    policy.timeout = Millis{0};  // it and the retries go by skill and runtime: see apply_chain_terms
    policy.stall = config.duration("limits.stall").value_or(Millis{0});
    return policy;
  };
  library.has_skill = [&skills = skills_](const std::string& name) { return skills.registry().find(name).has_value(); };
  return library;
}

chain::Library ProjectChains::library_of(const Run& run) const {
  return library(!option_of(run, "worktree").empty() || !option_of(run, "rehearse").empty(), config_of(run));
}

const Config& ProjectChains::config_of(const Run& run) const {
  const std::vector<std::string> recorded = recorded_sets(run.settings());
  if (recorded.empty()) return project_.config();
  // They were read without faults when they were recorded; a configuration file that broke since is no reason to stop.
  auto config = project_.config_with(recorded);
  if (!config) return project_.config();
  config_ = std::make_unique<Config>(std::move(*config));
  return *config_;
}

chain::Extension ProjectChains::with_terms(chain::Extension extension, const Run& run) const {
  apply_chain_terms(extension.steps, config_of(run), skills_, !option_of(run, "model").empty(),
                    option_of(run, "runtime"));
  return extension;
}

std::vector<CheckResult> ProjectChains::check(const Run& run, StepIndex step, const std::string& answer) {
  return chain::check_answer(run, step, answer, library_of(run));
}

chain::Extension ProjectChains::extend(const Run& run, StepIndex by, const std::string& answer) {
  return with_terms(chain::extend_after(run, by, answer, library_of(run)), run);
}

chain::Extension ProjectChains::resolve(const Run& run, StepIndex waiting, const std::vector<std::string>& files,
                                        const std::string& with) {
  return with_terms(chain::resolve(run, waiting, files, with, library_of(run)), run);
}

chain::Extension ProjectChains::revise(const Run& run, const std::string& message) {
  return with_terms(chain::revise(run, message, library_of(run)), run);
}

chain::Extension ProjectChains::follow_up(const Run& run, const std::string& task) {
  return with_terms(chain::follow_up(run, task, library_of(run)), run);
}

}  // namespace baton::cli
