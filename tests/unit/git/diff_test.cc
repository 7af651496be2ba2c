#include "git/diff.h"

#include "git/report.h"
#include "unit/git/trees.h"

namespace baton::git {
namespace {

namespace fs = std::filesystem;
using test::bytes_of;
using test::sh;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class Diffed : public test::Trees {
 protected:
  Diffed() { ready(); }
  [[nodiscard]] DiffOrder what() const { return {root, path(), branch(), first}; }
  [[nodiscard]] std::string text(DiffOptions options = {}) const {
    auto shown = diff(what(), options);
    EXPECT_TRUE(shown) << shown.error().message;
    return shown.value_or("");
  }
};

TEST_F(Diffed, CommittedStagedUnstagedAndNew) {
  write_in_tree("committed", "c\n");
  ASSERT_TRUE(git::commit(path(), "work"));
  write_in_tree("staged", "s\n");
  in_tree("add staged");
  write_in_tree("README", "unstaged\n");
  write_in_tree("new \n-x", "n\n");
  const std::string index = bytes_of(record() + "/index");
  const std::string objects = sh(root, "find .git/objects -type f | sort");
  const std::string shown = text();
  for (const char* part : {"+c\n", "+s\n", "+unstaged\n", "-first\n", "+n\n"}) EXPECT_THAT(shown, HasSubstr(part));
  EXPECT_EQ(bytes_of(record() + "/index"), index) << "looking changes nothing";
  EXPECT_EQ(sh(root, "find .git/objects -type f | sort"), objects);
  EXPECT_EQ(in_tree("status --porcelain -uno"), " M README\nA  staged");
  const auto files = changes(what());
  ASSERT_TRUE(files);
  ASSERT_EQ(files->size(), 4U);
  EXPECT_EQ(files->at(0).path, "README");
  EXPECT_EQ(files->at(0).added, 1U);
  EXPECT_EQ(files->at(0).removed, 1U);
  EXPECT_EQ(files->at(2).path, "new \n-x");
}

TEST_F(Diffed, NothingIsNothing) {
  EXPECT_EQ(text(), "");
  EXPECT_THAT(changes(what()).value(), IsEmpty());
}

TEST_F(Diffed, CanBeAppliedElsewhere) {
  write_in_tree("README", "changed\n");
  write_in_tree("new", "n\n");
  fs::create_symlink("new", path() + "/link");
  test::write_bytes(scratch.file("x.patch"), text());
  sh(scratch.path(), "git clone -q project clone && cd clone && git apply ../x.patch");
  EXPECT_EQ(bytes_of(scratch.file("clone/new")), "n\n");
  EXPECT_EQ(bytes_of(scratch.file("clone/README")), "changed\n");
  EXPECT_EQ(fs::read_symlink(scratch.file("clone/link")), "new");
}

TEST_F(Diffed, BinaryFilesAreNamed) {
  write_in_tree("blob", std::string("a\0b\x1b[31m", 8));
  EXPECT_THAT(text(), HasSubstr("Binary files /dev/null and b/blob differ"));
  EXPECT_EQ(changes(what())->at(0).added, std::nullopt);
}

TEST_F(Diffed, JustTheFiles) {
  write_in_tree("new", "n\n");
  const std::string shown = text({.stat_only = true});
  EXPECT_THAT(shown, HasSubstr("new | 1 +"));
  EXPECT_THAT(shown, Not(HasSubstr("+n")));
}

TEST_F(Diffed, Renames) {
  write("long", "1\n2\n3\n4\n5\n6\n7\n8\n");
  first = commit("long");
  take_away();
  ready();
  fs::rename(path() + "/long", path() + "/longer");
  const auto files = changes(what());
  ASSERT_TRUE(files);
  ASSERT_EQ(files->size(), 1U);
  EXPECT_EQ(files->at(0).path, "longer");
  EXPECT_EQ(files->at(0).old_path, "long");
}

TEST_F(Diffed, InColourNothingDrivesATerminal) {
  write_in_tree("README", "evil \x1b]0;title\x07\n");
  const std::string shown = text({.color = true});
  EXPECT_THAT(shown, HasSubstr("\x1b[32m+evil \\x1b]0;title"));
  EXPECT_THAT(shown, HasSubstr("\x1b[31m-first\x1b[m\n"));
}

TEST_F(Diffed, UnderSettingsThatWouldChangeIt) {
  git("config diff.external false && git config diff.noprefix true && git config color.ui always && "
      "git config diff.mnemonicPrefix true");
  write_in_tree("README", "x\n");
  EXPECT_THAT(text(), HasSubstr("--- a/README\n+++ b/README\n"));
}

TEST_F(Diffed, WhileAConflictIsOpen) {
  sub_task("r1--a", "README", "a\n");
  sub_task("r1--b", "README", "b\n");
  ASSERT_EQ(prepare("r1", {"baton/r1--a", "baton/r1--b"})->kind, TreeState::Kind::conflict);
  EXPECT_THAT(text(), HasSubstr("+<<<<<<< "));
  EXPECT_EQ(in_tree("ls-files -u | wc -l"), "3") << "it is as open as before";
}

TEST_F(Diffed, FromTheBranchWhereTheTreeIsGone) {
  write_in_tree("done", "d\n");
  ASSERT_TRUE(git::commit(path(), "work"));
  fs::remove_all(path());
  EXPECT_THAT(text(), HasSubstr("+d\n"));
  ASSERT_TRUE(remove(root, path()));
  EXPECT_THAT(text(), HasSubstr("+d\n"));
  git("branch -D baton/r1");
  EXPECT_EQ(code_of(diff(what(), {})), "git-commit-missing");
}

// --- The line that tells the engine ------------------------------------------------------------------------------

TEST(TreeReports, AreReadAsTheyWereWritten) {
  TreeState state;
  state.head = "abc";
  state.changed = {"a", "new\nline \"q\""};
  state.notes = {"n"};
  EXPECT_EQ(to_json(report_of(Expected<TreeState>{state})),
            R"({"outcome":"ready","head":"abc","changed":["a","new\nline \"q\""],"notes":["n"]})");
  const auto ready = read_report(to_json(report_of(Expected<TreeState>{state})));
  ASSERT_TRUE(ready);
  EXPECT_EQ(ready->outcome, "ready");
  EXPECT_EQ(ready->head, "abc");
  EXPECT_EQ(ready->changed, state.changed);
  EXPECT_EQ(ready->notes, state.notes);
  state.kind = TreeState::Kind::conflict;
  state.conflicts = {"x"};
  state.with = "baton/r--b";
  const auto conflict = read_report(to_json(report_of(Expected<TreeState>{state})) + "\n");
  ASSERT_TRUE(conflict);
  EXPECT_EQ(conflict->outcome, "conflict");
  EXPECT_THAT(conflict->files, ElementsAre("x"));
  EXPECT_EQ(conflict->with, "baton/r--b");
}

