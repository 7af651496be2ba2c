// Chains in repositories that are not as tidy as one would wish: what the user has lying there stays, and whatever
// state git is in, a run and its `accept` end well or say what is wrong and how to mend it.
#include <unistd.h>

#include <fmt/core.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <tuple>

#include "support/chain_place.h"

namespace baton::test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

/// A project with all the kinds of things that a user has lying about.
class ChainInUse : public WithChain {
 protected:
  using WithChain::WithChain;

  Outcome accept(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"accept", "last"});
    return place.baton(std::move(more));
  }
  std::string run_id() { return text_at(place.show(), "run"); }
  std::string tree() { return text_at(place.show(), "worktree"); }

  /// Refused before anything was changed: exit 2, a code, and what to do.
  static void expect_refused(const Outcome& outcome, const std::string& code) {
    EXPECT_EQ(outcome.code, 2) << outcome;
    EXPECT_TRUE(says_error(outcome, code)) << outcome;
    EXPECT_TRUE(has(outcome.err, "\n  help: ")) << outcome;
  }

  /// Modified, staged, both, untracked and ignored files, one taken away, and two entries on the stash.
  void lie_about() {
    place.write(".gitignore", "ignored\n");
    for (const char* name : {"modified", "staged", "both", "gone", "old"}) place.write(name, "as committed\n");
    git("add -A && git commit -q -m more");
    for (const char* text : {"one", "two"}) sh(fmt::format("echo {} > notes && git stash -q", text));
    place.write("modified", "changed\n");
    place.write("staged", "changed\n");
    place.write("new and staged", "new\n");
    place.write("both", "staged\n");
    git("add staged both 'new and staged'");
    place.write("both", "changed since\n");
    sh("rm gone");
    place.write("untracked file", "mine\n");
    place.write("ignored", "mine too\n");
  }
  /// All that is the user's own, byte for byte.
  std::string belongings() {
    return sh(
        "git status --porcelain=v1 && git diff && git diff --cached && git stash list --format=%H && "
        "git stash show -p 'stash@{0}' && git stash show -p 'stash@{1}' && "
        "sha256sum modified staged both notes 'new and staged' 'untracked file' ignored");
  }
  /// The chain's `build` changes a file, makes one and takes one away.
  void changes_files() {
    claude.does("build", "echo theirs > README; echo made > login.html; rm -f old; says 'Built.'");
  }
  /// All that is the user's in a plain project.
  std::string plain() { return sh("git status --porcelain=v1 && git stash list && cat README notes"); }
};

// What `accept` leaves alone ----------------------------------------------------------------------------------------

using BranchAndWay = std::tuple<const char*, const char*>;
class ChainAccept : public ChainInUse, public ::testing::WithParamInterface<BranchAndWay> {
 protected:
  ChainAccept() : ChainInUse(std::get<0>(GetParam())) {}
};

TEST_P(ChainAccept, LandsWhileModifiedStagedAndUntrackedFilesAndTheStashStayByteForByte) {
  const auto& [branch, way] = GetParam();
  lie_about();
  changes_files();
  const std::string before = belongings();
  const Outcome ran = run("plan-build", {"--set", fmt::format("git.merge={}", way)});
  ASSERT_EQ(ran.code, 3) << ran;
  EXPECT_EQ(belongings(), before) << "a run touches nothing of the user's";
  const Outcome accepted = accept();
  ASSERT_EQ(accepted.code, 0) << accepted;
  EXPECT_EQ(belongings(), before) << "`git status` shows only what is the user's";
  EXPECT_EQ(git("symbolic-ref --short HEAD"), branch);
  EXPECT_EQ(place.read("README"), "theirs\n");
  EXPECT_EQ(place.read("login.html"), "made\n");
  EXPECT_FALSE(place.exists("old"));
  EXPECT_EQ(git("show HEAD:README && git show HEAD:login.html"), "theirs\nmade");
  const std::string parents = git("log -1 --format=%p");
  EXPECT_EQ(parents.find(' ') != std::string::npos, std::string{way} == "merge") << parents;
  EXPECT_EQ(git("branch --list 'baton/*'"), "");
  EXPECT_EQ(git("worktree list --porcelain | grep -c ^worktree"), "1");
}

