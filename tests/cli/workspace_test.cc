// Workspaces from outside: one task, all of them, pipelines. The rows are those of the workspace's checklist.
#include <sqlite3.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "cli/workspace_place.h"

namespace baton::test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Workspaces = WithWorkspace;

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  return at == std::string::npos ? text : text.replace(at, what.size(), with);
}

std::string this_host() { return lines_of(read_text("/proc/sys/kernel/hostname")).at(0); }

/// How this process signs: host, pid, start time.
std::string this_process() {
  const std::string stat = read_text("/proc/self/stat");
  std::istringstream fields{stat.substr(stat.rfind(')') + 1)};
  std::string field;
  for (int n = 3; n <= 22; ++n) fields >> field;
  return fmt::format("{}:{}:{}", this_host(), ::getpid(), field);
}

// Rows 15, 19 and 35.
TEST_F(Workspaces, ATaskIsCarriedOut) {
  place.write("workspace/context/product-marketing-context.md", "We make batons.");
  task({.id = "t-1"});
  claude.does("t-1", "cp workspace/tasks/t-1.md \"$HOME/while.md\"; says '# Copy\n\nDone.'");
  const Outcome ran = run_task("t-1");
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(written("outputs/creative/copywriting/t-1.md"), "# Copy\n\nDone.");
  EXPECT_TRUE(has(read_text(place.env["HOME"] + "/while.md"), "status: in_progress"));
  const std::string updated = field("t-1", "updated_at");
  EXPECT_NE(updated, "2026-11-15T09:30:00.000Z");
  EXPECT_EQ(file_of("t-1"), replaced(replaced(text_of({.id = "t-1"}), "status: pending", "status: completed"),
                                     "updated_at: 2026-11-15T09:30:00.000Z", "updated_at: " + updated))
      << "nothing else in it has changed";
  const std::string prompt = claude.prompt("t-1.1");
  EXPECT_TRUE(prompt.starts_with("You do copywriting.\n\n## Product Context\nWe make batons.")) << prompt;
  EXPECT_TRUE(has(prompt, "## Requirements\nWrite a page.\n\n## And more\n\nIn two parts.\n")) << prompt;
  EXPECT_FALSE(place.exists("workspace/tasks/t-1.md.lock"));
  const json::object shown = place.show();
  EXPECT_EQ(text_at(shown, "dialect"), "workspace");
  EXPECT_EQ(text_at(shown, "workflow"), "t-1");
  EXPECT_THAT(step_states_of(shown), ElementsAre("t-1=completed"));
  EXPECT_GT(number_at(shown.at("tokens").as_object(), "output"), 0);
}

// Row 17: refused, with exit code 2, and nothing was started.
TEST_F(Workspaces, ATaskThatIsNotExecutableIsRefused) {
  for (const char* other :
       {"completed", "failed", "cancelled", "in_progress", "in_review", "blocked", "deferred", "approved"}) {
    task({.id = "t-1", .status = other});
    const std::string before = file_of("t-1");
    const Outcome ran = run_task("t-1");
    EXPECT_EQ(ran.code, 2) << other << ran;
    EXPECT_TRUE(has(ran.err, "error[task-not-executable]")) << ran;
    EXPECT_EQ(file_of("t-1"), before);
  }
  EXPECT_THAT(claude.started(), IsEmpty());
  EXPECT_EQ(place.run_state(), "") << "no run was made";
}

// Row 16.
TEST_F(Workspaces, PendingAssignedAndRevisionAreExecutable) {
  for (const char* fine : {"pending", "assigned", "revision"}) {
    task({.id = "t-1", .status = fine});
    EXPECT_EQ(run_task("t-1").code, 0) << fine;
    EXPECT_EQ(status("t-1"), "completed");
  }
}

TEST_F(Workspaces, ARevisionIsToldWhatWasSaid) {
  place.write("workspace/outputs/creative/copywriting/t-1.md", "THE FIRST VERSION");
  place.write("workspace/reviews/t-1-review-1.md", "TOO LONG");
  task({.id = "t-1", .status = "revision", .revision = 1});
  ASSERT_EQ(run_task("t-1").code, 0);
  const std::string prompt = claude.prompt("t-1.1");
  for (const char* part : {"THE FIRST VERSION", "TOO LONG", "This is revision #1."}) EXPECT_TRUE(has(prompt, part));
}

