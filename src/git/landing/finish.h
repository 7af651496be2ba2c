#pragma once

#include <string>
#include <vector>

#include "base/fault.h"
#include "git/landing/follow.h"
#include "git/landing/journal.h"
#include "git/landing/site.h"

namespace baton::git {

/// Where the commit that a run's change became is noted, in the same transaction that moves the target.
std::string landed_ref(const std::string& run);
/// Where the tip of the branch that was landed is kept.
std::string accepted_ref(const std::string& run);

/// Takes a target back that could not be followed: first the checkouts, then the refs, so that a crash in between is
/// met by finish_landing() with the target still moved, and a record that says which way it goes. The record stays.
/// Faults: accept-unfinished, git-killed.
Status take_back(const Site& site, const std::vector<Checkout>& checkouts, const TargetMove& move,
                 const std::string& trees, LandingRecord record);

/// Brings a landing that a crash interrupted to one of its two ends: all the checkouts have followed, or nothing moved.
/// REQUIRES: the lock. Faults: accept-unfinished, accept-index-locked, accept-checkout-busy, git-locked, git-killed;
/// the record then stays.
Status finish_landing(const Site& site, const std::string& trees, const LandingRecord& record);

/// All that lie in the folder. Only the fault of `run`'s own is given back: that of another is met again by its own.
Status finish_landings(const Site& site, const std::string& trees, const std::string& run);

}  // namespace baton::git
