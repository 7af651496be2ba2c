// Programs that are run to their end.

#include "io/command.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <filesystem>

#include "io/environment.h"
#include "support/processes.h"
#include "support/scratch.h"

namespace baton::test {
namespace {

Program shell(const std::string& line) { return {.argv = {"/bin/sh", "-c", line}, .env = own_environment()}; }

CommandEnd end_of(const Program& program, const CommandTerms& terms = {}) {
  const auto end = run_command(program, terms);
  EXPECT_TRUE(end) << end.error();
  return end.value_or(CommandEnd{});
}

TEST(Commands, TellHowTheyEndedAndWhatTheyPrinted) {
  const CommandEnd end = end_of(shell("echo said; echo moaned >&2; exit 7"));
  EXPECT_EQ(end.exit, 7);
  EXPECT_EQ(end.signal, 0);
  EXPECT_TRUE(end.in_time);
  EXPECT_EQ(end.out, "said\n");
  EXPECT_EQ(end.err, "moaned\n");
}

TEST(Commands, ThatASignalEndedHaveNoExitCode) {
  const CommandEnd end = end_of(shell("kill -TERM $$"));
  EXPECT_FALSE(end.exit);
  EXPECT_EQ(end.signal, SIGTERM);
  EXPECT_TRUE(end.in_time);
}

TEST(Commands, FindTheirInputHoweverMuchItIs) {
  EXPECT_EQ(end_of(shell("cat")).out, "") << "there is nothing to read, and no waiting for it";
  const std::string much(3U << 20U, 'x');
  EXPECT_EQ(end_of(shell("cat"), {.input = much}).out, much);
  EXPECT_EQ(end_of(shell("exit 3"), {.input = much}).exit, 3) << "one that reads nothing is no trouble";
}

TEST(Commands, PrintToOneOutputInTheirOrder) {
  const CommandEnd end = end_of(shell("echo 1; echo 2 >&2; echo 3"), {.in_one = true});
  EXPECT_EQ(end.out, "1\n2\n3\n");
  EXPECT_EQ(end.err, "");
}

TEST(Commands, KeepTheBeginningOfWhatTheyPrint) {
  const CommandEnd end = end_of(shell("head -c 5000000 /dev/zero | tr '\\0' x; echo e >&2"), {.bytes_max = 10});
  EXPECT_EQ(end.out, std::string(10, 'x'));
  EXPECT_EQ(end.err, "e\n");
  EXPECT_EQ(end.exit, 0) << "they are read to their end";
}

TEST(Commands, AreEndedWithTheirSessionWhenTheirTimeIsUp) {
  const Scratch folder;
  Program program = shell("sleep 1000 & echo $! > child; echo before; wait");
  program.cwd = folder.path();
  auto running = RunningCommand::start(program, {});
  ASSERT_TRUE(running);
  ASSERT_TRUE(eventually([&] { return bytes_of(folder.file("child")).ends_with('\n'); }));
  running->end_now();
  EXPECT_FALSE(running->end().in_time);
  EXPECT_EQ(running->end().signal, SIGKILL);
  EXPECT_EQ(running->end().out, "before\n");
  const pid_t child = std::stoi(bytes_of(folder.file("child")));
  EXPECT_TRUE(eventually([&] { return !is_alive(child); }));
}

TEST(Commands, ThatPrintWithoutEndEndInTimeNevertheless) {
  const CommandEnd end = end_of(shell("yes"), {.lasts_max = Millis{20}, .bytes_max = 4});
  EXPECT_FALSE(end.in_time);
  EXPECT_LE(end.out.size(), 4U);
}

TEST(Commands, DoNotWaitForWhatTheyLeaveBehind) {
  const Scratch folder;
  Program program = shell("sleep 1000 & echo $! > child; echo done");
  program.cwd = folder.path();
  const CommandEnd end = end_of(program);
  EXPECT_EQ(end.out, "done\n");
  const pid_t child = std::stoi(bytes_of(folder.file("child")));
  EXPECT_TRUE(is_alive(child));
  ::kill(child, SIGKILL);
}

TEST(Commands, WaitForAllThatCanPrintWhereThatIsAskedFor) {
  const Scratch folder;
  Program program = shell("(while [ ! -e go ]; do sleep 0.01; done; echo late) & touch left");
  program.cwd = folder.path();
  auto running = RunningCommand::start(program, {.awaits_outputs = true});
  ASSERT_TRUE(running);
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(folder.file("left")); }));
  EXPECT_FALSE(running->look());
  write_bytes(folder.file("go"), "");
  ASSERT_TRUE(eventually([&] { return running->look(); }));
  EXPECT_EQ(running->end().out, "late\n");
  EXPECT_EQ(running->end().exit, 0);
}