// Row 18: a skill that is not there is an error before anything runs.
TEST_F(Workspaces, ATaskWithoutItsSkillIsRefused) {
  task({.id = "t-1", .skill = "unheard-of"});
  const Outcome ran = run_task("t-1");
  EXPECT_EQ(ran.code, 2) << ran;
  EXPECT_TRUE(has(ran.err, "error[unknown-skill]")) << ran;
  EXPECT_EQ(status("t-1"), "pending");
  EXPECT_EQ(run_task("t-1", {"--rehearse"}).code, 0) << "a rehearsal needs none";
}

// Row 20.
TEST_F(Workspaces, AnInputThatIsMissingFailsTheTask) {
  task({.id = "t-1", .inputs = {"outputs/gone.md"}});
  const Outcome ran = run_task("t-1");
  EXPECT_EQ(ran.code, 1) << ran;
  EXPECT_TRUE(has(ran.err, "outputs/gone.md")) << ran;
  EXPECT_EQ(status("t-1"), "failed");
  EXPECT_THAT(claude.started(), IsEmpty());
  EXPECT_EQ(text_at(place.show().at("error").as_object(), "code"), "input-not-found");
}

// Row 19: a context that is missing is no missing input.
TEST_F(Workspaces, AContextThatIsMissingIsTold) {
  task({.id = "t-1", .inputs = {"context/product-marketing-context.md"}});
  EXPECT_EQ(run_task("t-1").code, 0);
  EXPECT_TRUE(has(claude.prompt("t-1.1"), "No product marketing context available"));
}

// Rows 25 and 27.
TEST_F(Workspaces, AnEmptyAnswerFailsWithoutAnotherTry) {
  task({.id = "t-1"});
  claude.does("t-1", "says ' '");
  EXPECT_EQ(run_task("t-1").code, 1);
  EXPECT_THAT(claude.started(), ElementsAre("t-1.1"));
  EXPECT_EQ(status("t-1"), "failed");
  EXPECT_FALSE(place.exists("workspace/outputs/creative/copywriting/t-1.md"));
}

// Row 23, and the task stays the run's between two tries.
TEST_F(Workspaces, AFailureThatMayPassIsTriedAgain) {
  task({.id = "t-1"});
  claude.does("t-1.1", "begin; exit 3");
  claude.does("t-1.2", "cp workspace/tasks/t-1.md \"$HOME/while.md\"; says '# Fine now.'");
  EXPECT_EQ(run_task("t-1").code, 0);
  EXPECT_THAT(claude.started(), ElementsAre("t-1.1", "t-1.2"));
  EXPECT_TRUE(has(read_text(place.env["HOME"] + "/while.md"), "status: in_progress"));
  EXPECT_EQ(status("t-1"), "completed");
}

TEST_F(Workspaces, AFailedTaskIsReopenedByItsOwnRunAlone) {
  task({.id = "t-1"});
  claude.does("t-1", "begin; exit 3");
  EXPECT_EQ(run_task("t-1", {"--set", "limits.retries=0"}).code, 1);
  EXPECT_EQ(status("t-1"), "failed");
  EXPECT_EQ(run_task("t-1").code, 2) << "for everybody else it is over";
  claude.does("t-1", "says '# At last.'");
  const Outcome again = place.baton({"retry", "last"});
  EXPECT_EQ(again.code, 0) << again;
  EXPECT_EQ(status("t-1"), "completed");
  EXPECT_EQ(written("outputs/creative/copywriting/t-1.md"), "# At last.");
}

TEST_F(Workspaces, ATaskThatSomebodyElseChangedIsLeftToHim) {
  task({.id = "t-1"});
  claude.does("t-1", "begin; exit 3");
  EXPECT_EQ(run_task("t-1", {"--set", "limits.retries=0"}).code, 1);
  task({.id = "t-1", .status = "completed"});
  const std::string theirs = file_of("t-1");
  const Outcome again = place.baton({"retry", "last"});
  EXPECT_EQ(again.code, 0) << again;
  EXPECT_TRUE(has(again.err, "warning[task-not-executable]: task 't-1' is completed: somebody else has done it"))
      << again;
  EXPECT_EQ(file_of("t-1"), theirs);
  EXPECT_THAT(claude.started(), SizeIs(1)) << "not carried out twice";
}

