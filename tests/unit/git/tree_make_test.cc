// Making working trees: once, twice, after a kill at any instant, and with something in the way.
#include <fcntl.h>
#include <unistd.h>

#include <sys/file.h>

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

class TreeMade : public test::Trees {};

TEST_F(TreeMade, OnItsBranchFromItsStart) {
  write("later", "not in the start\n");
  commit("second");
  const TreeState state = ready();
  EXPECT_EQ(state.head, first);
  EXPECT_THAT(state.changed, IsEmpty());
  EXPECT_THAT(state.notes, IsEmpty());
  EXPECT_EQ(in_tree("symbolic-ref HEAD"), "refs/heads/baton/r1");
  EXPECT_EQ(in_tree("status --porcelain"), "");
  EXPECT_EQ(bytes_of(path() + "/README"), "first\n");
  EXPECT_FALSE(fs::exists(path() + "/later"));
}

TEST_F(TreeMade, TheUsersThingsStayByteForByte) {
  write("README", "changed\n");
  git("stash");
  write("staged", "s\n");
  git("add staged");
  write("README", "changed again\n");
  write("untracked", "u\n");
  const std::string before = users_things();
  ready();
  write_in_tree("README", "by the agent\n");
  write_in_tree("new", "n\n");
  ASSERT_TRUE(git::commit(path(), "work"));
  sub_task("r1--a", "a", "a\n");
  ready("r1", {"baton/r1--a"});
  take_away("r1--a");
  take_away();
  EXPECT_EQ(users_things(), before);
  EXPECT_EQ(git("branch --list 'baton/*'"), "");
}

TEST_F(TreeMade, AgainIsTheSame) {
  ready();
  write_in_tree("README", "in the middle of it\n");
  write_in_tree("new", "n\n");
  const TreeState again = ready();
  EXPECT_EQ(again.head, first);
  EXPECT_THAT(again.changed, ElementsAre("README", "new"));
  EXPECT_EQ(bytes_of(path() + "/README"), "in the middle of it\n") << "what a killed attempt left is kept";
}

TEST_F(TreeMade, AUsersLockedIndexIsNotOurs) {
  write(".git/index.lock", "");
  ready();
  EXPECT_TRUE(fs::exists(root + "/.git/index.lock"));
}

TEST_F(TreeMade, WorksPastFailingHooks) {
  for (const char* name : {"pre-commit", "post-checkout", "reference-transaction", "pre-merge-commit", "commit-msg"}) {
    write(std::string{".git/hooks/"} + name, "#!/bin/sh\necho no >&2; exit 1\n");
    fs::permissions(root + "/.git/hooks/" + name, fs::perms::owner_all);
  }
  sub_task("r1--a", "a", "a\n");
  ready("r1", {"baton/r1--a"});
  EXPECT_EQ(in_tree("log -1 --format=%s"), "Merge sub-task a");
}

TEST_F(TreeMade, DeletedByHandItComesBackFromItsBranch) {
  ready();
  write_in_tree("work", "w\n");
  const std::string done = git::commit(path(), "work")->commit;
  fs::remove_all(path());
  const TreeState state = ready();
  EXPECT_EQ(state.head, done);
  EXPECT_EQ(bytes_of(path() + "/work"), "w\n");
  EXPECT_TRUE(notes_say(state.notes, "made anew"));
}

TEST_F(TreeMade, DeletedByHandAndLockedItComesBackToo) {
  ready();
  git("worktree lock " + path());
  fs::remove_all(path());
  EXPECT_EQ(ready().head, first);
}

TEST_F(TreeMade, WorktreesOfTheUserAreNeverPruned) {
  git("worktree add -q ../users-own -b own");
  fs::rename(scratch.file("users-own"), scratch.file("on-a-disk-that-is-away"));
  ready();
  fs::remove_all(path());
  ready();
  EXPECT_TRUE(fs::exists(root + "/.git/worktrees/users-own"));
}

TEST_F(TreeMade, CommitsThatOnlyADeletedTreeKnewAreNotForgotten) {
  ready();
  in_tree("checkout -q --detach");
  write_in_tree("work", "w\n");
  const std::string lost = commit_in(path(), "on no branch");
  fs::remove_all(path());
  const auto state = prepare();
  ASSERT_EQ(code_of(state), "commits-would-be-lost");
  EXPECT_THAT(state.error().help, HasSubstr(lost.substr(0, 12)));
  git("branch kept " + lost);
  EXPECT_EQ(ready().head, first);
}

TEST_F(TreeMade, AFolderInTheWayIsNeverTouched) {
  fs::create_directories(path());
  write_bytes(path() + "/precious", "p");
  EXPECT_EQ(code_of(prepare()), "tree-in-the-way");
  EXPECT_EQ(bytes_of(path() + "/precious"), "p");
  EXPECT_FALSE(fs::exists(mark())) << "nothing says that it is ours";
  EXPECT_EQ(code_of(remove(root, path())), "tree-not-ours");
  EXPECT_EQ(bytes_of(path() + "/precious"), "p");
  fs::remove_all(path());
  write_bytes(path(), "a file");
  EXPECT_EQ(code_of(prepare()), "tree-in-the-way");
  fs::remove(path());
  fs::create_directories(scratch.file("elsewhere"));
  fs::create_symlink(scratch.file("elsewhere"), path());
  EXPECT_EQ(code_of(prepare()), "tree-in-the-way");
  EXPECT_TRUE(fs::is_empty(scratch.file("elsewhere")));
}

