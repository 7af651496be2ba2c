#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "host/attempt_host.h"
#include "support/draws.h"
#include "support/fake_world.h"

namespace baton::test {

/// How likely it is that something is wrong with a working tree, each in percent.
struct TreeTroubles {
  int conflicts = 0;  ///< a merge stops
  int deaths = 0;     ///< the process dies, with its work half done or done
  int faults = 0;     ///< it says that it cannot
  int gone = 0;       ///< somebody deleted the tree while a step was at work in it
  int left_open = 0;  ///< what was to be resolved is not, by an agent or by a person
};

/// Working trees as `baton tree` leaves them: what is merged, what stands in the middle of a merge, what is committed.
/// Outlives engines, holders and power cuts.
class FakeTrees {
 public:
  explicit FakeTrees(std::uint64_t seed) : seed_(seed) {}

  TreeTroubles troubles;

  static bool is_job(const AttemptKey& key) { return is_prepare(key) || is_commit(key); }
  static bool is_prepare(const AttemptKey& key) { return key.step.ends_with("~tree"); }
  static bool is_commit(const AttemptKey& key) { return key.step.ends_with("~commit"); }
  /// The id of the step it is done for.
  static std::string step_of(const AttemptKey& key) { return key.step.substr(0, key.step.find('~')); }
  /// The value of an option; empty if it has none.
  static std::string option(const std::vector<std::string>& argv, const std::string& name);

  /// Such a process ended: what it did to its tree. Answers what it printed.
  std::string ended(const SpawnSpec& spec, bool by_itself);
  /// A person looks after a merge that stands still.
  void resolve(const std::string& folder);

  /// What is in the way of an attempt that would start there; empty: nothing.
  [[nodiscard]] std::string trouble(const std::string& folder, const std::vector<std::string>& merges) const;
  [[nodiscard]] bool is_made(const std::string& folder) const;
  /// What the attempt left in its tree was looked after.
  [[nodiscard]] bool was_committed(const AttemptKey& attempt) const { return commits_.contains(attempt); }

 private:
  struct Tree {
    bool made = false;
    std::map<std::string, int> merged;  ///< branches, and how much of them
    std::string merging;                ///< stands in the middle of taking in this one
    int merging_head = 0;
  };

  std::string prepare(const SpawnSpec& spec);
  std::string commit(const SpawnSpec& spec);
  void finish_merge(Tree& tree, const std::string& folder);

  std::uint64_t seed_;
  std::map<std::string, Tree> trees_;
  std::map<std::string, int> heads_;  ///< of branches: how many commits they have
  std::set<AttemptKey> commits_;
};

}  // namespace baton::test
