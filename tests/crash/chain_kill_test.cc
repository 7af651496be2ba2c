// kill -9 in the middle of a chain of skills: the same change comes out, and nothing that is on record is done again.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <random>

#include "crash/kills.h"
#include "support/chain_place.h"

namespace baton::test {
namespace {

using std::chrono::microseconds;
using std::chrono::steady_clock;
using ::testing::ElementsAre;

std::string with_name(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

class ChainKilled : public WithChain {
 protected:
  ChainKilled() {
    writes("spec", "specs/login.md");
    claude.does("decompose", R"(says 'So: [{"name": "Server side"}, {"name": "Page", "depends_on": ["Server side"]}, )"
                             R"({"name": "Style"}]')");
    writes("build:server-side", "server.txt");
    claude.does("build:Page", "[ -e server.txt ] || exit 1; echo made > page.txt; git add -A; says 'Wrote page.txt.'");
    claude.does("build:Style", "printf 'first\\nwith style\\n' > README; says 'Wrote README.'");
    claude.does("document", "[ -e server.txt ] && [ -e page.txt ] || exit 1; echo made > guide.md; says 'Wrote it.'");
    place.env["BATON_HOLDER_IDLE_MS"] = "2000";
  }

  static std::vector<std::string> the_run() {
    return {"run", "sdlc", "--task", "Add a login page", "--jobs", "3", "-q"};
  }

  /// All that git and the folder of trees have to tell of a run that waits for its review, in the same words for every
  /// run. Nothing in it depends on the time: two merges of the same in the same second are one commit.
  std::string told_by_git(const std::string& id) {
    const std::string script =
        "echo main: $(git rev-parse main) $(git symbolic-ref HEAD); git status --porcelain; git stash list\n"
        "echo tree: $(git rev-parse 'baton/ID^{tree}')\n"
        "git log --format='%s%n%(trailers:key=Baton-Step)' main..baton/ID | sed '/^$/d' | LC_ALL=C sort -u\n"
        "git for-each-ref --format='%(refname)' | grep -e /ID -e /main\n"
        "git worktree list --porcelain | grep -v ^HEAD; git worktree prune -n -v\n"
        "for tree in .baton/worktrees/*; do echo \"$tree\"; git -C \"$tree\" status --porcelain; done\n"
        "ls -A .baton/worktrees | grep -v '^[.]making$'\n"
        "find .git -name '*.lock' ! -name baton-landing.lock -o -name 'MERGE_*' -o -name 'baton-index*'\n"
        "git fsck --strict --no-dangling --no-progress";
    return with_name(sh(with_name(script, "ID", id)), id, "ID");
  }

  /// What the agent was started for, against what is on record: an attempt is begun once at most, one that completed
  /// exactly once, and after it none.
  void expect_nothing_repeated(const json::object& shown, bool holder_died) {
    std::map<std::string, int> starts;
    for (const std::string& whom : claude.started()) ++starts[whom];
    for (const json::value& value : shown.at("steps").as_array()) {
      const json::object& one = value.as_object();
      const json::array& attempts = one.at("attempts").as_array();
      for (std::size_t n = 1; n <= attempts.size(); ++n) {
        const std::string whom = fmt::format("{}.{}", text_at(one, "id"), n);
        const std::string state = text_at(attempts[n - 1].as_object(), "state");
        const int started = starts[whom];
        starts.erase(whom);
        if (n == attempts.size()) {
          EXPECT_EQ(state, "completed") << whom;
          EXPECT_EQ(started, 1) << whom;
        } else {
          EXPECT_TRUE(holder_died) << "only its death takes an attempt's fate with it: " << json::serialize(one);
          EXPECT_EQ(state, "unknown") << whom;
          EXPECT_LE(started, 1) << whom;
        }
      }
    }
    EXPECT_TRUE(starts.empty()) << starts.begin()->first << " was started and is not on record";
  }

  void forget_starts() const { std::filesystem::remove(place.env.at("HOME") + "/claude/kept/processes"); }

  std::size_t runs() { return parse_json(place.baton({"list", "--json"}).out).as_array().size(); }

  /// The processes that see to a working tree at this moment.
  std::vector<pid_t> trees_at_work() const {
    std::vector<pid_t> found = place.living("baton");
    std::erase_if(found, [](pid_t pid) {
      return !has(read_text(fmt::format("/proc/{}/cmdline", pid)), std::string{"\0tree\0", 6});
    });
    return found;
  }
};

/// A run, killed again and again.
class RandomChainKills : public ChainKilled {
 protected:
  /// Whom a kill is meant for.
  enum class Prey { driver, every_baton, a_tree, a_git, holder_and_batons, everything };

  Prey drawn_prey() {
    // Those that are there for instants come first until one was met, so that each was.
    if (tree_kills == 0) return Prey::a_tree;
    if (git_kills == 0) return Prey::a_git;
    constexpr std::array<Prey, 12> all{
        Prey::driver, Prey::driver, Prey::driver, Prey::every_baton,       Prey::every_baton, Prey::holder_and_batons,
        Prey::a_tree, Prey::a_tree, Prey::a_git,  Prey::holder_and_batons, Prey::everything,  Prey::everything};
    return all.at(std::uniform_int_distribution<std::size_t>{0, all.size() - 1}(chance));
  }

  /// Kills what is at work beneath the driver, as soon as there is some. It sees to it by itself: false if it has
  /// ended.
  bool kill_beneath(Process& driver, const std::function<std::vector<pid_t>()>& find, std::uint64_t& counted) {
    std::vector<pid_t> found;
    eventually([&] { return !(found = find()).empty() || driver.ended(); });
    if (found.empty()) return false;
    kill_these(found);
    ++kills;
    ++counted;
    return !driver.ended();
  }

  /// Lets it work for a while, and then kills. False if the process ended before that.
  bool kill_in(Process& driver) {
    const Prey prey = drawn_prey();
    if (!outlasts(driver, microseconds{pause(chance)})) return false;
    if (prey == Prey::a_tree) return kill_beneath(driver, [&] { return trees_at_work(); }, tree_kills);
    if (prey == Prey::a_git) return kill_beneath(driver, [&] { return place.living("git"); }, git_kills);
    // One look, and then all at one moment: what a holder that is left starts afterwards lives on.
    std::vector<pid_t> found;
    if (prey == Prey::everything || prey == Prey::holder_and_batons) found = place.living("baton-holder");
    holder_died = holder_died || !found.empty();
    const auto others = prey == Prey::everything ? place.living()
                        : prey == Prey::driver   ? std::vector<pid_t>{}
                                                 : place.living("baton");
    found.insert(found.end(), others.begin(), others.end());  // the holder first: it is to see none of them die
    std::erase(found, driver.pid());
    driver.kill(SIGKILL);
    kill_these(found);
    (void)driver.wait();
    ++kills;
    return true;
  }

  std::mt19937_64 chance{number_from("BATON_KILL_SEED", 1)};
  std::uniform_int_distribution<std::int64_t> pause;
  std::uint64_t kills = 0;
  std::uint64_t tree_kills = 0;
  std::uint64_t git_kills = 0;
  bool holder_died = false;
};

TEST_F(RandomChainKills, TheSameChangeComesOutAndNothingOnRecordIsDoneAgain) {
  const std::uint64_t kills_wanted = number_from("BATON_CHAIN_KILLS", 100);
  SCOPED_TRACE(fmt::format("repeat with BATON_KILL_SEED={} BATON_CHAIN_KILLS={}", number_from("BATON_KILL_SEED", 1),
                           kills_wanted));
  const auto began = steady_clock::now();
  const Outcome calm = place.baton(the_run());
  ASSERT_EQ(calm.code, 3) << calm;
  const auto takes = std::chrono::duration_cast<microseconds>(steady_clock::now() - began);
  pause = decltype(pause){0, takes.count() / 4};
  const std::string expected = told_by_git(text_at(place.show(), "run"));
  const auto expected_steps = step_states_of(place.show());
  expect_nothing_repeated(place.show(), false);
  ASSERT_EQ(place.baton({"reject", "last", "-q"}).code, 0);

  int round = 0;
  for (; kills < kills_wanted && !HasFailure(); ++round) {
    forget_starts();
    holder_died = false;
    const std::size_t runs_before = runs();
    {
      Process first = place.start(the_run());
      while (kill_in(first) && !first.ended()) {
      }
    }
    if (runs() == runs_before) continue;  // not recorded: not begun
    const std::string id = text_at(place.show(), "run");
    SCOPED_TRACE(fmt::format("round {}, run {}", round, id));
    for (int again = 0; again < 12 && kills < kills_wanted && place.run_state(id) == "running"; ++again) {
      Process resumed = place.start({"resume", id, "-q"});
      while (kill_in(resumed) && !resumed.ended()) {
      }
    }
    if (place.run_state(id) != "reviewing") {
      const Outcome last = place.baton({"resume", id, "-q"});
      EXPECT_EQ(last.code, 3) << last;
    }
    const json::object shown = place.show(id);
    EXPECT_EQ(text_at(shown, "state"), "reviewing");
    EXPECT_EQ(step_states_of(shown), expected_steps);
    expect_nothing_repeated(shown, holder_died);
    EXPECT_EQ(told_by_git(id), expected);
    EXPECT_EQ(place.baton({"reject", id, "-q"}).code, 0);
  }
  std::cout << kills << " kills over " << round << " runs of a chain, " << tree_kills
            << " of them of what sees to a working tree and " << git_kills << " of git alone; one run takes "
            << takes.count() / 1000 << " ms\n";
  EXPECT_GE(kills, kills_wanted);
  EXPECT_GT(tree_kills, 0U);
  EXPECT_GT(git_kills, 0U);
}

class WorkingAgent : public ChainKilled {
 protected:
  WorkingAgent() {
    claude.does("build", "begin; answer m1 100 20; echo half > half.txt; until_there " + place.file("../go") +
                             "; echo made > login.html; says 'Wrote login.html.'");
  }
  static double cost_in(const json::object& shown) { return shown.at("cost_usd").to_number<double>(); }
};

TEST_F(WorkingAgent, GoesOnInItsTreeAndResumeReattachesAndTheCostAddsUp) {
  write_text(place.file("../go"), "");
  ASSERT_EQ(run("plan-build").code, 3);
  const json::object calm = place.show();
  forget_starts();
  std::filesystem::remove(place.file("../go"));
  for (const auto& kept : std::filesystem::directory_iterator{place.env["HOME"] + "/claude/kept"}) {
    std::filesystem::remove(kept);
  }

  Process driver = place.start({"run", "plan-build", "--task", "Add a login page", "--json"});
  const pid_t agent = claude.pid_of("build.1");
  const std::string tree = text_at(place.show(), "worktree");
  ASSERT_TRUE(eventually([&] { return file_exists(tree + "/half.txt"); }));
  for (int times = 0; times < 3; ++times) {
    place.kill_all("baton");
    EXPECT_TRUE(is_alive(agent));
    Process again = place.start({"resume", "last", "--json"});
    ASSERT_TRUE(eventually([&] { return has(again.out(), "run.resumed"); }));
    EXPECT_TRUE(is_alive(agent));
    if (times < 2) continue;
    write_text(place.file("../go"), "");
    const Outcome ended = again.wait();
    EXPECT_EQ(ended.code, 3) << ended;
  }
  EXPECT_THAT(claude.started(), ElementsAre("spec.1", "build.1", "review.1"));
  const json::object shown = place.show();
  EXPECT_EQ(json::serialize(shown.at("cost_usd")), json::serialize(calm.at("cost_usd")));
  EXPECT_EQ(json::serialize(shown.at("tokens")), json::serialize(calm.at("tokens")));
  EXPECT_GT(cost_in(shown), 0);
  EXPECT_EQ(git("show --format= --name-only baton/" + text_at(shown, "run")), "half.txt\nlogin.html");
}

TEST_F(WorkingAgent, WhoseFateIsUnknownIsFollowedByAnotherAndOneCommitHasItAll) {
  Process driver = place.start({"run", "plan-build", "--task", "Add a login page", "-q"});
  const pid_t agent = claude.pid_of("build.1");
  const std::string tree = text_at(place.show(), "worktree");
  ASSERT_TRUE(eventually([&] { return file_exists(tree + "/half.txt"); }));
  place.kill_all("baton");
  place.kill_all("baton-holder");
  EXPECT_TRUE(is_alive(agent)) << "it has become an orphan";
  Process resumed = place.start({"resume", "last", "-q"});
  (void)claude.pid_of("build.2");
  EXPECT_FALSE(is_alive(agent)) << "never two agents in one working tree";
  write_text(place.file("../go"), "");
  const Outcome ended = resumed.wait();
  EXPECT_EQ(ended.code, 3) << ended;
  EXPECT_THAT(claude.started(), ElementsAre("spec.1", "build.1", "build.2", "review.1"));
  EXPECT_EQ(git("log --format=%s main.." + text_at(place.show(), "branch")),
            "feat(build): Add a login page\ndocs(spec): Add a login page");
}

TEST_F(ChainKilled, ATreeThatCannotBeSeenToIsTriedAgainOnceThatIsMended) {
  const std::string hidden = place.file("../hidden");
  claude.does("spec", "echo made > spec.md; mv " + place.file(".git") + " " + hidden + "; says 'Wrote it.'");
  const Outcome ran = run("plan-build");
  EXPECT_EQ(ran.code, 1) << ran;
  EXPECT_NE(place.baton({"resume", "last", "-q"}).code, 3) << "not mended yet";
  std::filesystem::rename(hidden, place.file(".git"));
  const Outcome resumed = place.baton({"resume", "last", "-q"});
  EXPECT_EQ(resumed.code, 3) << resumed;
  EXPECT_THAT(claude.started(), ElementsAre("spec.1", "build.1", "review.1"));
}

}  // namespace
}  // namespace baton::test
