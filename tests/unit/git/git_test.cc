#include "git/git.h"

#include <gmock/gmock.h>
#include <sys/wait.h>

#include <csignal>

#include "git/identity.h"
#include "unit/git/repository.h"

namespace baton::git {
namespace {

namespace fs = std::filesystem;

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Runner : public test::Repository {
 protected:
  void hook(const std::string& name) const {
    write(".git/hooks/" + name, "#!/bin/sh\ntouch \"" + scratch.file("hook-ran") + "\"\nexit 1\n");
    fs::permissions(root + "/.git/hooks/" + name, fs::perms::owner_all);
  }

  /// Another program that is called git, until the test ends.
  void another_git(const std::string& script) {
    fs::create_directories(scratch.file("bin"));
    test::write_bytes(scratch.file("bin/git"), script);
    fs::permissions(scratch.file("bin/git"), fs::perms::owner_all);
    ::setenv("PATH", (scratch.file("bin") + ":" + path_).c_str(), 1);
  }
  ~Runner() override { ::setenv("PATH", path_.c_str(), 1); }

  const std::string path_ = ::getenv("PATH");
};

TEST_F(Runner, TellsWhatGitSaidAndHowItEnded) {
  const auto good = Git{root}.run({"rev-parse", "--abbrev-ref", "HEAD"});
  ASSERT_TRUE(good);
  EXPECT_TRUE(good->ok());
  EXPECT_EQ(good->line(), "main");
  const auto bad = Git{root}.run({"rev-parse", "--verify", "nothing"});
  ASSERT_TRUE(bad);
  EXPECT_EQ(bad->exit, 128);
  EXPECT_THAT(bad->err, HasSubstr("fatal"));
  const auto must = Git{root}.must({"-c", "a.b=c", "rev-parse", "--verify", "nothing"});
  ASSERT_FALSE(must);
  EXPECT_EQ(must.error().code, "git-failed");
  EXPECT_THAT(must.error().message, HasSubstr("git rev-parse: fatal"));
}

TEST_F(Runner, AnswersQuestions) {
  EXPECT_EQ(Git{root}.holds({"show-ref", "--verify", "--quiet", "refs/heads/main"}), true);
  EXPECT_EQ(Git{root}.holds({"show-ref", "--verify", "--quiet", "refs/heads/none"}), false);
  EXPECT_FALSE(Git{root}.holds({"no-such-command", "--"}).value_or(false));
  EXPECT_EQ(Git{root}.commit_of("main"), git("rev-parse main"));
  EXPECT_EQ(Git{root}.commit_of("none"), "");
  EXPECT_EQ(Git{root}.commit_of("--all"), "");
}

TEST_F(Runner, HandsInputOverHoweverMuchAndWhetherReadOrNot) {
  std::string big(4U << 20U, 'x');
  const auto hashed = Git{root}.run({"hash-object", "--stdin"}, big);
  ASSERT_TRUE(hashed);
  EXPECT_EQ(hashed->line().size(), 40U);
  // This one never reads: its reader is gone while we write, which must not end the process.
  const auto unread = Git{root}.run({"rev-parse", "HEAD"}, big);
  ASSERT_TRUE(unread);
  EXPECT_TRUE(unread->ok());
}

TEST_F(Runner, NeverWaitsForAnEndThatIsLost) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  const auto lost = Git{root}.run({"rev-parse", "HEAD"});
  std::signal(SIGCHLD, before);
  ASSERT_FALSE(lost) << "an end nobody saw must not pass for a good one";
  EXPECT_EQ(lost.error().code, "git-failed");
}

TEST_F(Runner, RunsNoHooksAndSignsNothing) {
  for (const char* name :
       {"pre-commit", "commit-msg", "reference-transaction", "post-checkout", "prepare-commit-msg"}) {
    hook(name);
  }
  write("a", "a");
  ASSERT_TRUE(Git{root}.must({"add", "a"}));
  const auto committed = Git{root}.must({"commit", "-m", "by us"});
  EXPECT_TRUE(committed) << committed.error().message;
  EXPECT_FALSE(fs::exists(scratch.file("hook-ran")));
}

TEST_F(Runner, TheEnvironmentsOtherRepositoryDoesNotCount) {
  ::setenv("GIT_DIR", "/nowhere", 1);
  ::setenv("GIT_INDEX_FILE", "/nowhere", 1);
  ::setenv("LANGUAGE", "de", 1);
  const auto top = Git{root}.run({"rev-parse", "--show-toplevel"});
  ::unsetenv("GIT_DIR");
  ::unsetenv("GIT_INDEX_FILE");
  ASSERT_TRUE(top);
  EXPECT_EQ(top->line(), fs::canonical(root).string());
  const auto given = Git{root, {"GIT_DIR=/nowhere"}}.run({"rev-parse", "--git-dir"});
  EXPECT_FALSE(given->ok()) << "but what we say ourselves does";
}

TEST_F(Runner, WithoutGitItSaysSo) {
  const std::string path = ::getenv("PATH");
  ::setenv("PATH", "/nowhere", 1);
  const auto missing = Git{root}.run({"status"});
  ::setenv("PATH", path.c_str(), 1);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, "git-missing");
}