INSTANTIATE_TEST_SUITE_P(On, ChainAccept,
                         ::testing::Combine(::testing::Values("main", "master", "trunk"),
                                            ::testing::Values("merge", "squash", "rebase")),
                         [](const auto& given) {
                           return fmt::format("{}_{}", std::get<0>(given.param), std::get<1>(given.param));
                         });

TEST_F(ChainInUse, RejectTouchesNothingOfTheUsersAndLosesNoCommit) {
  lie_about();
  changes_files();
  const std::string before = belongings();
  ASSERT_EQ(run("plan-build").code, 3);
  const std::string id = run_id();
  ASSERT_EQ(place.baton({"reject", "last"}).code, 0);
  EXPECT_EQ(belongings(), before);
  EXPECT_EQ(git("show refs/baton/rejected/" + id + ":login.html"), "made");
}

TEST_F(ChainInUse, AnAutomaticAcceptThatWouldOverwriteLeavesTheRunToAPerson) {
  writes("build", "login.html");
  place.write("login.html", "mine\n");
  const Outcome ran = run("plan-build", {"--set", "review.auto_accept=true"});
  EXPECT_EQ(ran.code, 3) << ran;
  EXPECT_TRUE(says_error(ran, "accept-would-overwrite")) << ran;
  EXPECT_EQ(place.read("login.html"), "mine\n");
  EXPECT_EQ(place.run_state(), "reviewing");
}

// Hostile states ----------------------------------------------------------------------------------------------------

class HostileGit : public ChainInUse {
 protected:
  HostileGit() { writes("build", "login.html"); }

  void expect_landed(const std::string& branch = "main") {
    EXPECT_EQ(git("show " + branch + ":login.html"), "made");
    EXPECT_EQ(place.run_state(), "accepted");
    EXPECT_EQ(git("for-each-ref --format='%(refname)' 'refs/heads/baton/*'"), "");
  }
  /// Nothing landed, and all that the run made is still on its branch.
  void expect_kept() {
    EXPECT_EQ(git("show baton/" + run_id() + ":login.html"), "made");
    EXPECT_EQ(place.run_state(), "completed");
  }
};

TEST_F(HostileGit, DetachedHead) {
  git("checkout -q --detach");
  const std::string before = git("rev-parse HEAD");
  const Outcome ran = run("build");
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_TRUE(has(ran.err, "work starts from branch 'main'")) << ran;
  ASSERT_EQ(accept().code, 0);
  expect_landed();
  EXPECT_EQ(git("rev-parse HEAD"), before) << "what is checked out is not the branch, so it stays";
  EXPECT_FALSE(place.exists("login.html"));
}

TEST_F(HostileGit, DetachedHeadAndNoBranchAtAll) {
  git("checkout -q --detach && git branch -q -D main");
  ASSERT_EQ(run("build").code, 0);
  const Outcome refused = accept();
  expect_refused(refused, "accept-target-missing");
  EXPECT_TRUE(has(refused.err, "not from a branch")) << refused;
  expect_kept();
  git("branch other");
  const Outcome accepted = accept({"--set", "git.base=other"});
  EXPECT_EQ(accepted.code, 0) << accepted;
  expect_landed("other");
}

TEST_F(HostileGit, AConflictingTarget) {
  writes("build", "README", "theirs");
  ASSERT_EQ(run("build").code, 0);
  place.write("README", "ours\n");
  git("commit -q -a -m ours");
  const std::string before = plain();
  const Outcome refused = accept();
  expect_refused(refused, "accept-conflict");
  EXPECT_TRUE(has(refused.err, "README")) << refused;
  EXPECT_EQ(plain(), before);
  EXPECT_EQ(git("show baton/" + run_id() + ":README"), "theirs");
  sh("cd '" + tree() +
     "' && (git merge -q main || true) && echo both > README && git add README && git commit -q -m both");
  EXPECT_EQ(accept().code, 0);
  EXPECT_EQ(place.read("README"), "both\n");
}

TEST_F(HostileGit, ADirtyIndex) {
  writes("build", "README", "theirs");
  place.write("README", "staged\n");
  git("add README");
  const std::string before = plain();
  ASSERT_EQ(run("build").code, 0);
  const Outcome refused = accept();
  expect_refused(refused, "accept-would-overwrite");
  EXPECT_TRUE(has(refused.err, "README")) << refused;
  EXPECT_EQ(plain(), before);
  EXPECT_EQ(git("show :README"), "staged");
  git("reset -q --hard");
  EXPECT_EQ(accept().code, 0);
  EXPECT_EQ(place.read("README"), "theirs\n");
}

