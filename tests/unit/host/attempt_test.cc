// What becomes of single attempts: how they start, run, end, and what is told of it.

#include <signal.h>

#include <fmt/core.h>
#include <sys/stat.h>

#include <sstream>

#include "support/holder_world.h"

namespace baton::test {
namespace {

using namespace std::chrono_literals;

class Attempts : public HolderWorld {};

void expect_small([[maybe_unused]] pid_t holder) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // a sanitizer's own memory is many times that
  const long resident_kb = status_kb(holder, "VmRSS");
  EXPECT_GT(resident_kb, 0);
  EXPECT_LT(resident_kb, 4096);
  ::testing::Test::RecordProperty("holder_resident_kb", std::to_string(resident_kb));
#endif
}

TEST_F(Attempts, TellExitCodesAndSignalsAsTheyWere) {
  auto engine = driver();
  const AttemptKey seven{"r", "seven", 1};
  const AttemptKey killed{"r", "killed", 2};
  engine->client->spawn(shell(seven, "exit 7"));
  engine->client->spawn(shell(killed, "kill -9 $$"));
  ASSERT_TRUE(engine->until([&] { return engine->exit_of(seven) && engine->exit_of(killed); }));
  EXPECT_EQ(engine->exit_of(seven)->exit, 7);
  EXPECT_EQ(engine->exit_of(seven)->signal, std::nullopt);
  EXPECT_EQ(engine->exit_of(seven)->pid, engine->pid_of(seven));
  EXPECT_EQ(engine->exit_of(killed)->exit, std::nullopt);
  EXPECT_EQ(engine->exit_of(killed)->signal, SIGKILL);
  EXPECT_FALSE(engine->exit_of(killed)->stopped);
  EXPECT_FALSE(engine->exit_of(killed)->deadline);
  EXPECT_TRUE(engine->client->was_started(seven));
  EXPECT_FALSE(engine->client->was_started({"r", "seven", 2}));
}

TEST_F(Attempts, WriteOutputToFilesAndReadInput) {
  auto engine = driver();
  write_text(file("input"), "hello\n");
  const AttemptKey key{"r", "talk", 1};
  SpawnSpec spec =
      shell(key, "cat; pwd; echo $EXTRA $INHERITED $GONE. $BATON_RUN/$BATON_STEP/$BATON_ATTEMPT; echo bad >&2");
  spec.stdin_path = file("input").string();
  spec.env = {"EXTRA=more", "BATON_STEP=forged"};
  spec.env_unset = {"GONE"};
  engine->client->spawn(spec);
  ASSERT_TRUE(engine->until([&] { return engine->exit_of(key); }));
  EXPECT_EQ(out(key), fmt::format("hello\n{}\nmore yes . r/talk/1\n", folder.string()));
  EXPECT_EQ(read_text(spec.stderr_path), "bad\n");
  EXPECT_EQ(std::filesystem::status(spec.stdout_path).permissions(), std::filesystem::perms{0600});
}

TEST_F(Attempts, PrintIntoFilesOfTheirOwnThoughOthersPrintedNothing) {
  auto engine = driver();
  const auto run = [&](const std::string& step, const std::string& script) {
    const SpawnSpec spec = shell({"r", step, 1}, script);
    engine->spawn(spec);
    EXPECT_TRUE(engine->until([&] { return engine->exit_of(spec.key); }));
    return std::pair{read_text(spec.stdout_path), read_text(spec.stderr_path)};
  };
  using Printed = std::pair<std::string, std::string>;
  EXPECT_EQ(run("silent", ":"), (Printed{"", ""}));
  EXPECT_EQ(run("says", "echo one; (echo two); echo three >&2"), (Printed{"one\ntwo\n", "three\n"}));
  EXPECT_EQ(run("silent-too", ":"), (Printed{"", ""}));
  EXPECT_EQ(run("complains", "echo no >&2"), (Printed{"", "no\n"}));
  EXPECT_EQ(run("fails", "exit 3"), (Printed{"", ""}));
  for (const char* const end : {"out", "err"}) {
    EXPECT_TRUE(std::filesystem::exists(file(std::string{"r-fails-1."} + end))) << "so that nobody looks for it";
  }
}

TEST_F(Attempts, HaveTheirFilesInSightWhileTheyAreAtWork) {
  auto engine = driver();
  const SpawnSpec spec = shell({"r", "works", 1}, "echo begun; read -r _ < go");
  ASSERT_EQ(::mkfifo(file("go").c_str(), 0600), 0);
  engine->spawn(spec);
  EXPECT_TRUE(engine->until([&] { return read_text(spec.stdout_path) == "begun\n"; }));
  EXPECT_TRUE(engine->until([&] { return std::filesystem::exists(spec.stderr_path); })) << "it gets its name second";
  write_text(file("go"), "on\n");
  EXPECT_TRUE(engine->until([&] { return engine->exit_of(spec.key); }));
}

TEST_F(Attempts, KeepWhatTheyLeftBehindPrintsAtItsEnd) {
  auto engine = driver();
  const SpawnSpec spec = shell({"r", "leaves", 1},
                               "(trap 'echo late; exit' TERM; echo > ready; while :; do sleep 0.01; done) & "
                               "while ! [ -e ready ]; do sleep 0.001; done");
  engine->spawn(spec);
  ASSERT_TRUE(engine->until([&] { return engine->exit_of(spec.key); }));
  EXPECT_EQ(read_text(spec.stdout_path), "late\n");
}

TEST_F(Attempts, DoneAgainShowWhatIsPrintedNow) {
  auto engine = driver();
  const SpawnSpec spec = shell({"r", "again", 1}, "echo new");
  write_text(spec.stdout_path, "of one that was lost\n");
  engine->spawn(spec);
  ASSERT_TRUE(engine->until([&] { return engine->exit_of(spec.key); }));
  EXPECT_EQ(read_text(spec.stdout_path), "new\n");
}

TEST_F(Attempts, OneFileForBothOutputsKeepsTheOrder) {
  auto engine = driver();
  const AttemptKey key{"r", "both", 1};
  SpawnSpec spec = shell(key, "echo 1; echo 2 >&2; echo 3");
  spec.stderr_path = spec.stdout_path;
  write_text(spec.stdout_path, "0\n");
  engine->client->spawn(spec);
  ASSERT_TRUE(engine->until([&] { return engine->exit_of(key); }));
  EXPECT_EQ(out(key), "0\n1\n2\n3\n");
}

TEST_F(Attempts, StartInASessionOfTheirOwnWithCleanSignalsAndDescriptors) {
  auto engine = driver();
  const AttemptKey session{"r", "session", 1};
  const AttemptKey files{"r", "files", 1};
  const AttemptKey signals{"r", "signals", 1};
  SpawnSpec spec = shell(session, "cut -d' ' -f6 /proc/$$/stat");
  engine->client->spawn(spec);
  spec = shell(files, "");
  spec.argv = {"ls", "/proc/self/fd"};
  engine->client->spawn(spec);
  spec = shell(signals, "");
  spec.argv = {"grep", "-h", "^Sig[BI]", "/proc/self/status"};
  engine->client->spawn(spec);
  ASSERT_TRUE(
      engine->until([&] { return engine->exit_of(session) && engine->exit_of(files) && engine->exit_of(signals); }));
  EXPECT_EQ(out(session), fmt::format("{}\n", engine->pid_of(session)));
  EXPECT_EQ(out(files), "0\n1\n2\n3\n");  // 3 is the folder that ls itself has open
  // Signals 32 and 33 are glibc's own: it lets nobody see or set them, and they stay as whoever started us had them.
  const std::string own = read_text("/proc/self/status");
  const std::uint64_t ignored = std::stoull(own.substr(own.find("SigIgn:") + 7), nullptr, 16) & 0x180000000U;
  EXPECT_EQ(out(signals), fmt::format("SigBlk:\t0000000000000000\nSigIgn:\t{:016x}\n", ignored));
}

TEST_F(Attempts, ThatCannotStartSayWhy) {
  auto engine = driver();
  const AttemptKey missing{"r", "missing", 1};
  const AttemptKey nowhere{"r", "nowhere", 1};
  const AttemptKey denied{"r", "denied", 1};
  SpawnSpec spec = shell(missing, "");
  spec.argv = {"no-such-program", "x"};
  engine->client->spawn(spec);
  spec = shell(nowhere, "");
  spec.cwd = "/no/such/folder";
  engine->client->spawn(spec);
  spec = shell(denied, "");
  spec.argv = {file("plain").string()};
  write_text(file("plain"), "not a program");
  engine->client->spawn(spec);
  ASSERT_TRUE(
      engine->until([&] { return engine->exit_of(missing) && engine->exit_of(nowhere) && engine->exit_of(denied); }));
  EXPECT_EQ(engine->exit_of(missing)->spawn_error, "No such file or directory: no-such-program");
  EXPECT_EQ(engine->exit_of(nowhere)->spawn_error, "No such file or directory: /no/such/folder");
  EXPECT_EQ(engine->exit_of(denied)->spawn_error, "Permission denied: " + file("plain").string());
  EXPECT_EQ(engine->exit_of(missing)->exit, std::nullopt);
  EXPECT_EQ(engine->pid_of(missing), 0);
}

TEST_F(Attempts, AreLookedForInTheirOwnPath) {
  auto engine = driver();
  write_text(file("tool"), "#!/bin/sh\necho mine\n");
  std::filesystem::permissions(file("tool"), std::filesystem::perms{0700});
  const AttemptKey key{"r", "tool", 1};
  SpawnSpec spec = shell(key, "");
  spec.argv = {"tool"};
  spec.env = {"PATH=/nowhere:" + folder.string()};
  engine->client->spawn(spec);
  ASSERT_TRUE(engine->until([&] { return engine->exit_of(key); }));
  EXPECT_EQ(engine->exit_of(key)->spawn_error, "");
  EXPECT_EQ(out(key), "mine\n");
}

TEST_F(Attempts, DoNotStartWhereNoTraceOfThemCanBeLeft) {
  auto engine = driver();
  std::filesystem::create_directory(folder / "runs" / "r" / "held.log");
  const AttemptKey key{"r", "untraced", 1};
  engine->client->spawn(shell(key, "echo ran"));
  ASSERT_TRUE(engine->until([&] { return engine->exit_of(key); }));
  EXPECT_NE(engine->exit_of(key)->spawn_error.find("Is a directory"), std::string::npos);
  EXPECT_EQ(out(key), "");
  EXPECT_FALSE(engine->client->was_started(key));
}

TEST_F(Attempts, NeverExceedTheirSlotsAndStartInOrder) {
  auto engine = driver();
  constexpr int count = 24;
  constexpr int slots = 3;
  for (int i = 1; i <= count; ++i) {
    SpawnSpec spec = shell({"r", "s", i}, "echo in >> log; echo out >> log");
    spec.slots = slots;
    engine->client->spawn(spec);
  }
  ASSERT_TRUE(engine->until([&] { return engine->exit_of({"r", "s", count}) && engine->notices.size() == 2 * count; }));
  int running = 0;
  int last = 0;
  for (const HostNotice& notice : engine->notices) {
    if (const auto* started = std::get_if<AttemptStartedNotice>(&notice)) {
      EXPECT_EQ(started->key.attempt, ++last);
      EXPECT_LE(++running, slots);
    } else {
      --running;
    }
  }
  int inside = 0;
  std::istringstream log{read_text(file("log"))};
  for (std::string line; log >> line;) EXPECT_LE(inside += line == "in" ? 1 : -1, slots);
}

TEST_F(Attempts, WaitingForASlotCanBeStoppedWithoutATrace) {
  auto engine = driver();
  SpawnSpec first = shell({"r", "first", 1}, "sleep 1000");
  SpawnSpec second = shell({"r", "second", 1}, "echo ran");
  first.slots = second.slots = 1;
  engine->client->spawn(first);
  engine->client->spawn(second);
  engine->client->stop(second.key, 5s);
  ASSERT_TRUE(engine->until([&] { return engine->exit_of(second.key); }));
  EXPECT_TRUE(engine->exit_of(second.key)->stopped);
  EXPECT_EQ(engine->exit_of(second.key)->exit, std::nullopt);
  EXPECT_EQ(engine->exit_of(second.key)->signal, std::nullopt);
  EXPECT_FALSE(engine->client->was_started(second.key));
  EXPECT_EQ(engine->exit_of(first.key), nullptr);
}

TEST_F(Attempts, AreEndedAtTheirDeadline) {
  auto engine = driver();
  SpawnSpec spec = shell({"r", "late", 1}, "sleep 1000");
  spec.deadline = 100ms;
  engine->client->spawn(spec);
  ASSERT_TRUE(engine->until([&] { return engine->exit_of(spec.key); }));
  const ExitRecord& record = *engine->exit_of(spec.key);
  EXPECT_TRUE(record.deadline);
  EXPECT_FALSE(record.stopped);
  EXPECT_EQ(record.signal, SIGTERM);
  EXPECT_GE(record.finished - record.started, 100ms);
  EXPECT_TRUE(marked().empty());
}

TEST_F(Attempts, TwoHundredAtOnceAllComeBack) {
  auto engine = driver();
  constexpr int count = 200;
  ASSERT_EQ(::mkfifo(file("gate").c_str(), 0600), 0);
  for (int i = 1; i <= count; ++i)
    engine->client->spawn(shell({"r", "many", i}, fmt::format("read x < gate; exit {}", i % 100)));
  ASSERT_TRUE(engine->until([&] { return engine->notices.size() >= count; }));
  expect_small(holder_pid());
  for (int i = 1; i <= count; ++i) {
    if (engine->exit_of({"r", "many", i}) == nullptr) engine->client->stop({"r", "many", i}, 0s);
  }
  ASSERT_TRUE(engine->until([&] { return engine->notices.size() == 2 * count; }));
  EXPECT_TRUE(marked().empty());
  for (int i = 1; i <= count; ++i) EXPECT_EQ(engine->exits_of({"r", "many", i}), 1);
}

TEST_F(Attempts, HolderStaysSmallAndLeavesNoZombies) {
  auto engine = driver();
  constexpr int count = 300;
  for (int i = 1; i <= count; ++i) {
    SpawnSpec spec = shell({"r", "quick", i}, "");
    spec.argv = {"/bin/true"};
    spec.slots = 2;
    engine->client->spawn(spec);
  }
  ASSERT_TRUE(engine->until([&] { return engine->notices.size() == 2 * count; }));
  for (int i = 1; i <= count; ++i) engine->client->acknowledge({"r", "quick", i});
  expect_small(holder_pid());
  EXPECT_EQ(read_text(fmt::format("/proc/{0}/task/{0}/children", holder_pid())), "");
}

}  // namespace
}  // namespace baton::test
