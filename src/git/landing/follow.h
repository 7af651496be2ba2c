#pragma once

#include <string>
#include <vector>

#include "base/fault.h"
#include "git/landing/change.h"
#include "git/landing/site.h"

namespace baton::git {

/// A branch on its way from one commit to another.
struct TargetMove {
  std::string run;
  std::string target;  ///< the branch's short name
  std::string ref;     ///< its full one
  std::string before;
  std::string after;
  std::vector<Change> changes;
};

/// A working tree that has the branch checked out, with nobody at work in it.
struct Checkout {
  std::string top;
  std::string git_dir;
  SteadyGit git;  ///< in it
};

/// All of them. Such as are listed but not there are told in `notes`. Faults: accept-checkout-busy,
/// accept-index-locked.
Expected<std::vector<Checkout>> checkouts_of(const Site& site, const std::string& run, const std::string& target,
                                             const std::string& ref, std::vector<std::string>& notes);

/// Whether the checkout could follow. Changes nothing. Faults: accept-would-overwrite, accept-checkout-busy,
/// accept-index-locked.
Status can_follow(const Checkout& checkout, const TargetMove& move);

/// Takes files and index from `before` to `after`; what the user changed stays. All or nothing, but for a crash or a
/// disk that refuses. Faults as can_follow().
Status follow(const Checkout& checkout, const TargetMove& move);

/// As follow(), where an earlier one may have come any part of the way: a file of either commit, or what a killed git
/// had written of one by then, is no work of the user's.
Status follow_again(const Checkout& checkout, const TargetMove& move);

/// The way back, from wherever it stands.
Status step_back(const Checkout& checkout, const TargetMove& move);

}  // namespace baton::git
