// A session's run: turns that are taken file by file, and what its files are told of it.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "dialect/session/lineup.h"
#include "dialect/session/reflect.h"
#include "dialect/session/session_plan.h"
#include "support/story.h"

namespace baton::session {
namespace {

using test::Story;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

struct SessionFile {
  std::vector<std::string> needs = {};
  bool completed = false;
};

/// The engine's part, over the real core: turns are asked for, files are read, events are written.
class Driver {
 public:
  Driver(const std::string& text, std::map<std::string, SessionFile> files)
      : list_{read_todo(text, "t")}, files_{std::move(files)}, index_{list_}, lineup_{list_, {}}, story_{plan()} {
    story_.happens(event::RunCreated{std::make_shared<const Plan>(story_.plan), story_.settings, found_steps(list_)});
    story_.happens(event::DriverTook{1, "here", 1});
  }

  void run() {
    for (int tick = 0; tick < 100'000 && story_.run.state() == RunState::running; ++tick) {
      take_turns();
      const auto next = story_.run.next_ready();
      if (!next) break;
      const std::string id = story_.run.step(*next).id;
      order.push_back(id);
      story_.after(Millis{1000}).begins(id).after(Millis{1000}).ends(id).checked(id, true);
      lineup_.ended(at(*next), true);
    }
  }

  [[nodiscard]] const Run& result() const { return story_.run; }
  std::vector<std::string> order;
  std::vector<std::string> reads;

 private:
  Plan plan() { return make_plan(list_, {.id = "WFS-x", .folder = "f"}); }

  void hear() {
    for (const auto& turn : story_.commanded<command::TakeTurn>()) lineup_.ask(at(turn.step));
  }

  void take_turns() {
    hear();
    while (const auto task = lineup_.next(1)) {
      const std::string& id = list_.tasks[*task].id;
      reads.push_back(id);
      Task file;
      file.id = id;
      file.depends_on = files_[id].needs;
      const TurnWord word = lineup_.tell(
          *task,
          {.completed = files_[id].completed, .grouped = true, .needs = needs_of(file, list_.tasks[*task], index_)});
      if (word.kind == TurnWord::Kind::wait) {
        event::PlanExtended waits;
        waits.by = step_index(*task);
        waits.first = step_index(story_.run.step_count());
        for (const std::size_t need : word.needs) waits.joins.emplace_back(waits.by, step_index(need));
        story_.happens(std::move(waits));
      } else if (word.kind == TurnWord::Kind::done) {
        story_.turns(id, TurnVerdict::done);
        lineup_.ended(*task, true);
      } else {
        story_.turns(id, TurnVerdict::go);
        return;
      }
      hear();
    }
  }

