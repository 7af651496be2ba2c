// States in which others would lose something. Each ends in a clear fault with nothing changed, or lands with all kept.
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

/// Landing ends in this fault, and everything is as it was.
Fault refuses(const LandWorld& world, const LandOrder& order, const std::string& code) {
  const Picture before = world.picture();
  const auto landed = land(order);
  EXPECT_EQ(world.picture(), before);
  if (landed) {
    ADD_FAILURE() << "landed";
    return {};
  }
  EXPECT_EQ(landed.error().code, code) << landed.error().message;
  EXPECT_FALSE(landed.error().help.empty());
  if (order.root == world.repo() && code != "accept-index-locked") {
    EXPECT_EQ(world.litter(), std::vector<std::string>{});
  }
  return landed.error();
}
Fault refuses(const LandWorld& world, const std::string& code) { return refuses(world, world.order(), code); }

/// It lands, the user's view of the checkout is the same as before.
Landed lands(const LandWorld& world, const LandOrder& order) {
  const std::string before = world.picture().status;
  const auto landed = land(order);
  if (!landed) {
    ADD_FAILURE() << landed.error().code << ": " << landed.error().message;
    return {};
  }
  EXPECT_TRUE(landed->moved);
  EXPECT_EQ(world.picture().status, before);
  EXPECT_EQ(world.litter(), std::vector<std::string>{});
  return *landed;
}
Landed lands(const LandWorld& world) { return lands(world, world.order()); }

TEST(LandHostile, AConflictNamesTheFilesAndBothWaysOut) {
  for (const Strategy strategy : {Strategy::merge, Strategy::squash, Strategy::rebase}) {
    LandWorld world;
    world.run_commits("echo mine > a && echo mine > 'b c'");
    world.user_commits("echo yours > a && echo yours > 'b c'");
    const Fault fault = refuses(world, world.order(strategy), "accept-conflict");
    EXPECT_NE(fault.message.find("a, b c"), std::string::npos) << fault.message;
    EXPECT_NE(fault.help.find("git merge main"), std::string::npos) << fault.help;
    EXPECT_NE(fault.help.find("baton reject r1"), std::string::npos) << fault.help;
    // The way out that it names is one.
    world.in_run("git merge main || true\necho both > a && echo both > 'b c' && git add -A && git commit -qm settled");
    lands(world, world.order(strategy));
    EXPECT_EQ(bytes_of(world.file("a")), "both\n");
  }
}

TEST(LandHostile, AFileThatBothChangedStopsIt) {
  for (const char* change :
       {"echo mine >> a", "echo mine >> a && git add a", "rm a", "git rm -q a", "git rm -q --cached a", "chmod +x a",
        "ln -sf b a", "rm a && mkdir a && echo in > a/in", "echo mine >> a && git add a && git show HEAD:a > a"}) {
    LandWorld world;
    world.run_commits("echo change >> a");
    world.sh(change);
    const Fault fault = refuses(world, "accept-would-overwrite");
    EXPECT_NE(fault.message.find(": a"), std::string::npos) << change << ": " << fault.message;
  }
}

TEST(LandHostile, UntrackedAndIgnoredFilesInTheWayStopIt) {
  for (const char* lying :
       {"echo mine > new.txt", "echo mine > new.ign", "mkdir new.txt && echo mine > new.txt/in", "echo mine > folder",
        "ln -s b folder", "mkdir new.ign && echo mine > new.ign/in.ign", "mkdir folder && ln -s nowhere folder/in",
        "echo mine > new.txt && git add -N new.txt", "echo mine > new.txt && git add new.txt && rm new.txt",
        "mkdir new.txt && echo mine > new.txt/in && git add new.txt && rm -r new.txt",
        "echo mine > folder && git add folder && rm folder"}) {
    LandWorld world;
    world.run_commits(
        "echo n > new.txt && echo n > new.ign && git add -f new.ign && mkdir folder && echo n > folder/in");
    world.sh(lying);
    SCOPED_TRACE(lying);
    refuses(world, "accept-would-overwrite");
  }
}

