#include "journal/file_lock.h"

#include <signal.h>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <vector>

#include "support/scratch.h"

namespace baton::test {
namespace {

using std::chrono::seconds;

TEST(FileLock, ItsOwnerIsWaitedForAsLongAsPatienceLasts) {
  const Scratch folder;
  FileLock owner{folder.file("lock")};
  ASSERT_TRUE(owner.take());
  FileLock other{folder.file("lock"), seconds{0}};
  EXPECT_EQ(other.take().error().code, "journal-busy");
  FileLock patient{folder.file("lock"), seconds{1}};
  EXPECT_EQ(patient.take().error().code, "journal-busy");
  owner.give();
  EXPECT_TRUE(other.take());
}

TEST(FileLock, AnAlarmIsOthersAgainAfterTheWait) {
  const Scratch folder;
  FileLock owner{folder.file("lock")};
  ASSERT_TRUE(owner.take());
  sigset_t alarm;
  ::sigemptyset(&alarm);
  ::sigaddset(&alarm, SIGALRM);
  sigset_t before;
  ::pthread_sigmask(SIG_BLOCK, &alarm, &before);
  FileLock other{folder.file("lock"), seconds{1}};
  EXPECT_FALSE(other.take()) << "also where whoever started us wanted no alarms";
  sigset_t after;
  ::pthread_sigmask(SIG_SETMASK, &before, &after);
  EXPECT_EQ(::sigismember(&after, SIGALRM), 1);
  struct sigaction action{};
  ::sigaction(SIGALRM, nullptr, &action);
  EXPECT_EQ(action.sa_handler, SIG_DFL);
}

// A number in a file is read and written again, which nobody else may do in between.
TEST(FileLock, ManyProcessesTakeTurns) {
  constexpr int processes = 8;
  constexpr int turns = 200;
  const Scratch folder;
  write_bytes(folder.file("number"), "0");
  std::vector<pid_t> children;
  for (int i = 0; i < processes; ++i) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child != 0) {
      children.push_back(child);
      continue;
    }
    FileLock lock{folder.file("lock")};
    for (int n = 0; n < turns; ++n) {
      if (!lock.take()) ::_exit(1);
      write_bytes(folder.file("number"), std::to_string(std::stoi(bytes_of(folder.file("number"))) + 1));
      lock.give();
    }
    ::_exit(0);
  }
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(bytes_of(folder.file("number")), std::to_string(processes * turns));
}

}  // namespace
}  // namespace baton::test