// Row 30.
TEST_F(Workspaces, AResultThatCannotBeWrittenFailsTheTask) {
  task({.id = "t-1", .output = "outputs/file/t.md"});
  claude.does("t-1", "echo 'no folder' > workspace/outputs/file; says '# Copy'");
  const Outcome ran = run_task("t-1");
  EXPECT_EQ(ran.code, 1) << ran;
  EXPECT_EQ(text_at(place.show().at("error").as_object(), "code"), "workspace-write-failed");
  EXPECT_EQ(status("t-1"), "failed");
  EXPECT_THAT(claude.started(), SizeIs(1));
}

// What can be known of it before is told before anything is paid for.
TEST_F(Workspaces, AResultThatCouldNotBeWrittenIsRefused) {
  place.write("workspace/outputs/file", "no folder");
  task({.id = "t-1", .output = "outputs/file/t.md"});
  const Outcome ran = run_task("t-1");
  EXPECT_EQ(ran.code, 2) << ran;
  EXPECT_EQ(status("t-1"), "pending");
  EXPECT_THAT(claude.started(), IsEmpty());
}

TEST_F(Workspaces, ATaskThatSomebodyTookAwayMeanwhileIsNotCompleted) {
  task({.id = "t-1"});
  claude.does("t-1", "sed -i 's/^status: .*/status: cancelled/' workspace/tasks/t-1.md; says '# Copy'");
  const Outcome ran = run_task("t-1");
  EXPECT_EQ(ran.code, 1) << ran;
  EXPECT_TRUE(has(ran.err, "to cancelled while it was at work")) << ran;
  EXPECT_EQ(text_at(place.show().at("error").as_object(), "code"), "task-not-executable");
  EXPECT_EQ(status("t-1"), "cancelled");
  EXPECT_FALSE(place.exists("workspace/outputs/creative/copywriting/t-1.md"));
}

TEST_F(Workspaces, AResultIsShownWhereTheTaskWantedIt) {
  task({.id = "t-1"});
  ASSERT_EQ(run_task("t-1").code, 0);
  const std::string path = place.file("workspace/outputs/creative/copywriting/t-1.md");
  EXPECT_EQ(text_at(place.show(), "artifact"), path);
  EXPECT_EQ(text_at(step_of(place.show(), "t-1"), "output"), path);
}

TEST_F(Workspaces, ATaskThatIsNotThereIsToldAsOne) {
  task({.id = "t-1"});
  const Outcome gone = run_task("nope");
  EXPECT_EQ(gone.code, 2);
  EXPECT_TRUE(has(gone.err, "error[task-file-missing]")) << gone;
  place.write("workspace/tasks/bad id.md", text_of({.id = "bad id"}));
  const Outcome bad = run_task("bad id");
  EXPECT_EQ(bad.code, 2);
  EXPECT_TRUE(has(bad.err, "error[bad-task-value]")) << bad;
}

// Row 40.
TEST_F(Workspaces, AResultNeverLeavesTheWorkspace) {
  for (const char* path : {"../outside.md", "/tmp/outside.md", "tasks/t-2.md"}) {
    task({.id = "t-1", .output = path});
    const Outcome ran = run_task("t-1");
    EXPECT_EQ(ran.code, 2) << path << ran;
    EXPECT_EQ(status("t-1"), "pending");
  }
  fs::create_directory_symlink(place.root(), place.file("workspace/outputs/up"));
  task({.id = "t-1", .output = "outputs/up/outside.md"});
  EXPECT_EQ(run_task("t-1").code, 2);
  EXPECT_FALSE(place.exists("outside.md"));
  EXPECT_THAT(claude.started(), IsEmpty());
  task({.id = "t-2", .inputs = {"outputs/up/baton.toml"}});
  EXPECT_EQ(run_task("t-2").code, 1) << "nor is anything read from outside";
}

