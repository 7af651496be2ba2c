// Files of tasks: reading, writing, editing; statuses, ids, places of results.
#include "dialect/workspace/task.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_code.h"
#include "dialect/workspace/front.h"
#include "dialect/workspace/ids.h"
#include "dialect/workspace/paths.h"

namespace baton::workspace {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const Time noon = time_from_ms(1'792'065'600'000);

Task sample_task() {
  Task task;
  task.id = "copywriting-20261115-a1b2c3";
  task.priority = Priority::p1;
  task.from = "director";
  task.to = "copywriting";
  task.created_at = "2026-11-15T09:30:00.000Z";
  task.updated_at = "2026-11-15T09:30:00.000Z";
  task.output_path = "outputs/creative/copywriting/copywriting-20261115-a1b2c3.md";
  task.output_format = "Markdown: headline, body";
  task.goal = "Sell more";
  task.requirements = "Write a page.";
  return task;
}

Task read_back(const std::string& text) {
  TaskRead read = read_task(text, "tasks/copywriting-20261115-a1b2c3.md");
  EXPECT_TRUE(read.task) << text << "\n" << (read.faults.empty() ? "" : to_text(read.faults.front()));
  return read.task.value_or(Task{});
}

std::vector<std::string> faults_in(const std::string& text) {
  std::vector<std::string> found;
  for (const Fault& f : read_task(text, "tasks/copywriting-20261115-a1b2c3.md").faults) {
    found.push_back(fmt::format("{} {}:{}", f.code, f.place.line, f.place.column));
  }
  return found;
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), with);
}

TEST(WorkspaceIds, AreMadeOfSkillDayAndChance) {
  EXPECT_EQ(new_task_id("copywriting", noon, 0xFFA1B2C3), "copywriting-20261015-a1b2c3");
  EXPECT_EQ(new_task_id("copywriting", noon, 1), "copywriting-20261015-000001");
  EXPECT_EQ(pipeline_run_id("page-launch", noon), "run-page-launch-1792065600000");
  EXPECT_EQ(pipeline_id(" Page   Launch "), "page-launch");
  EXPECT_EQ(review_id("copywriting-20261015-a1b2c3", 2), "review-copywriting-20261015-a1b2c3-2");
  EXPECT_EQ(review_path("t", 0), "reviews/t-review.md");
  EXPECT_EQ(review_path("t", 2), "reviews/t-review-2.md");
}

TEST(WorkspaceTask, IsCalledLikeItsFile) {
  const std::string text = write_task(sample_task());
  const TaskRead other = read_task(text, "tasks/copy.md");
  EXPECT_FALSE(other.task) << "it is found and written to by its id";
  ASSERT_THAT(other.faults, SizeIs(1));
  EXPECT_EQ(other.faults[0].code, "bad-task-value");
  EXPECT_EQ(other.faults[0].severity, Severity::error);
  EXPECT_EQ(other.faults[0].place.line, 2);
  EXPECT_TRUE(read_task(text, "").task) << "without a file there is nothing to compare";
}

TEST(WorkspaceTask, IsNotCalledLikeARevisionOfAnother) {
  for (const char* id : {"b:r2", "b:r1", "b:c:r12"}) {
    Task task = sample_task();
    task.id = id;
    const TaskRead read = read_task(write_task(task), fmt::format("tasks/{}.md", id));
    EXPECT_FALSE(read.task) << id;
    EXPECT_THAT(read.faults, Contains(Field(&Fault::code, "bad-task-value")));
  }
  for (const char* id : {"b:r", "b:rx", "b:r0", "b:r-1", "b-r2", "b:r2-c"}) {
    Task task = sample_task();
    task.id = id;
    EXPECT_TRUE(read_task(write_task(task), fmt::format("tasks/{}.md", id)).task) << id;
  }
}

