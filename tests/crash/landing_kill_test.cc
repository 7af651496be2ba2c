// kill -9 in the middle of `accept` and of `reject`, and then the same again: done exactly once, and what the user has
// lying there is as it was.
#include <fmt/core.h>

#include <array>
#include <random>

#include "crash/kills.h"
#include "support/chain_place.h"

namespace baton::test {
namespace {

using std::chrono::microseconds;
using std::chrono::steady_clock;

/// A run that waits for its review, as often as it is wanted: the whole project is put back to that moment.
class LandingKilled : public WithChain {
 protected:
  LandingKilled() {
    place.env["BATON_HOLDER_IDLE_MS"] = "100";
    for (int i = 0; i < 40; ++i) place.write(fmt::format("lib/f{}.txt", i), "old\n");
    git("add -A && git commit -q -m library");
    claude.does("decompose", R"(says '[{"name": "Server side"}, {"name": "Page"}]')");
    writes("spec", "specs/login.md");
    claude.does("build:server-side", "for f in lib/*; do echo new >> $f; done; rm lib/f7.txt; says 'Changed lib.'");
    claude.does("build:page", "printf 'first\\nmore\\n' > README; echo made > page.txt; says 'Wrote page.txt.'");
  }

  void SetUp() override {
    const Outcome ran = run("sdlc");
    ASSERT_EQ(ran.code, 3) << ran;
    id_ = text_at(place.show(), "run");
    // What is the user's own, of every kind.
    place.write("notes", "stashed\n");
    git("stash -q");
    place.write("notes", "changed\n");
    place.write("staged", "for the next commit\n");
    git("add staged");
    place.write("staged", "for the next commit\nand not yet staged\n");
    place.write("untracked", "nobody's business\n");
    calm_down();
    sh("cp -a . ../saved");
    users_own_ = users_own();
  }

  /// Until no process is left: those that nobody waits for are killed.
  void calm_down() {
    ASSERT_TRUE(eventually([&] {
      const auto left = place.living();
      for (const pid_t pid : left) ::kill(pid, SIGKILL);
      return left.empty();
    }));
  }
  void put_back() {
    calm_down();
    sh("find . -mindepth 1 -maxdepth 1 -exec rm -rf {} + && cp -a ../saved/. .");
  }

  std::string users_own() {
    return sh(
        "git status --porcelain; git diff; git diff --cached; git stash list; git stash show -p; git symbolic-ref "
        "HEAD; "
        "cat notes staged untracked");
  }

  /// What is left of the run, and what has become of the target.
  std::string told_by_git() {
    return sh(
        "echo tree: $(git rev-parse 'main^{tree}'); git log --first-parent --format=%B main; cat README lib/*\n"
        "git for-each-ref --format='%(refname)'; git worktree list --porcelain | grep -v ^HEAD\n"
        "git worktree prune -n -v; ls -A .baton/worktrees\n"
        "find .git -name '*.lock' -o -name 'baton-index*'\n"
        "git fsck --strict --no-dangling --no-progress");
  }

  /// Whom a kill is meant for.
  enum class Prey { itself, its_git, everything };
  static const char* shown(Prey prey) {
    return prey == Prey::itself ? "itself" : prey == Prey::its_git ? "its git" : "everything";
  }

  void sweep(const std::string& verb, const std::string& state, std::uint64_t instants) {
    const auto began = steady_clock::now();
    const Outcome calm = place.baton({verb, "last"});
    const auto takes = std::chrono::duration_cast<microseconds>(steady_clock::now() - began);
    ASSERT_EQ(calm.code, 0) << calm;
    EXPECT_EQ(users_own(), users_own_);
    const std::string expected = told_by_git();
    EXPECT_EQ(sh("ls -A .baton/worktrees"), ".making") << "a lock, and no tree";
    std::mt19937_64 chance{number_from("BATON_KILL_SEED", 1)};
    std::uint64_t kills = 0;
    for (std::uint64_t n = 0; n < instants && !HasFailure(); ++n) {
      put_back();
      // Spread evenly over the whole of it, each time a little different.
      const auto part = takes.count() / static_cast<std::int64_t>(instants);
      const microseconds instant{part * static_cast<std::int64_t>(n) +
                                 std::uniform_int_distribution<std::int64_t>{0, part}(chance)};
      const Prey prey = std::array{Prey::everything, Prey::itself, Prey::everything, Prey::its_git}.at(n % 4);
      SCOPED_TRACE(fmt::format("{} killed ({}) after {} us of {}", verb, shown(prey), instant.count(), takes.count()));
      Process killed = place.start({verb, "last"});
      if (outlasts(killed, instant)) {
        const auto all = prey == Prey::everything ? place.living()
                         : prey == Prey::its_git  ? place.living("git")
                                                  : std::vector<pid_t>{killed.pid()};
        for (const pid_t pid : all) ::kill(pid, SIGKILL);
        ++kills;
      }
      const Outcome ended = killed.wait();
      if (prey == Prey::its_git) {
        EXPECT_EQ(ended.code, 0) << "it does again what git did not: " << ended;
      }
      again(verb);
      EXPECT_EQ(place.run_state(), state);
      EXPECT_EQ(users_own(), users_own_);
      EXPECT_EQ(told_by_git(), expected);
      EXPECT_EQ(place.baton({verb, "last"}).code, 0) << "it may be said twice";
    }
    std::cout << kills << " kills of " << verb << ", which takes " << takes.count() / 1000 << " ms\n";
  }

  /// Whatever a git of ours left, locks included, is put right without anybody's help.
  void again(const std::string& verb) {
    const Outcome done = place.baton({verb, "last"});
    EXPECT_EQ(done.code, 0) << done;
  }

  std::string id_;
  std::string users_own_;
};

TEST_F(LandingKilled, AcceptLandsOnceHoweverOftenItIsKilled) {
  sweep("accept", "accepted", number_from("BATON_LANDING_KILLS", 30));
}

/// As if an `accept` had been killed between the landing and the record of it.
TEST_F(LandingKilled, WhatHasLandedIsNotRejectedAnyMoreButRecorded) {
  ASSERT_EQ(place.baton({"accept", "last"}).code, 0);
  const std::string landed = git("rev-parse main");
  const std::string expected = told_by_git();
  sh("cp -a .git/objects ../objects");
  put_back();
  sh("cp -a ../objects/. .git/objects");
  git("merge -q --ff-only " + landed + " && git update-ref refs/baton/landed/" + id_ + " " + landed +
      " && git update-ref refs/baton/accepted/" + id_ + " baton/" + id_);
  ASSERT_EQ(place.run_state(), "reviewing");
  const Outcome rejected = place.baton({"reject", "last"});
  EXPECT_EQ(rejected.code, 2) << rejected;
  EXPECT_TRUE(says_error(rejected, "landed-already")) << rejected;
  EXPECT_EQ(place.run_state(), "accepted");
  EXPECT_EQ(users_own(), users_own_);
  EXPECT_EQ(told_by_git(), expected);
}

TEST_F(LandingKilled, RejectLeavesNothingHoweverOftenItIsKilled) {
  sweep("reject", "rejected", number_from("BATON_LANDING_KILLS", 30) / 2);
}

}  // namespace
}  // namespace baton::test
