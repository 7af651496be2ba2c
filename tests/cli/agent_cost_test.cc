// What agents cost, as their programs tell it: what is told holds, and what nobody told is unknown, never 0.
#include <gmock/gmock.h>

#include "support/scripted_claude.h"

namespace baton::test {
namespace {

class AgentCost : public WithScriptedClaude {
 protected:
  /// The last line of a program that tells no usage by model; `members` is what it tells instead.
  static std::string ends_with(const std::string& members) {
    return "echo '{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"Done.\"" + members +
           "}'";
  }
  json::object in_json(const std::vector<std::string>& arguments) {
    const Outcome told = place.baton(arguments);
    EXPECT_EQ(told.code, 0) << told;
    return parse_json(told.out).as_object();
  }
  json::object model_in_cost(std::string_view model) {
    const json::object all = in_json({"cost", "--json"});
    for (const json::value& one : all.at("models").as_array()) {
      if (one.at("model").is_string() && text_at(one.as_object(), "model") == model) return one.as_object();
    }
    ADD_FAILURE() << "no " << model;
    return {};
  }
};

TEST_F(AgentCost, ATotalWithoutUsageByModelHolds) {
  place.workflow("w", {agent_step("a", "m"), agent_step("b", "m")});
  const std::string put = "put '{\"title\":1}'; ";
  const std::string told = ends_with(R"(,"total_cost_usd":0.5,"usage":{"input_tokens":1000,"output_tokens":200})");
  claude.does("a", "begin; answer m1 1000 1; " + put + told);
  claude.does("b", "model=house-model; begin; answer m1 1000 1; " + put + told);
  ASSERT_EQ(place.baton({"run", "w", "--model", "opus"}).code, 0);
  const json::object shown = place.show();
  for (const char* step : {"a", "b"}) {
    const json::object attempt = attempt_of(shown, step, 1);
    EXPECT_DOUBLE_EQ(cost_in(attempt), 0.5) << step << ": neither doubled nor thrown away";
    EXPECT_EQ(attempt.at("tokens").at("input"), 1000) << step;
    EXPECT_EQ(attempt.at("tokens").at("output"), 200) << step;
  }
  EXPECT_DOUBLE_EQ(cost_in(shown), 1.0);
  EXPECT_FALSE(shown.contains("tokens_unknown"));
  EXPECT_EQ(model_in_cost("claude-opus-5-5").at("cost_usd"), 0.5) << "the model that answered, not 'opus'";
  EXPECT_EQ(model_in_cost("house-model").at("cost_usd"), 0.5);
  ASSERT_EQ(place.baton({"report", "last", "-o", "page.html"}).code, 0);
  EXPECT_TRUE(has(place.read("page.html"), "claude house-model"));
}

TEST_F(AgentCost, WhatNobodyToldIsNullAtEveryLevel) {
  place.workflow("w", {agent_step("a", "m"), agent_step("b", "m"), step("c", "true"), agent_step("d", "m")});
  claude.does("a.1", "begin; kill -9 $$");
  claude.does("b", "begin; put '{\"title\":1}'; " + ends_with(""));
  claude.does("d", "begin; put '{\"title\":1}'; " + ends_with(R"(,"total_cost_usd":0.25)"));
  const Outcome ran = place.baton({"run", "w", "--json", "--set", "limits.retry_delay=1ms"});
  ASSERT_EQ(ran.code, 0) << ran;
  const json::object shown = place.show();
  for (const auto& [step, n] : {std::pair{"a", 1}, std::pair{"b", 1}}) {
    const json::object attempt = attempt_of(shown, step, static_cast<std::size_t>(n));
    EXPECT_TRUE(attempt.at("cost_usd").is_null()) << json::serialize(attempt);
    EXPECT_TRUE(attempt.at("tokens").is_null()) << json::serialize(attempt);
    EXPECT_TRUE(step_of(shown, step).at("cost_usd").is_null());
  }
  EXPECT_DOUBLE_EQ(cost_in(attempt_of(shown, "a", 2)), 0.0008);
  EXPECT_EQ(attempt_of(shown, "c", 1).at("cost_usd"), 0) << "a command costs nothing, and that is known";
  EXPECT_EQ(attempt_of(shown, "c", 1).at("tokens").at("input"), 0);
  EXPECT_DOUBLE_EQ(cost_in(attempt_of(shown, "d", 1)), 0.25);
  EXPECT_TRUE(attempt_of(shown, "d", 1).at("tokens").is_null()) << "a cost without tokens";
  EXPECT_TRUE(shown.at("cost_usd").is_null());
  EXPECT_EQ(number_at(shown, "tokens_unknown"), 3);
  EXPECT_EQ(shown.at("tokens").at("input"), 100) << "the sum of what is known";
  const json::object finished = json_lines(ran.out).back();
  EXPECT_TRUE(finished.at("cost_usd").is_null());
  EXPECT_TRUE(parse_json(place.baton({"list", "--json"}).out).as_array().front().at("cost_usd").is_null());
  EXPECT_TRUE(has(place.baton({"list"}).out, "at least $0.2508"));
  const json::object cost = in_json({"cost", "--json"});
  EXPECT_TRUE(cost.at("cost_usd").is_null());
  EXPECT_EQ(number_at(cost, "attempts"), 4);
  EXPECT_EQ(number_at(cost, "attempts_of_unknown_cost"), 2);
  EXPECT_EQ(number_at(cost, "attempts_of_unknown_tokens"), 3);
}

TEST_F(AgentCost, WhatNeverRanCostNothing) {
  place.workflow("w", {agent_step("a", "m"), agent_step("b", "m", "needs: [a]\nretries: 0")});
  claude.does("a", "begin; answer m1 100 20; put '{\"title\":1}'; result 100 20 0.0008; rm \"$folder/bin/claude\"");
  const Outcome ran = place.baton({"run", "w"});
  EXPECT_EQ(ran.code, 1) << ran;
  const json::object shown = place.show();
  EXPECT_EQ(code_in(shown, "b", 1), "agent-not-started") << json::serialize(shown);
  EXPECT_EQ(attempt_of(shown, "b", 1).at("cost_usd"), 0);
  EXPECT_DOUBLE_EQ(cost_in(shown), 0.0008);
  EXPECT_FALSE(shown.contains("tokens_unknown"));
}

}  // namespace
}  // namespace baton::test
