// What a run and its steps may spend, and what happens when it is spent.
#include <fmt/core.h>

#include <algorithm>

#include "core/run.h"

namespace baton {

using What = command::Announce::What;

namespace {

constexpr double warned_at = 0.8;

double share(std::int64_t used, std::int64_t budget) {
  return budget > 0 ? static_cast<double>(used) / static_cast<double>(budget) : 0.0;
}

Cost dollars(std::int64_t nano) { return Cost{nano}; }

/// How much of a budget is used, and which part of it is used most, in words.
struct Spent {
  double share = 0;
  std::string words;
};

Spent spent_of(std::int64_t nano_usd, std::int64_t tokens, std::int64_t turns, const StepBudget& budget) {
  const double of_cost = share(nano_usd, budget.nano_usd.value_or(0));
  const double of_tokens = share(tokens, budget.tokens);
  const double of_turns = share(turns, budget.turns);
  const double most = std::max({of_cost, of_tokens, of_turns});
  if (most == of_cost) {
    return {most, fmt::format("${:.2f} is used up (${:.4f} spent)", dollars(budget.nano_usd.value_or(0)).usd(),
                              dollars(nano_usd).usd())};
  }
  if (most == of_tokens) return {most, fmt::format("{} tokens is used up ({} used)", budget.tokens, tokens)};
  return {most, fmt::format("{} turns is used up ({} taken)", budget.turns, turns)};
}

}  // namespace

void Run::check_budgets(Commands& out) {
  if ((state_ != RunState::running && state_ != RunState::parked) || cancelling_) return;
  const StepBudget budget{settings_.cost_budget ? std::optional{settings_.cost_budget->nano_usd} : std::nullopt,
                          settings_.token_budget, settings_.turn_budget};
  const Spent spent = spent_of(cost_.nano_usd, tokens_.total(), turns_, budget);
  if (spent.share >= 1) {
    pause(fmt::format("the run's budget of {}", spent.words), out);
  } else if (spent.share >= warned_at && !budget_warned_) {
    budget_warned_ = true;
    announce(What::budget_warning, out);
  }
}

void Run::check_step_budget(StepIndex i, Commands& out) {
  StepBudget budget = step(i).work->budget;
  if (!budget.is_set() || state_ != RunState::running || cancelling_) return;
  Allowance& allowance = allowances_[static_cast<std::uint32_t>(i)];
  if (budget.nano_usd) *budget.nano_usd *= allowance.granted;
  budget.tokens *= allowance.granted;
  budget.turns *= allowance.granted;
  Usage sum;
  std::int64_t nano_usd = 0;
  for (const Attempt& a : of(i).attempts) {
    if (!a.detail) continue;
    sum.tokens += a.detail->usage.tokens;
    sum.turns += a.detail->usage.turns;
    if (a.detail->usage.cost) nano_usd += a.detail->usage.cost->nano_usd;
  }
  const Spent spent = spent_of(nano_usd, sum.tokens.total(), sum.turns, budget);
  if (spent.share >= 1) {
    allowance.used_up = true;
    pause(fmt::format("the budget of step '{}' of {}; going on grants it once more", step(i).id, spent.words), out);
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
