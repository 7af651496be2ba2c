#include "view/plan_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace baton {
namespace {

using testing::HasSubstr;
using testing::Not;

Step step(std::string id, std::vector<std::size_t> needs, Work work) {
  Step made{
      .id = std::move(id), .needs = {}, .work = std::make_shared<Work>(std::move(work)), .policy = {}, .final = false};
  for (const std::size_t need : needs) made.needs.push_back(step_index(need));
  return made;
}

Plan diamond() {
  Plan plan{.workflow = "kit", .dialect = "markdown", .version = "1.1", .source = "workflows/kit.md", .steps = {}};
  plan.steps.push_back(
      step("d", {1, 2},
           {.skill = "writer", .mission = "m", .output = "o.json", .checks = {{Check::Kind::min_quotes, {}, 2}}}));
  plan.steps.push_back(step("b", {3}, {.command = {"/bin/sh", "-c", "echo \"$x\"\n"}}));
  plan.steps.push_back(step("c", {3}, {.command = {"cp", "x", "y"}}));
  plan.steps.push_back(step("a", {}, {.skill = "reader", .mission = "m", .output = "a.md"}));
  return plan;
}

TEST(PlanTree, given_a_diamond_when_shown_then_order_needs_and_indentation_tell_the_graph) {
  EXPECT_EQ(plan_tree(diamond()), R"(kit 1.1 (4 steps)
  1. a  reader
     writes a.md
    2. b  $ echo "$x"
       needs a
    3. c  $ cp x y
       needs a
      4. d  writer  [final]
         needs b, c
         writes o.json (1 check)
)");
}

TEST(PlanTree, given_a_long_chain_when_shown_then_the_indentation_stops_growing) {
  Plan plan{.workflow = "w", .dialect = "", .version = "", .source = "", .steps = {}};
  for (std::size_t i = 0; i < 500; ++i) {
    plan.steps.push_back(step("s" + std::to_string(i), i == 0 ? std::vector<std::size_t>{} : std::vector{i - 1}, {}));
  }
  EXPECT_THAT(plan_tree(plan), HasSubstr("\n" + std::string(40, ' ') + "500. s499"));
  EXPECT_THAT(plan_tree(plan), Not(HasSubstr(std::string(50, ' '))));
}

TEST(PlanTree, given_control_characters_when_shown_then_they_cannot_drive_a_terminal) {
  Plan plan = diamond();
  plan.steps[1].work = std::make_shared<Work>(Work{.command = {"printf", "\x1b[2J"}});
  EXPECT_THAT(plan_tree(plan), Not(HasSubstr("\x1b")));
}

TEST(PlanViewJson, given_a_diamond_when_shown_then_steps_order_and_final_are_there) {
  const std::string json = plan_view_json(diamond());
  EXPECT_THAT(json, HasSubstr(R"({"workflow":"kit","dialect":"markdown","version":"1.1","source":"workflows/kit.md")"));
  EXPECT_THAT(
      json,
      HasSubstr(
          R"({"id":"d","needs":["b","c"],"wave":3,"skill":"writer","mission":"m","inputs":[],"output":"o.json","validate":{"min_quotes":2},"retries":0,"timeout_ms":0,"final":false})"));
  EXPECT_THAT(json, HasSubstr(R"("command":["cp","x","y"])"));
  EXPECT_THAT(json, HasSubstr(R"("order":["a","b","c","d"],"final":"d"})"));
}

TEST(PlanDot, given_signs_that_mean_something_to_graphviz_when_shown_then_they_are_escaped) {
  EXPECT_EQ(plan_dot(diamond()), R"(digraph "kit" {
  rankdir=LR;
  node [shape=box, style=rounded];
  "d" [label="d\nwriter", peripheries=2];
  "b" [label="b\n$ echo \"$x\""];
  "c" [label="c\n$ cp x y"];
  "a" [label="a\nreader"];
  "b" -> "d";
  "c" -> "d";
  "a" -> "b";
  "a" -> "c";
}
)");
}

TEST(PlanMermaid, given_ids_that_are_words_of_mermaid_when_shown_then_only_labels_hold_them) {
  Plan plan = diamond();
  plan.steps[0].id = "end";
  EXPECT_EQ(plan_mermaid(plan), R"(flowchart LR
  s0(["end<br/>writer"])
  s1["b<br/>#36; echo #34;#36;x#34;"]
  s2["c<br/>#36; cp x y"]
  s3["a<br/>reader"]
  s1 --> s0
  s2 --> s0
  s3 --> s1
  s3 --> s2
)");
}

}  // namespace
}  // namespace baton
