#include "view/plan_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

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

std::string tree(const Plan& plan) { return plan_tree(plan, standing_at_start(plan)); }
std::string in_json(const Plan& plan) { return plan_view_json(plan, standing_at_start(plan)); }

TEST(PlanTree, given_a_diamond_when_shown_then_order_needs_and_indentation_tell_the_graph) {
  EXPECT_EQ(tree(diamond()), R"(kit 1.1 (4 steps)
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
  EXPECT_THAT(tree(plan), HasSubstr("\n" + std::string(40, ' ') + "500. s499"));
  EXPECT_THAT(tree(plan), Not(HasSubstr(std::string(50, ' '))));
}

TEST(PlanTree, given_control_characters_when_shown_then_they_cannot_drive_a_terminal) {
  Plan plan = diamond();
  plan.steps[1].work = std::make_shared<Work>(Work{.command = {"printf", "\x1b[2J"}});
  EXPECT_THAT(tree(plan), Not(HasSubstr("\x1b")));
}

TEST(PlanViewJson, given_a_diamond_when_shown_then_steps_order_and_final_are_there) {
  const std::string json = in_json(diamond());
  EXPECT_THAT(json, HasSubstr(R"({"workflow":"kit","dialect":"markdown","version":"1.1","source":"workflows/kit.md")"));
  EXPECT_THAT(
      json,
      HasSubstr(
          R"({"id":"d","needs":["b","c"],"wave":3,"skill":"writer","mission":"m","inputs":[],"output":"o.json","validate":{"min_quotes":2},"retries":0,"timeout_ms":0,"final":true})"));
  EXPECT_THAT(json, HasSubstr(R"("command":["cp","x","y"])"));
  EXPECT_THAT(json, HasSubstr(R"("order":["a","b","c","d"],"final":"d"})"));
}

/// A gate, then a step for each item, then rounds of several steps.
Plan flowing() {
  Plan plan{.workflow = "kit", .dialect = "markdown", .version = "", .source = "w.md", .steps = {}};
  Flow gate;
  gate.gate = true;
  gate.question = "Go on?";
  Flow items;
  items.when = "steps.ok.state == 'completed'";
  items.for_each = "[1,2]";
  items.body = {step("all", {}, {.skill = "writer", .mission = "${{ item }}"})};
  Flow rounds;
  rounds.until = "output.done";
  rounds.loop_max = 3;
  rounds.body = {step("l:a", {}, {.command = {"x"}}), step("l:b", {0}, {.command = {"y"}})};
  plan.steps = {step("ok", {}, {}), step("all", {0}, {.output = "all.items.json"}), step("l", {1}, {})};
  plan.steps[0].flow = std::make_shared<const Flow>(gate);
  plan.steps[1].flow = std::make_shared<const Flow>(items);
  plan.steps[2].flow = std::make_shared<const Flow>(rounds);
  return plan;
}

TEST(PlanTree, given_conditions_items_rounds_and_gates_when_shown_then_they_stand_beside_their_steps) {
  EXPECT_EQ(tree(flowing()), R"(kit (3 steps)
  1. ok
     gate Go on?
    2. all  writer
       when steps.ok.state == 'completed'
       for_each [1,2]
       needs ok
       writes all.items.json
      3. l  2 steps  [final]
         loop until output.done, at most 3
         needs all
)");
}

TEST(PlanViewJson, given_conditions_items_rounds_and_gates_when_shown_then_only_those_steps_have_the_fields) {
  const std::string json = in_json(flowing());
  EXPECT_THAT(json, HasSubstr(R"({"id":"ok","needs":[],"wave":1,"inputs":[],"gate":"Go on?","retries")"));
  EXPECT_THAT(json, HasSubstr(R"("when":"steps.ok.state == 'completed'","for_each":"[1,2]","body":[{"id":"all",)"));
  EXPECT_THAT(json, HasSubstr(R"("loop":{"until":"output.done","max":3},"body":[{"id":"l:a")"));
  EXPECT_THAT(json, HasSubstr(R"({"id":"l:b","needs":["l:a"],"wave":2)"));
  const std::string plain = in_json(diamond());
  for (const char* key : {"when", "for_each", "loop", "gate", "body", "budget"}) {
    EXPECT_THAT(plain, Not(HasSubstr("\"" + std::string{key} + "\":"))) << key;
  }
}

TEST(PlanViewJson, given_a_budget_when_shown_then_it_is_in_dollars) {
  Plan plan = diamond();
  plan.steps[0].work = std::make_shared<Work>(Work{.skill = "s", .budget = {.nano_usd = 500'000'000, .turns = 3}});
  EXPECT_THAT(in_json(plan), HasSubstr(R"("budget":{"usd":0.5,"turns":3})"));
}

TEST(PlanPictures, given_conditions_items_rounds_and_gates_when_drawn_then_the_labels_tell) {
  EXPECT_THAT(plan_dot(flowing()), HasSubstr(R"("ok" [label="ok\n[gate]"];)"));
  EXPECT_THAT(plan_dot(flowing()),
              HasSubstr(R"("all" [label="all\nwriter\n[when steps.ok.state == 'completed'] [for_each [1,2]]"];)"));
  EXPECT_THAT(plan_mermaid(flowing()), HasSubstr(R"(s0["ok<br/>#91;gate#93;"])"));
  EXPECT_THAT(plan_mermaid(flowing()), HasSubstr("l<br/>2 steps<br/>#91;loop until output.done#44; at most 3#93;"));
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

/// A session: one task is done, two wait for each other, one is left.
struct Begun {
  Plan plan{.workflow = "WFS-a", .dialect = "session", .version = "", .source = "", .steps = {}};
  PlanStanding standing{{"completed", "blocked", "blocked", "pending"}, {step_index(3)}, {0, 0, 0, 1}};

  Begun() {
    plan.steps.push_back(step("T1", {}, {.title = "One"}));
    plan.steps.push_back(step("T2", {2}, {.title = "Two"}));
    plan.steps.push_back(step("T3", {1}, {.title = "Three"}));
    plan.steps.push_back(step("T4", {0}, {.title = "Four", .skill = "writer"}));
  }
};

TEST(PlanStanding, given_work_that_is_begun_when_shown_then_only_what_is_left_is_in_the_order) {
  const Begun begun;
  EXPECT_EQ(plan_tree(begun.plan, begun.standing), R"(WFS-a (4 steps, 2 blocked, 1 completed)
  1. T4  writer  Four
     needs T1
)");
  const std::string json = plan_view_json(begun.plan, begun.standing);
  EXPECT_THAT(json, HasSubstr(R"({"id":"T1","needs":[],"wave":0,"state":"completed","title":"One")"));
  EXPECT_THAT(json, HasSubstr(R"({"id":"T3","needs":["T2"],"wave":0,"state":"blocked")"));
  EXPECT_THAT(json, HasSubstr(R"("order":["T4"],"final":null})"));
}

/// A table as RFC 4180 has it, read field by field.
std::vector<std::vector<std::string>> read_csv(std::string_view text) {
  std::vector<std::vector<std::string>> rows;
  bool quoted = false;
  std::vector<std::string> row(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quoted && text[i] == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      row.back() += text[++i];
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && text[i] == ',') {
      row.emplace_back();
    } else if (!quoted && text.substr(i, 2) == "\r\n") {
      rows.push_back(std::exchange(row, {std::string{}}));
      ++i;
    } else {
      row.back() += text[i];
    }
  }
  return rows;
}

TEST(PlanCsv, given_commas_quotes_and_lines_in_a_title_when_read_back_then_nothing_is_lost) {
  Begun begun;
  const std::string title = "Say \"hello, world\",\nthen\r\n\"\", and \xe4\xbd\xa0\xe5\xa5\xbd";
  begun.plan.steps[1] = step("T2", {0, 2}, {.title = title});
  const auto rows = read_csv(plan_csv(begun.plan, begun.standing));
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_THAT(rows[0], testing::ElementsAre("id", "title", "state", "wave", "skill", "needs"));
  EXPECT_THAT(rows[2], testing::ElementsAre("T2", title, "blocked", "0", "", "T1 T3"));
  EXPECT_THAT(rows[4], testing::ElementsAre("T4", "Four", "pending", "1", "writer", "T1"));
}

}  // namespace
}  // namespace baton