TEST_F(HostileGit, AMissingBase) {
  const Outcome ran = run("build", {"--set", "git.base=nope"});
  expect_refused(ran, "git-base-missing");
  EXPECT_TRUE(has(ran.err, "nope")) << ran;
  EXPECT_TRUE(claude.started().empty());
}

TEST_F(HostileGit, ABaseThatIsNoBranch) {
  git("tag v1");
  const Outcome ran = run("build", {"--set", "git.base=v1"});
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_TRUE(has(ran.err, "no local branch")) << ran;
  expect_refused(accept(), "accept-target-missing");
  expect_kept();
  EXPECT_EQ(accept({"--set", "git.base=main"}).code, 0);
  expect_landed();
}

TEST_F(HostileGit, TheTreeIsDeletedWhileASkillIsAtWork) {
  writes("spec", "specs/login.md");
  claude.does("build.1", "echo lost > login.html; rm -rf \"$PWD\"; says 'Built.'");
  const Outcome ran = run("plan-build");
  EXPECT_EQ(ran.code, 1) << ran;
  EXPECT_TRUE(has(ran.err, "is gone")) << ran;
  EXPECT_TRUE(has(ran.err, "\n  help: ")) << ran;
  EXPECT_EQ(place.run_state(), "failed");
  EXPECT_EQ(git("show baton/" + run_id() + ":specs/login.md"), "made") << "what was committed is there";
  const Outcome resumed = place.baton({"resume", "last"});
  EXPECT_EQ(resumed.code, 3) << resumed;
  EXPECT_THAT(claude.started(), ElementsAre("spec.1", "build.1", "build.2", "review.1"));
  EXPECT_EQ(accept().code, 0);
  expect_landed();
  EXPECT_TRUE(place.exists("specs/login.md"));
}

TEST_F(HostileGit, TheTreeIsDeletedBetweenSkills) {
  writes("spec", "specs/login.md");
  claude.does("build.1", "exit 3");
  ASSERT_EQ(run("plan-build").code, 1);
  fs::remove_all(place.state("worktrees"));
  const Outcome resumed = place.baton({"resume", "last"});
  EXPECT_EQ(resumed.code, 3) << resumed;
  EXPECT_TRUE(has(resumed.err, "made anew")) << resumed;
  EXPECT_EQ(accept().code, 0);
  expect_landed();
  EXPECT_TRUE(place.exists("specs/login.md"));
}

TEST_F(HostileGit, TheTreeIsDeletedBeforeAccept) {
  ASSERT_EQ(run("build").code, 0);
  fs::remove_all(tree());
  const Outcome accepted = accept();
  EXPECT_EQ(accepted.code, 0) << accepted;
  expect_landed();
  EXPECT_EQ(git("worktree list --porcelain | grep -c ^worktree"), "1");
}

TEST_F(HostileGit, TheUsersIndexIsLocked) {
  place.write(".git/index.lock", "");
  const Outcome ran = run("build");
  ASSERT_EQ(ran.code, 0) << ran << "\na run does not touch the user's index";
  expect_refused(accept(), "accept-index-locked");
  expect_kept();
  EXPECT_TRUE(place.exists(".git/index.lock")) << "it may be somebody's";
  fs::remove(place.file(".git/index.lock"));
  EXPECT_EQ(accept().code, 0);
  expect_landed();
}

TEST_F(HostileGit, OurIndexIsLockedByAGitThatIsGone) {
  claude.does("build", "echo made > login.html; : > \"$(git rev-parse --git-dir)/index.lock\"; says 'Built.'");
  const Outcome ran = run("build");
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_TRUE(has(ran.err, "index.lock")) << ran;
  EXPECT_EQ(accept().code, 0);
  expect_landed();
}

TEST_F(HostileGit, NoCommitsYet) {
  sh("rm -rf .git && git init -q -b main");
  const Outcome ran = run("build");
  expect_refused(ran, "git-no-commits");
  EXPECT_TRUE(claude.started().empty());
  EXPECT_EQ(run("build", {"--isolation", "none"}).code, 0) << "as its help says";
  EXPECT_EQ(place.read("login.html"), "made\n");
}