// Row 39: the whole table, every pair.
TEST(WorkspaceStatus, MovesOnlyAsTheTableSays) {
  const std::map<std::string, std::string> table{
      {"pending", "in_progress assigned blocked deferred cancelled failed"},
      {"assigned", "in_progress cancelled failed"},
      {"in_progress", "completed failed cancelled"},
      {"completed", "approved revision failed blocked in_review"},
      {"in_review", "approved revision failed blocked"},
      {"revision", "in_progress cancelled failed"},
      {"blocked", "pending failed"},
      {"deferred", "pending failed"},
      {"approved", ""},
      {"failed", ""},
      {"cancelled", ""},
  };
  ASSERT_EQ(table.size(), task_statuses);
  for (const auto& [from, moves] : table) {
    for (const auto& [to, ignored] : table) {
      const bool legal = fmt::format(" {} ", moves).find(fmt::format(" {} ", to)) != std::string::npos;
      EXPECT_EQ(may_become(*task_status(from), *task_status(to)), legal) << from << " -> " << to;
    }
    EXPECT_EQ(is_final(*task_status(from)), moves.empty());
  }
}

// Rows 16 and 17.
TEST(WorkspaceStatus, OnlyThreeOfThemAreCarriedOut) {
  for (std::size_t i = 0; i < task_statuses; ++i) {
    const auto status = static_cast<TaskStatus>(i);
    const bool executes =
        status == TaskStatus::pending || status == TaskStatus::assigned || status == TaskStatus::revision;
    EXPECT_EQ(is_executable(status), executes) << name(status);
    EXPECT_EQ(task_status(name(status)), status);
  }
}

TEST(WorkspaceTask, IsReadAsItIsWritten) {
  Task task = sample_task();
  task.deadline = "2026-12-01T00:00:00Z";
  task.goal_id = "goal-20261115-000001";
  task.pipeline_id = "page-launch";
  task.revision_count = 2;
  task.next = {Next::Kind::agent, "page-cro"};
  task.tags = {"launch", "two words"};
  task.metadata = R"({"a":{"b":[1,2]},"time":"09:30"})";
  task.inputs = {{"context/product-marketing-context.md", "Who we are"}, {"outputs/a b.md", "a: b — c"}};
  EXPECT_EQ(read_back(write_task(task)), task);
  task.next = {Next::Kind::pipeline_continue, "run-page-launch-1"};
  EXPECT_EQ(read_back(write_task(task)), task);
  task.next = {Next::Kind::director_review, {}};
  EXPECT_EQ(read_back(write_task(task)), task);
}

TEST(WorkspaceTask, LosesNothingOfTextsThatLookLikeItsOwnForm) {
  Task task = sample_task();
  task.goal = "First line: with a colon\n\n- **Input files:**\n  - `not/an/input.md` — but text\n## Requirements\nlast";
  task.requirements =
      "# One\n## Two\nText\n\n## Output\n- **Write to:** `elsewhere.md`\n\n```\n## Output\n```\n---\n## Requirements\n"
      "    indented";
  task.tags = {"a,b", "c"};
  task.inputs = {{"outputs/x.md", "first\nsecond line"}};
  task.others = {{"custom", "value: with # signs"}};
  EXPECT_EQ(read_back(write_task(task)), task);
}

TEST(WorkspaceTask, KeepsRequirementsWithAFenceThatIsNeverClosed) {
  Task task = sample_task();
  task.requirements = "Write this:\n```\n## Output\nand so on";
  EXPECT_EQ(read_back(write_task(task)).requirements, task.requirements);
}

TEST(WorkspaceTask, ReadsWindowsLineEndsAndAByteOrderMark) {
  Task task = sample_task();
  task.goal = "one\ntwo";
  task.requirements = "a\n\nb";
  std::string text;
  for (const char c : write_task(task)) text += c == '\n' ? std::string{"\r\n"} : std::string{c};
  EXPECT_EQ(read_back("\xEF\xBB\xBF" + text), task);
}

TEST(WorkspaceTask, TakesAPlainBodyForItsRequirements) {
  const std::string head = write_task(sample_task());
  const Task task = read_back(head.substr(0, head.find("# Task:")) + "# A title\n\nDo this.\n\n## And that\nx\n");
  EXPECT_EQ(task.requirements, "Do this.\n\n## And that\nx");
}

TEST(WorkspaceTask, ReadsQuotesAndRemarks) {
  const std::string text =
      replaced(replaced(write_task(sample_task()), "status: pending", "status: \"pending\"  # waits"),
               "to: copywriting", "# a remark: of mine\nto: 'copywriting'");
  EXPECT_EQ(read_back(text), sample_task());
}

