// Worktrees made, merged into and committed to, while every process, or git alone, is killed between any two changes to
// the disk.
#include "unit/git/cut_off.h"
#include "unit/git/trees.h"

namespace baton::git {
namespace {

namespace fs = std::filesystem;
using test::at_many_instants;
using test::Cut;
using test::cut_off;
using test::CutOff;

class TreeCut : public baton::test::Trees, public testing::WithParamInterface<Cut> {
 protected:
  const std::vector<std::string> both{"baton/r1--a", "baton/r1--b"};

  TreeCut() {
    write(".gitignore", ".env\n");
    write(".worktreeinclude", ".env\n");
    for (int n = 0; n < 5; ++n) write("many/" + std::to_string(n), std::to_string(n));
    git("add -A && git -c commit.gpgSign=false commit -q --amend -m first");
    first = git("rev-parse HEAD");
    write(".env", "e\n");
  }

  void expect_as_expected(const std::string& log) const {
    EXPECT_EQ(in_tree("symbolic-ref HEAD"), "refs/heads/baton/r1");
    EXPECT_EQ(in_tree("status --porcelain"), "");
    EXPECT_EQ(in_tree("log --first-parent --format=%s"), log);
    EXPECT_EQ(in_tree("log --first-parent --merges --format=%p | wc -w"), "4") << "two merges of two";
    EXPECT_EQ(git("worktree prune -n -v"), "");
    EXPECT_EQ(git("fsck --no-dangling --no-progress"), "");
    EXPECT_EQ(baton::test::sh(
                  root, "find .git -name '*.lock' ! -name baton-landing.lock -o -name 'MERGE_*' -o -name AUTO_MERGE"),
              "");
  }
};

TEST_P(TreeCut, MadeMergedAndCommittedTo) {
  sub_task("r1--a", "a", "a\n");
  sub_task("r1--b", "b", "b\n");
  git("pack-refs --all");
  const auto work = [&] {
    if (!git::prepare(order("r1", both))) return false;
    write_in_tree("work", "w\n");
    return git::commit(path(), "work").has_value();
  };
  const std::string before = users_things();
  at_many_instants([&](std::uint64_t at) {
    const CutOff cut = cut_off(work, at, GetParam());
    EXPECT_TRUE(cut.can_be_watched);
    EXPECT_TRUE(cut.worked || GetParam() == Cut::everything) << "Baton lives, and does it again";
    ready("r1", both);
    EXPECT_TRUE(work());
    expect_as_expected("work\nMerge sub-task b\nMerge sub-task a\nfirst");
    for (const char* file : {"a", "b", "work", ".env"}) EXPECT_TRUE(fs::exists(path() + "/" + file)) << file;
    take_away();
    return cut.was_cut;
  });
  EXPECT_EQ(users_things(), before);
}

TEST_P(TreeCut, AConflictThatSomebodyResolves) {
  sub_task("r1--a", "README", "of a\n");
  sub_task("r1--b", "README", "of b\n");
  // The conflict is resolved whenever it shows.
  const auto work = [&] {
    auto state = git::prepare(order("r1", both));
    if (state && state->kind == TreeState::Kind::conflict) {
      write_in_tree("README", "of both\n");
      state = git::prepare(order("r1", both));
    }
    return state && state->kind == TreeState::Kind::ready;
  };
  at_many_instants([&](std::uint64_t at) {
    const CutOff cut = cut_off(work, at, GetParam());
    EXPECT_TRUE(cut.can_be_watched);
    EXPECT_TRUE(cut.worked || GetParam() == Cut::everything) << "Baton lives, and does it again";
    EXPECT_TRUE(work());
    expect_as_expected("Merge sub-task b\nMerge sub-task a\nfirst");
    EXPECT_EQ(baton::test::bytes_of(path() + "/README"), "of both\n");
    take_away();
    return cut.was_cut;
  });
}

INSTANTIATE_TEST_SUITE_P(Everywhere, TreeCut, testing::Values(Cut::everything, Cut::one_git),
                         [](const auto& one) { return one.param == Cut::everything ? "everything" : "git"; });

}  // namespace
}  // namespace baton::git
