#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/context.h"

namespace baton::cli {

/// A chain of skills that has a name.
struct ChainFound {
  std::vector<std::string> skills;
  std::string origin;                     ///< `built in`, or where its key stands: a file and line, a variable, --set
  Place place = {};                       ///< the same for faults
  bool is_built_in = false;               ///< and no key of [workflows] has its name
  std::vector<std::string> shadows = {};  ///< the skills of the built-in chain that it stands in for
  std::string shadowed_by = {};           ///< the workflow file of the same name, which wins; absolute
};

/// The chains a project can run, by name: those of [workflows], and the built-in ones that none of them replaces. A
/// workflow file of the same name wins over both.
std::map<std::string, ChainFound> find_chains(const Project& project);
/// The same under another configuration: a run's recorded one.
std::map<std::string, ChainFound> find_chains(const Project& project, const Config& config);

/// A key of [workflows] that a file keeps from ever being run. Empty if there is none: that a file stands in for a
/// built-in chain is nobody's mistake.
Faults shadowed_chains(const Project& project);

}  // namespace baton::cli
