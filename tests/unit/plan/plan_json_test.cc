#include "plan/plan_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace baton {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Work full_work() {
  return {.title = "Titel \"ü\"",
          .skill = "media-reviewer",
          .mission = "line one\nline two\t\x01",
          .command = {"/bin/sh", "-c", "echo \"$BATON_VALUE_1\""},
          .env = {"BATON_VALUE_1=a b"},
          .inputs = {"in/a.md", std::string{"bad\xFF\x00name", 9}},
          .output = "out/x.md",
          .output_format = OutputFormat::text,
          .checks = {{Check::Kind::required_field, "a.b", 0},
                     {Check::Kind::min_quotes, {}, 7},
                     {Check::Kind::min_key_points, {}, 1},
                     {Check::Kind::min_outline_sections, {}, 2},
                     {Check::Kind::has_hooks, {}, 0},
                     {Check::Kind::type, "a", 0, "\"string\""},
                     {Check::Kind::one_of, "a", 0, "[1,\"x\"]"},
                     {Check::Kind::min_length, {}, 3},
                     {Check::Kind::max_length, "a", 4},
                     {Check::Kind::min_items, "a", 5},
                     {Check::Kind::max_items, "a", 6},
                     {Check::Kind::minimum, "a", 0, "0.5"},
                     {Check::Kind::maximum, "a", 0, "7"},
                     {Check::Kind::pattern, "a", 0, "^\\d\xff"},
                     {Check::Kind::equals, "a", 0, "b.c", "other"},
                     {Check::Kind::schema, {}, 0, "{\"type\":\"object\"}"},
                     {Check::Kind::command, {}, 0, "\"x\"", {}, {"/bin/sh", "-c", "x"}, {"BATON_VALUE_1=y"}}},
          .runtime = "claude",
          .model = "haiku",
          .mode = "batch"};
}

Plan full_plan() {
  const auto shared = std::make_shared<const Work>(full_work());
  Plan plan{.workflow = "w", .dialect = "markdown", .version = "1.0", .source = "workflows/w.md", .steps = {}};
  plan.steps.push_back({.id = "a", .needs = {}, .work = shared, .policy = {}, .final = false});
  plan.steps.push_back({.id = "b",
                        .needs = {step_index(0), step_index(2)},
                        .work = shared,
                        .policy = {.retries = 3,
                                   .on_unknown = OnUnknown::ask,
                                   .timeout = Millis{1},
                                   .retry_delay = Millis{2},
                                   .stop_grace = Millis{3}},
                        .final = true});
  plan.steps.push_back({.id = "c", .needs = {}, .work = std::make_shared<const Work>(), .policy = {}, .final = false});
  return plan;
}

void expect_same(const std::vector<Step>& a, const std::vector<Step>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].id, b[i].id);
    EXPECT_EQ(a[i].needs, b[i].needs);
    EXPECT_EQ(a[i].policy, b[i].policy);
    EXPECT_EQ(a[i].final, b[i].final);
    ASSERT_EQ(a[i].work == nullptr, b[i].work == nullptr);
    if (a[i].work) {
      EXPECT_EQ(*a[i].work, *b[i].work);
    }
  }
}

TEST(PlanJson, given_every_field_set_when_written_and_read_then_nothing_changes) {
  const Plan plan = full_plan();
  const auto again = plan_from_json(to_json(plan));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->workflow, plan.workflow);
  EXPECT_EQ(again->dialect, plan.dialect);
  EXPECT_EQ(again->version, plan.version);
  EXPECT_EQ(again->source, plan.source);
  expect_same(again->steps, plan.steps);
  EXPECT_EQ(to_json(*again), to_json(plan));
}

Flow full_flow() {
  Flow flow;
  flow.when = "steps.a.output.ok";
  flow.for_each = R"(["a",1])";
  flow.until = "output.done";
  flow.loop_max = 7;
  flow.gate = true;
  flow.question = "Really \"so\"?";
  flow.deferred = true;
  flow.sandbox = "sandbox/x";
  flow.item = R"({"a":1})";
  flow.index = 3;
  Flow inner;
  inner.when = "item.ok";
  flow.body = {{.id = "c:x",
                .needs = {},
                .work = std::make_shared<const Work>(full_work()),
                .flow = std::make_shared<const Flow>(inner),
                .policy = {.retries = 9},
                .final = false},
               {.id = "c:y", .needs = {step_index(0)}, .work = nullptr, .policy = {}, .final = true}};
  return flow;
}

