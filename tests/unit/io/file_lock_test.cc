#include "io/file_lock.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <vector>

#include "io/program.h"
#include "support/scratch.h"

namespace baton::test {
namespace {

struct FileLocks : ::testing::Test {
  [[nodiscard]] FileLock lock() const { return FileLock::on_file(path); }
  Scratch folder;
  std::string path = folder.file("lock");
};

TEST_F(FileLocks, AreOneOwnersAtATime) {
  FileLock owner = lock();
  FileLock other = lock();
  ASSERT_TRUE(owner.try_take());
  EXPECT_FALSE(other.try_take());
  EXPECT_EQ(errno, EWOULDBLOCK);
  owner.give();
  EXPECT_TRUE(other.try_take());
  EXPECT_FALSE(owner.try_take());
  other.close();
  EXPECT_TRUE(owner.try_take());
}

TEST_F(FileLocks, AreGivenBackByAProcessThatDies) {
  const pid_t child = start_copy([&] {
    FileLock theirs = lock();
    if (!theirs.take()) return 1;
    ::raise(SIGKILL);
    return 2;
  });
  EXPECT_EQ(wait_for_end(child).signal, SIGKILL);
  EXPECT_TRUE(lock().try_take());
}

TEST_F(FileLocks, AreWaitedForAsLongAsPatienceLasts) {
  FileLock owner = lock();
  ASSERT_TRUE(owner.take());
  FileLock other = lock();
  EXPECT_FALSE(other.take_within(Millis{0}));
  EXPECT_EQ(errno, EWOULDBLOCK);
  EXPECT_FALSE(other.take_within(Millis{150})) << "longer than until the first nudge";
  EXPECT_EQ(errno, EWOULDBLOCK);
  owner.give();
  EXPECT_TRUE(other.take_within(Millis{0}));
}

TEST_F(FileLocks, LeaveAlarmsAsTheyWere) {
  FileLock owner = lock();
  ASSERT_TRUE(owner.take());
  sigset_t alarm;
  ::sigemptyset(&alarm);
  ::sigaddset(&alarm, SIGALRM);
  sigset_t before;
  ::pthread_sigmask(SIG_BLOCK, &alarm, &before);
  FileLock other = lock();
  EXPECT_FALSE(other.take_within(Millis{150})) << "also where alarms are blocked";
  sigset_t after;
  ::pthread_sigmask(SIG_SETMASK, &before, &after);
  EXPECT_EQ(::sigismember(&after, SIGALRM), 1);
  struct sigaction action{};
  ::sigaction(SIGALRM, nullptr, &action);
  EXPECT_EQ(action.sa_handler, SIG_DFL);
}

// A number in a file is read and written again, which no other process may do in between.
TEST_F(FileLocks, AreTakenInTurnsByManyProcesses) {
  constexpr int processes = 8;
  constexpr int turns = 200;
  write_bytes(folder.file("number"), "0");
  std::vector<pid_t> children;
  for (int i = 0; i < processes; ++i) {
    children.push_back(start_copy([&] {
      FileLock ours = lock();
      for (int n = 0; n < turns; ++n) {
        if (!ours.take_within(Millis{60'000})) return 1;
        write_bytes(folder.file("number"), std::to_string(std::stoi(bytes_of(folder.file("number"))) + 1));
        ours.give();
      }
      return 0;
    }));
    ASSERT_GT(children.back(), 0);
  }
  for (const pid_t child : children) EXPECT_EQ(wait_for_end(child).exit, 0);
  EXPECT_EQ(bytes_of(folder.file("number")), std::to_string(processes * turns));
}

TEST_F(FileLocks, OfAFolderLeaveNothingBehind) {
  FileLock owner = FileLock::on_folder(folder.path());
  FileLock other = FileLock::on_folder(folder.path());
  ASSERT_TRUE(owner.try_take());
  EXPECT_FALSE(other.try_take());
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST_F(FileLocks, SayWhereTheyAre) {
  const FileLock owner = lock();
  EXPECT_TRUE(owner.is_at(path));
  std::filesystem::remove(path);
  EXPECT_FALSE(owner.is_at(path));
  write_bytes(path, "another");
  EXPECT_FALSE(owner.is_at(path));
}

TEST_F(FileLocks, OfWhatCannotBeOpenedAreNeverTaken) {
  FileLock none = FileLock::on_file(folder.file("missing/lock"));
  EXPECT_EQ(errno, ENOENT);
  EXPECT_FALSE(none.is_open());
  EXPECT_FALSE(none.try_take());
  EXPECT_FALSE(none.take_within(Millis{60'000})) << "without waiting";
  EXPECT_FALSE(none.take());
  std::filesystem::create_symlink("elsewhere", path);
  EXPECT_FALSE(lock().is_open()) << "a link could lead anywhere";
  EXPECT_FALSE(FileLock::on_folder(path).is_open());
}

TEST_F(FileLocks, HaveTheModeOfTheirOwner) {
  const FileLock ours = lock();
  struct stat info{};
  ASSERT_EQ(::fstat(ours.descriptor(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 0600U);
}

}  // namespace
}  // namespace baton::test
