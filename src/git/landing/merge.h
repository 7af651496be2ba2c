#pragma once

#include <optional>
#include <string>

#include "base/fault.h"
#include "git/land.h"
#include "git/landing/site.h"

namespace baton::git {

/// What stands at both ends of a merge.
struct MergeEnds {
  std::string onto;  ///< the target's tip
  std::string tip;   ///< the branch's
  /// The part of the branch that the target has in another form, squashed or rebased by an earlier landing; or empty.
  std::string landed = {};
};

/// The folder the merge is made in. A sub-task's tree is never called so: their names have no '_'.
std::string merging_tree(const LandOrder& order);

/// The commit that the target would come to, made and pointed to by nobody; nullopt if that would change nothing.
/// Whatever the strategy, its tree is that of the merge. Faults: accept-conflict.
Expected<std::optional<std::string>> make_landing_commit(const Site& site, const LandOrder& order,
                                                         const MergeEnds& ends);

}  // namespace baton::git
