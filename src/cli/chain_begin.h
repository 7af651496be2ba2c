#pragma once

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "cli/verbs.h"
#include "plan/plan.h"

namespace baton::cli {

/// A chain of skills by its name.
struct NamedChain {
  std::string name;
  std::vector<std::string> skills;
};

/// The chain that TARGET names; nullopt if it is none, or a workflow file has that name.
std::optional<NamedChain> chain_named(const Project& project, const std::string& target);

struct ReadChain {
  Plan plan;
  Faults warnings;
};

/// The chain as it would run in a repository, for looking at.
std::expected<ReadChain, Faults> read_chain(const Project& project, const NamedChain& chain);

/// `run` of a chain: checked through first (its skills, the task, the repository), then begun.
int run_chain(const Project& project, const NamedChain& chain, const RunOptions& options);

}  // namespace baton::cli
