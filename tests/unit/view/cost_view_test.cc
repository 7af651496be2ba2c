#include "view/cost_view.h"

#include <gmock/gmock.h>

#include "base/boost_json.h"

namespace baton {
namespace {

using testing::HasSubstr;
using testing::Not;

Spent spent(int day, const std::string& workflow, const std::string& model, const std::string& skill,
            std::optional<std::int64_t> nano_usd) {
  Spent s{Time{std::chrono::sys_days{std::chrono::year{2026} / 11 / day}}, workflow, model, skill, {100, 20, 3, 4}, {}};
  if (nano_usd) s.cost = Cost{*nano_usd};
  return s;
}

TEST(CostView, SumsByDayWorkflowModelAndSkill) {
  const std::vector<Spent> all{spent(1, "kit", "opus", "writer", 1'500'000'000),
                               spent(2, "kit", "haiku", "writer", 250'000'000),
                               spent(2, "news", "opus", "editor", 250'000'000)};
  const auto json = boost::json::parse(cost_json(all, 0));
  EXPECT_EQ(json.at("cost_usd").to_number<double>(), 2.0);
  EXPECT_EQ(json.at("attempts"), 3);
  EXPECT_EQ(json.at("tokens").at("input"), 300);
  EXPECT_NEAR(json.at("cache_hit_rate").to_number<double>(), 3.0 / 107, 1e-4);
  EXPECT_THAT(cost_text(all, 0), HasSubstr("3 % of what models read came from the cache"));
  EXPECT_EQ(json.at_pointer("/days/1/day"), "2026-11-02");
  EXPECT_EQ(json.at_pointer("/days/1/cost_usd"), 0.5);
  EXPECT_EQ(json.at_pointer("/workflows/0/workflow"), "kit");
  EXPECT_EQ(json.at_pointer("/workflows/0/cost_usd"), 1.75);
  EXPECT_EQ(json.at_pointer("/models/1/cost_usd"), 1.75);
  EXPECT_EQ(json.at_pointer("/skills/0/skill"), "editor");
  EXPECT_EQ(json.at_pointer("/skills/1/attempts"), 2);
  EXPECT_THAT(cost_text(all, 0), HasSubstr("$2.00"));
}

TEST(CostView, WhatIsNotKnownIsNeverZero) {
  const std::vector<Spent> all{spent(1, "kit", "opus", "writer", 1'500'000'000),
                               spent(1, "kit", "", "writer", std::nullopt)};
  std::vector<Spent> silent{all.front()};
  silent.front().tokens_unknown = true;
  EXPECT_EQ(boost::json::parse(cost_json(silent, 0)).at("attempts_of_unknown_tokens"), 1);
  const auto json = boost::json::parse(cost_json(all, 0));
  EXPECT_EQ(json.at("attempts_of_unknown_tokens"), 0);
  EXPECT_TRUE(json.at("cost_usd").is_null());
  EXPECT_EQ(json.at("known_usd"), 1.5);
  EXPECT_EQ(json.at("attempts_of_unknown_cost"), 1);
  EXPECT_TRUE(json.at_pointer("/models/0/model").is_null());
  EXPECT_TRUE(json.at_pointer("/models/0/cost_usd").is_null());
  EXPECT_EQ(json.at_pointer("/models/1/cost_usd"), 1.5);
  const std::string text = cost_text(all, 0);
  EXPECT_THAT(text, HasSubstr("unknown; $1.50 without 1 attempt"));
  EXPECT_THAT(text, Not(HasSubstr("$0.00")));
}

TEST(CostView, RehearsalsAreToldAndNotCounted) {
  EXPECT_THAT(cost_text({}, 3), HasSubstr("3 attempts rehearsed"));
  EXPECT_THAT(cost_text({}, 0), HasSubstr("no agent has used anything"));
  EXPECT_EQ(boost::json::parse(cost_json({}, 3)).at("attempts_rehearsed"), 3);
  EXPECT_TRUE(boost::json::parse(cost_json({}, 3)).at("cache_hit_rate").is_null());
}

}  // namespace
}  // namespace baton
