#include "git/survey.h"

#include <stdlib.h>

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "support/again.h"
#include "unit/git/repository.h"

namespace baton::git {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;

class Surveying : public test::Repository {
 protected:
  std::string head() const { return git("rev-parse HEAD"); }
  static std::string code_of(const Expected<Survey>& found) { return found ? "" : found.error().code; }
};

TEST_F(Surveying, AFolderOutsideOfGitIsNoFault) {
  fs::create_directories(scratch.file("plain"));
  const auto found = survey(scratch.file("plain"), "");
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_FALSE(found->is_repository);
}

TEST_F(Surveying, FindsTopAndPrefix) {
  write("sub/with space/x", "x");
  commit("more");
  const auto found = survey(root + "/sub/with space", "");
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->is_repository);
  EXPECT_EQ(found->top, fs::canonical(root).string());
  EXPECT_EQ(found->common, fs::canonical(root).string() + "/.git");
  EXPECT_EQ(found->prefix, "sub/with space");
  EXPECT_EQ(survey(root, "")->prefix, "");
}

TEST_F(Surveying, TheDefaultBranchIsFoundNotAssumed) {
  for (const char* name : {"main", "master", "trunk"}) {
    git("checkout -q -B feature");
    git("branch -q -m " + std::string{name} + " ; git branch -q -D main master trunk 2>/dev/null; git branch -q " +
        name + " ; git checkout -q -B feature");
    const auto found = survey(root, "");
    ASSERT_TRUE(found) << name;
    EXPECT_EQ(found->base_branch, name);
    EXPECT_EQ(found->base_commit, head());
    ASSERT_EQ(found->notes.size(), 1U) << "work does not start where the user stands: that is said";
    EXPECT_THAT(found->notes[0], HasSubstr("'feature'"));
  }
}

TEST_F(Surveying, WhereSeveralUsualNamesAreThereTheCheckedOutOneCounts) {
  git("branch master");
  git("checkout -q master");
  EXPECT_EQ(survey(root, "")->base_branch, "master");
  git("checkout -q -b feature");
  // main and master are there, and the user's setting says which.
  EXPECT_EQ(survey(root, "")->base_branch, "main");
  git("config init.defaultBranch master");
  EXPECT_EQ(survey(root, "")->base_branch, "master");
  git("config init.defaultBranch nowhere");
  EXPECT_EQ(survey(root, "")->base_branch, "feature");
}

TEST_F(Surveying, WhatOriginSaysCountsFirst) {
  git("branch develop");
  git("update-ref refs/remotes/origin/develop HEAD");
  git("symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/develop");
  EXPECT_EQ(survey(root, "")->base_branch, "develop");
  git("branch -D develop");
  EXPECT_EQ(survey(root, "")->base_branch, "main") << "a branch that is only theirs is not ours to move";
}

TEST_F(Surveying, ABaseThatIsGivenIsTaken) {
  const std::string first = head();
  git("branch -q other && git tag v1");
  write("b", "b");
  commit("second");
  const auto branch = survey(root, "other");
  ASSERT_TRUE(branch);
  EXPECT_EQ(branch->base_branch, "other");
  EXPECT_EQ(branch->base_commit, first);
  for (const std::string& base : {std::string{"v1"}, first, first.substr(0, 10), std::string{"HEAD~1"}}) {
    const auto found = survey(root, base);
    ASSERT_TRUE(found) << base;
    EXPECT_EQ(found->base_branch, "") << base;
    EXPECT_EQ(found->base_commit, first) << base;
    EXPECT_EQ(found->notes.size(), 1U);
  }
}

TEST_F(Surveying, ABaseThatIsMissingIsNamedWithItsNeighbours) {
  git("branch release");
  const auto found = survey(root, "relaese");
  ASSERT_EQ(code_of(found), "git-base-missing");
  EXPECT_THAT(found.error().help, HasSubstr("did you mean 'release'?"));
  EXPECT_THAT(found.error().help, HasSubstr("main"));
  EXPECT_EQ(code_of(survey(root, "--all")), "git-base-missing") << "a name is never an option";
}

