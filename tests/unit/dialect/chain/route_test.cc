// What route answers, in every form that agents have been seen to use.
#include "dialect/chain/route.h"

#include <gtest/gtest.h>

#include "dialect/chain/workflows.h"

namespace baton::chain {
namespace {

struct Case {
  const char* answer;
  const char* workflow;  ///< "" for none
};

std::string chosen(std::string_view answer, const Workflows& workflows = built_in_workflows()) {
  return route_answer(answer, workflows).value_or("");
}

TEST(RouteAnswer, IsFoundHoweverItIsMarked) {
  for (const Case& c : std::vector<Case>{
           {"plan-build", "plan-build"},
           {"  plan-build \n", "plan-build"},
           {"\n\n\tplan-build\r\n\r\n", "plan-build"},
           {"`plan-build`", "plan-build"},
           {"\"plan-build\"", "plan-build"},
           {"'plan-build'", "plan-build"},
           {"**plan-build**", "plan-build"},
           {"**plan-build**.", "plan-build"},
           {"**`plan-build`**!", "plan-build"},
           {"__sdlc__", "sdlc"},
           {"Plan-Build", "plan-build"},
           {"SDLC.", "sdlc"},
           {"```\nplan-build\n```", "plan-build"},
           {"```text\nplan-build\n```\n", "plan-build"},
           {"- plan-build", "plan-build"},
           {"1. plan-build", "plan-build"},
           {"# plan-build", "plan-build"},
           {"> **sdlc**", "sdlc"},
       }) {
    EXPECT_EQ(chosen(c.answer), c.workflow) << c.answer;
  }
}

TEST(RouteAnswer, IsFoundOnTheFirstMiddleAndLastLineOfProse) {
  for (const Case& c : std::vector<Case>{
           {"plan-build\n\nBecause the task needs a plan, and somebody should look at it.", "plan-build"},
           {"The task is large.\nplan-build\nThat gives it a plan.", "plan-build"},
           {"The task is large, so it deserves a plan.\n\nplan-build", "plan-build"},
           {"I looked at the code.\n\n**plan-build**\n\nDone", "plan-build"},
           {"build\nOn second thought, it needs a plan too.\nplan-build", "plan-build"},
           {"plan-build\nNow build it.", "plan-build"},
       }) {
    EXPECT_EQ(chosen(c.answer), c.workflow) << c.answer;
  }
}

TEST(RouteAnswer, IsFoundInJson) {
  for (const Case& c : std::vector<Case>{
           {R"({"workflow":"plan-build"})", "plan-build"},
           {R"({"workflow": "plan-build", "reason": "a { b"})", "plan-build"},
           {"{\n  \"workflow\": \"sdlc\"\n}\n", "sdlc"},
           {R"({"workflow":" `sdlc` "})", "sdlc"},
           {"```json\n{\"workflow\": \"sdlc\"}\n```", "sdlc"},
           {"I choose this one: {\"workflow\": \"sdlc\"} because it is large.", "sdlc"},
           {R"(Not {"workflow":"build"} but {"workflow":"sdlc"})", "sdlc"},
           {R"({"workflow":"deploy"})", ""},
           {"{\"workflow\": \"deploy\", \"else\":\n\"build\"\n}", ""},
           {R"({"workflow":7})", ""},
           {R"({"workflow":""})", ""},
           {R"({"flow":"build"})", ""},
           {R"(["build"])", ""},
           {R"({"workflow":"build")", ""},
       }) {
    EXPECT_EQ(chosen(c.answer), c.workflow) << c.answer;
  }
}

TEST(RouteAnswer, IsFoundInAFewWordsThatSayNothingElse) {
  for (const Case& c : std::vector<Case>{
           {"use plan-build", "plan-build"},
           {"Use `plan-build`.", "plan-build"},
           {"use plan build", "plan-build"},
           {"Workflow: sdlc", "sdlc"},
           {"**Workflow:** sdlc", "sdlc"},
           {"Recommended workflow: quick-fix", "quick-fix"},
           {"I recommend plan-build", "plan-build"},
           {"-> sdlc", "sdlc"},
           {"The answer is sdlc.", "sdlc"},
           {"Let me build this.", ""},
           {"not build", ""},
           {"Never use build", ""},
           {"build or sdlc", ""},
           {"use build use sdlc", ""},
       }) {
    EXPECT_EQ(chosen(c.answer), c.workflow) << c.answer;
  }
}

TEST(RouteAnswer, IsNotInProseThatMerelyHasAName) {
  for (const char* answer : {
           "",
           "   \n \n",
           "I think you should use the build workflow",
           "This is a small task. It should be built at once. The build will pass.",
           "Done",
           "my-custom",
           "use my-custom",
           "plan build review",
           "plan-build-2",
           "rebuild",
           "prebuild",
           "build, sdlc",
           "- build\n- sdlc\n- plan-build",
           "plan.build",
           "plan:build",
       }) {
    EXPECT_EQ(chosen(answer), "") << answer;
  }
}

TEST(RouteAnswer, ALongerNameNeverYieldsAShorterOneInIt) {
  const Workflows workflows = {
      {"build", {"build"}}, {"plan", {"spec"}}, {"plan-build", {"a"}}, {"plan-build-x", {"b"}}};
  for (const auto& [name, skills] : workflows) {
    for (const std::string& form : {name, "use " + name, "**" + name + "**", "The answer is " + name}) {
      EXPECT_EQ(chosen(form, workflows), name) << form;
    }
  }
}

TEST(RouteAnswer, KnowsTheProjectsOwnWorkflowsOnly) {
  Workflows workflows = {{"my-custom", {"build"}}, {"Big", {"a"}}, {"big", {"b"}}};
  EXPECT_EQ(chosen("use my-custom", workflows), "my-custom");
  EXPECT_EQ(chosen("build", workflows), "");
  EXPECT_EQ(chosen("Big", workflows), "Big");
  EXPECT_EQ(chosen("big", workflows), "big");
  EXPECT_EQ(chosen("BIG", workflows), "") << "which of the two is not said";
  EXPECT_EQ(chosen("build", {}), "");
}

TEST(RouteAnswer, OfAnySizeIsReadInAMoment) {
  EXPECT_EQ(chosen(std::string(2'000'000, '[')), "");
  EXPECT_EQ(chosen(std::string(2'000'000, '"')), "");
  std::string lines;
  for (int i = 0; i < 200'000; ++i) lines += "a b {\n";
  EXPECT_EQ(chosen(lines + "build"), "build");
}

}  // namespace
}  // namespace baton::chain