// Row 29; and a path that is not where results are looked for is a warning.
TEST_F(Workspaces, ResultsGoWhereTheTaskSays) {
  task({.id = "t-1", .skill = "product-marketing-context", .output = "context/product-marketing-context.md"});
  EXPECT_EQ(run_task("t-1").code, 0);
  EXPECT_TRUE(has(written("context/product-marketing-context.md"), "# Copy"));
  task({.id = "t-2", .output = "outputs/mine.md"});
  const Outcome ran = run_task("t-2");
  EXPECT_EQ(ran.code, 0);
  EXPECT_TRUE(has(ran.err, "warning[output-path-unusual]")) << ran;
  EXPECT_TRUE(has(written("outputs/mine.md"), "# Copy"));
}

// Row 48: the order of the queue, and a file that is broken keeps nobody else.
TEST_F(Workspaces, AllTasksRunByPriorityAndInputs) {
  task({.id = "a-p3", .priority = "P3"});
  task({.id = "b-p0", .priority = "P0", .inputs = {"outputs/creative/copywriting/c-p2.md"}});
  task({.id = "c-p2"});
  task({.id = "d-p1", .priority = "P1"});
  task({.id = "e-done", .status = "completed"});
  place.write("workspace/tasks/broken.md", "---\nid: broken\n");
  const Outcome ran = run("workspace", {"--jobs", "1"});
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_THAT(claude.started(), ElementsAre("d-p1.1", "c-p2.1", "b-p0.1", "a-p3.1"));
  EXPECT_TRUE(has(ran.err, "warning[no-front-matter]")) << ran;
  EXPECT_TRUE(has(claude.prompt("b-p0.1"), "As it was asked for.")) << "what the task before wrote";
  for (const char* id : {"a-p3", "b-p0", "c-p2", "d-p1"}) EXPECT_EQ(status(id), "completed");
}

TEST_F(Workspaces, OnlyAsManyAreInProgressAsThereIsRoomFor) {
  for (const char* id : {"t-1", "t-2", "t-3"}) {
    task({.id = id});
    claude.does(id, "grep -l 'status: in_progress' workspace/tasks/*.md | wc -l >> \"$HOME/counts\"; says '# Done.'");
  }
  ASSERT_EQ(run("workspace", {"--jobs", "1"}).code, 0);
  EXPECT_THAT(lines_of(read_text(place.env["HOME"] + "/counts")), ElementsAre("1", "1", "1"));
}

// Row 37: another program's lock, a folder. Nobody else waits for it.
TEST_F(Workspaces, ATaskThatIsLockedHoldsNobodyElseUp) {
  task({.id = "t-1", .priority = "P0"});
  task({.id = "t-2", .priority = "P3"});
  fs::create_directory(place.file("workspace/tasks/t-1.md.lock"));
  claude.does("t-2", "rmdir workspace/tasks/t-1.md.lock; says '# Copy'");
  const Outcome ran = run("workspace", {"--jobs", "1"});
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_THAT(claude.started(), ElementsAre("t-2.1", "t-1.1"));
  for (const char* id : {"t-1", "t-2"}) EXPECT_EQ(status(id), "completed");
}

TEST_F(Workspaces, ATaskThatStaysLockedIsLeftAsItIs) {
  task({.id = "t-1"});
  place.write("workspace/memory/learnings.md.lock", "");  // somebody died while he had it
  fs::create_directory(place.file("workspace/tasks/t-1.md.lock"));
  const Outcome ran = run_task("t-1");
  EXPECT_EQ(ran.code, 1) << ran;
  EXPECT_EQ(text_at(place.show().at("error").as_object(), "code"), "lock-timeout");
  EXPECT_EQ(status("t-1"), "pending") << "it is whoever's that has the lock";
  EXPECT_FALSE(has(ran.err, "says who")) << ran;
  EXPECT_TRUE(place.exists("workspace/tasks/t-1.md.lock"));
  EXPECT_FALSE(place.exists("workspace/memory/learnings.md.lock"));
  fs::remove(place.file("workspace/tasks/t-1.md.lock"));
  EXPECT_EQ(place.baton({"retry", "last"}).code, 0);
  EXPECT_EQ(status("t-1"), "completed");
}

