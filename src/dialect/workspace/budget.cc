#include "dialect/workspace/budget.h"

#include <array>

namespace baton::workspace {

std::string_view name(BudgetLevel level) {
  constexpr std::array<std::string_view, 5> names{"normal", "warning", "throttle", "critical", "exhausted"};
  return names.at(static_cast<std::size_t>(level));
}

BudgetLevel budget_level(std::int64_t spent, std::int64_t total) {
  if (spent <= 0) return BudgetLevel::normal;
  if (total <= 0 || spent >= total) return BudgetLevel::exhausted;
  const long double part = static_cast<long double>(spent) * 100 / static_cast<long double>(total);
  if (part >= 95) return BudgetLevel::critical;
  if (part >= 90) return BudgetLevel::throttle;
  return part >= 80 ? BudgetLevel::warning : BudgetLevel::normal;
}

Gate budget_gate(BudgetLevel level, Priority priority) {
  Priority least = Priority::p3;
  switch (level) {
    case BudgetLevel::normal:
      break;
    case BudgetLevel::warning:
      least = Priority::p2;
      break;
    case BudgetLevel::throttle:
      least = Priority::p1;
      break;
    case BudgetLevel::critical:
      least = Priority::p0;
      break;
    case BudgetLevel::exhausted:
      return Gate::block;
  }
  return priority <= least ? Gate::go : Gate::defer;
}

int queue_weight(Priority priority) {
  constexpr std::array<int, 4> weights{1, 5, 10, 20};
  return weights.at(static_cast<std::size_t>(priority));
}

}  // namespace baton::workspace
