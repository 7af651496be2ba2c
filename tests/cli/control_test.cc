// Pausing, cancelling, interrupting: from another process, by a budget, by a signal.
#include <signal.h>

#include <fmt/core.h>

#include <filesystem>
#include <thread>

#include "support/programs.h"

namespace baton::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

class Control : public Outside {
 protected:
  /// The pid that a step wrote into a file; 0 and a failed test if it never came.
  pid_t pid_in(const std::string& name) {
    EXPECT_TRUE(eventually([&] { return place.read(name).ends_with('\n'); })) << name << " never came";
    const std::string text = place.read(name);
    return text.empty() ? 0 : static_cast<pid_t>(std::stol(text));
  }
};

constexpr const char* busy = "echo $$ > pid\nwhile [ ! -e go ]; do :; done\necho ended >> ends";

TEST_F(Control, PauseFreezesAndResumeThawsTheSameProcesses) {
  place.workflow("w", {step("busy", busy), step("after", "true", "needs: [busy]")});
  Process run = place.start({"run", "w", "--json"});
  const pid_t pid = pid_in("pid");
  const Outcome paused = place.baton({"pause", "last"});
  ASSERT_EQ(paused.code, 0) << paused;
  const Outcome left = run.wait(seconds{10});
  EXPECT_EQ(left.code, 4) << left;
  EXPECT_EQ(text_at(json_lines(left.out).back(), "type"), "run.paused");
  ASSERT_TRUE(eventually([&] { return stands_still(pid); }));
  const json::object shown = place.show();
  EXPECT_EQ(text_at(shown, "state"), "paused");
  EXPECT_TRUE(shown.at("driver").is_null());
  EXPECT_EQ(text_at(step_of(shown, "busy"), "state"), "running");
  const long before = cpu_ticks(pid);
  std::this_thread::sleep_for(milliseconds{400});  // a busy loop would take 40 ticks in this time
  EXPECT_EQ(cpu_ticks(pid), before);
  EXPECT_EQ(place.baton({"pause", "last"}).code, 0) << "pausing twice is no fault";

  Process resumed = place.start({"resume", "last", "--json"});
  EXPECT_TRUE(eventually([&] { return cpu_ticks(pid) > before; })) << "the same process goes on";
  place.write("go", "");
  const Outcome ended = resumed.wait();
  EXPECT_EQ(ended.code, 0) << ended;
  EXPECT_EQ(place.read("ends"), "ended\n");
  EXPECT_EQ(place.show().at("steps").as_array()[0].as_object().at("attempts").as_array().size(), 1U);
}

bool watches_a_file(pid_t pid) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator{fmt::format("/proc/{}/fd", pid), error}) {
    if (fs::read_symlink(entry, error) == "anon_inode:inotify") return true;
  }
  return false;
}

TEST_F(Control, ADriverThatIsNotYoungAnyMoreHearsTheBell) {
  place.workflow("w", {step("busy", busy)});
  Process run = place.start({"run", "w"});
  (void)pid_in("pid");
  ASSERT_TRUE(eventually([&] { return watches_a_file(run.pid()); }));
  const Outcome paused = place.baton({"pause", "last"});  // refused if nobody hears of it within two seconds
  EXPECT_EQ(paused.code, 0) << paused;
  EXPECT_EQ(run.wait().code, 4);
}

TEST_F(Control, APausedAttemptsTimeoutStandsStill) {
  place.workflow("w", {step("slow", "echo $$ > pid\n" + await_file("go"), "timeout: 2s")});
  Process run = place.start({"run", "w"});
  const pid_t pid = pid_in("pid");
  ASSERT_EQ(place.baton({"pause", "last"}).code, 0);
  EXPECT_EQ(run.wait().code, 4);
  ASSERT_TRUE(eventually([&] { return stands_still(pid); }));
  std::this_thread::sleep_for(milliseconds{2500});  // longer than its time
  EXPECT_TRUE(stands_still(pid));
  place.write("go", "");
  const Outcome resumed = place.baton({"resume", "last"});
  EXPECT_EQ(resumed.code, 0) << resumed;
}