TEST_F(Workspaces, AFailureShowsWhenTheRunHasEnded) {
  task({.id = "t-1", .priority = "P0"});
  task({.id = "t-2"});
  task({.id = "t-3", .inputs = {"outputs/creative/copywriting/t-1.md"}});
  claude.does("t-1", "begin; exit 3");
  claude.does("t-2", "cp workspace/tasks/t-1.md \"$HOME/while.md\"; says '# Done.'");
  EXPECT_EQ(run("workspace", {"--jobs", "1", "--set", "limits.retries=0"}).code, 1);
  EXPECT_TRUE(has(read_text(place.env["HOME"] + "/while.md"), "status: in_progress")) << "it may be tried again";
  EXPECT_EQ(status("t-1"), "failed");
  EXPECT_EQ(status("t-2"), "completed");
  EXPECT_EQ(status("t-3"), "pending") << "it was never begun";
}

TEST_F(Workspaces, AFileThatIsNotCalledLikeItsTaskIsLeftOut) {
  task({.id = "a"});
  place.write("workspace/tasks/b.md", text_of({.id = "a", .output = "outputs/other.md"}));
  place.write("workspace/tasks/c.md", text_of({.id = "a"}));
  const Outcome one = run("workspace/tasks/b.md");
  EXPECT_EQ(one.code, 2) << one;
  EXPECT_TRUE(has(one.err, "error[bad-task-value]: the file is called 'b.md' and its task 'a'")) << one;
  EXPECT_THAT(claude.started(), IsEmpty()) << "least of all the other file's task";
  const Outcome all = run("workspace");
  EXPECT_EQ(all.code, 0) << all;
  EXPECT_TRUE(has(all.err, "warning[bad-task-value]: the file is called 'b.md' and its task 'a'")) << all;
  EXPECT_THAT(claude.started(), ElementsAre("a.1"));
  EXPECT_EQ(status("a"), "completed");
  EXPECT_EQ(status("b"), "pending");
  const Outcome again = run("workspace");
  EXPECT_EQ(again.code, 2) << again;
  EXPECT_TRUE(has(again.err, "error[nothing-to-do]")) << again;
}

TEST_F(Workspaces, ATaskIsNotTakenForTheRevisionOfAnother) {
  task({.id = "b"});
  place.write("workspace/tasks/b:r2.md", text_of({.id = "b:r2"}));
  const Outcome ran = run("workspace");
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_TRUE(has(ran.err, "warning[bad-task-value]: 'id' cannot end like a revision's: b:r2")) << ran;
  EXPECT_THAT(claude.started(), ElementsAre("b.1"));
}

TEST_F(Workspaces, AWorkspaceWithNothingToDoIsRefused) {
  task({.id = "t-1", .status = "approved"});
  const Outcome ran = run("workspace");
  EXPECT_EQ(ran.code, 2);
  EXPECT_TRUE(has(ran.err, "error[nothing-to-do]")) << ran;
}

TEST_F(Workspaces, SeveralRunsShareTheTasks) {
  for (const char* id : {"t-1", "t-2", "t-3", "t-4"}) task({.id = id, .output = fmt::format("outputs/{}.md", id)});
  const std::string gate = await_file(place.file("go")) + "; says '# Copy'";
  for (const char* id : {"t-1", "t-2"}) claude.does(id, gate);
  Process first = place.start({"run", "workspace", "--jobs", "1"});
  ASSERT_TRUE(eventually([&] { return status("t-1") == "in_progress"; }));
  // The second begins while all but the first are free, and is held up at the next one.
  Process second = place.start({"run", "workspace", "--jobs", "1"});
  ASSERT_TRUE(eventually([&] { return status("t-2") == "in_progress"; }));
  place.write("go", "");
  const Outcome one = first.wait();
  const Outcome two = second.wait();
  EXPECT_EQ(one.code, 0) << one;
  EXPECT_EQ(two.code, 0) << two;
  for (const char* id : {"t-1", "t-2", "t-3", "t-4"}) EXPECT_EQ(status(id), "completed") << id;
  std::set<std::string> once;
  for (const std::string& name : claude.started()) EXPECT_TRUE(once.insert(name).second) << name << " was done twice";
}

