// The engine is killed with -9: what it started lives on, and nothing is lost or done twice.
#include <signal.h>

#include <fmt/core.h>

#include "support/programs.h"

namespace baton::test {
namespace {

class EngineKilled : public Outside {
 protected:
  /// Four steps that wait for a file of their own, leave a mark, and end with an exit code of their own.
  void write_four() {
    std::vector<std::string> steps;
    for (int i = 0; i < 4; ++i) {
      steps.push_back(step(fmt::format("s{}", i), fmt::format("echo $$ > pid{0}\n{1}\necho s{0} >> ran\nexit {2}", i,
                                                              await_file(fmt::format("go{}", i)), i == 3 ? 7 : 0)));
    }
    steps.push_back(step("after", "echo after >> ran", "needs: [s0, s1, s2]"));
    place.workflow("four", steps);
  }
  std::vector<pid_t> pids() {
    std::vector<pid_t> found;
    for (int i = 0; i < 4; ++i) {
      const std::string name = fmt::format("pid{}", i);
      EXPECT_TRUE(eventually([&] { return place.read(name).ends_with('\n'); })) << name;
      found.push_back(static_cast<pid_t>(std::stol("0" + place.read(name))));
    }
    return found;
  }
  void let_go(int i) { place.write(fmt::format("go{}", i), ""); }
  void expect_four_done() {
    for (const char* id : {"s0", "s1", "s2", "s3", "after"}) EXPECT_EQ(count_lines(place.file("ran"), id), 1) << id;
    const json::object shown = place.show();
    EXPECT_EQ(text_at(shown, "state"), "failed") << "s3 ended with 7";
    for (int i = 0; i < 4; ++i) {
      const json::object attempt = attempt_of(shown, fmt::format("s{}", i), 1);
      EXPECT_EQ(number_at(attempt, "exit"), i == 3 ? 7 : 0) << "its true exit code";
      EXPECT_EQ(step_of(shown, fmt::format("s{}", i)).at("attempts").as_array().size(), 1U);
    }
  }
};

TEST_F(EngineKilled, ChildrenLiveOnAndResumeReattaches) {
  write_four();
  Process run = place.start({"run", "four", "--jobs", "4"});
  const auto started = pids();
  run.kill(SIGKILL);
  EXPECT_TRUE(run.wait().killed);
  for (const pid_t pid : started) EXPECT_TRUE(is_alive(pid));
  json::object shown = place.show();
  EXPECT_EQ(text_at(shown, "state"), "running");
  EXPECT_TRUE(shown.at("driver").is_null()) << "its driver died";
  let_go(0);  // one ends while nobody looks
  ASSERT_TRUE(eventually([&] { return !is_alive(started[0]); }));
  Process resumed = place.start({"resume", "last", "--json"});
  ASSERT_TRUE(eventually([&] { return has(resumed.out(), "run.resumed"); }));
  for (int i = 1; i < 4; ++i) {
    EXPECT_TRUE(is_alive(started[static_cast<std::size_t>(i)]));
    let_go(i);
  }
  const Outcome ended = resumed.wait();
  EXPECT_EQ(ended.code, 1) << ended;
  expect_four_done();
}

TEST_F(EngineKilled, KilledAgainAndAgainWhileTheyRun) {
  write_four();
  Process run = place.start({"run", "four", "--jobs", "4"});
  const auto started = pids();
  run.kill(SIGKILL);
  (void)run.wait();
  for (int i = 0; i < 4; ++i) {
    Process again = place.start({"resume", "last", "--json"});
    ASSERT_TRUE(eventually([&] { return has(again.out(), "run.resumed"); }));
    let_go(i);
    EXPECT_TRUE(eventually([&] { return has(again.out(), "step.finished"); }));
    again.kill(SIGKILL);
    (void)again.wait();
  }
  // The last of them may have seen the end already; a failed run that is resumed would try its failed step again.
  EXPECT_TRUE(eventually([&] { return place.run_state() == "failed"; })) << "the holder's wake does the rest";
  expect_four_done();
}

TEST_F(EngineKilled, TheHoldersWakeAloneFinishesTheRun) {
  write_four();
  Process run = place.start({"run", "four", "--jobs", "4"});
  const auto started = pids();
  place.kill_all("baton");
  (void)run.wait();
  EXPECT_EQ(place.living("baton-holder").size(), 1U);
  for (int i = 0; i < 4; ++i) let_go(i);
  EXPECT_TRUE(eventually([&] { return place.run_state() == "failed"; })) << place.run_state();
  expect_four_done();
  EXPECT_TRUE(eventually([&] { return place.living().empty(); })) << "and then everybody leaves";
}

TEST_F(EngineKilled, AWakeCarriesALongChainAndItsRetries) {
  std::vector<std::string> steps{step("first", "touch here; " + await_file("go") + "; echo first >> ran")};
  for (int i = 0; i < 10; ++i) {
    const std::string needs = i == 0 ? "first" : fmt::format("s{}", i - 1);
    steps.push_back(step(fmt::format("s{}", i),
                         "echo $BATON_STEP.$BATON_ATTEMPT >> ran; [ $BATON_STEP.$BATON_ATTEMPT != s4.1 ]",
                         fmt::format("needs: [{}]\nretries: 1", needs)));
  }
  place.workflow("chain", steps);
  Process run = place.start({"run", "chain"});
  ASSERT_TRUE(eventually([&] { return place.exists("here"); }));
  place.kill_all("baton");
  (void)run.wait();
  place.write("go", "");
  EXPECT_TRUE(eventually([&] { return place.run_state() == "completed"; })) << place.run_state();
  for (int i = 0; i < 10; ++i) EXPECT_EQ(count_lines(place.file("ran"), fmt::format("s{}.1", i)), 1);
  EXPECT_EQ(count_lines(place.file("ran"), "s4.2"), 1) << "a retry that was due while nobody drove";
}

TEST_F(EngineKilled, AKilledWakeIsRepeated) {
  place.workflow("w", {step("a", "touch here; " + await_file("go") + "; echo a >> ran"),
                       step("b", "touch b-here; " + await_file("go-b") + "; echo b >> ran", "needs: [a]")});
  Process run = place.start({"run", "w"});
  ASSERT_TRUE(eventually([&] { return place.exists("here"); }));
  place.kill_all("baton");
  (void)run.wait();
  place.write("go", "");
  ASSERT_TRUE(eventually([&] { return place.exists("b-here"); }));
  place.kill_all("baton");  // the wake itself, if it is still there
  place.write("go-b", "");
  EXPECT_TRUE(eventually([&] { return place.run_state() == "completed"; })) << place.run_state();
  EXPECT_EQ(place.read("ran"), "a\nb\n");
}

TEST_F(EngineKilled, APausedRunStaysPaused) {
  place.workflow("w", {step("a", "echo $$ > pid0\n" + await_file("go") + "\necho a >> ran")});
  Process run = place.start({"run", "w"});
  ASSERT_TRUE(eventually([&] { return place.read("pid0").ends_with('\n'); }));
  const auto pid = static_cast<pid_t>(std::stol(place.read("pid0")));
  ASSERT_EQ(place.baton({"pause", "last"}).code, 0);
  (void)run.wait();
  place.kill_all("baton");
  EXPECT_EQ(place.run_state(), "paused");
  EXPECT_TRUE(eventually([&] { return stands_still(pid); }));
  place.write("go", "");
  const Outcome resumed = place.baton({"resume", "last"});
  EXPECT_EQ(resumed.code, 0) << resumed;
  EXPECT_EQ(place.read("ran"), "a\n");
}

}  // namespace
}  // namespace baton::test