TEST(LandHostile, AFolderWithLyingFilesIsNotReplacedByAFile) {
  LandWorld world;
  world.run_commits("git rm -q -r dir && echo file > dir");
  world.sh("echo lying > dir/lying.ign");
  const Fault fault = refuses(world, "accept-would-overwrite");
  EXPECT_NE(fault.message.find("dir/lying.ign"), std::string::npos) << fault.message;
  world.sh("rm dir/lying.ign");
  lands(world);
  EXPECT_EQ(bytes_of(world.file("dir")), "file\n");
}

TEST(LandHostile, AFileBecomesAFolder) {
  LandWorld world;
  world.run_commits("git rm -q a && mkdir a && echo in > a/in");
  lands(world);
  EXPECT_EQ(bytes_of(world.file("a/in")), "in\n");
}

TEST(LandHostile, AFolderThatBecomesEmptyButForTheUsersFilesStays) {
  LandWorld world;
  world.run_commits("git rm -q -r dir");
  world.sh("echo lying > dir/lying");
  lands(world);
  EXPECT_EQ(bytes_of(world.file("dir/lying")), "lying\n");
  EXPECT_FALSE(fs::exists(world.file("dir/x")));
}

TEST(LandHostile, TheTargetIsMissing) {
  LandWorld world;
  world.run_commits("echo change >> a");
  LandOrder order = world.order();
  order.target = "develop";
  const Fault fault = refuses(world, order, "accept-target-missing");
  EXPECT_NE(fault.message.find("develop"), std::string::npos);
}

TEST(LandHostile, ATargetWithoutACommitIsMissing) {
  LandWorld world;
  world.run_commits("echo change >> a");
  world.sh("git checkout -q --orphan unborn");
  LandOrder order = world.order();
  order.target = "unborn";
  refuses(world, order, "accept-target-missing");
}

TEST(LandHostile, TheBranchIsGone) {
  LandWorld world;
  world.run_commits("echo change >> a");
  world.sh("git worktree remove --force .baton/worktrees/r1 && git branch -q -D baton/r1");
  const Fault fault = refuses(world, "accept-branch-missing");
  EXPECT_NE(fault.help.find("baton reject r1"), std::string::npos);
}

TEST(LandHostile, TheRunsTreeWasDeletedByHand) {
  LandWorld world;
  world.run_commits("echo change >> a");
  fs::remove_all(world.run_tree());
  lands(world);
  EXPECT_EQ(bytes_of(world.file("a")), "a\nchange\n");
}

TEST(LandHostile, TheUsersMergeIsUnderWay) {
  LandWorld world;
  world.run_commits("echo change >> a");
  world.sh(
      "git checkout -q -b other && echo other > b && git commit -qam other && git checkout -q main && echo mine > b && "
      "git commit -qam mine\ngit merge other || true");
  refuses(world, "accept-checkout-busy");
  world.sh("echo both > b && git add b");  // nothing is unmerged any more, but the merge is not over
  refuses(world, "accept-checkout-busy");
}

TEST(LandHostile, TheUsersCherryPickOrRevertIsUnderWay) {
  for (const char* work : {"git cherry-pick other || true", "git revert HEAD~1 || true"}) {
    LandWorld world;
    world.run_commits("echo change >> a");
    world.sh(
        "git checkout -q -b other && echo other > b && git commit -qam other && git checkout -q main && echo mine > b "
        "&& "
        "git commit -qam mine && echo again > b && git commit -qam again");
    world.sh(work);
    refuses(world, "accept-checkout-busy");
  }
}

TEST(LandHostile, TheUsersRebaseOfTheTargetIsUnderWay) {
  LandWorld world;
  world.run_commits("echo change >> a");
  world.sh(
      "git checkout -q -b other && echo other > b && git commit -qam other && git checkout -q main && echo mine > b && "
      "git commit -qam mine\ngit rebase -q other || true");
  const Fault fault = refuses(world, "accept-checkout-busy");
  EXPECT_NE(fault.message.find("rebase"), std::string::npos);
  // That of another branch is nobody's business.
  world.sh("git rebase --abort && git checkout -q other && git rebase main || true");
  ASSERT_TRUE(land(world.order()));
}

