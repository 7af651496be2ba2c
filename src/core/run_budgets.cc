// What a run and its steps may spend, and what happens when it is spent.
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "core/run.h"

namespace baton {

using What = command::Announce::What;

namespace {

constexpr double warned_at = 0.8;

double share(std::int64_t used, std::int64_t budget) {
  return budget > 0 ? static_cast<double>(used) / static_cast<double>(budget) : 0.0;
}

/// How much of a budget is used, and which part of it is used most, in words.
struct Spent {
  double share = 0;
  PauseCause kind = PauseCause::cost;
  std::string used_up;  ///< "$1.00 is used up ($1.20 spent)"
  std::string used;     ///< "$0.85 of $1.00"
};

Spent spent_of(std::int64_t nano_usd, std::int64_t tokens, std::int64_t turns, const StepBudget& budget) {
  const double of_cost = share(nano_usd, budget.nano_usd.value_or(0));
  const double of_tokens = share(tokens, budget.tokens);
  const double of_turns = share(turns, budget.turns);
  const double most = std::max({of_cost, of_tokens, of_turns});
  if (most == of_cost) {
    const std::string all = money(Cost{budget.nano_usd.value_or(0)});
    const std::string spent = money(Cost{nano_usd});
    return {most, PauseCause::cost, fmt::format("{} is used up ({} spent)", all, spent),
            fmt::format("{} of {}", spent, all)};
  }
  if (most == of_tokens) {
    return {most, PauseCause::tokens, fmt::format("{} tokens is used up ({} used)", budget.tokens, tokens),
            fmt::format("{} of {} tokens", tokens, budget.tokens)};
  }
  return {most, PauseCause::turns, fmt::format("{} turns is used up ({} taken)", budget.turns, turns),
          fmt::format("{} of {} turns", turns, budget.turns)};
}

Spent spent_of_run(const Run& run, const Cost& cost) {
  const RunSettings& s = run.settings();
  const StepBudget budget{s.cost_budget ? std::optional{s.cost_budget->nano_usd} : std::nullopt, s.token_budget,
                          s.turn_budget};
  return spent_of(cost.nano_usd, run.tokens().total(), run.turns(), budget);
}

Spent spent_of_step(const Run& run, StepIndex i, int granted) {
  StepBudget budget = run.step(i).work->budget;
  if (budget.nano_usd) *budget.nano_usd *= granted;
  budget.tokens *= granted;
  budget.turns *= granted;
  Usage sum;
  std::int64_t nano_usd = 0;
  for (const Attempt& a : run.of(i).attempts) {
    if (!a.detail) continue;
    sum.tokens += a.detail->usage.tokens;
    sum.turns += a.detail->usage.turns;
    if (a.detail->usage.cost) nano_usd += a.detail->usage.cost->nano_usd;
  }
  return spent_of(nano_usd, sum.tokens.total(), sum.turns, budget);
}

}  // namespace

std::string Run::used_of_budget() const {
  const Spent spent = spent_of_run(*this, cost_);
  return spent.share >= warned_at ? spent.used : std::string{};
}

std::string Run::used_of_budget(StepIndex i) const {
  const Spent spent = spent_of_step(*this, i, times_granted(i));
  return spent.share >= warned_at ? spent.used : std::string{};
}

bool Run::has_used_up_budget() const { return spent_of_run(*this, cost_).share >= 1; }

bool Run::has_used_up_budget(StepIndex i) const { return spent_of_step(*this, i, times_granted(i)).share >= 1; }

int Run::times_granted(StepIndex i) const {
  const auto allowance = allowances_.find(static_cast<std::uint32_t>(i));
  return allowance == allowances_.end() ? 1 : allowance->second.granted;
}

/// Its own, or the run's.
bool Run::has_passed_budget(StepIndex i) const {
  return has_used_up_budget() || (step(i).work->budget.is_set() && has_used_up_budget(i));
}

/// Nothing else is at work or would be started: what waits are composites, for what was made for them.
bool Run::is_last_at_work(StepIndex i) const {
  const std::size_t others = count(StepState::ready) + count(StepState::waiting) + count(StepState::checking);
  const bool is_alone = of(i).state == StepState::running && count(StepState::running) == 1 && others == 0;
  if (!is_alone || state_ != RunState::running || turns_open_ > 0) return false;
  const auto waits_for_parts = [&](const auto& flow) {
    return !flow.second.made.empty() && steps_[flow.first].state == StepState::pending;
  };
  return std::cmp_equal(std::ranges::count_if(flows_, waits_for_parts), count(StepState::pending));
}

/// A budget that the last step has passed is told. Should anything start after all (a retry, another round, steps that
/// its answer added), the run is paused before it does.
void Run::owe_pause(StepIndex i, Commands& out) {
  owes_pause_ = i;
  const bool by_step = step(i).work->budget.is_set() && has_used_up_budget(i);
  if (by_step) announce(What::budget_warning, out, i, next_attempt(i) - 1);
  if (has_used_up_budget()) announce(What::budget_warning, out);
}

void Run::pay_owed_pause(Commands& out) {
  if (!owes_pause_ || count(StepState::ready) == 0) return;
  const StepIndex i = *std::exchange(owes_pause_, std::nullopt);
  check_step_budget(i, out);
  check_budgets(out);
}

void Run::check_budgets(Commands& out) {
  if ((state_ != RunState::running && state_ != RunState::parked) || cancelling_) return;
  const Spent spent = spent_of_run(*this, cost_);
  if (spent.share >= 1) {
    pause(spent.kind, fmt::format("the run's budget of {}", spent.used_up), out);
  } else if (spent.share >= warned_at && !budget_warned_) {
    budget_warned_ = true;
    announce(What::budget_warning, out);
  }
}

void Run::check_step_budget(StepIndex i, Commands& out) {
  if (!step(i).work->budget.is_set() || state_ != RunState::running || cancelling_) return;
  Allowance& allowance = allowances_[static_cast<std::uint32_t>(i)];
  const Spent spent = spent_of_step(*this, i, allowance.granted);
  if (spent.share >= 1) {
    allowance.used_up = true;
    pause(PauseCause::step_budget,
          fmt::format("the budget of step '{}' of {}; going on grants it once more", step(i).id, spent.used_up), out);
  } else if (spent.share >= warned_at && !allowance.warned) {
    allowance.warned = true;
    announce(What::budget_warning, out, i, next_attempt(i) - 1);
  }
}

void Run::grant_step_budgets() {
  for (auto& [step, allowance] : allowances_) {
    if (!allowance.used_up) continue;
    ++allowance.granted;
    allowance.used_up = false;
    allowance.warned = false;
  }
}

}  // namespace baton
