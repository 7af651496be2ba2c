// Squads, budgets, pipelines, plans, and the layout of prompts.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dialect/workspace/budget.h"
#include "dialect/workspace/paths.h"
#include "dialect/workspace/pipeline.h"
#include "dialect/workspace/prompt_layout.h"
#include "dialect/workspace/squads.h"
#include "dialect/workspace/workspace_plan.h"

namespace baton::workspace {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

Task task_of(const std::string& id, const std::string& skill = "copywriting", Priority priority = Priority::p2) {
  Task task;
  task.id = id;
  task.to = skill;
  task.from = "director";
  task.priority = priority;
  task.created_at = "2026-11-15T09:30:00.000Z";
  task.output_path = "outputs/creative/" + skill + "/" + id + ".md";
  task.output_format = "Markdown";
  task.goal = "Goal of " + id;
  task.requirements = "Do " + id;
  return task;
}

std::vector<std::string> order_of(const Plan& plan) {
  std::vector<std::string> ids;
  for (const Step& step : plan.steps) ids.push_back(step.id);
  return ids;
}

std::vector<std::string> needs_of(const Plan& plan, const std::string& id) {
  std::vector<std::string> ids;
  for (const StepIndex need : plan.steps[at(*find_step(plan, id))].needs) ids.push_back(plan.steps[at(need)].id);
  return ids;
}

PipelineOrder order_for(const std::string& goal) {
  PipelineOrder order;
  order.goal = goal;
  order.now = time_from_ms(1'792'065'600'000);
  order.chance = [n = std::uint64_t{0}]() mutable { return ++n; };
  return order;
}

TEST(WorkspaceSquads, BuiltInOnesAreTwentySixSkills) {
  const Squads& squads = built_in_squads();
  EXPECT_THAT(squads.skills, SizeIs(26));
  EXPECT_EQ(squads.squad_of("copywriting"), "creative");
  EXPECT_EQ(squads.squad_of(foundation_skill), "");
  EXPECT_EQ(squads.squad_of("nobody"), "");
  for (const auto& [skill, entry] : squads.skills) {
    for (const std::string& fed : entry.feeds) EXPECT_TRUE(squads.skills.contains(fed)) << skill << " feeds " << fed;
  }
}

TEST(WorkspaceSquads, AreReadFromAFile) {
  const SquadsRead read = read_squads(
      "squads:\n  make:\n    description: makes\nfoundation_skill: base\nskills:\n  base:\n    squad: null\n    "
      "downstream: all\n  write:\n    squad: make\n    description: Writes\n    downstream: [edit]\n  edit: {squad: "
      "make}\n",
      "skills.yaml");
  EXPECT_THAT(read.faults, IsEmpty());
  EXPECT_EQ(read.squads.foundation, "base");
  EXPECT_EQ(read.squads.squad_of("write"), "make");
  EXPECT_TRUE(read.squads.skills.at("base").feeds_all);
  EXPECT_EQ(usual_output("edit", "edit-1", read.squads), "outputs/make/edit/edit-1.md");
  EXPECT_EQ(usual_output("base", "base-1", read.squads), context_path);
}

TEST(WorkspaceSquads, TellAllThatIsWrongWithAFile) {
  const SquadsRead read = read_squads(
      "squads: {make: {}, idle: {}}\nfoundation_skill: gone\nskills:\n  a: {squad: make, downstream: [a, b]}\n  c: "
      "{squad: nowhere}\n",
      "skills.yaml");
  std::vector<std::string> places;
  for (const Fault& f : read.faults) {
    EXPECT_EQ(f.code, "bad-skills-file");
    places.push_back(fmt::format("{}:{}", f.place.line, f.place.column));
  }
  EXPECT_THAT(places, ElementsAre("1:20", "2:19", "4:33", "4:36", "5:14"));
  EXPECT_THAT(read_squads("skills: [", "x").faults, Not(IsEmpty()));
  EXPECT_THAT(read_squads("other: 1", "x").faults, SizeIs(1));
}

TEST(WorkspaceSquads, AreFoundInFolders) {
  const Squads squads = squads_of_folders({"make/write", "make", "other/edit", "../x/y"});
  EXPECT_THAT(squads.skills, SizeIs(2));
  EXPECT_EQ(squads.squad_of("edit"), "other");
}

// Row 48: which priorities go at which level.
TEST(WorkspaceBudget, LetsTheUrgentThroughLongest) {
  constexpr std::int64_t total = 1'000'000'000'000;
  const auto at_percent = [](std::int64_t p) { return budget_level(total / 100 * p, total); };
  EXPECT_EQ(at_percent(0), BudgetLevel::normal);
  EXPECT_EQ(budget_level(total / 100 * 80 - 1, total), BudgetLevel::normal);
  EXPECT_EQ(at_percent(80), BudgetLevel::warning);
  EXPECT_EQ(at_percent(90), BudgetLevel::throttle);
  EXPECT_EQ(at_percent(95), BudgetLevel::critical);
  EXPECT_EQ(budget_level(total - 1, total), BudgetLevel::critical);
  EXPECT_EQ(at_percent(100), BudgetLevel::exhausted);
  EXPECT_EQ(at_percent(300), BudgetLevel::exhausted);
  EXPECT_EQ(budget_level(0, 0), BudgetLevel::normal);
  EXPECT_EQ(budget_level(1, 0), BudgetLevel::exhausted);
  using enum Priority;
  const std::vector<std::pair<BudgetLevel, int>> last{
      {BudgetLevel::normal, 3}, {BudgetLevel::warning, 2}, {BudgetLevel::throttle, 1}, {BudgetLevel::critical, 0}};
  for (const auto& [level, least] : last) {
    for (int p = 0; p < 4; ++p) {
      EXPECT_EQ(budget_gate(level, static_cast<Priority>(p)), p <= least ? Gate::go : Gate::defer)
          << name(level) << " P" << p;
    }
  }
  for (int p = 0; p < 4; ++p) {
    EXPECT_EQ(budget_gate(BudgetLevel::exhausted, static_cast<Priority>(p)), Gate::block);
  }
  EXPECT_THAT((std::vector<int>{queue_weight(p0), queue_weight(p1), queue_weight(p2), queue_weight(p3)}),
              ElementsAre(1, 5, 10, 20));
}

// Row 48: the order of the queue.
TEST(WorkspacePlan, TheMostUrgentComeFirstThenTheOldest) {
  Faults faults;
  Task old = task_of("old-p2");
  old.created_at = "2026-01-01T00:00:00.000Z";
  const Plan plan = plan_of_workspace(
      {task_of("b-p2"), task_of("z-p0", "copywriting", Priority::p0), task_of("a-p3", "copywriting", Priority::p3), old,
       task_of("a-p1", "copywriting", Priority::p1)},
      {"workspace"}, faults);
  EXPECT_THAT(order_of(plan), ElementsAre("z-p0", "a-p1", "old-p2", "b-p2", "a-p3"));
  EXPECT_THAT(faults, IsEmpty());
  EXPECT_EQ(plan.dialect, "workspace");
  EXPECT_EQ(plan.workflow, "workspace");
}

TEST(WorkspacePlan, WhoReadsComesAfterWhoWrites) {
  Faults faults;
  Task reader = task_of("reader", "page-cro", Priority::p0);
  reader.inputs = {{"./outputs/creative/copywriting/writer.md", "the copy"}, {"outputs/somebody/elses.md", "old"}};
  const Plan plan = plan_of_workspace({reader, task_of("writer", "copywriting", Priority::p3)}, {"."}, faults);
  EXPECT_THAT(needs_of(plan, "reader"), ElementsAre("writer"));
  EXPECT_THAT(needs_of(plan, "writer"), IsEmpty());
}

TEST(WorkspacePlan, WhatIsToComeNextComesAfter) {
  Faults faults;
  Task first = task_of("first");
  first.next = {Next::Kind::agent, "page-cro"};
  Task foreign = task_of("foreign", "page-cro");
  foreign.goal_id = "goal-of-somebody-else";
  const Plan plan = plan_of_workspace({task_of("second", "page-cro"), foreign, first}, {"w"}, faults);
  EXPECT_THAT(needs_of(plan, "second"), ElementsAre("first"));
  EXPECT_THAT(needs_of(plan, "foreign"), IsEmpty());
}

TEST(WorkspacePlan, ACircleOfNextIsBrokenAndOneOfInputsIsAnError) {
  Faults faults;
  Task one = task_of("one", "copywriting");
  one.next = {Next::Kind::agent, "page-cro"};
  Task two = task_of("two", "page-cro");
  two.next = {Next::Kind::agent, "copywriting"};
  Plan plan = plan_of_workspace({one, two}, {"w"}, faults);
  EXPECT_FALSE(execution_order(plan).empty());
  ASSERT_THAT(faults, SizeIs(1));
  EXPECT_EQ(faults[0].code, "task-circle");
  EXPECT_FALSE(has_errors(faults));
  one.inputs = {{two.output_path, ""}};
  two.inputs = {{one.output_path, ""}};
  faults.clear();
  plan = plan_of_workspace({one, two}, {"w"}, faults);
  EXPECT_THAT(faults, SizeIs(1)) << "one circle is told once";
  EXPECT_TRUE(has_errors(faults));
}

TEST(WorkspacePlan, OfTasksThatWriteTheSameFileOneGoes) {
  Task first = task_of("t-1", "copywriting", Priority::p1);
  Task second = task_of("t-2");
  second.output_path = "./" + first.output_path;
  Faults faults;
  const Plan plan = plan_of_workspace({second, first, task_of("t-3")}, {.folder = "w"}, faults);
  EXPECT_THAT(order_of(plan), ElementsAre("t-1", "t-3"));
  ASSERT_THAT(faults, SizeIs(1));
  EXPECT_EQ(faults[0].code, "shared-output");
  EXPECT_EQ(faults[0].severity, Severity::warning);
  EXPECT_EQ(faults[0].place.file, "w/tasks/t-2.md");
  EXPECT_THAT(faults[0].message, AllOf(HasSubstr("'t-2'"), HasSubstr("'t-1'")));
}

TEST(WorkspacePlan, WhoWritesOverWhatItReadsComesAfterWhoWroteIt) {
  Task first = task_of("t-1", "copywriting", Priority::p1);
  Task second = task_of("t-2");
  second.output_path = first.output_path;
  second.inputs = {{first.output_path, "what there is"}};
  Faults faults;
  const Plan plan = plan_of_workspace({second, first}, {.folder = "w"}, faults);
  EXPECT_THAT(faults, IsEmpty());
  EXPECT_THAT(needs_of(plan, "t-2"), ElementsAre("t-1"));
}

TEST(WorkspacePlan, AStepKnowsWhereItsResultGoes) {
  EXPECT_EQ(plan_of_task(task_of("t-1"), {.folder = "w"}).steps[0].work->output,
            "w/outputs/creative/copywriting/t-1.md");
  EXPECT_EQ(plan_of_task(task_of("t-1"), {.folder = "."}).steps[0].work->output, "outputs/creative/copywriting/t-1.md");
}

TEST(WorkspacePlan, OneTaskIsAStepOfItsName) {
  Task task = task_of("t-1");
  task.goal = "First line\nsecond";
  const Plan plan = plan_of_task(task, {"w", {.retries = 2}});
  ASSERT_THAT(plan.steps, SizeIs(1));
  const Step& step = plan.steps[0];
  EXPECT_EQ(step.id, "t-1");
  EXPECT_EQ(step.work->skill, "copywriting");
  EXPECT_EQ(step.work->title, "First line");
  EXPECT_TRUE(step.work->answers);
  EXPECT_EQ(step.policy.retries, 2);
  EXPECT_TRUE(step.flow->deferred);
  EXPECT_FALSE(step.policy.fail_fast);
}

TEST(WorkspacePlan, RevisionsAreStepsOfTheirTask) {
  EXPECT_EQ(task_of_step("t-1:r2"), "t-1");
  EXPECT_EQ(revision_of_step("t-1:r2"), 2);
  EXPECT_EQ(task_of_step("t-1"), "t-1");
  EXPECT_EQ(task_of_step("t:rx"), "t:rx");
  EXPECT_EQ(revision_of_step("t:rx"), 0);
  EXPECT_EQ(task_of_step("t:r-1"), "t:r-1");
}

// Row 41: outputs are wired, ids are there before anything runs.
TEST(WorkspacePipeline, HandsOnWhatTheStepBeforeWrote) {
  const Pipeline* pipeline = find_pipeline(built_in_pipelines(), "PAGE launch");
  ASSERT_NE(pipeline, nullptr);
  const PipelineDraft draft = draft_pipeline(*pipeline, order_for("Launch it"), built_in_squads(), {"w"});
  ASSERT_THAT(draft.tasks, SizeIs(4));
  EXPECT_EQ(draft.run_id, "run-page-launch-1792065600000");
  EXPECT_EQ(draft.plan.workflow, "page-launch");
  EXPECT_EQ(draft.tasks[0].id, "copywriting-20261015-000001");
  EXPECT_THAT(draft.tasks[0].inputs, IsEmpty());
  for (std::size_t i = 0; i < 4; ++i) {
    const Task& task = draft.tasks[i];
    EXPECT_EQ(draft.plan.steps[i].id, task.id);
    EXPECT_EQ(task.status, TaskStatus::pending);
    EXPECT_EQ(task.priority, Priority::p1);
    EXPECT_EQ(task.goal, "Launch it");
    EXPECT_TRUE(read_task(write_task(task), task.id + ".md").task);
    EXPECT_EQ(task.next.kind, i == 3 ? Next::Kind::director_review : Next::Kind::pipeline_continue);
    EXPECT_EQ(task.output_path, usual_output(task.to, task.id, built_in_squads()));
    if (i == 0) continue;
    EXPECT_THAT(needs_of(draft.plan, task.id), ElementsAre(draft.tasks[i - 1].id));
    ASSERT_THAT(task.inputs, SizeIs(1));
    EXPECT_EQ(task.inputs[0].path, draft.tasks[i - 1].output_path);
  }
}

// Row 46: several at once, all for the next; a failure of one is one of all.
TEST(WorkspacePipeline, SeveralAtOnceAreBroughtTogether) {
  const PipelinesRead read =
      read_pipelines("pipelines:\n- name: X\n  steps: [{skill: a}, {parallel: [b, c]}, {skill: d}]\n", "p.yaml");
  ASSERT_THAT(read.faults, IsEmpty());
  PipelineOrder order = order_for("");
  order.priority = Priority::p0;
  const PipelineDraft draft = draft_pipeline(read.pipelines[0], order, built_in_squads(), {"w"});
  const auto id = [&](std::size_t i) { return draft.tasks[i].id; };
  EXPECT_THAT(needs_of(draft.plan, id(1)), ElementsAre(id(0)));
  EXPECT_THAT(needs_of(draft.plan, id(2)), ElementsAre(id(0)));
  EXPECT_THAT(needs_of(draft.plan, id(3)), ElementsAre(id(1), id(2)));
  EXPECT_THAT(draft.tasks[3].inputs, SizeIs(2));
  EXPECT_EQ(draft.tasks[0].priority, Priority::p0);
  EXPECT_EQ(draft.tasks[0].goal, "X");
  for (const Step& step : draft.plan.steps) EXPECT_TRUE(step.policy.fail_fast);
}

// Row 45: a skill reviews as a step of its own, the director is a person.
TEST(WorkspacePipeline, ReviewsStandBetweenTheSteps) {
  const Pipeline* pipeline = find_pipeline(built_in_pipelines(), "copywriting-review-chain");
  ASSERT_NE(pipeline, nullptr);
  const PipelineDraft draft = draft_pipeline(*pipeline, order_for("x"), built_in_squads(), {"w"});
  ASSERT_THAT(draft.plan.steps, SizeIs(4));
  ASSERT_THAT(draft.tasks, SizeIs(3));
  EXPECT_EQ(draft.plan.steps[0].work->extends, Extends::nothing);
  for (std::size_t i : {1U, 2U}) {
    EXPECT_EQ(draft.plan.steps[i].work->extends, Extends::review);
    EXPECT_THAT(draft.tasks[i].inputs, SizeIs(1));
    EXPECT_EQ(draft.tasks[i].inputs[0].path, draft.tasks[0].output_path);
    EXPECT_THAT(draft.tasks[i].requirements, HasSubstr("verdict"));
    EXPECT_THAT(draft.tasks[i].tags, testing::Contains("review"));
  }
  EXPECT_TRUE(is_gate(draft.plan.steps[3]));
  EXPECT_THAT(draft.plan.steps[3].flow->question, HasSubstr(draft.tasks[0].output_path));
  EXPECT_FALSE(draft.plan.steps[3].policy.fail_fast);
}

// Row 42: a pipeline without steps is told before anything is made.
TEST(WorkspacePipeline, TellsAllThatIsWrongWithAFile) {
  const PipelinesRead read = read_pipelines(
      "pipelines:\n- name: Empty\n  steps: []\n- steps: [{skill: a}]\n- name: Two\n  defaultPriority: P9\n  steps:\n  "
      "- "
      "{skill: a, review: b}\n  - {skill: [a, b]}\n  - {parallel: [a, a]}\n- name: two\n  steps: [{review: "
      "director}]\n",
      "p.yaml");
  std::vector<int> lines;
  for (const Fault& f : read.faults) {
    EXPECT_EQ(f.code, "bad-pipeline") << to_text(f);
    lines.push_back(f.place.line);
  }
  EXPECT_THAT(lines, ElementsAre(2, 4, 6, 8, 9, 10, 11, 12));
  EXPECT_THAT(read_pipelines("x: 1", "p").faults, SizeIs(1));
}

TEST(WorkspacePipeline, EveryFaultSaysWhatToDo) {
  const PipelinesRead read = read_pipelines(
      "pipelines:\n- name: One\n  steps:\n  - skil: copywriting\n  - review: page-cro\n- name: Two\n  stepps: []\n"
      "- 3\n- name: Three\n  steps: [{review: a}, {skill: [a, b]}, {skill: }, {parallel: [a, a]}, {skill: 'a/b'}]\n",
      "p.yaml");
  std::vector<std::string> messages;
  for (const Fault& f : read.faults) {
    EXPECT_FALSE(f.help.empty()) << to_text(f);
    messages.push_back(f.message);
  }
  EXPECT_EQ(read.faults.front().help, "there is 'skil': did you mean 'skill'?");
  EXPECT_EQ(std::ranges::count(messages, "there is nothing yet to review"), 1) << "of the third, not of the first";
  EXPECT_THAT(read.faults, testing::Contains(testing::Field(&Fault::help, "there is 'stepps': did you mean 'steps'?")));
}

TEST(WorkspacePipeline, BuiltInOnesUseKnownSkills) {
  EXPECT_THAT(built_in_pipelines(), SizeIs(9));
  for (const Pipeline& p : built_in_pipelines()) {
    EXPECT_FALSE(p.steps.empty()) << p.name;
    for (const PipelineStep& s : p.steps) {
      for (const std::string& skill : s.skills) {
        EXPECT_TRUE(skill == director || built_in_squads().skills.contains(skill)) << skill;
      }
    }
  }
}

PromptMaterial full_material() {
  PromptMaterial m;
  m.skill_body = "You are a copywriter.\n";
  m.references = {{"a.md", "Ref A\n"}, {"b.md", "Ref B"}};
  m.context = "We make batons.";
  m.inputs = {{"outputs/x.md", "The plan", "PLAN TEXT"}, {"outputs/y.md", "The facts", "FACTS TEXT"}};
  m.task = task_of("t-1", "copywriting", Priority::p0);
  m.task.requirements = "## A heading\n- **bold** {braces}";
  return m;
}

// Rows 10 and 14.
TEST(WorkspacePrompt, HasAllThatBelongsToTheTask) {
  const Prompt prompt = build_prompt(full_material());
  EXPECT_EQ(prompt.system, "You are a copywriter.\n\n---\n## Reference: a.md\nRef A\n\n---\n## Reference: b.md\nRef B");
  const std::string user = prompt.user();
  for (const char* text : {"We make batons.", "Goal of t-1", "## A heading\n- **bold** {braces}", "**Priority:** P0",
                           "### Input: The plan\nSource: outputs/x.md\n\nPLAN TEXT", "FACTS TEXT", "**Task ID:** t-1",
                           "**From:** director", "Format: Markdown"}) {
    EXPECT_THAT(user, HasSubstr(text));
  }
  EXPECT_LT(user.find("PLAN TEXT"), user.find("FACTS TEXT"));
}

// Row 11.
TEST(WorkspacePrompt, SaysWhatThereIsNot) {
  PromptMaterial m = full_material();
  m.context.reset();
  m.inputs.clear();
  const std::string user = build_prompt(m).user();
  EXPECT_THAT(user, HasSubstr("No product marketing context available."));
  EXPECT_THAT(user, HasSubstr("No upstream inputs for this task."));
}

// Row 12.
TEST(WorkspacePrompt, TellsOfARevisionOnlyWhereThereIsOne) {
  PromptMaterial m = full_material();
  EXPECT_THAT(build_prompt(m).user(), Not(HasSubstr("Revision Context")));
  m.task.revision_count = 2;
  EXPECT_THAT(build_prompt(m).user(), HasSubstr("## Revision Context\nThis is revision #2."));
}

// Row 13.
TEST(WorkspacePrompt, ASkillThatSaysNothingHasNoSystemText) {
  PromptMaterial m = full_material();
  m.skill_body = " \n";
  EXPECT_THAT(build_prompt(m).system, StartsWith("---\n## Reference: a.md"));
  m.references.clear();
  EXPECT_EQ(build_prompt(m).system, "");
  EXPECT_EQ(build_prompt(m).whole(), build_prompt(m).user());
}

// Row 19, and the context is never told twice.
TEST(WorkspacePrompt, TheContextIsNoFurtherInput) {
  PromptMaterial m = full_material();
  m.inputs = {{"./context/product-marketing-context.md", "Context", "TOLD TWICE"}};
  const std::string user = build_prompt(m).user();
  EXPECT_THAT(user, Not(HasSubstr("TOLD TWICE")));
  EXPECT_THAT(user, HasSubstr("No upstream inputs for this task."));
}

TEST(WorkspacePrompt, ThePromptsOfSiblingsBeginAlike) {
  PromptMaterial one = full_material();
  PromptMaterial other = full_material();
  other.task = task_of("t-2");
  other.inputs.clear();
  const Prompt a = build_prompt(one);
  const Prompt b = build_prompt(other);
  EXPECT_EQ(a.system, b.system);
  EXPECT_EQ(a.context, b.context);
  EXPECT_THAT(a.whole(), StartsWith(a.system + "\n\n## Product Context"));
  EXPECT_THAT(a.inputs, StartsWith("## Upstream Inputs"));
  // What changes with every task is last.
  EXPECT_LT(a.whole().find("## Upstream Inputs"), a.whole().find("## Task Assignment"));
}

TEST(WorkspacePrompt, AnAgentProgramIsToldThatItsLastMessageCounts) {
  PromptMaterial m = full_material();
  EXPECT_THAT(build_prompt(m).user(), Not(HasSubstr("last message")));
  m.to_program = true;
  EXPECT_THAT(build_prompt(m).user(), HasSubstr("last message"));
}

}  // namespace
}  // namespace baton::workspace
