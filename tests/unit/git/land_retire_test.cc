// What becomes of a run's trees and branches once its change is accepted or rejected.
#include <gtest/gtest.h>

#include <filesystem>

#include "git/land.h"
#include "unit/git/land_world.h"

namespace baton::git {
namespace {

namespace fs = std::filesystem;
using baton::test::bytes_of;
using baton::test::write_bytes;
using test::LandWorld;
using test::Picture;
using Strategy = LandOrder::Strategy;

std::string refs(const LandWorld& world) { return world.sh("git for-each-ref --format='%(refname)'"); }

Status reject(const LandWorld& world) { return discard(world.repo(), world.trees(), "r1", "baton/r1"); }

/// A sub-task with a tree and a branch of its own, merged into the run's.
void add_sub_task(const LandWorld& world) {
  world.sh("git worktree add -q .baton/worktrees/r1--docs -b baton/r1--docs");
  LandWorld::sh_in(world.trees() + "/r1--docs", "echo docs > docs && git add docs && git commit -qm docs");
  world.in_run("git merge -q --no-ff -m docs baton/r1--docs");
}

TEST(Tidy, AMergedRunLeavesNothingButItsNote) {
  LandWorld world;
  world.run_commits("echo change >> a");
  add_sub_task(world);
  world.sh("echo mine >> b");
  ASSERT_TRUE(land(world.order()));
  for (int times = 0; times < 2; ++times) {
    const Status done = tidy_after(world.order());
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_EQ(refs(world), "refs/baton/landed/r1\nrefs/heads/main\n");
    EXPECT_TRUE(fs::is_empty(world.trees()));
    EXPECT_EQ(world.sh("git worktree list | wc -l"), "1\n");
    EXPECT_EQ(world.sh("git status --porcelain"), " M b\n");
  }
  const auto again = land(world.order());
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_FALSE(again->moved);
}

TEST(Tidy, ASquashedOrRebasedBranchIsKept) {
  for (const Strategy strategy : {Strategy::squash, Strategy::rebase}) {
    LandWorld world;
    world.run_commits("echo change >> a");
    add_sub_task(world);
    world.move_target();
    const std::string tip = world.sh("git rev-parse baton/r1");
    ASSERT_TRUE(land(world.order(strategy)));
    for (int times = 0; times < 2; ++times) {
      ASSERT_TRUE(tidy_after(world.order(strategy)));
      EXPECT_EQ(refs(world), "refs/baton/accepted/r1\nrefs/baton/landed/r1\nrefs/heads/main\n");
      EXPECT_EQ(world.sh("git rev-parse refs/baton/accepted/r1"), tip);
    }
    const auto again = land(world.order(strategy));
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_FALSE(again->moved);
  }
}

TEST(Tidy, WhatWasNotCommittedIsKept) {
  LandWorld world;
  world.run_commits("echo change >> a");
  ASSERT_TRUE(land(world.order()));
  world.in_run("echo late > late && echo late >> b");
  write_bytes(world.file(".git/worktrees/r1/index.lock"), "");  // left by a git that was killed with its agent
  ASSERT_TRUE(tidy_after(world.order()));
  EXPECT_EQ(world.at("refs/baton/accepted/r1--leftover", "late"), "late\n");
  EXPECT_EQ(world.at("refs/baton/accepted/r1--leftover", "b"), "b\nlate\n");
  EXPECT_FALSE(fs::exists(world.run_tree()));
}

TEST(Discard, RemovesTreesAndBranchesAndKeepsTheirTips) {
  LandWorld world;
  world.run_commits("echo change >> a");
  add_sub_task(world);
  world.sh("echo mine >> b && echo lying > lying");
  const Picture before = world.picture();
  const std::string tips = world.sh("git rev-parse baton/r1 baton/r1--docs");
  for (int times = 0; times < 3; ++times) {
    const Status done = reject(world);
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_EQ(refs(world), "refs/baton/rejected/r1\nrefs/baton/rejected/r1--docs\nrefs/heads/main\n");
    EXPECT_EQ(world.sh("git rev-parse refs/baton/rejected/r1 refs/baton/rejected/r1--docs"), tips);
    EXPECT_TRUE(fs::is_empty(world.trees()));
    EXPECT_EQ(world.sh("git worktree list | wc -l"), "1\n");
  }
  Picture after = world.picture();
  after.refs = before.refs;
  EXPECT_EQ(after, before);
}

TEST(Discard, OnlyThisRuns) {
  LandWorld world;
  world.sh(
      "git worktree add -q .baton/worktrees/r12 -b baton/r12 && git worktree add -q .baton/worktrees/r2--r1 -b "
      "baton/r2--r1\n"
      "git branch other/r1");
  fs::create_directories(world.elsewhere("r1"));
  world.sh("git worktree add -q '" + world.elsewhere("r1") + "' -b elsewhere");
  ASSERT_TRUE(reject(world));
  EXPECT_TRUE(fs::exists(world.trees() + "/r12/a"));
  EXPECT_TRUE(fs::exists(world.trees() + "/r2--r1/a"));
  EXPECT_TRUE(fs::exists(world.elsewhere("r1") + "/a"));
  EXPECT_EQ(
      refs(world),
      "refs/baton/rejected/r1\nrefs/heads/baton/r12\nrefs/heads/baton/r2--r1\nrefs/heads/elsewhere\nrefs/heads/main\n"
      "refs/heads/other/r1\n");
}

TEST(Discard, WhateverIsLeftOfIt) {
  // As if it had been killed on its way, or the user had been faster.
  for (const char* state :
       {"rm -r .baton/worktrees/r1", "git worktree remove --force .baton/worktrees/r1",
        "git worktree lock .baton/worktrees/r1", "rm -r .git/worktrees/r1", "rm .baton/worktrees/r1/.git",
        "rm -r .baton/worktrees", "git update-ref -d refs/heads/baton/r1",
        "git -C .baton/worktrees/r1 checkout -q --detach", "touch .git/worktrees/r1/index.lock",
        "git update-ref refs/baton/rejected/r1 baton/r1", "git -C .baton/worktrees/r1 merge -q no-such || true"}) {
    LandWorld world;
    world.run_commits("echo change >> a");
    world.sh("echo mine >> b && echo staged >> c && git add c");
    const std::string status = world.picture().status;
    world.sh(state);
    SCOPED_TRACE(state);
    const Status done = reject(world);
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_FALSE(fs::exists(world.run_tree()));
    EXPECT_EQ(world.sh("git for-each-ref refs/heads/baton; git worktree list | wc -l"), "1\n");
    EXPECT_EQ(world.picture().status, status);
    EXPECT_EQ(world.litter(), std::vector<std::string>{});
  }
}

TEST(Discard, ABranchThatTheUserIsOnStays) {
  LandWorld world;
  world.run_commits("echo change >> a");
  world.sh("git worktree remove --force .baton/worktrees/r1 && git checkout -q baton/r1 && echo mine >> b");
  ASSERT_TRUE(reject(world));
  EXPECT_EQ(world.sh("git status --porcelain --branch"), "## baton/r1\n M b\n");
  EXPECT_EQ(refs(world), "refs/baton/rejected/r1\nrefs/heads/baton/r1\nrefs/heads/main\n");
}

TEST(Discard, CommitsOnNoBranchAreKept) {
  LandWorld world;
  world.in_run("git checkout -q --detach && echo detached > detached && git add -A && git commit -qm detached");
  ASSERT_TRUE(reject(world));
  EXPECT_EQ(world.at("refs/baton/rejected/r1--leftover", "detached"), "detached\n");
}

TEST(Discard, ALinkInItsPlaceIsNotFollowed) {
  LandWorld world;
  world.sh(
      "git worktree remove --force .baton/worktrees/r1 && mkdir -p precious && echo p > precious/p && mkdir -p "
      ".baton/worktrees && ln -s ../../precious .baton/worktrees/r1");
  ASSERT_TRUE(reject(world));
  EXPECT_EQ(bytes_of(world.file("precious/p")), "p\n");
}

TEST(Discard, ARunWithoutAnything) {
  LandWorld world;
  ASSERT_TRUE(discard(world.repo(), world.elsewhere("no such folder"), "r9", "baton/r9"));
}

}  // namespace
}  // namespace baton::git
