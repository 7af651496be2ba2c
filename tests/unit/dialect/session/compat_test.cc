// Sessions as another program writes them: samples of ours, and other people's own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/boost_json.h"
#include "dialect/session/agents.h"
#include "dialect/session/briefing.h"
#include "dialect/session/discovery.h"
#include "dialect/session/flow_control.h"
#include "dialect/session/order.h"
#include "dialect/session/reconcile.h"
#include "dialect/session/session_file.h"
#include "dialect/session/session_plan.h"
#include "dialect/session/summary.h"
#include "dialect/session/task_edit.h"
#include "support/samples.h"
#include "text/json_patch.h"

namespace baton::session {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;
using testing::SizeIs;

std::string text_of(const fs::path& path) {
  std::ifstream in{path, std::ios::binary};
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

class SessionCompat : public testing::TestWithParam<test::Origin> {
 protected:
  void SetUp() override {
    if (const auto why = test::absent(GetParam(), sample.folder); !why.empty()) GTEST_SKIP() << why;
  }
  const test::SampleSessions sample = test::sessions_of(GetParam());
  const fs::path samples = sample.folder;

  /// Everything of a session, read.
  struct Session {
    fs::path folder;
    TodoList list;
    PlanDoc plan;
    std::vector<TaskRead> files;
    std::vector<TaskRecord> records;
    std::vector<Needs> needs;
    std::vector<bool> done;
  };

  Session open(const std::string& name) const {
    Session s;
    s.folder = samples / name;
    s.list = read_todo(text_of(s.folder / "TODO_LIST.md"), "TODO_LIST.md");
    s.plan = joined(
        fs::exists(s.folder / "plan.json") ? read_plan_json(text_of(s.folder / "plan.json"), "plan.json") : PlanDoc{},
        read_impl_plan(text_of(s.folder / "IMPL_PLAN.md")));
    const TaskIndex index{s.list};
    for (const TodoTask& t : s.list.tasks) {
      const std::string file = ".task/" + t.id + ".json";
      s.files.push_back(read_task(text_of(s.folder / file), file, t.id));
      const TaskRead& read = s.files.back();
      s.records.push_back({t.id, t.state, read.task ? TaskRecord::File::read : TaskRecord::File::corrupt,
                           read.task ? read.task->status : "",
                           fs::exists(s.folder / ".summaries" / (t.id + "-summary.md"))});
      s.needs.push_back(needs_of(read.task.value_or(Task{}), t, index));
      s.done.push_back(counts_as_done(s.records.back(), DonePolicy::either));
    }
    return s;
  }

  static std::vector<std::string> ids(const Session& s, const std::vector<std::size_t>& places) {
    std::vector<std::string> out;
    for (const std::size_t i : places) out.push_back(s.list.tasks[i].id);
    return out;
  }

  static std::vector<std::string> differing(const Session& s) {
    std::vector<std::string> out;
    for (const Disagreement& d : disagreements(s.records, DonePolicy::either)) out.push_back(d.id);
    return out;
  }
};

INSTANTIATE_TEST_SUITE_P(Samples, SessionCompat, test::both_origins(), test::origin_name);

std::vector<std::string> completed(const TodoList& list) {
  std::vector<std::string> out;
  for (const TodoTask& t : list.tasks) {
    if (t.state == BoxState::completed) out.push_back(t.id);
  }
  return out;
}

TEST_P(SessionCompat, PhasedSessionIsReadWithItsTasksStatesAndNeeds) {
  const Session s = open(sample.phased);
  ASSERT_THAT(s.list.tasks, SizeIs(8));
  EXPECT_THAT(s.list.faults, IsEmpty());
  EXPECT_EQ(s.list.other_boxes, 0U);
  EXPECT_THAT(completed(s.list), ElementsAre("IMPL-001", "IMPL-004", "IMPL-008"));
  EXPECT_EQ(s.list.tasks[2].title, sample.third_title);
  EXPECT_EQ(s.plan.model, ExecutionModel::phased);
  EXPECT_THAT(s.plan.task_ids, SizeIs(8));
  EXPECT_THAT(phases_of(s.list, s.plan), ElementsAre(1, 1, 2, 2, 3, 4, 4, 5));
  for (const TaskRead& read : s.files) {
    ASSERT_TRUE(read.task);
    EXPECT_THAT(read.faults, IsEmpty());
    EXPECT_TRUE(read.task->group);
    EXPECT_EQ(agent_of(*read.task).name, "code-developer");
  }
  EXPECT_THAT(s.needs[0].known, IsEmpty());
  EXPECT_THAT(ids(s, s.needs[2].known), ElementsAre("IMPL-001"));
  EXPECT_THAT(ids(s, s.needs[5].known), ElementsAre("IMPL-001", "IMPL-003"));
  EXPECT_THAT(ids(s, s.needs[6].known), ElementsAre("IMPL-003", "IMPL-006"));
  EXPECT_THAT(ids(s, s.needs[7].known),
              ElementsAre("IMPL-002", "IMPL-003", "IMPL-004", "IMPL-005", "IMPL-006", "IMPL-007"));
}

TEST_P(SessionCompat, PhasedSessionDisagreesInFourTasksAndHasTwoLeft) {
  const Session s = open(sample.phased);
  EXPECT_THAT(differing(s), ElementsAre("IMPL-002", "IMPL-006", "IMPL-007", "IMPL-008"));
  const Waves waves = waves_of(s.needs, s.done, s.plan.model, phases_of(s.list, s.plan));
  ASSERT_THAT(waves.waves, SizeIs(2));
  EXPECT_THAT(ids(s, waves.waves[0]), ElementsAre("IMPL-003"));
  EXPECT_THAT(ids(s, waves.waves[1]), ElementsAre("IMPL-005"));
  EXPECT_THAT(waves.cycles, IsEmpty());
  EXPECT_THAT(waves.blocked, IsEmpty());
}

TEST_P(SessionCompat, PhasedSessionIsSyncedWithAMinimalDiff) {
  const Session s = open(sample.phased);
  const std::string before = text_of(s.folder / "TODO_LIST.md");
  const TodoEdit edit = edit_todo(before, "TODO_LIST.md", box_changes(disagreements(s.records, DonePolicy::either)));
  EXPECT_THAT(edit.warnings, IsEmpty());
  std::istringstream one{before};
  std::istringstream other{edit.text};
  std::string left;
  std::string right;
  std::vector<std::string> changed;
  while (std::getline(one, left) && std::getline(other, right)) {
    if (left != right) changed.push_back(right);
  }
  ASSERT_THAT(changed, SizeIs(4));
  EXPECT_EQ(changed[0], sample.synced_line);
  EXPECT_THAT(completed(read_todo(edit.text, "t")), SizeIs(6));
}

TEST_P(SessionCompat, PhasedSessionHasAnOddSessionFile) {
  const auto file = read_session_file(text_of(samples / sample.phased / "workflow-session.json"), "s");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->status, "phase2-complete");
  EXPECT_FALSE(file->has_project);
  EXPECT_EQ(file->type, "");
}

TEST_P(SessionCompat, PhasedSessionPathsOfItsAuthorsMachineLeadIntoTheProject) {
  const Session s = open(sample.phased);
  FlowControl flow{*s.files[2].task, s.plan, {"/p", ".workflow/active/" + sample.phased, ""}};
  std::vector<std::string> paths;
  while (const auto action = flow.next()) {
    EXPECT_EQ(action->kind, FlowCommand::Kind::read);
    paths.push_back(action->text);
    flow.answer({true, "text"});
  }
  ASSERT_THAT(paths, SizeIs(4));
  EXPECT_EQ(paths[0], ".workflow/active/" + sample.phased + "/.process/context-package.json");
  EXPECT_EQ(paths[3], sample.source_read);
  EXPECT_FALSE(flow.failure());
  EXPECT_EQ(flow.outcomes().back().state, FlowOutcome::State::handed_on);
}

TEST_P(SessionCompat, SequentialSessionIsReadWithItsTasksStatesAndNeeds) {
  const Session s = open(sample.sequential);
  ASSERT_THAT(s.list.tasks, SizeIs(6)) << "three bullets are links and no boxes";
  EXPECT_THAT(s.list.faults, IsEmpty());
  EXPECT_EQ(s.list.other_boxes, 0U);
  EXPECT_THAT(completed(s.list), ElementsAre("IMPL-001", "IMPL-002"));
  EXPECT_EQ(s.list.tasks[0].title, sample.first_title);
  EXPECT_EQ(s.plan.model, ExecutionModel::sequential);
  EXPECT_THAT(ids(s, s.needs[3].known), ElementsAre("IMPL-003"));
  EXPECT_THAT(ids(s, s.needs[5].known), ElementsAre("IMPL-001", "IMPL-002", "IMPL-005"));
  EXPECT_THAT(s.needs[0].known, IsEmpty());
  EXPECT_FALSE(s.files[0].task->group);
  EXPECT_EQ(s.files[5].task->type, "test-gen");
}

TEST_P(SessionCompat, SequentialSessionHasOneCorruptTaskWhichIsAllThatIsLeft) {
  const Session s = open(sample.sequential);
  EXPECT_FALSE(s.files[4].task);
  ASSERT_THAT(s.files[4].faults, SizeIs(1));
  EXPECT_EQ(s.files[4].faults[0].code, "corrupt-task-file");
  EXPECT_EQ(s.files[4].faults[0].place.line, sample.broken_line);
  EXPECT_THAT(differing(s), ElementsAre("IMPL-003", "IMPL-004", "IMPL-005", "IMPL-006"));
  EXPECT_THAT(s.done, ElementsAre(true, true, true, true, false, true));
  for (const TaskRecord& r : s.records) EXPECT_TRUE(r.has_summary) << r.id;
  EXPECT_FALSE(set_status(text_of(s.folder / ".task/IMPL-005.json"), "f", {.to = "in_progress"}));
}

TEST_P(SessionCompat, SequentialSessionStillSaysPlanning) {
  const std::string text = text_of(samples / sample.sequential / "workflow-session.json");
  EXPECT_EQ(read_session_file(text, "s")->status, "planning");
  const auto edited = edit_session_file(text, "s", {.status = "active", .started = time_from_ms(1794744000000)});
  ASSERT_TRUE(edited);
  EXPECT_EQ(read_session_file(*edited, "s")->started_at, "2026-11-15T12:00:00Z");
  const std::string untouched = text.substr(0, text.find("planning"));
  EXPECT_EQ(edited->substr(0, untouched.size()), untouched);
}

TEST_P(SessionCompat, EveryTaskFileIsEditedInItsStatusAndHistoryOnly) {
  std::size_t edited = 0;
  for (const auto& session : fs::directory_iterator{samples}) {
    for (const auto& file : fs::directory_iterator{session.path() / ".task"}) {
      const std::string before = text_of(file.path());
      const auto object = read_object(before, "f", "x");
      if (!object) continue;
      const auto after = set_status(before, "f", {.to = "blocked", .at = {}, .even_if_completed = true});
      ASSERT_TRUE(after) << file.path();
      ++edited;
      auto expected = *object;
      const auto changed = read_object(*after, "f", "x");
      ASSERT_TRUE(changed) << file.path();
      expected["status"] = "blocked";
      auto history = changed->at("status_history").as_array();
      EXPECT_EQ(history.back().at("to").as_string(), "blocked");
      expected["status_history"] = history;
      EXPECT_EQ(*changed, expected) << file.path();
      // Nothing but lines that are new, the comma before them, and the status itself.
      std::istringstream lines{before};
      std::string line;
      std::size_t kept = 0;
      std::size_t all = 0;
      for (; std::getline(lines, line); ++all) kept += after->find(line) != std::string::npos ? 1 : 0;
      EXPECT_GE(kept + 3, all) << file.path();
    }
  }
  EXPECT_EQ(edited, 13U);
}

TEST_P(SessionCompat, SummariesOfPeopleNameTheirFiles) {
  EXPECT_THAT(files_in_summary(text_of(samples / sample.phased / ".summaries/IMPL-006-summary.md")),
              Contains(sample.summed_up));
  EXPECT_THAT(files_in_summary(text_of(samples / sample.sequential / ".summaries/IMPL-001-summary.md")),
              ElementsAre(sample.first_changed));
}

/// Half a file, or one with a byte changed: nothing breaks, and what is written once is written for good.
TEST_P(SessionCompat, DamagedFilesAreReadAsFarAsTheyGo) {
  const Time now = time_from_ms(1794744000000);
  for (const std::string& name : {sample.phased, sample.sequential}) {
    const std::string list = text_of(samples / name / "TODO_LIST.md");
    for (std::size_t at = 0; at < list.size(); at += 7) {
      std::string damaged = at % 2 == 0 ? list.substr(0, at) : list;
      if (at % 2 != 0) damaged[at] = static_cast<char>(static_cast<unsigned char>(damaged[at]) ^ (1U + at % 255U));
      std::vector<TodoChange> all;
      for (const TodoTask& t : read_todo(damaged, "t").tasks) all.push_back({t.id, BoxState::completed, true});
      const std::string once = edit_todo(damaged, "t", all).text;
      EXPECT_EQ(edit_todo(once, "t", all).text, once) << name << " " << at;
      EXPECT_EQ(completed(read_todo(once, "t")).size(), all.size()) << name << " " << at;
    }
    const std::string task = text_of(samples / name / ".task/IMPL-004.json");
    for (std::size_t at = 0; at < task.size(); at += 13) {
      std::string damaged = task;
      damaged[at] = static_cast<char>(static_cast<unsigned char>(damaged[at]) ^ (1U + at % 127U));
      const auto once = set_status(damaged, "f", {.to = "blocked", .at = now, .even_if_completed = true});
      if (!once) continue;
      EXPECT_TRUE(read_object(*once, "f", "x")) << name << " " << at;
      EXPECT_EQ(*set_status(*once, "f", {.to = "blocked", .at = now, .even_if_completed = true}), *once);
    }
  }
}

TEST_P(SessionCompat, EveryTaskHasABriefingWithAllItAsksFor) {
  for (const std::string& name : {sample.phased, sample.sequential}) {
    const Session s = open(name);
    for (const TaskRead& read : s.files) {
      if (!read.task) continue;
      ContextPackage p;
      p.task = *read.task;
      p.plan = s.plan;
      p.folder = ".workflow/active/" + name;
      p.variables = variables_of(p.task, p.plan);
      const std::string text = briefing(p);
      for (const std::string& a : p.task.acceptance) EXPECT_NE(text.find(a), std::string::npos) << a;
      for (const ApproachStep& step : p.task.approach) EXPECT_NE(text.find(step.title), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace baton::session
