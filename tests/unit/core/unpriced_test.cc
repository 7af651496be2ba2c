// Caps in dollars, and models that nobody knows the price of.
#include "core/unpriced.h"

#include <gtest/gtest.h>

namespace baton::test {
namespace {

TEST(Unpriced, OfARunThatSaysNothingOfItIsOnlyWarnedOf) {
  RunSettings settings;
  EXPECT_EQ(unpriced_of(settings), Unpriced::warned_of);
  for (const Unpriced what : {Unpriced::refused, Unpriced::allowed, Unpriced::warned_of}) {
    set_unpriced(settings, what);
    EXPECT_EQ(unpriced_of(settings), what);
  }
  EXPECT_TRUE(settings.options.empty());
}

TEST(DollarCaps, AreThoseOfTheRunTheStepTheDayTheMonthAndTheWorkspace) {
  const Cost dollar{1'000'000'000};
  const RunSettings none;
  RunSettings capped;
  capped.cost_budget = dollar;
  Work own;
  own.budget.nano_usd = dollar.nano_usd;
  Work tokens;
  tokens.budget.tokens = 100;
  EXPECT_EQ(dollar_cap(none, {}, true, {}), "");
  EXPECT_EQ(dollar_cap(none, tokens, true, {.concurrent_runs = 1}), "") << "tokens need no price";
  EXPECT_EQ(dollar_cap(capped, {}, false, {}), "the run's budget of $1.00");
  EXPECT_EQ(dollar_cap(none, own, false, {}), "the step's budget of $1.00");
  EXPECT_EQ(dollar_cap(none, {}, false, {.day_budget = dollar}), "limits.budget_day_usd ($1.00)");
  EXPECT_EQ(dollar_cap(none, {}, false, {.month_budget = dollar}), "limits.budget_month_usd ($1.00)");
  EXPECT_EQ(dollar_cap(none, {}, true, {.workspace_budget = dollar}), "workspace.budget_usd ($1.00)");
  EXPECT_EQ(dollar_cap(none, {}, false, {.workspace_budget = dollar}), "") << "it is of workspaces";
}

}  // namespace
}  // namespace baton::test
