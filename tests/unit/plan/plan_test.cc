#include "plan/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace baton {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// "a; b: a; c: a b" as a plan; needs may come before the step they name.
Plan plan_of(const std::vector<std::pair<std::string, std::vector<std::string>>>& lines) {
  Plan plan;
  std::map<std::string, std::size_t> numbers;
  for (const auto& [id, needs] : lines) {
    numbers[id] = plan.steps.size();
    plan.steps.push_back({.id = id, .needs = {}, .work = std::make_shared<Work>(), .policy = {}, .final = false});
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (const auto& need : lines[i].second) plan.steps[i].needs.push_back(step_index(numbers.at(need)));
  }
  return plan;
}

std::vector<std::string> order_of(const Plan& plan) {
  std::vector<std::string> ids;
  for (const StepIndex step : execution_order(plan)) ids.push_back(plan.steps[at(step)].id);
  return ids;
}

/// Every step needs the one declared after it: the walk goes all the way down before it finishes anything.
Plan chain_of(std::size_t size) {
  Plan plan;
  plan.steps.resize(size);
  for (std::size_t i = 0; i + 1 < size; ++i) plan.steps[i].needs = {step_index(i + 1)};
  return plan;
}

TEST(ExecutionOrder, given_needs_before_their_declaration_when_ordered_then_they_come_first) {
  EXPECT_THAT(order_of(plan_of({{"second", {"first"}}, {"first", {}}})), ElementsAre("first", "second"));
}

TEST(ExecutionOrder, given_free_steps_when_ordered_then_declaration_order_stays) {
  EXPECT_THAT(order_of(plan_of({{"c", {}}, {"a", {}}, {"b", {}}})), ElementsAre("c", "a", "b"));
}

TEST(ExecutionOrder, given_a_diamond_when_ordered_then_needs_are_visited_depth_first_in_their_own_order) {
  EXPECT_THAT(order_of(plan_of({{"d", {"c", "b"}}, {"a", {}}, {"b", {"a"}}, {"c", {"a"}}})),
              ElementsAre("a", "c", "b", "d"));
}

TEST(ExecutionOrder, given_a_cycle_when_ordered_then_there_is_no_order) {
  EXPECT_THAT(order_of(plan_of({{"x", {}}, {"a", {"b"}}, {"b", {"a"}}})), IsEmpty());
}

TEST(ExecutionOrder, given_a_chain_of_a_million_when_ordered_then_the_stack_holds) {
  const Plan plan = chain_of(1'000'000);
  const auto order = execution_order(plan);
  ASSERT_EQ(order.size(), plan.steps.size());
  EXPECT_EQ(at(order.front()), plan.steps.size() - 1);
  EXPECT_EQ(at(order.back()), 0U);
}

TEST(FindCycle, given_a_cycle_behind_other_steps_when_sought_then_only_its_members_are_named) {
  const Plan plan = plan_of({{"start", {"a"}}, {"a", {"b"}}, {"b", {"c"}}, {"c", {"a"}}});
  EXPECT_THAT(find_cycle(plan), ElementsAre("a", "b", "c", "a"));
}

TEST(FindCycle, given_a_step_that_needs_itself_when_sought_then_it_is_a_cycle_of_one) {
  EXPECT_THAT(find_cycle(plan_of({{"a", {"a"}}})), ElementsAre("a", "a"));
}

TEST(FindCycle, given_no_cycle_when_sought_then_nothing_is_named) {
  EXPECT_THAT(find_cycle(plan_of({{"a", {}}, {"b", {"a"}}, {"c", {"a", "b"}}})), IsEmpty());
}

TEST(FindCycle, given_a_ring_of_a_million_when_sought_then_the_stack_holds) {
  Plan plan = chain_of(1'000'000);
  plan.steps.back().needs = {step_index(0)};
  EXPECT_EQ(find_cycle(plan).size(), plan.steps.size() + 1);
}

TEST(FinalStep, given_a_marked_step_when_asked_then_it_is_the_first_marked_one) {
  Plan plan = plan_of({{"a", {}}, {"b", {"a"}}, {"c", {"b"}}});
  plan.steps[1].final = plan.steps[2].final = true;
  EXPECT_EQ(final_step(plan), step_index(1));
}

TEST(FinalStep, given_no_mark_when_asked_then_it_is_the_last_in_execution_order) {
  EXPECT_EQ(final_step(plan_of({{"last", {"first"}}, {"first", {}}})), step_index(0));
}

TEST(FinalStep, given_no_steps_when_asked_then_there_is_none) { EXPECT_EQ(final_step(Plan{}), std::nullopt); }

TEST(FindStep, given_ids_when_sought_then_the_index_or_nothing_comes_back) {
  const Plan plan = plan_of({{"a", {}}, {"b", {}}});
  EXPECT_EQ(find_step(plan, "b"), step_index(1));
  EXPECT_EQ(find_step(plan, "c"), std::nullopt);
}

}  // namespace
}  // namespace baton
