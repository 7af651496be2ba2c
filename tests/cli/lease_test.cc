// Several processes and one run: who drives it, who is handed over, who is refused.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <fmt/core.h>
#include <sys/file.h>

#include <array>

#include "support/programs.h"

namespace baton::test {
namespace {

using std::chrono::seconds;

class Leases : public Outside {
 protected:
  void expect_pid_and_host(const Outcome& refused, pid_t owner) {
    std::array<char, 256> host{};
    ::gethostname(host.data(), host.size() - 1);
    EXPECT_TRUE(has(refused.err, std::to_string(owner))) << refused;
    EXPECT_TRUE(has(refused.err, host.data())) << refused;
  }
  /// A process that is stopped in the middle of a commit holds the database itself, and nobody can take that over; here
  /// it is the lease that matters.
  void stop_between_commits(Process& driver) {
    ASSERT_TRUE(eventually([&] {
      driver.kill(SIGSTOP);
      const bool stopped = eventually([&] { return state_of(driver.pid()) == 'T'; });
      const int lock = ::open(place.state("db.lock").c_str(), O_RDWR | O_CLOEXEC);
      const bool free = lock >= 0 && ::flock(lock, LOCK_EX | LOCK_NB) == 0;
      if (lock >= 0) ::close(lock);
      if (!free) driver.kill(SIGCONT);
      return stopped && free;
    }));
  }
  std::int64_t events() { return query_number(place.state("baton.db"), "SELECT count(*) FROM events"); }
};

TEST_F(Leases, ShowNamesTheDriver) {
  place.workflow("w", {step("a", "touch here; " + await_file("go"))});
  Process run = place.start({"run", "w"});
  ASSERT_TRUE(eventually([&] { return place.exists("here"); }));
  const json::object shown = place.show();
  ASSERT_TRUE(shown.at("driver").is_object());
  EXPECT_EQ(number_at(shown.at("driver").as_object(), "pid"), run.pid());
  EXPECT_EQ(shown.at("progress").as_object().at("current"), (json::array{"a"}));
  place.write("go", "");
  EXPECT_EQ(run.wait().code, 0);
}

TEST_F(Leases, ASecondProcessIsHandedOverAndFollows) {
  for (const int code : {0, 1}) {
    Place here;
    here.workflow("w", {step("a", "touch here; " + await_file("go") + fmt::format("; echo a >> ran; exit {}", code)),
                        step("b", "echo b >> ran", "needs: [a]")});
    Process first = here.start({"run", "w", "--json"});
    ASSERT_TRUE(eventually([&] { return here.exists("here"); }));
    Process second = here.start({"resume", "last", "--json"});
    ASSERT_TRUE(eventually([&] { return has(second.out(), "run.resumed"); }));
    here.write("go", "");
    const Outcome one = first.wait();
    const Outcome two = second.wait();
    EXPECT_EQ(one.code, code) << one;
    EXPECT_EQ(two.code, code) << two;
    EXPECT_EQ(here.read("ran"), code == 0 ? "a\nb\n" : "a\n");
    const auto lines = json_lines(two.out);
    EXPECT_EQ(text_at(lines.front(), "type"), "run.started");
    EXPECT_EQ(text_at(lines.at(1), "type"), "run.resumed");
    EXPECT_EQ(text_at(lines.back(), "type"), "run.finished");
    EXPECT_EQ(lines.back(), json_lines(one.out).back()) << "both tell the same end";
  }
}

TEST_F(Leases, ADeadOwnersLeaseIsTakenAtOnce) {
  place.workflow("w", {step("a", "touch here; " + await_file("go") + "; echo a >> ran")});
  Process first = place.start({"run", "w"});
  ASSERT_TRUE(eventually([&] { return place.exists("here"); }));
  first.kill(SIGKILL);
  EXPECT_TRUE(first.wait().killed);
  EXPECT_TRUE(place.show().at("driver").is_null());
  Process second = place.start({"resume", "last", "--json"});
  // The lease would last 15 s; a dead owner does not keep it.
  EXPECT_TRUE(eventually([&] { return has(second.out(), "run.resumed"); }, seconds{5}));
  place.write("go", "");
  EXPECT_EQ(second.wait().code, 0);
  EXPECT_EQ(place.read("ran"), "a\n");
}

TEST_F(Leases, AStoppedOwnerIsNamed) {
  place.workflow("w", {step("a", "touch here; " + await_file("go"))});
  Process first = place.start({"run", "w"});
  ASSERT_TRUE(eventually([&] { return place.exists("here"); }));
  ASSERT_TRUE(eventually([&] { return text_at(step_of(place.show(), "a"), "state") == "running"; }));
  stop_between_commits(first);
  for (const char* verb : {"resume", "pause", "cancel"}) {
    const Outcome refused = place.baton({verb, "last"});
    EXPECT_EQ(refused.code, 2) << verb << ": " << refused;
    EXPECT_TRUE(says_error(refused, "run-is-driven")) << refused;
    expect_pid_and_host(refused, first.pid());
  }
  first.kill(SIGCONT);
  place.write("go", "");
  const Outcome ran = first.wait();
  EXPECT_EQ(ran.code, 0) << "what was refused left no trace: " << ran;
}

TEST_F(Leases, AStaleOwnerCannotAppend) {
  place.env["BATON_LIMITS__LEASE"] = "1s";
  place.workflow(
      "w", {step("a", "touch here; " + await_file("go") + "; echo a >> ran"), step("b", "echo b >> ran", "needs: [a]"),
            step("c", "touch c-here; " + await_file("go-c") + "; echo c >> ran", "needs: [b]")});
  Process first = place.start({"run", "w"});
  ASSERT_TRUE(eventually([&] { return place.exists("here"); }));
  stop_between_commits(first);
  // Until the lease has run out this is refused; then it is taken over.
  std::optional<Process> second;
  ASSERT_TRUE(eventually([&] {
    second.reset();
    second.emplace(place.start({"resume", "last", "--json"}));
    const bool driving = eventually([&] { return second->ended() || has(second->out(), "run.resumed"); });
    return driving && !second->ended();
  }));
  place.write("go", "");
  ASSERT_TRUE(eventually([&] { return place.exists("c-here"); }));
  // With its start on record the new owner has nothing more to append until the step ends.
  // (The holder may have started it before its admission was.)
  ASSERT_TRUE(eventually([&] {
    const json::array attempts = step_of(place.show(), "c").at("attempts").as_array();
    return !attempts.empty() && text_at(attempts[0].as_object(), "state") == "running";
  }));
  const std::int64_t before = events();
  first.kill(SIGCONT);
  const Outcome lost = first.wait();
  EXPECT_NE(lost.code, 0) << lost;
  EXPECT_TRUE(says_error(lost, "lease-lost")) << lost;
  EXPECT_EQ(events(), before) << "the old owner appended";
  EXPECT_EQ(number_at(place.show().at("driver").as_object(), "pid"), second->pid());
  place.write("go-c", "");
  const Outcome ended = second->wait();
  EXPECT_EQ(ended.code, 0) << ended;
  EXPECT_EQ(place.read("ran"), "a\nb\nc\n");
}

TEST_F(Leases, AFollowerTakesOverWhenTheDriverDies) {
  place.workflow("w", {step("a", "touch here; " + await_file("go") + "; echo a >> ran"),
                       step("b", "echo b >> ran", "needs: [a]")});
  Process first = place.start({"run", "w"});
  ASSERT_TRUE(eventually([&] { return place.exists("here"); }));
  Process second = place.start({"resume", "last"});
  ASSERT_TRUE(eventually([&] { return has(second.err(), "goes on"); }));
  first.kill(SIGKILL);
  (void)first.wait();
  place.write("go", "");
  const Outcome ended = second.wait();
  EXPECT_EQ(ended.code, 0) << ended;
  EXPECT_EQ(place.read("ran"), "a\nb\n");
}

TEST_F(Leases, AFollowerCanBeInterruptedToo) {
  place.workflow("w", {step("a", "touch here; " + await_file("go"))});
  Process first = place.start({"run", "w", "--json"});
  ASSERT_TRUE(eventually([&] { return place.exists("here"); }));
  Process second = place.start({"resume", "last", "--json"});
  ASSERT_TRUE(eventually([&] { return has(second.out(), "run.resumed"); }));
  second.kill(SIGTERM);
  const Outcome left = second.wait();
  EXPECT_EQ(left.code, 143);
  EXPECT_EQ(text_at(json_lines(left.out).back(), "type"), "run.interrupted") << left;
  place.write("go", "");
  EXPECT_EQ(first.wait().code, 0) << "the driver is not disturbed";
}

TEST_F(Leases, OptionsGivenAnewReachTheDriver) {
  // Two steps that wait for each other cannot end one at a time; a second job, asked for from outside, lets them.
  place.workflow(
      "w", {step("a", "touch a-here; " + await_file("b-here")), step("b", "touch b-here; " + await_file("a-here"))});
  Process first = place.start({"run", "w", "--jobs", "1"});
  ASSERT_TRUE(eventually([&] { return place.exists("a-here"); }));
  Process second = place.start({"resume", "last", "--jobs", "2"});
  EXPECT_TRUE(eventually([&] { return place.exists("b-here"); }, seconds{5})) << "--jobs 2 was not heard";
  place.write("b-here", "");
  EXPECT_EQ(first.wait().code, 0);
  EXPECT_EQ(second.wait().code, 0);
}

TEST_F(Leases, TwoRunsAtOnceDoNotDisturbEachOther) {
  place.workflow("w", {step("a", "touch here-$BATON_RUN; " + await_file("go") + "; echo a >> ran"),
                       step("b", "echo b >> ran", "needs: [a]")});
  Process first = place.start({"run", "w"});
  Process second = place.start({"run", "w"});
  ASSERT_TRUE(eventually([&] { return place.living("baton-holder").size() == 1; })) << "one holder serves both";
  place.write("go", "");
  EXPECT_EQ(first.wait().code, 0);
  EXPECT_EQ(second.wait().code, 0);
  EXPECT_EQ(count_lines(place.file("ran"), "a"), 2);
  EXPECT_EQ(count_lines(place.file("ran"), "b"), 2);
}

}  // namespace
}  // namespace baton::test
