#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/attempt.h"
#include "core/flows.h"
#include "core/standing.h"
#include "core/step_graph.h"

namespace baton {

/// What has happened to one step so far.
struct StepRun {
  StepStanding state;
  std::uint16_t retries_used = 0;
  std::uint16_t backoffs = 0;  ///< of those, how many waited: failed checks are tried again at once
  std::uint16_t unknowns = 0;
  std::uint16_t walls = 0;  ///< in a row, without an answer in between
  std::vector<Attempt> attempts;
};

/// The steps of a run: how each stands, what it needs, which turns are open. Each change of a standing goes through
/// here, so that what is counted of them is always right. It answers what follows from all that; what is to happen the
/// run decides.
class Steps {
 public:
  Steps() = default;
  explicit Steps(std::shared_ptr<const Plan> plan);

  [[nodiscard]] std::size_t size() const { return all_.size(); }
  [[nodiscard]] bool has(StepIndex i) const { return at(i) < all_.size(); }
  [[nodiscard]] const std::vector<StepRun>& all() const { return all_; }
  [[nodiscard]] const StepRun& operator[](StepIndex i) const { return all_[at(i)]; }
  [[nodiscard]] StepRun& ref(StepIndex i);
  /// With the values of its work filled in, once they are known.
  [[nodiscard]] const Step& step(StepIndex i) const {
    const FlowRun* flow = flows_.find(i);
    return flow != nullptr && flow->filled ? *flow->filled : graph_.step(i);
  }
  [[nodiscard]] std::optional<StepIndex> find(std::string_view id) const;
  [[nodiscard]] const StepGraph& graph() const { return graph_; }
  [[nodiscard]] StepGraph& graph() { return graph_; }
  [[nodiscard]] const Flows& flows() const { return flows_; }
  [[nodiscard]] Flows& flows() { return flows_; }

  void set(StepIndex i, StepStanding standing);
  /// It is in this state already, but from now on for this reason.
  void set_reason(StepIndex i, StepStanding standing);
  /// A step more, which was appended to the graph.
  void add();
  /// Others took its place.
  void replace(StepIndex i);
  /// Others took the place of all that have not begun.
  void replace_rest();
  void touch(StepIndex i) {
    if (touched_.size() == touched_before_ || touched_.back() != i) touched_.push_back(i);
  }
  /// What is touched from now on is touched by another event.
  void begin_event() { touched_before_ = touched_.size(); }
  [[nodiscard]] std::span<const StepIndex> touched_by_event() const {
    return std::span{touched_}.subspan(touched_before_);
  }
  /// Steps whose state or attempts changed since the last call.
  std::vector<StepIndex> take_touched();

  /// Steps in this state that are there.
  [[nodiscard]] std::size_t count(StepState s) const {
    return counts_[static_cast<std::size_t>(s)] - (s == StepState::cancelled ? never_existed_ : 0);
  }
  /// Steps that are there.
  [[nodiscard]] std::size_t total() const { return all_.size() - never_existed_; }
  /// Others took its place before it began: nothing of it ever was.
  [[nodiscard]] bool never_existed(StepIndex i) const;
  [[nodiscard]] bool ended_badly(StepIndex i) const;
  [[nodiscard]] bool is_at_work(StepIndex i) const;
  [[nodiscard]] bool waits_for_quota() const;
  [[nodiscard]] std::size_t skipped_without_failure() const;
  /// A change that was reviewed is not taken without a person's word.
  [[nodiscard]] bool end_in_review() const;
  /// Nothing else is at work or would be started: what waits are composites, for what was made for them.
  [[nodiscard]] bool is_last_at_work(StepIndex i) const;

  /// A step with a condition of its own decides for itself; one that brings others together takes those there are.
  [[nodiscard]] bool tolerates(StepIndex i, StepIndex need) const;
  [[nodiscard]] bool is_met(StepIndex i, StepIndex need) const;
  [[nodiscard]] std::uint32_t count_unmet(StepIndex i) const;
  /// What it was found to need counts from now on: it runs again when one of those does. True if all of them are met.
  [[nodiscard]] bool join(StepIndex i, const std::vector<StepIndex>& needs);
  /// The step is at work once more: those that need it and have not begun yet wait for it like in the beginning, and so
  /// does the one that was about to build on it, if only through others.
  void wait_again_for(StepIndex i, std::optional<StepIndex> by);
  /// Another step is at work in the step's tree, or the tree is being made ready for one. In a chain steps follow each
  /// other; but one that is run again may come beside one that was at work already.
  [[nodiscard]] bool is_tree_busy(StepIndex i) const;
  /// Its working tree has to be made ready again before its next attempt.
  void forget_tree(StepIndex i);
  /// In the order in which they became ready.
  [[nodiscard]] std::optional<StepIndex> next_ready();

  // Attempts; those that were admitted ahead wait for the end of the one before (steps_ahead.cc).
  /// Admitted attempts that have not ended; those that wait for another's end do not count.
  [[nodiscard]] std::size_t in_flight() const { return in_flight_; }
  [[nodiscard]] int next_attempt(StepIndex i) const { return static_cast<int>(all_[at(i)].attempts.size()) + 1; }
  [[nodiscard]] const Attempt* attempt(StepIndex i, int n) const;
  /// How long it waits before it is tried again: longer each time, with some chance in it that comes from the seed.
  [[nodiscard]] Millis retry_delay(StepIndex i, std::uint64_t seed, const Failure& failure) const;
  /// The attempt that is at work; nullptr if that is another one.
  Attempt* current(StepIndex i, int n);
  Attempt& admit(StepIndex i, Attempt&& attempt);
  /// The attempt has ended: its slot goes to what waited for this end.
  void free_slot_of(StepIndex i);
  /// The last attempt left no trace in the world, so it leaves none here.
  void drop_attempt(StepIndex i);
  /// The step that may be admitted on the condition that the present attempt of `i` ends well.
  [[nodiscard]] std::optional<StepIndex> next_after(StepIndex i) const;
  /// The step whose attempt waits for the end of this one's.
  [[nodiscard]] std::optional<StepIndex> follower_of(StepIndex i) const;
  /// Its last attempt was admitted on a condition, has not begun, and the step it needs is not completed.
  [[nodiscard]] bool is_conditional(StepIndex i) const;

 private:
  friend struct Tampering;  ///< of tests that break what has to hold
  [[nodiscard]] int line_before(StepIndex i) const;
  [[nodiscard]] bool may_follow(StepIndex i) const;

  std::vector<StepRun> all_;
  StepGraph graph_;
  Flows flows_;
  std::array<std::size_t, step_states> counts_{};
  std::size_t never_existed_ = 0;
  std::size_t in_flight_ = 0;
  std::deque<StepIndex> ready_;  ///< may hold steps that are not ready any more; skipped when met
  std::vector<StepIndex> touched_;
  std::size_t touched_before_ = 0;  ///< of those, before the event that is applied
};

/// Made when it is needed: most attempts of a large plan have none.
Attempt::Detail& detail_of(Attempt& attempt);

}  // namespace baton