TEST_F(TreeMade, AnotherRepositorysWorktreeIsInTheWay) {
  sh(scratch.path(), "git clone -q project other && cd other && git worktree add -q -b x " + path());
  EXPECT_EQ(code_of(prepare()), "tree-in-the-way");
  EXPECT_TRUE(fs::exists(path() + "/README"));
}

TEST_F(TreeMade, AnEmptyFolderIsInNobodysWay) {
  fs::create_directories(path());
  EXPECT_EQ(ready().head, first);
}

TEST_F(TreeMade, ABranchThatIsCheckedOutElsewhereIsNamed) {
  git("checkout -q -b baton/r1");
  const auto state = prepare();
  ASSERT_EQ(code_of(state), "branch-in-use");
  EXPECT_THAT(state.error().message, HasSubstr(fs::canonical(root).string()));
  git("checkout -q main");
  ready();
}

TEST_F(TreeMade, ABranchNamedBatonLeavesNoRoomForOurs) {
  git("branch baton");
  const auto state = prepare();
  ASSERT_EQ(code_of(state), "branch-name-taken");
  EXPECT_FALSE(fs::exists(path()));
}

TEST_F(TreeMade, AStartThatIsNotThere) {
  TreeOrder wrong = order();
  wrong.start = std::string(40, 'a');
  EXPECT_EQ(code_of(git::prepare(wrong)), "git-commit-missing");
  wrong = order();
  wrong.root = scratch.path();
  EXPECT_EQ(code_of(git::prepare(wrong)), "not-a-repository");
}

TEST_F(TreeMade, HostileNames) {
  const std::vector<std::string> names{"-dash",     "with space",  "new\nline", "quote'\"",    "ünïcode-日本",
                                       "tab\there", "back\\slash", "star*",     ":(top)magic", "deep/-er/ x "};
  for (const std::string& name : names) write(name, name);
  fs::create_symlink("with space", root + "/link");
  fs::create_symlink("/nowhere", root + "/dangling");
  first = commit("hostile");
  ready();
  for (const std::string& name : names) {
    EXPECT_EQ(bytes_of(path() + "/" + name), name);
    write_in_tree(name, "changed");
    write_in_tree(name + ".new", "new");
  }
  fs::remove(path() + "/link");
  fs::create_symlink("-dash", path() + "/link");
  const auto done = git::commit(path(), "-m --amend\n\nhostile too");
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->files.size(), 2 * names.size() + 1);
  EXPECT_EQ(in_tree("log -1 --format=%B"), "-m --amend\n\nhostile too\n");
  EXPECT_EQ(in_tree("status --porcelain"), "");
}

TEST_F(TreeMade, AHostileProjectFolder) {
  const std::string moved = scratch.file("pro ject:'\"\n-x ü");
  fs::rename(root, moved);
  root = moved;
  const TreeState state = ready();
  EXPECT_EQ(state.head, first);
  write_in_tree("a", "a");
  const auto done = git::commit(path(), "work");
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_THAT(done->files, ElementsAre("a"));
  fs::remove_all(path());
  EXPECT_EQ(ready().head, done->commit);
  EXPECT_TRUE(remove(root, path()));
  EXPECT_FALSE(fs::exists(path()));
}

TEST_F(TreeMade, AProjectInASubfolderOfTheRepository) {
  write("sub/app/file", "f\n");
  first = commit("sub");
  const TreeOrder sub{root + "/sub/app", root + "/sub/app/.baton/worktrees/r1", "baton/r1", first, {}};
  const auto state = git::prepare(sub);
  ASSERT_TRUE(state) << state.error().message;
  EXPECT_EQ(bytes_of(sub.tree + "/sub/app/file"), "f\n") << "the tree is of the whole repository";
}

TEST_F(TreeMade, ThroughALinkToTheProject) {
  fs::create_symlink(root, scratch.file("link"));
  const TreeOrder linked{scratch.file("link"), scratch.file("link/.baton/worktrees/r1"), "baton/r1", first, {}};
  ASSERT_TRUE(git::prepare(linked));
  EXPECT_EQ(ready().head, first) << "it is the same tree by its real name";
  EXPECT_THAT(ready().notes, IsEmpty());
}

TEST_F(TreeMade, ASparseCheckoutStaysSparse) {
  write("in/a", "a\n");
  write("out/b", "b\n");
  first = commit("two folders");
  git("sparse-checkout set in");
  const std::string before = users_things();
  ready();
  EXPECT_TRUE(fs::exists(path() + "/in/a"));
  EXPECT_FALSE(fs::exists(path() + "/out/b"));
  write_in_tree("in/new", "n\n");
  write_in_tree("out/new", "n\n");
  const auto done = git::commit(path(), "work");
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_THAT(done->files, ElementsAre("in/new", "out/new")) << "and nothing outside of it is deleted";
  EXPECT_EQ(users_things(), before);
}