TEST_F(Surveying, ADetachedHeadIsABaseOnlyWhereNothingElseIs) {
  git("checkout -q --detach");
  EXPECT_EQ(survey(root, "")->base_branch, "main");
  git("branch -q -D main");
  const auto found = survey(root, "");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->base_branch, "");
  EXPECT_EQ(found->base_commit, head());
  ASSERT_EQ(found->notes.size(), 1U);
  EXPECT_THAT(found->notes[0], HasSubstr("on no branch"));
}

TEST_F(Surveying, NoCommitsYet) {
  test::sh(scratch.path(), "git init -q fresh");
  const auto found = survey(scratch.file("fresh"), "");
  ASSERT_EQ(code_of(found), "git-no-commits");
  EXPECT_THAT(found.error().help, HasSubstr("--isolation none"));
  git("checkout -q --orphan empty && git branch -q -m main elsewhere");
  EXPECT_EQ(code_of(survey(root, "")), "git-base-missing") << "there are commits, only not here";
}

TEST_F(Surveying, ABareRepositoryHasNoCheckout) {
  test::sh(scratch.path(), "git init -q --bare bare.git");
  EXPECT_EQ(code_of(survey(scratch.file("bare.git"), "")), "git-bare");
  EXPECT_EQ(code_of(survey(root + "/.git", "")), "git-bare");
}

TEST_F(Surveying, ABrokenRepositoryIsNotTakenForNone) {
  fs::create_directories(scratch.file("lost"));
  test::write_bytes(scratch.file("lost/.git"), "gitdir: /nowhere/at/all\n");
  EXPECT_EQ(code_of(survey(scratch.file("lost"), "")), "git-broken");
  fs::create_directories(scratch.file("away"));
  fs::create_symlink("/nowhere/at/all", scratch.file("away/.git"));
  EXPECT_EQ(code_of(survey(scratch.file("away"), "")), "git-broken") << "its repository is on a disk that is not there";
  fs::remove_all(root + "/.git/objects");
  fs::create_directories(root + "/.git/objects");
  EXPECT_EQ(code_of(survey(root, "")), "git-broken") << "the commit is gone";
  test::write_bytes(root + "/.git/HEAD", "nonsense");
  EXPECT_EQ(code_of(survey(root, "")), "git-broken");
}

/// Git passes over what is broken, and would work in somebody else's.
TEST_F(Surveying, ABrokenRepositoryInsideAnIntactOneIsNotTakenForThat) {
  const std::string inner = root + "/project";
  fs::create_directories(inner + "/deep");
  git_in(inner, "init -q");
  EXPECT_EQ(code_of(survey(inner, "")), "git-no-commits");
  test::write_bytes(inner + "/.git/HEAD", "");
  EXPECT_EQ(code_of(survey(inner, "")), "git-broken") << "as a power cut leaves it";
  EXPECT_EQ(code_of(survey(inner + "/deep", "")), "git-broken");
  fs::remove_all(inner + "/.git");
  fs::create_directories(inner + "/.git");
  EXPECT_EQ(code_of(survey(inner, "")), "") << "an empty folder is no repository, and git says so too";
  git_in(inner, "init -q --separate-git-dir ../kept.git");
  EXPECT_EQ(code_of(survey(inner + "/deep", "")), "git-no-commits") << "it is where its file says";
}

TEST_F(Surveying, ABareRepositoryInsideAnotherOnesTreeIsBareAndNeitherIsBroken) {
  git_in(root, "init -q --bare mirror.git");
  EXPECT_EQ(code_of(survey(root + "/mirror.git", "")), "git-bare");
  EXPECT_EQ(code_of(survey(root + "/mirror.git/refs", "")), "git-bare");
}