TEST_F(Runner, AGitThatWasKilledHasSaidNothing) {
  another_git("#!/bin/sh\nkill -9 $$\n");
  const auto itself = Git{root}.commit_of("main");
  EXPECT_EQ(itself ? *itself : itself.error().code, "git-killed") << "not that there is no such commit";
  EXPECT_EQ(Git{root}.holds({"diff", "--quiet"}).error().code, "git-killed");
  // A git of its own that was killed, it hands on by its exit code.
  another_git("#!/bin/sh\nexit 137\n");
  EXPECT_THAT(Git{root}.run({"worktree", "add"}).error().message,
              HasSubstr("git worktree was ended by signal 9 (KILL)"));
}

TEST_F(Runner, WhatIsNoAnswerIsNoCommit) {
  const auto outside = Git{scratch.path()}.commit_of("main");
  EXPECT_EQ(outside ? *outside : outside.error().code, "git-failed") << "there is no repository to ask";
}

TEST_F(Runner, WhatIsKilledIsDoneAgainButNotForever) {
  int times = 0;
  EXPECT_TRUE(again_if_killed([&]() -> Status { return ++times < 3 ? Status{fault("git-killed", "")} : Status{}; }));
  EXPECT_EQ(times, 3);
  times = 0;
  EXPECT_FALSE(again_if_killed([&]() -> Status { return ++times, fault("git-killed", ""); }));
  EXPECT_EQ(times, 4);
  times = 0;
  EXPECT_FALSE(again_if_killed([&]() -> Status { return ++times, fault("git-failed", ""); }));
  EXPECT_EQ(times, 1);
}

TEST_F(Runner, ALockInTheWayIsNamed) {
  write(".git/refs/heads/main.lock", "");
  const auto refused = Git{root}.must({"update-ref", "-d", "refs/heads/main"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "git-locked");
  EXPECT_THAT(refused.error().message, HasSubstr(root + "/.git/refs/heads/main.lock is there"));
  EXPECT_THAT(refused.error().help, HasSubstr("rm " + root + "/.git/refs/heads/main.lock"));
}

TEST_F(Runner, ListsAreSplitAtTheirZeros) {
  EXPECT_THAT(zero_separated(std::string_view{"a\0b\nc\0", 6}), ElementsAre("a", "b\nc"));
  EXPECT_THAT(zero_separated(""), ElementsAre());
}

TEST_F(Runner, TheUsersNameIsTakenAndOursWhereThereIsNone) {
  EXPECT_THAT(identity(Git{root}).value(), ElementsAre());
  test::write_bytes(scratch.file(".gitconfig"), "");
  EXPECT_THAT(identity(Git{root}).value(),
              ElementsAre("GIT_AUTHOR_NAME=Baton", "GIT_AUTHOR_EMAIL=baton@localhost", "GIT_COMMITTER_NAME=Baton",
                          "GIT_COMMITTER_EMAIL=baton@localhost"));
  ::setenv("GIT_AUTHOR_NAME", "Eve", 1);
  ::setenv("GIT_AUTHOR_EMAIL", "eve@example.org", 1);
  EXPECT_THAT(identity(Git{root}).value(),
              ElementsAre("GIT_COMMITTER_NAME=Baton", "GIT_COMMITTER_EMAIL=baton@localhost"));
}

}  // namespace
}  // namespace baton::git