TEST(TreeReports, OfCommits) {
  CommitState state;
  EXPECT_EQ(to_json(report_of(Expected<CommitState>{state})), R"({"outcome":"nothing"})");
  state.commit = "c";
  state.files = {"f"};
  EXPECT_EQ(to_json(report_of(Expected<CommitState>{state})), R"({"outcome":"committed","commit":"c","files":["f"]})");
  state.notes = {"n"};
  EXPECT_THAT(read_report(to_json(report_of(Expected<CommitState>{state})))->notes, ElementsAre("n"));
  state = CommitState{};
  state.unresolved = {"u"};
  const auto stuck = read_report(to_json(report_of(Expected<CommitState>{state})));
  EXPECT_EQ(stuck->outcome, "unresolved");
  EXPECT_THAT(stuck->files, ElementsAre("u"));
}

TEST(TreeReports, OfFaults) {
  const Expected<CommitState> failed = fault("tree-busy", "m", "h");
  EXPECT_EQ(to_json(report_of(failed)), R"({"outcome":"fault","code":"tree-busy","message":"m","help":"h"})");
  const auto read = read_report(to_json(report_of(failed)));
  EXPECT_EQ(read->fault.code, "tree-busy");
  EXPECT_EQ(read->fault.message, "m");
  EXPECT_EQ(read->fault.help, "h");
}

TEST(TreeReports, NothingElseIsTakenForOne) {
  for (const char* text : {"", "{", "[]", "{}", R"({"outcome":"fine"})", R"({"outcome":3})", "Segmentation fault"}) {
    const auto read = read_report(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, "bad-tree-report");
  }
  EXPECT_TRUE(read_report(R"({"outcome":"ready","later":{"x":1},"changed":[1,"a"]})"));
}

}  // namespace
}  // namespace baton::git