/// A home that is a repository, and its owner lets git not climb into it.
TEST_F(Surveying, ARepositoryAboveACeilingIsNone) {
  const std::string home = fs::canonical(scratch.path()).string();
  const std::string project = home + "/code/project";
  fs::create_directories(project);
  fs::create_directory_symlink(home, home + "/link");
  git_in(home, "init -q");
  const auto under = [&](const std::string& ceilings) {
    ::setenv("GIT_CEILING_DIRECTORIES", ceilings.c_str(), 1);
    return survey(project, "");
  };
  for (const std::string& ceilings :
       {home, home + "/", "no/path:/nowhere:" + home, home + "/link", ":" + home + "/", home + "/code:/"}) {
    const auto none = under(ceilings);
    ASSERT_TRUE(none) << ceilings << ": " << none.error().message;
    EXPECT_FALSE(none->is_repository) << ceilings;
  }
  for (const std::string& ceilings : {std::string{}, std::string{"/"}, project, ":" + home + "/link"}) {
    EXPECT_EQ(code_of(under(ceilings)), "git-no-commits") << "git itself climbs past " << ceilings;
  }
  test::write_bytes(home + "/.git/HEAD", "nonsense");
  for (const std::string& ceilings : {std::string{}, std::string{"/"}, project, ":" + home + "/link"}) {
    EXPECT_EQ(code_of(under(ceilings)), "git-broken") << ceilings;
  }
}

/// The test starts itself once more with its scratch folders on a file system of their own.
TEST_F(Surveying, ABrokenRepositoryOnAMountOfItsOwnIsNotTakenForNone) {
  if (::getenv("BATON_TEST_MOUNTED") == nullptr) {
    fs::create_directories(scratch.file("mount"));
    std::string alone = "unshare -m";
    if (std::system((alone + " true 2>/dev/null").c_str()) != 0) alone = "unshare -Urm";
    if (std::system((alone + " true 2>/dev/null").c_str()) != 0) GTEST_SKIP() << "this system lets nothing be mounted";
    EXPECT_TRUE(test::passes_again(
        alone + " sh -c 'mount -t tmpfs none \"$0\" && export TMPDIR=\"$0\" BATON_TEST_MOUNTED=1 && " +
        test::this_test_again() + "' " + test::shell_word(scratch.file("mount"))));
    return;
  }
  struct stat inside{};
  struct stat outside{};
  ASSERT_EQ(::stat(root.c_str(), &inside), 0);
  ASSERT_EQ(::stat(fs::path{scratch.path()}.parent_path().parent_path().c_str(), &outside), 0);
  ASSERT_NE(inside.st_dev, outside.st_dev) << "it is on a mount of its own";
  ::unsetenv("GIT_CEILING_DIRECTORIES");  // with it git says nothing of mounts
  test::write_bytes(root + "/.git/HEAD", "nonsense");
  EXPECT_EQ(code_of(survey(root, "")), "git-broken");
  fs::create_directories(root + "/deep/down");
  EXPECT_EQ(code_of(survey(root + "/deep/down", "")), "git-broken");
  fs::remove_all(root + "/.git");
  const auto none = survey(root, "");
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->is_repository);
}

TEST_F(Surveying, HeedsNoneOfGitsOwnTestVariables) {
  ::setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1", 1);
  const auto found = survey(root, "");
  ::unsetenv("GIT_TEST_ASSUME_DIFFERENT_OWNER");
  // The runner keeps nothing of git's own variables but identities, settings and ssh, this one neither.
  ASSERT_TRUE(found);
}

TEST_F(Surveying, ARepositoryOfSomebodyElseIsARefusalOfItsOwn) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  ASSERT_EQ(::chown(root.c_str(), 12345, 12345), 0);
  ASSERT_EQ(::chown((root + "/.git").c_str(), 12345, 12345), 0);
  const auto refused = survey(root, "");
  ASSERT_EQ(code_of(refused), "git-not-trusted");
  EXPECT_THAT(refused.error().help, HasSubstr("safe.directory"));
}

TEST_F(Surveying, LooksWithoutTouching) {
  write("README", "changed\n");
  write("staged", "s\n");
  git("add staged");
  write("untracked", "u\n");
  const std::string before = users_things();
  ASSERT_TRUE(survey(root, ""));
  EXPECT_EQ(users_things(), before);
}

}  // namespace
}  // namespace baton::git
