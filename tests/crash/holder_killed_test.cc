// The holder is killed with -9: nobody saw how its attempts ended, and nobody pretends to.
#include <signal.h>

#include <fmt/core.h>

#include <algorithm>

#include "support/programs.h"

namespace baton::test {
namespace {

class HolderKilled : public Outside {
 protected:
  /// A step that begins with a mark, waits, and ends with another one.
  void write_one(const std::string& policy) {
    place.workflow("w", {step("a",
                              "echo begin $BATON_ATTEMPT >> ran\necho $$ > pid$BATON_ATTEMPT\n" + await_file("go") +
                                  "\necho end $BATON_ATTEMPT >> ran",
                              policy),
                         step("b", "echo b >> ran", "needs: [a]")});
  }
  pid_t pid_of_attempt(int n) {
    const std::string name = fmt::format("pid{}", n);
    EXPECT_TRUE(eventually([&] { return place.read(name).ends_with('\n'); })) << name;
    return static_cast<pid_t>(std::stol("0" + place.read(name)));
  }
  void expect_unknown(const json::object& shown) {
    const json::object attempt = attempt_of(shown, "a", 1);
    EXPECT_EQ(text_at(attempt, "state"), "unknown") << json::serialize(attempt);
    EXPECT_FALSE(attempt.contains("exit"));
  }
  /// Nothing of the first attempt may be at work beside the second.
  void expect_alone(pid_t first) {
    EXPECT_TRUE(eventually([&] { return !is_alive(first); })) << first;
  }
};

TEST_F(HolderKilled, UnknownIsRetriedByDefault) {
  write_one("");
  Process run = place.start({"run", "w", "--json"});
  const pid_t first = pid_of_attempt(1);
  ASSERT_TRUE(eventually([&] { return has(run.out(), "step.started"); }));
  place.kill_holder();
  (void)pid_of_attempt(2);
  expect_alone(first);
  place.write("go", "");
  const Outcome ran = run.wait();
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(place.read("ran"), "begin 1\nbegin 2\nend 2\nb\n");
  const json::object shown = place.show();
  expect_unknown(shown);
  EXPECT_EQ(text_at(attempt_of(shown, "a", 2), "state"), "completed");
}

TEST_F(HolderKilled, UnknownDoesNotUseUpARetry) {
  write_one("retries: 0\non_unknown: retry");
  Process run = place.start({"run", "w"});
  for (int n = 1; n <= 3; ++n) {
    (void)pid_of_attempt(n);
    // Only what is on record as started can be lost.
    ASSERT_TRUE(eventually(
        [&] { return text_at(attempt_of(place.show(), "a", static_cast<std::size_t>(n)), "state") == "running"; }));
    if (n < 3) place.kill_holder();
  }
  place.write("go", "");
  const Outcome ran = run.wait();
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(place.read("ran"), "begin 1\nbegin 2\nbegin 3\nend 3\nb\n");
}

TEST_F(HolderKilled, UnknownCanBeAFailure) {
  write_one("on_unknown: fail");
  Process run = place.start({"run", "w", "--json"});
  const pid_t first = pid_of_attempt(1);
  place.kill_holder();
  const Outcome ran = run.wait();
  EXPECT_EQ(ran.code, 1) << ran;
  expect_alone(first);
  const json::object shown = place.show();
  expect_unknown(shown);
  EXPECT_EQ(step_states_of(shown), (std::vector<std::string>{"a=failed", "b=skipped"}));
  EXPECT_EQ(place.read("ran"), "begin 1\n");
}

TEST_F(HolderKilled, UnknownCanBeAskedAbout) {
  write_one("on_unknown: ask");
  Process run = place.start({"run", "w", "--json"});
  const pid_t first = pid_of_attempt(1);
  place.kill_holder();
  const Outcome ran = run.wait();
  EXPECT_EQ(ran.code, 3) << ran;
  EXPECT_EQ(text_at(json_lines(ran.out).back(), "type"), "run.reviewing");
  expect_alone(first);
  const json::object shown = place.show();
  expect_unknown(shown);
  EXPECT_EQ(text_at(shown, "state"), "reviewing");
  EXPECT_EQ(place.read("ran"), "begin 1\n");
  place.write("go", "");
  const Outcome retried = place.baton({"retry", "last", "a"});
  EXPECT_EQ(retried.code, 0) << retried;
  EXPECT_EQ(place.read("ran"), "begin 1\nbegin 2\nend 2\nb\n");
  expect_unknown(place.show());
}

TEST_F(HolderKilled, EndedAttemptsStayKnown) {
  place.workflow("w", {step("quick", "echo quick >> ran; exit 0"),
                       step("slow", "echo $$ > pid$BATON_ATTEMPT; " + await_file("go") + "; echo slow >> ran")});
  Process run = place.start({"run", "w", "--json"});
  (void)pid_of_attempt(1);
  ASSERT_TRUE(eventually([&] { return has(run.out(), "step.finished"); }));
  place.kill_holder();
  place.write("go", "");
  EXPECT_EQ(run.wait().code, 0);
  EXPECT_EQ(count_lines(place.file("ran"), "quick"), 1) << "what is recorded never runs again";
}

class BothKilled : public HolderKilled, public ::testing::WithParamInterface<std::string> {};

TEST_P(BothKilled, FollowsThePolicyOnResume) {
  write_one("on_unknown: " + GetParam());
  Process run = place.start({"run", "w", "--json"});
  const pid_t first = pid_of_attempt(1);
  // Both at one moment, and the engine first, so that it cannot see the holder go.
  for (const char* program : {"baton", "baton-holder"}) place.kill_all(program);
  (void)run.wait();
  EXPECT_TRUE(is_alive(first)) << "it has become an orphan";
  Process resumed = place.start({"resume", "last"});
  expect_alone(first);
  if (GetParam() == "retry") (void)pid_of_attempt(2);
  place.write("go", "");
  const Outcome ended = resumed.wait();
  const int expected = GetParam() == "retry" ? 0 : GetParam() == "fail" ? 1 : 3;
  EXPECT_EQ(ended.code, expected) << ended;
  expect_unknown(place.show());
  EXPECT_EQ(place.read("ran"), GetParam() == "retry" ? "begin 1\nbegin 2\nend 2\nb\n" : "begin 1\n");
}

INSTANTIATE_TEST_SUITE_P(All, BothKilled, ::testing::Values("retry", "fail", "ask"),
                         [](const auto& given) { return given.param; });

TEST_F(HolderKilled, BothAfterTheEndWasRecorded) {
  // The exit is in the holder's own record although no engine ever saw it: it is known.
  write_one("");
  Process run = place.start({"run", "w"});
  const pid_t first = pid_of_attempt(1);
  ASSERT_TRUE(eventually([&] { return place.run_state() == "running"; }));
  run.kill(SIGSTOP);
  ASSERT_TRUE(eventually([&] { return state_of(run.pid()) == 'T'; }));
  place.write("go", "");
  ASSERT_TRUE(eventually([&] { return !is_alive(first); }));
  const std::string held = text_at(place.show(), "folder") + "/held.log";
  // What was to follow it may have begun at once: that has to be over too, or nobody knows how it ended.
  const auto lines_with = [&](const char* word) {
    return std::ranges::count_if(lines_of(read_text(held)),
                                 [&](const std::string& line) { return line.starts_with(word); });
  };
  ASSERT_TRUE(eventually([&] { return lines_with("exit") > 0 && lines_with("exit") == lines_with("start"); }));
  place.kill_all("baton-holder");  // first: it would have the run go on
  place.kill_all("baton");
  (void)run.wait();
  const Outcome resumed = place.baton({"resume", "last"});
  EXPECT_EQ(resumed.code, 0) << resumed;
  EXPECT_EQ(place.read("ran"), "begin 1\nend 1\nb\n");
  EXPECT_EQ(number_at(attempt_of(place.show(), "a", 1), "exit"), 0);
}

}  // namespace
}  // namespace baton::test
