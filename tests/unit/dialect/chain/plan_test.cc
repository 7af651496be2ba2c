// From a list of skills to a plan, and what is wrong with a list.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "dialect/chain/mission.h"
#include "dialect/chain/workflows.h"

namespace baton::chain {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

MadePlan plan_for(const std::vector<std::string>& skills, const Terms& terms = {}) {
  return make_plan("w", skills, built_in_workflows(), terms);
}

/// "spec; build: spec" - ids with what each needs.
std::string plan_graph(const Plan& plan) {
  std::vector<std::string> parts;
  for (const Step& step : plan.steps) {
    std::string part = step.id;
    for (const StepIndex need : step.needs) part += ": " + plan.steps[at(need)].id;
    parts.push_back(part);
  }
  return join(parts, "; ");
}

TEST(ChainPlan, HasTheBuiltInWorkflows) {
  const Workflows& all = built_in_workflows();
  EXPECT_THAT(all, SizeIs(5));
  EXPECT_THAT(all.at("auto"), ElementsAre("route"));
  EXPECT_THAT(all.at("build"), ElementsAre("build"));
  EXPECT_THAT(all.at("plan-build"), ElementsAre("spec", "build", "review"));
  EXPECT_THAT(all.at("sdlc"), ElementsAre("spec", "decompose", "build", "review", "document"));
  EXPECT_THAT(all.at("quick-fix"), ElementsAre("build", "test"));
  EXPECT_THAT(choices(all), ElementsAre("build", "plan-build", "quick-fix", "sdlc")) << "auto leads nowhere new";
}

TEST(ChainPlan, EachSkillNeedsTheOneBefore) {
  const Plan plan = plan_for({"spec", "decompose", "build", "review", "document"}).plan;
  EXPECT_EQ(plan_graph(plan), "spec; decompose: spec; build: decompose; review: build; document: review");
  EXPECT_EQ(plan.workflow, "w");
  EXPECT_EQ(plan.dialect, "chain");
  EXPECT_EQ(final_step(plan), step_index(4));
  EXPECT_EQ(plan_graph(plan_for({"build"}).plan), "build") << "a single skill is a chain too";
}

TEST(ChainPlan, StepsAreNamedAfterTheirSkill) {
  const Plan plan = plan_for({"build", "build", "build-2", "test", "build"}).plan;
  EXPECT_EQ(plan_graph(plan), "build; build-2: build; build-2-2: build-2; test: build-2-2; build-3: test");
  for (const Step& step : plan.steps) EXPECT_TRUE(is_id(step.id)) << step.id;
  EXPECT_EQ(plan.steps[2].work->skill, "build-2");
}

TEST(ChainPlan, StepsSayWhatTheirAnswerMeans) {
  const Plan plan = plan_for({"route", "decompose", "build", "review"}).plan;
  for (const Step& step : plan.steps) {
    EXPECT_TRUE(step.work->answers) << step.id;
    EXPECT_EQ(step.work->output, "") << step.id;
    EXPECT_EQ(step.work->output_format, OutputFormat::text) << step.id;
    EXPECT_EQ(step.work->skill, step.id);
    EXPECT_EQ(step.work->reviews, step.id == "review");
  }
  EXPECT_EQ(plan.steps[0].work->extends, Extends::route);
  EXPECT_EQ(plan.steps[1].work->extends, Extends::decompose);
  EXPECT_EQ(plan.steps[2].work->extends, Extends::nothing);
}

TEST(ChainPlan, StepsWorkInTheRunsTreeIfThereIsOne) {
  for (const Step& step : plan_for({"build", "review"}, {.has_trees = true}).plan.steps) {
    EXPECT_EQ(step.work->tree, ".");
    ASSERT_NE(step.flow, nullptr);
    EXPECT_TRUE(step.flow->tree);
  }
  for (const Step& step : plan_for({"build", "review"}).plan.steps) {
    EXPECT_EQ(step.work->tree, "");
    EXPECT_EQ(step.flow, nullptr);
  }
}

TEST(ChainPlan, TheConfigurationSaysHowOftenAndHowLong) {
  const Terms terms{.policy_of = [](const std::string& skill) {
    return Policy{
        .retries = skill == "build" ? 3 : 0, .check_retries = skill == "spec" ? 2 : 0, .timeout = Millis{skill.size()}};
  }};
  const Plan plan = plan_for({"spec", "decompose", "build"}, terms).plan;
  EXPECT_EQ(plan.steps[2].policy.retries, 3);
  EXPECT_EQ(plan.steps[2].policy.timeout, Millis{5});
  EXPECT_EQ(plan.steps[0].policy.check_retries, 2);
  EXPECT_EQ(plan.steps[1].policy.check_retries, 1) << "an unreadable list is worth another try";
  EXPECT_EQ(plan.steps[2].policy.check_retries, 0);
  const Terms more{.policy_of = [](const std::string&) { return Policy{.check_retries = 4}; }};
  EXPECT_EQ(plan_for({"decompose"}, more).plan.steps[0].policy.check_retries, 4);
}

TEST(ChainPlan, ASecondRouteIsLeftOutWithAWarning) {
  const MadePlan made = plan_for({"spec", "route", "build", "route", "route"});
  EXPECT_EQ(plan_graph(made.plan), "spec; route: spec; build: route");
  EXPECT_THAT(made.warnings, ElementsAre(HasSubstr("workflow \"w\" has 'route' more than once")));
  EXPECT_TRUE(made.plan.steps.back().final);
  EXPECT_THAT(plan_for({"route", "build"}).warnings, IsEmpty());
}

TEST(ChainPlan, RouteIsToldTheChoices) {
  Workflows workflows = built_in_workflows();
  workflows["mine"] = {"route", "build", "test"};
  workflows["empty"] = {};
  const Plan plan = make_plan("auto", {"route", "build"}, workflows, {}).plan;
  EXPECT_THAT(
      plan.steps[0].work->notes,
      ElementsAre("Workflow build: build", "Workflow mine: build, test", "Workflow plan-build: spec, build, review",
                  "Workflow quick-fix: build, test", "Workflow sdlc: spec, decompose, build, review, document"));
  EXPECT_THAT(plan.steps[1].work->notes, IsEmpty());
}

std::string faults_of(const std::string& name, const Workflows& workflows, const std::vector<std::string>& skills) {
  std::string text;
  const auto has = [&](const std::string& skill) { return std::ranges::find(skills, skill) != skills.end(); };
  for (const Fault& fault : validate(name, workflows, has, skills)) text += to_text(fault);
  return text;
}

TEST(ChainValidation, SaysEverythingThatIsWrongAtOnce) {
  const Workflows workflows = {
      {"plan-build", {"spec", "build"}}, {"empty", {}}, {"odd", {"biuld", "x", "biuld", "spec"}}};
  const std::vector<std::string> skills = {"build", "spec"};
  EXPECT_EQ(faults_of("plan-build", workflows, skills), "");
  const std::string unknown = faults_of("plan-biuld", workflows, skills);
  EXPECT_THAT(unknown, HasSubstr("error[unknown-workflow]: there is no workflow 'plan-biuld'"));
  EXPECT_THAT(unknown, HasSubstr("did you mean 'plan-build'? workflows found: empty, odd, plan-build"));
  EXPECT_THAT(faults_of("empty", workflows, skills),
              HasSubstr("error[empty-workflow]: workflow \"empty\" has no skills"));
  const std::string odd = faults_of("odd", workflows, skills);
  EXPECT_THAT(odd, HasSubstr("error[unknown-skill]: workflow \"odd\": there is no skill 'biuld'"));
  EXPECT_THAT(odd, HasSubstr("did you mean 'build'? skills found: build, spec"));
  EXPECT_THAT(odd, HasSubstr("there is no skill 'x'"));
  EXPECT_EQ(odd.find("biuld'", odd.find("biuld'") + 1), std::string::npos) << "said once\n" << odd;
}

TEST(ChainMission, LooksBackAtTheTaskInsteadOfCarryingItOut) {
  for (const char* skill : {"test", "review", "document", "commit"}) {
    EXPECT_THAT(mission_of(skill), HasSubstr("the user's task above")) << skill;
    EXPECT_THAT(mission_of(skill), HasSubstr("context only")) << skill;
  }
  EXPECT_THAT(mission_of("review"), HasSubstr("change no file"));
  for (const char* word : {"fix", "mend", "repair", "correct"}) {
    EXPECT_EQ(mission_of("review").find(word), std::string::npos) << "a review must not be asked for fixes";
  }
  for (const char* skill : {"route", "spec", "decompose"})
    EXPECT_THAT(mission_of(skill), HasSubstr("Do not carry")) << skill;
  for (const char* skill : {"build", "my-own"}) {
    EXPECT_EQ(mission_of(skill), "Carry out the user's task above as the skill says.");
  }
}

TEST(ChainMission, OfASubTaskNamesIt) {
  const std::string mission = sub_task_mission("build", "api\nx", "Add the API.");
  EXPECT_THAT(mission, HasSubstr("Carry out the user's task above"));
  EXPECT_THAT(mission, HasSubstr("this part only, the sub-task 'api x':\n\nAdd the API."));
  EXPECT_TRUE(sub_task_mission("build", "api", "").ends_with("the sub-task 'api'."));
}

TEST(ChainMission, OfAFollowUpCanBeTakenApart) {
  EXPECT_EQ(task_of_follow_up(follow_up_mission("Add\nmore")), "Add\nmore");
  EXPECT_EQ(task_of_follow_up(mission_of("build")), "");
  EXPECT_EQ(task_of_follow_up(revision_mission("Add")), "");
}

TEST(ChainMission, OfAConflictNamesTheFiles) {
  const std::string mission = resolve_mission({"a.cc", "b\nc.cc"}, "baton/r--api");
  EXPECT_THAT(mission, HasSubstr("Merging 'baton/r--api'"));
  EXPECT_THAT(mission, HasSubstr("\n- a.cc\n- b c.cc\n"));
  EXPECT_THAT(resolve_mission(std::vector<std::string>(500, "f"), ""), HasSubstr("- and 300 more"));
}

}  // namespace
}  // namespace baton::chain
