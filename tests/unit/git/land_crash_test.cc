// A landing that is killed at any instant and called again comes to the end it would have come to.
#include <gtest/gtest.h>

#include <filesystem>
#include <tuple>

#include "git/land.h"
#include "git/landing/journal.h"
#include "unit/git/land_world.h"

namespace baton::git {
namespace {

namespace fs = std::filesystem;
using baton::test::bytes_of;
using baton::test::write_bytes;
using test::land_until;
using test::LandWorld;
using test::Picture;
using Strategy = LandOrder::Strategy;

void prepare(const LandWorld& world) {
  world.run_commits(
      "echo change >> a && echo n > new.txt && git rm -q gone.txt && git rm -q -r dir && echo file > dir && git rm -q "
      "e && "
      "mkdir e && echo in > e/in && chmod +x tool.sh && ln -sf b link");
  world.user_commits("echo more >> moved.txt");
  world.sh("echo stashed > b && git stash -q && echo mine >> b && echo staged >> c && git add c && echo lying > lying");
}

/// The end, but for what differs by the clock.
struct End {
  Picture picture;
  std::string tree;
  std::string shape;
  std::vector<std::string> litter;

  bool operator==(const End&) const = default;
};
void PrintTo(const End& end, std::ostream* out) {
  PrintTo(end.picture, out);
  *out << end.tree << end.shape;
  for (const std::string& name : end.litter) *out << "litter: " << name << "\n";
}

End end_of(const LandWorld& world) {
  End end{.picture = world.picture(),
          .tree = world.sh("git rev-parse main^{tree}"),
          .shape = world.sh("git log --graph --format=%s main; git for-each-ref --format='%(refname)'"),
          .litter = world.litter()};
  end.picture.refs = end.picture.stash = {};
  end.shape += world.sh("git stash list --format=%gd && git show stash@{0}:b");
  return end;
}

using Case = std::tuple<LandPhase, Strategy>;
class LandCrash : public testing::TestWithParam<Case> {};

TEST_P(LandCrash, TheSameEndState) {
  const auto& [phase, strategy] = GetParam();
  LandWorld straight;
  prepare(straight);
  ASSERT_TRUE(land(straight.order(strategy)));

  LandWorld world;
  prepare(world);
  const std::string status = world.picture().status;
  ASSERT_TRUE(land_until(world.order(strategy), phase));
  const auto landed = land(world.order(strategy));
  ASSERT_TRUE(landed) << landed.error().message;
  EXPECT_EQ(landed->moved, phase < LandPhase::moved);
  EXPECT_EQ(end_of(world), end_of(straight));
  EXPECT_EQ(world.picture().status, status);
  EXPECT_TRUE(LandWorld::succeeds(world.repo(), "git fsck --strict --no-dangling"));
}

TEST_P(LandCrash, TwiceInARow) {
  const auto& [phase, strategy] = GetParam();
  LandWorld straight;
  prepare(straight);
  ASSERT_TRUE(land(straight.order(strategy)));
  LandWorld world;
  prepare(world);
  ASSERT_TRUE(land_until(world.order(strategy), phase));
  land_until(world.order(strategy), phase);
  ASSERT_TRUE(land(world.order(strategy)));
  EXPECT_EQ(end_of(world), end_of(straight));
}

INSTANTIATE_TEST_SUITE_P(Everywhere, LandCrash,
                         testing::Combine(testing::Values(LandPhase::begun, LandPhase::tree_made, LandPhase::merged,
                                                          LandPhase::recorded, LandPhase::moved, LandPhase::followed,
                                                          LandPhase::forgotten),
                                          testing::Values(Strategy::merge, Strategy::squash, Strategy::rebase)));

TEST(LandRecovery, OneTreeFollowedTheOtherNot) {
  LandWorld world;
  prepare(world);
  const std::string second = world.elsewhere("second");
  world.sh("git worktree add -q -f '" + second + "' main");
  LandWorld::sh_in(second, "echo mine >> d");
  ASSERT_TRUE(land_until(world.order(), LandPhase::followed, 1));
  const auto landed = land(world.order());
  ASSERT_TRUE(landed) << landed.error().message;
  EXPECT_EQ(LandWorld::sh_in(second, "git status --porcelain"), " M d\n");
  EXPECT_EQ(world.sh("git status --porcelain"), " M b\nM  c\n?? lying\n");
  EXPECT_EQ(world.litter(), std::vector<std::string>{});
}

/// The target has moved, and git was killed while it wrote the files: some are new, the index is old.
TEST(LandRecovery, FilesHalfWritten) {
  const std::vector<std::string> parts{"git show main:a > a",
                                       "git show main:new.txt > new.txt",
                                       "rm gone.txt",
                                       "rm -r dir && git show main:dir > dir",
                                       "rm e && mkdir e && git show main:e/in > e/in",
                                       "chmod +x tool.sh",
                                       "ln -sfn b link",
                                       "rm a",
                                       "rm -r dir",
                                       "rm -r e"};
  for (std::size_t n = 0; n <= parts.size(); ++n) {
    LandWorld straight;
    prepare(straight);
    ASSERT_TRUE(land(straight.order()));
    LandWorld world;
    prepare(world);
    ASSERT_TRUE(land_until(world.order(), LandPhase::moved));
    for (std::size_t i = 0; i < std::min<std::size_t>(n, 7); ++i) world.sh(parts[i]);
    if (n > 7) world.sh(parts[n - 1]);
    SCOPED_TRACE(n);
    const auto landed = land(world.order());
    ASSERT_TRUE(landed) << landed.error().message;
    EXPECT_EQ(end_of(world), end_of(straight));
  }
}

TEST(LandRecovery, AnEditSinceTheCrashTakesItBackAndIsKept) {
  for (const char* half :
       {"true", "git show main:new.txt > new.txt && rm gone.txt && chmod +x tool.sh && ln -sfn b link"}) {
    LandWorld world;
    prepare(world);
    const Picture before = world.picture();
    const std::string old = world.sh("git rev-parse main");
    ASSERT_TRUE(land_until(world.order(), LandPhase::moved));
    world.sh(std::string{half} + " && echo since >> a");
    SCOPED_TRACE(half);
    const auto landed = land(world.order());
    ASSERT_FALSE(landed);
    EXPECT_EQ(landed.error().code, "accept-would-overwrite") << landed.error().message;
    EXPECT_EQ(world.sh("git rev-parse main"), old);
    EXPECT_EQ(bytes_of(world.file("a")), "a\nsince\n");
    world.sh("git show HEAD:a > a");
    EXPECT_EQ(world.picture(), before);
    ASSERT_TRUE(land(world.order()));
    EXPECT_EQ(world.picture().status, before.status);
  }
}

TEST(LandRecovery, AFileThatCameInTheWaySinceTheCrashIsKept) {
  LandWorld world;
  prepare(world);
  const Picture before = world.picture();
  ASSERT_TRUE(land_until(world.order(), LandPhase::moved));
  world.sh("echo mine > new.txt");
  const auto landed = land(world.order());
  ASSERT_FALSE(landed);
  EXPECT_EQ(landed.error().code, "accept-would-overwrite") << landed.error().message;
  EXPECT_EQ(bytes_of(world.file("new.txt")), "mine\n");
  fs::remove(world.file("new.txt"));
  EXPECT_EQ(world.picture(), before);
}

TEST(LandRecovery, ACommitOnTopSinceTheCrashIsTheUsers) {
  LandWorld world;
  prepare(world);
  ASSERT_TRUE(land_until(world.order(), LandPhase::followed));
  world.sh("git commit -qm mine");
  const Picture before = world.picture();
  const auto landed = land(world.order());
  ASSERT_TRUE(landed) << landed.error().message;
  EXPECT_FALSE(landed->moved);
  EXPECT_EQ(world.picture(), before);
  EXPECT_EQ(world.litter(), std::vector<std::string>{});
}

TEST(LandRecovery, AnotherRunFinishesItFirst) {
  LandWorld world;
  world.run_commits("echo change >> a");
  world.sh("git worktree add -q .baton/worktrees/r2 -b baton/r2");
  LandWorld::sh_in(world.trees() + "/r2",
                   "echo other >> a.txt && echo other >> d && git add -A && git commit -qm other");
  ASSERT_TRUE(land_until(world.order(), LandPhase::moved));
  LandOrder other = world.order();
  other.branch = "baton/r2";
  other.run = "r2";
  const auto landed = land(other);
  ASSERT_TRUE(landed) << landed.error().message;
  EXPECT_TRUE(landed->moved);
  EXPECT_EQ(world.sh("git status --porcelain"), "");
  EXPECT_EQ(bytes_of(world.file("a")), "a\nchange\n");
  EXPECT_EQ(bytes_of(world.file("d")), "d\nother\n");
  EXPECT_EQ(world.litter(), std::vector<std::string>{});
}

TEST(LandRecovery, ARejectionAfterACrashLeavesNothingHalfDone) {
  LandWorld world;
  world.run_commits("echo change >> a");
  ASSERT_TRUE(land_until(world.order(), LandPhase::moved));
  const Status done = discard(world.repo(), world.trees(), "r1", "baton/r1");
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(world.sh("git status --porcelain"), "");
  EXPECT_EQ(world.litter(), std::vector<std::string>{});
}

TEST(LandRecovery, ATornRecordWasNeverWhole) {
  LandWorld world;
  prepare(world);
  const LandingRecord record{.run = "r1",
                             .branch = "baton/r1",
                             .target = "main",
                             .ref = "refs/heads/main",
                             .before = world.base(),
                             .after = world.base()};
  ASSERT_TRUE(write_record(world.trees(), record));
  const std::string path = landing_record_path(world.trees(), "r1");
  const std::string whole = bytes_of(path);
  ASSERT_TRUE(read_record(path));
  for (std::size_t size = 0; size + 1 < whole.size(); ++size) {
    write_bytes(path, whole.substr(0, size));
    EXPECT_FALSE(read_record(path)) << size;
  }
  ASSERT_TRUE(land(world.order()));
  EXPECT_FALSE(fs::exists(path));
}

}  // namespace
}  // namespace baton::git
