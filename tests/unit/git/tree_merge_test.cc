// Bringing the work of sub-tasks together, conflicts included.
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
using Kind = TreeState::Kind;

class TreeMerged : public test::Trees {
 protected:
  /// Two sub-tasks that wrote different words into the same line.
  void two_that_disagree() const {
    sub_task("r1--a", "README", "of a\n");
    sub_task("r1--b", "README", "of b\n");
  }
  const std::vector<std::string> both{"baton/r1--a", "baton/r1--b"};

  TreeState conflict() const {
    auto state = prepare("r1", both);
    EXPECT_TRUE(state) << state.error().message;
    if (!state) return {};
    EXPECT_EQ(state->kind, Kind::conflict);
    return *state;
  }
};

TEST_F(TreeMerged, InTheOrderGiven) {
  sub_task("r1--one", "one", "1\n");
  sub_task("r1--two", "two", "2\n");
  const TreeState state = ready("r1", {"baton/r1--two", "baton/r1--one"});
  EXPECT_EQ(in_tree("log --first-parent --format=%s -3"), "Merge sub-task one\nMerge sub-task two\nfirst");
  EXPECT_THAT(state.changed, ElementsAre("one", "two"));
  EXPECT_EQ(in_tree("log -1 --format=%an"), "Ada");
  const TreeState again = ready("r1", {"baton/r1--two", "baton/r1--one"});
  EXPECT_EQ(again.head, state.head) << "what is in it is not merged again";
}

TEST_F(TreeMerged, ByBatonWhereNobodyIsKnown) {
  sub_task("r1--one", "one", "1\n");
  write_bytes(scratch.file(".gitconfig"), "");
  ready("r1", {"baton/r1--one"});
  EXPECT_EQ(in_tree("log -1 --format='%an <%ae> %cn'"), "Baton <baton@localhost> Baton");
}

TEST_F(TreeMerged, UnderSettingsThatWouldPreventIt) {
  sub_task("r1--one", "one", "1\n");
  git("config merge.ff only && git config merge.verifySignatures true && git config merge.autoStash true && "
      "git config commit.cleanup scissors && git config rerere.enabled true && git config merge.conflictStyle zdiff3 "
      "&& "
      "git config core.editor false");
  ready("r1", {"baton/r1--one"});
  EXPECT_EQ(in_tree("log -1 --format=%s"), "Merge sub-task one");
  EXPECT_FALSE(fs::exists(root + "/.git/rr-cache"));
}

TEST_F(TreeMerged, AConflictStaysInTheTreeWithItsMarks) {
  two_that_disagree();
  const TreeState state = conflict();
  EXPECT_THAT(state.conflicts, ElementsAre("README"));
  EXPECT_EQ(state.with, "baton/r1--b");
  EXPECT_THAT(bytes_of(path() + "/README"), HasSubstr("<<<<<<< "));
  const TreeState again = conflict();
  EXPECT_THAT(again.conflicts, ElementsAre("README"));
  EXPECT_EQ(again.with, "baton/r1--b");
}

TEST_F(TreeMerged, MarksThatWereOnlyAddedAreNoResolution) {
  two_that_disagree();
  conflict();
  in_tree("add README");
  EXPECT_THAT(conflict().conflicts, ElementsAre("README"));
  const auto done = git::commit(path(), "resolved?");
  ASSERT_TRUE(done);
  EXPECT_EQ(done->commit, "");
  EXPECT_THAT(done->unresolved, ElementsAre("README"));
  EXPECT_EQ(in_tree("log -1 --format=%s"), "Merge sub-task a") << "nothing was committed";
}

TEST_F(TreeMerged, ResolvedItIsCommittedAndGoesOn) {
  two_that_disagree();
  sub_task("r1--c", "c", "c\n");
  conflict();
  write_in_tree("README", "of both\n");
  const TreeState state = ready("r1", {"baton/r1--a", "baton/r1--b", "baton/r1--c"});
  EXPECT_EQ(in_tree("log --first-parent --format=%s -4"),
            "Merge sub-task c\nMerge sub-task b\nMerge sub-task a\nfirst");
  EXPECT_EQ(in_tree("log -2 --format=%b --first-parent | tr -d '\\n'"), "") << "no list of conflicts in the message";
  EXPECT_EQ(bytes_of(path() + "/README"), "of both\n");
  EXPECT_THAT(state.changed, ElementsAre("README", "c"));
}

TEST_F(TreeMerged, ResolvedAndAddedByTheAgentCommitConcludesIt) {
  two_that_disagree();
  conflict();
  write_in_tree("README", "of both\n");
  write_in_tree("more", "m\n");
  in_tree("add README");
  const auto done = git::commit(path(), "resolve: README");
  ASSERT_TRUE(done);
  EXPECT_THAT(done->files, ElementsAre("README", "more"));
  EXPECT_EQ(in_tree("log -1 --format='%s|%p' | wc -w"), "3") << "two parents";
  EXPECT_EQ(ready("r1", both).head, done->commit);
  // Long after, the file may tell of conflicts: nobody merges any more.
  write_in_tree("README", "<<<<<<< a\n=======\n>>>>>>> b\n");
  EXPECT_FALSE(git::commit(path(), "about merging")->commit.empty());
}

