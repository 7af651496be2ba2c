#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "core/run.h"
#include "sim/fake_trees.h"
#include "sim/promise.h"
#include "support/fake_host.h"

namespace baton::test {

bool is_at_work(const Run& run, StepIndex i);

/// What has to hold of answers that change the plan, of working trees, and of reviews.
class ChainRules {
 public:
  ChainRules(const FakeHost& host, const FakeTrees& trees, std::map<std::string, std::uint64_t>& reached)
      : host_(host), trees_(trees), reached_(reached) {}

  void before(const std::string& id, const Run& run, const Event& e);
  void after(const std::string& id, const Run& run, const Event& e);
  /// The step was not completed before this event.
  static void completed(const std::string& id, const Run& run, const Event& e, StepIndex step);
  /// All events of one transaction are on record.
  static void stored(const std::string& id, const Run& run);
  /// A process that sees to a tree started.
  void started(const AttemptKey& key, const Run& run) const;
  /// A step is ready, and nobody else works in its tree.
  static bool can_start(const Run& run);
  /// The engine stands still between two ticks.
  void check(const std::string& id, const Run& run) const;

 private:
  void admitted(const std::string& id, const Run& run, StepIndex step) const;
  void extends(const std::string& id, const Run& run, const event::PlanExtended& e);
  void nobody_else_is_there(const AttemptKey& key, const Run& run, const std::string& folder) const;

  const FakeHost& host_;
  const FakeTrees& trees_;
  std::map<std::string, std::uint64_t>& reached_;
  RunState was_ = RunState::queued;                                        ///< before the present event
  std::set<std::tuple<std::string, StepIndex, int>> answers_;              ///< that did something to the plan
  std::set<std::tuple<std::string, StepIndex, std::string>> resolutions_;  ///< steps that were made for a merge
  /// By run and folder: the attempt that ended well there last.
  std::map<std::pair<std::string, std::string>, AttemptKey> left_;
};

}  // namespace baton::test
