// What the user has in the checkout stays, whatever is landed there.
#include <gtest/gtest.h>

#include <filesystem>
#include <tuple>

#include "git/land.h"
#include "unit/git/land_world.h"

namespace baton::git {
namespace {

using baton::test::bytes_of;
using test::LandWorld;
using test::Picture;
using Strategy = LandOrder::Strategy;

std::string strategy_name(Strategy strategy) {
  switch (strategy) {
    case Strategy::merge:
      return "merge";
    case Strategy::squash:
      return "squash";
    case Strategy::rebase:
      return "rebase";
  }
  return {};
}

/// Every way in which a user's work can lie in a checkout; none of these paths is one that the run changes.
void work_by_hand(const LandWorld& world) {
  world.sh(
      "echo stashed > b && git stash -q\n"
      "echo modified >> b\n"                             // changed
      "echo staged >> c && git add c\n"                  // staged
      "echo half >> d && git add d && echo more >> d\n"  // staged, and changed after that
      "git rm -q --cached e\n"                           // gone from the index only
      "echo meant > meant && git add -N meant\n"         // to be added
      "echo new > staged-new && git add staged-new\n"
      "echo lying > lying && mkdir deep && echo lying > deep/lying\n"
      "echo secret > keys.ign\n"
      "chmod +x moved.txt");
}

/// Adds, changes, removes, renames, makes executable, links, and swaps a file and a folder.
void work_of_a_run(const LandWorld& world) {
  world.run_commits("echo change >> a && echo new > new.txt && git rm -q gone.txt");
  world.run_commits(
      "chmod +x tool.sh && ln -sf b link && git mv dir/x dir/X\n"
      "mkdir made && echo 1 > made/1 && printf 'text\\r\\n' > crlf");
}

using KeepCase = std::tuple<std::string, Strategy, bool>;
class LandKeeps : public testing::TestWithParam<KeepCase> {};

TEST_P(LandKeeps, TheUsersModifiedStagedAndUntrackedFilesAndTheStashByteForByteAndGitStatusShowsOnlyThem) {
  const auto& [target, strategy, moves] = GetParam();
  LandWorld world{target};
  work_of_a_run(world);
  if (moves) world.user_commits("echo more > further.txt");
  work_by_hand(world);
  const Picture before = world.picture();
  const std::string old = world.sh("git rev-parse " + target);

  const auto landed = land(world.order(strategy));
  ASSERT_TRUE(landed) << landed.error().message;
  EXPECT_TRUE(landed->moved);
  EXPECT_EQ(world.sh("git rev-parse " + target), landed->commit + "\n");

  const Picture after = world.picture();
  EXPECT_EQ(after.status, before.status);
  EXPECT_EQ(after.stash, before.stash);
  for (const std::string mine :
       {"b", "c", "d", "e", "meant", "staged-new", "lying", "deep/lying", "keys.ign", "moved.txt"}) {
    EXPECT_EQ(after.files.at(mine), before.files.at(mine)) << mine;
  }
  EXPECT_EQ(bytes_of(world.file("a")), "a\nchange\n");
  EXPECT_EQ(bytes_of(world.file("new.txt")), "new\n");
  EXPECT_EQ(bytes_of(world.file("crlf")), "text\r\n");
  EXPECT_FALSE(after.files.contains("gone.txt"));
  EXPECT_FALSE(after.files.contains("dir/x"));
  EXPECT_EQ(after.files.at("dir/X"), before.files.at("dir/x"));
  EXPECT_EQ(after.files.at("link"), "link b");
  EXPECT_TRUE(after.files.at("tool.sh").starts_with("755"));
  EXPECT_EQ(world.litter(), std::vector<std::string>{});
  EXPECT_TRUE(LandWorld::succeeds(world.repo(), "git fsck --strict --no-dangling"));

  // The shape of what was landed.
  const std::string parents = world.sh("git log -1 --format=%P " + target);
  const std::string subjects = world.sh("git log --format=%s --first-parent " + old.substr(0, 40) + ".." + target);
  if (strategy == Strategy::merge) {
    EXPECT_EQ(parents, old.substr(0, 40) + " " + world.sh("git rev-parse baton/r1"));
    EXPECT_EQ(subjects, "Do the task\n");
  } else if (strategy == Strategy::squash) {
    EXPECT_EQ(parents, old);
    EXPECT_EQ(subjects, "Do the task\n");
  } else {
    EXPECT_EQ(subjects, "by the run\nby the run\n");
    EXPECT_EQ(world.sh("git rev-list --count --merges " + target), "0\n");
  }
}

INSTANTIATE_TEST_SUITE_P(Branches, LandKeeps,
                         testing::Combine(testing::Values("main", "master", "trunk"),
                                          testing::Values(Strategy::merge, Strategy::squash, Strategy::rebase),
                                          testing::Bool()),
                         [](const testing::TestParamInfo<KeepCase>& param) {
                           return std::get<0>(param.param) + "_" + strategy_name(std::get<1>(param.param)) +
                                  (std::get<2>(param.param) ? "_moved" : "_still");
                         });

TEST(Land, TwiceIsOnce) {
  for (const Strategy strategy : {Strategy::merge, Strategy::squash, Strategy::rebase}) {
    LandWorld world;
    work_of_a_run(world);
    world.move_target();
    const auto first = land(world.order(strategy));
    ASSERT_TRUE(first) << first.error().message;
    const Picture after = world.picture();
    const auto second = land(world.order(strategy));
    ASSERT_TRUE(second) << second.error().message;
    EXPECT_FALSE(second->moved);
    EXPECT_EQ(second->commit, first->commit);
    EXPECT_EQ(world.picture(), after) << strategy_name(strategy);
  }
}

TEST(Land, WhatTheBranchGotSinceLandsToo) {
  for (const Strategy strategy : {Strategy::merge, Strategy::squash, Strategy::rebase}) {
    LandWorld world;
    world.run_commits("echo change >> a");
    ASSERT_TRUE(land(world.order(strategy)));
    world.run_commits("echo again >> a");
    const auto second = land(world.order(strategy));
    ASSERT_TRUE(second) << second.error().message;
    EXPECT_TRUE(second->moved);
    EXPECT_EQ(bytes_of(world.file("a")), "a\nchange\nagain\n");
    EXPECT_EQ(world.sh("git status --porcelain"), "");
  }
}

TEST(Land, AnEmptyChangeIsNothingToLand) {
  LandWorld world;
  world.move_target();
  const Picture before = world.picture();
  const auto landed = land(world.order());
  ASSERT_TRUE(landed) << landed.error().message;
  EXPECT_FALSE(landed->moved);
  EXPECT_EQ(landed->commit + "\n", world.sh("git rev-parse main"));
  ASSERT_EQ(landed->notes.size(), 1U);
  EXPECT_EQ(world.picture(), before);
}

TEST(Land, WhatTheTargetHasAlreadyIsNothingToLand) {
  for (const Strategy strategy : {Strategy::merge, Strategy::squash, Strategy::rebase}) {
    LandWorld world;
    world.run_commits("echo change >> a");
    world.user_commits("echo change >> a");
    const Picture before = world.picture();
    const auto landed = land(world.order(strategy));
    ASSERT_TRUE(landed) << landed.error().message;
    EXPECT_FALSE(landed->moved);
    EXPECT_EQ(world.picture(), before);
    EXPECT_EQ(world.litter(), std::vector<std::string>{});
  }
}

TEST(Land, ARebaseLosesNothingThatAMergeOfTheRunSettled) {
  LandWorld world;
  world.run_commits("echo one > one.txt");
  world.in_run(
      "git checkout -q -b baton/r1--sub HEAD~1 && echo two > two.txt && git add -A && git commit -qm sub\n"
      "git checkout -q baton/r1 && git merge -q --no-ff --no-commit baton/r1--sub && echo settled > settled.txt\n"
      "git add -A && git commit -qm merged");
  world.move_target();
  const auto landed = land(world.order(Strategy::rebase));
  ASSERT_TRUE(landed) << landed.error().message;
  EXPECT_EQ(bytes_of(world.file("settled.txt")), "settled\n");
  EXPECT_EQ(bytes_of(world.file("two.txt")), "two\n");
  EXPECT_EQ(world.sh("git status --porcelain"), "");
}

TEST(Land, FollowsInAProjectThatIsASubfolder) {
  LandWorld world;
  world.run_commits("echo change >> dir/x && echo change >> a");
  LandOrder order = world.order();
  order.root = world.file("dir");
  const auto landed = land(order);
  ASSERT_TRUE(landed) << landed.error().message;
  EXPECT_EQ(bytes_of(world.file("a")), "a\nchange\n");
  EXPECT_EQ(world.sh("git status --porcelain"), "");
}

TEST(Land, SomebodyOnAnotherBranchSeesNothing) {
  LandWorld world;
  work_of_a_run(world);
  world.sh("git checkout -q -b mine && echo edit >> a && echo lies > new.txt");
  Picture before = world.picture();
  ASSERT_TRUE(land(world.order()));
  Picture after = world.picture();
  before.refs = after.refs = {};
  EXPECT_EQ(after, before);
  EXPECT_EQ(world.at("main", "a"), "a\nchange\n");
}

TEST(Land, ADetachedHeadHasNothingToFollow) {
  LandWorld world;
  work_of_a_run(world);
  world.sh("git checkout -q --detach && echo edit >> a");
  Picture before = world.picture();
  ASSERT_TRUE(land(world.order()));
  Picture after = world.picture();
  before.refs = after.refs = {};
  EXPECT_EQ(after, before);
  EXPECT_EQ(world.at("main", "a"), "a\nchange\n");
}

TEST(Land, EveryWorkingTreeThatHasTheTargetFollows) {
  LandWorld world;
  work_of_a_run(world);
  world.sh("git worktree add -q -f '" + world.elsewhere("second tree") + "' main");
  LandWorld::sh_in(world.elsewhere("second tree"), "echo mine >> b");
  ASSERT_TRUE(land(world.order()));
  EXPECT_EQ(world.sh("git status --porcelain"), "");
  EXPECT_EQ(LandWorld::sh_in(world.elsewhere("second tree"), "git status --porcelain"), " M b\n");
  EXPECT_EQ(bytes_of(world.elsewhere("second tree") + "/a"), "a\nchange\n");
}

TEST(Land, ABranchThatIsAnotherNameOfTheTargetIsFollowedToo) {
  LandWorld world;
  work_of_a_run(world);
  world.sh("git symbolic-ref refs/heads/trunk refs/heads/main");
  LandOrder order = world.order();
  order.target = "trunk";
  const auto landed = land(order);
  ASSERT_TRUE(landed) << landed.error().message;
  EXPECT_EQ(bytes_of(world.file("a")), "a\nchange\n");
  EXPECT_EQ(world.sh("git status --porcelain"), "");
  EXPECT_EQ(world.sh("git rev-parse main"), landed->commit + "\n");
}

TEST(Land, SettingsOfTheUserChangeNothing) {
  for (const Strategy strategy : {Strategy::merge, Strategy::squash, Strategy::rebase}) {
    LandWorld world;
    work_of_a_run(world);
    world.move_target();
    world.sh(
        "for s in commit.gpgSign=true gpg.program=false merge.ff=only rebase.updateRefs=true rebase.autoStash=true \\\n"
        "  merge.autoStash=true submodule.recurse=true core.quotePath=true status.showUntrackedFiles=no \\\n"
        "  status.relativePaths=true diff.noprefix=true diff.renames=copies core.fsmonitor=true "
        "merge.verifySignatures=true \\\n"
        "  commit.cleanup=strip core.commentChar=D; do git config ${s%%=*} ${s#*=}; done\n"
        "echo mine >> b");
    const std::string branch = world.sh("git rev-parse baton/r1");
    const auto landed = land(world.order(strategy));
    ASSERT_TRUE(landed) << landed.error().message;
    EXPECT_EQ(world.sh("git rev-parse baton/r1"), branch);
    EXPECT_EQ(world.sh("git -c core.fsmonitor=false status --porcelain"), " M b\n");
    EXPECT_EQ(world.sh("git log -1 --format=%s main"), strategy == Strategy::rebase ? "by the run\n" : "Do the task\n");
  }
}

}  // namespace
}  // namespace baton::git
