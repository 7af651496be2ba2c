// Sessions from outside: found, run by their dependencies, written back, ended.
#include <gmock/gmock.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "cli/session_place.h"
#include "support/terminal.h"

namespace baton::test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

using Sessions = WithSession;

TEST_F(Sessions, RunByDependenciesAndGoToTheArchive) {
  tasks({"IMPL-1", "IMPL-2", "IMPL-3"});
  task("IMPL-1", needs({"IMPL-3"}));
  const Outcome ran = run();
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_THAT(claude.started(), ElementsAre("IMPL-2.1", "IMPL-3.1", "IMPL-1.1")) << "one at a time: they have no group";
  const std::string archived = ".workflow/archives/WFS-x";
  EXPECT_FALSE(place.exists(folder));
  ASSERT_TRUE(place.exists(archived)) << ran;
  EXPECT_FALSE(place.exists(archived + "/.archiving"));
  EXPECT_EQ(session_status(archived), "completed");
  for (const char* id : {"IMPL-1", "IMPL-2", "IMPL-3"}) {
    EXPECT_EQ(status(id, archived), "completed");
    EXPECT_TRUE(has(place.read(archived + "/TODO_LIST.md"), fmt::format("- [x] **{}**", id)));
    EXPECT_TRUE(has(place.read(archived + "/.summaries/" + id + "-summary.md"), "Done as told."));
  }
  EXPECT_TRUE(has(place.read(".workflow/archives/manifest.json"), "\"WFS-x\""));
  EXPECT_EQ(place.run_state(), "completed");
  EXPECT_EQ(text_at(place.show(), "session"), "WFS-x");
}

TEST_F(Sessions, KeepEveryByteThatIsNotTheirs) {
  tasks({"IMPL-1", "IMPL-2"});
  const std::string list_before = place.read(in("TODO_LIST.md"));
  const std::string before = place.read(in(".task/IMPL-1.json"));
  claude.does("IMPL-2", "sed -i 's/^# Tasks/# My tasks/' .workflow/active/WFS-x/TODO_LIST.md; says 'Renamed it.'");
  ASSERT_EQ(run({"--no-archive"}).code, 0);
  std::string expected = list_before;
  expected.replace(expected.find("# Tasks"), 7, "# My tasks");
  for (const char* id : {"IMPL-1", "IMPL-2"}) {
    const std::string old = line(id);
    expected.replace(
        expected.find(old), old.size(),
        fmt::format("- [x] **{0}**: Do {0} → [📋](./.task/{0}.json) | [✅](./.summaries/{0}-summary.md)\n", id));
  }
  EXPECT_EQ(place.read(in("TODO_LIST.md")), expected) << "the agent's own edit is still there";
  std::string after = place.read(in(".task/IMPL-1.json"));
  EXPECT_TRUE(has(after, "\"status\": \"completed\"")) << after;
  EXPECT_TRUE(after.starts_with(before.substr(0, before.find("pending")))) << after;
  const std::string kept = text_at(place.show(), "folder") + "/session/IMPL-1.before.json";
  EXPECT_EQ(read_text(kept), before);
}

TEST_F(Sessions, LeaveASummaryAloneThatTheAgentWrote) {
  tasks({"IMPL-1"});
  claude.does("IMPL-1",
              "mkdir -p .workflow/active/WFS-x/.summaries; "
              "echo mine > .workflow/active/WFS-x/.summaries/IMPL-1-summary.md; says 'Wrote it.'");
  ASSERT_EQ(run({"--no-archive"}).code, 0);
  EXPECT_EQ(place.read(in(".summaries/IMPL-1-summary.md")), "mine\n");
}

