// Locks beside files, with real processes that wait, die and take over.
#include "io/path_lock.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "support/scratch.h"

namespace baton {
namespace {

namespace fs = std::filesystem;

const PathLock::Terms at_once{.wait = Millis{0}};

/// Another process; it does its part and waits to be told to end.
class Other {
 public:
  explicit Other(const std::function<void()>& part) {
    int ready[2];
    EXPECT_EQ(::pipe(ready), 0);
    EXPECT_EQ(::pipe(end_), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::close(end_[1]);
      part();
      (void)!::write(ready[1], "r", 1);
      char c = 0;
      (void)!::read(end_[0], &c, 1);
      ::_exit(0);
    }
    ::close(ready[1]);
    ::close(end_[0]);
    char c = 0;
    EXPECT_EQ(::read(ready[0], &c, 1), 1);
    ::close(ready[0]);
  }
  ~Other() { kill(); }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    ::close(end_[1]);
    pid_ = 0;
  }

 private:
  pid_t pid_ = 0;
  int end_[2]{};
};

struct Locks : testing::Test {
  test::Scratch scratch;
  std::string file = scratch.path() + "/tasks/t.md";
  std::string lock = file + ".lock";

  /// As another program does it.
  void make_old_folder(std::chrono::seconds age) const {
    fs::create_directories(lock);
    const auto when = std::chrono::system_clock::now() - age;
    const timespec time{std::chrono::system_clock::to_time_t(when), 0};
    const timespec both[2]{time, time};
    ASSERT_EQ(::utimensat(AT_FDCWD, lock.c_str(), both, 0), 0);
  }
};

// Row 38: release twice; the folder need not be there before.
TEST_F(Locks, AreTakenAndGivenBack) {
  auto held = PathLock::take(file);
  ASSERT_TRUE(held);
  EXPECT_TRUE(fs::exists(lock));
  held->release();
  held->release();
  EXPECT_FALSE(held->is_held());
  EXPECT_FALSE(fs::exists(lock)) << "nothing is left behind";
  EXPECT_TRUE(PathLock::take(file, at_once));
}

// Row 38: held too long.
TEST_F(Locks, WhoWaitsInVainIsTold) {
  const auto held = PathLock::take(file);
  ASSERT_TRUE(held);
  const auto second = PathLock::take(file, {.wait = Millis{30}, .look_every = Millis{5}});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, "lock-timeout");
  EXPECT_NE(second.error().help.find("says who"), std::string::npos);
}

// Row 38: the second waits, and has it when the first gives it back.
TEST_F(Locks, TheSecondWaitsForTheFirst) {
  auto held = PathLock::take(file);
  ASSERT_TRUE(held);
  std::atomic<bool> asked = false;
  std::atomic<bool> has_it = false;
  std::thread second{[&] {
    const auto taken = PathLock::take(file, {.wait = Millis{60'000}, .look_every = Millis{1}, .given_up = [&] {
                                               asked = true;
                                               return false;
                                             }});
    has_it = taken.has_value();
  }};
  while (!asked) std::this_thread::yield();
  EXPECT_FALSE(has_it);
  held->release();
  second.join();
  EXPECT_TRUE(has_it);
}

TEST_F(Locks, WhoGivesUpWaitsNoLonger) {
  const auto held = PathLock::take(file);
  ASSERT_TRUE(held);
  EXPECT_FALSE(PathLock::take(file, {.wait = Millis{600'000}, .given_up = [] { return true; }}));
}

TEST_F(Locks, KeepOtherProcessesAwayUntilTheyDie) {
  Other other{[&] { new PathLock(std::move(*PathLock::take(file))); }};
  EXPECT_FALSE(PathLock::take(file, at_once));
  other.kill();
  EXPECT_TRUE(fs::exists(lock)) << "it had no time to take it away";
  EXPECT_TRUE(PathLock::take(file, at_once)) << "and yet it is free in that instant";
}

// Row 38: a lock that was left behind is taken over; by one of those who wait, never by two.
TEST_F(Locks, AreTakenOverByOneAlone) {
  for (int round = 0; round < 20; ++round) {
    {
      Other dying{[&] { new PathLock(std::move(*PathLock::take(file))); }};
    }
    std::atomic<int> inside = 0;
    std::atomic<int> most = 0;
    std::vector<std::thread> crowd;
    for (int n = 0; n < 4; ++n) {
      crowd.emplace_back([&] {
        auto taken = PathLock::take(file, {.wait = Millis{60'000}, .look_every = Millis{1}});
        ASSERT_TRUE(taken);
        const int now = ++inside;
        if (now > most) most = now;
        std::this_thread::yield();
        --inside;
      });
    }
    for (std::thread& t : crowd) t.join();
    ASSERT_EQ(most, 1);
  }
  EXPECT_FALSE(fs::exists(lock));
}

TEST_F(Locks, CountersOfManyProcessesLoseNothing) {
  constexpr int processes = 4;
  constexpr int times = 50;
  fs::create_directories(scratch.path() + "/tasks");
  std::vector<pid_t> pids;
  for (int p = 0; p < processes; ++p) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      for (int n = 0; n < times; ++n) {
        auto taken = PathLock::take(file, {.wait = Millis{60'000}, .look_every = Millis{1}});
        if (!taken) ::_exit(1);
        int count = 0;
        std::ifstream{file} >> count;
        std::ofstream{file} << count + 1;
      }
      ::_exit(0);
    }
    pids.push_back(pid);
  }
  for (const pid_t pid : pids) {
    int status = 0;
    ::waitpid(pid, &status, 0);
    EXPECT_EQ(status, 0);
  }
  int count = 0;
  std::ifstream{file} >> count;
  EXPECT_EQ(count, processes * times);
}

// Row 38: more than 60 s old. Programs that make folders are waited for, and taken over when theirs is old.
TEST_F(Locks, AFolderOfAnotherProgramIsALockUntilItIsOld) {
  make_old_folder(std::chrono::seconds{50});
  const auto theirs = PathLock::take(file, at_once);
  ASSERT_FALSE(theirs);
  EXPECT_NE(theirs.error().help.find("another program made the folder"), std::string::npos) << "it does not say who";
  EXPECT_TRUE(fs::is_directory(lock));
  fs::remove(lock);
  make_old_folder(std::chrono::seconds{70});
  auto held = PathLock::take(file, at_once);
  ASSERT_TRUE(held);
  EXPECT_TRUE(fs::is_regular_file(lock));
  held->release();
  EXPECT_TRUE(fs::is_empty(scratch.path() + "/tasks"));
}

TEST_F(Locks, ALinkIsNoLock) {
  fs::create_directories(scratch.path() + "/tasks");
  fs::create_symlink(scratch.path() + "/elsewhere", lock);
  const auto taken = PathLock::take(file, at_once);
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, "lock-failed");
  EXPECT_FALSE(fs::exists(scratch.path() + "/elsewhere"));
}

}  // namespace
}  // namespace baton
