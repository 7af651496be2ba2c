#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include "core/attempt.h"
#include "core/event.h"
#include "core/states.h"
#include "core/usage.h"

namespace baton {

/// How much of a budget is used: of the part of it, dollars, tokens or turns, that is used most.
struct BudgetUse {
  PauseCause part = PauseCause::cost;
  std::int64_t used = 0;
  std::int64_t budget = 0;  ///< 0: none

  [[nodiscard]] double share() const;
  [[nodiscard]] bool is_used_up() const { return share() >= 1; }
  [[nodiscard]] bool is_nearly_used_up() const;
  [[nodiscard]] std::string text() const;          ///< "$0.85 of $1.00"
  [[nodiscard]] std::string used_up_text() const;  ///< "$1.00 is used up ($1.20 spent)"
};

BudgetUse use_of(const Usage& used, const StepBudget& budget);

/// What a run's attempts have used together, and what the run and its steps may use.
class Spending {
 public:
  /// `before`: what was told of the same attempt earlier; nullptr: nothing. Each telling counts from the attempt's
  /// beginning, so the sums take the difference and never count twice.
  void note(const Usage* before, const Usage& now);
  /// An attempt that costs ran, and nothing is told of it so far.
  void note_silence() { ++silent_; }
  void end_silence();

  [[nodiscard]] const Tokens& tokens() const { return sum_.tokens; }
  [[nodiscard]] std::int64_t turns() const { return sum_.turns; }
  /// The costs that are known, together.
  [[nodiscard]] Cost known_cost() const { return *sum_.cost; }
  /// nullopt as soon as one attempt's cost is not known.
  [[nodiscard]] std::optional<Cost> cost() const;
  /// Attempts whose tokens are not known.
  [[nodiscard]] std::size_t tokens_unknown() const { return silent_ + tokens_unknown_; }
  /// Some attempt told of itself, but not its cost. True once.
  [[nodiscard]] bool hears_of_unknown_cost();

  [[nodiscard]] BudgetUse of_run(const RunSettings& settings) const;
  [[nodiscard]] BudgetUse of_step(StepIndex step, const StepBudget& budget, std::span<const Attempt> attempts) const;

  /// What has to be done about a budget that is used so far.
  enum class Verdict : std::uint8_t { goes_on, warn, pause };
  /// A warning is given once, until the budgets change.
  [[nodiscard]] Verdict judge_run(const BudgetUse& use);
  void forget_warning() { is_run_warned_ = false; }
  /// A warning is given once, until the step's budget is granted once more.
  [[nodiscard]] Verdict judge_step(StepIndex step, const BudgetUse& use);
  /// A person goes on after a pause: steps that have used up their budget may use as much once more.
  void grant_used_up_steps();

 private:
  struct Allowance {
    int granted = 1;  ///< times the step's budget
    bool is_warned = false;
    bool is_used_up = false;
  };
  void add(const Usage& usage, int sign);

  Usage sum_{.tokens = {}, .cost = Cost{}};
  std::size_t costs_unknown_ = 0;   ///< attempts that told of themselves, but not that
  std::size_t tokens_unknown_ = 0;  ///< likewise
  std::size_t silent_ = 0;
  bool is_unknown_cost_told_ = false;
  bool is_run_warned_ = false;
  std::unordered_map<std::uint32_t, Allowance> allowances_;  ///< of steps with a budget
};

}  // namespace baton