TEST(WorkspaceTask, TellsEveryFaultWithItsPlace) {
  std::string text = write_task(sample_task());
  text = replaced(text, "status: pending", "status: waiting");
  text = replaced(text, "priority: P1", "priority: P7");
  text = replaced(text, "revision_count: 0", "revision_count: -1");
  text = replaced(text, "next_type: complete", "next_type: agent");
  text = replaced(text, "from: director\n", "");
  EXPECT_THAT(faults_in(text), ElementsAre("missing-task-field 1:1", "missing-task-field 1:1", "bad-task-value 3:9",
                                           "bad-task-value 4:11", "bad-task-value 8:17"));
}

TEST(WorkspaceTask, RefusesWhatIsNoTask) {
  EXPECT_THAT(faults_in("# Nothing\n"), ElementsAre("no-front-matter 1:1"));
  EXPECT_THAT(faults_in("---\nid: x\n"), ElementsAre("no-front-matter 1:1"));
  EXPECT_THAT(faults_in(replaced(write_task(sample_task()), "id: copywriting", "id: ../copywriting")),
              Contains("bad-task-value 2:5"));
  EXPECT_THAT(faults_in(replaced(write_task(sample_task()), "to: copywriting", "to: a/b")),
              Contains("bad-task-value 6:5"));
  EXPECT_THAT(faults_in(replaced(write_task(sample_task()), "next_type: complete", "next_type: pipeline_continue")),
              Contains("missing-task-field 1:1"));
  EXPECT_FALSE(looks_like_task("# Nothing\n"));
  EXPECT_FALSE(looks_like_task("---\nname: x\nsteps:\n  - id: a\n---\n"));
  EXPECT_TRUE(looks_like_task(write_task(sample_task())));
}

TEST(WorkspaceTask, TakesBrokenMetadataForNone) {
  const TaskRead read = read_task(replaced(write_task(sample_task()), "next_type:", "metadata: {broken\nnext_type:"),
                                  "copywriting-20261115-a1b2c3.md");
  ASSERT_TRUE(read.task);
  EXPECT_EQ(read.task->metadata, "");
  ASSERT_THAT(read.faults, SizeIs(1));
  EXPECT_EQ(read.faults[0].severity, Severity::warning);
}

TEST(WorkspaceTask, AnEditChangesItsValuesAndNothingElse) {
  std::string text = write_task(sample_task());
  text = replaced(text, "status: pending", "status:   'pending'   # waits");
  text = replaced(text, "next_type", "custom:  a  b \n# a remark\n\nnext_type");
  text += "\n\n   trailing  ";
  std::string windows;
  for (const char c : text) windows += c == '\n' ? std::string{"\r\n"} : std::string{c};
  for (const std::string& before : {text, windows}) {
    const std::string after = edit_task(before, {TaskStatus::in_progress, "2026-11-16T00:00:00.000Z"});
    std::string expected = replaced(before, "'pending'", "in_progress");
    expected = replaced(expected, "updated_at: 2026-11-15T09:30:00.000Z", "updated_at: 2026-11-16T00:00:00.000Z");
    EXPECT_EQ(after, expected);
    EXPECT_EQ(edit_task(after, {TaskStatus::in_progress, "2026-11-16T00:00:00.000Z"}), after);
  }
}

TEST(WorkspaceTask, AnEditAddsAKeyThatIsMissing) {
  EXPECT_EQ(with_values("---\r\na:\r\nb: 1\r\n---\r\nbody: x\r\n", {{"a", "2"}, {"c", "two\nlines"}}),
            "---\r\na: 2\r\nb: 1\r\nc: two lines\r\n---\r\nbody: x\r\n");
}

// Row 40.
TEST(WorkspacePaths, StayInsideTheWorkspace) {
  EXPECT_EQ(inner_path("outputs//a/./b.md"), "outputs/a/b.md");
  EXPECT_EQ(inner_path("outputs/..notes.md"), "outputs/..notes.md");
  for (const char* path : {"", "/etc/passwd", "../x.md", "outputs/../../x.md", "a/..", "outputs/", ".", "a\nb.md"}) {
    const auto inner = inner_path(path);
    ASSERT_FALSE(inner) << path;
    EXPECT_EQ(inner.error().code, "path-leaves-folder");
  }
}

