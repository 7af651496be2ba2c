// What a killed git leaves in the user's repository, told from what is the user's.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <filesystem>

#include "git/land.h"
#include "git/landing/lock.h"
#include "git/landing/site.h"
#include "unit/git/land_world.h"

namespace baton::git {
namespace {

namespace fs = std::filesystem;
using baton::test::bytes_of;
using baton::test::write_bytes;
using test::land_until;
using test::LandWorld;
using testing::AnyOf;
using testing::HasSubstr;

/// Not every git takes the lock of packed branches for what a landing does.
const auto lands_or_is_locked = AnyOf("", "git-locked");

/// As a landing that was killed while its git could hold these locks.
void note(const LandWorld& world, const std::vector<LeftLock>& locks) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    auto lock = LandingLock::take(world.repo() + "/.git");
    (void)lock->note(locks);
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(pid, nullptr, 0);
}

class LandLeft : public testing::Test {
 protected:
  LandLeft() { world.run_commits("echo change >> a && seq 5000 > large && echo new > new.txt"); }

  std::string code() const {
    const auto landed = land(world.order());
    return landed ? "" : landed.error().code;
  }
  /// The target has moved, and git was killed while it wrote the files.
  void moved_and_then(const std::string& script) const {
    ASSERT_TRUE(land_until(world.order(), LandPhase::moved));
    world.sh(script);
  }

