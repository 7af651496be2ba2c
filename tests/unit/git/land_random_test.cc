// Small repositories, runs and users' edits drawn from a seed: either a fault with everything as it was, or it landed
// and every edit of the user is where it was.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "git/land.h"
#include "support/draws.h"
#include "unit/git/land_world.h"

namespace baton::git {
namespace {

using baton::test::Draws;
using test::LandWorld;
using test::Picture;
using Strategy = LandOrder::Strategy;

/// Few names, so that edits meet; some are files here and folders there.
std::string some_path(Draws& draws) {
  return draws.one_of<std::string>(
      {"a", "b", "c", "dir/x", "dir", "dir/y/z", "new", "new/in", "n.ign", "link", "'s p'"});
}

/// One edit, in shell; may come to nothing.
std::string some_edit(Draws& draws) {
  const std::string path = some_path(draws);
  const std::string word = std::to_string(draws.below(3));
  switch (draws.below(8)) {
    case 0:
    case 1:
      return fmt::format("mkdir -p \"$(dirname {0})\" 2>/dev/null && echo {1} >> {0} || true", path, word);
    case 2:
      return fmt::format("rm -rf {0} && mkdir -p \"$(dirname {0})\" 2>/dev/null && echo {1} > {0} || true", path, word);
    case 3:
      return fmt::format("rm -rf {}", path);
    case 4:
      return fmt::format("chmod +x {} 2>/dev/null || true", path);
    case 5:
      return fmt::format("rm -rf {0} && ln -s {1} {0} 2>/dev/null || true", path, word);
    case 6:
      return fmt::format("rm -rf {0} && mkdir -p {0} 2>/dev/null && echo {1} > {0}/in || true", path, word);
    default:
      return fmt::format("git mv -f {} {} 2>/dev/null || true", path, some_path(draws));
  }
}

/// What the user does with the index after an edit.
std::string some_staging(Draws& draws) {
  const std::string path = some_path(draws);
  switch (draws.below(6)) {
    case 0:
      return fmt::format("git add -A {} 2>/dev/null || true", path);
    case 1:
      return fmt::format("git add -f -N {} 2>/dev/null || true", path);
    case 2:
      return fmt::format("git rm -q -r --cached {} 2>/dev/null || true", path);
    case 3:
      return fmt::format("git update-index --assume-unchanged {} 2>/dev/null || true", path);
    case 4:
      return fmt::format("git update-index --skip-worktree {} 2>/dev/null || true", path);
    default:
      return "true";
  }
}

std::string some_work(Draws& draws, std::size_t edits, bool staging) {
  std::string script = "true";
  for (std::size_t n = draws.below(edits + 1); n > 0; --n) {
    script += "\n" + some_edit(draws);
    if (staging) script += "\n" + some_staging(draws);
  }
  return script;
}

/// Every file that differs from what the target had is where it was and what it was; so is what was taken away.
void expect_kept(const LandWorld& world, const Picture& before, const std::map<std::string, std::string>& committed) {
  const Picture after = world.picture();
  EXPECT_EQ(after.status, before.status);
  EXPECT_EQ(after.stash, before.stash);
  for (const auto& [path, content] : before.files) {
    const auto was = committed.find(path);
    if (was != committed.end() && was->second == content) continue;
    ASSERT_TRUE(after.files.contains(path)) << path;
    EXPECT_EQ(after.files.at(path), content) << path;
  }
  for (const auto& [path, content] : committed) {
    if (before.files.contains(path)) continue;
    EXPECT_FALSE(after.files.contains(path)) << path;
  }
}

struct Tally {
  int landed = 0;
  int refused = 0;
};

void draw_one(std::uint64_t seed, Tally& tally) {
  Draws draws{seed};
  LandWorld world;
  world.in_run(some_work(draws, 4, false) + "\ngit add -A -f && git commit -q --allow-empty -m run");
  if (draws.chance(0.5)) world.sh(some_work(draws, 2, false) + "\ngit add -A && git commit -q --allow-empty -m user");
  const std::map<std::string, std::string> committed = world.picture().files;
  world.sh("echo stashed >> moved.txt && git stash -q");
  world.sh(some_work(draws, 4, true));
  const Picture before = world.picture();
  const auto strategy = draws.one_of<Strategy>({Strategy::merge, Strategy::squash, Strategy::rebase});
  const auto landed = land(world.order(strategy));
  if (!landed) {
    EXPECT_TRUE(landed.error().code.starts_with("accept-")) << landed.error().code << ": " << landed.error().message;
    EXPECT_EQ(world.picture(), before) << landed.error().message;
    ++tally.refused;
  } else {
    expect_kept(world, before, committed);
    if (landed->moved) ++tally.landed;
  }
  EXPECT_EQ(world.litter(), std::vector<std::string>{});
}

TEST(LandRandom, AFaultAndNothingChangedOrLandedAndEveryEditKept) {
  const char* one = std::getenv("BATON_LAND_SEED");
  const char* many = std::getenv("BATON_LAND_SEEDS");
  const std::uint64_t first = one != nullptr ? std::strtoull(one, nullptr, 10) : 1;
  const std::uint64_t count = one != nullptr ? 1 : many != nullptr ? std::strtoull(many, nullptr, 10) : 60;
  Tally tally;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE(fmt::format("again with BATON_LAND_SEED={}", seed));
    draw_one(seed, tally);
    if (testing::Test::HasFailure()) return;
  }
  if (count < 60) return;
  EXPECT_GT(tally.landed, static_cast<int>(count / 10));
  EXPECT_GT(tally.refused, static_cast<int>(count / 10));
}

}  // namespace
}  // namespace baton::git
