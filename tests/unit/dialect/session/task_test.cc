// Task files in both schemas and between, plans, agents.
#include "dialect/session/task.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dialect/session/agents.h"
#include "dialect/session/context_package.h"
#include "dialect/session/plan_doc.h"

namespace baton::session {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;
using testing::SizeIs;

TaskRead read(const std::string& text) { return read_task(text, ".task/IMPL-1.json", "IMPL-1"); }

Task task_of(const std::string& text) {
  TaskRead result = read(text);
  EXPECT_TRUE(result.task) << text;
  EXPECT_FALSE(has_errors(result.faults));
  return result.task.value_or(Task{});
}

TEST(TaskFiles, NestedAreRead) {
  const Task task = task_of(R"json({
    "id": "IMPL-1", "title": "T", "status": "active", "context_package_path": "c.json",
    "meta": {"type": "bugfix", "agent": "@code-developer", "execution_group": "g1", "context_signature": "s"},
    "context": {"requirements": ["r1", "r2"], "focus_paths": ["src"], "acceptance": ["a"], "parent": "IMPL-0",
                "depends_on": ["IMPL-2", "IMPL-2"], "inherited": {"from": "IMPL-0", "context": ["c1"]},
                "shared_context": {"k": 1},
                "artifacts": [{"type": "t", "path": "p", "priority": "low", "usage": "u"}]},
    "flow_control": {
      "pre_analysis": [{"step": "s1", "action": "do", "commands": ["Read(a)", "bash(b)"], "output_to": "v",
                        "on_error": "retry_once"},
                       {"step": "s2", "command": "bash(x)", "on_error": "manual_intervention"}, {"step": "s3"}],
      "implementation_approach": [{"step": 1, "title": "i", "description": "d", "modification_points": ["m"],
                                   "logic_flow": ["l"], "depends_on": [0], "output": "o", "command": "c"}],
      "target_files": ["src/a.ts:f:75-120", "D:\\x\\y.cs:g", "new/File.ts"]}})json");
  EXPECT_EQ(task.status, "active");
  EXPECT_EQ(task.agent, "@code-developer");
  EXPECT_THAT(task.group, Optional(std::string{"g1"}));
  EXPECT_THAT(task.requirements, ElementsAre("r1", "r2"));
  EXPECT_THAT(task.depends_on, Optional(ElementsAre("IMPL-2")));
  EXPECT_EQ(task.inherited_from, "IMPL-0");
  EXPECT_THAT(task.inherited, ElementsAre("c1"));
  EXPECT_EQ(task.shared_context, R"({"k":1})");
  ASSERT_THAT(task.artifacts, SizeIs(1));
  EXPECT_EQ(task.artifacts[0].priority, "low");
  ASSERT_THAT(task.pre_analysis, SizeIs(3));
  EXPECT_THAT(task.pre_analysis[0].commands, ElementsAre("Read(a)", "bash(b)"));
  EXPECT_EQ(task.pre_analysis[0].on_error, OnError::retry_once);
  EXPECT_THAT(task.pre_analysis[1].commands, ElementsAre("bash(x)"));
  EXPECT_EQ(task.pre_analysis[1].on_error, OnError::ask);
  EXPECT_EQ(task.pre_analysis[2].on_error, OnError::unstated);
  ASSERT_THAT(task.approach, SizeIs(1));
  EXPECT_THAT(task.approach[0].depends_on, ElementsAre("0"));
  EXPECT_THAT(task.target_files, ElementsAre(TargetFile{"src/a.ts", "f", "75-120"}, TargetFile{"D:\\x\\y.cs", "g"},
                                             TargetFile{"new/File.ts"}));
  EXPECT_THAT(read(R"({"id":"IMPL-1"})").faults, SizeIs(1));
}

TEST(TaskFiles, FlatAreRead) {
  const Task task = task_of(R"({
    "id": "IMPL-1", "title": "T", "description": "D", "type": "feature", "depends_on": "IMPL-9", "parallel_group": 3,
    "meta": {"execution_group": null}, "focus_paths": "src",
    "convergence": {"criteria": ["c1"], "verification": "npm test"},
    "files": [{"path": "a.ts", "action": "create", "target": "Cls", "changes": ["x", "y"]}],
    "implementation": ["first", {"step": 2, "title": "second", "actions": ["z"]}],
    "pre_analysis": [{"step": "p", "commands": []}], "inherited": {"from": "X", "context": "one"},
    "test": {"commands": {"run": "npm t"}}})");
  EXPECT_EQ(task.status, "pending");
  EXPECT_THAT(task.group, Optional(std::string{"3"}));
  EXPECT_THAT(task.depends_on, Optional(ElementsAre("IMPL-9")));
  EXPECT_THAT(task.acceptance, ElementsAre("c1"));
  EXPECT_THAT(task.focus_paths, ElementsAre("src"));
  EXPECT_THAT(task.target_files, ElementsAre(TargetFile{"a.ts", "Cls", "", "create: x; y"}));
  ASSERT_THAT(task.approach, SizeIs(2));
  EXPECT_EQ(task.approach[0].title, "first");
  EXPECT_EQ(task.approach[0].number, "1");
  EXPECT_THAT(task.approach[1].modification_points, ElementsAre("z"));
  EXPECT_THAT(task.inherited, ElementsAre("one"));
  EXPECT_THAT(task.test_commands, ElementsAre("npm t"));
}

