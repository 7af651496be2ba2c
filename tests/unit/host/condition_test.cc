// Attempts that are asked for on the condition that another one ends well.

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <fmt/core.h>
#include <sys/stat.h>

#include <sstream>

#include "support/holder_world.h"

namespace baton::test {
namespace {

using namespace std::chrono_literals;

class Conditions : public HolderWorld {
 protected:
  Conditions() {
    EXPECT_EQ(::mkfifo(file("gate").c_str(), 0600), 0);
    gate_ = ::open(file("gate").c_str(), O_RDWR | O_CLOEXEC);  // so that nobody waits for the other end
  }
  ~Conditions() override { ::close(gate_); }

  /// It ends as it does when it is let go.
  SpawnSpec held_back(const AttemptKey& key, const std::string& end) const {
    return shell(key, fmt::format("read x < gate; {}", end));
  }
  void let_go() const { EXPECT_EQ(::write(gate_, "go\n", 3), 3); }
  SpawnSpec after(const AttemptKey& other, const AttemptKey& key, const std::string& script) const {
    SpawnSpec spec = shell(key, script);
    spec.slots = 1;
    spec.after = SpawnCondition{.step = other.step, .attempt = other.attempt};
    return spec;
  }
  /// The kinds and steps of the held log's records, in order.
  std::string records() const {
    std::string text;
    std::istringstream log{read_text(folder / "runs" / "r" / "held.log")};
    for (std::string line; std::getline(log, line);) {
      std::istringstream fields{line};
      std::string kind;
      std::string step;
      fields >> kind >> step;
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", kind, step);
    }
    return text;
  }
  static bool never_ran(const Engine& engine, const AttemptKey& key) {
    return engine.exit_of(key) != nullptr && engine.exit_of(key)->never_ran();
  }

  const AttemptKey a{"r", "a", 1};
  const AttemptKey b{"r", "b", 1};
  const AttemptKey c{"r", "c", 1};