TEST_F(Sessions, TryOnceMoreWithWhatFailedAndThenEndPartial) {
  tasks({"IMPL-1", "IMPL-2", "IMPL-3"});
  task("IMPL-2", needs({"IMPL-1"}));
  claude.does("IMPL-1", "begin; exit 3");
  const Outcome ran = run();
  EXPECT_EQ(ran.code, 1) << ran;
  EXPECT_THAT(claude.started(), UnorderedElementsAre("IMPL-1.1", "IMPL-1.2", "IMPL-3.1"));
  EXPECT_EQ(status("IMPL-1"), "failed");
  EXPECT_EQ(task_file("IMPL-1").at("status_history").as_array().size(), 3U) << "begun, failed once, failed";
  EXPECT_EQ(status("IMPL-2"), "pending") << "one that was skipped stays as it is";
  EXPECT_EQ(status("IMPL-3"), "completed");
  EXPECT_EQ(session_status(), "partial");
  EXPECT_TRUE(place.exists(folder)) << "not archived";
  EXPECT_TRUE(has(place.read(in("TODO_LIST.md")), "- [ ] **IMPL-1**"));
  EXPECT_THAT(step_states_of(place.show()), ElementsAre("IMPL-1=failed", "IMPL-2=skipped", "IMPL-3=completed"));
}

TEST_F(Sessions, TellTheSecondAttemptWhyTheFirstFailed) {
  tasks({"IMPL-1"});
  claude.does("IMPL-1.1", "begin; exit 3");
  ASSERT_EQ(run().code, 0);
  EXPECT_THAT(claude.started(), ElementsAre("IMPL-1.1", "IMPL-1.2"));
  EXPECT_TRUE(has(claude.prompt("IMPL-1.2"), "Attempt 1 at this task failed")) << claude.prompt("IMPL-1.2");
}

TEST_F(Sessions, BlockATaskWhoseTimeIsUpAndGoOn) {
  tasks({"IMPL-1", "IMPL-2"});
  claude.does("IMPL-1", "begin; sleep 600");
  const Outcome ran = run({"--set", "limits.step_timeout=3s", "--set", "limits.stop_grace=100ms"});
  EXPECT_EQ(ran.code, 1) << ran;
  EXPECT_THAT(claude.started(), ElementsAre("IMPL-1.1", "IMPL-2.1")) << "not tried again";
  EXPECT_EQ(status("IMPL-1"), "blocked");
  EXPECT_EQ(status("IMPL-2"), "completed");
}

TEST_F(Sessions, FailOnlyTheTaskWhoseFileIsBroken) {
  tasks({"IMPL-1", "IMPL-2", "IMPL-3", "IMPL-4"});
  place.write(in(".task/IMPL-1.json"), "{\n  \"id\": \"IMPL-1\",\n  broken\n}\n");
  task("IMPL-2", needs({"IMPL-1"}));
  fs::remove(place.file(in(".task/IMPL-4.json")));
  const Outcome ran = run();
  EXPECT_EQ(ran.code, 1) << ran;
  EXPECT_THAT(step_states_of(place.show()),
              ElementsAre("IMPL-1=failed", "IMPL-2=skipped", "IMPL-3=completed", "IMPL-4=failed"));
  EXPECT_TRUE(has(place.baton({"why", "last", "IMPL-1"}).out, "IMPL-1.json:3:")) << "with its line";
}

TEST_F(Sessions, NameUnknownDependenciesAndCyclesAndRunTheRest) {
  tasks({"IMPL-1", "IMPL-2", "IMPL-3", "IMPL-4"});
  task("IMPL-1", needs({"IMPL-9"}));
  task("IMPL-2", needs({"IMPL-3"}));
  task("IMPL-3", needs({"IMPL-2"}));
  const Outcome checked = place.baton({"check", "WFS-x"});
  EXPECT_EQ(checked.code, 2) << checked;
  EXPECT_TRUE(says_error(checked, "unknown-dependency")) << checked;
  EXPECT_TRUE(says_error(checked, "dependency-cycle")) << checked;
  EXPECT_EQ(run().code, 1);
  const json::object shown = place.show();
  EXPECT_EQ(text_at(step_of(shown, "IMPL-1"), "state"), "blocked");
  EXPECT_EQ(text_at(step_of(shown, "IMPL-4"), "state"), "completed");
  EXPECT_THAT(claude.started(), ElementsAre("IMPL-4.1"));
  EXPECT_EQ(status("IMPL-1"), "blocked");
}

