// Whole trees: what an attempt started is stopped, frozen and ended with it, however it forked away.

#include <signal.h>

#include "support/holder_world.h"

namespace baton::test {
namespace {

using namespace std::chrono_literals;

// Forks away in every way: a child, a double fork, a session of its own, TERM ignored. Each leaves its pid in a file.
constexpr const char* sprawl = R"(
note() { echo "$1" >> pids; }
sleep 1001 & note $!
( ( sh -c 'echo $$ >> pids; exec sleep 1002' & ) & )
setsid sh -c 'echo $$ >> pids; exec sleep 1003' &
( setsid sh -c 'trap "" TERM; echo $$ >> pids; while :; do sleep 1004; done' & )
sh -c 'trap "" TERM HUP; echo $$ >> pids; while :; do sleep 1005; done' &
)";
constexpr int sprawl_size = 5;

class Trees : public HolderWorld {
 protected:
  std::vector<pid_t> pids() const {
    std::vector<pid_t> out;
    std::istringstream in{read_text(file("pids"))};
    for (pid_t pid = 0; in >> pid;) out.push_back(pid);
    return out;
  }
  bool all_there() const { return pids().size() == sprawl_size; }
  int alive() const {
    int count = 0;
    for (const pid_t pid : pids()) count += is_alive(pid) ? 1 : 0;
    return count;
  }
};

TEST_F(Trees, AreStoppedWhole) {
  auto engine = driver();
  const SpawnSpec spec = shell({"r", "sprawl", 1}, std::string{sprawl} + "wait; sleep 1000");
  const SpawnSpec bystander = shell({"r", "bystander", 1}, "exec sleep 1000");
  engine->client->spawn(bystander);
  engine->client->spawn(spec);
  ASSERT_TRUE(engine->until([&] { return all_there(); }));
  engine->client->stop(spec.key, 300ms);
  ASSERT_TRUE(engine->until([&] { return engine->exit_of(spec.key); }));
  EXPECT_TRUE(engine->exit_of(spec.key)->stopped);
  EXPECT_FALSE(engine->exit_of(spec.key)->deadline);
  EXPECT_EQ(alive(), 0);
  EXPECT_EQ(marked(), std::vector<pid_t>{engine->pid_of(bystander.key)});
}

TEST_F(Trees, LeftBehindAreEndedBeforeTheEndIsTold) {
  auto engine = driver();
  SpawnSpec spec =
      shell({"r", "sprawl", 1}, std::string{sprawl} + "while [ $(wc -l < pids) -lt 5 ]; do :; done; exit 3");
  spec.grace = 300ms;
  const SpawnSpec bystander = shell({"r", "bystander", 1}, "(setsid sleep 1000 &) ; exec sleep 1000");
  engine->client->spawn(bystander);
  engine->client->spawn(spec);
  ASSERT_TRUE(engine->until([&] { return engine->exit_of(spec.key); }));
  EXPECT_EQ(engine->exit_of(spec.key)->exit, 3);
  EXPECT_FALSE(engine->exit_of(spec.key)->stopped);
  EXPECT_EQ(pids().size(), static_cast<std::size_t>(sprawl_size));
  EXPECT_EQ(alive(), 0);
  EXPECT_TRUE(is_alive(engine->pid_of(bystander.key)));
  EXPECT_EQ(marked().size(), 2U);
}

TEST_F(Trees, ThatHideTheirEnvironmentAreEndedWithTheLastAttempt) {
  auto engine = driver();
  SpawnSpec spec = shell({"r", "hidden", 1},
                         "(env -i setsid sh -c 'echo $$ > pids; exec sleep 1000' &); until [ -s pids ]; do :; done");
  spec.grace = 300ms;
  engine->client->spawn(spec);
  ASSERT_TRUE(engine->until([&] { return engine->exit_of(spec.key); }));
  EXPECT_EQ(engine->exit_of(spec.key)->exit, 0);
  ASSERT_EQ(pids().size(), 1U);
  EXPECT_FALSE(is_alive(pids().front()));
}

TEST_F(Trees, OfAnotherStateFolderWithTheSameNamesAreLeftAlone) {
  auto engine = driver();
  const SpawnSpec spec = shell({"r", "same", 1}, "sleep 1000");
  engine->client->spawn(spec);
  ASSERT_TRUE(engine->until([&] { return engine->pid_of(spec.key) != 0; }));
  const auto other_state = folder / "other";
  std::filesystem::create_directory(other_state);
  HolderOptions other = options();
  other.state_dir = other_state.string();
  other.held_log = [this](const std::string&) { return (folder / "other.log").string(); };
  other.environment = {"PATH=/usr/bin:/bin", "BATON_HOLDER_IDLE_MS=500"};
  Engine stranger{other};
  ASSERT_TRUE(stranger.client->attach("r").has_value());
  stranger.client->stop(spec.key, 0ms);
  ASSERT_TRUE(stranger.until([&] { return stranger.was_lost(spec.key); }));
  EXPECT_TRUE(is_alive(engine->pid_of(spec.key)));
}

TEST_F(Trees, StandStillWhileFrozenAndGoOnAfterwards) {
  auto engine = driver();
  SpawnSpec spec =
      shell({"r", "busy", 1}, "(setsid sh -c 'echo $$ > pids; while :; do :; done' &) ; while :; do :; done");
  spec.deadline = 1500ms;
  spec.grace = 100ms;
  engine->client->spawn(spec);
  ASSERT_TRUE(engine->until([&] { return pids().size() == 1 && cpu_ticks(pids().front()) > 0; }));
  const pid_t root = engine->pid_of(spec.key);
  engine->client->freeze("r");
  const SpawnSpec later = shell({"r", "later", 1}, "exit 0");
  engine->client->spawn(later);
  const auto seen = engine->client->attach("r");  // answered after the freeze was done
  ASSERT_TRUE(seen.has_value());
  ASSERT_EQ(seen->size(), 2U);
  EXPECT_TRUE((*seen)[0].frozen);
  EXPECT_EQ((*seen)[1].kind, Sighting::Kind::waiting);
  const long root_ticks = cpu_ticks(root);
  const long child_ticks = cpu_ticks(pids().front());
  const auto thaw_at = std::chrono::steady_clock::now() + 2s;  // longer than the deadline
  engine->until([&] { return std::chrono::steady_clock::now() >= thaw_at; });
  EXPECT_EQ(cpu_ticks(root), root_ticks);
  EXPECT_EQ(cpu_ticks(pids().front()), child_ticks);
  EXPECT_EQ(engine->exit_of(spec.key), nullptr);
  EXPECT_EQ(engine->pid_of(later.key), 0);
  engine->client->thaw("r");
  ASSERT_TRUE(engine->until([&] { return engine->exit_of(later.key) && engine->exit_of(spec.key); }));
  EXPECT_TRUE(engine->exit_of(spec.key)->deadline);
  EXPECT_GE(engine->exit_of(spec.key)->finished - engine->exit_of(spec.key)->started, 3s);
  EXPECT_TRUE(marked().empty());
}

TEST_F(Trees, FrozenOnesHeedAStop) {
  auto engine = driver();
  const SpawnSpec spec = shell({"r", "polite", 1}, "trap 'exit 9' TERM; echo > pids; while :; do sleep 0.01; done");
  engine->client->spawn(spec);
  ASSERT_TRUE(engine->until([&] { return std::filesystem::exists(file("pids")); }));
  engine->client->freeze("r");
  engine->client->stop(spec.key, 20s);
  ASSERT_TRUE(engine->until([&] { return engine->exit_of(spec.key); }));
  EXPECT_EQ(engine->exit_of(spec.key)->exit, 9);
}

}  // namespace
}  // namespace baton::test
