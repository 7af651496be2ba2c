#pragma once

#include <cstdint>
#include <optional>

#include "core/states.h"
#include "plan/plan.h"

namespace baton {

/// A step's state together with why it is in that state, where the state alone does not say. It is set as a whole, so
/// no reason outlives the state that it explains.
class StepStanding {
 public:
  constexpr StepStanding() = default;

  static constexpr StepStanding pending() { return {StepState::pending, Why::plain}; }
  static constexpr StepStanding ready() { return {StepState::ready, Why::plain}; }
  static constexpr StepStanding running() { return {StepState::running, Why::plain}; }
  static constexpr StepStanding completed() { return {StepState::completed, Why::plain}; }
  static constexpr StepStanding failed() { return {StepState::failed, Why::plain}; }
  static constexpr StepStanding blocked() { return {StepState::blocked, Why::plain}; }
  static constexpr StepStanding cancelled() { return {StepState::cancelled, Why::plain}; }

  static constexpr StepStanding checking() { return {StepState::checking, Why::plain}; }
  /// Its output was checked before, and is not what it was.
  static constexpr StepStanding checking_again() { return {StepState::checking, Why::doubt}; }
  /// Its answer passed its checks; what that does to the plan is not on record yet.
  static constexpr StepStanding answered() { return {StepState::checking, Why::answer}; }

  static constexpr StepStanding waiting_for_time() { return {StepState::waiting, Why::time}; }
  /// The run is parked for it.
  static constexpr StepStanding waiting_for_quota() { return {StepState::waiting, Why::quota}; }
  /// A person approves or rejects it.
  static constexpr StepStanding waiting_at_gate() { return {StepState::waiting, Why::gate}; }
  /// A person says whether it is tried again.
  static constexpr StepStanding waiting_for_decision() { return {StepState::waiting, Why::decision}; }

  /// `cause`: the step that ended badly. Others may lie between.
  static constexpr StepStanding skipped_behind(StepIndex cause) {
    return {StepState::skipped, Why::failed_need, cause};
  }
  /// A `when` was false, its own or one before.
  static constexpr StepStanding skipped_by_condition() { return {StepState::skipped, Why::condition}; }
  /// Those that need it go on without.
  static constexpr StepStanding skipped_by_person() { return {StepState::skipped, Why::person}; }

  /// The same where others took the step's place: completed it stays so, else it is cancelled. Nothing brings it back.
  [[nodiscard]] constexpr StepStanding replaced() const {
    return {state_ == StepState::completed ? state_ : StepState::cancelled, Why::replacement};
  }

  [[nodiscard]] constexpr StepState state() const { return state_; }
  /// It is a state, of which more is known.
  constexpr operator StepState() const { return state_; }

  [[nodiscard]] constexpr bool is_checked_again() const { return why_ == Why::doubt; }
  [[nodiscard]] constexpr bool is_answered() const { return why_ == Why::answer; }
  [[nodiscard]] constexpr bool waits_for_quota() const { return why_ == Why::quota; }
  /// For a time or a quota: a timer ends the wait.
  [[nodiscard]] constexpr bool waits_for_moment() const { return why_ == Why::time || why_ == Why::quota; }
  [[nodiscard]] constexpr bool is_at_gate() const { return why_ == Why::gate; }
  [[nodiscard]] constexpr bool awaits_person() const { return why_ == Why::gate || why_ == Why::decision; }
  [[nodiscard]] constexpr bool is_skipped_by_person() const { return why_ == Why::person; }
  /// By a condition, or a person: no failure.
  [[nodiscard]] constexpr bool is_skipped_without_failure() const {
    return why_ == Why::condition || why_ == Why::person;
  }
  [[nodiscard]] constexpr bool is_replaced() const { return why_ == Why::replacement; }
  /// Of a step that was skipped because of a failure: the step that ended badly.
  [[nodiscard]] constexpr std::optional<StepIndex> cause() const {
    return why_ == Why::failed_need ? std::optional{cause_} : std::nullopt;
  }

 private:
  enum class Why : std::uint8_t {
    plain,
    doubt,
    answer,
    time,
    quota,
    gate,
    decision,
    failed_need,
    condition,
    person,
    replacement,
  };
  constexpr StepStanding(StepState state, Why why, StepIndex cause = {}) : state_(state), why_(why), cause_(cause) {}

  StepState state_ = StepState::pending;
  Why why_ = Why::plain;
  StepIndex cause_{};
};

}  // namespace baton
