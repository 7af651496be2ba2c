// kill -9 in the middle of a team: it ends like one that nobody disturbed, nothing is started twice, and its files are
// whole and never ahead of the record.
#include <gmock/gmock.h>

#include <atomic>
#include <random>
#include <thread>

#include "cli/team_place.h"
#include "crash/kills.h"

namespace baton::test {
namespace {

using std::chrono::microseconds;

/// Looks at a team's files all the time.
class Watcher {
 public:
  /// `at_once`: so many tasks one operation may complete at most.
  Watcher(std::string session, std::string database, std::int64_t at_once)
      : session_(std::move(session)),
        database_(std::move(database)),
        at_once_(at_once),
        thread_([this] { look_on(); }) {}
  ~Watcher() {
    stop_ = true;
    thread_.join();
  }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  [[nodiscard]] std::string fault() const { return fault_; }
  [[nodiscard]] int rounds() const { return rounds_; }

 private:
  [[nodiscard]] std::int64_t recorded() const { return query_number(database_, "SELECT sum(done) FROM runs"); }
  void look() {
    const std::int64_t before = recorded();
    const std::string text = read_text(session_);
    boost::system::error_code error;
    const json::value value = json::parse(text, error);
    if (error || !value.is_object()) {
      fault_ = "not whole: " + text;
      return;
    }
    const json::value* completed = value.as_object().if_contains("completed_tasks");
    const auto said = completed == nullptr ? 0 : static_cast<std::int64_t>(completed->as_array().size());
    if (said > recorded()) fault_ = "ahead of the record: " + text;
    if (before - said > at_once_) fault_ = fmt::format("behind the record, which has {}: {}", before, text);
  }
  void look_on() {
    while (!stop_ && fault_.empty()) {
      look();
      ++rounds_;
    }
  }

  std::string session_;
  std::string database_;
  std::int64_t at_once_;
  std::string fault_;
  std::atomic<int> rounds_ = 0;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

class TeamKilled : public WithTeam {
 protected:
  TeamKilled() {
    team(twelve_tasks());
    claude.does("default",
                "$BATON_CALLBACK --kind progress -m \"half of $BATON_STEP\"; put \"by $BATON_STEP\"; "
                "$BATON_CALLBACK --kind complete -m \"all of $BATON_STEP\"; says done");
  }

  void expect_all_done() {
    EXPECT_EQ(status(), "completed");
    EXPECT_EQ(completed().size(), 12U);
    for (const auto& [task, count] : starts()) EXPECT_EQ(count, 1) << task;
    EXPECT_EQ(starts().size(), 12U);
    expect_unique_ids();
    for (const TeamTask& task : twelve_tasks()) {
      EXPECT_EQ(said("progress", "half of " + task.id), 1) << task.id;
      EXPECT_EQ(said("task_unblocked", "Task " + task.id + " "), 1) << task.id;
    }
    EXPECT_EQ(said("shutdown", "12/12"), 1);
  }
};

TEST_F(TeamKilled, NobodyDisturbedThisOne) {
  ASSERT_EQ(begin().code, 0);
  const Watcher watcher{place.file(in("team-session.json")), place.state("baton.db"), 4};
  EXPECT_TRUE(eventually([&] { return place.run_state() == "completed"; }));
  EXPECT_TRUE(eventually([&] { return place.living("baton").empty(); }));
  EXPECT_EQ(watcher.fault(), "");
  EXPECT_GT(watcher.rounds(), 0);
  expect_all_done();
}

TEST_F(TeamKilled, AFileIsAtMostOneOperationBehind) {
  std::vector<TeamTask> line{{"A-1", "a"}};
  for (int n = 2; n <= 8; ++n) line.push_back({fmt::format("A-{}", n), "a", {fmt::format("A-{}", n - 1)}});
  team(line);
  ASSERT_EQ(begin().code, 0);
  const Watcher watcher{place.file(in("team-session.json")), place.state("baton.db"), 1};
  EXPECT_TRUE(eventually([&] { return place.run_state() == "completed"; }));
  EXPECT_EQ(watcher.fault(), "");
}

TEST_F(TeamKilled, AtRandomInstantsEndsLikeOneThatNobodyDisturbed) {
  const std::uint64_t seed = number_from("BATON_KILL_SEED", std::random_device{}());
  SCOPED_TRACE(fmt::format("BATON_KILL_SEED={}", seed));
  std::mt19937_64 chance{seed};
  std::uniform_int_distribution<int> wait{2'000, 120'000};
  ASSERT_EQ(begin().code, 0);
  const Watcher watcher{place.file(in("team-session.json")), place.state("baton.db"), 4};
  const std::uint64_t kills = number_from("BATON_TEAM_KILLS", 30);
  for (std::uint64_t n = 0; n < kills && place.run_state() != "completed"; ++n) {
    std::this_thread::sleep_for(microseconds{wait(chance)});
    std::vector<pid_t> wakes;
    for (const pid_t pid : place.living("baton")) {
      // A worker's own callback is not meant: it would be lost with its words.
      if (has(read_text(fmt::format("/proc/{}/cmdline", pid)), "wake")) wakes.push_back(pid);
    }
    kill_these(wakes);
  }
  const Outcome ended = act({"wait"});
  EXPECT_EQ(ended.code, 0) << ended;
  EXPECT_TRUE(eventually([&] { return place.living("baton").empty(); }));
  EXPECT_EQ(watcher.fault(), "");
  expect_all_done();
}

}  // namespace
}  // namespace baton::test
