#include "cli/chain_begin.h"

#include <fmt/core.h>

#include "base/text.h"
#include "cli/agent_runtimes.h"
#include "cli/agent_settings.h"
#include "cli/chain_library.h"
#include "cli/chains.h"
#include "cli/definition.h"
#include "cli/random.h"
#include "cli/run_settings.h"
#include "cli/safety_policy.h"
#include "cli/sandboxes.h"
#include "cli/start_run.h"
#include "core/branch.h"
#include "engine/run_folder.h"
#include "git/survey.h"

namespace baton::cli {
namespace {

void refuse(Faults& faults, const char* option, const char* why) {
  faults.push_back(
      {"option-not-for-chains", fmt::format("{} is not for a chain of skills: {}", option, why), "leave it out"});
}

void refuse_foreign_options(const RunOptions& options, Faults& faults) {
  if (!options.inputs.empty() || !options.file.empty()) refuse(faults, "--input", "it works on a task, --task TEXT");
  if (options.sandbox_id) refuse(faults, "--sandbox-id", "it has no sandbox; 'baton resume RUN' goes on with a run");
  if (!options.only.empty()) refuse(faults, "--only", "each skill builds on the one before");
}

/// Where the run works: a tree and a branch of its own, from the base, wherever there is a repository.
void choose_place(const Project& project, const RunOptions& options, CheckedRun& p, Faults& faults) {
  if (options.rehearse || options.isolation == "none") return;
  auto survey = git::survey(project.root(), project.config().text("git.base").value_or(""));
  if (!survey) {
    if (survey.error().code == "git-missing" && options.isolation.empty()) {
      p.told.push_back(
          {"runs-in-place", "git is not there: the run works in the project's own folder", {}, {}, Severity::warning});
    } else {
      faults.push_back(survey.error());
    }
    return;
  }
  if (!survey->is_repository) {
    const std::string why = "the project is not in a git repository";
    if (options.isolation == "worktree") {
      faults.push_back(
          {"not-a-repository", why + ", so there can be no worktree", "run 'git init', or leave --isolation out"});
    } else {
      p.told.push_back({"runs-in-place",
                        why + ": the run works in the project's own folder, and there is no branch to "
                              "take or to throw away",
                        {},
                        {},
                        Severity::warning});
    }
    return;
  }
  for (const std::string& note : survey->notes) p.told.push_back({"git-note", note, {}, {}, Severity::warning});
  auto& o = p.settings.options;
  o["worktree"] = project.worktrees() + "/" + p.id;
  o["branch"] = branch_of(p.id);
  o["base_commit"] = survey->base_commit;
  o["base_branch"] = survey->base_branch;
  if (!survey->prefix.empty()) o["prefix"] = survey->prefix;
}

std::expected<CheckedRun, Faults> prepare_chain(const Project& project, const NamedChain& chain,
                                                const RunOptions& options) {
  Faults faults;
  CheckedRun p;
  p.id = random_word(8);
  refuse_foreign_options(options, faults);
  p.settings = first_settings(project.config(), options, draw(), faults);
  choose_place(project, options, p, faults);
  ProjectSkills skills{project};
  const ProjectChains chains{project, skills};
  const chain::Library library =
      chains.library(p.settings.options.contains("worktree") || options.rehearse.has_value(), project.config());
  Faults wrong = chain::validate(chain.name, library.workflows, library.has_skill, skills.names());
  if (options.rehearse) {
    for (Fault& f : wrong) f.severity = f.code == "unknown-skill" ? Severity::warning : f.severity;
  }
  faults.insert(faults.end(), wrong.begin(), wrong.end());
  auto task = task_of(options);
  if (!task) {
    faults.push_back(task.error());
  } else if (trim(*task).empty()) {
    faults.push_back({"no-task", fmt::format("the chain '{}' has nothing to work on", chain.name),
                      fmt::format("say what it is to do: baton run {} --task \"…\"", chain.name)});
  }
  if (has_errors(faults)) return std::unexpected(std::move(faults));
  chain::MadePlan made = chain::make_plan(chain.name, chain.skills, library.workflows, library.terms);
  p.plan = std::move(made.plan);
  for (const std::string& w : made.warnings) p.told.push_back({"chain-note", w, {}, {}, Severity::warning});
  apply_chain_terms(p.plan.steps, project.config(), skills, !options.model.empty(), options.runtime);
  complete_terms(p, project, with_task(options, *task), faults);
  p.settings.options["folder"] = run_folder(project.state_dir(), p.id).path;
  if (has_errors(faults)) return std::unexpected(std::move(faults));
  p.told.insert(p.told.end(), faults.begin(), faults.end());
  return p;
}

}  // namespace

std::optional<NamedChain> chain_named(const Project& project, const std::string& target) {
  if (!is_id(target)) return std::nullopt;
  const auto chains = find_chains(project);
  const auto found = chains.find(target);
  if (found == chains.end() || !found->second.shadowed_by.empty()) return std::nullopt;
  return NamedChain{target, found->second.skills};
}

std::expected<ReadChain, Faults> read_chain(const Project& project, const NamedChain& chain) {
  ProjectSkills skills{project};
  const chain::Library library = ProjectChains{project, skills}.library(true, project.config());
  ReadChain read;
  Faults wrong = chain::validate(chain.name, library.workflows, library.has_skill, skills.names());
  for (Fault& f : wrong) f.severity = f.code == "unknown-skill" ? Severity::warning : f.severity;
  if (has_errors(wrong)) return std::unexpected(std::move(wrong));
  chain::MadePlan made = chain::make_plan(chain.name, chain.skills, library.workflows, library.terms);
  read.plan = std::move(made.plan);
  read.warnings = std::move(wrong);
  for (const std::string& w : made.warnings) read.warnings.push_back({"chain-note", w, {}, {}, Severity::warning});
  apply_chain_terms(read.plan.steps, project.config(), skills, false, "");
  return read;
}

int run_chain(const Project& project, const NamedChain& chain, const RunOptions& options) {
  const Common& common = project.common();
  auto prepared = prepare_chain(project, chain, options);
  if (!prepared) return print(common, prepared.error()), exit_refused;
  return begin_run(project, std::move(*prepared), options);
}

}  // namespace baton::cli