TEST(LandHostile, TheUsersBisectOfTheTargetIsUnderWay) {
  LandWorld world;
  world.run_commits("echo change >> a");
  world.sh("for n in 1 2 3 4; do echo $n > b && git commit -qam $n; done\ngit bisect start main main~4");
  refuses(world, "accept-checkout-busy");
}

TEST(LandHostile, UnmergedPathsWithoutAMerge) {
  LandWorld world;
  world.run_commits("echo change >> a");
  world.sh("echo stashed > b && git stash -q && echo other > b && git commit -qam other\ngit stash pop || true");
  refuses(world, "accept-checkout-busy");
}

TEST(LandHostile, AHeldIndexLockIsLeftAlone) {
  LandWorld world;
  world.run_commits("echo change >> a");
  write_bytes(world.file(".git/index.lock"), "held");
  refuses(world, "accept-index-locked");
  EXPECT_EQ(bytes_of(world.file(".git/index.lock")), "held");
  fs::remove(world.file(".git/index.lock"));
  lands(world);
}

TEST(LandHostile, AnIndexLockThatComesAfterTheLookTakesItBack) {
  LandWorld world;
  world.run_commits("echo change >> a");
  LandOrder order = world.order();
  order.at = [&](LandPhase phase) {
    if (phase == LandPhase::moved) write_bytes(world.file(".git/index.lock"), "held");
  };
  refuses(world, order, "accept-index-locked");
  fs::remove(world.file(".git/index.lock"));
  EXPECT_EQ(world.litter(), std::vector<std::string>{});
  lands(world);
}

TEST(LandHostile, AnEditAfterTheLookIsKeptAndTakesItBack) {
  for (const char* edit :
       {"echo late >> a", "echo late > new.txt", "echo late > new.ign", "rm -r dir && echo late > dir"}) {
    LandWorld world;
    world.run_commits(
        "echo change >> a && echo n > new.txt && echo n > new.ign && git add -f new.ign && echo n > dir/n");
    const std::string old = world.sh("git rev-parse main");
    LandOrder order = world.order();
    order.at = [&](LandPhase phase) {
      if (phase == LandPhase::moved) world.sh(edit);
    };
    SCOPED_TRACE(edit);
    const auto landed = land(order);
    ASSERT_FALSE(landed);
    EXPECT_EQ(landed.error().code, "accept-would-overwrite") << landed.error().message;
    EXPECT_EQ(world.sh("git rev-parse main"), old);
    EXPECT_EQ(world.sh("git for-each-ref refs/baton"), "");
    EXPECT_EQ(world.litter(), std::vector<std::string>{});
    // As if only the edit had been made.
    const Picture after = world.picture();
    world.sh("rm -rf dir && git reset -q --hard && rm -f new.txt new.ign");
    world.sh(edit);
    EXPECT_EQ(world.picture().files, after.files);
    EXPECT_EQ(world.picture().status, after.status);
  }
}

TEST(LandHostile, AnEditInOneTreeTakesTheOthersBackToo) {
  LandWorld world;
  world.run_commits("echo change >> a && git rm -q gone.txt && echo n > new.txt && mkdir e.d && echo n > e.d/n");
  const std::string second = world.elsewhere("second");
  world.sh("git worktree add -q -f '" + second + "' main && echo mine >> b");
  LandOrder order = world.order();
  int followed = 0;
  order.at = [&](LandPhase phase) {
    if (phase == LandPhase::followed && followed++ == 0) {
      const bool first_is_main = bytes_of(world.file("a")) != "a\n";
      LandWorld::sh_in(first_is_main ? second : world.repo(), "echo late >> a");
    }
  };
  const auto landed = land(order);
  ASSERT_FALSE(landed);
  EXPECT_EQ(landed.error().code, "accept-would-overwrite");
  EXPECT_EQ(world.sh("git rev-parse main"), world.base() + "\n");
  EXPECT_EQ(world.sh("git status --porcelain"), " M b\n");
  EXPECT_EQ(LandWorld::sh_in(second, "git status --porcelain"), " M a\n");
  EXPECT_EQ(bytes_of(second + "/a"), "a\nlate\n");
  EXPECT_EQ(bytes_of(world.file("a")), "a\n");
  EXPECT_EQ(bytes_of(world.file("gone.txt")), "gone.txt\n");
  EXPECT_FALSE(fs::exists(world.file("e.d")));
}