TEST(TaskFiles, SayWhatTheyNeedInFourPlaces) {
  const auto needs = [](const std::string& text) { return task_of(text).depends_on; };
  EXPECT_THAT(needs(R"({"id":"IMPL-1","depends_on":["A-1"],"context":{"depends_on":["B-1"]}})"),
              Optional(ElementsAre("A-1")));
  EXPECT_THAT(needs(R"({"id":"IMPL-1","context":{"depends_on":["B-1"]},"meta":{"depends_on":["C-1"]}})"),
              Optional(ElementsAre("B-1")));
  EXPECT_THAT(needs(R"({"id":"IMPL-1","meta":{"depends_on":"C-1"}})"), Optional(ElementsAre("C-1")));
  EXPECT_THAT(needs(R"({"id":"IMPL-1","flow_control":{"requires":["D-1"]}})"), Optional(ElementsAre("D-1")));
  EXPECT_THAT(needs(R"({"id":"IMPL-1","depends_on":[]})"), Optional(IsEmpty()));
  EXPECT_EQ(needs(R"({"id":"IMPL-1"})"), std::nullopt);
}

TEST(TaskFiles, WithObjectsForListsAndAnOldIdAreReadToo) {
  const Task task = task_of(R"json({"task_id":"IMPL-1","flow_control":{"pre_analysis":{"a":{"step":"x","command":"ls"},
      "b":"Read(y)"},"target_files":{"f":"p.ts"},"implementation_approach":{"one":{"title":"t"}}}})json");
  ASSERT_THAT(task.pre_analysis, SizeIs(2));
  EXPECT_EQ(task.pre_analysis[0].name, "x");
  EXPECT_THAT(task.pre_analysis[1].commands, ElementsAre("Read(y)"));
  EXPECT_THAT(task.approach, SizeIs(1));
  EXPECT_THAT(task.target_files, ElementsAre(TargetFile{"p.ts"}));
}

TEST(TaskFiles, ThatLackThingsAreWarnedOfOnce) {
  const TaskRead result = read(R"({"id":"IMPL-1","context":{}})");
  ASSERT_TRUE(result.task);
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_EQ(result.faults[0].code, "task-incomplete");
  EXPECT_EQ(result.faults[0].severity, Severity::warning);
  EXPECT_THAT(result.faults[0].message, HasSubstr("title, status, meta.agent, depends_on, meta.type, flow_control"));
}

TEST(TaskFiles, WithoutAnIdOrBrokenAreErrors) {
  const TaskRead without = read("{\"title\": \"x\"}");
  EXPECT_FALSE(without.task);
  ASSERT_THAT(without.faults, SizeIs(1));
  EXPECT_EQ(without.faults[0].code, "task-without-id");
  const TaskRead broken = read("{\n  \"id\": \"IMPL-1\",\n  \"a\": [\n    oops\"\n  ]\n}");
  EXPECT_FALSE(broken.task);
  ASSERT_THAT(broken.faults, SizeIs(1));
  EXPECT_EQ(broken.faults[0].code, "corrupt-task-file");
  EXPECT_EQ(broken.faults[0].place.line, 4);
  EXPECT_EQ(broken.faults[0].place.column, 5);
}

TEST(TaskFiles, AreKnownByTheirFilesName) {
  const TaskRead result = read(R"({"id":"IMPL-7"})");
  ASSERT_TRUE(result.task);
  EXPECT_EQ(result.task->id, "IMPL-1");
  EXPECT_EQ(result.faults[0].code, "task-id-differs");
}

