// What steps read: nothing starts without it, and what nobody has is not told.
#include <gmock/gmock.h>

#include "support/machine.h"
#include "support/story.h"

namespace baton::test {
namespace {

using testing::HasSubstr;
using testing::Not;

Step& step_in(Plan& plan, const std::string& id) { return plan.steps[at(*find_step(plan, id))]; }

void set_work(Plan& plan, const std::string& id, Work work) {
  step_in(plan, id).work = std::make_shared<const Work>(std::move(work));
}

void set_when(Plan& plan, const std::string& id, const std::string& when) {
  step_in(plan, id).flow = std::make_shared<const Flow>(Flow{.when = when});
}

Work reading(const std::string& runtime, std::vector<std::string> inputs) {
  Work work{.inputs = std::move(inputs), .runtime = runtime};
  if (runtime.empty()) {
    work.command = {"/bin/true"};
  } else {
    work.skill = "s";
    work.mission = "m";
  }
  return work;
}

const Failure& failure_of(const Machine& machine, const std::string& id) {
  return *machine.step(id).attempts.back().detail->failure;
}

class MissingInputs : public testing::TestWithParam<std::string> {};

TEST_P(MissingInputs, NothingStartsAndNothingIsTriedAgain) {
  Plan plan = plan_of("a; b: a");
  set_work(plan, "b", reading(GetParam(), {"there.md", "gone.md"}));
  step_in(plan, "b").policy.retries = 3;
  Machine machine{plan, 1};
  machine.files.files["/p/there.md"] = "x";
  machine.start_engine();
  machine.pass(Millis{60'000});
  ASSERT_EQ(machine.step("b").state, StepState::failed);
  EXPECT_EQ(machine.step("b").attempts.size(), 1U);
  EXPECT_EQ(failure_of(machine, "b").code, "input-not-found");
  EXPECT_EQ(failure_of(machine, "b").message,
            "the input 'gone.md' is not there, and none of the steps before wrote it");
  EXPECT_EQ(machine.starts("b"), 0);
}

TEST_P(MissingInputs, WhatAStepBeforeWroteIsThere) {
  Plan plan = plan_of("a; b: a");
  set_work(plan, "b", reading(GetParam(), {"side.md"}));
  Machine machine{plan, 1};
  machine.start_engine();
  machine.pass(Millis{500});
  machine.files.files["/p/side.md"] = "x";  // `a` is still at work
  machine.pass(Millis{10'000});
  EXPECT_EQ(machine.step("b").state, StepState::completed);
}

INSTANTIATE_TEST_SUITE_P(Of, MissingInputs, testing::Values("", "agent", "inner"),
                         [](const auto& info) { return info.param.empty() ? std::string{"command"} : info.param; });

/// It is admitted, and the engine dies before anything of it is in the world.
TEST(StepInputs, AnEngineThatTakesTheRunUpLooksForThemAgain) {
  for (const char* runtime : {"", "agent"}) {
    int looked = 0;
    for (std::uint64_t calls = 1;; ++calls) {
      Plan plan = plan_of("b");
      set_work(plan, "b", reading(runtime, {"gone.md"}));
      Machine machine{plan, 1};
      machine.files.files["/p/gone.md"] = "x";
      machine.mortality.die_in(calls);
      try {
        machine.start_engine();
        ASSERT_TRUE(machine.settle());
        break;
      } catch (const Crash&) {
        machine.kill_engine();
      }
      if (machine.starts("b") > 0 || !machine.journal.load("r")) continue;
      machine.files.files.erase("/p/gone.md");
      machine.start_engine();
      machine.pass(Millis{10'000});
      ASSERT_EQ(machine.step("b").state, StepState::failed) << calls;
      EXPECT_EQ(failure_of(machine, "b").code, "input-not-found") << calls;
      EXPECT_EQ(machine.starts("b"), 0) << calls;
      ++looked;
    }
    EXPECT_GT(looked, 1) << runtime;
  }
}

TEST(StepInputs, ResultsOfStepsThatDidNotRunAreLeftOut) {
  Plan plan = plan_of("a; b: a; c: b");
  set_work(plan, "a", Work{.command = {"/bin/true"}, .output = "a.md"});
  set_work(plan, "b", Work{.command = {"/bin/true"}});
  set_work(plan, "c", reading("agent", {"./a.md", "in.md"}));
  set_when(plan, "a", "false");
  set_when(plan, "b", "true");
  set_when(plan, "c", "true");
  Machine machine{plan, 1};
  machine.files.files["/p/in.md"] = "x";
  machine.start_engine();
  machine.pass(Millis{10'000});
  ASSERT_EQ(machine.step("a").state, StepState::skipped);
  EXPECT_EQ(machine.step("c").state, StepState::completed);
  const std::string prompt = machine.files.files["/p/.baton/runs/r/prompts/c.1.md"];
  EXPECT_THAT(prompt, HasSubstr("Input: in.md"));
  EXPECT_THAT(prompt, Not(HasSubstr("a.md")));
}

TEST(StepInputs, WhatLiesAtThePathOfASkippedNeedIsOlder) {
  Plan plan = plan_of("a; c: a");
  set_work(plan, "a", Work{.command = {"/bin/true"}, .output = "a.md"});
  set_work(plan, "c", reading("agent", {"a.md"}));
  set_when(plan, "a", "false");
  set_when(plan, "c", "true");
  Machine machine{plan, 1};
  machine.files.files["/p/a.md"] = "of yesterday";
  machine.start_engine();
  machine.pass(Millis{10'000});
  EXPECT_EQ(machine.step("c").state, StepState::completed);
  EXPECT_THAT(machine.files.files["/p/.baton/runs/r/prompts/c.1.md"], Not(HasSubstr("a.md")));
}

}  // namespace
}  // namespace baton::test
