// What a worker of a team is told, word for word.
#include <gtest/gtest.h>

#include "dialect/team/worker_prompt.h"
#include "unit/dialect/team/world.h"

namespace baton::team {
namespace {

WorkerBrief brief_of(const Task& task) {
  WorkerBrief b;
  b.session_id = "TC-x";
  b.session_folder = folder;
  b.team_name = "papers";
  b.requirement = "Write a paper";
  b.role = role_of("writer", "DRAFT");
  b.task.task = task;
  return b;
}

TEST(TeamPrompt, OfOneTask) {
  Task task = task_of("DRAFT-1", "writer", {"RESEARCH-1"}, {"artifacts/draft.md"});
  task.description = "Write the draft.\n";
  task.steps = {"outline", "text"};
  task.success_criteria = {"reads well"};
  WorkerBrief b = brief_of(task);
  b.task.upstream = {".workflow/.team/TC-x/artifacts/sources.md"};
  b.task.caveats = {"MEDIUM: one source is old"};
  EXPECT_EQ(worker_prompt(b), R"(You are the team worker `writer` of the team `papers`.

role: writer
role_file: .workflow/.team/TC-x/roles/writer.md
session: .workflow/.team/TC-x
session_id: TC-x
team_name: papers
requirement: Write a paper
inner_loop: false

## Your task

### DRAFT-1: Do DRAFT-1

Write the draft.

Steps:
- outline
- text
Results to build on:
- .workflow/.team/TC-x/artifacts/sources.md
What others found of those results:
- MEDIUM: one source is old
Success criteria:
- reads well
Write this, it is what counts:
- .workflow/.team/TC-x/artifacts/draft.md

## Guidelines
- Do tasks of your own prefix `DRAFT-*` and of nobody else; make no tasks for others and start no workers.
- Begin every message with `[writer]`, and speak to the executor only.
- Your role is told above. Read what the session knows: `.workflow/.team/TC-x/wisdom/`, and write what others should know there.
- What follows when you are done is the executor's business: end when you are done.

## Reporting
The environment has the command for it, `$BATON_CALLBACK`; add the kind and a summary of less than 200 characters:

    $BATON_CALLBACK --kind progress -m "[writer] 30%: what is done"
    $BATON_CALLBACK --kind blocker -m "[writer] what is in the way"
    $BATON_CALLBACK --kind capability_gap -m "[writer] what nobody here can do"
    $BATON_CALLBACK --kind consensus_blocked --severity HIGH -m "[writer] what is disputed"
    $BATON_CALLBACK --kind error -m "[writer] why it cannot be done"
    $BATON_CALLBACK --kind complete -m "[writer] what was made"

If you cannot run commands, leave it: that you ended and what you wrote say enough.

## Workflow
1. See whether the artifact is there already and whole: then go to 4.
2. Read what the task builds on.
3. Do the task as your role says, write its artifact, and verify it.
4. Report `complete` once, and end.
)");
}

TEST(TeamPrompt, OfAnInnerLoop) {
  WorkerBrief b = brief_of(task_of("DRAFT-1", "writer", {}, {"artifacts/1.md"}));
  b.role.file = "role-specs/writer.md";
  b.also = {{.task = task_of("DRAFT-2", "writer", {"DRAFT-1"})},
            {.task = task_of("DRAFT-3", "writer"), .left_out = {"TEST-1"}}};
  b.task.is_done = true;
  b.requests = {"[tester] asks: who checks the figures?"};
  b.failure = "killed by signal 9";
  b.attempt = 2;
  EXPECT_EQ(
      worker_prompt(b),
      R"(Attempt 1 at this failed: killed by signal 9. See what it left behind before you go on, and do not make the same mistake again.

You are the team worker `writer` of the team `papers`.

role: writer
role_spec: .workflow/.team/TC-x/role-specs/writer.md
session: .workflow/.team/TC-x
session_id: TC-x
team_name: papers
requirement: Write a paper
inner_loop: true

## Your tasks, in this order

### DRAFT-1: Do DRAFT-1
Its artifact is there already: see whether it is whole, and go on if it is.
Write this, it is what counts:
- .workflow/.team/TC-x/artifacts/1.md

### DRAFT-2: Do DRAFT-2

### DRAFT-3: Do DRAFT-3
Left out by a person, so do without:
- TEST-1

## Asked of your role by others
- [tester] asks: who checks the figures?

## Guidelines
- Do tasks of your own prefix `DRAFT-*` and of nobody else; make no tasks for others and start no workers.
- Begin every message with `[writer]`, and speak to the executor only.
- Your role is told above. Read what the session knows: `.workflow/.team/TC-x/wisdom/`, and write what others should know there.
- What follows when you are done is the executor's business: end when you are done.

## Reporting
The environment has the command for it, `$BATON_CALLBACK`; add the kind and a summary of less than 200 characters:

    $BATON_CALLBACK --task ID --kind progress -m "[writer] 30%: what is done"
    $BATON_CALLBACK --task ID --kind blocker -m "[writer] what is in the way"
    $BATON_CALLBACK --task ID --kind capability_gap -m "[writer] what nobody here can do"
    $BATON_CALLBACK --task ID --kind consensus_blocked --severity HIGH -m "[writer] what is disputed"
    $BATON_CALLBACK --task ID --kind error -m "[writer] why it cannot be done"
    $BATON_CALLBACK --task ID --kind complete -m "[writer] what was made"

If you cannot run commands, leave it: that you ended and what you wrote say enough.

## Workflow
1. Take the tasks above in their order, one after the other. Those whose artifact is there and whole are done.
2. Do each as your role says, write its artifact, verify it, and report `complete` for it with its id.
3. Leave heavy work to helpers of your own, so that you keep the whole in mind.
4. Stop early on a consensus_blocked HIGH or after 3 errors, and say so.
5. End with one report on all tasks.
)");
}

}  // namespace
}  // namespace baton::team
