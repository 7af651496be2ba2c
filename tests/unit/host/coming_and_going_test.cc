// Engines, holders and wakes that come and go.

#include <signal.h>
#include <unistd.h>

#include <sys/socket.h>

#include <algorithm>

#include "base/frame.h"
#include "host/holder_link.h"
#include "support/holder_world.h"

namespace baton::test {
namespace {

using namespace std::chrono_literals;

class Comings : public HolderWorld {
 protected:
  // A wake that leaves a line each time.
  void leave_lines() { wake_argv = {"/bin/sh", "-c", "echo woken $INHERITED >> wakes; pwd"}; }
  int wakes() const {
    const std::string text = read_text(file("wakes"));
    return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  }
  /// An attempt that ends when its driver has gone.
  SpawnSpec end_unattended() {
    const SpawnSpec spec = shell({"r", "s", 1}, "until [ -e go ]; do sleep 0.01; done");
    auto first = driver();
    first->client->spawn(spec);
    EXPECT_TRUE(first->until([&] { return first->pid_of(spec.key) != 0; }));
    first.reset();
    write_text(file("go"), "");
    return spec;
  }
};

TEST_F(Comings, AnEngineFindsWhatLivesWaitsAndEnded) {
  const SpawnSpec ended = shell({"r", "ended", 1}, "exit 4");
  SpawnSpec alive = shell({"r", "alive", 1}, "until [ -e go ]; do sleep 0.01; done; exit 5");
  SpawnSpec waiting = shell({"r", "waiting", 1}, "exit 6");
  alive.slots = waiting.slots = 1;
  auto first = driver();
  first->client->spawn(ended);
  ASSERT_TRUE(first->until([&] { return first->exit_of(ended.key); }));
  first->client->spawn(alive);
  first->client->spawn(waiting);
  ASSERT_TRUE(first->until([&] { return first->pid_of(alive.key) != 0; }));
  const pid_t pid = first->pid_of(alive.key);
  first.reset();

  auto second = engine();
  const auto seen = second->client->attach("r");
  ASSERT_TRUE(seen.has_value());
  ASSERT_EQ(seen->size(), 3U);
  for (const Sighting& sighting : *seen) {
    if (sighting.key == ended.key) {
      EXPECT_EQ(sighting.kind, Sighting::Kind::exited);
      EXPECT_EQ(sighting.record.exit, 4);
    } else if (sighting.key == alive.key) {
      EXPECT_EQ(sighting.kind, Sighting::Kind::alive);
      EXPECT_EQ(sighting.pid, pid);
      EXPECT_FALSE(sighting.frozen);
    } else {
      EXPECT_EQ(sighting.key, waiting.key);
      EXPECT_EQ(sighting.kind, Sighting::Kind::waiting);
    }
  }
  write_text(file("go"), "");
  ASSERT_TRUE(second->until([&] { return second->exit_of(alive.key) && second->exit_of(waiting.key); }));
  EXPECT_EQ(second->exit_of(alive.key)->exit, 5);
  EXPECT_EQ(second->exit_of(waiting.key)->exit, 6);
}

TEST_F(Comings, TheHolderGoesWhenAllIsAcknowledged) {
  idle_ms = "50";
  const SpawnSpec spec = shell({"r", "s", 1}, "exit 4");
  {
    auto first = driver();
    first->client->spawn(spec);
    ASSERT_TRUE(first->until([&] { return first->exit_of(spec.key); }));
  }
  auto second = engine();
  auto seen = second->client->attach("r");
  ASSERT_TRUE(seen.has_value());
  ASSERT_EQ(seen->size(), 1U);
  second->client->acknowledge(spec.key);
  const pid_t holder = holder_pid();
  ASSERT_GT(holder, 0);
  second.reset();
  EXPECT_TRUE(eventually([&] { return !is_alive(holder); }));
  EXPECT_FALSE(std::filesystem::exists(state / "holder.sock"));

  auto third = engine();  // with a new holder, from the record alone
  seen = third->client->attach("r");
  ASSERT_TRUE(seen.has_value());
  ASSERT_EQ(seen->size(), 1U);
  EXPECT_EQ(seen->front().record.exit, 4);
  EXPECT_NE(holder_pid(), holder);
}

TEST_F(Comings, AKilledHolderLosesAttemptsButInventsNoEnd) {
  auto engine = driver();
  const SpawnSpec done = shell({"r", "done", 1}, "exit 0");
  SpawnSpec stubborn =
      shell({"r", "stubborn", 1}, "trap '' TERM; (setsid sleep 1000 &); echo > ready; while :; do sleep 1000; done");
  stubborn.grace = 200ms;
  SpawnSpec queued = shell({"r", "queued", 1}, "exit 8");
  stubborn.slots = queued.slots = 1;
  engine->client->spawn(done);
  ASSERT_TRUE(engine->until([&] { return engine->exit_of(done.key); }));
  engine->client->spawn(stubborn);
  engine->client->spawn(queued);
  ASSERT_TRUE(engine->until([&] { return std::filesystem::exists(file("ready")) && marked().size() == 3; }));
  const pid_t holder = holder_pid();
  ASSERT_EQ(::kill(holder, SIGKILL), 0);
  ASSERT_TRUE(engine->until([&] { return engine->was_lost(stubborn.key) && engine->exit_of(queued.key); }));
  EXPECT_EQ(engine->exit_of(stubborn.key), nullptr);
  EXPECT_EQ(engine->exit_of(queued.key)->exit, 8);
  EXPECT_EQ(engine->exits_of(done.key), 1);
  EXPECT_TRUE(marked().empty());
  EXPECT_NE(holder_pid(), holder);
}

TEST_F(Comings, LeftoversOfADeadHolderAreStoppedForALaterEngine) {
  const SpawnSpec spec = shell({"r", "s", 1}, "trap '' TERM; while :; do sleep 1000; done");
  auto first = driver();
  first->client->spawn(spec);
  ASSERT_TRUE(first->until([&] { return first->pid_of(spec.key) != 0; }));
  const pid_t holder = holder_pid();
  first.reset();
  ASSERT_EQ(::kill(holder, SIGKILL), 0);
  ASSERT_TRUE(eventually([&] { return !is_alive(holder); }));
  EXPECT_FALSE(marked().empty());

  auto second = engine();
  const auto seen = second->client->attach("r");
  ASSERT_TRUE(seen.has_value());
  EXPECT_TRUE(seen->empty());
  EXPECT_TRUE(second->client->was_started(spec.key));
  second->client->stop(spec.key, 100ms);
  ASSERT_TRUE(second->until([&] { return second->was_lost(spec.key); }));
  EXPECT_TRUE(marked().empty());
}

TEST_F(Comings, AWakeRunsUntilTheEndIsAcknowledged) {
  leave_lines();
  const SpawnSpec spec = end_unattended();
  ASSERT_TRUE(eventually([&] { return wakes() == 2; }));  // at once, and again after a second
  EXPECT_EQ(read_text(file("wakes")), "woken yes\nwoken yes\n");
  EXPECT_EQ(read_text(folder / "runs" / "r" / "wake.log"), folder.string() + "\n" + folder.string() + "\n");
  idle_ms = "0";
  auto second = driver();
  second->client->acknowledge(spec.key);
  const auto seen = second->client->attach("r");  // answered after the acknowledgement was heard
  ASSERT_TRUE(seen.has_value());
  second.reset();
  // Nothing is left to be waited for: no further wake comes, and a new driver finds only the record.
  EXPECT_EQ(wakes(), 2);
}

TEST_F(Comings, AWakeThatDiedHalfWayIsFollowedByAnother) {
  // It had the run in hand and acknowledged the end, and then it was killed.
  wake_argv = {
      "/bin/sh", "-c",
      "echo woken >> wakes; [ $(wc -l < wakes) -gt 1 ] || { until [ -e taken ]; do sleep 0.01; done; kill -9 $$; }"};
  const SpawnSpec spec = end_unattended();
  ASSERT_TRUE(eventually([&] { return wakes() == 1; }));
  {
    auto woken = driver();
    ASSERT_TRUE(woken->client->attach("r").has_value());
    woken->client->acknowledge(spec.key);
    ASSERT_TRUE(woken->client->attach("r").has_value());
  }
  write_text(file("taken"), "");
  EXPECT_TRUE(eventually([&] { return wakes() == 2; })) << "nobody else would go on with what it left";
}

TEST_F(Comings, NoWakeWhileSomebodyDrives) {
  leave_lines();
  auto engine = driver();
  const SpawnSpec spec = shell({"r", "s", 1}, "exit 0");
  engine->client->wake_at("r", std::chrono::time_point_cast<Millis>(std::chrono::system_clock::now()));
  engine->client->spawn(spec);
  ASSERT_TRUE(engine->until([&] { return engine->exit_of(spec.key); }));
  engine->client->acknowledge(spec.key);
  ASSERT_TRUE(engine->client->attach("r").has_value());
  EXPECT_EQ(wakes(), 0);
  engine.reset();  // the time is past and nobody drives any more
  EXPECT_TRUE(eventually([&] { return wakes() == 1; }));
}

TEST_F(Comings, AWakeComesAtItsTimeAndOnlyThen) {
  leave_lines();
  idle_ms = "50";
  const auto when = std::chrono::time_point_cast<Millis>(std::chrono::system_clock::now()) + 500ms;
  {
    auto engine = driver();
    engine->client->wake_at("r", when);
  }
  const pid_t holder = holder_pid();
  ASSERT_TRUE(eventually([&] { return wakes() == 1; }));
  EXPECT_GE(std::chrono::system_clock::now(), when);
  EXPECT_TRUE(eventually([&] { return !is_alive(holder); }));
  EXPECT_EQ(wakes(), 1);
}

TEST_F(Comings, AnEndThatIsNotedWakesNobodyAndIsKept) {
  leave_lines();
  const SpawnSpec spec = shell({"r", "s", 1}, "exit 0");
  const auto when = std::chrono::time_point_cast<Millis>(std::chrono::system_clock::now()) + 500ms;
  {
    auto first = driver();
    first->client->spawn(spec);
    ASSERT_TRUE(first->until([&] { return first->exit_of(spec.key); }));
    first->client->wake_at("r", when);
    first->client->note(spec.key);
    ASSERT_TRUE(first->client->attach("r").has_value());  // answered after all that was heard
  }
  ASSERT_TRUE(eventually([&] { return wakes() == 1; }));
  EXPECT_GE(std::chrono::system_clock::now(), when) << "not for the end, but for the time";
  auto second = driver();
  const auto seen = second->client->attach("r");
  ASSERT_TRUE(seen.has_value());
  ASSERT_EQ(seen->size(), 1U);
  EXPECT_EQ(seen->front().kind, Sighting::Kind::exited);
}

TEST_F(Comings, AWakeCanBeAskedFor) {
  leave_lines();
  auto asker = engine();
  EXPECT_FALSE(asker->client->wake_now("r"));
  const SpawnSpec spec = shell({"r", "s", 1}, "sleep 1000");
  auto first = driver();
  first->client->spawn(spec);
  ASSERT_TRUE(first->until([&] { return first->pid_of(spec.key) != 0; }));
  first.reset();
  EXPECT_TRUE(asker->client->wake_now("r"));
  EXPECT_TRUE(eventually([&] { return wakes() == 1; }));
  EXPECT_FALSE(asker->client->wake_now("unheard-of"));
}

TEST_F(Comings, TwoDriversOfTwoRunsHearOnlyOfTheirOwn) {
  auto one = driver("one");
  auto two = driver("two");
  const SpawnSpec first = shell({"one", "s", 1}, "exit 1");
  const SpawnSpec second = shell({"two", "s", 1}, "exit 2");
  one->client->spawn(first);
  two->client->spawn(second);
  ASSERT_TRUE(one->until([&] { return one->exit_of(first.key); }));
  ASSERT_TRUE(two->until([&] { return two->exit_of(second.key); }));
  EXPECT_EQ(one->notices.size(), 2U);
  EXPECT_EQ(two->notices.size(), 2U);
  EXPECT_EQ(two->exit_of(second.key)->exit, 2);
}

TEST_F(Comings, ALaterDriverTakesOver) {
  auto old = driver();
  auto fresh = driver();
  const SpawnSpec spec = shell({"r", "s", 1}, "exit 0");
  old->client->spawn(shell({"r", "stale", 1}, "exit 0"));
  fresh->client->spawn(spec);
  ASSERT_TRUE(fresh->until([&] { return fresh->exit_of(spec.key); }));
  EXPECT_TRUE(old->notices.empty());
  EXPECT_FALSE(fresh->client->was_started({"r", "stale", 1}));
}

TEST_F(Comings, GarbageEndsOnlyTheConnectionItCameFrom) {
  auto engine = driver();
  const SpawnSpec spec = shell({"r", "s", 1}, "until [ -e go ]; do sleep 0.01; done; exit 3");
  engine->client->spawn(spec);
  const std::string frames[] = {std::string(64, '\xFF'),       std::string("\x08\0\0\0\xFF\0\0\0abcd", 12),
                                std::string("\0\0\0\0", 4),    encode_frame({"no-such-verb", "r"}),
                                encode_frame({"attach", "r"}), encode_frame({"attach", "q", "/x", "/", "99", "a"}),
                                encode_frame({"spawn"}),       "GET / HTTP/1.1\r\n\r\n"};
  for (const std::string& frame : frames) {
    const Descriptor link = connect_to_holder(state.string());
    ASSERT_TRUE(link);
    ASSERT_EQ(::send(link.get(), frame.data(), frame.size(), MSG_NOSIGNAL), static_cast<ssize_t>(frame.size()));
    char byte = 0;
    EXPECT_TRUE(eventually([&] { return ::recv(link.get(), &byte, 1, MSG_DONTWAIT) == 0; })) << frame;
  }
  write_text(file("go"), "");
  ASSERT_TRUE(engine->until([&] { return engine->exit_of(spec.key); }));
  EXPECT_EQ(engine->exit_of(spec.key)->exit, 3);
}

TEST_F(Comings, AFolderWithALongPathHasAHolderToo) {
  state = folder / std::string(120, 'a') / std::string(120, 'b');
  std::filesystem::create_directories(state);
  auto engine = driver();
  const SpawnSpec spec = shell({"r", "s", 1}, "exit 0");
  engine->client->spawn(spec);
  EXPECT_TRUE(engine->until([&] { return engine->exit_of(spec.key); }));
}

TEST_F(Comings, OnlyOneHolderStartsAndTerminalsDoNotEndIt) {
  auto engine = driver();
  const pid_t holder = holder_pid();
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGPIPE}) ::kill(holder, signal);
  auto others = {driver("a"), driver("b"), driver("c")};
  EXPECT_EQ(others.size(), 3U);
  EXPECT_EQ(holder_pid(), holder);
  EXPECT_EQ(std::filesystem::status(state / "holder.sock").permissions(), std::filesystem::perms{0600});
}

TEST_F(Comings, AHolderThatCannotStartIsAFault) {
  HolderOptions broken = options();
  broken.program = "/no/such/holder";
  Engine engine{broken};
  const auto seen = engine.client->attach("r");
  ASSERT_FALSE(seen.has_value());
  EXPECT_EQ(seen.error().code, "holder-unreachable");
}

}  // namespace
}  // namespace baton::test
