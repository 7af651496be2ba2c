// What a run's attempts have used together, and how that stands to the budgets.
#include "core/spending.h"

#include <gtest/gtest.h>

namespace baton::test {
namespace {

constexpr Cost one_dollar{1'000'000'000};

Usage usage(std::int64_t tokens, std::optional<Cost> cost, std::int64_t turns = 0) {
  return {.tokens = {tokens, 0, 0, 0}, .cost = cost, .turns = turns};
}

/// An attempt that is known to have used this.
Attempt that_used(const Usage& used) {
  Attempt attempt;
  attempt.detail = std::make_shared<Attempt::Detail>();
  attempt.detail->usage = used;
  return attempt;
}

TEST(Spending, CountsEachTellingFromTheAttemptsBeginning) {
  Spending spending;
  const Usage early = usage(100, Cost{7}, 1);
  const Usage late = usage(250, Cost{20}, 3);
  spending.note(nullptr, early);
  spending.note(&early, late);
  EXPECT_EQ(spending.tokens().total(), 250);
  EXPECT_EQ(spending.known_cost(), Cost{20});
  EXPECT_EQ(spending.turns(), 3);
}

TEST(Spending, KnowsNoCostAsLongAsOneAttemptsIsUnknown) {
  Spending spending;
  const Usage unpriced = usage(10, std::nullopt);
  spending.note(nullptr, usage(10, Cost{5}));
  EXPECT_EQ(spending.cost(), Cost{5});
  spending.note(nullptr, unpriced);
  EXPECT_FALSE(spending.cost());
  EXPECT_EQ(spending.known_cost(), Cost{5});
  spending.note(&unpriced, usage(10, Cost{2}));
  EXPECT_EQ(spending.cost(), Cost{7});
}

TEST(Spending, HearsOfAnUnknownCostOnce) {
  Spending spending;
  EXPECT_FALSE(spending.hears_of_unknown_cost());
  spending.note(nullptr, usage(10, std::nullopt));
  EXPECT_TRUE(spending.hears_of_unknown_cost());
  EXPECT_FALSE(spending.hears_of_unknown_cost());
}

TEST(Spending, CountsSilentAttemptsAmongTheUnknown) {
  Spending spending;
  spending.note_silence();
  EXPECT_FALSE(spending.cost());
  EXPECT_EQ(spending.tokens_unknown(), 1U);
  spending.end_silence();
  EXPECT_EQ(spending.cost(), Cost{0});
  Usage untold = usage(0, Cost{1});
  untold.tokens_unknown = true;
  spending.note(nullptr, untold);
  EXPECT_EQ(spending.tokens_unknown(), 1U);
}

TEST(BudgetUse, IsOfThePartThatIsUsedMost) {
  const StepBudget budget{.nano_usd = one_dollar.nano_usd, .tokens = 1000, .turns = 10};
  EXPECT_EQ(use_of(usage(100, Cost{500'000'000}, 2), budget).text(), "$0.50 of $1.00");
  EXPECT_EQ(use_of(usage(900, Cost{500'000'000}, 2), budget).text(), "900 of 1000 tokens");
  EXPECT_EQ(use_of(usage(100, Cost{0}, 2), budget).text(), "2 of 10 turns");
  EXPECT_EQ(use_of(usage(100, one_dollar, 10), budget).part, PauseCause::cost)
      << "of two used alike the dollars are named";
  EXPECT_EQ(use_of(usage(2000, Cost{0}), budget).used_up_text(), "1000 tokens is used up (2000 used)");
  EXPECT_EQ(use_of(usage(0, Cost{0}, 11), budget).used_up_text(), "10 turns is used up (11 taken)");
  EXPECT_EQ(use_of(usage(0, one_dollar), budget).used_up_text(), "$1.00 is used up ($1.00 spent)");
}

TEST(BudgetUse, OfNoBudgetIsNothing) {
  EXPECT_EQ(use_of(usage(1'000'000, one_dollar, 99), {}).share(), 0);
  EXPECT_FALSE(use_of(usage(1'000'000, one_dollar, 99), {}).is_nearly_used_up());
}

TEST(Spending, WarnsOnceBeforeTheRunPauses) {
  using Verdict = Spending::Verdict;
  RunSettings settings;
  settings.token_budget = 1000;
  Spending spending;
  spending.note(nullptr, usage(799, Cost{}));
  EXPECT_EQ(spending.judge_run(spending.of_run(settings)), Verdict::goes_on);
  spending.note(nullptr, usage(1, Cost{}));
  EXPECT_EQ(spending.judge_run(spending.of_run(settings)), Verdict::warn);
  EXPECT_EQ(spending.judge_run(spending.of_run(settings)), Verdict::goes_on);
  spending.forget_warning();
  EXPECT_EQ(spending.judge_run(spending.of_run(settings)), Verdict::warn);
  spending.note(nullptr, usage(200, Cost{}));
  EXPECT_EQ(spending.judge_run(spending.of_run(settings)), Verdict::pause);
}

TEST(Spending, GrantsAStepThatUsedUpItsBudgetAsMuchOnceMore) {
  using Verdict = Spending::Verdict;
  const StepBudget budget{.nano_usd = {}, .tokens = 100, .turns = 0};
  const StepIndex step = step_index(4);
  std::vector attempts{that_used(usage(60, Cost{})), Attempt{}, that_used(usage(50, Cost{}))};
  Spending spending;
  EXPECT_EQ(spending.of_step(step, budget, attempts).text(), "110 of 100 tokens") << "all its attempts together";
  EXPECT_EQ(spending.judge_step(step, spending.of_step(step, budget, attempts)), Verdict::pause);
  spending.grant_used_up_steps();
  spending.grant_used_up_steps();
  EXPECT_EQ(spending.of_step(step, budget, attempts).text(), "110 of 200 tokens") << "it was used up once";
  attempts.push_back(that_used(usage(60, Cost{})));
  EXPECT_EQ(spending.judge_step(step, spending.of_step(step, budget, attempts)), Verdict::warn);
  EXPECT_EQ(spending.judge_step(step, spending.of_step(step, budget, attempts)), Verdict::goes_on);
  EXPECT_EQ(spending.of_step(step_index(5), budget, attempts).text(), "170 of 100 tokens")
      << "granted to one step only";
}

TEST(SpendingDeathTest, NothingBecomesKnownThatWasNotUnknown) {
  Spending spending;
  const Usage unpriced = usage(10, std::nullopt);
  EXPECT_DEATH(spending.note(&unpriced, usage(10, Cost{1})), "a cost becomes known that was never unknown");
  Usage untold = usage(0, Cost{1});
  untold.tokens_unknown = true;
  EXPECT_DEATH(spending.note(&untold, usage(10, Cost{1})), "tokens become known that never were not");
}

TEST(SpendingDeathTest, NoSilenceEndsThatNeverWas) {
  Spending spending;
  EXPECT_DEATH(spending.end_silence(), "an attempt that was not silent speaks");
}

}  // namespace
}  // namespace baton::test