TEST(LandHostile, ATargetThatMovesUnderOurHandsIsMergedAnew) {
  LandWorld world;
  world.run_commits("echo change >> a");
  LandOrder order = world.order();
  int times = 0;
  order.at = [&](LandPhase phase) {
    if (phase == LandPhase::recorded && times++ == 0) world.user_commits("echo meanwhile >> b");
  };
  const auto landed = land(order);
  ASSERT_TRUE(landed) << landed.error().message;
  EXPECT_EQ(times, 2);
  EXPECT_EQ(world.at("main", "b"), "b\nmeanwhile\n");
  EXPECT_EQ(world.at("main", "a"), "a\nchange\n");
  EXPECT_EQ(world.sh("git status --porcelain"), "");
}

TEST(LandHostile, ATargetThatNeverStandsStillIsGivenUp) {
  LandWorld world;
  world.run_commits("echo change >> a");
  LandOrder order = world.order();
  int times = 0;
  order.at = [&](LandPhase phase) {
    if (phase == LandPhase::recorded) world.user_commits("echo " + std::to_string(++times) + " >> b");
  };
  const auto landed = land(order);
  ASSERT_FALSE(landed);
  EXPECT_EQ(landed.error().code, "accept-target-moved");
  EXPECT_EQ(times, 3);
  EXPECT_EQ(world.sh("git log -1 --format=%s main"), "by the user\n");
  EXPECT_EQ(world.sh("git status --porcelain"), "");
  EXPECT_EQ(world.litter(), std::vector<std::string>{});
}

TEST(LandHostile, SomebodyWhoSwitchesAwayInBetweenIsNotFollowed) {
  LandWorld world;
  world.run_commits("echo change >> a");
  world.sh("git branch other");
  LandOrder order = world.order();
  order.at = [&](LandPhase phase) {
    if (phase == LandPhase::recorded) world.sh("git checkout -q other");
  };
  ASSERT_TRUE(land(order));
  EXPECT_EQ(world.sh("git status --porcelain --branch"), "## other\n");
  EXPECT_EQ(bytes_of(world.file("a")), "a\n");
}

TEST(LandHostile, FilesThatGitWasToldNotToLookAtAreLookedAt) {
  for (const char* bit : {"--assume-unchanged", "--skip-worktree"}) {
    for (const char* edit : {"echo hidden >> a", "rm a"}) {
      LandWorld world;
      world.run_commits("echo change >> a");
      world.sh(std::string{"git update-index "} + bit + " a && " + edit);
      SCOPED_TRACE(std::string{bit} + " " + edit);
      const Fault fault = refuses(world, "accept-would-overwrite");
      EXPECT_NE(fault.message.find(": a"), std::string::npos) << fault.message;
    }
  }
}

TEST(LandHostile, TheSameBitsOnOtherFilesStay) {
  LandWorld world;
  world.run_commits("echo change >> a");
  world.sh(
      "git update-index --assume-unchanged b && echo hidden >> b\n"
      "git update-index --skip-worktree c && echo hidden >> c");
  lands(world);
  EXPECT_EQ(world.sh("git ls-files -v b c"), "h b\nS c\n");
  EXPECT_EQ(bytes_of(world.file("b")), "b\nhidden\n");
  EXPECT_EQ(bytes_of(world.file("c")), "c\nhidden\n");
}

TEST(LandHostile, ASparseCheckoutStaysSparse) {
  LandWorld world;
  world.run_commits("echo change >> a && echo change >> dir/x && mkdir out && echo n > out/n");
  world.move_target();
  world.sh("mkdir in && echo i > in/i && git add -A && git commit -qm in && git sparse-checkout set in");
  lands(world);
  EXPECT_EQ(bytes_of(world.file("a")), "a\nchange\n");
  EXPECT_FALSE(fs::exists(world.file("dir")));
  EXPECT_FALSE(fs::exists(world.file("out")));
  EXPECT_EQ(world.at("main", "out/n"), "n\n");
  EXPECT_EQ(world.sh("git status --porcelain"), "");
}