TEST(PlanJson, given_steps_with_flows_budgets_and_stalls_when_written_and_read_then_nothing_changes) {
  Plan plan = full_plan();
  plan.steps[0].flow = std::make_shared<const Flow>(full_flow());
  plan.steps[1].flow = std::make_shared<const Flow>();
  plan.steps[1].policy.stall = Millis{600'000};
  Work work = full_work();
  work.budget = {.nano_usd = 500'000'000, .tokens = 20, .turns = 3};
  plan.steps[2].work = std::make_shared<const Work>(work);
  const auto again = plan_from_json(to_json(plan));
  ASSERT_TRUE(again) << again.error().message;
  expect_same(again->steps, plan.steps);
  ASSERT_NE(again->steps[0].flow, nullptr);
  EXPECT_EQ(*again->steps[0].flow, full_flow());
  ASSERT_NE(again->steps[1].flow, nullptr);
  EXPECT_EQ(*again->steps[1].flow, Flow{});
  EXPECT_EQ(again->steps[2].flow, nullptr);
  EXPECT_EQ(to_json(*again), to_json(plan));
}

TEST(PlanJson, given_flows_that_differ_in_one_thing_when_compared_then_they_are_not_the_same) {
  const std::vector<void (*)(Flow&)> changes{[](Flow& f) { f.when = "x"; },
                                             [](Flow& f) { f.for_each = "x"; },
                                             [](Flow& f) { f.until = "x"; },
                                             [](Flow& f) { f.loop_max = 1; },
                                             [](Flow& f) { f.gate = false; },
                                             [](Flow& f) { f.question = "x"; },
                                             [](Flow& f) { f.deferred = false; },
                                             [](Flow& f) { f.sandbox = "x"; },
                                             [](Flow& f) { f.item = "x"; },
                                             [](Flow& f) { f.index = 1; },
                                             [](Flow& f) { f.body.pop_back(); },
                                             [](Flow& f) { f.body[0].id = "x"; },
                                             [](Flow& f) { f.body[0].work = nullptr; },
                                             [](Flow& f) { f.body[0].flow = nullptr; },
                                             [](Flow& f) { f.body[0].policy.retries = 1; },
                                             [](Flow& f) { f.body[1].needs.clear(); },
                                             [](Flow& f) { f.body[1].final = false; }};
  EXPECT_EQ(full_flow(), full_flow());
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Flow changed = full_flow();
    changes[i](changed);
    EXPECT_FALSE(changed == full_flow()) << i;
    Plan plan = full_plan();
    plan.steps[0].flow = std::make_shared<const Flow>(changed);
    const auto again = plan_from_json(to_json(plan));
    ASSERT_TRUE(again) << i;
    EXPECT_EQ(*again->steps[0].flow, changed) << i;
  }
}

TEST(PlanJson, given_nothing_of_that_when_written_then_it_is_as_older_versions_wrote_it) {
  const std::string text = to_json(full_plan());
  for (const char* word : {"\"flow\"", "budget", "stall"}) EXPECT_EQ(text.find(word), std::string::npos) << word;
}

TEST(PlanJson, given_steps_that_share_work_when_read_again_then_they_share_it_still) {
  const auto again = plan_from_json(to_json(full_plan()));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->steps[0].work, again->steps[1].work);
  EXPECT_NE(again->steps[0].work, again->steps[2].work);
}

TEST(PlanJson, given_a_plan_of_like_steps_when_written_then_their_work_is_written_once) {
  Plan plan = full_plan();
  const std::size_t size_before = to_json(plan).size();
  for (int i = 0; i < 100; ++i) plan.steps.push_back(plan.steps[0]);
  EXPECT_LT(to_json(plan).size(), size_before + 100 * 60);
}

TEST(PlanJson, given_an_extension_when_read_then_needs_may_point_into_the_plan_before_it_but_not_past_its_end) {
  std::vector<Step> steps{{.id = "new",
                           .needs = {step_index(4), step_index(5)},
                           .work = std::make_shared<Work>(full_work()),
                           .policy = {},
                           .final = false},
                          {.id = "other", .needs = {}, .work = nullptr, .policy = {}, .final = false}};
  const std::string text = to_json(steps);
  const auto again = steps_from_json(text, 5);
  ASSERT_TRUE(again) << again.error().message;
  expect_same(*again, steps);
  const auto refused = steps_from_json(text, 3);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "bad-plan-record");
  EXPECT_THAT(refused.error().message, HasSubstr("'new'"));
}

TEST(PlanJson, given_damaged_text_when_read_then_it_is_a_fault_and_never_a_crash) {
  const std::string text = to_json(full_plan());
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_FALSE(plan_from_json(std::string_view{text}.substr(0, size))) << size;
  }
  for (
      const char* wrong :
      {"[]", "{}", "null", R"({"workflow":1})",
       R"({"workflow":"","dialect":"","version":"","source":"","works":[],"policies":[],"steps":[}})",
       R"({"workflow":"","dialect":"","version":"","source":"","works":[],"policies":[],"steps":[]]})",
       R"({"workflow":"","dialect":"","version":"","source":"","works":[],"policies":[],"steps":[{"id":"a","policy":0}]})"}) {
    const auto read = plan_from_json(wrong);
    ASSERT_FALSE(read) << wrong;
    EXPECT_EQ(read.error().code, "bad-plan-record");
  }
}

}  // namespace
}  // namespace baton