TEST_F(Sessions, NeverRunAgainWhatEitherSideSaysIsDone) {
  place.write(in("TODO_LIST.md"), line("IMPL-1", 'x') + line("IMPL-2") + line("IMPL-3"));
  task("IMPL-1");
  task("IMPL-2", "", "completed");
  task("IMPL-3", needs({"IMPL-1", "IMPL-2"}));
  ASSERT_EQ(run({"--no-archive"}).code, 0);
  EXPECT_THAT(claude.started(), ElementsAre("IMPL-3.1"));
}

TEST_F(Sessions, ThatAreAllDoneAreEndedOnceAndNothingIsStarted) {
  place.write(in("TODO_LIST.md"), line("IMPL-1", 'x'));
  task("IMPL-1", "", "completed");
  const Outcome ran = place.baton({"run", "--resume-session", "WFS-x"});
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_TRUE(claude.started().empty());
  EXPECT_TRUE(place.exists(".workflow/archives/WFS-x"));
  const Outcome again = place.baton({"run", "--resume-session", "WFS-x"});
  EXPECT_EQ(again.code, 2) << again;
  EXPECT_TRUE(says_error(again, "session-archived"));
}

TEST_F(Sessions, WithoutTasksAreRefused) {
  place.write(in("TODO_LIST.md"), "# Tasks\n\nNone yet.\n");
  task("IMPL-1");
  const Outcome ran = run();
  EXPECT_EQ(ran.code, 2) << ran;
  EXPECT_TRUE(says_error(ran, "session-without-tasks")) << ran;
}

TEST_F(Sessions, FinishAnArchiveThatWasInterrupted) {
  tasks({"IMPL-1"});
  fs::create_directories(place.file(".workflow/archives"));
  fs::rename(place.file(folder), place.file(".workflow/archives/WFS-x"));
  place.write(".workflow/archives/WFS-x/.archiving", "");
  const Outcome ran = place.baton({"run", "--resume-session", "WFS-x"});
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_FALSE(place.exists(".workflow/archives/WFS-x/.archiving"));
  EXPECT_TRUE(has(place.read(".workflow/archives/manifest.json"), "WFS-x"));
  EXPECT_EQ(status("IMPL-1", ".workflow/archives/WFS-x"), "pending") << "an archive makes nothing done";
}

TEST_F(Sessions, ThatAreTheOnlyOneNeedNoName) {
  tasks({"IMPL-1"});
  EXPECT_EQ(place.baton({"run", "--no-archive"}).code, 0);
  EXPECT_THAT(claude.started(), ElementsAre("IMPL-1.1"));
}

TEST_F(Sessions, SeveralAreListedAndNothingStarts) {
  tasks({"IMPL-1"});
  place.write(".workflow/active/WFS-y/TODO_LIST.md", line("IMPL-1"));
  place.write(".workflow/active/WFS-y/.task/IMPL-1.json", R"({"id":"IMPL-1"})");
  place.write(".workflow/.active-WFS-gone", "");
  const Outcome ran = place.baton({"run"});
  EXPECT_EQ(ran.code, 2) << ran;
  EXPECT_TRUE(says_error(ran, "several-sessions")) << ran;
  EXPECT_TRUE(has(ran.err, "WFS-x") && has(ran.err, "WFS-y")) << ran;
  EXPECT_TRUE(has(ran.err, "orphaned-marker")) << ran;
  EXPECT_TRUE(place.exists(".workflow/.active-WFS-gone")) << "named, and left alone";
  EXPECT_TRUE(claude.started().empty());
}

