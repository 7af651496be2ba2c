// Which task comes when, and whose file is read for it.
#include "dialect/session/order.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <set>
#include <utility>

#include "dialect/session/lineup.h"
#include "dialect/session/session_plan.h"

namespace baton::session {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using TurnKind = TurnWord::Kind;

/// A session with its task files, run by the lineup alone: a small world in place of the core and the disk.
class OrderWorld {
 public:
  struct File {
    std::vector<std::string> needs = {};
    bool grouped = true;
    bool completed = false;
    bool container = false;
    bool fails = false;
  };

  OrderWorld(const std::string& text, ExecutionModel model, std::map<std::string, File> files = {})
      : list_{read_todo(text, "t")}, files_{std::move(files)}, index_{list_}, lineup_{list_, plan(model)} {
    for (std::size_t i = 0; i < list_.tasks.size(); ++i) {
      if (list_.tasks[i].state != BoxState::completed) lineup_.ask(i);
    }
  }

  /// Starts what may start.
  void start() {
    while (const auto next = lineup_.next(jobs - running.size())) {
      const std::string& id = list_.tasks[*next].id;
      reads.push_back(id);
      const File& file = files_[id];
      Task task;
      task.id = id;
      task.depends_on = file.needs;
      const TurnWord word = lineup_.tell(*next, {.completed = file.completed,
                                                 .container = file.container,
                                                 .grouped = file.grouped,
                                                 .needs = needs_of(task, list_.tasks[*next], index_)});
      hear(*next, word);
    }
    most = std::max(most, running.size());
  }

  void end(const std::string& id) {
    running.erase(id);
    over(*index_.find(id), !files_[id].fails);
  }

  /// One after the other ends, the first started first.
  void run() {
    start();
    while (!order_.empty()) {
      const std::string id = order_.front();
      order_.pop_front();
      end(id);
      start();
    }
  }

  std::size_t jobs = 4;
  std::set<std::string> running;
  std::vector<std::string> started;
  std::vector<std::string> reads;
  std::map<std::string, std::string> ended_otherwise;
  std::size_t most = 0;

 private:
  static PlanDoc plan(ExecutionModel model) {
    PlanDoc doc;
    doc.model = model;
    return doc;
  }

  void hear(std::size_t task, const TurnWord& word) {
    const std::string& id = list_.tasks[task].id;
    switch (word.kind) {
      case TurnKind::go:
        running.insert(id);
        started.push_back(id);
        order_.push_back(id);
        break;
      case TurnKind::done:
        ended_otherwise[id] = "done";
        over(task, true);
        break;
      case TurnKind::wait:
        waiting_[task] = {word.needs.begin(), word.needs.end()};
        for (const std::size_t need : word.needs) awaited_[need].push_back(task);
        look_again(task);
        break;
      case TurnKind::hold:
        break;
      case TurnKind::block:
      case TurnKind::fail:
        ended_otherwise[id] = word.code + ": " + word.reason;
        over(task, false);
        break;
    }
  }

  /// As the core does: skips when a need failed, asks again when all are completed.
  void look_again(std::size_t task) {
    for (const std::size_t need : waiting_[task]) {
      if (failed_.contains(need)) {
        waiting_.erase(task);
        ended_otherwise[list_.tasks[task].id] = "skipped";
        return over(task, false);
      }
    }
    std::erase_if(waiting_[task], [&](std::size_t need) { return completed_.contains(need); });
    if (!waiting_[task].empty()) return;
    waiting_.erase(task);
    lineup_.ask(task);
  }

  void over(std::size_t task, bool ok) {
    (ok ? completed_ : failed_).insert(task);
    lineup_.ended(task, ok);
    for (const std::size_t waiting : std::exchange(awaited_[task], {})) {
      if (waiting_.contains(waiting)) look_again(waiting);
    }
  }