TEST_F(TreeMerged, ATextAboutMergingHasMarksByRight) {
  const std::string lesson = "<<<<<<< ours\nx\n=======\ny\n>>>>>>> theirs\n";
  write("README", lesson + "1\n2\n3\n4\n");
  first = commit("a lesson");
  sub_task("r1--a", "README", lesson + "1\n2\n3\na\n");
  sub_task("r1--b", "README", lesson + "1\n2\n3\nb\n");
  conflict();
  write_in_tree("README", lesson + "1\n2\n3\nab\n");
  EXPECT_EQ(ready("r1", both).kind, Kind::ready);
}

TEST_F(TreeMerged, DeletedHereChangedThereWaitsForAWord) {
  sub_task("r1--b", "README", "changed\n");
  ready("r1--a");
  fs::remove(path("r1--a") + "/README");
  ASSERT_TRUE(git::commit(path("r1--a"), "delete"));
  EXPECT_THAT(conflict().conflicts, ElementsAre("README"));
  EXPECT_THAT(conflict().conflicts, ElementsAre("README")) << "there are no marks that somebody could have taken out";
  in_tree("add README");
  ready("r1", both);
  EXPECT_EQ(bytes_of(path() + "/README"), "changed\n");
}

TEST_F(TreeMerged, DeletingTheFileIsAnAnswerToo) {
  two_that_disagree();
  conflict();
  fs::remove(path() + "/README");
  ready("r1", both);
  EXPECT_FALSE(fs::exists(path() + "/README"));
}

TEST_F(TreeMerged, BinaryFilesHaveNoMarks) {
  sub_task("r1--a", "blob", std::string("a\0a", 3));
  sub_task("r1--b", "blob", std::string("b\0b", 3));
  EXPECT_THAT(conflict().conflicts, ElementsAre("blob"));
  EXPECT_THAT(conflict().conflicts, ElementsAre("blob"));
  in_tree("checkout --theirs blob && git add blob");
  ready("r1", both);
  EXPECT_EQ(bytes_of(path() + "/blob"), std::string("b\0b", 3));
}

TEST_F(TreeMerged, ConflictsInHostileNames) {
  for (const char* task : {"r1--a", "r1--b"}) {
    ready(task);
    for (const char* name : {"-dash", "new\nline", "ü \"x\""}) write_in_tree(name, task, task);
    ASSERT_TRUE(git::commit(path(task), "x"));
  }
  EXPECT_THAT(conflict().conflicts, ElementsAre("-dash", "new\nline", "ü \"x\""));
}

TEST_F(TreeMerged, WorkInNoCommitThatIsInTheWayIsKeptAsOne) {
  sub_task("r1--a", "README", "of a\n");
  ready();
  write_in_tree("README", "of a\nnot committed\n");
  write_in_tree("new", "n\n");
  const auto state = prepare("r1", {"baton/r1--a"});
  ASSERT_TRUE(state) << state.error().message;
  EXPECT_EQ(in_tree("log --all --format=%s --grep=^wip"), "wip: found before merging sub-task a");
  EXPECT_TRUE(notes_say(state->notes, "in no commit"));
  EXPECT_EQ(in_tree("show --format= --name-only " + in_tree("log --all --format=%h --grep=^wip")), "README\nnew");
}

TEST_F(TreeMerged, NewFilesThatAreInTheWayAreKeptToo) {
  sub_task("r1--a", "new", "of a\n");
  ready();
  write_in_tree("new", "not committed\n");
  const auto state = prepare("r1", {"baton/r1--a"});
  ASSERT_TRUE(state) << state.error().message;
  EXPECT_EQ(state->kind, Kind::conflict);
  EXPECT_EQ(in_tree("show HEAD:new"), "not committed");
}

TEST_F(TreeMerged, AlsoWorkThatIsInNobodysWaySoThatAMergeCanBeTakenBack) {
  sub_task("r1--a", "a", "a\n");
  ready();
  write_in_tree("README", "not committed\n");
  ready("r1", {"baton/r1--a"});
  EXPECT_EQ(in_tree("status --porcelain"), "");
  EXPECT_EQ(in_tree("log --first-parent --format=%s"), "Merge sub-task a\nwip: found before merging sub-task a\nfirst");
  EXPECT_EQ(bytes_of(path() + "/README"), "not committed\n");
}

TEST_F(TreeMerged, ABranchThatIsGone) {
  const auto state = prepare("r1", {"baton/r1--nobody"});
  ASSERT_EQ(code_of(state), "git-commit-missing");
  EXPECT_THAT(state.error().message, HasSubstr("baton/r1--nobody"));
}