TEST_F(Workspaces, ATaskThatSomebodyTookMeanwhileIsLeftToHimWithWhatBuildsOnIt) {
  task({.id = "t-1", .priority = "P0"});
  task({.id = "t-2", .output = "outputs/t-2.md"});
  task({.id = "t-3", .priority = "P3", .inputs = {"outputs/t-2.md"}});
  claude.does("t-1", "sed -i 's/^status: .*/status: in_progress/' workspace/tasks/t-2.md; says '# Copy'");
  const Outcome ran = run("workspace", {"--jobs", "1"});
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_TRUE(has(ran.err, "warning[task-not-executable]: task 't-2' is in_progress: it is left")) << ran;
  EXPECT_THAT(claude.started(), ElementsAre("t-1.1"));
  EXPECT_EQ(status("t-1"), "completed");
  EXPECT_EQ(status("t-2"), "in_progress");
  EXPECT_EQ(status("t-3"), "pending");
}

TEST_F(Workspaces, ATaskWhoseInputSomebodyElseIsAtWorkOnIsLeftForLater) {
  task({.id = "t-1", .status = "in_progress", .output = "outputs/t-1.md"});
  task({.id = "t-2", .inputs = {"outputs/t-1.md"}});
  task({.id = "t-3"});
  const Outcome ran = run("workspace");
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_TRUE(has(ran.err, "task 't-1' is at work on it, and 't-2' is left for a later run")) << ran;
  EXPECT_THAT(claude.started(), ElementsAre("t-3.1"));
  EXPECT_EQ(status("t-2"), "pending");
  place.write("workspace/tasks/t-1.md", text_of({.id = "t-1", .status = "failed", .output = "outputs/t-1.md"}));
  EXPECT_EQ(run("workspace").code, 1) << "that nobody writes";
  EXPECT_EQ(status("t-2"), "failed");
}

// Rows 31 to 33: cancelled while it is at work.
TEST_F(Workspaces, ACancelledRunCancelsWhatItHad) {
  task({.id = "t-1"});
  task({.id = "t-2"});
  claude.does("t-1", "begin; sleep 1000");
  Process running = place.start({"run", "workspace", "--jobs", "1"});
  (void)claude.pid_of("t-1.1");
  EXPECT_EQ(status("t-1"), "in_progress");
  ASSERT_EQ(place.baton({"cancel", "last"}).code, 0);
  EXPECT_EQ(running.wait().code, 5);
  EXPECT_EQ(status("t-1"), "cancelled");
  EXPECT_EQ(status("t-2"), "pending") << "it was never begun";
}

TEST_F(Workspaces, AnInterruptedRunKeepsItsTaskAndGoesOn) {
  task({.id = "t-1"});
  claude.does("t-1", "begin; while [ ! -e \"$HOME/go\" ]; do sleep 0.05; done; says '# Through.'");
  Process running = place.start({"run", "workspace/tasks/t-1.md"});
  (void)claude.pid_of("t-1.1");
  running.kill(SIGTERM);
  EXPECT_EQ(running.wait().code, 143);
  EXPECT_EQ(status("t-1"), "in_progress");
  EXPECT_EQ(run_task("t-1").code, 2) << "it has an owner";
  write_text(place.env["HOME"] + "/go", "");
  EXPECT_EQ(place.baton({"resume", "last"}).code, 0);
  EXPECT_EQ(status("t-1"), "completed");
  EXPECT_THAT(claude.started(), ElementsAre("t-1.1"));
}

TEST_F(Workspaces, WhatARunThatIsOverLeftInProgressIsCompletedByTheNext) {
  task({.id = "t-1"});
  claude.does("default", await_file(place.file("go")) + "; says '# Copy\n\nAs it was asked for.'");
  Process driver = place.start({"run", "workspace/tasks/t-1.md"});
  ASSERT_TRUE(eventually([&] { return status("t-1") == "in_progress"; }));
  const std::string at_work = file_of("t-1");
  place.write("go", "");
  ASSERT_EQ(driver.wait().code, 0);
  ASSERT_EQ(status("t-1"), "completed");
  // As if the driver had died between the record and the file.
  place.write("workspace/tasks/t-1.md", at_work);
  EXPECT_EQ(place.baton({"resume", "last"}).code, 2) << "it is over";
  EXPECT_EQ(status("t-1"), "completed");
  place.write("workspace/tasks/t-1.md", at_work);
  EXPECT_EQ(run_task("t-1").code, 2);
  EXPECT_EQ(status("t-1"), "completed") << "that is why it is refused";
  EXPECT_EQ(claude.started().size(), 1U);
}

