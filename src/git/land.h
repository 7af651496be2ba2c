#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/fault.h"

namespace baton::git {

/// How far a landing has come: what is true once it says so.
enum class LandPhase {
  begun,      ///< nothing else lands in this repository; what an earlier landing left undone is done
  tree_made,  ///< the tree to merge in is there (not where the target stands still: then there is nothing to merge)
  merged,     ///< the commit to land exists, and nobody points to it
  recorded,   ///< where the target is to go is on disk
  moved,      ///< the target is there
  followed,   ///< and one more of the working trees that have it checked out
  forgotten,  ///< and the record is gone again
};

/// The change of a run, and where it is to go.
struct LandOrder {
  enum class Strategy { merge, squash, rebase };

  std::string root;         ///< the project's folder, somewhere in the user's repository
  std::string branch;       ///< baton/RUN
  std::string base_commit;  ///< where that branch began
  std::string target;       ///< the branch to land on, by its short name
  Strategy strategy = Strategy::merge;
  std::string message;                     ///< of the commit that is made for `merge` and `squash`
  std::string trees;                       ///< the folder of Baton's working trees, absolute
  std::string run;                         ///< its id
  std::function<void(LandPhase)> at = {};  ///< told each phase as it is reached; a test may end the process there
};

struct Landed {
  std::string commit;  ///< what the target came to; or, if it did not move, where it stands
  bool moved = false;  ///< false: it was there already, or there was nothing to land
  std::vector<std::string> notes = {};
};

/// Lands a run's change on the target branch. The merge is made in a working tree of its own. Where the target is
/// checked out, files and index follow as with `merge --ff-only`; what the user changed, staged or has lying there
/// stays as it is, and where that is in the way nothing is moved at all. The stash is not looked at.
///
/// Killed at any instant and called again it comes to the same end. REQUIRES: is_id(run).
/// Faults: accept-conflict, accept-would-overwrite, accept-target-missing, accept-target-moved, accept-branch-missing,
/// accept-checkout-busy, accept-index-locked, accept-unfinished, git-locked, git-killed, git-missing, git-failed,
/// file-failed.
Expected<Landed> land(const LandOrder& order);

/// What the run's change became, if it is on the target: land() may have been cut off before anybody could record it.
/// One that was cut off half-way is brought to its end first. nullopt: it has not landed. Faults as land().
Expected<std::optional<std::string>> landed_already(const LandOrder& order);

/// After land(): removes the run's working trees (RUN, RUN--*) beneath `trees` and the branches of the same names. What
/// is then not part of the target (a squashed or rebased branch, uncommitted files) stays at refs/baton/accepted/.
Status tidy_after(const LandOrder& order);

/// Gives the change up: removes the same trees and branches, and keeps all that was in them at refs/baton/rejected/. A
/// branch that is checked out elsewhere stays. May be repeated. REQUIRES: is_id(run).
Status discard(const std::string& root, const std::string& trees, const std::string& run, const std::string& branch);

}  // namespace baton::git
