#include <gtest/gtest.h>

#include "core/usage.h"
#include "support/story.h"

namespace baton::test {
namespace {

TEST(Money, WhatIsNotNothingDoesNotLookLikeIt) {
  EXPECT_EQ(money(Cost{0}), "$0.00");
  EXPECT_EQ(money(Cost{12'500'000'000}), "$12.50");
  EXPECT_EQ(money(Cost{70'000'000}), "$0.07");
  EXPECT_EQ(money(Cost{160'800'000}), "$0.1608");
  EXPECT_EQ(money(Cost{15'000'000}), "$0.015") << "a budget of one and a half cents is neither one nor two";
  EXPECT_EQ(money(Cost{4'200'000}), "$0.0042");
  EXPECT_EQ(money(Cost{18'000}), "$0.000018");
  EXPECT_EQ(money(Cost{1}), "$0.000000001");
  EXPECT_EQ(money(Cost{999'999'999}), "$1.00");
  EXPECT_EQ(money(Cost{-4'200'000}), "-$0.0042");
}

TEST(Money, ASmallBudgetIsToldAsWhatItIs) {
  Story story{"a"};
  story.with_budget("a", {.nano_usd = 4'000'000}).begin().begins("a");
  story.uses("a", 10, Cost{4'200'000});
  EXPECT_NE(story.run.pause_reason().find("$0.004 is used up ($0.0042 spent)"), std::string::npos)
      << story.run.pause_reason();
}

}  // namespace
}  // namespace baton::test
