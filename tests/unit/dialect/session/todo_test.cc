// TODO_LIST.md in the forms that people and programs write it in.
#include "dialect/session/todo.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dialect/session/task_id.h"
#include "dialect/session/todo_edit.h"

namespace baton::session {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;
using testing::SizeIs;

TodoList list_of(const std::string& text) { return read_todo(text, "TODO_LIST.md"); }

TodoTask todo_of(const std::string& text) {
  const TodoList list = list_of(text);
  EXPECT_THAT(list.tasks, SizeIs(1)) << text;
  return list.tasks.empty() ? TodoTask{} : list.tasks.front();
}

std::vector<std::string> ids(const TodoList& list) {
  std::vector<std::string> out;
  for (const TodoTask& t : list.tasks) out.push_back(t.id);
  return out;
}

TEST(TaskIds, AreCapitalsAndANumber) {
  for (const char* id : {"IMPL-001", "IMPL-1", "IMPL-001.5", "IMPL-1.1.1", "IMPL-A1", "TEST-1.1", "REFACTOR-1.1", "T1",
                         "L0", "TDD-AUTH-01"}) {
    EXPECT_TRUE(is_task_id(id)) << id;
  }
  for (const char* id : {"", "Phase", "impl-1", "IMPL", "IMPL-", "-1", "IMPL-x", "HTTP2", "IMPL-001.", "IMPL-1/..", "1",
                         "IMPL--1", "IMPL-ABCD1", "A-1-"}) {
    EXPECT_FALSE(is_task_id(id)) << id;
  }
}

TEST(TaskIds, AreFoundInTextsButNotInRemarks) {
  EXPECT_THAT(task_ids_in("IMPL-001, `IMPL-002` and **T3** (after IMPL-9), xIMPL-4 （IMPL-5） IMPL-001"),
              ElementsAre("IMPL-001", "IMPL-002", "T3"));
  EXPECT_THAT(task_ids_in("None"), IsEmpty());
}

TEST(TaskIds, SortAsPeopleCount) {
  EXPECT_TRUE(comes_before("IMPL-2", "IMPL-10"));
  EXPECT_TRUE(comes_before("IMPL-1.9", "IMPL-1.10"));
  EXPECT_FALSE(comes_before("IMPL-10", "IMPL-2"));
  EXPECT_FALSE(comes_before("IMPL-2", "IMPL-2"));
}

struct Case {
  const char* line;
  const char* id;
  const char* title;
  BoxState state;
};

TEST(TodoLines, AreReadInEveryFormThereIs) {
  const auto pending = BoxState::pending;
  const auto done = BoxState::completed;
  const Case cases[] = {
      {"- [ ] **IMPL-001**: A title → [📋](./.task/IMPL-001.json)", "IMPL-001", "A title", pending},
      {"- [x] **IMPL-1.2**: A → [📋](./.task/IMPL-1.2.json) | [✅](./.summaries/IMPL-1.2-summary.md)", "IMPL-1.2", "A",
       done},
      {"- [x] **IMPL-1**: A → [✅](./.summaries/IMPL-1-summary.md)", "IMPL-1", "A", done},
      {"- [X] **IMPL-1**: A -> [task](.task/IMPL-1.json)", "IMPL-1", "A", done},
      {"* [ ] **IMPL-1**: (a → b) → [Task JSON](./.task/IMPL-1.json)  ", "IMPL-1", "(a → b)", pending},
      {"- [ ] **IMPL-1**: A â†’ [ðŸ“‹](./.task/IMPL-1.json)", "IMPL-1", "A", pending},
      {"- [ ] **IMPL-1**: A \xC3\xA2\xC2\x86\xC2\x92 [x](./.task/IMPL-1.json)", "IMPL-1", "A", pending},
      {"- [ ] `IMPL-001` text of it", "IMPL-001", "text of it", pending},
      {"- [ ] IMPL-1: text", "IMPL-1", "text", pending},
      {"- [ ] IMPL-1 text", "IMPL-1", "text", pending},
      {"- [ ] **IMPL-1:** text", "IMPL-1", "text", pending},
      {"- [ ] **IMPL-1: text**", "IMPL-1", "text", pending},
      {"- [ ] **`IMPL-1`**：修复 404 错误 → [📋](./.task/IMPL-1.json)", "IMPL-1", "修复 404 错误", pending},
      {"- [ ] [IMPL-1](./.task/IMPL-1.json): text", "IMPL-1", "text", pending},
      {"- [x] ✅ **IMPL-A1**: 🚀 go → [📋 Details](./.task/IMPL-A1.json) ✅ 已完成 (2026-01-25)", "IMPL-A1", "🚀 go",
       done},
      {"1. [ ] **T1**: one", "T1", "one", pending},
      {"- [~] **IMPL-1**: A", "IMPL-1", "A", BoxState::in_progress},
      {"- [/] **IMPL-1**: A", "IMPL-1", "A", BoxState::in_progress},
      {"- [-] **IMPL-1**: A", "IMPL-1", "A", BoxState::blocked},
      {"- [✅] **IMPL-1**: A", "IMPL-1", "A", done},
      {"- ☐ **IMPL-1**: A", "IMPL-1", "A", pending},
      {"- [] **IMPL-1**: A", "IMPL-1", "A", pending},
      {"\t- [ ] **IMPL-1**: A", "IMPL-1", "A", pending},
      {"- [ ] **IMPL-1**: A →", "IMPL-1", "A", pending},
  };
  for (const Case& c : cases) {
    const TodoTask task = todo_of(c.line);
    EXPECT_EQ(task.id, c.id) << c.line;
    EXPECT_EQ(task.title, c.title) << c.line;
    EXPECT_EQ(task.state, c.state) << c.line;
  }
}

TEST(TodoLines, ThatAreNoTasksAreNone) {
  for (const char* line :
       {"- [IMPL_PLAN.md](./IMPL_PLAN.md) - the plan", "- [ ] All tests pass", "- [ ] **Phase 3**: later",
        "- [x](./.task/IMPL-1.json)", "- **IMPL-1**: no box", "IMPL-1: text", "- `- [ ]` = pending", "- [ ]", "- [ ] ",
        "text - [ ] **IMPL-1**: x", "    "}) {
    const TodoList list = list_of(line);
    EXPECT_THAT(list.tasks, IsEmpty()) << line;
    ASSERT_THAT(list.faults, SizeIs(1));
    EXPECT_EQ(list.faults[0].code, "session-without-tasks");
  }
}

TEST(TodoLists, CountTasksAndNotWhateverHasABox) {
  const TodoList list = list_of(
      "- [ ] **IMPL-1**: a\n- [x] **IMPL-2**: b\n\n## Gates\n- [x] tests\n- [ ] IMPL-1 Graph - Red Phase\n- [ ] "
      "**Phase 3**: more\n- [link](x)\n- [x](y)\n");
  EXPECT_THAT(ids(list), ElementsAre("IMPL-1", "IMPL-2"));
  EXPECT_EQ(list.other_boxes, 3U);
  EXPECT_EQ(progress_of(list).done, 1U);
  EXPECT_EQ(progress_of(list).total, 2U);
  EXPECT_EQ(progress_of(list).percent(), 50U);
}

TEST(TodoLists, TakeTheClearerOfTwoLines) {
  const TodoList list = list_of("- [ ] IMPL-1: Red\n- [x] **IMPL-1**: a\n- [ ] IMPL-1: Green\n");
  ASSERT_THAT(list.tasks, SizeIs(1));
  EXPECT_EQ(list.tasks[0].title, "a");
  EXPECT_EQ(list.other_boxes, 2U);
  EXPECT_THAT(list.faults, IsEmpty());
}

TEST(TodoLists, PassOverFencesCommentsAndLegends) {
  const TodoList list = list_of(
      "```\n- [ ] **IMPL-7**: x\n```\n~~~~md\n- [ ] **IMPL-8**: x\n```\n~~~~\n<!--\n- [ ] **IMPL-9**: x\n-->\n"
      "- [ ] **IMPL-1**: a\n## 状态说明\n- [ ] **IMPL-3**: pending\n### more\n- [x] **IMPL-4**: done\n## Next\n"
      "- [ ] **IMPL-2**: b\n");
  EXPECT_THAT(ids(list), ElementsAre("IMPL-1", "IMPL-2"));
}

TEST(TodoLists, OfHeadingsAreReadWhereThereIsNoClearerForm) {
  const TodoList list = list_of(
      "### ✅ Phase 1: Foundation - IMPL-001\n**Status**: Completed\n- [x] IMPL-001 builds\n- [x] a deliverable\n\n"
      "### ⏳ Phase 2: Rest - IMPL-002\n**Dependencies**: IMPL-001, IMPL-003 (if there)\n**Status**: pending\n"
      "### IMPL-003: Third\n");
  EXPECT_THAT(ids(list), ElementsAre("IMPL-001", "IMPL-002", "IMPL-003"));
  EXPECT_EQ(list.tasks[0].state, BoxState::completed);
  EXPECT_EQ(list.tasks[0].title, "Phase 1: Foundation");
  EXPECT_EQ(list.tasks[1].state, BoxState::pending);
  EXPECT_THAT(list.tasks[1].depends_on, Optional(ElementsAre("IMPL-001", "IMPL-003")));
  EXPECT_EQ(list.tasks[2].title, "Third");
  EXPECT_THAT(ids(list_of("## IMPL-9 details\n- [ ] **IMPL-1**: a\n")), ElementsAre("IMPL-1"));
}

TEST(TodoLists, HaveContainersThatAreWhatTheirChildrenAre) {
  const TodoList list = list_of(
      "▸ **IMPL-001**: Parent → [📋](./.task/IMPL-001.json)\n  - [x] **IMPL-001.1**: a → "
      "[📋](./.task/IMPL-001.1.json)\n"
      "  - [ ] **IMPL-001.2**: b\n▸ **IMPL-002**: Other\n- [x] **IMPL-002.1**: c\n");
  ASSERT_THAT(list.tasks, SizeIs(5));
  EXPECT_TRUE(list.tasks[0].container);
  EXPECT_EQ(list.tasks[0].state, BoxState::in_progress);
  EXPECT_THAT(list.tasks[2].parent, Optional(0U));
  EXPECT_THAT(list.tasks[4].parent, Optional(3U));
  EXPECT_EQ(list.tasks[3].state, BoxState::completed);
  EXPECT_EQ(progress_of(list).total, 3U);
}

TEST(TodoLists, SayWhatTasksNeedInSeveralWays) {
  const auto needs = [](const std::string& text) { return list_of(text).tasks.at(0).depends_on; };
  EXPECT_THAT(needs("- [ ] **IMPL-2**: b [depends: TEST-1.1] → [📋](.task/IMPL-2.json)"),
              Optional(ElementsAre("TEST-1.1")));
  EXPECT_EQ(list_of("- [ ] **IMPL-2**: b [depends: TEST-1.1] → [📋](.task/IMPL-2.json)").tasks[0].title, "b");
  EXPECT_THAT(needs("- [ ] **IMPL-2**: b （depends_on: `IMPL-1`, `IMPL-3`）"),
              Optional(ElementsAre("IMPL-1", "IMPL-3")));
  EXPECT_THAT(needs("- [ ] **IMPL-2**: b\n  - Depends on: IMPL-1, IMPL-3\n"),
              Optional(ElementsAre("IMPL-1", "IMPL-3")));
  EXPECT_THAT(needs("- [ ] **IMPL-2**: b\n\n  **Dependencies**: None\n"), Optional(IsEmpty()));
  EXPECT_THAT(needs("- [ ] **IMPL-2**: b\n  - **依赖**：IMPL-1\n"), Optional(ElementsAre("IMPL-1")));
  EXPECT_EQ(needs("- [ ] **IMPL-2**: this depends on nothing\n\nIMPL-2 depends on: IMPL-1\n"), std::nullopt);
}

TEST(TodoLists, TakeLinksAndAgentsFromBeneath) {
  const TodoTask task = todo_of(
      "- [ ] IMPL-2 b\n  - Agent: @code-developer\n  - Status: completed\n  - Link: [task](./.task/IMPL-2.json)\n");
  EXPECT_EQ(task.form, LineForm::linked);
  EXPECT_EQ(task.agent, "@code-developer");
  EXPECT_EQ(task.state, BoxState::pending) << "the box says it";
  EXPECT_TRUE(task.task_link);
}

TEST(TodoLists, KnowThePhaseOfATask) {
  const TodoList list = list_of(
      "## Phase 1: a\n- [ ] **IMPL-1**: a\n### part\n- [ ] **IMPL-2**: b\n## 第2阶段\n- [ ] **IMPL-3**: c\n## Rest\n- "
      "[ ] "
      "**IMPL-4**: d\n");
  EXPECT_THAT(list.tasks[0].phase, Optional(1));
  EXPECT_THAT(list.tasks[1].phase, Optional(1));
  EXPECT_THAT(list.tasks[2].phase, Optional(2));
  EXPECT_EQ(list.tasks[3].phase, std::nullopt);
}

TEST(TodoLists, WarnOfWhatIsListedTwiceAndOfUnknownMarks) {
  const TodoList list = list_of("- [ ] **IMPL-1**: a\n- [x] **IMPL-1**: b\n- [?] **IMPL-2**: c\n");
  EXPECT_THAT(ids(list), ElementsAre("IMPL-1", "IMPL-2"));
  EXPECT_EQ(list.tasks[0].title, "a");
  ASSERT_THAT(list.faults, SizeIs(2));
  EXPECT_EQ(list.faults[0].code, "duplicate-task");
  EXPECT_EQ(list.faults[0].place.line, 2);
  EXPECT_EQ(list.faults[1].code, "unknown-mark");
  EXPECT_FALSE(has_errors(list.faults));
}

TEST(TodoLists, OfTenThousandTasksAreReadAtOnce) {
  std::string text = "# Tasks: many\n";
  for (int i = 0; i < 10'000; ++i) {
    text += fmt::format("- [{}] **IMPL-{:05}**: Title {} → [📋](./.task/IMPL-{:05}.json)\n", i % 2 == 0 ? 'x' : ' ', i,
                        i, i);
  }
  const TodoList list = list_of(text);
  EXPECT_THAT(list.tasks, SizeIs(10'000));
  EXPECT_EQ(progress_of(list).done, 5'000U);
}

// Editing -----------------------------------------------------------------------------------------------------------

std::string edited(const std::string& text, const std::vector<TodoChange>& changes) {
  TodoEdit edit = edit_todo(text, "TODO_LIST.md", changes);
  EXPECT_THAT(edit.warnings, IsEmpty());
  return edit.text;
}

TEST(TodoEdits, ChangeOneBoxAndAddOneLink) {
  const std::string before =
      "\xEF\xBB\xBF# Tasks: x\r\n\r\n- [ ] **IMPL-1**: a → [📋](./.task/IMPL-1.json)  \r\n  *note*\r\n- [ ] "
      "**IMPL-2**: "
      "b\r\n";
  EXPECT_EQ(edited(before, {{"IMPL-1", BoxState::completed, true}}),
            "\xEF\xBB\xBF# Tasks: x\r\n\r\n- [x] **IMPL-1**: a → [📋](./.task/IMPL-1.json) | "
            "[✅](./.summaries/IMPL-1-summary.md)  \r\n  *note*\r\n- [ ] **IMPL-2**: b\r\n");
}

TEST(TodoEdits, FitTheFormOfTheLine) {
  const auto complete = [](const std::string& text) { return edited(text, {{"IMPL-1", BoxState::completed, true}}); };
  EXPECT_EQ(complete("- [ ] IMPL-1: a  \n"), "- [x] IMPL-1: a → [✅](./.summaries/IMPL-1-summary.md)  \n");
  EXPECT_EQ(complete("- [ ] IMPL-1 a\n  - Link: [task](./.task/IMPL-1.json)"),
            "- [x] IMPL-1 a\n  - Link: [task](./.task/IMPL-1.json) | [✅](./.summaries/IMPL-1-summary.md)");
  EXPECT_EQ(complete("### ⏳ Phase 1: a - IMPL-1\n**Status**: Pending\n"),
            "### ✅ Phase 1: a - IMPL-1 → [✅](./.summaries/IMPL-1-summary.md)\n**Status**: Completed\n");
  EXPECT_EQ(complete("- ☐ **IMPL-1**: a [s](./.summaries/IMPL-1-summary.md)"),
            "- ✅ **IMPL-1**: a [s](./.summaries/IMPL-1-summary.md)");
  EXPECT_EQ(complete("- [] **IMPL-1**: a [s](./.summaries/x.md)"), "- [x] **IMPL-1**: a [s](./.summaries/x.md)");
}

TEST(TodoEdits, LeaveAloneWhatSaysSoAlready) {
  const std::string done = "- [X] **IMPL-1**: a → [✅](./.summaries/IMPL-1-summary.md)\n";
  EXPECT_EQ(edited(done, {{"IMPL-1", BoxState::completed, true}}), done);
  const std::string once = edited("- [ ] **IMPL-1**: a\n", {{"IMPL-1", BoxState::completed, true}});
  EXPECT_EQ(edited(once, {{"IMPL-1", BoxState::completed, true}}), once);
}

TEST(TodoEdits, ChangeManyAtOnceAndTheRightOneOfTwoLines) {
  EXPECT_EQ(edited("- [ ] IMPL-1 Red Phase\n- [ ] **IMPL-2**: b\n- [ ] **IMPL-1**: a\n",
                   {{"IMPL-1", BoxState::completed, false}, {"IMPL-2", BoxState::blocked, false}}),
            "- [ ] IMPL-1 Red Phase\n- [-] **IMPL-2**: b\n- [x] **IMPL-1**: a\n");
}

TEST(TodoEdits, DoNotWriteLinesThatAreGone) {
  const std::string before = "- [ ] **IMPL-2**: b\n";
  const TodoEdit edit = edit_todo(before, "TODO_LIST.md", {{"IMPL-1", BoxState::completed, true}});
  EXPECT_EQ(edit.text, before);
  ASSERT_THAT(edit.warnings, SizeIs(1));
  EXPECT_EQ(edit.warnings[0].code, "task-not-listed");
  EXPECT_THAT(edit.warnings[0].message, HasSubstr("IMPL-1"));
}

}  // namespace
}  // namespace baton::session