TEST_F(Control, ATimeoutEndsAnAttempt) {
  place.workflow("w", {step("slow", "echo $$ > pid\nsleep 60 & sleep 60", "timeout: 300ms")});
  const Outcome ran = place.baton({"run", "w"});
  EXPECT_EQ(ran.code, 1) << ran;
  const json::object attempt = attempt_of(place.show(), "slow", 1);
  EXPECT_EQ(text_at(attempt, "state"), "failed");
  EXPECT_EQ(text_at(attempt.at("error").as_object(), "code"), "attempt-timed-out");
  EXPECT_TRUE(place.living_steps().empty());
}

TEST_F(Control, CancelLeavesNothingAlive) {
  // One of each kind: an obedient child, one that ignores TERM, one in a session of its own, one that forked twice and
  // ignores TERM, and a root that ignores it too.
  place.workflow("w", {step("tree",
                            "trap '' TERM\nsleep 600 &\n"
                            "sh -c 'trap \"\" TERM; echo $$ > stubborn; while :; do sleep 1; done' &\n"
                            "setsid sh -c 'echo $$ > own-session; sleep 600; sleep 600' &\n"
                            "( setsid sh -c 'trap \"\" TERM; (trap \"\" TERM; sh -c \"echo \\$\\$ > orphan; while :; "
                            "do sleep 1; done\" &) ' & )\n"
                            "echo $$ > root\nwhile :; do sleep 1; done"),
                       step("after", "touch after-ran", "needs: [tree]")});
  Process run = place.start({"run", "w", "--json"});
  std::vector<pid_t> pids;
  for (const char* name : {"stubborn", "own-session", "orphan", "root"}) pids.push_back(pid_in(name));
  for (const pid_t pid : pids) ASSERT_TRUE(is_alive(pid));
  ASSERT_EQ(place.baton({"cancel", "last"}).code, 0);
  EXPECT_TRUE(eventually([&] { return place.living_steps().empty(); }, seconds{2})) << "alive 2 s after cancel";
  const Outcome ran = run.wait();
  EXPECT_EQ(ran.code, 5) << ran;
  const auto lines = json_lines(ran.out);
  EXPECT_EQ(text_at(lines.back(), "type"), "run.finished");
  EXPECT_EQ(text_at(lines.back(), "state"), "cancelled");
  for (const pid_t pid : pids) EXPECT_FALSE(is_alive(pid));
  EXPECT_FALSE(place.exists("after-ran"));
  EXPECT_EQ(step_states_of(place.show()), (std::vector<std::string>{"tree=cancelled", "after=cancelled"}));
  EXPECT_EQ(place.baton({"resume", "last"}).code, 2) << "a cancelled run is over";
}

TEST_F(Control, APausedRunCanBeCancelled) {
  place.workflow("w", {step("busy", busy)});
  Process run = place.start({"run", "w"});
  const pid_t pid = pid_in("pid");
  ASSERT_EQ(place.baton({"pause", "last"}).code, 0);
  EXPECT_EQ(run.wait().code, 4);
  const Outcome cancelled = place.baton({"cancel", "last"});
  EXPECT_EQ(cancelled.code, 0) << cancelled;
  EXPECT_TRUE(eventually([&] { return !is_alive(pid); }, seconds{2}));
  EXPECT_EQ(place.run_state(), "cancelled");
}

TEST_F(Control, ARunWithoutADriverCanBePausedAndCancelled) {
  place.workflow("w", {step("busy", busy)});
  Process run = place.start({"run", "w"});
  const pid_t pid = pid_in("pid");
  run.kill(SIGTERM);
  EXPECT_EQ(run.wait().code, 143);
  ASSERT_EQ(place.baton({"pause", "last"}).code, 0);
  EXPECT_EQ(place.run_state(), "paused");
  EXPECT_TRUE(eventually([&] { return stands_still(pid); }));
  ASSERT_EQ(place.baton({"cancel", "last"}).code, 0);
  EXPECT_TRUE(eventually([&] { return !is_alive(pid); }, seconds{2}));
  EXPECT_EQ(place.run_state(), "cancelled");
}

/// A signal and the exit code that cli.md gives it.
using SignalAndCode = std::pair<int, int>;
class Signalled : public Control, public ::testing::WithParamInterface<SignalAndCode> {};