TEST(ContextPackages, FillInWhatATaskOnlyPromises) {
  const auto package = artifacts_of_package(R"({"brainstorm_artifacts":{
      "synthesis_output":{"path":"s.md","exists":true}, "guidance_specification":{"path":"g.md","exists":false},
      "conflict_resolution":{"path":"c.md"},
      "role_analyses":[{"role":"ux","files":[{"path":"ux/a.md"},{"path":"ux/b.md"}]},{"path":"x.md"},"y.md"]}})");
  std::vector<std::string> paths;
  for (const Artifact& a : package) paths.push_back(a.path);
  EXPECT_THAT(paths, ElementsAre("s.md", "c.md", "ux/a.md", "ux/b.md", "x.md", "y.md"));
  const auto known = resolved({{"feature_spec", "", "mine.md", "high", "", ""},
                               {"synthesis_specification", "context-package.json", "{{later}}", "highest", "all", ""},
                               {"individual_role_analysis", "", "{{later}}", "", "", ""},
                               {"guidance_specification", "", "{{later}}", "", "", ""}},
                              package);
  paths.clear();
  for (const Artifact& a : known) paths.push_back(a.path);
  EXPECT_THAT(paths, ElementsAre("mine.md", "s.md", "ux/a.md", "ux/b.md", "x.md", "y.md"));
  EXPECT_EQ(known[1].usage, "all");
  EXPECT_EQ(known[2].source, "ux");
  EXPECT_THAT(artifacts_of_package("no JSON"), IsEmpty());
}

TEST(PlanDocs, NameTheirModel) {
  const auto model = [](const char* text) { return read_impl_plan(text).model; };
  EXPECT_EQ(model("# x\n**Execution Model**: Sequential with Conditional Parallelization\n"),
            ExecutionModel::sequential);
  EXPECT_EQ(model("- **Execution Model:** Parallel\n"), ExecutionModel::parallel);
  EXPECT_EQ(model("Execution Model: Phased (3)\r\n"), ExecutionModel::phased);
  EXPECT_EQ(model("Execution Model: TDD Cycles"), ExecutionModel::tdd);
  EXPECT_EQ(model("```\nExecution Model: Phased\n```\n"), ExecutionModel::unstated);
  EXPECT_EQ(model("The execution is parallel."), ExecutionModel::unstated);
}

TEST(PlanDocs, OfJsonComeFirst) {
  const PlanDoc plan = read_plan_json(R"({"recommended_execution":"Phased","task_ids":["A-1"],"tech_stack":["x"],
      "execution_graph":{"phases":[{"tasks":["A-1"]},["A-2"],{"task_ids":["A-3"]}]}})",
                                      "plan.json");
  EXPECT_EQ(plan.model, ExecutionModel::phased);
  EXPECT_THAT(plan.phases, ElementsAre(ElementsAre("A-1"), ElementsAre("A-2"), ElementsAre("A-3")));
  EXPECT_EQ(joined(plan, read_impl_plan("Execution Model: Parallel")).model, ExecutionModel::phased);
  EXPECT_EQ(joined(PlanDoc{}, read_impl_plan("Execution Model: Parallel")).model, ExecutionModel::parallel);
  EXPECT_EQ(read_plan_json(R"({"recommended_execution":"Agent"})", "p").model, ExecutionModel::unstated);
  const PlanDoc broken = read_plan_json("{", "plan.json");
  ASSERT_THAT(broken.warnings, SizeIs(1));
  EXPECT_EQ(broken.warnings[0].code, "corrupt-plan-file");
  EXPECT_EQ(broken.warnings[0].severity, Severity::warning);
}

TEST(Agents, AreNamedOrInferred) {
  const auto agent = [](Task task, std::string_view listed = {}) { return agent_of(task, listed).name; };
  EXPECT_EQ(agent({.agent = "@test-fix-agent"}), "test-fix-agent");
  EXPECT_EQ(agent({.agent = "mine"}, "@other"), "mine");
  EXPECT_EQ(agent({.type = "docs"}, "@other"), "other");
  EXPECT_EQ(agent({.type = "feature"}), "code-developer");
  EXPECT_EQ(agent({.type = "test-gen"}), "code-developer");
  EXPECT_EQ(agent({.type = "test-fix"}), "test-fix-agent");
  EXPECT_EQ(agent({.type = "review"}), "universal-executor");
  EXPECT_EQ(agent({.type = "docs"}), "doc-generator");
  EXPECT_EQ(agent({.title = "Validate the release", .type = "chore"}), "test-fix-agent");
  EXPECT_EQ(agent({.title = "Something", .type = "chore"}), "code-developer");
  EXPECT_EQ(agent({.type = "docs", .agent = "../../etc"}), "doc-generator") << "no name that could be a path";
  for (const char* name : {"code-developer", "test-fix-agent", "doc-generator", "anything"}) {
    EXPECT_GT(built_in_agent(name).size(), 50U);
  }
}

}  // namespace
}  // namespace baton::session