  TodoList list_;
  std::map<std::string, SessionFile> files_;
  TaskIndex index_;
  Lineup lineup_;
  Story story_;
};

TEST(SessionRuns, FindTheirOrderTurnByTurn) {
  Driver d{"- [ ] **A-1**: t\n- [x] **A-2**: t\n- [ ] **A-3**: t\n- [ ] **A-4**: t\n",
           {{"A-1", {{"A-3", "A-2"}}}, {"A-3", {{"A-4"}}}}};
  d.run();
  EXPECT_EQ(d.result().state(), RunState::completed);
  EXPECT_THAT(d.order, ElementsAre("A-4", "A-3", "A-1"));
}

TEST(SessionRuns, CountWhatAFileSaysIsDone) {
  Driver d{"- [ ] **A-1**: t\n- [ ] **A-2**: t\n",
           {{"A-1", {.needs = {"A-2"}, .completed = true}}, {"A-2", {{"A-1"}}}}};
  d.run();
  EXPECT_EQ(d.result().state(), RunState::completed);
  EXPECT_THAT(d.order, ElementsAre("A-2"));
  EXPECT_THAT(status_changes(d.result(), step_index(0)), IsEmpty());
  EXPECT_TRUE(box_change(d.result(), step_index(0), true));
}

TEST(SessionRuns, ReadAFileWhenThereIsRoomForItsTask) {
  std::string text;
  for (int i = 0; i < 1'000; ++i) text += fmt::format("- [ ] **A-{}**: t\n", i);
  Driver d{text, {}};
  EXPECT_THAT(d.reads, IsEmpty());
  d.run();
  EXPECT_THAT(d.order, SizeIs(1'000));
  EXPECT_THAT(d.reads, SizeIs(1'000)) << "each once";
  EXPECT_EQ(d.result().state(), RunState::completed);
}

TEST(SessionRuns, WithContainersCompleteThemLast) {
  Driver d{"▸ **A-1**: t\n  - [ ] **A-1.1**: t\n  - [ ] **A-1.2**: t\n- [ ] **A-2**: t\n", {{"A-2", {{"A-1.2"}}}}};
  d.run();
  EXPECT_EQ(d.result().state(), RunState::completed);
  EXPECT_EQ(d.result().of(step_index(0)).state, StepState::completed);
}

// What the files are told ---------------------------------------------------------------------------------------------

Story begun() {
  Story story{"a; b: a"};
  story.policy("a").retries = 1;
  story.now = time_from_ms(1794744000000);
  story.begin();
  return story;
}

std::string told(const Story& story, std::string_view id, const std::string& before) {
  const auto after = with_changes(before, "f", status_changes(story.run, story.step(id)));
  EXPECT_TRUE(after);
  EXPECT_EQ(*with_changes(*after, "f", status_changes(story.run, story.step(id))), *after) << "once is enough";
  return after.value_or("");
}

TEST(Reflections, LetTheEndStandInAFileThatSaidBeforeThatItIsAtWork) {
  Story story = begun();
  story.begins("a").after(Millis{1000}).fails("a", false);
  const std::string after = told(story, "a", R"({"status":"in_progress"})");
  EXPECT_THAT(after, HasSubstr(R"({"status":"failed")"));
}

TEST(Reflections, SayWhenATaskBeganAndEnded) {
  Story story = begun();
  const std::string pending = R"({"status":"pending"})";
  EXPECT_EQ(told(story, "a", pending), pending);
  story.after(Millis{1000}).begins("a");
  const std::string at_work = told(story, "a", pending);
  EXPECT_EQ(
      at_work,
      R"({"status":"in_progress","status_history":[{"from":"pending","to":"in_progress","changed_at":"2026-11-15T12:00:01Z"}]})");
  EXPECT_FALSE(box_change(story.run, story.step("a"), false));
  story.after(Millis{60'000}).ends("a");
  EXPECT_THAT(told(story, "a", at_work),
              HasSubstr(R"({"from":"in_progress","to":"completed","changed_at":"2026-11-15T12:01:01Z"}])"));
  EXPECT_EQ(box_change(story.run, story.step("a"), true)->id, "a");
}

TEST(Reflections, LeaveTheAgentsOwnWordAlone) {
  Story story = begun();
  story.begins("a");
  const std::string at_work = told(story, "a", R"({"status":"pending"})");
  std::string edited = at_work;
  edited.replace(edited.find("in_progress"), 11, "completed");
  EXPECT_EQ(told(story, "a", edited), edited);
  story.ends("a");
  EXPECT_EQ(told(story, "a", edited), edited);
}

TEST(Reflections, KeepWhatWentWrongInTheHistory) {
  Story story = begun();
  story.begins("a").after(Millis{1000}).fails("a");
  const std::string once = told(story, "a", R"({"status":"pending"})");
  EXPECT_THAT(
      once,
      HasSubstr(
          R"("to":"in_progress","changed_at":"2026-11-15T12:00:01Z","note":"attempt 1: command-failed: exit code 1"})"));
  EXPECT_THAT(once, HasSubstr(R"({"status":"in_progress")"));
  story.after(Millis{2000}).fires(TimerId::Kind::retry, "a").begins("a").after(Millis{1000}).fails("a");
  ASSERT_EQ(story.state("a"), StepState::failed);
  const std::string last = told(story, "a", once);
  EXPECT_THAT(last, HasSubstr(R"({"status":"failed")"));
  EXPECT_THAT(last,
              HasSubstr(R"("to":"failed","changed_at":"2026-11-15T12:00:04Z","note":"command-failed: exit code 1"})"));
  EXPECT_EQ(told(story, "b", R"({"status":"pending"})"), R"({"status":"pending"})") << "it was skipped";
  EXPECT_EQ(session_change(story.run).status, "partial");
}

TEST(Reflections, CallATaskBlockedWhoseTimeWasUp) {
  Story story = begun();
  story.begins("a").ends("a", Failure{"attempt-timed-out", "10m", false});
  EXPECT_THAT(told(story, "a", R"({"status":"pending"})"), HasSubstr(R"({"status":"blocked")"));
}

TEST(Reflections, SayHowTheSessionIs) {
  Story story = begun();
  EXPECT_EQ(session_change(story.run).status, "active");
  EXPECT_FALSE(session_change(story.run).completed);
  story.after(Millis{5000}).all_goes_well();
  EXPECT_EQ(session_change(story.run).status, "completed");
  EXPECT_EQ(session_change(story.run).completed, story.run.finished());
}

}  // namespace
}  // namespace baton::session
