// Landings and rejections of which every process, or git alone, is killed between any two changes to the disk.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "git/land.h"
#include "unit/git/cut_off.h"
#include "unit/git/land_world.h"

namespace baton::git {
namespace {

using test::at_many_instants;
using test::Cut;
using test::cut_off;
using test::CutOff;
using test::LandWorld;
using Strategy = LandOrder::Strategy;

/// A change of every kind, and things of the user's of every kind.
void prepare_cut(const LandWorld& world, bool merges) {
  world.run_commits(
      "echo change >> a && echo n > new.txt && git rm -q gone.txt && git rm -q -r dir && echo file > dir && git rm -q "
      "e && mkdir e && echo in > e/in && chmod +x tool.sh && ln -sf b link && seq 5000 > large");
  if (merges) world.user_commits("echo more >> moved.txt");
  world.sh("git pack-refs --all");
  world.sh("echo stashed > b && git stash -q && echo mine >> b && echo staged >> c && git add c && echo lying > lying");
}

/// How it stands at the end, without what differs by the clock.
std::string end_text(const LandWorld& world) {
  std::string end = world.sh(
      "git rev-parse main^{tree}; git log --graph --format=%s main; git for-each-ref --format='%(refname)'\n"
      "git status --porcelain --untracked-files=all --ignored; git diff; git diff --cached; git ls-files --stage\n"
      "git stash list --format=%gd; git show stash@{0}:b; git worktree list --porcelain | grep -v ^HEAD; git worktree "
      "prune -n -v\n"
      "ls -A .baton/worktrees; cat a b c lying; git fsck --strict --no-dangling");
  for (const std::string& name : world.litter()) end += "litter: " + name + "\n";
  const std::string here = world.repo();
  for (std::size_t at = 0; (at = end.find(here, at)) != std::string::npos;) end.replace(at, here.size(), "REPO");
  return end;
}

bool accept(const LandOrder& order) { return land(order) && tidy_after(order); }
bool reject_order(const LandOrder& order) {
  return discard(order.root, order.trees, order.run, order.branch).has_value();
}

struct CutCase {
  const char* name;
  bool (*work)(const LandOrder&);
  Strategy strategy;
  bool merges;
  Cut cut;
};
void PrintTo(const CutCase& c, std::ostream* out) { *out << c.name; }

class LandCut : public testing::TestWithParam<CutCase> {};

TEST_P(LandCut, ComesToTheSameEnd) {
  const CutCase& c = GetParam();
  LandWorld straight;
  prepare_cut(straight, c.merges);
  ASSERT_TRUE(c.work(straight.order(c.strategy)));
  const std::string expected = end_text(straight);
  at_many_instants([&](std::uint64_t at) {
    LandWorld world;
    prepare_cut(world, c.merges);
    const LandOrder order = world.order(c.strategy);
    const CutOff cut = cut_off([&] { return c.work(order); }, at, c.cut);
    EXPECT_TRUE(cut.can_be_watched);
    if (!cut.was_cut) return false;
    EXPECT_TRUE(cut.worked || c.cut == Cut::everything) << "Baton lives, and does it again";
    if (c.work == accept) {
      const auto landed = land(order);
      EXPECT_TRUE(landed) << landed.error().code << ": " << landed.error().message;
      const auto tidied = tidy_after(order);
      EXPECT_TRUE(tidied) << tidied.error().code << ": " << tidied.error().message;
    } else {
      const auto gone = discard(order.root, order.trees, order.run, order.branch);
      EXPECT_TRUE(gone) << gone.error().code << ": " << gone.error().message;
    }
    EXPECT_EQ(end_text(world), expected);
    return true;
  });
}

/// A file came in the way of a landing that was cut off: it is taken back, and that is cut off too.
TEST(LandCutOnItsWayBack, ComesToTheSameEnd) {
  const auto half_landed = [](const LandWorld& world) {
    prepare_cut(world, false);
    ASSERT_TRUE(test::land_until(world.order(), LandPhase::moved));
    world.sh("git show main:a > a && rm gone.txt && git show main:large | head -c 4096 > large && echo mine > new.txt");
  };
  const auto end = [](const LandWorld& world) {
    const auto landed = land(world.order());
    return (landed ? "" : landed.error().code) +
           world.sh(
               "git for-each-ref --format='%(refname)'; git status --porcelain --untracked-files=all; git diff\n"
               "git diff --cached; cat a b c gone.txt new.txt; git log --format=%s main; ls -A .baton/worktrees") +
           fmt::format("{} left", world.litter().size());
  };
  LandWorld straight;
  half_landed(straight);
  const std::string expected = end(straight);
  EXPECT_TRUE(expected.starts_with("accept-would-overwrite")) << expected;
  at_many_instants([&](std::uint64_t at) {
    LandWorld world;
    half_landed(world);
    const CutOff cut = cut_off([&] { return land(world.order()).has_value(); }, at, Cut::everything);
    EXPECT_EQ(end(world), expected);
    return cut.was_cut;
  });
}

INSTANTIATE_TEST_SUITE_P(Everywhere, LandCut,
                         testing::Values(CutCase{"accept", accept, Strategy::merge, true, Cut::everything},
                                         CutCase{"accept_git", accept, Strategy::merge, true, Cut::one_git},
                                         CutCase{"squash", accept, Strategy::squash, false, Cut::everything},
                                         CutCase{"rebase", accept, Strategy::rebase, true, Cut::everything},
                                         CutCase{"reject", reject_order, Strategy::merge, false, Cut::everything},
                                         CutCase{"reject_git", reject_order, Strategy::merge, false, Cut::one_git}),
                         [](const auto& one) { return std::string{one.param.name}; });

}  // namespace
}  // namespace baton::git
