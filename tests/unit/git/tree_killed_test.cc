// Killed at many instants, alone and with the git it started; the next call always ends where an undisturbed one does.
#include <signal.h>
#include <unistd.h>

#include <sys/wait.h>

#include "unit/git/trees.h"

namespace baton::git {
namespace {

namespace fs = std::filesystem;
using test::bytes_of;
using ::testing::ElementsAre;

class TreeKilled : public test::Trees {
 protected:
  const std::vector<std::string> both{"baton/r1--a", "baton/r1--b"};

  /// All that is done to a tree: made, merged into, worked in, committed to.
  void work() const {
    if (!git::prepare(order("r1", both))) return;
    write_in_tree("work", "w\n");
    (void)git::commit(path(), "work");
  }

  /// Does it in a process of its own, which lives for just so long.
  void work_and_be_killed(useconds_t after, bool with_its_git) const {
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::setpgid(0, 0);
      work();
      ::_exit(0);
    }
    ::setpgid(pid, pid);
    ::usleep(after);
    ::kill(with_its_git ? -pid : pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }

  void expect_all_is_there() const {
    EXPECT_EQ(in_tree("symbolic-ref HEAD"), "refs/heads/baton/r1");
    EXPECT_EQ(in_tree("status --porcelain"), "");
    // Git writes the files of a merge before it records it: killed between, they are work in no commit.
    EXPECT_EQ(in_tree("log --first-parent --format=%s --invert-grep --grep='^wip: found before merging'"),
              "work\nMerge sub-task b\nMerge sub-task a\nfirst");
    for (const char* file : {"a", "b", "work", ".env"}) EXPECT_TRUE(fs::exists(path() + "/" + file)) << file;
    EXPECT_EQ(git("worktree prune -n -v"), "");
    EXPECT_EQ(git("fsck --no-dangling --no-progress"), "");
  }
};

TEST_F(TreeKilled, AtAnyInstant) {
  write(".gitignore", ".env\n");
  write(".worktreeinclude", ".env\n");
  write("big", std::string(1U << 20U, 'x'));
  for (int n = 0; n < 200; ++n) write("many/" + std::to_string(n), std::to_string(n));
  git("add -A && git -c commit.gpgSign=false commit -q --amend -m first");
  first = git("rev-parse HEAD");
  write(".env", "e\n");
  sub_task("r1--a", "a", "a\n");
  sub_task("r1--b", "b", "b\n");
  const std::string before = users_things();
  constexpr int kills = 30;
  constexpr useconds_t apart = 9'000;
  for (int n = 0; n < kills; ++n) {
    SCOPED_TRACE(n);
    work_and_be_killed(apart * static_cast<useconds_t>(n), n % 2 == 0);
    ready("r1", both);
    work();
    expect_all_is_there();
    take_away();
    if (HasFailure()) break;
  }
  EXPECT_EQ(users_things(), before);
}

TEST_F(TreeKilled, WhileItIsRemoved) {
  for (int n = 0; n < 300; ++n) write("many/" + std::to_string(n), std::to_string(n));
  first = commit("many");
  for (int n = 0; n < 10; ++n) {
    SCOPED_TRACE(n);
    ready();
    const pid_t pid = ::fork();
    if (pid == 0) {
      (void)remove(root, path());
      ::_exit(0);
    }
    ::usleep(static_cast<useconds_t>(n) * 2'000);
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    if (n % 2 == 0) {
      EXPECT_EQ(ready().head, first);
      EXPECT_EQ(in_tree("status --porcelain"), "");
    }
    const auto removed = remove(root, path());
    ASSERT_TRUE(removed) << removed.error().message;
    EXPECT_FALSE(fs::exists(path()));
    EXPECT_EQ(test::sh(worktrees(), "ls -A"), ".making\n");
    EXPECT_EQ(git("worktree list --porcelain | grep -c ^worktree"), "1");
  }
}

}  // namespace
}  // namespace baton::git