/// A repository to be a submodule, with two commits.
std::string make_library(const LandWorld& world) {
  const std::string path = world.elsewhere("library");
  fs::create_directories(path);
  LandWorld::sh_in(path, "git init -q -b main && echo 1 > f && git add f && git commit -qm 1");
  return path;
}

TEST(LandHostile, AMovedSubmoduleIsMovedInTheIndexAndItsFilesStay) {
  LandWorld world;
  const std::string library = make_library(world);
  world.user_commits("git submodule --quiet add '" + library + "' lib");
  world.in_run("git reset -q --hard main");
  LandWorld::sh_in(library, "echo 2 > f && git commit -qam 2");
  world.in_run(
      "git submodule --quiet update --init && git -C lib pull -q origin main && git add lib && git commit -qm moved");
  world.sh("echo mine >> lib/f && echo mine > lib/lying");
  const auto landed = land(world.order());
  ASSERT_TRUE(landed) << landed.error().message;
  ASSERT_EQ(landed->notes.size(), 1U);
  EXPECT_NE(landed->notes[0].find("lib"), std::string::npos);
  EXPECT_EQ(bytes_of(world.file("lib/f")), "1\nmine\n");
  EXPECT_EQ(bytes_of(world.file("lib/lying")), "mine\n");
  EXPECT_EQ(world.sh("git diff --cached --stat"), "");
}

TEST(LandHostile, ASubmoduleThatTheUserMovedTooStopsIt) {
  LandWorld world;
  const std::string library = make_library(world);
  world.user_commits("git submodule --quiet add '" + library + "' lib");
  world.in_run("git reset -q --hard main");
  LandWorld::sh_in(library, "echo 2 > f && git commit -qam 2");
  world.in_run(
      "git submodule --quiet update --init && git -C lib pull -q origin main && git add lib && git commit -qm moved");
  world.sh("git -C lib commit -q --allow-empty -m mine");
  refuses(world, "accept-would-overwrite");
}

TEST(LandHostile, ASubmoduleThatIsNoneAnyMoreKeepsItsFiles) {
  LandWorld world;
  const std::string library = make_library(world);
  world.user_commits("git submodule --quiet add '" + library + "' lib");
  world.in_run("git reset -q --hard main");
  // A file in its place would have git clear the folder.
  world.in_run("git rm -q lib && echo file > lib && git add lib && git commit -qm replaced");
  world.sh("echo mine > lib/lying");
  refuses(world, "accept-would-overwrite");
  world.in_run("git rm -q lib && mkdir lib && echo own > lib/own && git add lib && git commit -qm absorbed");
  refuses(world, "accept-would-overwrite");
  world.in_run("git rm -q -r lib && git commit -qm removed");
  const auto landed = land(world.order());
  ASSERT_TRUE(landed) << landed.error().message;
  EXPECT_EQ(bytes_of(world.file("lib/lying")), "mine\n");
  EXPECT_EQ(bytes_of(world.file("lib/f")), "1\n");
}

TEST(LandHostile, NamesThatDifferOnlyInCase) {
  LandWorld world;
  world.run_commits("git mv a A && echo change >> A");
  world.sh("echo mine >> b");
  lands(world);
  EXPECT_EQ(bytes_of(world.file("A")), "a\nchange\n");
  EXPECT_FALSE(fs::exists(world.file("a")));
}

TEST(LandHostile, LineEndingsAsTheAttributesSay) {
  LandWorld world;
  world.user_commits("printf '*.crlf text eol=crlf\\n' > .gitattributes && printf 'one\\r\\n' > x.crlf");
  world.in_run("git reset -q --hard main");
  world.run_commits("printf 'one\\r\\ntwo\\r\\n' > x.crlf && printf 'new\\r\\n' > y.crlf");
  world.sh("touch -d '2001-01-01' x.crlf");  // only touched, not changed
  lands(world);
  EXPECT_EQ(bytes_of(world.file("x.crlf")), "one\r\ntwo\r\n");
  EXPECT_EQ(bytes_of(world.file("y.crlf")), "new\r\n");
}