  TodoList list_;
  std::map<std::string, File> files_;
  TaskIndex index_;
  Lineup lineup_;
  std::deque<std::string> order_;
  std::map<std::size_t, std::set<std::size_t>> waiting_;
  std::map<std::size_t, std::vector<std::size_t>> awaited_;
  std::set<std::size_t> completed_;
  std::set<std::size_t> failed_;
};

std::string boxes(std::initializer_list<const char*> ids) {
  std::string text;
  for (const char* id : ids) text += fmt::format("- [ ] **{}**: t\n", id);
  return text;
}

TEST(Lineups, LetNeedsWinOverTheOrderOfTheList) {
  OrderWorld w{boxes({"A-1", "A-2", "A-3"}), ExecutionModel::unstated, {{"A-1", {{"A-3"}}}, {"A-3", {{"A-2"}}}}};
  w.run();
  EXPECT_THAT(w.started, ElementsAre("A-2", "A-3", "A-1"));
}

TEST(Lineups, RunAChainOfOneGroupAsAChain) {
  OrderWorld w{boxes({"A-1", "A-2", "A-3"}), ExecutionModel::parallel, {{"A-2", {{"A-1"}}}, {"A-3", {{"A-2"}}}}};
  w.run();
  EXPECT_EQ(w.most, 1U);
  EXPECT_THAT(w.started, ElementsAre("A-1", "A-2", "A-3"));
}

TEST(Lineups, RunThoseWithoutAGroupOneAtATimeBesideTheOthers) {
  OrderWorld w{boxes({"A-1", "A-2", "A-3", "A-4"}),
               ExecutionModel::unstated,
               {{"A-1", {.grouped = false}}, {"A-2", {.grouped = false}}, {"A-3", {}}, {"A-4", {.grouped = false}}}};
  w.start();
  EXPECT_EQ(w.running, (std::set<std::string>{"A-1", "A-3"}));
  w.end("A-1");
  w.start();
  EXPECT_EQ(w.running, (std::set<std::string>{"A-2", "A-3"}));
  w.end("A-2");
  w.start();
  EXPECT_EQ(w.running, (std::set<std::string>{"A-3", "A-4"}));
}

TEST(Lineups, RunAllTogetherIfThePlanSaysParallel) {
  OrderWorld w{
      boxes({"A-1", "A-2"}), ExecutionModel::parallel, {{"A-1", {.grouped = false}}, {"A-2", {.grouped = false}}}};
  w.start();
  EXPECT_THAT(w.running, SizeIs(2));
}

TEST(Lineups, RunOneAtATimeIfThePlanSaysSequential) {
  OrderWorld w{boxes({"A-1", "A-2", "A-3"}), ExecutionModel::sequential, {{"A-1", {{"A-2"}}}}};
  w.run();
  EXPECT_EQ(w.most, 1U);
  EXPECT_THAT(w.started, ElementsAre("A-2", "A-1", "A-3"));
}

TEST(Lineups, BeginAPhaseWhenTheOneBeforeIsOver) {
  const std::string text =
      "## Phase 1\n- [ ] **A-1**: t\n- [ ] **A-2**: t\n## Phase 2\n- [ ] **A-3**: t\n## Phase 3\n- [x] **A-4**: t\n- [ "
      "] "
      "**A-5**: t\n## Any time\n- [ ] **A-6**: t\n";
  OrderWorld w{text, ExecutionModel::phased, {{"A-2", {.fails = true}}}};
  w.start();
  EXPECT_EQ(w.running, (std::set<std::string>{"A-1", "A-2", "A-6"}));
  w.end("A-1");
  w.start();
  EXPECT_EQ(w.running, (std::set<std::string>{"A-2", "A-6"}));
  w.end("A-2");  // badly: others go on
  w.start();
  EXPECT_EQ(w.running, (std::set<std::string>{"A-3", "A-6"}));
  w.end("A-3");
  w.start();
  EXPECT_TRUE(w.running.contains("A-5"));
}

TEST(Lineups, MoveATaskToThePhaseOfWhatItNeeds) {
  const std::string text =
      "## Phase 1\n- [ ] **A-1**: t\n- [ ] **A-2**: t\n## Phase 2\n- [ ] **A-3**: t\n## Phase 3\n- [ ] **A-4**: t\n";
  OrderWorld w{text, ExecutionModel::phased, {{"A-1", {{"A-2"}}}, {"A-2", {{"A-3"}}}}};
  w.run();
  EXPECT_THAT(w.started, ElementsAre("A-3", "A-2", "A-1", "A-4"));
}

TEST(Lineups, BlockWhatNeedsSomethingUnknownAndSkipWhatNeedsThat) {
  OrderWorld w{boxes({"A-1", "A-2", "A-3"}), ExecutionModel::unstated, {{"A-1", {{"A-9"}}}, {"A-2", {{"A-1"}}}}};
  w.run();
  EXPECT_THAT(w.started, ElementsAre("A-3"));
  EXPECT_THAT(w.ended_otherwise["A-1"], HasSubstr("unknown-dependency: it depends on 'A-9'"));
  EXPECT_EQ(w.ended_otherwise["A-2"], "skipped");
}

TEST(Lineups, NameACycleAndRunTheRest) {
  OrderWorld w{boxes({"A-1", "A-2", "A-3", "A-4"}),
               ExecutionModel::unstated,
               {{"A-1", {{"A-2"}}}, {"A-2", {{"A-3"}}}, {"A-3", {{"A-1"}}}}};
  w.run();
  EXPECT_THAT(w.started, ElementsAre("A-4"));
  EXPECT_EQ(w.ended_otherwise["A-3"],
            "dependency-cycle: it waits for itself: 'A-3' needs 'A-1' needs 'A-2' needs 'A-3'");
  EXPECT_EQ(w.ended_otherwise["A-1"], "skipped");
  EXPECT_EQ(w.ended_otherwise["A-2"], "skipped");
}

TEST(Lineups, TakeAFilesWordThatATaskIsDone) {
  OrderWorld w{boxes({"A-1", "A-2"}), ExecutionModel::unstated, {{"A-1", {.needs = {"A-2"}, .completed = true}}}};
  w.run();
  EXPECT_EQ(w.ended_otherwise["A-1"], "done");
  EXPECT_THAT(w.started, ElementsAre("A-2"));
}

TEST(Lineups, LetContainersEndWithTheirChildren) {
  OrderWorld w{"- [ ] **A-1**: t\n  - [ ] **A-1.1**: t\n  - [ ] **A-1.2**: t\n- [ ] **A-2**: t\n",
               ExecutionModel::unstated,
               {{"A-1", {.container = true}}, {"A-2", {{"A-1"}}}}};
  w.run();
  EXPECT_THAT(w.started, ElementsAre("A-1.1", "A-1.2", "A-2"));
  EXPECT_EQ(w.ended_otherwise["A-1"], "done");
}

TEST(Lineups, ReadNoMoreFilesThanThereIsRoomFor) {
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += fmt::format("- [ ] **A-{}**: t\n", i);
  OrderWorld w{text, ExecutionModel::unstated};
  w.start();
  EXPECT_THAT(w.reads, SizeIs(4));
  w.end("A-0");
  w.start();
  EXPECT_THAT(w.reads, SizeIs(5));
}

TEST(Lineups, DoNotReadAheadOfWhatTheListSays) {
  std::string text = "- [ ] **A-0**: t\n";
  for (int i = 1; i < 1'000; ++i) text += fmt::format("- [ ] **A-{}**: t [depends_on: A-{}]\n", i, i - 1);
  OrderWorld w{text, ExecutionModel::unstated};
  w.start();
  EXPECT_THAT(w.reads, SizeIs(1));
  w.end("A-0");
  w.start();
  EXPECT_THAT(w.running, ElementsAre("A-1"));
  EXPECT_THAT(w.reads, SizeIs(2));
}

TEST(Lineups, DoNotHangOnAListThatIsWrong) {
  OrderWorld w{"- [ ] **A-1**: t [depends: A-2]\n- [ ] **A-2**: t [depends: A-1]\n", ExecutionModel::unstated};
  w.run();
  EXPECT_THAT(w.started, ElementsAre("A-1", "A-2"));
}

TEST(Lineups, OfTenThousandInAChainComeToTheirEnd) {
  std::string text;
  std::map<std::string, OrderWorld::File> files;
  for (int i = 0; i < 10'000; ++i) {
    text += fmt::format("- [ ] **A-{}**: t\n", i);
    files[fmt::format("A-{}", i)] = {.needs = {fmt::format("A-{}", i + 1)}};
  }
  files["A-9999"] = {};
  OrderWorld w{text, ExecutionModel::unstated, files};
  w.run();
  EXPECT_THAT(w.started, SizeIs(10'000));
  EXPECT_EQ(w.started.front(), "A-9999");
  EXPECT_EQ(w.started.back(), "A-0");
}

TEST(Lineups, GoOnWhereARunWasTakenUp) {
  const TodoList list = read_todo(boxes({"A-1", "A-2"}), "t");
  Lineup lineup{list, {}};
  lineup.is_at_work(0, false);
  lineup.ask(1);
  ASSERT_EQ(lineup.next(3), 1U);
  EXPECT_EQ(lineup.tell(1, {}).kind, TurnKind::hold);
  EXPECT_EQ(lineup.next(3), std::nullopt);
  lineup.ended(0, true);
  ASSERT_EQ(lineup.next(3), 1U);
  EXPECT_EQ(lineup.tell(1, {}).kind, TurnKind::go);
  lineup.ended(1, false);
  EXPECT_EQ(lineup.at_work(), 0U);
  lineup.ask(1);  // a retry
  EXPECT_EQ(lineup.next(1), 1U);
}

TEST(Lineups, MakeRoomForOneThatHasToBeginAnew) {
  const TodoList list = read_todo(boxes({"A-1", "A-2"}), "t");
  Lineup lineup{list, {}};
  lineup.is_at_work(0, false);
  lineup.ask(0);  // a person had it run again while it waited to be tried once more
  EXPECT_EQ(lineup.at_work(), 0U);
  ASSERT_EQ(lineup.next(1), 0U);
  EXPECT_EQ(lineup.tell(0, {}).kind, TurnKind::go);
  EXPECT_EQ(lineup.at_work(), 1U);
  lineup.ended(0, true);
  EXPECT_EQ(lineup.at_work(), 0U);
}

TEST(Lineups, FindACycleThatGoesThroughAContainer) {
  const TodoList list = read_todo("▸ **A-1**: t\n  - [ ] **A-1.1**: t\n- [ ] **A-2**: t\n", "t");
  Lineup lineup{list, {}};
  lineup.ask(1);
  ASSERT_EQ(lineup.next(4), 1U);
  const TurnWord word = lineup.tell(1, {.needs = {.known = {0}}});
  EXPECT_EQ(word.kind, TurnKind::fail);
  EXPECT_THAT(word.reason, HasSubstr("'A-1.1' needs 'A-1' needs 'A-1.1'"));
}

TEST(Lineups, FindACycleOfWhichAnEarlierDriverKnewAPart) {
  const TodoList list = read_todo(boxes({"A-1", "A-2"}), "t");
  Lineup lineup{list, {}};
  lineup.is_waiting(0, {1});
  EXPECT_THAT(lineup.stalled(), ElementsAre(0)) << "nobody has asked for the other one yet";
  lineup.ask(1);
  EXPECT_THAT(lineup.stalled(), IsEmpty());
  ASSERT_EQ(lineup.next(1), 1U);
  EXPECT_EQ(lineup.tell(1, {.needs = {.known = {0}}}).code, "dependency-cycle");
}

// The whole order ---------------------------------------------------------------------------------------------------

TEST(Waves, FollowNeedsNameCyclesAndWhatIsBlocked) {
  const std::vector<Needs> needs{{}, {{0}}, {{0}}, {{1, 2}}, {{5}}, {{4}}, {{5}}, {{}, {"X-1"}}, {{7}}};
  const Waves w = waves_of(needs, std::vector<bool>(9, false), ExecutionModel::unstated, {});
  EXPECT_THAT(w.waves, ElementsAre(ElementsAre(0), ElementsAre(1, 2), ElementsAre(3)));
  EXPECT_THAT(w.cycles, ElementsAre(ElementsAre(4, 5)));
  EXPECT_THAT(w.blocked, ElementsAre(6, 7, 8));
}

TEST(Waves, LeaveOutWhatIsDoneAndKeepPhases) {
  const std::vector<Needs> needs{{}, {{0}}, {{1}}, {}};
  const std::vector<bool> done{true, false, false, false};
  EXPECT_THAT(waves_of(needs, done, ExecutionModel::unstated, {}).waves,
              ElementsAre(ElementsAre(1, 3), ElementsAre(2)));
  EXPECT_THAT(waves_of(needs, done, ExecutionModel::phased, {1, 2, 1, 3}).waves,
              ElementsAre(ElementsAre(1, 2), ElementsAre(3)));
  EXPECT_THAT(waves_of(needs, done, ExecutionModel::sequential, {}).waves,
              ElementsAre(ElementsAre(1), ElementsAre(3), ElementsAre(2)));
}

TEST(Needs, AreTheFilesWordBeforeTheLists) {
  const TodoList list = read_todo("- [ ] **A-1**: t\n- [ ] **A-2**: t [depends: A-1]\n- [ ] **A-3**: t\n", "t");
  const TaskIndex index{list};
  Task task;
  task.id = "A-2";
  EXPECT_THAT(needs_of(task, list.tasks[1], index).known, ElementsAre(0));
  task.depends_on = {{"A-3", "A-2", "B-1"}};
  const Needs needs = needs_of(task, list.tasks[1], index);
  EXPECT_THAT(needs.known, ElementsAre(2));
  EXPECT_THAT(needs.unknown, ElementsAre("B-1"));
  EXPECT_TRUE(needs.differs);
}

TEST(Needs, OfTasksThatShouldHaveBeenOneAreSaid) {
  const Faults faults = alike({{"A-1", "x"}, {"A-2", ""}, {"A-3", "x"}, {"A-4", "y"}, {"A-5", ""}}, "t");
  ASSERT_THAT(faults, SizeIs(1));
  EXPECT_EQ(faults[0].code, "tasks-alike");
  EXPECT_THAT(faults[0].message, HasSubstr("A-1, A-3"));
}

TEST(SessionPlans, HaveAStepForEachTaskAndReadNoFile) {
  const TodoList list = read_todo("▸ **A-1**: Parent\n  - [x] **A-1.1**: one\n  - [ ] **A-1.2**: two\n", "t");
  const Plan plan = make_plan(list, {.id = "WFS-x", .folder = ".workflow/active/WFS-x"});
  ASSERT_THAT(plan.steps, SizeIs(3));
  EXPECT_EQ(plan.dialect, "session");
  EXPECT_EQ(plan.steps[0].id, "A-1");
  EXPECT_THAT(plan.steps[0].needs, ElementsAre(step_index(1), step_index(2)));
  EXPECT_TRUE(plan.steps[0].work->is_nothing());
  EXPECT_EQ(plan.steps[1].work->title, "one");
  EXPECT_TRUE(plan.steps[1].flow->deferred);
  EXPECT_EQ(plan.steps[1].policy.retries, 1);
  EXPECT_THAT(plan.steps[1].needs, IsEmpty());
  EXPECT_THAT(found_steps(list), ElementsAre(event::FoundStep{step_index(1), ""}));
}

}  // namespace
}  // namespace baton::session
