#pragma once

#include <cstdint>
#include <string_view>

#include "dialect/workspace/status.h"

namespace baton::workspace {

/// How much of a month's money is spent.
enum class BudgetLevel : std::uint8_t {
  normal,     ///< under 80 %: everything goes
  warning,    ///< from 80 %: not P3
  throttle,   ///< from 90 %: P0 and P1
  critical,   ///< from 95 %: P0, and the cheapest model
  exhausted,  ///< all of it: nothing
};
std::string_view name(BudgetLevel level);

/// Both in billionths of a dollar. Without a budget (0) anything spent is too much.
BudgetLevel budget_level(std::int64_t spent, std::int64_t total);

enum class Gate : std::uint8_t {
  go,
  defer,  ///< this priority has to wait for another month, or more money
  block,  ///< nothing goes any more
};
Gate budget_gate(BudgetLevel level, Priority priority);

/// The number by which a queue of tasks is ordered: 1, 5, 10, 20. The smaller goes first.
int queue_weight(Priority priority);

}  // namespace baton::workspace