TEST_F(HostileGit, Submodules) {
  sh("git init -q ../lib && cd ../lib && echo lib > part && git add part && git commit -q -m part");
  git("-c protocol.file.allow=always submodule --quiet add ../lib lib && git commit -q -m lib");
  sh("echo changed > lib/part");
  const std::string before = sh("git status --porcelain && git -C lib status --porcelain && cat lib/part");
  claude.does("build", "cat lib/part > seen; echo made > login.html; says 'Built.'");
  const Outcome ran = run("build");
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(accept().code, 0);
  expect_landed();
  EXPECT_EQ(place.read("seen"), "lib\n") << "it is checked out for the agents too";
  EXPECT_EQ(sh("git status --porcelain && git -C lib status --porcelain && cat lib/part"), before);
}

TEST_F(HostileGit, HooksThatFail) {
  for (const char* hook : {"pre-commit", "commit-msg", "prepare-commit-msg", "post-commit", "pre-merge-commit",
                           "post-merge", "post-checkout", "pre-rebase", "reference-transaction"}) {
    const std::string path = place.file(fmt::format(".git/hooks/{}", hook));
    write_text(path, "#!/bin/sh\necho " + std::string{hook} + " >> '" + place.file("../hooked") + "'\nexit 1\n");
    fs::permissions(path, fs::perms::owner_all);
  }
  const Outcome ran = run("build");
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(accept().code, 0);
  expect_landed();
  EXPECT_EQ(place.read("../hooked"), "") << "they are for what the user does";
}

TEST_F(HostileGit, TheRunsBranchIsDeleted) {
  ASSERT_EQ(run("build").code, 0);
  const std::string branch = "baton/" + run_id();
  const std::string commit = git("rev-parse " + branch);
  git("worktree remove --force '" + tree() + "' && git branch -q -D " + branch);
  expect_refused(accept(), "accept-branch-missing");
  EXPECT_EQ(place.run_state(), "completed");
  git("branch " + branch + " " + commit);
  EXPECT_EQ(accept().code, 0) << "as its help says";
  expect_landed();
}

TEST_F(HostileGit, TheProjectIsInASubfolder) {
  place.write("sub/baton.toml", "");
  place.write("sub/own", "first\n");
  git("add -A && git commit -q -m sub");
  claude.does("build", "cat own > seen; echo made > login.html; says 'Built.'");
  place.cwd = place.file("sub");
  const Outcome ran = run("build");
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(accept().code, 0);
  EXPECT_EQ(place.read("sub/login.html"), "made\n");
  EXPECT_EQ(place.read("sub/seen"), "first\n") << "agents start in the project, wherever it lies";
  EXPECT_EQ(git("status --porcelain"), "");
}

TEST_F(HostileGit, ABareRepository) {
  git("clone -q --bare . ../bare.git");
  place.cwd = place.file("../bare.git");
  const Outcome ran = run("build");
  expect_refused(ran, "git-bare");
  EXPECT_TRUE(claude.started().empty());
}

TEST_F(HostileGit, TheTargetIsCheckedOutElsewhere) {
  ASSERT_EQ(run("build").code, 0);
  git("checkout -q -b feature && git worktree add -q ../second main");
  write_text(place.file("../second/untracked"), "mine\n");
  EXPECT_EQ(accept().code, 0);
  expect_landed();
  EXPECT_FALSE(place.exists("login.html")) << "another branch is checked out here";
  EXPECT_EQ(place.read("../second/login.html"), "made\n");
  EXPECT_EQ(git("-C ../second status --porcelain"), "?? untracked");
}

TEST_F(HostileGit, TheRunsBranchIsCheckedOutElsewhere) {
  writes("spec", "specs/login.md");
  claude.does("build.1", "exit 3");
  ASSERT_EQ(run("plan-build").code, 1);
  const std::string branch = "baton/" + run_id();
  sh("git -C '" + tree() + "' checkout -q --detach && git worktree add -q ../second " + branch);
  const Outcome refused = place.baton({"resume", "last"});
  EXPECT_EQ(refused.code, 1) << refused;
  EXPECT_TRUE(says_error(refused, "branch-in-use")) << refused;
  EXPECT_TRUE(has(refused.err, "\n  help: ")) << refused;
  EXPECT_THAT(claude.started(), ElementsAre("spec.1", "build.1")) << "no agent works beside the user";
  git("worktree remove ../second");
  EXPECT_EQ(place.baton({"resume", "last"}).code, 3);
  EXPECT_EQ(accept().code, 0);
  expect_landed();
}

