// When a run's or a step's budget is looked at, and when the run pauses because of it.
#include <fmt/core.h>

#include "core/run.h"

namespace baton {

using Announced = command::Announce::Kind;

BudgetUse Run::budget_use(StepIndex i) const { return spending_.of_step(i, step(i).work->budget, of(i).attempts); }

std::string Run::used_of_budget() const {
  const BudgetUse use = spending_.of_run(settings_);
  return use.is_nearly_used_up() ? use.text() : std::string{};
}

std::string Run::used_of_budget(StepIndex i) const {
  const BudgetUse use = budget_use(i);
  return use.is_nearly_used_up() ? use.text() : std::string{};
}

bool Run::has_used_up_budget() const { return spending_.of_run(settings_).is_used_up(); }

bool Run::has_used_up_budget(StepIndex i) const { return budget_use(i).is_used_up(); }

/// A budget that the last step has passed is told. Should anything start after all (a retry, another round, steps that
/// its answer added), the run is paused before it does. False: none was passed, or this is not the last step.
bool Run::owes_pause_for(StepIndex i, Commands& out) {
  const bool by_step = step(i).work->budget.is_set() && has_used_up_budget(i);
  const bool by_run = has_used_up_budget();
  if ((!by_step && !by_run) || state_ != RunState::running || !steps_.is_last_at_work(i)) return false;
  owes_pause_ = i;
  if (by_step) announce(Announced::budget_warning, out, i, next_attempt(i) - 1);
  if (by_run) announce(Announced::budget_warning, out);
  return true;
}

void Run::check_budgets(Commands& out) {
  if ((state_ != RunState::running && state_ != RunState::parked) || cancelling_) return;
  const BudgetUse use = spending_.of_run(settings_);
  switch (spending_.judge_run(use)) {
    case Spending::Verdict::goes_on:
      return;
    case Spending::Verdict::warn:
      return announce(Announced::budget_warning, out);
    case Spending::Verdict::pause:
      return pause(use.part, fmt::format("the run's budget of {}", use.used_up_text()), out);
  }
}

void Run::check_step_budget(StepIndex i, Commands& out) {
  if (!step(i).work->budget.is_set() || state_ != RunState::running || cancelling_) return;
  const BudgetUse use = budget_use(i);
  switch (spending_.judge_step(i, use)) {
    case Spending::Verdict::goes_on:
      return;
    case Spending::Verdict::warn:
      return announce(Announced::budget_warning, out, i, next_attempt(i) - 1);
    case Spending::Verdict::pause:
      return pause(
          PauseCause::step_budget,
          fmt::format("the budget of step '{}' of {}; going on grants it once more", step(i).id, use.used_up_text()),
          out);
  }
}

}  // namespace baton
