#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/time.h"
#include "plan/plan.h"

namespace baton {

/// Where a step with a flow stands with its turns.
struct TurnState {
  enum class Is : std::uint8_t {
    idle,
    asked,  ///< and not answered yet
    went,   ///< it said go: the step may be tried and tried again. A composite's turn never ends so
  };
  /// A person's, at the gate.
  enum class Answer : std::uint8_t { none, approved, rejected };

  Is is = Is::idle;
  Answer answer = Answer::none;
  int generation = 1;  ///< counts up when the step is run again from its first turn
  int round = 0;       ///< turns taken in this generation

  [[nodiscard]] bool is_asked() const { return is == Is::asked; }
  [[nodiscard]] bool may_start() const { return is == Is::went; }
  [[nodiscard]] bool is_approved() const { return answer == Answer::approved; }
  [[nodiscard]] bool is_rejected() const { return answer == Answer::rejected; }
  /// This turn is the one that is asked for.
  [[nodiscard]] bool awaits(int of_generation, int of_round) const {
    return is_asked() && of_generation == generation && of_round == round + 1;
  }
};

/// What a step with a flow has come to.
struct FlowRun : TurnState {
  std::string code;               ///< of a turn that failed, or of a rejection
  std::string reason;             ///< why it failed, was skipped or rejected; of a gate: what is asked
  std::string digest;             ///< of a composite's output; empty where steps that were made for it write that
  Time digest_at{};               ///< when the composite was done, and its output with it
  std::uint64_t digest_turn = 0;  ///< the same in the order of events
  std::vector<StepIndex> made;    ///< the steps made for it in this generation
  std::optional<Step> filled;     ///< the step with its work's values filled in
};

/// The flows of a run's steps, each from the step's first turn on.
class Flows {
 public:
  [[nodiscard]] const FlowRun* find(StepIndex i) const {
    if (all_.empty()) return nullptr;  // most plans have none
    const auto found = all_.find(static_cast<std::uint32_t>(i));
    return found == all_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] FlowRun* find(StepIndex i);
  /// A new one where there is none.
  FlowRun& at(StepIndex i) { return all_[static_cast<std::uint32_t>(i)]; }

  /// Its turn is asked for, once.
  void ask(FlowRun& flow);
  /// What its turn was going to say does not matter any more. nullptr: it never had one.
  FlowRun* forget_turn(StepIndex i);
  /// From the first turn again, with a generation of its own. What a person approved stays approved.
  void begin_anew(StepIndex i);
  [[nodiscard]] std::size_t turns_open() const { return turns_open_; }

  [[nodiscard]] bool has_rejected() const;
  /// Those for which this holds of (step, flow).
  template <class Holds>
  [[nodiscard]] std::size_t count_if(Holds holds) const {
    std::size_t n = 0;
    for (const auto& [step, flow] : all_) n += holds(step_index(step), flow) ? 1 : 0;
    return n;
  }

 private:
  std::unordered_map<std::uint32_t, FlowRun> all_;
  std::size_t turns_open_ = 0;
};

}  // namespace baton