  LandWorld world;
};

TEST_F(LandLeft, LocksThatOurGitWasAboutToTakeGo) {
  const std::string main = world.file(".git/refs/heads/main.lock");
  const std::string packed = world.file(".git/packed-refs.lock");
  note(world, {{main, std::string(40, '1')}, {packed}});
  write_bytes(main, "");
  write_bytes(packed, "");
  EXPECT_EQ(code(), "");
  EXPECT_FALSE(fs::exists(main) || fs::exists(packed));
}

TEST_F(LandLeft, AlsoOneWithJustWhatItWasToWrite) {
  const std::string main = world.file(".git/refs/heads/main.lock");
  note(world, {{main, std::string(40, '1')}});
  write_bytes(main, std::string(40, '1') + "\n");
  EXPECT_EQ(code(), "");
}

TEST_F(LandLeft, NoLockOfPackedBranchesWithSomethingInIt) {
  const std::string packed = world.file(".git/packed-refs.lock");
  note(world, {{packed}});
  write_bytes(packed, "# pack-refs with: peeled fully-peeled sorted\n");
  EXPECT_THAT(code(), lands_or_is_locked);
  EXPECT_TRUE(fs::exists(packed));
}

TEST_F(LandLeft, NoLockThatIsMadeWhileNoGitOfOursIsKilled) {
  const std::string packed = world.file(".git/packed-refs.lock");
  {
    auto lock = LandingLock::take(world.repo() + "/.git");
    ASSERT_TRUE(lock && lock->note({{packed}}));
    write_bytes(packed, "");
  }
  EXPECT_THAT(code(), lands_or_is_locked);
  EXPECT_TRUE(fs::exists(packed));
}

TEST_F(LandLeft, ALockOfOursThatStandsBesideALivingGitGoesWhenThatHasEnded) {
  const std::string packed = world.file(".git/packed-refs.lock");
  note(world, {{packed}});
  write_bytes(packed, "");
  FILE* living = ::popen(("cd " + world.repo() + " && exec git cat-file --batch").c_str(), "w");
  EXPECT_THAT(code(), lands_or_is_locked);
  EXPECT_TRUE(fs::exists(packed));
  EXPECT_EQ(::pclose(living), 0);
  EXPECT_EQ(code(), "");
  EXPECT_FALSE(fs::exists(packed));
}

TEST_F(LandLeft, ALockThatNobodyNotedStaysAndIsNamed) {
  const std::string main = world.file(".git/refs/heads/main.lock");
  write_bytes(main, "");
  const auto landed = land(world.order());
  ASSERT_FALSE(landed);
  EXPECT_EQ(landed.error().code, "git-locked");
  EXPECT_THAT(landed.error().help, HasSubstr("rm " + main));
  EXPECT_TRUE(fs::exists(main));
  fs::remove(main);
  EXPECT_EQ(code(), "");
  EXPECT_EQ(world.litter(), std::vector<std::string>{});
}

TEST_F(LandLeft, OneThatIsOlderOrHasSomethingElseInItStays) {
  const std::string main = world.file(".git/refs/heads/main.lock");
  note(world, {{main, std::string(40, '1')}});
  write_bytes(main, std::string(40, '2') + "\n");
  EXPECT_EQ(code(), "git-locked");
  write_bytes(main, "");
  fs::last_write_time(main, fs::file_time_type::clock::now() - std::chrono::hours{1});
  note(world, {{main, std::string(40, '1')}});
  EXPECT_EQ(code(), "git-locked");
  EXPECT_TRUE(fs::exists(main));
}

TEST_F(LandLeft, ANoteThatIsTornWasNeverActedOn) {
  const std::string main = world.file(".git/refs/heads/main.lock");
  note(world, {{main}});
  const std::string whole = bytes_of(world.file(".git/baton-landing.lock"));
  write_bytes(world.file(".git/baton-landing.lock"), whole.substr(0, whole.size() - 5));
  write_bytes(main, "");
  EXPECT_EQ(code(), "git-locked");
}

TEST_F(LandLeft, TheIndexsLockInOurNameGoes) {
  moved_and_then("true");
  write_bytes(world.file(".git/index.lock"), "held by a landing of Baton\n");
  EXPECT_EQ(code(), "");
  EXPECT_EQ(world.sh("git status --porcelain"), "");
  EXPECT_EQ(world.litter(), std::vector<std::string>{});
}

TEST_F(LandLeft, FilesThatGitHadJustBegunToWrite) {
  for (const char* left :
       {": > a", "git show main:large | head -c 8192 > large", "git show main:large | head -c 0 > large", ": > new.txt",
        "rm a && git show main:large | head -c 4096 > large"}) {
    SCOPED_TRACE(left);
    LandWorld again;
    again.run_commits("echo change >> a && seq 5000 > large && echo new > new.txt");
    ASSERT_TRUE(land_until(again.order(), LandPhase::moved));
    again.sh(left);
    const auto landed = land(again.order());
    EXPECT_TRUE(landed) << landed.error().message;
    EXPECT_EQ(again.sh("git status --porcelain"), "");
    EXPECT_EQ(again.sh("git rev-parse main:large"), again.sh("git hash-object large"));
  }
}

TEST_F(LandLeft, WhatTheUserTookFromTheEndOfAFileIsTheUsers) {
  world.sh("git show baton/r1:large | head -c 4097 > ../part");
  moved_and_then("cp ../part large");
  EXPECT_EQ(code(), "accept-would-overwrite");
  EXPECT_EQ(bytes_of(world.file("large")), bytes_of(world.elsewhere("part")));
}

/// A git whose Baton was killed goes on, and nobody else lands meanwhile.
TEST_F(LandLeft, WhoeverComesNextWaitsForTheGitOfAKilledOne) {
  const std::string git_dir = world.repo() + "/.git";
  const std::string begun = world.elsewhere("begun");
  const std::string ended = world.elsewhere("ended");
  const pid_t pid = ::fork();
  if (pid == 0) {
    auto site = Site::open(world.repo());
    auto lock = LandingLock::take(git_dir);
    (void)site->hold(*lock);
    const std::string works = fmt::format("!touch {}; sleep 1; touch {}; :", begun, ended);
    (void)site->git().run({"-c", "alias.works=" + works, "works"});
    ::_exit(0);
  }
  while (!fs::exists(begun)) ::usleep(1000);
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
  EXPECT_TRUE(LandingLock::take(git_dir));
  EXPECT_TRUE(fs::exists(ended)) << "its git was still at work";
}

TEST_F(LandLeft, WhatHasLandedIsSaidSo) {
  const auto before = landed_already(world.order());
  ASSERT_TRUE(before);
  EXPECT_FALSE(before->has_value());
  // Killed between the target's move and anything else, the landing is finished first.
  ASSERT_TRUE(land_until(world.order(), LandPhase::moved));
  const auto after = landed_already(world.order());
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_EQ(after->value_or(""), world.sh("git rev-parse main | tr -d '\\n'"));
  EXPECT_EQ(world.sh("git status --porcelain"), "");
}

/// Git moves several refs one after the other: killed in between, the target has moved and nothing says why.
TEST_F(LandLeft, RefsThatDidNotComeAlongFollow) {
  moved_and_then("git update-ref -d refs/baton/landed/r1 && git update-ref -d refs/baton/accepted/r1");
  EXPECT_TRUE(landed_already(world.order()).value().has_value());
  EXPECT_EQ(world.sh("git rev-parse refs/baton/landed/r1"), world.sh("git rev-parse main"));
  EXPECT_EQ(world.sh("git rev-parse refs/baton/accepted/r1"), world.sh("git rev-parse baton/r1"));
}

}  // namespace
}  // namespace baton::git