TEST_F(Sessions, SeveralAreAskedAboutOnATerminal) {
  tasks({"IMPL-1"});
  place.write(".workflow/active/WFS-y/TODO_LIST.md", line("IMPL-7", 'x') + line("IMPL-8"));
  place.write(".workflow/active/WFS-y/.task/IMPL-8.json", R"({"id":"IMPL-8"})");
  Terminal terminal{place.launch({"run", "--no-archive"})};
  ASSERT_TRUE(terminal.shows("WFS-y | Unknown | 1/2 tasks (50%)"));
  ASSERT_TRUE(terminal.shows("Which one?"));
  terminal.types("neither\n");
  ASSERT_TRUE(terminal.shows("Which one?")) << "asked again";
  terminal.types("S-y\n");
  EXPECT_EQ(terminal.wait(), 0) << terminal.screen();
  EXPECT_THAT(claude.started(), ElementsAre("IMPL-8.1"));
}

TEST_F(Sessions, SeveralNeedNoQuestionWithYes) {
  tasks({"IMPL-1"});
  place.write(".workflow/active/WFS-y/TODO_LIST.md", line("IMPL-8"));
  place.write(".workflow/active/WFS-y/.task/IMPL-8.json", R"({"id":"IMPL-8"})");
  fs::last_write_time(place.file(".workflow/active/WFS-y"), fs::file_time_type::clock::now() - std::chrono::hours{1});
  EXPECT_EQ(place.baton({"run", "-y", "--no-archive"}).code, 0);
  EXPECT_THAT(claude.started(), ElementsAre("IMPL-1.1")) << "the one at which somebody worked last";
}

TEST_F(Sessions, ReadStrictlyBelieveNoBox) {
  place.write(in("TODO_LIST.md"), line("IMPL-1", 'x') + line("IMPL-2", 'x') + line("IMPL-3"));
  task("IMPL-1");
  task("IMPL-2", "", "completed");
  task("IMPL-3", "", "completed");
  place.write(in(".summaries/IMPL-2-summary.md"), "Done.\n");
  const Outcome planned = place.baton({"plan", "WFS-x", "--format", "json"});
  EXPECT_TRUE(parse_json(planned.out).at("order").as_array().empty()) << planned;
  ASSERT_EQ(run({"--no-archive", "--set", "session.strict=true"}).code, 0);
  EXPECT_THAT(claude.started(), UnorderedElementsAre("IMPL-1.1", "IMPL-3.1"));
}

TEST_F(Sessions, LeaveFilesThatDisagreeAsTheyAreAndSaySo) {
  place.write(in("TODO_LIST.md"), line("IMPL-1") + line("IMPL-2"));
  task("IMPL-1", "", "completed");
  task("IMPL-2");
  const Outcome ran = run({"--no-archive"});
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_TRUE(has(ran.err, "warning[session-disagrees]: IMPL-1:")) << ran;
  EXPECT_TRUE(has(place.read(in("TODO_LIST.md")), line("IMPL-1"))) << "its box is for session sync";
  EXPECT_TRUE(has(place.read(in("TODO_LIST.md")), "- [x] **IMPL-2**"));
}

TEST_F(Sessions, ShowAllOfTheirTasksInAPlanAndTheOrderOfWhatIsLeft) {
  place.write(in("TODO_LIST.md"), line("IMPL-1", 'x') + line("IMPL-2") + line("IMPL-3") + line("IMPL-4"));
  task("IMPL-1", "", "completed");
  task("IMPL-2", needs({"IMPL-3"}));
  task("IMPL-3", needs({"IMPL-1"}));
  task("IMPL-4", needs({"IMPL-9"}));
  const Outcome planned = place.baton({"plan", "WFS-x", "--format", "json"});
  EXPECT_TRUE(has(planned.err, "unknown-dependency")) << planned;
  const json::value plan = parse_json(planned.out);
  std::vector<std::string> states;
  for (const json::value& step : plan.at("steps").as_array()) states.emplace_back(step.at("state").as_string());
  EXPECT_THAT(states, ElementsAre("completed", "pending", "pending", "blocked"));
  EXPECT_EQ(json::serialize(plan.at("order")), R"(["IMPL-3","IMPL-2"])");
  EXPECT_EQ(json::serialize(plan.at("steps").at(2).at("needs")), R"(["IMPL-1"])");
  const Outcome table = place.baton({"plan", "WFS-x", "--format", "csv"});
  EXPECT_TRUE(has(table.out, "IMPL-3,Do IMPL-3,pending,1,code-developer,IMPL-1\r\n")) << table;
}