TEST_F(HostileGit, AnUnbornHeadBesideTheDefaultBranch) {
  git("checkout -q --orphan fresh");
  const std::string before = git("status --porcelain");
  const Outcome ran = run("build");
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(accept().code, 0);
  expect_landed();
  EXPECT_EQ(git("status --porcelain"), before);
}

TEST_F(HostileGit, AnUnbornHeadAndNoDefaultBranch) {
  git("branch -m main other && git checkout -q --orphan fresh");
  const Outcome ran = run("build");
  expect_refused(ran, "git-base-missing");
  EXPECT_TRUE(has(ran.err, "other")) << ran;
  EXPECT_EQ(run("build", {"--set", "git.base=other"}).code, 0) << "as its help says";
  EXPECT_EQ(accept().code, 0);
  expect_landed("other");
}

TEST_F(HostileGit, AMergeInProgress) {
  git("checkout -q -b side && echo side > README && git commit -q -a -m side");
  git("checkout -q main && echo main > README && git commit -q -a -m main && ! git merge -q side");
  const std::string before = git("status --porcelain && git rev-parse MERGE_HEAD && cat README");
  const Outcome ran = run("build");
  ASSERT_EQ(ran.code, 0) << ran;
  const Outcome refused = accept();
  expect_refused(refused, "accept-checkout-busy");
  EXPECT_TRUE(has(refused.err, "merge")) << refused;
  EXPECT_EQ(git("status --porcelain && git rev-parse MERGE_HEAD && cat README"), before);
  expect_kept();
  git("merge --abort");
  EXPECT_EQ(accept().code, 0);
  expect_landed();
}

TEST_F(HostileGit, ARebaseInProgress) {
  git("checkout -q -b side && echo side > README && git commit -q -a -m side");
  git("checkout -q main && echo main > README && git commit -q -a -m main");
  ASSERT_EQ(run("build").code, 0);
  git("rebase -q side >/dev/null 2>&1 || true");
  ASSERT_TRUE(place.exists(".git/rebase-merge"));
  expect_refused(accept(), "accept-checkout-busy");
  expect_kept();
  git("rebase --abort");
  EXPECT_EQ(accept().code, 0);
  expect_landed();
}

TEST_F(HostileGit, AnUntrackedFileInTheWay) {
  ASSERT_EQ(run("build").code, 0);
  place.write("login.html", "mine\n");
  const std::string main = git("rev-parse main");
  const Outcome refused = accept();
  expect_refused(refused, "accept-would-overwrite");
  EXPECT_TRUE(has(refused.err, "login.html")) << refused;
  EXPECT_EQ(place.read("login.html"), "mine\n");
  EXPECT_EQ(git("rev-parse main"), main);
  expect_kept();
  fs::remove(place.file("login.html"));
  EXPECT_EQ(accept().code, 0);
  expect_landed();
}

TEST_F(HostileGit, AFileChangedByBoth) {
  writes("build", "README", "theirs");
  ASSERT_EQ(run("build").code, 0);
  place.write("README", "mine\n");
  const std::string main = git("rev-parse main");
  const Outcome refused = accept();
  expect_refused(refused, "accept-would-overwrite");
  EXPECT_EQ(place.read("README"), "mine\n");
  EXPECT_EQ(git("rev-parse main"), main);
  git("commit -q -a -m mine");
  expect_refused(accept(), "accept-conflict");
  EXPECT_EQ(place.read("README"), "mine\n");
}

TEST_F(HostileGit, AReadOnlyRepository) {
  ASSERT_EQ(run("build").code, 0);
  // Modes do not keep root from writing; a mount does.
  const bool by_mount = ::geteuid() == 0;
  const std::string frozen =
      sh(by_mount ? "mount --bind .git .git && mount -o remount,ro,bind .git || echo cannot" : "chmod -R a-w .git");
  if (has(frozen, "cannot")) GTEST_SKIP() << "root may write to everything, and nothing can be mounted here";
  const Outcome refused = accept();
  sh(by_mount ? "umount .git" : "chmod -R u+w .git");
  EXPECT_THAT(refused.code, ::testing::AnyOf(1, 2)) << refused;
  EXPECT_TRUE(has(refused.err, "error[")) << refused;
  expect_kept();
  EXPECT_EQ(accept().code, 0);
  expect_landed();
}

