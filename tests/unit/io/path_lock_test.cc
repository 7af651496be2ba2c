// Locks beside files, with real processes that wait, die and take over; and a folder that nothing leads out of.
#include "io/path_lock.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "io/folder.h"
#include "support/scratch.h"

namespace baton {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

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

struct Folders : testing::Test {
  test::Scratch scratch;
  void SetUp() override {
    fs::create_directories(scratch.path() + "/w/outputs");
    std::ofstream{scratch.path() + "/secret"} << "secret";
  }
  Folder folder() { return std::move(*Folder::open(scratch.path() + "/w")); }
};

TEST_F(Folders, ReadWhatTheyWrote) {
  const Folder f = folder();
  EXPECT_TRUE(f.write("outputs/a/b/c.md", "text"));
  EXPECT_EQ(**f.read("outputs/a/b/c.md", 100), "text");
  EXPECT_TRUE(f.write("outputs/a/b/c.md", "other"));
  EXPECT_EQ(**f.read("outputs/a/b/c.md", 100), "other");
  EXPECT_EQ(*f.read("outputs/none.md", 100), std::nullopt);
  EXPECT_EQ(f.read("outputs/a/b/c.md", 2).error().code, "file-too-large");
  EXPECT_EQ(f.read("outputs", 100).error().code, "file-unreadable");
  EXPECT_THAT(f.list("outputs/a/b"), ElementsAre("c.md")) << "nothing of ours is left beside it";
  EXPECT_THAT(f.list("outputs", true), ElementsAre("a"));
  EXPECT_THAT(f.list("nowhere"), IsEmpty());
}

TEST_F(Folders, MakeANewFileOnlyOnce) {
  const Folder f = folder();
  EXPECT_TRUE(f.create("tasks/t.md", "one"));
  EXPECT_EQ(f.create("tasks/t.md", "two").error().code, "file-exists");
  EXPECT_EQ(**f.read("tasks/t.md", 100), "one");
  EXPECT_THAT(f.list("tasks"), ElementsAre("t.md"));
}

TEST_F(Folders, TellBeforehandWhetherAFileCouldBeWritten) {
  fs::create_directory_symlink(scratch.path(), scratch.path() + "/w/outputs/up");
  fs::create_directory_symlink("outputs", scratch.path() + "/w/inside");
  test::write_bytes(scratch.path() + "/w/outputs/file", "x");
  const Folder f = folder();
  for (const char* fine : {"outputs/a.md", "outputs/a/b/c.md", "outputs/file", "inside/a.md", "new/a.md", "a.md"}) {
    EXPECT_TRUE(f.may_write(fine)) << fine;
  }
  EXPECT_FALSE(fs::exists(scratch.path() + "/w/outputs/a")) << "nothing is made";
  for (const char* outside : {"outputs/up/a.md", "outputs/up/x/a.md", "../a.md", "outputs/../../a.md"}) {
    ASSERT_FALSE(f.may_write(outside)) << outside;
    EXPECT_EQ(f.may_write(outside).error().code, "path-leaves-folder") << outside;
  }
  EXPECT_EQ(f.may_write("outputs/file/a.md").error().code, "file-failed");
  EXPECT_EQ(f.may_write("outputs").error().code, "file-failed");
}

TEST_F(Folders, SweepAwayWhatTheDeadLeft) {
  const Folder f = folder();
  const pid_t gone = ::fork();
  if (gone == 0) ::_exit(0);
  ::waitpid(gone, nullptr, 0);
  for (const std::string& name :
       {"a.md." + std::to_string(gone) + ".0.tmp", "b.md." + std::to_string(::getpid()) + ".0.tmp",
        std::string{"c.tmp"}, std::string{"d.md"}}) {
    test::write_bytes(scratch.path() + "/w/outputs/" + name, "x");
  }
  f.sweep("outputs");
  f.sweep("nowhere");
  EXPECT_THAT(f.list("outputs"), ElementsAre("b.md." + std::to_string(::getpid()) + ".0.tmp", "c.tmp", "d.md"));
}

// Row 40, also by links.
TEST_F(Folders, NothingLeadsOutOfThem) {
  const Folder f = folder();
  fs::create_symlink(scratch.path() + "/secret", scratch.path() + "/w/link.md");
  fs::create_directory_symlink(scratch.path(), scratch.path() + "/w/outputs/up");
  fs::create_symlink("outputs", scratch.path() + "/w/inside");
  for (const char* path : {"../secret", "outputs/../../secret", "link.md", "outputs/up/secret", "/etc/hostname"}) {
    const auto text = f.read(path, 100);
    ASSERT_FALSE(text) << path;
    EXPECT_EQ(text.error().code, "path-leaves-folder") << path;
  }
  for (const char* path : {"../new", "outputs/up/new", "outputs/up/deep/new"}) {
    const auto wrote = f.write(path, "x");
    ASSERT_FALSE(wrote) << path;
    EXPECT_EQ(wrote.error().code, "path-leaves-folder") << path;
  }
  EXPECT_FALSE(fs::exists(scratch.path() + "/new"));
  EXPECT_TRUE(f.write("inside/x.md", "x")) << "a link that stays inside is fine";
  EXPECT_TRUE(fs::exists(scratch.path() + "/w/outputs/x.md"));
}

}  // namespace
}  // namespace baton