TEST_F(Sessions, RunATaskAgainWithAllThatDependsOnIt) {
  tasks({"IMPL-1", "IMPL-2", "IMPL-3"});
  task("IMPL-2", needs({"IMPL-1"}));
  ASSERT_EQ(run({"--no-archive"}).code, 0);
  const Outcome again = place.baton({"retry", "last", "IMPL-1"});
  EXPECT_EQ(again.code, 0) << again;
  EXPECT_THAT(claude.started(), UnorderedElementsAre("IMPL-1.1", "IMPL-1.2", "IMPL-2.1", "IMPL-2.2", "IMPL-3.1"))
      << "though nobody but the task's file knew that it needs the other";
}

TEST_F(Sessions, RunJustOneTaskIfItsNeedsAreThere) {
  place.write(in("TODO_LIST.md"), line("IMPL-1", 'x') + line("IMPL-2") + line("IMPL-3"));
  task("IMPL-1", "", "completed");
  task("IMPL-2", needs({"IMPL-1"}));
  task("IMPL-3", needs({"IMPL-2"}));
  const Outcome refused = run({"--only", "IMPL-3"});
  EXPECT_EQ(refused.code, 2) << refused;
  EXPECT_TRUE(says_error(refused, "need-not-met") && has(refused.err, "IMPL-2")) << refused;
  EXPECT_EQ(run({"--only", "IMPL-2"}).code, 0);
  EXPECT_THAT(claude.started(), ElementsAre("IMPL-2.1"));
  EXPECT_TRUE(place.exists(folder));
  EXPECT_EQ(status("IMPL-3"), "pending");
}

TEST_F(Sessions, PrepareATaskAndTellItsAgent) {
  tasks({"IMPL-1"});
  place.write("docs/rules.md", "Be brief.\n");
  task("IMPL-1", R"j("pre_analysis": [
    {"step": "rules", "commands": ["Read(docs/rules.md)"], "output_to": "rules", "on_error": "fail"},
    {"step": "say", "command": "bash(printf 'got: %s' [rules])", "output_to": "said", "on_error": "fail"},
    {"step": "ask", "command": "mcp__web__search(x)", "output_to": "web", "on_error": "skip_optional"}])j");
  ASSERT_EQ(run({"--no-archive"}).code, 0);
  const std::string prompt = claude.prompt("IMPL-1.1");
  EXPECT_TRUE(has(prompt, "got: Be brief.")) << prompt;
  EXPECT_TRUE(has(prompt, "mcp__web__search(x)")) << prompt;
  EXPECT_TRUE(has(prompt, "Input: .workflow/active/WFS-x/.task/IMPL-1.json")) << prompt;
}

TEST_F(Sessions, FailATaskWhosePreparationFails) {
  tasks({"IMPL-1", "IMPL-2"});
  task("IMPL-1", R"j("pre_analysis": [{"step": "a", "command": "bash(exit 4)", "on_error": "fail"}])j");
  EXPECT_EQ(run().code, 1);
  EXPECT_THAT(claude.started(), ElementsAre("IMPL-2.1"));
  EXPECT_EQ(text_at(step_of(place.show(), "IMPL-1"), "state"), "failed");
}

TEST_F(Sessions, RunNoCommandOfATasksPreparationInARehearsal) {
  tasks({"IMPL-1"});
  task("IMPL-1", R"j("pre_analysis": [{"step": "a", "command": "bash(touch ran)", "on_error": "fail"}])j");
  EXPECT_EQ(run({"--rehearse"}).code, 0);
  EXPECT_FALSE(place.exists("ran"));
}

