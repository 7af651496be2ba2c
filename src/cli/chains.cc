#include "cli/chains.h"

#include <fmt/core.h>

#include "base/text.h"
#include "cli/definition.h"
#include "dialect/chain/workflows.h"

namespace baton::cli {
namespace {

const chain::Workflows& built_in_chains() { return chain::built_in_workflows(); }

}  // namespace

std::map<std::string, ChainFound> find_chains(const Project& project) { return find_chains(project, project.config()); }

std::map<std::string, ChainFound> find_chains(const Project& project, const Config& config) {
  std::map<std::string, ChainFound> chains;
  for (const auto& [name, skills] : built_in_chains()) chains[name] = {skills, "built in", {}, true};
  for (ConfiguredWorkflow& w : config.workflows()) {
    const auto built_in = built_in_chains().find(w.name);
    ChainFound& chain = chains[w.name];
    chain = {std::move(w.skills), std::move(w.setting.origin), std::move(w.setting.place)};
    if (built_in != built_in_chains().end()) chain.shadows = built_in->second;
  }
  for (const FoundWorkflow& file : find_workflows(project)) {
    const auto chain = chains.find(file.name);
    if (chain != chains.end() && !file.shadowed) chain->second.shadowed_by = file.path;
  }
  return chains;
}

Faults shadowed_chains(const Project& project) {
  Faults faults;
  for (const auto& [name, chain] : find_chains(project)) {
    if (chain.is_built_in || chain.shadowed_by.empty()) continue;
    faults.push_back(
        {"shadowed-workflow",
         fmt::format("'{}' of [workflows] is never run: {} has the same name", name, project.shown(chain.shadowed_by)),
         "give one of them another name", chain.place, Severity::warning});
  }
  return faults;
}

}  // namespace baton::cli