// A program with the library that died in the midst of it: docs/library.md.
TEST_F(Workspaces, ATaskWhoseProcessIsGoneIsTakenBack) {
  const auto owned_by = [&](const std::string& process, const std::string& updated) {
    task({.id = "t-1", .status = "in_progress"});
    place.write("workspace/tasks/t-1.md.owner",
                fmt::format("{}\nin_progress {}\nassigned 2026-11-15T09:00:00.000Z\n", process, updated));
  };
  const std::string now = "2026-11-15T09:30:00.000Z";
  owned_by(this_process(), now);
  const Outcome busy = run_task("t-1");
  EXPECT_EQ(busy.code, 2) << busy;
  EXPECT_TRUE(has(busy.err, fmt::format("the process {} has it", this_process()))) << busy;
  const std::string gone = fmt::format("{}:{}:1", this_host(), ::getpid());  // its number is another's now
  owned_by(gone, "2026-11-15T09:29:59.000Z");
  EXPECT_EQ(run_task("t-1").code, 2) << "somebody has had a hand in it since";
  EXPECT_EQ(status("t-1"), "in_progress");
  owned_by(gone, now);
  const Outcome ran = run("workspace");
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(status("t-1"), "completed");
  EXPECT_FALSE(place.exists("workspace/tasks/t-1.md.owner"));
}

TEST_F(Workspaces, ATaskThatNobodyHasIsToldSo) {
  task({.id = "t-1", .status = "in_progress"});
  const Outcome ran = run_task("t-1");
  EXPECT_EQ(ran.code, 2);
  EXPECT_TRUE(has(ran.err, "no run of this project has it: set it to pending if nobody works on it")) << ran;
  task({.id = "t-2"});
  claude.does("t-2", "begin; sleep 1000");
  Process running = place.start({"run", "workspace/tasks/t-2.md"});
  (void)claude.pid_of("t-2.1");
  const std::string id = text_at(place.show(), "run");
  EXPECT_TRUE(has(run_task("t-2").err, fmt::format("run {} has it", id)));
  ASSERT_EQ(place.baton({"cancel", "last"}).code, 0);
  EXPECT_EQ(running.wait().code, 5);
}

TEST_F(Workspaces, CheckTellsEveryFaultAndStartsNothing) {
  task({.id = "t-1", .status = "waiting", .priority = "P9"});
  task({.id = "t-2"});
  const Outcome checked = place.baton({"check", "workspace"});
  EXPECT_EQ(checked.code, 2) << checked;
  EXPECT_TRUE(has(checked.err, "error[bad-task-value]: 'status' cannot be 'waiting'\n  --> workspace/tasks/t-1.md:3:9"))
      << checked;
  EXPECT_TRUE(has(checked.err, "workspace/tasks/t-1.md:4:11"));
  EXPECT_EQ(place.baton({"check", "workspace/tasks/t-2.md"}).code, 0);
  EXPECT_THAT(claude.started(), IsEmpty());
}

TEST_F(Workspaces, PlanShowsTheOrder) {
  task({.id = "t-1", .priority = "P3"});
  task({.id = "t-2", .inputs = {"outputs/creative/copywriting/t-1.md"}});
  const Outcome planned = place.baton({"plan", "workspace", "--format", "json"});
  ASSERT_EQ(planned.code, 0) << planned;
  EXPECT_TRUE(has(planned.out, "t-1")) << planned;
  EXPECT_EQ(status("t-1"), "pending");
}

TEST_F(Workspaces, ARehearsalNeedsNobody) {
  task({.id = "t-1"});
  const Outcome ran = run_task("t-1", {"--rehearse"});
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_THAT(claude.started(), IsEmpty());
  EXPECT_THAT(step_states_of(place.show()), ElementsAre("t-1=completed"));
}