TEST_F(Sessions, GiveTasksToTheAgentsThatTheyName) {
  tasks({"IMPL-1", "IMPL-2"});
  task("IMPL-1", R"("meta": {"agent": "@ui-designer"})");
  place.write(".claude/agents/ui-designer.md",
              "---\nname: ui-designer\nmodel: opus\ntools: Read, Write\n---\nDraw with care.\n");
  const Outcome ran = run({"--no-archive"});
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_TRUE(has(claude.prompt("IMPL-1.1"), "Draw with care."));
  EXPECT_EQ(claude.option("--model", "IMPL-1.1"), "opus");
  EXPECT_EQ(claude.option("--tools", "IMPL-1.1"), "Read,Write") << "those and no others";
  EXPECT_EQ(claude.option("--tools", "IMPL-2.1"), "(none)");
  EXPECT_TRUE(has(ran.err, "agent-undefined") && has(ran.err, "code-developer")) << ran;
  EXPECT_FALSE(has(ran.err, "'ui-designer'")) << ran;
}

TEST_F(Sessions, GiveEachAgentItsOwnTime) {
  tasks({"IMPL-1", "IMPL-2"});
  task("IMPL-1", R"("meta": {"agent": "@ui-designer"})");
  claude.does("IMPL-1", "sleep 600");
  EXPECT_EQ(run({"--set", "skills.ui-designer.timeout=300ms"}).code, 1);
  EXPECT_EQ(status("IMPL-1"), "blocked");
  EXPECT_EQ(status("IMPL-2"), "completed");
}

TEST_F(Sessions, CommitEachTasksOwnFilesAndNoOthers) {
  tasks({"IMPL-1"});
  const std::string git = "git -c user.name=a -c user.email=a@b ";
  ASSERT_EQ(std::system(("cd " + place.root() + " && git init -q -b main && echo a > other.txt && " + git +
                         "add other.txt && " + git + "commit -qm first && echo b > other.txt")
                            .c_str()),
            0);
  claude.does("IMPL-1",
              "mkdir -p src; echo new > src/login.c; "
              "says '### Files Modified\n- `src/login.c`: the log-in'");
  const Outcome ran = run({"--with-commit"});
  ASSERT_EQ(ran.code, 0) << ran;
  ASSERT_EQ(std::system(("cd " + place.root() + " && git show --name-only --format=%s > shown").c_str()), 0);
  EXPECT_TRUE(has(place.read("shown"), "src/login.c")) << place.read("shown") << ran;
  EXPECT_FALSE(has(place.read("shown"), "other.txt")) << place.read("shown");
}

TEST_F(Sessions, AreWrittenOnBothSidesBySync) {
  place.write(in("TODO_LIST.md"), line("IMPL-1", 'x') + line("IMPL-2") + line("IMPL-3"));
  task("IMPL-1");
  task("IMPL-2", "", "completed");
  task("IMPL-3");
  const Outcome synced = place.baton({"session", "sync", "WFS-x"});
  EXPECT_EQ(synced.code, 0) << synced;
  EXPECT_EQ(status("IMPL-1"), "completed");
  EXPECT_TRUE(has(place.read(in("TODO_LIST.md")), "- [x] **IMPL-2**"));
  EXPECT_EQ(status("IMPL-3"), "pending");
  const auto after = files_beneath(place.file(folder));
  EXPECT_EQ(place.baton({"session", "sync", "WFS-x"}).code, 0);
  EXPECT_EQ(files_beneath(place.file(folder)), after) << "said again, it changes nothing";
}

TEST_F(Sessions, GoOnWhereTheyWereInterrupted) {
  tasks({"IMPL-1", "IMPL-2"});
  claude.does("IMPL-1", "begin; until_there " + place.file("go") + "; says 'Went.'");
  Process first = place.start({"run", "WFS-x", "--no-archive"});
  (void)claude.pid_of("IMPL-1.1");
  first.kill(SIGTERM);
  (void)first.wait();
  const Outcome other = run();
  EXPECT_EQ(other.code, 2) << other;
  EXPECT_TRUE(says_error(other, "session-at-work")) << other;
  place.write("go", "");
  const Outcome ran = place.baton({"run", "--resume-session", "WFS-x"});
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_THAT(claude.started(), ElementsAre("IMPL-1.1", "IMPL-2.1"));
}