 private:
  int gate_ = -1;
};

TEST_F(Conditions, ThatAreMetStartTheNextBehindTheRecordOfTheEnd) {
  auto engine = driver();
  engine->client->spawn(held_back(a, "exit 0"));
  engine->client->spawn(after(a, b, "exit 0"));
  engine->client->spawn(after(b, c, "exit 3"));
  ASSERT_TRUE(engine->until([&] { return engine->pid_of(a) != 0; }));
  EXPECT_EQ(records(), "start a");
  let_go();
  ASSERT_TRUE(engine->until([&] { return engine->exit_of(c); }));
  EXPECT_EQ(engine->exit_of(c)->exit, 3);
  EXPECT_EQ(records(), "start a, exit a, start b, exit b, start c, exit c");
}

TEST_F(Conditions, ThatAreNotMetLeaveNoTrace) {
  for (const std::string end : {"exit 1", "kill -9 $$"}) {
    const AttemptKey first{"r", "first" + std::to_string(end.size()), 1};
    auto engine = driver();
    engine->client->spawn(held_back(first, end));
    engine->client->spawn(after(first, b, "exit 0"));
    engine->client->spawn(after(b, c, "exit 0"));
    ASSERT_TRUE(engine->until([&] { return engine->pid_of(first) != 0; }));
    let_go();
    ASSERT_TRUE(engine->until([&] { return never_ran(*engine, b) && never_ran(*engine, c); })) << end;
    EXPECT_FALSE(engine->client->was_started(b));
    EXPECT_FALSE(engine->client->was_started(c));
  }
}

TEST_F(Conditions, HoldForAnEndThatWasStoppedOrTooLate) {
  auto engine = driver();
  engine->client->spawn(shell(a, "trap 'exit 0' TERM; echo ready; while :; do sleep 0.01; done"));
  engine->client->spawn(after(a, b, "exit 0"));
  ASSERT_TRUE(engine->until([&] { return out(a) == "ready\n"; }));
  engine->client->stop(a, 20s);
  ASSERT_TRUE(engine->until([&] { return engine->exit_of(a) && engine->exit_of(b); }));
  EXPECT_EQ(engine->exit_of(a)->exit, 0);
  EXPECT_TRUE(never_ran(*engine, b)) << "it did not end by itself";

  const AttemptKey late{"r", "late", 1};
  SpawnSpec spec = after(late, c, "exit 0");
  spec.after->within = 50ms;
  engine->client->spawn(shell(late, "sleep 0.1"));
  engine->client->spawn(spec);
  ASSERT_TRUE(engine->until([&] { return engine->exit_of(c); }));
  EXPECT_TRUE(never_ran(*engine, c));
}

TEST_F(Conditions, MayBeNamedWhenTheyAreMetAlready) {
  auto engine = driver();
  engine->client->spawn(shell(a, "exit 0"));
  ASSERT_TRUE(engine->until([&] { return engine->exit_of(a); }));
  engine->client->spawn(after(a, b, "exit 4"));
  ASSERT_TRUE(engine->until([&] { return engine->exit_of(b); }));
  EXPECT_EQ(engine->exit_of(b)->exit, 4);
  engine->client->spawn(after({"r", "nobody", 1}, c, "exit 0"));
  ASSERT_TRUE(engine->until([&] { return engine->exit_of(c); }));
  EXPECT_TRUE(never_ran(*engine, c)) << "what it is to wait for is not known";
}

TEST_F(Conditions, CanBeTakenBackAsAWholeLine) {
  auto engine = driver();
  engine->client->spawn(held_back(a, "exit 0"));
  engine->client->spawn(after(a, b, "exit 0"));
  engine->client->spawn(after(b, c, "exit 0"));
  engine->client->stop(b, 5s);
  ASSERT_TRUE(engine->until([&] { return never_ran(*engine, b) && never_ran(*engine, c); }));
  let_go();
  ASSERT_TRUE(engine->until([&] { return engine->exit_of(a); }));
  EXPECT_EQ(records(), "start a, exit a");
}

TEST_F(Conditions, WaitWhileTheRunStandsStill) {
  auto engine = driver();
  engine->client->spawn(held_back(a, "exit 0"));
  engine->client->spawn(after(a, b, "exit 0"));
  ASSERT_TRUE(engine->until([&] { return engine->pid_of(a) != 0; }));
  const pid_t pid = engine->pid_of(a);
  engine->client->freeze("r");
  ASSERT_TRUE(
      eventually([&] { return read_text(fmt::format("/proc/{}/stat", pid)).find(") T") != std::string::npos; }));
  let_go();
  // Somebody else lets it go on, as often as it takes: the holder stops it until all of its tree stands still.
  ASSERT_TRUE(engine->until([&] {
    if (!engine->exit_of(a)) ::kill(pid, SIGCONT);
    return engine->exit_of(a);
  }));
  EXPECT_EQ(records(), "start a, exit a");
  engine->client->thaw("r");
  ASSERT_TRUE(engine->until([&] { return engine->exit_of(b); }));
  EXPECT_EQ(engine->exit_of(b)->exit, 0);
}

TEST_F(Conditions, AreMetWithNobodyThere) {
  auto engine = driver();
  engine->client->spawn(held_back(a, "exit 0"));
  engine->client->spawn(after(a, b, "exit 5"));
  ASSERT_TRUE(engine->until([&] { return engine->pid_of(a) != 0; }));
  engine.reset();
  let_go();
  ASSERT_TRUE(eventually([&] { return records() == "start a, exit a, start b, exit b"; }));
}

TEST_F(Conditions, AreForgottenByWhoLeavesOnPurpose) {
  auto engine = driver();
  engine->client->spawn(held_back(a, "exit 0"));
  engine->client->spawn(after(a, b, "exit 0"));
  ASSERT_TRUE(engine->until([&] { return engine->pid_of(a) != 0; }));
  engine->client->detach("r");
  auto next = driver();
  let_go();
  ASSERT_TRUE(next->until([&] { return next->exit_of(a); }));
  EXPECT_EQ(records(), "start a, exit a");
}

TEST_F(Conditions, AreNotMetForAHolderThatNeverSawThem) {
  auto engine = driver();
  engine->client->spawn(held_back(a, "exit 0"));
  engine->client->spawn(after(a, b, "exit 0"));
  ASSERT_TRUE(engine->until([&] { return engine->pid_of(a) != 0; }));
  ::kill(holder_pid(), SIGKILL);
  ASSERT_TRUE(engine->until([&] { return engine->was_lost(a) && engine->exit_of(b); }));
  EXPECT_TRUE(never_ran(*engine, b));
}

}  // namespace
}  // namespace baton::test