TEST_F(Workspaces, ARehearsalLeavesTheWorkspaceAlone) {
  task({.id = "t-1"});
  task({.id = "t-2", .inputs = {output_of({.id = "t-1"})}});
  place.write("workspace/pipelines.yaml",
              "pipelines:\n- {name: Line, steps: [{skill: copywriting}, {review: copy-editing}, {skill: page-cro}, "
              "{review: director}]}\n");
  const auto files = [&] {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator{place.file("workspace")}) {
      if (entry.is_regular_file()) all[entry.path()] = read_text(entry.path());
    }
    return all;
  };
  const auto before = files();
  const Outcome ran = run("workspace", {"--rehearse"});
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_THAT(step_states_of(place.show()), ElementsAre("t-1=completed", "t-2=completed"));
  EXPECT_EQ(files(), before);
  const std::string answer = text_at(step_of(place.show(), "t-1"), "output");
  EXPECT_FALSE(read_text(answer).empty()) << "what it made up is kept in the run: " << answer;
  EXPECT_EQ(run("line", {"--rehearse"}).code, 3);
  EXPECT_EQ(place.baton({"accept", "last"}).code, 0);
  EXPECT_TRUE(eventually([&] { return place.run_state() == "completed"; }));
  EXPECT_EQ(files(), before);
}

TEST_F(Workspaces, OptionsOfOthersAreRefused) {
  task({.id = "t-1"});
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--isolation", "worktree"}, {"-i", "a=b"}, {"--only", "t-1"}, {"--task", "x"}}) {
    const Outcome ran = run_task("t-1", options);
    EXPECT_EQ(ran.code, 2) << options[0];
    EXPECT_TRUE(has(ran.err, "option-not-for-workspaces")) << ran;
  }
}

// Row 48: put off or kept back by the month's budget.
TEST_F(Workspaces, TheBudgetOfTheMonthDefersAndBlocks) {
  task({.id = "t-0"});
  ASSERT_EQ(run_task("t-0").code, 0);
  const json::value cost = place.show().at("cost_usd");
  ASSERT_TRUE(cost.is_number()) << "the test needs a price";
  const double spent = cost.to_number<double>();
  const auto budget = [&](double part) { return fmt::format("workspace.budget_usd={}", spent / part); };
  task({.id = "t-2", .priority = "P2"});
  task({.id = "t-1", .priority = "P1"});
  EXPECT_EQ(run("workspace", {"--set", budget(0.91)}).code, 1);
  EXPECT_EQ(status("t-1"), "completed") << "P1 still goes at 91 %";
  EXPECT_EQ(status("t-2"), "deferred");
  task({.id = "t-3", .priority = "P0"});
  EXPECT_EQ(run_task("t-3", {"--set", budget(1.5)}).code, 1);
  EXPECT_EQ(status("t-3"), "blocked");
}

TEST_F(Workspaces, TheBudgetOfTheMonthCountsAttemptsWheneverTheirRunsBegan) {
  const auto alter = [&](const char* sql) {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(place.state("baton.db").c_str(), &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
    sqlite3_close(db);
  };
  task({.id = "t-0"});
  ASSERT_EQ(run_task("t-0").code, 0);
  const std::string budget =
      fmt::format("workspace.budget_usd={}", place.show().at("cost_usd").to_number<double>() / 1.5);
  alter("UPDATE runs SET created=created-40*86400000");
  task({.id = "t-1", .priority = "P0"});
  EXPECT_EQ(run_task("t-1", {"--set", budget}).code, 1);
  EXPECT_EQ(status("t-1"), "blocked") << "a run of an earlier month spent it in this one";
  alter("UPDATE costs SET started=started-40*86400000");
  task({.id = "t-2", .priority = "P0"});
  EXPECT_EQ(run_task("t-2", {"--set", budget}).code, 0);
}

TEST_F(Workspaces, SquadsComeFromAFile) {
  place.write("workspace/skills.yaml", "squads: {words: {}}\nskills:\n  copywriting: {squad: words}\n");
  task({.id = "t-1"});
  EXPECT_TRUE(has(run_task("t-1").err, "are looked for at outputs/words/copywriting/t-1.md"));
  task({.id = "t-2", .output = "outputs/words/copywriting/t-2.md"});
  EXPECT_FALSE(has(run_task("t-2").err, "output-path-unusual"));
}

}  // namespace
}  // namespace baton::test