TEST_F(HostileGit, TheTargetIsGone) {
  ASSERT_EQ(run("build").code, 0);
  git("checkout -q -b feature && git branch -q -D main");
  const Outcome refused = accept();
  expect_refused(refused, "accept-target-missing");
  EXPECT_TRUE(has(refused.err, "main")) << refused;
  expect_kept();
  EXPECT_EQ(accept({"--set", "git.base=feature"}).code, 0) << "as its help says";
  expect_landed("feature");
}

TEST_F(HostileGit, TheProjectIsMovedBeforeAccept) {
  ASSERT_EQ(run("build").code, 0);
  fs::rename(place.root(), place.root() + "-moved");
  place.cwd = place.root() + "-moved";
  const Outcome accepted = accept();
  EXPECT_EQ(accepted.code, 0) << accepted;
  EXPECT_EQ(read_text(place.cwd + "/login.html"), "made\n");
  EXPECT_FALSE(file_exists(place.root())) << "nothing is made where it was";
  for (const auto& left : fs::directory_iterator{place.cwd + "/.baton/worktrees"}) {
    EXPECT_FALSE(left.is_directory()) << "the tree goes, where it is now: " << left.path();
  }
  fs::rename(place.cwd, place.root());
  place.cwd = place.root();
  expect_landed();
}

TEST_F(HostileGit, TheProjectIsMovedBeforeResume) {
  claude.does("spec", "echo plan > plan.md; says 'SPEC-7'");
  claude.does("build.1", "exit 3");
  ASSERT_EQ(run("plan-build").code, 1);
  fs::rename(place.root(), place.root() + "-moved");
  place.cwd = place.root() + "-moved";
  const Outcome resumed = place.baton({"resume", "last"});
  EXPECT_EQ(resumed.code, 3) << resumed;
  EXPECT_TRUE(has(resumed.err, "It is well made.")) << resumed;
  EXPECT_TRUE(has(claude.prompt("build.2"), "SPEC-7"));
  EXPECT_EQ(accept().code, 0);
  EXPECT_EQ(read_text(place.cwd + "/login.html"), "made\n");
  EXPECT_EQ(read_text(place.cwd + "/plan.md"), "plan\n");
  EXPECT_FALSE(file_exists(place.root())) << "nothing is made where it was";
}

TEST_F(HostileGit, ABrokenRepository) {
  place.write(".git/HEAD", "garbage\n");
  const Outcome ran = run("build");
  expect_refused(ran, "git-broken");
  EXPECT_TRUE(claude.started().empty());
}

TEST_F(HostileGit, GitIsNotThere) {
  place.env["PATH"] = place.env["HOME"] + "/claude/bin:" + place.env["HOME"] + "/few";
  for (const char* program : {"sh", "env", "cat", "sed", "awk", "sleep", "dirname", "mkdir"}) {
    fs::create_directories(place.env["HOME"] + "/few");
    fs::create_symlink(fmt::format("/usr/bin/{}", program), place.env["HOME"] + "/few/" + program);
  }
  const Outcome ran = run("build");
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_TRUE(has(ran.err, "git is not there")) << ran;
  EXPECT_EQ(place.read("login.html"), "made\n");
  expect_refused(run("build", {"--isolation", "worktree"}), "git-missing");
}

TEST_F(HostileGit, WhatWasAcceptedMayBeAcceptedAgainAndIsNotRejected) {
  ASSERT_EQ(run("build").code, 0);
  ASSERT_EQ(accept().code, 0);
  const std::string main = git("rev-parse main");
  EXPECT_EQ(accept().code, 0);
  EXPECT_EQ(git("rev-parse main"), main);
  expect_refused(place.baton({"reject", "last"}), "nothing-to-review");
  expect_landed();
}

class ChainRecord : public WithChain {};

TEST_F(ChainRecord, StaysOutOfGitButNotTheSkillsThatPeopleEdit) {
  place.write(".baton/skills/mine/SKILL.md", "---\nname: mine\ndescription: mine\n---\nDo it.\n");
  EXPECT_EQ(place.baton({"skills", "route", "--export"}).code, 0);
  EXPECT_EQ(run("build").code, 0);
  EXPECT_EQ(git("status --porcelain --untracked-files=all"),
            "?? .baton/skills/mine/SKILL.md\n?? .baton/skills/route/SKILL.md");
}

}  // namespace
}  // namespace baton::test
