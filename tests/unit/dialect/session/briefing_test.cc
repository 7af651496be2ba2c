// What the agent of a task is told, whole.
#include "dialect/session/briefing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/boost_json.h"
#include "dialect/session/session_plan.h"

namespace baton::session {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

ContextPackage package() {
  ContextPackage p;
  p.session = "WFS-x";
  p.folder = ".workflow/active/WFS-x";
  p.plan.tech_stack = {"Deno"};
  p.plan.conventions = {"kebab-case files"};
  Task& t = p.task;
  t.id = "IMPL-2";
  t.title = "Add the login";
  t.requirements = {"A form for [title]", "No new dependency"};
  t.focus_paths = {"src/auth"};
  t.acceptance = {"The tests pass"};
  t.verification = "npm test";
  t.depends_on = {{"IMPL-1"}};
  t.group = "g";
  t.inherited_from = "IMPL-1";
  t.inherited = {"Errors are frozen"};
  t.context_package_path = ".workflow/active/WFS-x/.process/context-package.json";
  t.artifacts = {{"analysis", "s1", "low.md", "low", "", ""},
                 {"synthesis_specification", "s2", "spec.md", "highest", "the whole", ""},
                 {"other", "context-package.json", "{{loaded later}}", "", "", ""}};
  t.approach = {{"1", "Build [title]", "As in [patterns]", {"form.ts"}, {"render", "submit"}, {}, "login", ""}};
  t.target_files = {{"src/auth/form.ts", "render", "10-20", ""}, {"src/new.ts", "", "", "create: all of it"}};
  t.pre_analysis = {{.name = "find", .commands = {"bash(ls)"}}};
  p.variables = {{"title", {"Add the login"}}, {"patterns", {"a.ts\nb.ts"}}};
  p.prepared = {{"find", "Find patterns", "patterns", "a.ts\nb.ts\n", {}, FlowOutcome::State::done, ""},
                {"spec", "", "spec", "", {}, FlowOutcome::State::skipped, "no such file"},
                {"think", "Extract the path", "path", "", {"Extract(a.b)"}, FlowOutcome::State::handed_on, ""}};
  p.dependencies = {{"IMPL-1", "Errors", ".workflow/active/WFS-x/.summaries/IMPL-1-summary.md", "# Done\n```\nx\n```"},
                    {"IMPL-0", "", "", ""}};
  return p;
}

constexpr const char* golden = R"(## Task IMPL-2: Add the login

Implement task IMPL-2: Add the login

## Requirements

- A form for Add the login
- No new dependency

## Acceptance criteria

- The tests pass

## Verification

npm test

## Focus paths

- src/auth

## Target files

- `src/auth/form.ts`, render, lines 10-20
- `src/new.ts`: create: all of it

## Implementation approach

1. Build Add the login
   As in a.ts
b.ts
   - change: form.ts
   - then: render
   - then: submit
   Gives: login

## Artifacts, the most important first

- (highest) `spec.md`; synthesis_specification; the whole
- context-package.json; other
- (low) `low.md`; analysis

## Prepared for this task

### patterns (Find patterns)

```
a.ts
b.ts
```

## To be prepared by you, in this order, before you begin

- spec: could not be had (no such file); it was optional
- think: Extract the path
  - Extract(a.b)
  - this is what [path] stands for

## Done before, and needed here

### IMPL-1: Errors

````
# Done
```
x
```
````

### IMPL-0

It is done; it left no summary.

## Session

- Session: WFS-x in `.workflow/active/WFS-x`
- Task file: `.workflow/active/WFS-x/.task/IMPL-2.json`
- Summaries: `.workflow/active/WFS-x/.summaries/`
- Context package: `.workflow/active/WFS-x/.process/context-package.json`

## Inherited from IMPL-1

- Errors are frozen

## Tech stack

- Deno

## Conventions

- kebab-case files

## To finish

When all of the acceptance criteria hold, write a summary to `.workflow/active/WFS-x/.summaries/IMPL-2-summary.md`: what was done, a section `### Files Modified` with a line `- `path`: what` for each file, and what tasks after this one have to know. End with a message that says the same in short.

The task's status, the list of tasks and the session's file are kept for you: leave them as they are.
)";

TEST(Briefings, TellEverythingInTheOrderInWhichItCounts) { EXPECT_EQ(briefing(package()), golden); }

TEST(Briefings, LeaveOutWhatThereIsNothingOf) {
  ContextPackage p;
  p.task.id = "T1";
  p.task.title = "Do";
  p.task.description = "All of it: [title]";
  p.folder = "f";
  const std::string text = briefing(p);
  EXPECT_THAT(text, HasSubstr("## Task T1: Do\n\nAll of it: [title]\n"));
  for (const char* heading : {"Requirements", "Artifacts", "Prepared", "Done before", "Inherited", "Conventions"}) {
    EXPECT_THAT(text, Not(HasSubstr(std::string{"## "} + heading)));
  }
}

TEST(Briefings, CutLongSummariesAndSayWhereTheWholeIs) {
  ContextPackage p = package();
  p.dependencies = {{"IMPL-1", "t", "s.md", std::string(20'000, 'x')}};
  const std::string text = briefing(p);
  EXPECT_LT(text.size(), 14'000U);
  EXPECT_THAT(text, HasSubstr("This is its beginning. The whole is in `s.md`."));
}

TEST(Briefings, AreAlsoThePackageThatAgentsKnow) {
  const auto json = boost::json::parse(context_json(package(), R"({"id":"IMPL-2","mine":1})"));
  EXPECT_EQ(json.at("task").at("mine").as_int64(), 1);
  EXPECT_EQ(json.at("artifacts").at("synthesis_specification").at("path").as_string(), "spec.md");
  EXPECT_EQ(json.at("flow_context").at("step_outputs").at("patterns").as_string(), "a.ts\nb.ts\n");
  EXPECT_EQ(json.at("session").at("task_json_path").as_string(), ".workflow/active/WFS-x/.task/IMPL-2.json");
  EXPECT_EQ(json.at("dependencies").as_array().size(), 2U);
  EXPECT_EQ(json.at("inherited").at("from").as_string(), "IMPL-1");
  EXPECT_THAT(context_json(package(), R"({"id":"IMPL-2","mine":100000000000000000000000000001})"),
              HasSubstr(R"("mine":100000000000000000000000000001)"));
}

TEST(Briefings, LeaveTheWorkOfAStepSmall) {
  const auto work = work_of(package().task, "code-developer", {.id = "WFS-x", .folder = ".workflow/active/WFS-x"});
  EXPECT_EQ(work->skill, "code-developer");
  EXPECT_LT(work->mission.size(), 100U);
  EXPECT_THAT(work->inputs, ElementsAre(".workflow/active/WFS-x/.task/IMPL-2.json"));
  EXPECT_TRUE(work->answers);
}

}  // namespace
}  // namespace baton::session
