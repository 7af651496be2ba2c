#include "core/unpriced.h"

#include <fmt/core.h>

namespace baton {
namespace {

constexpr const char* unpriced_option = "unpriced";

}  // namespace

Unpriced unpriced_of(const RunSettings& settings) {
  const auto found = settings.options.find(unpriced_option);
  if (found == settings.options.end()) return Unpriced::warned_of;
  return found->second == "allowed" ? Unpriced::allowed : Unpriced::refused;
}

void set_unpriced(RunSettings& settings, Unpriced what) {
  if (what == Unpriced::warned_of) {
    settings.options.erase(unpriced_option);
  } else {
    settings.options[unpriced_option] = what == Unpriced::allowed ? "allowed" : "refused";
  }
}

std::string dollar_cap(const RunSettings& settings, const Work& work, bool in_workspace, const SharedLimits& shared) {
  if (settings.cost_budget) return fmt::format("the run's budget of {}", money(*settings.cost_budget));
  if (work.budget.nano_usd) return fmt::format("the step's budget of {}", money(Cost{*work.budget.nano_usd}));
  if (shared.day_budget) return fmt::format("limits.budget_day_usd ({})", money(*shared.day_budget));
  if (shared.month_budget) return fmt::format("limits.budget_month_usd ({})", money(*shared.month_budget));
  if (in_workspace && shared.workspace_budget) {
    return fmt::format("workspace.budget_usd ({})", money(*shared.workspace_budget));
  }
  return {};
}

Fault unpriced_model(const std::string& step, const std::string& runtime, const std::string& model,
                     const std::string& cap) {
  return {"unpriced-model",
          fmt::format("step '{}' goes to '{}', nobody knows what its model '{}' costs, and {} counts dollars", step,
                      runtime, model, cap),
          "give the model a price in ~/.config/baton/prices.json, or start all the same with --allow-unpriced"};
}

}  // namespace baton
