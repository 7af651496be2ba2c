// What agents, users and killed processes leave in a tree: nothing of it is lost, and what can go on goes on.
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <sys/wait.h>

#include <chrono>

#include "git/tree_mark.h"
#include "git/worktrees.h"
#include "support/processes.h"
#include "unit/git/trees.h"

namespace baton::git {
namespace {

namespace fs = std::filesystem;
using test::bytes_of;
using test::sh;
using test::write_bytes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class TreeLeft : public test::Trees {
 protected:
  TreeLeft() { ready(); }
  std::string agents_commit(const std::string& file) const {
    write_in_tree(file, file + "\n");
    return commit_in(path(), "the agent's " + file);
  }
};

/// As a process that was killed at work on the tree, when its git could hold the lock of the packed branches.
void be_killed_at_work(const std::string& tree) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    const auto mark = TreeMark::take(tree);
    (void)mark->note_work();
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(pid, nullptr, 0);
}

TEST_F(TreeLeft, TheLockOfPackedBranchesThatAKilledGitOfOursLeft) {
  const std::string lock = root + "/.git/packed-refs.lock";
  be_killed_at_work(real_path(path()));
  write_bytes(lock, "");
  ready();
  EXPECT_FALSE(fs::exists(lock));
  write_bytes(lock, "");
  // As one that is made while our gits work.
  fs::last_write_time(lock, fs::last_write_time(lock) + std::chrono::hours{1});
  ready();
  EXPECT_TRUE(fs::exists(lock)) << "no process of ours was killed since: it is somebody else's";
}

TEST_F(TreeLeft, NoLockOfPackedBranchesWithSomethingInIt) {
  const std::string lock = root + "/.git/packed-refs.lock";
  be_killed_at_work(real_path(path()));
  write_bytes(lock, "# pack-refs with: peeled fully-peeled sorted\n");
  ready();
  EXPECT_TRUE(fs::exists(lock)) << "git leaves it empty, others do not";
}

TEST_F(TreeLeft, TheLockOfPackedBranchesOfAGitThatWasKilledUnderOurHands) {
  const std::string lock = root + "/.git/packed-refs.lock";
  const std::string once = scratch.file("once");
  write_in(scratch.path(), "bin/git",
           "#!/bin/sh\ncase \"$*\" in *worktree\\ add*)\n  [ -e " + once + " ] || { touch " + once + " " + lock +
               "; kill -9 $$; } ;;\nesac\nexec " + sh(root, "command -v git | tr -d '\\n'") + " \"$@\"\n");
  fs::permissions(scratch.file("bin/git"), fs::perms::owner_all);
  const std::string path_before = ::getenv("PATH");
  ::setenv("PATH", (scratch.file("bin") + ":" + path_before).c_str(), 1);
  ready("r2");
  ::setenv("PATH", path_before.c_str(), 1);
  EXPECT_TRUE(fs::exists(once)) << "it was killed";
  EXPECT_FALSE(fs::exists(lock));
  EXPECT_EQ(sh(worktrees(), "ls -A | grep work", true), "") << "nothing is noted any more";
}

TEST_F(TreeLeft, NoLockOfPackedBranchesThatIsOlderThanOurGit) {
  const std::string lock = root + "/.git/packed-refs.lock";
  write_bytes(lock, "");
  fs::last_write_time(lock, fs::last_write_time(lock) - std::chrono::hours{1});
  be_killed_at_work(real_path(path()));
  ready();
  EXPECT_TRUE(fs::exists(lock));
}

/// Most commands of git's go to the top first. One that does not has to be found from where it stands.
TEST_F(TreeLeft, TheLockOfPackedBranchesStaysWhileAGitStandsBelowTheTop) {
  git("init -q --separate-git-dir ../kept.git");
  const std::string lock = scratch.file("kept.git/packed-refs.lock");
  ready("r2");
  be_killed_at_work(real_path(path("r2")));
  write_bytes(lock, "");
  fs::create_directories(scratch.file("bin"));
  fs::copy_file("/bin/sh", scratch.file("bin/git-stands"));
  fs::create_directories(root + "/far/below");
  const std::string command = "cd " + test::shell_word(root + "/far/below") + " && exec " +
                              test::shell_word(scratch.file("bin/git-stands")) + " -c 'echo; read word'";
  int in[2];
  int out[2];
  ASSERT_EQ(::pipe(in), 0);
  ASSERT_EQ(::pipe(out), 0);
  const pid_t stands = ::fork();
  if (stands == 0) {
    ::dup2(in[0], 0);
    ::dup2(out[1], 1);
    ::close(in[1]);
    ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    ::_exit(127);
  }
  ::close(out[1]);
  char told = 0;
  EXPECT_EQ(::read(out[0], &told, 1), 1) << "it stands there";
  ready("r2");
  EXPECT_TRUE(fs::exists(lock));
  ::close(in[1]);
  ::waitpid(stands, nullptr, 0);
  for (const int end : {in[0], out[0]}) ::close(end);
  ready("r2");
  EXPECT_FALSE(fs::exists(lock)) << "it was ours all the time";
}

/// The git folder lies elsewhere, as a submodule's does: from where a git stands one has to see whose it is.
TEST_F(TreeLeft, TheLockOfPackedBranchesOfALivingGitStays) {
  git("init -q --separate-git-dir ../kept.git");
  const std::string lock = scratch.file("kept.git/packed-refs.lock");
  ready("r2");
  git("branch other && git pack-refs --all");
  be_killed_at_work(real_path(path("r2")));
  FILE* living = ::popen(("cd " + test::shell_word(root) + " && exec git update-ref --stdin >/dev/null").c_str(), "w");
  std::fputs("start\ndelete refs/heads/other\nprepare\n", living);
  std::fflush(living);
  ASSERT_TRUE(test::eventually([&] { return fs::exists(lock); }));
  ready("r2");
  EXPECT_TRUE(fs::exists(lock));
  EXPECT_EQ(::pclose(living), 0);
  EXPECT_FALSE(fs::exists(lock)) << "it was its own, and it is through";
}

TEST_F(TreeLeft, WhatAMergeThatIsOverWroteOfItself) {
  write_bytes(record() + "/AUTO_MERGE", first + "\n");
  ready();
  EXPECT_FALSE(fs::exists(record() + "/AUTO_MERGE"));
}

TEST_F(TreeLeft, WhatGitKnowsOfOpenConflictsThatAreOfNoMerge) {
  git("checkout -q -b other");
  write("README", "other\n");
  commit("other");
  git("checkout -q main");
  write_in_tree("README", "put aside\n");
  in_tree("stash -q");
  write_in_tree("README", "mine\n");
  commit_in(path(), "mine");
  for (const char* words : {"git stash pop", "git merge --squash other"}) {
    sh(path(), words, true);
    ASSERT_TRUE(fs::exists(record() + "/AUTO_MERGE")) << words;
    const auto stuck = git::commit(path(), "x");
    ASSERT_TRUE(stuck);
    EXPECT_THAT(stuck->unresolved, ElementsAre("README"));
    EXPECT_TRUE(fs::exists(record() + "/AUTO_MERGE")) << words;
    write_in_tree("README", std::string{"resolved after "} + words + "\n");
    ASSERT_TRUE(git::commit(path(), "resolved"));
    EXPECT_FALSE(fs::exists(record() + "/AUTO_MERGE")) << words;
    EXPECT_EQ(in_tree("log -1 --format=%s"), "resolved");
  }
}

TEST_F(TreeLeft, AnAgentThatCommitsByItself) {
  const std::string own = agents_commit("own");
  write_in_tree("more", "m\n");
  const auto done = git::commit(path(), "the rest");
  ASSERT_TRUE(done);
  EXPECT_THAT(done->files, ElementsAre("more"));
  EXPECT_EQ(in_tree("rev-parse HEAD^"), own) << "its commits stay as they are";
  EXPECT_THAT(ready().changed, ElementsAre("more", "own"));
}

TEST_F(TreeLeft, AnAgentThatMadeABranchOfItsOwn) {
  in_tree("checkout -q -b feature/x");
  const std::string own = agents_commit("own");
  write_in_tree("more", "m\n");
  const auto done = git::commit(path(), "the rest");
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_TRUE(notes_say(done->notes, "feature/x"));
  EXPECT_EQ(in_tree("symbolic-ref HEAD"), "refs/heads/baton/r1");
  EXPECT_EQ(git("rev-parse baton/r1"), done->commit);
  EXPECT_EQ(git("rev-parse baton/r1^"), own) << "the run's branch has its work";
  EXPECT_EQ(git("rev-parse feature/x"), own) << "and its branch stays";
}

TEST_F(TreeLeft, AnAgentThatCommittedOnNoBranch) {
  in_tree("checkout -q --detach");
  const std::string own = agents_commit("own");
  const TreeState state = ready();
  EXPECT_EQ(state.head, own);
  EXPECT_EQ(git("rev-parse baton/r1"), own);
  EXPECT_THAT(state.changed, ElementsAre("own"));
}

TEST_F(TreeLeft, AnAgentThatRenamedTheBranch) {
  const std::string own = agents_commit("own");
  in_tree("branch -m better-name");
  const TreeState state = ready();
  EXPECT_EQ(state.head, own);
  EXPECT_EQ(in_tree("symbolic-ref HEAD"), "refs/heads/baton/r1");
  EXPECT_EQ(git("rev-parse better-name"), own);
}

TEST_F(TreeLeft, AnAgentThatDeletedTheBranch) {
  const std::string own = agents_commit("own");
  in_tree("update-ref -d refs/heads/baton/r1");
  const TreeState state = ready();
  EXPECT_EQ(state.head, own);
  EXPECT_TRUE(notes_say(state.notes, "was gone"));
  EXPECT_EQ(in_tree("status --porcelain"), "");
}

TEST_F(TreeLeft, AnAgentThatLooksAtAnOlderCommit) {
  const std::string own = agents_commit("own");
  in_tree("checkout -q " + first);
  write_in_tree("carried", "c\n");
  const TreeState state = ready();
  EXPECT_EQ(state.head, own);
  EXPECT_EQ(in_tree("symbolic-ref HEAD"), "refs/heads/baton/r1");
  EXPECT_EQ(bytes_of(path() + "/carried"), "c\n");
  EXPECT_TRUE(notes_say(state.notes, "back on 'baton/r1'"));
}

TEST_F(TreeLeft, AnotherBranchThatWasOnlyLookedAtIsNotTaken) {
  git("checkout -q -b newer");
  write("newer", "n\n");
  const std::string newer = commit("newer");
  git("checkout -q main");
  in_tree("checkout -q newer");
  const TreeState state = ready();
  EXPECT_EQ(state.head, first) << "what others made does not become the run's work";
  EXPECT_EQ(git("rev-parse newer"), newer);
}

TEST_F(TreeLeft, ChangesThatCannotComeAlongStop) {
  agents_commit("own");
  in_tree("checkout -q " + first);
  write_in_tree("own", "another\n");
  const auto state = prepare();
  ASSERT_EQ(code_of(state), "tree-elsewhere");
  EXPECT_EQ(bytes_of(path() + "/own"), "another\n");
  EXPECT_THAT(state.error().help, HasSubstr("switch baton/r1"));
}

TEST_F(TreeLeft, CommitsThatNoBranchHasStop) {
  const std::string own = agents_commit("own");
  in_tree("checkout -q " + first);
  write_in_tree("aside", "a\n");
  const std::string aside = commit_in(path(), "beside the branch");
  for (const std::string& code : {code_of(prepare()), code_of(git::commit(path(), "x"))}) {
    EXPECT_EQ(code, "commits-would-be-lost");
  }
  EXPECT_EQ(in_tree("rev-parse HEAD"), aside) << "nothing was moved";
  in_tree("branch aside");
  EXPECT_EQ(ready().head, own);
}

TEST_F(TreeLeft, ARebaseInProgressStops) {
  git("checkout -q -b other");
  write("README", "other\n");
  commit("other");
  git("checkout -q main");
  write_in_tree("README", "mine\n");
  const std::string mine = commit_in(path(), "mine");
  sh(path(), "git rebase -q other", true);
  ASSERT_TRUE(fs::exists(record() + "/rebase-merge"));
  const std::string before = bytes_of(path() + "/README");
  EXPECT_EQ(code_of(prepare()), "tree-in-rebase");
  EXPECT_EQ(code_of(git::commit(path(), "x")), "tree-in-rebase");
  EXPECT_EQ(bytes_of(path() + "/README"), before);
  in_tree("rebase --abort");
  EXPECT_EQ(ready().head, mine);
}

TEST_F(TreeLeft, LocksOfAKilledGitAreRemoved) {
  for (const std::string& lock : {record() + "/index.lock", record() + "/HEAD.lock", record() + "/ORIG_HEAD.lock",
                                  root + "/.git/refs/heads/baton/r1.lock"}) {
    write_bytes(lock, "");
  }
  write(".git/index.lock", "");
  write_in_tree("a", "a\n");
  const auto done = git::commit(path(), "work");
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_FALSE(done->commit.empty());
  EXPECT_EQ(done->notes.size(), 4U);
  EXPECT_TRUE(fs::exists(root + "/.git/index.lock")) << "the user's own is the user's";
}

TEST_F(TreeLeft, ALockWhoseGitLivesIsWaitedFor) {
  write_bytes(record() + "/index.lock", "");
  // A process named git, at work in the tree, that takes its lock away itself.
  fs::create_directories(scratch.file("bin"));
  fs::copy_file("/bin/sh", scratch.file("bin/git-holds"));
  write_in_tree("a", "a\n");
  const std::string works = "touch ../../../begun; sleep 1; rm -f " + record() + "/index.lock";
  sh(path(), test::shell_word(scratch.file("bin/git-holds")) + " -c " + test::shell_word(works) +
                 " > /dev/null 2>&1 &\nwhile [ ! -e ../../../begun ]; do :; done");
  const auto done = git::commit(path(), "work");
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_THAT(done->notes, IsEmpty()) << "it was not taken from it";
  EXPECT_FALSE(done->commit.empty());
}

TEST_F(TreeLeft, AnAgentThatDeletedDotGit) {
  fs::remove(path() + "/.git");
  write_in_tree("a", "a\n");
  const std::string before = users_things();
  const auto done = git::commit(path(), "work");
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_THAT(done->files, ElementsAre("a")) << "committed to the tree's branch, not to the user's checkout around it";
  EXPECT_EQ(git("rev-parse baton/r1"), done->commit);
  EXPECT_EQ(users_things(), before);
}

TEST_F(TreeLeft, AnAgentThatMadeARepositoryOfItsOwnInstead) {
  fs::remove(path() + "/.git");
  sh(path(), "git init -q");
  EXPECT_EQ(code_of(prepare()), "tree-broken");
  EXPECT_EQ(code_of(git::commit(path(), "x")), "tree-broken");
  fs::rename(path() + "/.git", scratch.file("moved-away"));
  EXPECT_EQ(ready().head, first);
}

TEST_F(TreeLeft, AUserThatPrunedWhileTheFolderWasAway) {
  write_in_tree("README", "not committed yet\n");
  fs::rename(path(), scratch.file("away"));
  git("worktree prune");
  fs::rename(scratch.file("away"), path());
  const TreeState state = ready();
  EXPECT_THAT(state.changed, ElementsAre("README"));
  EXPECT_EQ(bytes_of(path() + "/README"), "not committed yet\n");
  EXPECT_TRUE(notes_say(state.notes, "forgotten"));
  EXPECT_FALSE(git::commit(path(), "work")->commit.empty());
}

TEST_F(TreeLeft, AProjectThatWasMoved) {
  write_in_tree("README", "not committed yet\n");
  const std::string moved = scratch.file("moved");
  fs::rename(root, moved);
  root = moved;
  const TreeState state = ready();
  EXPECT_THAT(state.changed, ElementsAre("README"));
  EXPECT_FALSE(git::commit(path(), "work")->commit.empty());
}

TEST_F(TreeLeft, ACherryPickThatIsResolvedIsCommitted) {
  git("checkout -q -b other");
  write("README", "other\n");
  commit("other");
  git("checkout -q main");
  write_in_tree("README", "mine\n");
  commit_in(path(), "mine");
  sh(path(), "git cherry-pick other", true);
  const auto stuck = git::commit(path(), "x");
  ASSERT_TRUE(stuck);
  EXPECT_THAT(stuck->unresolved, ElementsAre("README"));
  write_in_tree("README", "both\n");
  EXPECT_FALSE(git::commit(path(), "picked")->commit.empty());
  EXPECT_EQ(in_tree("status --porcelain"), "");
}

}  // namespace
}  // namespace baton::git