// Rows 15 and 29: always the task's own path; where results are usually looked for elsewhere, that is said.
TEST(WorkspacePaths, ResultsGoWhereTheTaskSays) {
  Task task = sample_task();
  auto place = output_place(task, built_in_squads(), "t.md");
  ASSERT_TRUE(place);
  EXPECT_EQ(place->path, task.output_path);
  EXPECT_FALSE(place->warning);

  task.output_path = "outputs/elsewhere.md";
  place = output_place(task, built_in_squads(), "t.md");
  ASSERT_TRUE(place);
  EXPECT_EQ(place->path, "outputs/elsewhere.md");
  ASSERT_TRUE(place->warning);
  EXPECT_EQ(place->warning->code, "output-path-unusual");
  EXPECT_EQ(place->warning->severity, Severity::warning);

  task.to = foundation_skill;
  task.output_path = context_path;
  EXPECT_FALSE(output_place(task, built_in_squads(), "t.md")->warning);
  task.output_path = "outputs/foundation/x.md";
  EXPECT_TRUE(output_place(task, built_in_squads(), "t.md")->warning);

  task.to = "nobody-knows";
  EXPECT_FALSE(output_place(task, built_in_squads(), "t.md")->warning);
}

TEST(WorkspacePaths, ResultsNeverReplaceTasksOrLeaveTheWorkspace) {
  Task task = sample_task();
  for (const char* path :
       {"tasks/other.md", "reviews/x.md", "outputs/x.md.lock", "./tasks/other.md", "memory/learnings.md",
        "memory//learnings.md", "skills.yaml", "./pipelines.yaml", ".git/config", ".baton/x"}) {
    task.output_path = path;
    const auto place = output_place(task, built_in_squads(), "t.md");
    ASSERT_FALSE(place) << path;
    EXPECT_EQ(place.error().code, "output-path-reserved");
  }
  task.output_path = "../../etc/x";
  EXPECT_EQ(output_place(task, built_in_squads(), "t.md").error().code, "path-leaves-folder");
}

TEST(WorkspaceErrors, HaveTwoNamesEach) {
  EXPECT_EQ(error_codes, 17U);
  for (std::size_t i = 0; i < error_codes; ++i) {
    const auto code = static_cast<ErrorCode>(i);
    EXPECT_EQ(error_code(name(code)), code);
    EXPECT_EQ(error_code(kebab(code)), code);
    std::string kebab_of_name{name(code)};
    for (char& c : kebab_of_name) c = c == '_' ? '-' : static_cast<char>(c + ('a' - 'A'));
    EXPECT_EQ(kebab(code), kebab_of_name);
  }
  EXPECT_EQ(name(ErrorCode::api_rate_limited), "API_RATE_LIMITED");
  EXPECT_EQ(kebab(ErrorCode::api_rate_limited), "api-rate-limited");
  EXPECT_EQ(error_code("nothing"), std::nullopt);
  EXPECT_EQ(error_code("api-else"), std::nullopt);
}

// Row 25.
TEST(WorkspaceErrors, OnlyThoseOfTheApiMayBeTriedAgain) {
  std::vector<std::string_view> tried_again;
  for (std::size_t i = 0; i < error_codes; ++i) {
    const auto code = static_cast<ErrorCode>(i);
    EXPECT_EQ(may_retry(code), name(code).starts_with("API_")) << name(code);
    if (may_retry(code)) tried_again.push_back(name(code));
  }
  EXPECT_THAT(tried_again, ElementsAre("API_ERROR", "API_RATE_LIMITED", "API_OVERLOADED", "API_TIMEOUT"));
}

// Row 27.
TEST(WorkspaceErrors, BlanksAreNoAnswer) {
  EXPECT_TRUE(is_empty_answer(""));
  EXPECT_TRUE(is_empty_answer(" \n\t\r\n"));
  EXPECT_FALSE(is_empty_answer(" . "));
}

}  // namespace
}  // namespace baton::workspace
