#include "core/spending.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/ensure.h"

namespace baton {
namespace {

constexpr double warned_at = 0.8;

}  // namespace

double BudgetUse::share() const { return budget > 0 ? static_cast<double>(used) / static_cast<double>(budget) : 0.0; }

bool BudgetUse::is_nearly_used_up() const { return share() >= warned_at; }

std::string BudgetUse::text() const {
  if (part == PauseCause::cost) return fmt::format("{} of {}", money(Cost{used}), money(Cost{budget}));
  return fmt::format("{} of {} {}", used, budget, part == PauseCause::tokens ? "tokens" : "turns");
}

std::string BudgetUse::used_up_text() const {
  if (part == PauseCause::cost) return fmt::format("{} is used up ({} spent)", money(Cost{budget}), money(Cost{used}));
  if (part == PauseCause::tokens) return fmt::format("{} tokens is used up ({} used)", budget, used);
  return fmt::format("{} turns is used up ({} taken)", budget, used);
}

BudgetUse use_of(const Usage& used, const StepBudget& budget) {
  const BudgetUse of_cost{PauseCause::cost, used.cost.value_or(Cost{}).nano_usd, budget.nano_usd.value_or(0)};
  const BudgetUse of_tokens{PauseCause::tokens, used.tokens.total(), budget.tokens};
  const BudgetUse of_turns{PauseCause::turns, used.turns, budget.turns};
  const BudgetUse& more = of_tokens.share() > of_cost.share() ? of_tokens : of_cost;
  return of_turns.share() > more.share() ? of_turns : more;
}

void Spending::add(const Usage& usage, int sign) {
  const Tokens& t = usage.tokens;
  sum_.tokens += Tokens{sign * t.input, sign * t.output, sign * t.cache_read, sign * t.cache_write};
  sum_.turns += sign * usage.turns;
  if (usage.cost) sum_.cost->nano_usd += sign * usage.cost->nano_usd;
  BATON_ENSURE(sign > 0 || usage.cost || costs_unknown_ > 0, "a cost becomes known that was never unknown", "");
  BATON_ENSURE(sign > 0 || !usage.tokens_unknown || tokens_unknown_ > 0, "tokens become known that never were not", "");
  if (!usage.cost) costs_unknown_ += static_cast<std::size_t>(sign);
  if (usage.tokens_unknown) tokens_unknown_ += static_cast<std::size_t>(sign);
}

void Spending::note(const Usage* before, const Usage& now) {
  if (before != nullptr) add(*before, -1);
  add(now, +1);
}

void Spending::end_silence() {
  BATON_ENSURE(silent_ > 0, "an attempt that was not silent speaks", "");
  --silent_;
}

std::optional<Cost> Spending::cost() const { return costs_unknown_ + silent_ > 0 ? std::nullopt : sum_.cost; }

bool Spending::hears_of_unknown_cost() { return costs_unknown_ > 0 && !std::exchange(is_unknown_cost_told_, true); }

BudgetUse Spending::of_run(const RunSettings& settings) const {
  const auto dollars = settings.cost_budget ? std::optional{settings.cost_budget->nano_usd} : std::nullopt;
  return use_of(sum_, {dollars, settings.token_budget, settings.turn_budget});
}

BudgetUse Spending::of_step(StepIndex step, const StepBudget& budget, std::span<const Attempt> attempts) const {
  const auto allowance = allowances_.find(static_cast<std::uint32_t>(step));
  const int granted = allowance == allowances_.end() ? 1 : allowance->second.granted;
  StepBudget all = budget;
  if (all.nano_usd) *all.nano_usd *= granted;
  all.tokens *= granted;
  all.turns *= granted;
  Usage used{.tokens = {}, .cost = Cost{}};
  for (const Attempt& a : attempts) {
    if (!a.detail) continue;
    used.tokens += a.detail->usage.tokens;
    used.turns += a.detail->usage.turns;
    used.cost->nano_usd += a.detail->usage.cost.value_or(Cost{}).nano_usd;
  }
  return use_of(used, all);
}

Spending::Verdict Spending::judge_run(const BudgetUse& use) {
  if (use.is_used_up()) return Verdict::pause;
  return use.is_nearly_used_up() && !std::exchange(is_run_warned_, true) ? Verdict::warn : Verdict::goes_on;
}

Spending::Verdict Spending::judge_step(StepIndex step, const BudgetUse& use) {
  Allowance& allowance = allowances_[static_cast<std::uint32_t>(step)];
  if (use.is_used_up()) {
    allowance.is_used_up = true;
    return Verdict::pause;
  }
  return use.is_nearly_used_up() && !std::exchange(allowance.is_warned, true) ? Verdict::warn : Verdict::goes_on;
}

void Spending::grant_used_up_steps() {
  for (auto& [step, allowance] : allowances_) {
    if (allowance.is_used_up) allowance = {.granted = allowance.granted + 1};
  }
}

}  // namespace baton
