#include "price/prices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace baton {
namespace {

using testing::HasSubstr;
using testing::Optional;
using testing::SizeIs;

constexpr Tokens million{1'000'000, 1'000'000, 1'000'000, 1'000'000};

TEST(Prices, given_the_built_in_table_then_it_is_dated_and_has_todays_models) {
  const Prices& prices = Prices::built_in();
  EXPECT_THAT(prices.date(), testing::MatchesRegex("20[0-9]{2}-[0-9]{2}-[0-9]{2}"));
  EXPECT_GT(prices.models().size(), 20U);
  for (const auto& [name, id] : prices.aliases()) EXPECT_TRUE(prices.models().contains(id)) << name;
}

TEST(Prices, given_tokens_of_every_kind_then_each_is_charged_at_its_own_price) {
  const Prices& prices = Prices::built_in();
  EXPECT_THAT(prices.cost_of("claude-opus-5-5", {1'000'000, 0, 0, 0}), Optional(Cost{4'000'000'000}));
  EXPECT_THAT(prices.cost_of("claude-opus-5-5", {0, 1'000'000, 0, 0}), Optional(Cost{20'000'000'000}));
  EXPECT_THAT(prices.cost_of("claude-opus-5-5", {0, 0, 1'000'000, 0}), Optional(Cost{200'000'000}));
  EXPECT_THAT(prices.cost_of("claude-opus-5-5", {0, 0, 0, 1'000'000}), Optional(Cost{5'000'000'000}));
  EXPECT_THAT(prices.cost_of("claude-opus-5-5", {0, 0, 0, 1'000'000}, 400'000), Optional(Cost{6'200'000'000}));
  EXPECT_THAT(prices.cost_of("claude-opus-5-5", million), Optional(Cost{29'200'000'000}));
}

TEST(Prices, given_a_model_that_nobody_knows_then_there_is_no_cost_and_not_a_cost_of_nothing) {
  const Prices& prices = Prices::built_in();
  EXPECT_EQ(prices.cost_of("claude-opus-9", {1, 1, 1, 1}), std::nullopt);
  EXPECT_EQ(prices.cost_of("claude-opus-4-9", {1, 1, 1, 1}), std::nullopt) << "a prefix is no model";
  EXPECT_EQ(prices.cost_of("", {}), std::nullopt);
}

TEST(Prices, given_an_id_as_providers_write_it_then_the_model_is_found) {
  const Prices& prices = Prices::built_in();
  const ModelPrice* sonnet = prices.price_of("claude-sonnet-4-5");
  ASSERT_NE(sonnet, nullptr);
  for (const char* id : {"claude-sonnet-4-5-20250929", "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
                         "claude-sonnet-4-5@20250929", "anthropic/claude-sonnet-4-5", "claude-sonnet-4-5[1m]",
                         "claude-sonnet-4-5-latest", "claude-sonnet-4-5-20250929[1m]"}) {
    EXPECT_EQ(prices.price_of(id), sonnet) << id;
  }
  EXPECT_EQ(prices.price_of("gpt-5.4-2026-03-05"), prices.price_of("gpt-5.4"));
  EXPECT_EQ(prices.price_of("opus"), prices.price_of("claude-opus-5-5"));
  EXPECT_EQ(prices.price_of("opus[1m]"), prices.price_of("claude-opus-5-5"));
}

TEST(Prices, given_a_price_by_the_size_of_the_prompt_then_a_larger_one_costs_more_from_the_next_token_on) {
  const Prices& prices = Prices::built_in();
  EXPECT_THAT(prices.cost_of("haiku", {60'000, 0, 30'000, 10'000}), Optional(Cost{6'000'000 + 300'000 + 1'250'000}));
  EXPECT_THAT(prices.cost_of("haiku", {60'001, 0, 30'000, 10'000}),
              Optional(Cost{60'001LL * 500 + 30'000 * 50 + 10'000 * 625}));
}

TEST(Prices, given_parts_of_a_nano_dollar_then_they_are_summed_before_they_are_rounded) {
  const auto prices = Prices::read(R"({"models":{"m":{"input":0.0004,"output":0.0003}}})", "p.json");
  ASSERT_TRUE(prices);
  EXPECT_THAT(prices->cost_of("m", {1, 0, 0, 0}), Optional(Cost{0}));
  EXPECT_THAT(prices->cost_of("m", {1, 1, 0, 0}), Optional(Cost{1})) << "0.4 and 0.3 are 0.7";
  EXPECT_THAT(prices->cost_of("m", {10, 0, 0, 0}), Optional(Cost{4}));
}

TEST(Prices, given_counts_beyond_all_measure_then_nothing_wraps_around) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const auto cost = Prices::built_in().cost_of("claude-opus-4", {most, most, most, most}, most);
  ASSERT_TRUE(cost);
  EXPECT_GT(cost->nano_usd, 1'000'000'000'000'000);
  EXPECT_THAT(Prices::built_in().cost_of("opus", {-5, -5, -5, -5}, -1), Optional(Cost{0}));
  EXPECT_EQ(Cost{most} + Cost{1}, Cost{most});
}

TEST(Prices, given_a_users_table_then_it_is_laid_over_the_built_in_one) {
  const auto mine = Prices::built_in().overridden_by(
      R"({"date":"2027-01-01","models":{"claude-opus-5-5":{"input":1,"output":2},"local-*":{"input":0,"output":0},
          "local-large-*":{"input":3,"output":3},"gpt-4.1":null},"aliases":{"best":"claude-opus-5-5","opus":null}})",
      "prices.json");
  ASSERT_TRUE(mine) << mine.error().front().message;
  EXPECT_EQ(mine->date(), "2027-01-01");
  EXPECT_THAT(mine->cost_of("best", million), Optional(Cost{5'000'000'000})) << "cache tokens cost what input costs";
  EXPECT_THAT(mine->cost_of("local-tiny", million), Optional(Cost{0})) << "a price of 0 is a price";
  EXPECT_THAT(mine->cost_of("local-large-x", {1'000'000, 0, 0, 0}), Optional(Cost{3'000'000'000}));
  EXPECT_EQ(mine->cost_of("gpt-4.1", million), std::nullopt);
  EXPECT_EQ(mine->cost_of("opus", million), std::nullopt);
  EXPECT_TRUE(mine->cost_of("claude-sonnet-5", million)) << "the rest stays";
}

TEST(Prices, given_a_broken_table_then_every_fault_is_named) {
  const auto broken = Prices::read(
      R"({"models":{"a":{"input":-1,"output":2},"b":{"input":1},"c":7,"d":{"input":1,"output":1,"outptu":1},
          "e":{"input":1,"output":1,"above":{"input":1,"output":1}}},"prices":1,"aliases":[]})",
      "mine.json");
  ASSERT_FALSE(broken);
  EXPECT_THAT(broken.error(), SizeIs(7));
  for (const Fault& fault : broken.error()) {
    EXPECT_EQ(fault.code, "bad-prices");
    EXPECT_EQ(fault.place.file, "mine.json");
  }
  EXPECT_FALSE(Prices::read("{", "x"));
  EXPECT_FALSE(Prices::read("[]", "x"));
  EXPECT_THAT(Prices::read("{", "x").error().front().message, HasSubstr("not valid JSON"));
}

}  // namespace
}  // namespace baton