TEST_F(TreeMerged, KilledBetweenTheMergeAndItsReport) {
  two_that_disagree();
  ready("r1", {"baton/r1--a"});
  sh(path(), "git merge -q --no-ff -m 'Merge sub-task b' baton/r1--b", true);
  EXPECT_THAT(conflict().conflicts, ElementsAre("README"));
  EXPECT_EQ(conflict().with, "baton/r1--b");
}

TEST_F(TreeMerged, KilledBetweenTheMergeAndItsCommit) {
  sub_task("r1--a", "a", "a\n");
  ready();
  in_tree("merge -q --no-ff --no-commit -m 'Merge sub-task a' baton/r1--a");
  ready("r1", {"baton/r1--a"});
  EXPECT_EQ(in_tree("log -1 --format=%s"), "Merge sub-task a");
  EXPECT_EQ(in_tree("status --porcelain"), "");
}

// --- Commits -----------------------------------------------------------------------------------------------------

class TreeCommitted : public test::Trees {
 protected:
  TreeCommitted() { ready(); }
};

TEST_F(TreeCommitted, EverythingThatChanged) {
  write_in_tree("README", "changed\n");
  write_in_tree("new/deep", "n\n");
  write_in_tree("staged", "s\n");
  in_tree("add staged");
  const auto done = git::commit(path(), "build: three files\n\nand why");
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->commit, in_tree("rev-parse HEAD"));
  EXPECT_THAT(done->files, ElementsAre("README", "new/deep", "staged"));
  EXPECT_EQ(in_tree("log -1 --format='%an %s'"), "Ada build: three files");
  fs::remove(path() + "/README");
  EXPECT_THAT(git::commit(path(), "delete")->files, ElementsAre("README"));
}

TEST_F(TreeCommitted, NothingIsNoCommitAndNothingIsAmended) {
  EXPECT_EQ(git::commit(path(), "first")->commit, "") << "the base has the same subject";
  write_in_tree("a", "a\n");
  const std::string one = git::commit(path(), "build")->commit;
  EXPECT_EQ(git::commit(path(), "build")->commit, "");
  write_in_tree("b", "b\n");
  const std::string two = git::commit(path(), "build")->commit;
  EXPECT_EQ(in_tree("rev-parse HEAD^"), one);
  EXPECT_EQ(in_tree("rev-list --count " + first + ".." + two), "2");
}

TEST_F(TreeCommitted, AnEmptyMessageIsNoReasonToFail) {
  write_in_tree("a", "a\n");
  EXPECT_FALSE(git::commit(path(), " \n")->commit.empty());
  write_in_tree("b", "b\n");
  ASSERT_FALSE(git::commit(path(), "# like a comment")->commit.empty());
  EXPECT_EQ(in_tree("log -1 --format=%s"), "# like a comment");
}

TEST_F(TreeCommitted, IgnoredFilesAndOurOwnStateStayOut) {
  write_in_tree(".gitignore", "*.log\n");
  write_in_tree("x.log", "l\n");
  write_in_tree("sub/.baton/runs/r2/prompt", "p\n");
  write_in_tree(".baton/worktrees/r2/file", "f\n");
  write_in_tree(".baton/baton.db", "db\n");
  write_in_tree(".baton/workflows/kept.md", "w\n");
  const auto done = git::commit(path(), "work");
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_THAT(done->files, ElementsAre(".baton/workflows/kept.md", ".gitignore"));
}

TEST_F(TreeCommitted, RepositoriesInsideStayOut) {
  write_in_tree("a", "a\n");
  sh(path(), "git init -q empty && git clone -q " + root + " 'cl one' && git worktree add -q nested -b nested");
  const auto done = git::commit(path(), "work");
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_THAT(done->files, ElementsAre("a"));
  EXPECT_EQ(done->notes.size(), 3U);
  EXPECT_EQ(git::commit(path(), "again")->commit, "") << "and are no change";
}

TEST_F(TreeCommitted, OnlyToTreesOfOurs) {
  write("a", "a\n");
  const std::string before = users_things();
  EXPECT_EQ(code_of(git::commit(root, "x")), "tree-not-ours");
  EXPECT_EQ(code_of(git::commit(path("nowhere"), "x")), "tree-gone");
  git("worktree add -q ../own -b own");
  EXPECT_EQ(code_of(git::commit(scratch.file("own"), "x")), "tree-not-ours");
  EXPECT_EQ(users_things(), before);
  EXPECT_FALSE(fs::exists(scratch.file(".own.tree")));
}

TEST_F(TreeCommitted, LineEndingsAreNoReasonToFail) {
  git("config core.autocrlf input && git config core.safecrlf true");
  write_in_tree("dos", "a\r\n");
  const auto done = git::commit(path(), "work");
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_FALSE(done->commit.empty());
}

}  // namespace
}  // namespace baton::git
