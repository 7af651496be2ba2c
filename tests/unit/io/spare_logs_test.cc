// The files that attempts print to before they have names.

#include "io/spare_logs.h"

#include <fcntl.h>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "support/processes.h"
#include "support/scratch.h"

namespace baton::test {
namespace {

struct Logs : ::testing::Test {
  void SetUp() override {
    ASSERT_TRUE(spare.take(folder.path() + "/")) << "ext4, xfs, btrfs, tmpfs and overlays have files without names";
  }
  /// The logs of an attempt that is about to start, and the program that is to print to them.
  AttemptLogs lend(const std::string& name) {
    program = {.stdout_path = folder.file(name + ".out"), .stderr_path = folder.file(name + ".err")};
    AttemptLogs logs;
    logs.lend(spare, program, 100);
    EXPECT_GE(program.stdout_fd, 0);
    EXPECT_GE(program.stderr_fd, 0);
    return logs;
  }
  void print(int fd, const std::string& text) const {
    ASSERT_EQ(::write(fd, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  bool has(const std::string& name) const { return std::filesystem::exists(folder.file(name)); }
  std::string text(const std::string& name) const { return read_text(folder.file(name)); }

  test::Scratch folder;
  SpareLogs spare;
  Program program;
};

TEST_F(Logs, ServeTheNextOneIfNothingIsInThem) {
  AttemptLogs first = lend("a");
  const int out = program.stdout_fd;
  ::fcntl(out, F_SETFL, 0);  // whoever has it may do so
  EXPECT_EQ(first.show(spare, false), 0);
  first.end(spare, true);
  EXPECT_TRUE(has("a.out")) << "that is what people are told to look at";
  EXPECT_FALSE(has("a.err"));
  AttemptLogs second = lend("b");
  EXPECT_EQ(program.stdout_fd, out);
  EXPECT_NE(::fcntl(out, F_GETFL) & O_APPEND, 0);
  print(out, "b");
  EXPECT_EQ(second.show(spare, false), 0);
  EXPECT_EQ(text("b.out"), "b");
  EXPECT_EQ(text("a.out"), "");
  const AttemptLogs third = lend("c");
  print(program.stdout_fd, "c");
  EXPECT_EQ(text("b.out"), "b");
}

TEST_F(Logs, ThatSomebodyMayStillPrintToServeNobodyElse) {
  AttemptLogs first = lend("a");
  struct stat had{};
  ASSERT_EQ(::fstat(program.stdout_fd, &had), 0);
  EXPECT_EQ(first.show(spare, false), 0);
  const int kept = ::dup(program.stdout_fd);  // so that its number is not given to another file
  first.end(spare, false);
  const AttemptLogs second = lend("b");
  struct stat has_now{};
  ASSERT_EQ(::fstat(program.stdout_fd, &has_now), 0);
  EXPECT_NE(has_now.st_ino, had.st_ino);
  ::close(kept);
}

TEST_F(Logs, AreFoundWithAllThatIsInThem) {
  AttemptLogs logs = lend("a");
  print(program.stderr_fd, "oh\n");
  const int err = ::dup(program.stderr_fd);  // the attempt's own
  ASSERT_EQ(logs.show(spare, false), 0);
  print(err, "no\n");
  EXPECT_EQ(text("a.err"), "oh\nno\n");
  EXPECT_TRUE(has("a.out"));
  ::close(err);
}

TEST_F(Logs, OfWhatIsAtWorkAreFoundAfterAMoment) {
  AttemptLogs logs = lend("a");
  const std::int64_t due = logs.due();
  EXPECT_GT(due, 100);
  logs.show_in_time(due - 1);
  EXPECT_FALSE(has("a.out"));
  logs.show_in_time(due);
  EXPECT_TRUE(has("a.out"));
  EXPECT_TRUE(has("a.err"));
  EXPECT_GT(logs.due(), due) << "there is nothing more to do";
}

TEST_F(Logs, OfWhatWentWrongAreBothThere) {
  AttemptLogs logs = lend("a");
  ASSERT_EQ(logs.show(spare, true), 0);
  EXPECT_TRUE(has("a.out"));
  EXPECT_TRUE(has("a.err"));
}

TEST_F(Logs, HaveWhatWasPrintedAfterTheEnd) {
  AttemptLogs logs = lend("a");
  ASSERT_EQ(logs.show(spare, false), 0);
  print(program.stdout_fd, "late");
  logs.end(spare, false);
  EXPECT_EQ(text("a.out"), "late");
  AttemptLogs other = lend("b");
  ASSERT_EQ(other.show(spare, false), 0);
  EXPECT_EQ(text("b.out"), "");
}

TEST_F(Logs, TakeTheNameOfOnesThatWereThereBefore) {
  write_text(folder.file("a.out"), "before");
  AttemptLogs logs = lend("a");
  print(program.stdout_fd, "now");
  ASSERT_EQ(logs.show(spare, false), 0);
  EXPECT_EQ(text("a.out"), "now");
}

TEST_F(Logs, AreKeptUntilTheyCanBeFound) {
  AttemptLogs logs = lend("a");
  print(program.stdout_fd, "said");
  std::filesystem::create_directory(folder.file("a.err"));
  EXPECT_NE(logs.show(spare, false), 0);
  logs.end(spare, true);
  std::filesystem::remove(folder.file("a.err"));
  EXPECT_EQ(logs.show(spare, false), 0);
  EXPECT_EQ(text("a.out"), "said");
  EXPECT_TRUE(has("a.err"));
}

TEST_F(Logs, ThatAreEmptyAreThoughAllTheirNamesWereTakenAway) {
  for (const char* const name : {"a", "b"}) {
    AttemptLogs logs = lend(name);
    ASSERT_EQ(logs.show(spare, false), 0);
    logs.end(spare, true);
    const std::string path = folder.file(std::string{name} + ".out");
    EXPECT_TRUE(std::filesystem::remove(path)) << path;
  }
}

TEST_F(Logs, AreOpenedByTheirNamesWhereTheyAreNotTwoOfOneFolder) {
  const std::vector<std::pair<std::string, std::string>> others{
      {folder.file("a"), folder.file("a")}, {folder.file("a"), "/tmp/b"}, {"", ""}, {"/no/such/out", "/no/such/err"}};
  for (const auto& [out, err] : others) {
    program = {.stdout_path = out, .stderr_path = err};
    AttemptLogs logs;
    logs.lend(spare, program, 0);
    EXPECT_EQ(program.stdout_fd, -1) << out;
    EXPECT_EQ(logs.show(spare, true), 0);
    logs.end(spare, true);
  }
}

TEST_F(Logs, OfAnotherFolderAreNotTaken) {
  const test::Scratch other;
  AttemptLogs first = lend("a");
  ASSERT_EQ(first.show(spare, false), 0);
  program = {.stdout_path = other.file("b.out"), .stderr_path = other.file("b.err")};
  AttemptLogs second;
  second.lend(spare, program, 0);
  first.end(spare, true);
  for (const char* const name : {"c", "d"}) {
    program = {.stdout_path = other.file(std::string{name} + ".out"), .stderr_path = other.file(name)};
    AttemptLogs logs;
    logs.lend(spare, program, 0);
    print(program.stdout_fd, name);
    ASSERT_EQ(logs.show(spare, false), 0);
    EXPECT_EQ(read_text(program.stdout_path), name);
  }
}

}  // namespace
}  // namespace baton::test
