// What else is in a new tree (.worktreeinclude, submodules), and taking trees away again.
#include <signal.h>
#include <unistd.h>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "unit/git/trees.h"

namespace baton::git {
namespace {

namespace fs = std::filesystem;
using test::bytes_of;
using test::sh;
using test::write_bytes;
using ::testing::IsEmpty;

class TreeIncludes : public test::Trees {};

TEST_F(TreeIncludes, WhatIsIgnoredAndNamed) {
  write(".gitignore", ".env*\nsecrets/\nnode_modules/\n*.key\n");
  write(".worktreeinclude", "# keys\n.env*\n!.env.local\n/secrets/\nuntracked\n*.key\n");
  write("tracked.key", "committed\n");
  git("add -f tracked.key");
  first = commit("rules");
  write(".env", "E=1\n");
  fs::permissions(root + "/.env", fs::perms::owner_read);
  write(".env.local", "no\n");
  write("sub/.env", "deep\n");
  write("secrets/a/b", "s\n");
  write("run.key", "#!/bin/sh\n");
  fs::permissions(root + "/run.key", fs::perms::owner_all);
  write("node_modules/x", "n\n");
  write("untracked", "not ignored\n");
  write("tracked.key", "changed by the user\n");
  ready();
  EXPECT_EQ(bytes_of(path() + "/.env"), "E=1\n");
  EXPECT_EQ(fs::status(path() + "/.env").permissions(), fs::perms::owner_read);
  EXPECT_EQ(fs::status(path() + "/run.key").permissions(), fs::perms::owner_all);
  EXPECT_EQ(bytes_of(path() + "/sub/.env"), "deep\n");
  EXPECT_EQ(bytes_of(path() + "/secrets/a/b"), "s\n");
  EXPECT_EQ(bytes_of(path() + "/tracked.key"), "committed\n") << "what git knows comes from git";
  for (const char* out : {".env.local", "node_modules", "untracked"}) {
    EXPECT_FALSE(fs::exists(path() + "/" + out)) << out;
  }
  EXPECT_EQ(in_tree("status --porcelain"), "");
}

TEST_F(TreeIncludes, OnlyWhenATreeIsMade) {
  write(".gitignore", ".env\n");
  write(".worktreeinclude", ".env\n");
  first = commit("rules");
  write(".env", "1\n");
  ready();
  write_in_tree(".env", "the agent's\n");
  write(".env", "2\n");
  ready();
  EXPECT_EQ(bytes_of(path() + "/.env"), "the agent's\n");
}

TEST_F(TreeIncludes, NoLinkLeadsOut) {
  write(".gitignore", "*.secret\nout\nin\n");
  write(".worktreeinclude", "*.secret\nout\nin\n");
  first = commit("rules");
  write_bytes(scratch.file("outside"), "private\n");
  write("a.secret", "a\n");
  fs::create_symlink(scratch.file("outside"), root + "/absolute.secret");
  fs::create_symlink("../outside", root + "/relative.secret");
  fs::create_symlink("a.secret", root + "/inside.secret");
  fs::create_symlink(scratch.path(), root + "/out");
  ASSERT_EQ(::mkfifo((root + "/pipe.secret").c_str(), 0600), 0);
  const TreeState state = ready();
  EXPECT_EQ(fs::read_symlink(path() + "/inside.secret"), "a.secret");
  for (const char* out : {"absolute.secret", "relative.secret", "out", "pipe.secret"}) {
    EXPECT_FALSE(fs::exists(fs::symlink_status(path() + "/" + out))) << out;
  }
  EXPECT_TRUE(notes_say(state.notes, "relative.secret"));
}

TEST_F(TreeIncludes, NothingIsWrittenThroughALinkOfTheProject) {
  write(".gitignore", "d/x\n");
  write(".worktreeinclude", "d/x\n");
  fs::create_symlink(scratch.path(), root + "/d");
  first = commit("a folder that is a link");
  fs::remove(root + "/d");
  write("d/x", "x\n");
  const TreeState state = ready();
  EXPECT_FALSE(fs::exists(scratch.file("x"))) << "the tree's 'd' leads out of it";
  EXPECT_TRUE(notes_say(state.notes, "d/x"));
}

TEST_F(TreeIncludes, OurOwnStateIsNotTakenAlong) {
  write(".worktreeinclude", "*\n");
  first = commit("everything");
  write(".baton/runs/r0/log", "l\n");
  ready();
  EXPECT_FALSE(fs::exists(path() + "/.baton"));
}

// --- Submodules --------------------------------------------------------------------------------------------------

class TreeSubmodules : public test::Trees {
 protected:
  TreeSubmodules() {
    sh(scratch.path(),
       "git init -q -b main lib && cd lib && echo lib > lib.c && git add . && "
       "git -c commit.gpgSign=false commit -q -m lib");
    git("-c protocol.file.allow=always submodule --quiet add " + scratch.file("lib") + " 'li b'");
    first = commit("with a submodule");
  }
};

TEST_F(TreeSubmodules, AreCheckedOutFromTheUsersOwnCopy) {
  const std::string config = bytes_of(root + "/.git/config");
  fs::rename(scratch.file("lib"), scratch.file("the network is down"));
  const TreeState state = ready();
  EXPECT_EQ(bytes_of(path() + "/li b/lib.c"), "lib\n");
  EXPECT_THAT(state.notes, IsEmpty());
  EXPECT_EQ(git_in(path() + "/li b", "remote get-url origin"), scratch.file("lib"));
  EXPECT_EQ(bytes_of(root + "/.git/config"), config);
  EXPECT_EQ(in_tree("status --porcelain"), "");
}

TEST_F(TreeSubmodules, OrFromTheirSource) {
  fs::remove_all(root + "/.git/modules");
  EXPECT_THAT(ready().notes, IsEmpty());
  EXPECT_EQ(bytes_of(path() + "/li b/lib.c"), "lib\n");
}

TEST_F(TreeSubmodules, WhatCannotBeFetchedIsANote) {
  const std::string config = bytes_of(root + "/.git/config");
  fs::remove_all(root + "/.git/modules");
  fs::remove_all(scratch.file("lib"));
  const TreeState state = ready();
  EXPECT_TRUE(notes_say(state.notes, "'li b' is empty"));
  EXPECT_EQ(bytes_of(root + "/.git/config"), config);
  write_in_tree("a", "a\n");
  EXPECT_FALSE(git::commit(path(), "work")->commit.empty());
}

TEST_F(TreeSubmodules, ThoseThatWereNeverSetUpAreLeft) {
  git("submodule --quiet deinit -f 'li b'");
  const std::string config = bytes_of(root + "/.git/config");
  const TreeState state = ready();
  EXPECT_TRUE(notes_say(state.notes, "not set up"));
  EXPECT_EQ(bytes_of(root + "/.git/config"), config);
}

TEST_F(TreeSubmodules, ATreeWithThemCanBeRemoved) {
  ready();
  EXPECT_TRUE(remove(root, path()));
  EXPECT_FALSE(fs::exists(path()));
  EXPECT_FALSE(fs::exists(record()));
}

// --- Taking away -------------------------------------------------------------------------------------------------

class TreeRemoved : public test::Trees {
 protected:
  void expect_gone(const std::string& name) const {
    EXPECT_FALSE(fs::exists(path(name))) << name;
    EXPECT_FALSE(fs::exists(mark(name))) << name;
    EXPECT_FALSE(fs::exists(record(name))) << name;
  }
  void expect_nothing_left() const {
    EXPECT_FALSE(fs::exists(path()));
    EXPECT_FALSE(fs::exists(mark()));
    EXPECT_FALSE(fs::exists(worktrees() + "/.r1.gone"));
    EXPECT_FALSE(fs::exists(record()));
    EXPECT_EQ(git("worktree list --porcelain | grep -c ^worktree"), "1");
  }
};

TEST_F(TreeRemoved, WithAllThatIsInIt) {
  ready();
  write_in_tree("untracked", "u\n");
  ASSERT_TRUE(remove(root, path()));
  expect_nothing_left();
  EXPECT_EQ(git("rev-parse baton/r1"), first) << "the branch stays";
  EXPECT_TRUE(remove(root, path())) << "and again";
}

TEST_F(TreeRemoved, OnAFullDisk) {
  ready();
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit nothing{.rlim_cur = 0, .rlim_max = 0};
    ::setrlimit(RLIMIT_FSIZE, &nothing);
    ::_exit(remove(root, path()) ? 0 : 1);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
  expect_nothing_left();
}

TEST_F(TreeRemoved, WhenHalfRemoved) {
  ready();
  fs::remove(path() + "/.git");
  ASSERT_TRUE(remove(root, path()));
  expect_nothing_left();
  ready();
  fs::remove_all(path());
  ASSERT_TRUE(remove(root, path()));
  expect_nothing_left();
  ready();
  fs::rename(path(), worktrees() + "/.r1.gone");
  ASSERT_TRUE(remove(root, path()));
  expect_nothing_left();
  ready();
  git("worktree lock " + path());
  fs::remove_all(record() + "/HEAD");
  ASSERT_TRUE(remove(root, path()));
  expect_nothing_left();
}

TEST_F(TreeRemoved, FoldersNobodyMayWriteTo) {
  ready();
  write_in_tree("cache/mod/file", "f\n");
  fs::permissions(path() + "/cache/mod", fs::perms::owner_read | fs::perms::owner_exec);
  fs::permissions(path() + "/cache", fs::perms::owner_read | fs::perms::owner_exec);
  ASSERT_TRUE(remove(root, path()));
  expect_nothing_left();
}

TEST_F(TreeRemoved, LinksAreNotFollowed) {
  write_bytes(scratch.file("precious"), "p");
  ready();
  fs::create_symlink(scratch.path(), path() + "/out");
  ASSERT_TRUE(remove(root, path()));
  EXPECT_EQ(bytes_of(scratch.file("precious")), "p");
}

TEST_F(TreeRemoved, AllOfARunAndOfNoOther) {
  for (const char* name : {"r1", "r1--a", "r1--b", "r12", "r2"}) ready(name);
  fs::remove_all(path("r1--b"));
  fs::create_directories(path("r1--not-ours"));
  write_bytes(path("r1--not-ours") + "/precious", "p");
  EXPECT_EQ(code_of(remove_all(root, worktrees(), "r1")), "tree-not-ours");
  expect_gone("r1");
  expect_gone("r1--a");
  expect_gone("r1--b");
  EXPECT_TRUE(fs::exists(path("r12") + "/README"));
  EXPECT_EQ(bytes_of(path("r1--not-ours") + "/precious"), "p");
  fs::remove_all(path("r1--not-ours"));
  EXPECT_TRUE(remove_all(root, worktrees(), "r1"));
  EXPECT_TRUE(remove_all(root, scratch.file("nowhere"), "r1"));
}

TEST_F(TreeRemoved, AlsoWhereTheRepositoryIsGone) {
  ready();
  fs::remove_all(root + "/.git");
  EXPECT_TRUE(remove(root, path()));
  EXPECT_FALSE(fs::exists(path()));
}

}  // namespace
}  // namespace baton::git
