// What an attempt by claude has used, as its stream tells it.
#include <gtest/gtest.h>

#include "claude_lines.h"

namespace baton {
namespace {

using claude_lines::init;
using claude_lines::message;
using claude_lines::play_claude;
using claude_lines::result;

TEST(ClaudeCost, given_several_lines_of_one_message_then_it_is_counted_once_at_its_greatest) {
  const auto played =
      play_claude(message("m1", 100, 1) + message("m2", 100, 1) + message("m1", 100, 7) + message("m2", 90, 1));
  EXPECT_EQ(played.spent->tokens, (Tokens{200, 8, 0, 0}));
  EXPECT_EQ(played.spent->cost, Cost{200 * 4000 + 8 * 20'000});
}

TEST(ClaudeCost, given_a_model_without_a_price_then_the_cost_is_unknown_until_the_program_tells_it) {
  const auto live = play_claude(message("m1", 100, 1) + message("m2", 100, 1, "house-model"));
  EXPECT_EQ(live.spent->cost, std::nullopt);
  EXPECT_EQ(live.spent->tokens.input, 200);
  const auto told = play_claude(
      message("m2", 100, 1, "house-model") +
      result(
          R"("model_usage_since_last_result":{"house-model":{"inputTokens":100,"outputTokens":20,"costUSD":0.25}})"));
  EXPECT_EQ(told.spent->cost, Cost{250'000'000});
  EXPECT_EQ(told.spent->tokens, (Tokens{100, 20, 0, 0}));
}

TEST(ClaudeCost, given_thousands_of_messages_then_none_is_lost_and_none_counted_twice) {
  std::string bytes;
  for (int i = 0; i < 3000; ++i) {
    bytes += message("m" + std::to_string(i), 10, 1);
    bytes += message("m" + std::to_string(i), 10, 2);
  }
  EXPECT_EQ(play_claude(bytes).spent->tokens, (Tokens{30'000, 6000, 0, 0}));
}

TEST(ClaudeCost, given_a_resumed_session_then_only_what_is_new_is_counted) {
  const auto played = play_claude(
      message("m1", 100, 1) +
      result(
          R"("result":"x","total_cost_usd":9,"modelUsage":{"claude-opus-5-5":{"inputTokens":9000,"outputTokens":9000,"costUSD":9}},)"
          R"("model_usage_since_last_result":{"claude-opus-5-5":{"inputTokens":100,"outputTokens":20,"costUSD":0.0008}})"));
  EXPECT_EQ(played.spent->tokens, (Tokens{100, 20, 0, 0}));
  EXPECT_EQ(played.spent->cost, Cost{800'000});
}

TEST(ClaudeCost, given_an_older_version_then_the_totals_of_the_last_result_hold) {
  const auto first = result(
      R"("result":"x","total_cost_usd":0.001,"modelUsage":{"claude-opus-5-5":{"inputTokens":100,"outputTokens":20,"costUSD":0.001}})");
  const auto second = result(
      R"("result":"x","total_cost_usd":0.003,"modelUsage":{"claude-opus-5-5":{"inputTokens":200,"outputTokens":40,"costUSD":0.003}})");
  const auto played = play_claude(message("m1", 100, 1) + first + message("m2", 100, 1) + second);
  EXPECT_EQ(played.spent->tokens, (Tokens{200, 40, 0, 0}));
  EXPECT_EQ(played.spent->cost, Cost{3'000'000});
}

TEST(ClaudeCost, given_a_request_that_was_cut_off_then_what_the_result_leaves_out_is_counted) {
  const auto played = play_claude(
      message("m1", 100, 1) + message("m2", 150, 1) +
      result(
          R"("terminal_reason":"aborted_streaming","model_usage_since_last_result":{"claude-opus-5-5":{"inputTokens":100,"outputTokens":20,"costUSD":0.0008}})",
          true, "error_during_execution"));
  EXPECT_EQ(played.spent->tokens, (Tokens{250, 20, 0, 0}));
  EXPECT_EQ(played.spent->cost, Cost{800'000 + 150 * 4000});
}

/// What an older version or another program tells: no usage by model.
struct ToldInAll {
  const char* about;
  std::string bytes;
  std::optional<Tokens> tokens;
  std::optional<Cost> cost;
};

TEST(ClaudeCost, given_a_total_without_usage_by_model_then_it_holds_and_prices_fill_only_what_is_not_told) {
  const std::string m1 = message("m1", 100, 1);
  const std::string house = message("m1", 100, 1, "house-model");
  const std::string expected = R"({"type":"system","subtype":"init","session_id":"s1","model":"house-model"})"
                               "\n";
  const std::string used = R"("usage":{"input_tokens":100,"output_tokens":20})";
  const Tokens all{100, 20, 0, 0};
  const std::vector<ToldInAll> cases = {
      {"not twice", m1 + result(R"("total_cost_usd":0.5,)" + used), all, Cost{500'000'000}},
      {"of a model without a price", house + result(R"("total_cost_usd":0.5,)" + used), all, Cost{500'000'000}},
      {"without messages", result(R"("total_cost_usd":0.5,)" + used), all, Cost{500'000'000}},
      {"a total alone", m1 + result(R"("total_cost_usd":0.5)"), Tokens{100, 1, 0, 0}, Cost{500'000'000}},
      {"nothing else at all", result(R"("total_cost_usd":0.5)"), std::nullopt, Cost{500'000'000}},
      {"it says that it was free", m1 + result(R"("total_cost_usd":0,)" + used), all, Cost{0}},
      {"tokens without a cost", m1 + result(used), all, Cost{100 * 4000 + 20 * 20'000}},
      {"tokens alone, of the model that was named", init + result(used), all, Cost{100 * 4000 + 20 * 20'000}},
      {"tokens alone, without a price", expected + result(used), all, std::nullopt},
      {"tokens alone, of nobody knows whom", result(used), all, std::nullopt},
      {"no usage at all", result(R"("result":"x")"), std::nullopt, std::nullopt},
      {"a message without usage", message("m1", 0, 0) + result(R"("result":"x")"), std::nullopt, std::nullopt},
      {"a model without a cost", result(R"("modelUsage":{"claude-opus-5-5":{"inputTokens":100,"outputTokens":20}})"),
       all, Cost{100 * 4000 + 20 * 20'000}},
      {"a model without a cost, and a total",
       result(R"("total_cost_usd":0.5,"modelUsage":{"house-model":{"inputTokens":100,"outputTokens":20}})"), all,
       Cost{500'000'000}},
      {"nonsense", m1 + result(R"("total_cost_usd":-1,)" + used), all, Cost{100 * 4000 + 20 * 20'000}},
  };
  for (const ToldInAll& told : cases) {
    const Usage spent = play_claude(told.bytes).spent.value_or(Usage{{}, {}, 0, true});
    EXPECT_EQ(spent.tokens_unknown ? std::nullopt : std::optional{spent.tokens}, told.tokens) << told.about;
    EXPECT_EQ(spent.cost, told.cost) << told.about;
  }
}

TEST(ClaudeCost, given_totals_of_several_turns_then_the_last_holds_and_tokens_add_up) {
  const std::string used = R"("usage":{"input_tokens":100,"output_tokens":20})";
  const auto played = play_claude(message("m1", 100, 1) + result(R"("total_cost_usd":0.5,)" + used) +
                                  message("m2", 100, 1) + result(R"("total_cost_usd":0.7,)" + used));
  EXPECT_EQ(played.spent->tokens, (Tokens{200, 40, 0, 0}));
  EXPECT_EQ(played.spent->cost, Cost{700'000'000});
}

TEST(ClaudeCost, given_a_failure_that_names_no_tokens_then_what_went_by_is_counted) {
  for (const char* members : {R"("total_cost_usd":0,"modelUsage":{})", R"("total_cost_usd":0)",
                              R"("total_cost_usd":0,"modelUsage":{},"model_usage_since_last_result":{})"}) {
    const auto played = play_claude(message("m1", 100, 1) + result(members, true), exited(1));
    EXPECT_EQ(played.spent->tokens, (Tokens{100, 1, 0, 0})) << members;
    EXPECT_EQ(played.spent->cost, Cost{100 * 4000 + 20'000}) << members;
  }
  const auto told = play_claude(message("m1", 100, 1) + result(R"("total_cost_usd":0.5)", true), exited(1));
  EXPECT_EQ(told.spent->cost, Cost{500'000'000}) << "what is told holds";
}

TEST(ClaudeCost, given_more_tokens_in_messages_than_the_result_tells_then_the_result_holds) {
  const auto played = play_claude(
      message("m1", 100, 1) + message("m2", 900, 1) +
      result(
          R"("total_cost_usd":0.0008,"modelUsage":{"claude-opus-5-5":{"inputTokens":100,"outputTokens":20,"costUSD":0.0008}})"));
  EXPECT_EQ(played.spent->tokens, (Tokens{100, 20, 0, 0}));
  EXPECT_EQ(played.spent->cost, Cost{800'000});
}

TEST(ClaudeCost, given_several_models_then_the_one_that_answered_is_named) {
  EXPECT_EQ(play_claude(init + message("m1", 1, 1, "claude-haiku-5-5")).spent->model, "claude-haiku-5-5")
      << "not the one that was asked for";
  std::string helper = message("m2", 1, 1, "claude-haiku-5-5");
  helper.insert(helper.size() - 2, R"(,"parent_tool_use_id":"toolu_1")");
  EXPECT_EQ(play_claude(message("m1", 1, 1) + helper).spent->model, "claude-opus-5-5") << "not a helper's";
  EXPECT_EQ(play_claude(result(R"("modelUsage":{"house-model":{"inputTokens":1,"costUSD":1}})")).spent->model,
            "house-model");
}

TEST(ClaudeCost, given_a_program_that_could_not_be_started_then_it_has_cost_nothing_for_certain) {
  ExitRecord record;
  record.spawn_error = "no such program: claude";
  const auto played = play_claude("", record);
  EXPECT_EQ(played.finish.failure->code, "agent-not-started");
  EXPECT_FALSE(played.finish.failure->may_retry);
  EXPECT_EQ(played.spent->cost, Cost{0});
}

TEST(ClaudeCost, given_an_end_before_the_first_word_then_the_cost_is_not_known) {
  EXPECT_FALSE(play_claude(init, exited(143)).spent) << "a request may have been under way";
}

}  // namespace
}  // namespace baton