TEST(LandHostile, NamesThatAreHardToQuote) {
  LandWorld world;
  world.run_commits(
      "printf n > \"$(printf 'odd \\\\ \"n\\tx\\303\\244 * [x]')\" && printf n > ' -lead' && printf n > ':(top)x'");
  world.sh("printf mine > \"$(printf 'mine \\\\ \"n\\tx\\303\\244')\"");
  lands(world);
  EXPECT_EQ(bytes_of(world.file("odd \\ \"n\tx\xC3\xA4 * [x]")), "n");
  EXPECT_EQ(bytes_of(world.file(" -lead")), "n");
  EXPECT_EQ(bytes_of(world.file(":(top)x")), "n");
}

TEST(LandHostile, HooksThatFailAreNotRun) {
  LandWorld world;
  world.run_commits("echo change >> a");
  world.move_target();
  world.sh(
      "for h in pre-commit commit-msg prepare-commit-msg pre-merge-commit post-merge post-checkout pre-rebase "
      "reference-transaction post-index-change; do printf '#!/bin/sh\\necho ran >> \"$PWD/hook-ran\"\\nexit 1\\n' > "
      ".git/hooks/$h; chmod +x .git/hooks/$h; done");
  lands(world, world.order(Strategy::rebase));
  EXPECT_FALSE(fs::exists(world.file("hook-ran")));
}

TEST(LandHostile, WhereGitKnowsNoNameBatonSigns) {
  for (const Strategy strategy : {Strategy::merge, Strategy::squash, Strategy::rebase}) {
    LandWorld world;
    world.run_commits("echo change >> a");
    world.move_target();
    write_bytes(world.elsewhere("gitconfig"), "[user]\n useConfigOnly = true\n");
    lands(world, world.order(strategy));
    EXPECT_EQ(world.sh("git log -1 --format='%cn <%ce>' main"), "Baton <baton@localhost>\n");
  }
}

TEST(LandHostile, ALockedTreeOfTheTargetFollows) {
  LandWorld world;
  world.run_commits("echo change >> a");
  const std::string second = world.elsewhere("second");
  world.sh("git checkout -q --detach && git worktree add -q '" + second + "' main && git worktree lock '" + second +
           "'");
  lands(world);
  EXPECT_EQ(bytes_of(second + "/a"), "a\nchange\n");
  EXPECT_EQ(LandWorld::sh_in(second, "git status --porcelain"), "");
}

TEST(LandHostile, ALockedTreeOfTheTargetThatIsAwayStopsIt) {
  LandWorld world;
  world.run_commits("echo change >> a");
  const std::string second = world.elsewhere("second");
  world.sh("git checkout -q --detach && git worktree add -q '" + second + "' main && git worktree lock '" + second +
           "'");
  fs::rename(second, second + ".away");
  refuses(world, "accept-checkout-busy");
}

TEST(LandHostile, ATreeOfTheTargetThatWasDeletedIsPassedOver) {
  LandWorld world;
  world.run_commits("echo change >> a");
  const std::string second = world.elsewhere("second");
  world.sh("git checkout -q --detach && git worktree add -q '" + second + "' main");
  fs::remove_all(second);
  EXPECT_EQ(lands(world).notes.size(), 1U);
  EXPECT_EQ(world.at("main", "a"), "a\nchange\n");
}