TEST(Commands, ThatCannotBeStartedSayWhy) {
  const auto none = run_command({.argv = {"/no/such/program"}});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error(), "No such file or directory: /no/such/program");
  EXPECT_FALSE(run_command({}));
}

TEST(Commands, WhoseEndIsLostHaveNeitherACodeNorASignal) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  const CommandEnd end = end_of(shell("echo x; exit 0"));
  std::signal(SIGCHLD, before);
  EXPECT_FALSE(end.exit);
  EXPECT_EQ(end.signal, 0);
  EXPECT_EQ(end.out, "x\n");
}

TEST(Commands, WorkWhereThisProcessIsUnlessAFolderIsNamed) {
  const Scratch folder;
  Program program = shell("pwd -P");
  EXPECT_EQ(end_of(program).out, std::filesystem::current_path().string() + "\n");
  program.cwd = folder.path();
  EXPECT_EQ(end_of(program).out, std::filesystem::canonical(folder.path()).string() + "\n");
}

TEST(Commands, HaveTheDescriptorsThatTheyAreGivenAndNoOthers) {
  const Scratch folder;
  const Descriptor kept = open_file(folder.file("kept"), O_RDWR | O_CREAT, 0600);
  const Descriptor own = open_file(folder.file("own"), O_RDWR | O_CREAT, 0600);
  Program program = shell("for fd in /proc/self/fd/*; do readlink $fd; done");
  program.kept_fds = {kept.get()};
  const std::string open = end_of(program).out;
  EXPECT_THAT(open, ::testing::HasSubstr("/kept\n"));
  EXPECT_THAT(open, ::testing::Not(::testing::HasSubstr("/own\n")));
  EXPECT_NE(::fcntl(kept.get(), F_GETFD) & FD_CLOEXEC, 0) << "others are not to have it";
}

TEST(Commands, HaveASessionOfTheirOwnUnlessTheyShareOurs) {
  Program program{.argv = {"/bin/sh", "-c", "cut -d' ' -f6 /proc/$$/stat; echo $$"}, .env = own_environment()};
  const std::string own = end_of(program).out;
  EXPECT_EQ(own.substr(0, own.find('\n')), own.substr(own.find('\n') + 1, own.size() - own.find('\n') - 2));
  program.in_our_session = true;
  EXPECT_EQ(std::stoi(end_of(program).out), ::getsid(0));
}

TEST(Copies, EndWithTheAnswerOfTheirWork) {
  const pid_t pid = start_copy([] { return 41; });
  ASSERT_GT(pid, 0);
  EXPECT_EQ(wait_for_end(pid).exit, 41);
}

TEST(Children, AreWaitedForInTime) {
  const auto pid = start_program(shell("exec sleep 1000"));
  ASSERT_TRUE(pid);
  EXPECT_FALSE(end_if_over(*pid));
  EXPECT_FALSE(ends_within(*pid, Millis{1}));
  ::kill(*pid, SIGKILL);
  EXPECT_TRUE(ends_within(*pid, Millis{60'000}));
  const auto end = end_if_over(*pid);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->signal, SIGKILL);
}

TEST(Environment, IsMergedByItsNames) {
  EXPECT_THAT(merge_environment({"A=1", "B=2", "C=3"}, {"B"}, {"C=4", "D=5"}),
              ::testing::UnorderedElementsAre("A=1", "C=4", "D=5"));
}

TEST(Environment, IsWipedWhereTheSystemPutIt) {
  const pid_t pid = start_copy([] {
    ::setenv("BATON_TEST_KEPT", "kept", 1);
    ::setenv("BATON_TEST_SECRET", "secret", 1);
    const char* const where = ::getenv("BATON_TEST_SECRET");
    wipe_own_environment([](std::string_view entry) { return entry.starts_with("BATON_TEST_KEPT="); });
    const bool kept = own_environment() == std::vector<std::string>{"BATON_TEST_KEPT=kept"};
    return kept && *where == '\0' ? 0 : 1;
  });
  EXPECT_EQ(wait_for_end(pid).exit, 0);
}

}  // namespace
}  // namespace baton::test
