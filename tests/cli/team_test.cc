// Team sessions from outside: begun, left alone, called back, ended.
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <csignal>
#include <ctime>
#include <filesystem>
#include <regex>
#include <thread>

#include "cli/team_place.h"
#include "support/samples.h"

namespace baton::test {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

using Teams = WithTeam;

std::string time_text(std::time_t time) {
  char text[32] = {};
  std::tm parts{};
  (void)::gmtime_r(&time, &parts);
  (void)std::strftime(text, sizeof text, "%FT%TZ", &parts);
  return text;
}

/// What the end of such a team looks like, with X for the time it took.
std::string banner_of(const std::vector<TeamTask>& tasks) {
  const std::string line = "[executor] ============================================\n";
  std::string out = line + "[executor] TASK COMPLETE\n[executor]\n[executor] Deliverables:\n";
  for (const TeamTask& task : tasks) out += fmt::format("[executor]   - {}.md ({})\n", task.id, task.role);
  return out + fmt::format("[executor]\n[executor] Pipeline: {0}/{0} tasks\n", tasks.size()) +
         "[executor] Roles: researcher, writer, reviewer, tester\n[executor] Duration: X\n[executor]\n"
         "[executor] Session: .workflow/.team/TC-x\n" +
         line;
}

TEST_F(Teams, BeginAndGoOnByThemselves) {
  team(twelve_tasks());
  // Without one that takes its time the whole pipeline may be through before anybody has looked.
  claude.does("RESEARCH-1", "until_there " + place.file("go") + "; put x; says done");
  const Outcome begun = begin();
  ASSERT_EQ(begun.code, 0) << begun;
  EXPECT_THAT(begun.out, HasSubstr("[executor] Pipeline Status")) << begun;
  EXPECT_THAT(begun.out, HasSubstr(">>> RESEARCH-1 (researcher)")) << begun;
  place.write("go", "");
  const Outcome waited = act({"wait"});
  ASSERT_EQ(waited.code, 0) << waited;
  EXPECT_EQ(std::regex_replace(waited.out, std::regex{"(Duration: )[0-9.ms ]+\n"}, "$1X\n"), banner_of(twelve_tasks()));
  EXPECT_EQ(status(), "completed");
  EXPECT_EQ(completed().size(), 12U);
  EXPECT_TRUE(session().at("active_workers").as_array().empty());
  EXPECT_TRUE(has(place.read(in("team-session.json")), "\"mine\": 1.50")) << "what is not ours stays as it is";
  for (const auto& [task, count] : starts()) EXPECT_EQ(count, 1) << task;
  expect_unique_ids();
  EXPECT_EQ(said("task_unblocked", "unblocked"), 12);
  EXPECT_EQ(text_at(parse_json(place.read(in(".msg/meta.json"))).as_object(), "status"), "completed");
}

TEST_F(Teams, AreNobodysBusinessWhileWorkersWork) {
  team({{"A-1", "a"}, {"B-1", "b", {"A-1"}}});
  claude.does("A-1", "until_there " + place.file("go") + "; put x; says done");
  ASSERT_EQ(begin().code, 0);
  EXPECT_TRUE(eventually([&] { return place.living("baton").empty(); })) << "only the holder is there";
  EXPECT_FALSE(place.living("baton-holder").empty());
  const json::object worker = session().at("active_workers").as_array().at(0).as_object();
  EXPECT_EQ(text_at(worker, "task"), "A-1");
  EXPECT_EQ(text_at(worker, "role"), "a");
  EXPECT_EQ(number_at(worker, "pid"), claude.pid_of("A-1.1"));
  place.write("go", "");
  EXPECT_TRUE(eventually([&] { return place.run_state() == "completed"; })) << "nobody was asked to go on";
  EXPECT_EQ(act({"check"}).code, 0);
}

TEST_F(Teams, TellTheirWorkersWhoTheyAreAndHowToCallBack) {
  team({{"A-1", "a"}});
  claude.does("A-1",
              "$BATON_CALLBACK --kind progress -m '[a] half'; put x; $BATON_CALLBACK --kind complete -m '[a] whole'; "
              "says done");
  const Outcome ended = through();
  ASSERT_EQ(ended.code, 0) << ended;
  EXPECT_EQ(claude.variable("BATON_SESSION", "A-1.1"), place.file(folder));
  EXPECT_EQ(claude.variable("BATON_ROLE", "A-1.1"), "a");
  EXPECT_EQ(claude.variable("BATON_OUTPUT", "A-1.1"), place.file(in("artifacts/A-1.md")));
  const std::string prompt = claude.prompt("A-1.1");
  EXPECT_THAT(prompt, HasSubstr("The a of the team."));
  EXPECT_THAT(prompt, HasSubstr("### A-1: Do A-1"));
  EXPECT_THAT(prompt, HasSubstr("Output: .workflow/.team/TC-x/artifacts/A-1.md"));
  EXPECT_EQ(said("progress", "[a] half"), 1);
  EXPECT_EQ(said("a_complete", "[a] whole"), 1);
  EXPECT_EQ(said("a_complete", "Task A-1 complete"), 0) << "it said so itself";
}

TEST_F(Teams, AreRefusedWithTheRightWordsAndNothingStarts) {
  place.write(".workflow/.team/UAN-x/.msg/messages.jsonl", "{}\n");
  const Outcome foreign = place.baton({"team", "UAN-x"});
  EXPECT_EQ(foreign.code, 2) << foreign;
  EXPECT_THAT(foreign.err, HasSubstr("Invalid session: team-session.json missing"));
  const Outcome nowhere = act();
  EXPECT_EQ(nowhere.code, 2);
  EXPECT_THAT(nowhere.err, HasSubstr("Session directory not found: TC-x"));
  EXPECT_THAT(place.baton({"team"}).err, HasSubstr("Session required. Usage: --session=<path-to-TC-folder>"));
  team({{"A-1", "a"}, {"B-1", "b"}});
  fs::remove(place.file(in("roles/b.md")));
  const Outcome half = act();
  EXPECT_EQ(half.code, 2);
  EXPECT_THAT(half.err, HasSubstr("Role file not found: roles/b.md"));
  EXPECT_EQ(place.baton({"run", folder}).code, 2);
  EXPECT_EQ(place.baton({"check", folder}).code, 2);
  place.write(in("team-session.json"), "{ broken");
  EXPECT_THAT(act().err, HasSubstr("Invalid session: team-session.json corrupt")) << "of a session that is not known";
  EXPECT_EQ(place.read(in("team-session.json")), "{ broken");
  EXPECT_FALSE(place.exists(in(".msg/messages.jsonl")));
  EXPECT_TRUE(claude.started().empty());
}

class ForeignTeam : public Teams, public testing::WithParamInterface<Origin> {};
INSTANTIATE_TEST_SUITE_P(Samples, ForeignTeam, both_origins(), origin_name);

TEST_P(ForeignTeam, IsRefused) {
  const std::string sample = foreign_team_of(GetParam());
  if (const auto why = absent(GetParam(), sample); !why.empty()) GTEST_SKIP() << why;
  const Outcome foreign = place.baton({"team", sample});
  EXPECT_EQ(foreign.code, 2) << foreign;
  EXPECT_THAT(foreign.err, HasSubstr("Invalid session: team-session.json missing"));
}

TEST_F(Teams, RunInTheForegroundToo) {
  team({{"A-1", "a"}, {"B-1", "b", {"A-1"}}});
  const Outcome ran = place.baton({"run", folder});
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_THAT(ran.out, HasSubstr("[executor] TASK COMPLETE"));
  EXPECT_EQ(status(), "completed");
  const Outcome again = place.baton({"run", folder});
  EXPECT_EQ(again.code, 0) << "there is nothing to do, and that is well";
  EXPECT_EQ(starts().at("A-1"), 1);
}

TEST_F(Teams, WithEverythingDoneStartNobody) {
  team({{"A-1", "a"}, {"A-2", "a", {"A-1"}, false}}, R"("completed_tasks": ["A-1", "A-2"])");
  place.write(in("artifacts/A-1.md"), "x");
  const Outcome once = act();
  EXPECT_EQ(once.code, 0) << once;
  EXPECT_THAT(once.out, HasSubstr("TASK COMPLETE"));
  EXPECT_EQ(act({"resume"}).code, 0);
  EXPECT_TRUE(claude.started().empty());
  EXPECT_EQ(said("shutdown", "Pipeline complete: 2/2"), 1) << "the end comes once";
}

TEST_F(Teams, TakeARecordOnlyIfItsArtifactIsThere) {
  team({{"A-1", "a"}, {"A-2", "a", {}, false}, {"B-1", "b", {"A-1", "A-2"}}}, R"("completed_tasks": ["A-1", "A-2"])");
  const Outcome ended = through();
  ASSERT_EQ(ended.code, 0) << ended;
  EXPECT_THAT(claude.started(), ElementsAre("A-1.1", "B-1.1"));
  EXPECT_EQ(said("warning", "Task A-1 removed from completed_tasks"), 1);
}

TEST_F(Teams, RespawnAWorkerThatIsKilled) {
  team({{"A-1", "a"}});
  claude.does("A-1.1", "sleep 600");
  ASSERT_EQ(begin().code, 0);
  ::kill(claude.pid_of("A-1.1"), SIGKILL);
  const Outcome ended = act({"wait"});
  ASSERT_EQ(ended.code, 0) << ended;
  EXPECT_THAT(claude.started(), ElementsAre("A-1.1", "A-1.2"));
  EXPECT_THAT(claude.prompt("A-1.2"), HasSubstr("Attempt 1 at this failed"));
  EXPECT_EQ(said("error", "Task A-1 attempt 1 failed"), 1);
}

TEST_F(Teams, GiveUpAfterTwoRespawnsAndSayWhatIsInTheWay) {
  team({{"A-1", "a"}, {"B-1", "b", {"A-1"}}, {"C-1", "c"}});
  claude.does("A-1", "begin; exit 3");
  const Outcome ended = through();
  EXPECT_EQ(ended.code, 1) << ended;
  EXPECT_EQ(starts().at("A-1"), 3);
  EXPECT_THAT(ended.out, HasSubstr("[executor] PIPELINE STALLED"));
  EXPECT_THAT(ended.out, HasSubstr("[executor]   B-1 (b) waits for A-1 (failed)"));
  EXPECT_THAT(ended.out, Not(HasSubstr("TASK COMPLETE")));
  EXPECT_EQ(status(), "paused");
  claude.does("A-1", "put x; says done");
  const Outcome again = act({"retry", "A-1"});
  EXPECT_EQ(again.code, 0) << again;
  EXPECT_EQ(act({"wait"}).code, 0);
  EXPECT_EQ(status(), "completed");
}

TEST_F(Teams, DoNotTakeAWordForAnArtifact) {
  team({{"A-1", "a"}});
  claude.does("A-1.1", "$BATON_CALLBACK --kind complete -m done; says done");
  ASSERT_EQ(through().code, 0);
  EXPECT_THAT(claude.started(), ElementsAre("A-1.1", "A-1.2")) << "complete is a claim";
}

TEST_F(Teams, TakeAnErrorAtItsWord) {
  team({{"A-1", "a", {}, false}});
  claude.does("A-1.1", "$BATON_CALLBACK --kind error -m 'no sources'; says 'I give up'");
  ASSERT_EQ(through().code, 0);
  EXPECT_THAT(claude.started(), ElementsAre("A-1.1", "A-1.2"));
  EXPECT_THAT(claude.prompt("A-1.2"), HasSubstr("no sources"));
  EXPECT_EQ(said("warning", "Task A-1 declares no artifact"), 1);
}

TEST_F(Teams, CountEachReportOnceAndTakeNoteOfLateOnes) {
  team({{"A-1", "a"}});
  claude.does("A-1", "until_there " + place.file("go") + "; put x; says done");
  ASSERT_EQ(begin().code, 0);
  (void)claude.pid_of("A-1.1");
  std::vector<Process> callers;
  for (int n = 0; n < 8; ++n) {
    callers.push_back(place.start({"team", "TC-x", "callback", "--role", "a", "--task", "A-1", "--attempt", "1",
                                   "--kind", "progress", "-m", fmt::format("part {}", n / 2)}));
  }
  for (Process& p : callers) EXPECT_EQ(p.wait().code, 0);
  EXPECT_EQ(
      act({"callback", "--role", "a", "--task", "A-1", "--attempt", "7", "--kind", "complete", "-m", "late"}).code, 0);
  EXPECT_TRUE(eventually([&] { return said("warning", "late") == 1; }));
  for (int n = 0; n < 4; ++n) EXPECT_EQ(said("progress", fmt::format("part {}", n)), 1) << n;
  expect_unique_ids();
  EXPECT_EQ(act({"callback", "--role", "z", "--task", "A-1", "--kind", "progress"}).code, 0) << "noted, no more";
  EXPECT_EQ(said("warning", "callback of 'z'"), 1);
  EXPECT_EQ(act({"callback", "--role", "a", "--task", "Z-9", "--kind", "progress"}).code, 2);
  EXPECT_EQ(act({"callback", "--role", "a", "--task", "A-1", "--kind", "singing"}).code, 2);
  EXPECT_EQ(
      act({"callback", "--role", "a", "--task", "A-1", "--kind", "consensus_blocked", "--severity", "PURPLE"}).code, 2);
  place.write("go", "");
  EXPECT_EQ(act({"wait"}).code, 0);
  EXPECT_EQ(starts().at("A-1"), 1);
}

TEST_F(Teams, StartASuccessorOnceWhoeverComes) {
  team({{"A-1", "a"}, {"B-1", "b", {"A-1"}}});
  claude.does("A-1", "until_there " + place.file("go") + "; put x; says done");
  ASSERT_EQ(begin().code, 0);
  (void)claude.pid_of("A-1.1");
  std::vector<Process> many;
  for (int n = 0; n < 4; ++n) {
    many.push_back(place.start({"team", "TC-x", "resume"}));
    many.push_back(place.start({"team", "TC-x", "callback", "--role", "a", "--task", "A-1", "--attempt", "1", "--kind",
                                "complete", "-m", fmt::format("done {}", n)}));
    if (n == 1) place.write("go", "");
  }
  for (Process& p : many) EXPECT_EQ(p.wait().code, 0);
  EXPECT_EQ(act({"wait"}).code, 0);
  EXPECT_EQ(starts().at("A-1"), 1);
  EXPECT_EQ(starts().at("B-1"), 1);
  expect_unique_ids();
}

TEST_F(Teams, ReviseOnceAndThenAskAPerson) {
  team({{"A-1", "a"}, {"B-1", "b", {"A-1"}}});
  const std::string blocked =
      "put x; $BATON_CALLBACK --kind consensus_blocked --severity HIGH -m \"$BATON_STEP is disputed\"; says done";
  claude.does("A-1", blocked);
  claude.does("A-1-R1", blocked);
  const Outcome stopped = through();
  EXPECT_EQ(stopped.code, 4) << stopped;
  EXPECT_THAT(claude.started(), ElementsAre("A-1.1", "A-1-R1.1"))
      << "successors wait for the revision, and there is no R2";
  EXPECT_THAT(claude.prompt("A-1-R1.1"), HasSubstr("A-1 is disputed"));
  EXPECT_THAT(stopped.out, HasSubstr("'A-1-R1'"));
  EXPECT_EQ(status(), "paused");
  ASSERT_EQ(act({"resume"}).code, 0);
  EXPECT_EQ(act({"wait"}).code, 0);
  EXPECT_EQ(starts().at("B-1"), 1);
  EXPECT_THAT(completed(), ElementsAre("A-1", "A-1-R1", "B-1"));
}

TEST_F(Teams, NoteMediumDivergenceAndHandItOn) {
  team({{"A-1", "a"}, {"B-1", "b", {"A-1"}}});
  claude.does("A-1",
              "put x; $BATON_CALLBACK --kind consensus_blocked --severity MEDIUM -m 'too long' "
              "--data '{\"action_items\":[\"cut\"]}'; says done");
  ASSERT_EQ(through().code, 0);
  EXPECT_THAT(place.read(in("wisdom/issues.md")), HasSubstr("- [a] A-1 (MEDIUM): cut <!--"));
  EXPECT_THAT(claude.prompt("B-1.1"), HasSubstr("- MEDIUM: too long"));
  EXPECT_THAT(act({"report"}).out, HasSubstr("[executor] Wisdom:\n[executor]   - issues.md: [a] A-1 (MEDIUM)"));
}

TEST_F(Teams, SendAGapToWhoCoversItAndMakeNoRoles) {
  team({{"A-1", "a"}, {"TEST-1", "tester", {"A-1"}}});
  claude.does("A-1",
              "put x; $BATON_CALLBACK --kind capability_gap -m 'who tests it?' --data "
              "'{\"suggested_capability\":\"tester\"}'; $BATON_CALLBACK --kind capability_gap -m 'who sings?' "
              "--data '{\"suggested_capability\":\"singer\"}'; says done");
  ASSERT_EQ(through().code, 0) << "a gap stops nobody";
  EXPECT_EQ(said("agent_request", "[a] asks: who tests it?"), 1);
  EXPECT_EQ(said("warning", "no role covers it"), 1);
  EXPECT_THAT(claude.prompt("TEST-1.1"), HasSubstr("[a] asks: who tests it?"));
}

TEST_F(Teams, StopForATaskWhoseTimeIsUp) {
  team({{"A-1", "a"}, {"B-1", "b", {"A-1"}}});
  claude.does("A-1.1", "sleep 600");
  const Outcome stopped = through({"--set", "limits.step_timeout=1s", "--set", "limits.stop_grace=100ms"});
  EXPECT_EQ(stopped.code, 4) << stopped;
  EXPECT_THAT(stopped.out, HasSubstr("Stopped: 'A-1' was still running after 1"));
  EXPECT_THAT(step_states_of(place.show()), ElementsAre("A-1=failed", "B-1=pending"));
  EXPECT_THAT(claude.started(), ElementsAre("A-1.1"));
  ASSERT_EQ(act({"retry", "A-1"}).code, 0);
  EXPECT_EQ(act({"wait"}).code, 0);
  EXPECT_THAT(completed(), ElementsAre("A-1", "B-1"));
}

TEST_F(Teams, GoOnWithoutATaskThatIsSkipped) {
  team({{"A-1", "a"}, {"B-1", "b", {"A-1"}}});
  claude.does("A-1.1", "sleep 600");
  ASSERT_EQ(through({"--set", "limits.step_timeout=1s", "--set", "limits.stop_grace=100ms"}).code, 4);
  ASSERT_EQ(act({"skip", "A-1"}).code, 0);
  EXPECT_EQ(act({"wait"}).code, 0);
  EXPECT_THAT(completed(), ElementsAre("B-1"));
  EXPECT_THAT(claude.prompt("B-1.1"), HasSubstr("Left out by a person, so do without:\n- A-1"));
  EXPECT_EQ(act({"skip", "B-1"}).code, 2) << "it is done";
}

TEST_F(Teams, LetOneWorkerDoAnInnerLoop) {
  team({{"A-1", "a", {}, true, R"("inner_loop": true)"},
        {"A-2", "a", {"A-1"}, true, R"("inner_loop": true)"},
        {"B-1", "b", {"A-2"}},
        {"A-3", "a", {"B-1"}, true, R"("inner_loop": true)"}});
  claude.does("A-1", "put x; $BATON_CALLBACK --kind complete -m one; echo y > " + place.file(in("artifacts/A-2.md")) +
                         "; $BATON_CALLBACK --task A-2 --kind complete -m two; says both");
  ASSERT_EQ(through().code, 0);
  EXPECT_THAT(claude.started(), ElementsAre("A-1.1", "B-1.1", "A-3.1"));
  EXPECT_THAT(claude.prompt("A-1.1"), HasSubstr("inner_loop: true"));
  EXPECT_THAT(claude.prompt("A-1.1"), HasSubstr("### A-2: Do A-2"));
  EXPECT_EQ(said("a_complete", "two"), 1);
  EXPECT_THAT(completed(), UnorderedElementsAre("A-1", "A-2", "B-1", "A-3"));
}

TEST_F(Teams, GiveATaskThatTheLoopLeftOutAWorkerOfItsOwn) {
  team({{"A-1", "a", {}, true, R"("inner_loop": true)"}, {"A-2", "a", {"A-1"}, true, R"("inner_loop": true)"}});
  ASSERT_EQ(through().code, 0);
  EXPECT_THAT(claude.started(), ElementsAre("A-1.1", "A-2.1"));
}

TEST_F(Teams, AreExtendedAndReopened) {
  team({{"A-1", "a"}});
  ASSERT_EQ(through().code, 0);
  place.write("more.json", "[" + json_of({"A-2", "a", {"A-1"}}) + "]");
  const Outcome extended = act({"extend", "more.json"});
  ASSERT_EQ(extended.code, 0) << extended;
  EXPECT_EQ(act({"wait"}).code, 0);
  EXPECT_THAT(completed(), ElementsAre("A-1", "A-2"));
  EXPECT_TRUE(has(place.read(in("task-analysis.json")), "A-2"));
  EXPECT_EQ(said("shutdown", "Pipeline complete: 2/2"), 1);
  place.write("bad.json", R"([{"id": "Z-1", "owner": "nobody"}])");
  EXPECT_EQ(act({"extend", "bad.json"}).code, 2) << "roles are never made";
  EXPECT_FALSE(has(place.read(in("task-analysis.json")), "Z-1"));
  EXPECT_EQ(act({"extend", "more.json"}).code, 2) << "it is there already";
}

TEST_F(Teams, RebuildABrokenFileFromTheRecord) {
  team({{"A-1", "a"}, {"B-1", "b", {"A-1"}}});
  claude.does("B-1", "until_there " + place.file("go") + "; put x; says done");
  ASSERT_EQ(begin().code, 0);
  EXPECT_TRUE(eventually([&] { return place.exists(in("artifacts/A-1.md")) && starts().contains("B-1"); }));
  EXPECT_TRUE(eventually([&] { return place.living("baton").empty(); }));
  place.write(in("team-session.json"), "{ \"session_id\": \"TC-x\", ");
  const Outcome checked = act({"check"});
  EXPECT_EQ(checked.code, 0) << checked;
  EXPECT_THAT(checked.out, HasSubstr("done A-1 (a)")) << checked;
  EXPECT_EQ(place.read(in("team-session.json")), "{ \"session_id\": \"TC-x\", ") << "looking changes nothing";
  const Outcome resumed = act({"resume"});
  EXPECT_EQ(resumed.code, 0) << resumed;
  EXPECT_THAT(resumed.err, HasSubstr("warning[team-file-rebuilt]")) << resumed;
  EXPECT_THAT(completed(), ElementsAre("A-1"));
  EXPECT_TRUE(has(place.read(in("team-session.json")), "\"mine\": 1.50"));
  place.write("go", "");
  EXPECT_EQ(act({"wait"}).code, 0);
}

TEST_F(Teams, TakeEveryExtensionThoughManyComeAtOnce) {
  team({{"A-1", "a"}});
  claude.does("A-1", "until_there " + place.file("go") + "; put x; says done");
  ASSERT_EQ(begin().code, 0);
  std::vector<Process> many;
  for (int n = 2; n <= 5; ++n) {
    const std::string file = fmt::format("more-{}.json", n);
    place.write(file, "[" + json_of({fmt::format("A-{}", n), "a", {"A-1"}}) + "]");
    many.push_back(place.start({"team", "TC-x", "extend", file}));
  }
  for (Process& p : many) EXPECT_EQ(p.wait().code, 0);
  place.write("go", "");
  EXPECT_EQ(act({"wait"}).code, 0);
  EXPECT_THAT(completed(), UnorderedElementsAre("A-1", "A-2", "A-3", "A-4", "A-5"));
}

TEST_F(Teams, WaitForATaskThatWasAddedBecauseItWasMissing) {
  team({{"A-1", "a"}, {"B-1", "b", {"A-1", "A-9"}}});
  ASSERT_EQ(through().code, 1) << "A-9 is no task";
  place.write("more.json", "[" + json_of({"A-9", "a"}) + "]");
  claude.does("A-9", "until_there " + place.file("go") + "; put x; says done");
  ASSERT_EQ(act({"extend", "more.json"}).code, 0);
  (void)claude.pid_of("A-9.1");
  EXPECT_FALSE(starts().contains("B-1")) << "it waits now";
  place.write("go", "");
  EXPECT_EQ(act({"wait"}).code, 0);
  EXPECT_EQ(starts().at("B-1"), 1);
}

TEST_F(Teams, AreNotCompleteWhileTheirAnalysisHasMore) {
  team({{"A-1", "a"}});
  ASSERT_EQ(through().code, 0);
  team({{"A-1", "a"}, {"A-2", "a"}}, R"("completed_tasks": ["A-1"])");
  const Outcome waited = act({"wait"});
  EXPECT_EQ(waited.code, 1);
  EXPECT_THAT(waited.out, HasSubstr("PIPELINE STALLED"));
  EXPECT_THAT(waited.out, HasSubstr("A-2 (a) is not created"));
  EXPECT_EQ(act({"resume"}).code, 0);
  EXPECT_EQ(act({"wait"}).code, 0);
}

TEST_F(Teams, StayPausedForADisputeWhateverElseIsDecided) {
  team({{"A-1", "a"}, {"B-1", "b", {"A-1"}}, {"C-1", "c", {"B-1"}}});
  const std::string blocked = "put x; $BATON_CALLBACK --kind consensus_blocked --severity HIGH -m no; says done";
  claude.does("A-1", blocked);
  claude.does("A-1-R1", blocked);
  ASSERT_EQ(through().code, 4);
  EXPECT_EQ(act({"skip", "C-1"}).code, 0);
  place.write("more.json", "[" + json_of({"C-2", "c", {"B-1"}}) + "]");
  EXPECT_EQ(act({"extend", "more.json"}).code, 0);
  EXPECT_EQ(act({"retry", "C-2"}).code, 2);
  EXPECT_EQ(begin().code, 0) << "nobody said that the dispute is over";
  EXPECT_EQ(place.run_state(), "paused");
  EXPECT_FALSE(starts().contains("B-1"));
  EXPECT_EQ(said("warning", "Pipeline paused: 'A-1-R1'"), 1);
  ASSERT_EQ(act({"resume"}).code, 0);
  EXPECT_EQ(act({"wait"}).code, 0);
  EXPECT_THAT(completed(), UnorderedElementsAre("A-1", "A-1-R1", "B-1", "C-2"));
}

TEST_F(Teams, DecideNothingAboutACancelledRun) {
  team({{"A-1", "a"}, {"A-2", "a", {"A-1"}}});
  claude.does("A-1", "sleep 600");
  ASSERT_EQ(begin().code, 0);
  ASSERT_EQ(place.baton({"cancel", "last"}).code, 0);
  const Outcome refused = act({"skip", "A-2"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(says_error(refused, "no-team-run")) << refused;
}

TEST_F(Teams, KeepTheirFileTrueThoughTheBusCannotBeWritten) {
  team({{"A-1", "a"}});
  place.write(in(".msg"), "not a folder");
  const Outcome begun = begin();
  ASSERT_EQ(begun.code, 0);
  EXPECT_THAT(begun.err, HasSubstr("cannot write")) << begun;
  EXPECT_EQ(act({"wait"}).code, 0);
  EXPECT_EQ(status(), "completed");
}

TEST_F(Teams, GiveARoleItsOwnTime) {
  team({{"A-1", "a"}});
  place.write("baton.toml", "[skills.a]\ntimeout = \"1s\"\n[limits]\nstop_grace = \"100ms\"\n");
  claude.does("A-1", "sleep 600");
  EXPECT_EQ(through().code, 4);
}

TEST_F(Teams, SayEachEndOfTheirs) {
  team({{"A-1", "a"}});
  ASSERT_EQ(through().code, 0);
  ASSERT_EQ(act({"retry", "A-1"}).code, 0);
  EXPECT_TRUE(session().at("completed_at").is_null() || status() == "completed");
  ASSERT_EQ(act({"wait"}).code, 0);
  EXPECT_EQ(said("a_complete", "Task A-1 complete"), 2);
  EXPECT_EQ(said("shutdown", "Pipeline complete: 1/1"), 2);
  const auto lines = json_lines(place.baton({"run", folder, "--json"}).out);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(text_at(lines[0], "type"), "run.started");
  EXPECT_EQ(text_at(lines[1], "type"), "run.finished");
}

TEST_F(Teams, LeaveTheLiveWorkOfOthersAloneAndResetTheDead) {
  const std::string now = time_text(std::time(nullptr));
  team({{"A-1", "a"}, {"B-1", "b"}, {"C-1", "c"}, {"D-1", "d"}},
       fmt::format(R"("active_workers": [{{"task": "A-1", "pid": {}}}, {{"task": "B-1", "pid": 999999999}}, )"
                   R"({{"task": "C-1", "started_at": "2020-01-01T00:00:00Z"}}, {{"task": "D-1", "started_at": "{}"}}])",
                   ::getpid(), now));
  ASSERT_EQ(begin().code, 0);
  EXPECT_TRUE(eventually([&] { return place.exists(in("artifacts/B-1.md")) && place.exists(in("artifacts/C-1.md")); }));
  EXPECT_FALSE(starts().contains("A-1")) << "somebody else is at it";
  EXPECT_EQ(act({"resume"}).code, 0);
  EXPECT_EQ(said("warning", "Task B-1 reset from interrupted state"), 1) << "said once, also after a second look";
  EXPECT_EQ(said("error", "Fast-advance orphan C-1 reset"), 1);
  EXPECT_FALSE(starts().contains("A-1"));
  EXPECT_FALSE(starts().contains("D-1")) << "somebody may be at it, for five minutes";
  EXPECT_THAT(act({"check"}).out, HasSubstr(fmt::format("(process {}, not ours)", ::getpid())));
  EXPECT_TRUE(eventually([&] { return session().at("active_workers").as_array().size() == 2; }))
      << "ours go when their attempts have ended; those two are theirs, and stay";
  EXPECT_EQ(place.baton({"cancel", "last"}).code, 0);
}

TEST_F(Teams, StopWhenARoleIsGoneAndGoOnWhenItIsBack) {
  team({{"A-1", "a"}, {"B-1", "b", {"A-1"}}});
  const std::string role = place.read(in("roles/b.md"));
  claude.does("A-1", "rm " + place.file(in("roles/b.md")) + "; put x; says done");
  ASSERT_EQ(begin().code, 0);
  EXPECT_TRUE(eventually([&] { return place.run_state() == "paused"; }));
  EXPECT_EQ(act({"resume"}).code, 2) << "it is validated first";
  EXPECT_FALSE(starts().contains("B-1"));
  EXPECT_EQ(said("error", "Role file not found: roles/b.md"), 1);
  place.write(in("roles/b.md"), role);
  EXPECT_EQ(act({"resume"}).code, 0);
  EXPECT_EQ(act({"wait"}).code, 0);
}

TEST_F(Teams, BlockATaskThatWaitsForNoTask) {
  team({{"A-1", "a"}, {"B-1", "b", {"A-1", "Z-9"}}});
  const Outcome ended = through();
  EXPECT_EQ(ended.code, 1) << ended;
  EXPECT_THAT(ended.out, HasSubstr("B-1 (b) failed: it waits for Z-9, which is no task of this session"));
  EXPECT_THAT(ended.out, Not(HasSubstr("TASK COMPLETE")));
}

TEST_F(Teams, KeepABusForAll) {
  team({{"A-1", "a"}});
  EXPECT_EQ(act({"messages"}).out, "No messages recorded yet.\n");
  std::vector<Process> writers;
  for (int n = 0; n < 8; ++n) {
    writers.push_back(
        place.start({"team", "TC-x", "message", "--from", "a", "--to", "b", "-m", fmt::format("hello {}", n)}));
  }
  for (Process& p : writers) EXPECT_EQ(p.wait().code, 0);
  expect_unique_ids();
  EXPECT_EQ(bus().size(), 8U);
  EXPECT_EQ(act({"message", "--from", "a", "--type", "state_update", "--data", R"({"stage":"two"})"}).code, 0);
  EXPECT_TRUE(has(place.read(in(".msg/meta.json")), "\"stage\":\"two\""));
  const Outcome listed = act({"messages", "--from", "a", "--last", "1"});
  EXPECT_THAT(listed.out, HasSubstr("MSG-009 ["));
  EXPECT_THAT(listed.out, HasSubstr("a → coordinator (state_update) [a] state_update → coordinator"));
  EXPECT_EQ(parse_json(act({"messages", "--json"}).out).as_array().size(), 9U);
}

TEST_F(Teams, AreShownAndChanged) {
  team({{"A-1", "a"}});
  EXPECT_THAT(act({"check"}).out, HasSubstr("[executor]   . A-1 (a)\n")) << "nothing was created";
  EXPECT_FALSE(place.exists(".baton/baton.db")) << "looking changes nothing";
  EXPECT_EQ(act({"wait"}).code, 2);
  EXPECT_EQ(act({"sing"}).code, 2);
  EXPECT_EQ(act({"check", "twice"}).code, 2);
  EXPECT_EQ(place.baton({"team", "workflows", "message", "--from", "a", "-m", "x"}).code, 2) << "that is no session";
  EXPECT_EQ(place.baton({"team", std::string{"--session="} + folder, "check"}).code, 0);
  ASSERT_EQ(through().code, 0);
  const Outcome report = act({"report"});
  EXPECT_THAT(report.out, HasSubstr("TASK COMPLETE"));
  EXPECT_THAT(report.out, HasSubstr("baton team TC-x extend FILE"));
  EXPECT_EQ(text_at(parse_json(act({"check", "--json"}).out).as_object(), "state"), "completed");
  EXPECT_EQ(place.baton({"plan", folder}).code, 0);
}

TEST_F(Teams, AreRehearsedWithoutATrace) {
  team({{"A-1", "a"}, {"B-1", "b", {"A-1"}}});
  const std::string before = place.read(in("team-session.json"));
  const Outcome ran = place.baton({"run", folder, "--rehearse"});
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(place.read(in("team-session.json")), before);
  EXPECT_FALSE(place.exists(in("artifacts")));
  EXPECT_EQ(through().code, 0) << "it is still all to be done";
  EXPECT_EQ(starts().size(), 2U);
}

TEST_F(Teams, StopAlsoWhereRunsShareWhatThereIs) {
  team({{"A-1", "a"}});
  place.write("baton.toml", "[limits]\nconcurrent_runs = 2\n");
  claude.does("A-1", "until_there " + place.file("go") + "; put x; says done");
  ASSERT_EQ(begin().code, 0) << "a wake stays with it";
  place.write("go", "");
  EXPECT_EQ(act({"wait"}).code, 0);
}

TEST_F(Teams, ServeTheirCallsAsTools) {
  team({{"A-1", "a"}});
  place.write("calls", R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"team_callback","arguments":{"kind":"progress","summary":"by tool"}}}
{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"team_messages","arguments":{}}}
)");
  const std::string baton = program_of_ours("baton");
  claude.does("A-1", "'" + baton + "' mcp --team < " + place.file("calls") + " > " + place.file("answers") +
                         "; put x; says done");
  ASSERT_EQ(through().code, 0);
  const auto answers = json_lines(place.read("answers"));
  ASSERT_EQ(answers.size(), 4U);
  EXPECT_EQ(text_at(answers[0].at("result").as_object(), "protocolVersion"), "2025-03-26");
  EXPECT_EQ(answers[1].at("result").as_object().at("tools").as_array().size(), 4U);
  EXPECT_FALSE(answers[2].at("result").as_object().at("isError").as_bool()) << place.read("answers");
  EXPECT_EQ(said("progress", "by tool"), 1);
}

}  // namespace
}  // namespace baton::test