TEST_P(Signalled, AttemptsLiveOnAndNothingNewStarts) {
  place.workflow("w", {step("a", "echo $$ > pid\n" + await_file("go") + "\necho a >> ran"),
                       step("b", "echo b >> ran", "needs: [a]")});
  Process run = place.start({"run", "w", "--json"});
  const pid_t pid = pid_in("pid");
  ASSERT_TRUE(eventually([&] { return has(run.out(), "step.started"); }));
  run.kill(GetParam().first);
  const Outcome left = run.wait(seconds{10});
  EXPECT_EQ(left.code, GetParam().second) << left;
  EXPECT_FALSE(left.killed) << "it left by itself";
  EXPECT_EQ(text_at(json_lines(left.out).back(), "type"), "run.interrupted");
  EXPECT_TRUE(is_alive(pid));
  json::object shown = place.show();
  EXPECT_EQ(text_at(shown, "state"), "running");
  EXPECT_TRUE(shown.at("driver").is_null());
  place.write("go", "");
  ASSERT_TRUE(eventually([&] { return !is_alive(pid); }));
  // The holder is done with this run once it has nothing more to do for it, and goes: then nothing can start any more.
  EXPECT_TRUE(eventually([&] { return place.living().empty(); }));
  EXPECT_EQ(place.read("ran"), "a\n") << "somebody asked this to stop";
  const Outcome resumed = place.baton({"resume", "last", "--json"});
  EXPECT_EQ(resumed.code, 0) << resumed;
  EXPECT_EQ(place.read("ran"), "a\nb\n");
  shown = place.show();
  EXPECT_EQ(number_at(attempt_of(shown, "a", 1), "exit"), 0);
  EXPECT_EQ(step_of(shown, "a").at("attempts").as_array().size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(All, Signalled,
                         ::testing::Values(SignalAndCode{SIGTERM, 143}, SignalAndCode{SIGINT, 130},
                                           SignalAndCode{SIGHUP, 143}),
                         [](const auto& given) { return fmt::format("Signal{}", given.param.first); });

TEST_F(Control, ResumeAfterASignalReattachesLiveAttempts) {
  place.workflow("w", {step("a", "echo $$ > pid\n" + await_file("go") + "\necho a >> ran; exit 3")});
  Process run = place.start({"run", "w"});
  const pid_t pid = pid_in("pid");
  run.kill(SIGTERM);
  EXPECT_EQ(run.wait().code, 143);
  Process resumed = place.start({"resume", "last", "--json"});
  ASSERT_TRUE(eventually([&] { return has(resumed.out(), "run.resumed"); }));
  EXPECT_TRUE(is_alive(pid));
  place.write("go", "");
  EXPECT_EQ(resumed.wait().code, 1);
  EXPECT_EQ(place.read("ran"), "a\n");
  EXPECT_EQ(number_at(attempt_of(place.show(), "a", 1), "exit"), 3) << "its true exit code";
}

TEST_F(Control, ATimeBudgetPausesAndMoreOfItGoesOn) {
  place.workflow("w", {step("a", "echo $$ > pid\n" + await_file("go")), step("b", "echo b >> ran", "needs: [a]")});
  const Outcome ran = place.baton({"run", "w", "--timeout", "400ms", "--json"});
  EXPECT_EQ(ran.code, 4) << ran;
  EXPECT_EQ(text_at(json_lines(ran.out).back(), "type"), "run.paused");
  const pid_t pid = pid_in("pid");
  ASSERT_TRUE(eventually([&] { return stands_still(pid); }));
  const json::object paused = place.show();
  EXPECT_EQ(text_at(paused, "state"), "paused");
  EXPECT_TRUE(paused.contains("error"));
  place.write("go", "");
  const Outcome resumed = place.baton({"resume", "last", "--timeout", "10m", "--json"});
  EXPECT_EQ(resumed.code, 0) << resumed;
  EXPECT_EQ(place.read("ran"), "b\n");
}

TEST_F(Control, ResumeWithoutMoreTimePausesAgain) {
  place.workflow("w", {step("a", await_file("go"))});
  EXPECT_EQ(place.baton({"run", "w", "--timeout", "300ms"}).code, 4);
  EXPECT_EQ(place.baton({"resume", "last"}).code, 4) << "its options are recorded and hold";
  place.write("go", "");
  EXPECT_EQ(place.baton({"resume", "last", "--timeout", "60s"}).code, 0);
}

}  // namespace
}  // namespace baton::test
