// The process that a worker's end wakes is killed at its system calls, at one after the other: the pipeline goes on by
// itself, and nobody starts twice. All of them only in soak; here some.
#include <fmt/core.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include "cli/team_place.h"
#include "crash/kills.h"

namespace baton::test {
namespace {

namespace fs = std::filesystem;

/// Calls that change something others can see. A kill at one that only looks is a kill at the next one of these.
const std::set<std::string> changing{"write",  "pwrite64",  "writev",    "pwritev",   "sendmsg",  "sendto", "connect",
                                     "rename", "renameat",  "renameat2", "unlink",    "unlinkat", "mkdir",  "mkdirat",
                                     "fsync",  "fdatasync", "ftruncate", "fallocate", "flock",    "clone",  "clone3",
                                     "vfork",  "kill",      "linkat",    "symlinkat"};

class WakeSweep : public WithTeam {
 protected:
  /// Programs of our own: what is called `baton` there has a wake killed where the next line of `points` says. The one
  /// after it is spared: the holder is right to give up one that dies again and again.
  std::string bin = place.file("bin");
  std::string points = place.file("points");
  std::string kills = place.file("kills");
  std::string left = place.file("left");  ///< there once whoever began the team is gone

  void SetUp() override {
    if (sanitized()) place.env["ASAN_OPTIONS"] = "detect_leaks=0";  // nobody can look for leaks while being traced
    const Outcome traced = place.start_under({"strace", "-o", "/dev/null"}, {"--version"}).wait();
    if (has(traced.err, "Operation not permitted")) GTEST_SKIP() << "nobody may be traced here: " << traced.err;
    ASSERT_EQ(traced.code, 0) << "./dev test installs strace: " << traced;
    fs::create_directories(bin);
    fs::copy_file(program_of_ours("baton"), bin + "/baton.real");
    fs::copy_file(program_of_ours("baton-holder"), bin + "/baton-holder");
    write_text(bin + "/baton", fmt::format(R"sh(#!/bin/sh
if [ "$1" != wake ]; then exec {0}/baton.real "$@"; fi
if [ -e {1}.count ]; then exec strace -o {1}.trace.$$ {0}/baton.real "$@"; fi
if [ -e {1}.spare ]; then rm {1}.spare; exec {0}/baton.real "$@"; fi
read -r call n < {1} || exec {0}/baton.real "$@"
sed -i 1d {1}
strace -o /dev/null -e trace=$call -e inject=$call:signal=KILL:when=$n {0}/baton.real "$@"
code=$?
[ $code = 0 ] || echo "$call $n" >> {2}
[ $code = 0 ] || : > {1}.spare
exit $code
)sh",
                                           bin, points, kills));
    ::chmod((bin + "/baton").c_str(), 0755);
    // A line of workers that end at once would be over before whoever began it has left, and nobody would be woken.
    claude.does("default", fmt::format("while ! [ -e {} ]; do sleep 0.01; done; put x; "
                                       "$BATON_CALLBACK --kind complete -m \"all of $BATON_STEP\"; says done",
                                       left));
  }

  std::vector<TeamTask> line() const {
    return {{"A-1", "a"}, {"B-1", "b", {"A-1"}}, {"A-2", "a", {"B-1"}}, {"B-2", "b", {"A-2"}}, {"A-3", "a", {"B-2"}}};
  }

  /// A fresh team, through to its end, with nobody there but those who are woken.
  void expect_ends_well(const std::string& state_dir) {
    fs::remove_all(place.file(folder));
    fs::remove(left);
    team(line());
    const std::size_t before = claude.started().size();
    Launch launch = place.launch({"team", "TC-x", "--state-dir", state_dir});
    launch.argv[0] = bin + "/baton.real";
    const Outcome begun = Process{launch}.wait();
    ASSERT_EQ(begun.code, 0) << begun;
    write_text(left, "");
    ASSERT_TRUE(eventually([&] { return status() == "completed"; }))
        << act({"check", "--state-dir", state_dir}) << read_text(points);
    std::map<std::string, int> starts;
    const auto all = claude.started();
    for (std::size_t n = before; n < all.size(); ++n) ++starts[all[n]];
    EXPECT_EQ(starts.size(), line().size());
    for (const auto& [task, count] : starts) EXPECT_EQ(count, 1) << task;
    expect_unique_ids();
    for (const TeamTask& task : line()) EXPECT_EQ(said(task.role + "_complete", "all of " + task.id), 1) << task.id;
    EXPECT_EQ(said("shutdown", "5/5"), 1);
  }

  /// The most of each system call that a wake makes, "CALL NUMBER" each.
  std::vector<std::string> every_point() {
    write_text(points + ".count", "");
    expect_ends_well(place.file("calm"));
    fs::remove(points + ".count");
    std::map<std::string, int> most;
    std::smatch found;
    for (const auto& entry : fs::directory_iterator(place.root())) {
      if (!has(entry.path().filename().string(), ".trace.")) continue;
      std::map<std::string, int> calls;
      for (const std::string& text : lines_of(read_text(entry.path().string()))) {
        if (std::regex_search(text, found, std::regex{R"(^(\w+)\()"})) ++calls[found[1]];
      }
      for (const auto& [call, count] : calls) most[call] = std::max(most[call], count);
    }
    std::vector<std::string> out;
    for (const auto& [call, count] : most) {
      if (!changing.contains(call)) continue;
      for (int n = 1; n <= count; ++n) out.push_back(fmt::format("{} {}", call, n));
    }
    return out;
  }
};

TEST_F(WakeSweep, AWakeThatIsKilledAtASystemCallIsFollowedByAnother) {
  const std::vector<std::string> all = every_point();
  ASSERT_GT(all.size(), 50U);
  const std::size_t stride = ::getenv("BATON_SYSCALL_SWEEP") != nullptr ? 1 : 61;
  std::string chosen;
  for (std::size_t n = 0; n < all.size(); n += stride) chosen += all[n] + "\n";
  write_text(points, chosen);
  for (int round = 1; !read_text(points).empty(); ++round) {
    SCOPED_TRACE(fmt::format("round {}, next of the points: {}", round, lines_of(read_text(points)).front()));
    const std::string state_dir = place.file(fmt::format("state-{}", round));
    expect_ends_well(state_dir);
    if (HasFailure()) return;  // the folders stay as they are until the test ends
    EXPECT_TRUE(eventually([&] { return place.living("baton.real").empty(); }));
    std::error_code ignored;
    fs::remove_all(state_dir, ignored);
  }
  const std::size_t killed = lines_of(read_text(kills)).size();
  std::cout << killed << " kills at " << all.size() / stride << " system calls of wakes\n";
  EXPECT_GT(killed, all.size() / stride / 2);
}

}  // namespace
}  // namespace baton::test