TEST(LandHostile, ABareRepositoryWithTreesBesideIt) {
  LandWorld world;
  world.run_commits("echo change >> a");
  world.move_target();
  const std::string bare = world.elsewhere("bare.git");
  const std::string tree = world.elsewhere("tree");
  world.sh("git clone -q --bare . '" + bare + "'");
  LandWorld::sh_in(bare, "git worktree add -q '" + tree + "' main");
  LandWorld::sh_in(tree, "echo mine >> b");
  for (const std::string& root : {bare, tree}) {
    LandOrder order = world.order();
    order.root = root;
    order.trees = world.elsewhere("trees");
    const auto landed = land(order);
    ASSERT_TRUE(landed) << landed.error().message;
    EXPECT_EQ(landed->moved, root == bare);
    EXPECT_EQ(LandWorld::sh_in(tree, "git status --porcelain"), " M b\n");
    EXPECT_EQ(bytes_of(tree + "/a"), "a\nchange\n");
  }
}

TEST(LandHostile, ARepositoryThatLiesApartFromItsFiles) {
  LandWorld world;
  world.run_commits("echo change >> a");
  const std::string tree = world.elsewhere("tree");
  world.sh("git clone -q --separate-git-dir '" + world.elsewhere("apart.git") + "' . '" + tree + "'");
  LandWorld::sh_in(tree, "git branch -q baton/r1 origin/baton/r1 && echo mine >> b");
  LandOrder order = world.order();
  order.root = tree;
  order.trees = world.elsewhere("trees");
  ASSERT_TRUE(land(order));
  EXPECT_EQ(LandWorld::sh_in(tree, "git status --porcelain"), " M b\n");
  EXPECT_EQ(bytes_of(tree + "/a"), "a\nchange\n");
}

TEST(LandHostile, AProjectThatIsItselfASubmodule) {
  LandWorld world;
  const std::string outer = world.elsewhere("outer");
  world.run_commits("echo change >> a");
  fs::create_directories(outer);
  LandWorld::sh_in(outer,
                   "git init -q && git submodule --quiet add '" + world.repo() + "' inner && git commit -qm inner");
  LandWorld::sh_in(outer + "/inner", "git branch -q baton/r1 origin/baton/r1 && echo mine >> b");
  LandOrder order = world.order();
  order.root = outer + "/inner";
  order.trees = world.elsewhere("trees");
  ASSERT_TRUE(land(order));
  EXPECT_EQ(LandWorld::sh_in(outer + "/inner", "git status --porcelain"), " M b\n");
  EXPECT_EQ(bytes_of(outer + "/inner/a"), "a\nchange\n");
}

TEST(LandHostile, AFilterThatFailsHalfwayIsUndone) {
  LandWorld world;
  world.user_commits("printf '*.filtered filter=f\\n' > .gitattributes");
  world.in_run("git reset -q --hard main");
  world.run_commits(
      "echo change >> a && echo n > b.filtered && git rm -q gone.txt && git rm -q -r dir && echo f > dir && echo "
      "change >> tool.sh");
  world.sh("git config filter.f.smudge false && git config filter.f.required true && echo mine >> c");
  const Fault fault = [&] {
    const Picture before = world.picture();
    const auto landed = land(world.order());
    EXPECT_EQ(world.picture(), before);
    return landed ? Fault{} : landed.error();
  }();
  EXPECT_EQ(fault.code, "git-failed") << fault.message;
  world.sh("git config --unset filter.f.smudge && git config --unset filter.f.required");
  lands(world);
}

TEST(LandHostile, OutsideOfGitItSaysSo) {
  LandWorld world;
  const std::string folder = world.elsewhere("plain");
  fs::create_directories(folder);
  LandOrder order = world.order();
  order.root = folder;
  const auto landed = land(order);
  ASSERT_FALSE(landed);
  EXPECT_EQ(landed.error().code, "git-failed");
}

TEST(LandHostile, AnEnvironmentThatNamesAnotherRepositoryDoesNotCount) {
  LandWorld world;
  world.run_commits("echo change >> a");
  ::setenv("GIT_DIR", "/nowhere", 1);
  ::setenv("GIT_INDEX_FILE", "/nowhere/index", 1);
  const auto landed = land(world.order());
  ::unsetenv("GIT_DIR");
  ::unsetenv("GIT_INDEX_FILE");
  ASSERT_TRUE(landed) << landed.error().message;
  EXPECT_EQ(world.sh("git status --porcelain"), "");
}

}  // namespace
}  // namespace baton::git