TEST_F(TreeMade, WhoeverWorksOnATreeIsWaitedFor) {
  ready();
  const int held = ::open(mark().c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(held, LOCK_EX | LOCK_NB), 0) << "nobody keeps it after the call";
  ::close(held);
}

// --- Killed in the middle ----------------------------------------------------------------------------------------

class TreeHalfMade : public test::Trees {
 protected:
  /// The mark as it is from before the first file until after the last.
  void mark_making() const {
    fs::create_directories(worktrees());
    const std::string text = "making|" + branch() + "|" + fs::canonical(root).string() + "/.git|" + first + "|";
    std::string bytes = text;
    std::ranges::replace(bytes, '|', '\0');
    write_bytes(mark(), bytes);
  }
  void expect_it_gets_finished(int worktrees_then = 2) const {
    const TreeState state = ready();
    EXPECT_EQ(state.head, first);
    EXPECT_EQ(in_tree("status --porcelain"), "");
    EXPECT_EQ(in_tree("symbolic-ref HEAD"), "refs/heads/baton/r1");
    EXPECT_EQ(git("worktree list --porcelain | grep -c ^worktree"), std::to_string(worktrees_then));
    EXPECT_TRUE(fs::is_directory(record())) << "not a second one beside a half one";
    EXPECT_FALSE(fs::exists(record() + "/locked"));
    EXPECT_EQ(git("worktree prune -n -v"), "");
  }
};

TEST_F(TreeHalfMade, JustTheMark) {
  mark_making();
  expect_it_gets_finished();
}

TEST_F(TreeHalfMade, ATornMark) {
  fs::create_directories(worktrees());
  write_bytes(mark(), "mak");
  expect_it_gets_finished();
}

TEST_F(TreeHalfMade, TheBranchIsMade) {
  mark_making();
  git("branch baton/r1 " + first);
  expect_it_gets_finished();
}

TEST_F(TreeHalfMade, ABranchLockIsLeft) {
  mark_making();
  write(".git/refs/heads/baton/r1.lock", "");
  const TreeState state = ready();
  EXPECT_TRUE(notes_say(state.notes, "r1.lock"));
}

TEST_F(TreeHalfMade, GitsRecordIsEmpty) {
  mark_making();
  fs::create_directories(record());
  expect_it_gets_finished();
}

TEST_F(TreeHalfMade, GitsRecordIsLockedAndSaysNoPlace) {
  mark_making();
  fs::create_directories(record());
  write_bytes(record() + "/locked", "initializing");
  expect_it_gets_finished();
}

TEST_F(TreeHalfMade, TheFolderIsThereWithoutALink) {
  mark_making();
  fs::create_directories(path());
  fs::create_directories(record());
  write_bytes(record() + "/locked", "initializing");
  write_bytes(record() + "/gitdir", fs::canonical(path()).string() + "/.git\n");
  expect_it_gets_finished();
}

TEST_F(TreeHalfMade, TheCheckoutIsHalfDone) {
  ready();
  mark_making();
  write_bytes(record() + "/locked", "initializing");
  write_bytes(record() + "/index.lock", "half");
  fs::remove(record() + "/index");
  fs::remove(path() + "/README");
  expect_it_gets_finished();
}

TEST_F(TreeHalfMade, HeadIsNotYetOnTheBranch) {
  ready();
  mark_making();
  write_bytes(record() + "/HEAD", std::string(40, '0') + "\n");
  expect_it_gets_finished();
}

TEST_F(TreeHalfMade, ItWasBeingDeletedAgain) {
  ready();
  mark_making();
  fs::rename(path(), worktrees() + "/.r1.gone");
  expect_it_gets_finished();
  EXPECT_FALSE(fs::exists(worktrees() + "/.r1.gone"));
}

/// Git's own list of worktrees fails as a whole over one record that is half written.
TEST_F(TreeHalfMade, AnotherOneIsNotInTheWayOfThis) {
  mark_making();
  fs::create_directories(path());
  fs::create_directories(record());
  write_bytes(record() + "/gitdir", fs::canonical(path()).string() + "/.git\n");
  write_bytes(record() + "/commondir", "");
  write_bytes(record() + "/HEAD", "");
  EXPECT_EQ(ready("r2").head, first);
  expect_it_gets_finished(3);
}

TEST_F(TreeHalfMade, OnlyTheBranchLockIsLeftOfTheCheckout) {
  mark_making();
  git("branch baton/r1 " + first);
  write(".git/refs/heads/baton/r1.lock", "");
  EXPECT_EQ(ready().head, first);
}

TEST_F(TreeHalfMade, FilesWithoutALinkAreNotFromUs) {
  mark_making();
  fs::create_directories(path());
  write_bytes(path() + "/precious", "p");
  EXPECT_EQ(code_of(prepare()), "tree-in-the-way");
  EXPECT_EQ(bytes_of(path() + "/precious"), "p");
}

}  // namespace
}  // namespace baton::git