TEST_F(Sessions, WithABrokenFileOfTheirOwnAreRunAllTheSame) {
  tasks({"IMPL-1"});
  for (const char* text : {"", "{\n  \"count\": 1,000\n}\n"}) {
    place.write(in("workflow-session.json"), text);
    place.write(in("workflow-session.json.tmp"), "");
    task("IMPL-1");
    list({"IMPL-1"});
    const Outcome ran = place.baton({"run", "--no-archive"});
    EXPECT_EQ(ran.code, 0) << ran;
    EXPECT_TRUE(has(ran.err, "corrupt-session-file")) << ran;
    EXPECT_EQ(place.read(in("workflow-session.json")), text) << "nobody makes it up";
    EXPECT_EQ(status("IMPL-1"), "completed");
  }
}

TEST_F(Sessions, OfOtherHandsKeepTheirLettersAndLineEnds) {
  const std::string before =
      "\xEF\xBB\xBF# 任务: 登录\r\n\r\n- [ ] **IMPL-1**: 修复（状态 → 持久化） → [📋](./.task/IMPL-1.json)  \r\n"
      "  - **修改**: `a.ts`\r\n";
  place.write(in("TODO_LIST.md"), before);
  task("IMPL-1");
  ASSERT_EQ(run({"--no-archive"}).code, 0);
  std::string after = before;
  after.replace(after.find("- [ ]"), 5, "- [x]");
  const std::string link = "[📋](./.task/IMPL-1.json)";
  after.insert(after.find(link) + link.size(), " | [✅](./.summaries/IMPL-1-summary.md)");
  EXPECT_EQ(place.read(in("TODO_LIST.md")), after);
}

TEST_F(Sessions, NeverRunATaskBeforeItsNeedsWhateverItsGroup) {
  std::vector<std::string> ids;
  for (int n = 1; n <= 6; ++n) ids.push_back(fmt::format("IMPL-{}", n));
  tasks(ids);
  for (int n = 1; n <= 6; ++n) {
    const std::string group = R"("meta": {"execution_group": "parallel-abc123"})";
    task(fmt::format("IMPL-{}", n), n == 1 ? group : needs({fmt::format("IMPL-{}", n - 1)}) + ", " + group);
  }
  ASSERT_EQ(run({"--jobs", "4"}).code, 0);
  EXPECT_THAT(claude.started(), ElementsAre("IMPL-1.1", "IMPL-2.1", "IMPL-3.1", "IMPL-4.1", "IMPL-5.1", "IMPL-6.1"));
}

TEST_F(Sessions, SayTheirNameInEveryEventThatHasRoomForIt) {
  tasks({"IMPL-1"});
  const auto lines = json_lines(run({"--no-archive", "--json"}).out);
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(text_at(lines.front(), "type"), "run.started");
  EXPECT_EQ(text_at(lines.front(), "session"), "WFS-x");
  EXPECT_EQ(text_at(lines.front(), "dialect"), "session");
  EXPECT_EQ(text_at(lines.back(), "type"), "run.finished");
  EXPECT_EQ(text_at(lines.back(), "session"), "WFS-x");
}

TEST_F(Sessions, ShowNoAnswersOfTasksThatNobodyAnswered) {
  place.write(in("TODO_LIST.md"), line("IMPL-1") + line("IMPL-2", 'x'));
  task("IMPL-1");
  ASSERT_EQ(run({"--no-archive"}).code, 0);
  const json::object shown = place.show();
  EXPECT_FALSE(shown.contains("artifact"));
  EXPECT_FALSE(step_of(shown, "IMPL-2").contains("output"));
  EXPECT_TRUE(file_exists(text_at(step_of(shown, "IMPL-1"), "output")));
}

}  // namespace
}  // namespace baton::test
