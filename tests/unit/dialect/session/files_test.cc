// Finding sessions, putting their files in agreement, summaries, archives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/boost_json.h"
#include "dialect/session/archive.h"
#include "dialect/session/discovery.h"
#include "dialect/session/reconcile.h"
#include "dialect/session/summary.h"

namespace baton::session {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

DiskEntry folder(const std::string& path, int at = 0) { return {path, true, 0, time_from_ms(at)}; }
DiskEntry file(const std::string& path, int at = 0) { return {path, false, 1, time_from_ms(at)}; }

std::vector<DiskEntry> session_at(const std::string& path, int at = 0) {
  return {folder(path, at),
          file(path + "/workflow-session.json", at),
          file(path + "/TODO_LIST.md", at),
          file(path + "/IMPL_PLAN.md", at),
          folder(path + "/.task", at),
          file(path + "/.task/IMPL-001.json", at)};
}

std::vector<DiskEntry> operator+(std::vector<DiskEntry> one, const std::vector<DiskEntry>& other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

TEST(Discovery, FindsSessionsOfEveryEraAndWhatTheyHave) {
  const Discovery found =
      discover(session_at(".workflow/active/WFS-b", 5) + session_at(".workflow/active/WFS-c", 9) +
               session_at(".workflow/WFS-old") + session_at(".workflow/WFS-idle") +
               session_at(".workflow/sessions/WFS-s") + session_at(".workflow/archives/WFS-z") +
               std::vector{file(".workflow/.active-WFS-old"), folder(".workflow/active/WFS-b/WFS-nested"),
                           file(".workflow/active/WFS-b/workflow-session.json.tmp"), folder(".workflow/active/other"),
                           file(".workflow/active/WFS-file"), folder(".workflow/active/WFS-bad name"),
                           file(".workflow/active/WFS-b/.summaries/IMPL-001-summary.md")});
  std::vector<std::string> ids;
  for (const FoundSession& s : found.sessions) ids.push_back(s.id);
  EXPECT_THAT(ids, ElementsAre("WFS-c", "WFS-b", "WFS-s", "WFS-old", "WFS-idle", "WFS-z"));
  const FoundSession& b = found.sessions[1];
  EXPECT_TRUE(b.session_file && b.todo_list && b.impl_plan && !b.plan_json);
  EXPECT_EQ(b.task_files, 1U);
  EXPECT_EQ(b.summaries, 1U);
  EXPECT_THAT(b.leftovers, ElementsAre(".workflow/active/WFS-b/workflow-session.json.tmp"));
  EXPECT_EQ(found.sessions[3].place, SessionPlace::marked);
  EXPECT_EQ(found.sessions[4].place, SessionPlace::unmarked);
  EXPECT_THAT(found.warnings, IsEmpty());
}

TEST(Discovery, NamesMarkersWithoutASession) {
  const Discovery found = discover({file(".workflow/.active-WFS-gone"), folder(".workflow/archives/WFS-gone")});
  ASSERT_THAT(found.warnings, SizeIs(1));
  EXPECT_EQ(found.warnings[0].code, "orphaned-marker");
  EXPECT_THAT(found.warnings[0].message, HasSubstr(".workflow/.active-WFS-gone"));
}

TEST(Discovery, ChoosesTheOneThatIsActive) {
  const auto one = discover(session_at(".workflow/active/WFS-a") + session_at(".workflow/WFS-idle"));
  EXPECT_EQ(*choose(one, "", {}), 0U);
  EXPECT_EQ(*choose(one, "WFS-idle", {}), 1U);
  EXPECT_EQ(*choose(one, ".workflow/active/WFS-a/", {}), 0U);
  EXPECT_EQ(choose(one, "WFS-x", {}).error().code, "session-not-found");
  EXPECT_THAT(choose(one, "WFS-x", {}).error().help, HasSubstr(".workflow/WFS-idle"));
  EXPECT_EQ(*choose(discover(session_at(".workflow/WFS-idle")), "", {}), 0U);

  const auto two = discover(session_at(".workflow/active/WFS-a") + session_at(".workflow/active/WFS-b"));
  EXPECT_EQ(choose(two, "", {}).error().code, "several-sessions");
  EXPECT_EQ(*choose(two, "", {true, false}), 1U) << "one says that it is over";
  EXPECT_EQ(choose(discover({}), "", {}).error().code, "no-session");
  EXPECT_EQ(choose(discover(session_at(".workflow/archives/WFS-z")), "", {}).error().code, "no-session");
}

TEST(Discovery, UnderstandsAnAnswer) {
  const std::vector<std::string> ids{"WFS-auth-api", "WFS-auth-ui", "WFS-2"};
  EXPECT_EQ(chosen_by("2", ids), 1U);
  EXPECT_EQ(chosen_by(" WFS-2 ", ids), 2U);
  EXPECT_EQ(chosen_by("api", ids), 0U);
  EXPECT_EQ(chosen_by("auth", ids), std::nullopt);
  EXPECT_EQ(chosen_by("9", ids), std::nullopt);
  EXPECT_EQ(chosen_by("", ids), std::nullopt);
}

TEST(Discovery, TellsWhatIsMissing) {
  FoundSession s;
  s.id = "WFS-a";
  EXPECT_THAT(faults_of(s), SizeIs(4));
  EXPECT_TRUE(has_errors(faults_of(s)));
  s.todo_list = true;
  s.task_files = 1;
  EXPECT_FALSE(has_errors(faults_of(s)));
  s.session_file = s.plan_json = true;
  EXPECT_THAT(faults_of(s), IsEmpty());
}

// Agreement ---------------------------------------------------------------------------------------------------------

using File = TaskRecord::File;

TEST(Reconciling, CountsATaskAsDoneIfEitherSideSaysSo) {
  const std::vector<TaskRecord> records{
      {"A-1", BoxState::completed, File::read, "completed", true},
      {"A-2", BoxState::pending, File::read, "completed", true},
      {"A-3", BoxState::completed, File::read, "pending", false},
      {"A-4", BoxState::pending, File::read, "in_progress", false},
      {"A-5", BoxState::pending, File::corrupt, "", true},
      {"A-6", BoxState::completed, File::missing, "", false},
      {"A-7", std::nullopt, File::read, "pending", false},
      {"A-8", BoxState::in_progress, File::read, "container", false},
  };
  const auto found = disagreements(records, DonePolicy::either);
  std::vector<std::string> ids;
  for (const Disagreement& d : found) ids.push_back(d.id);
  EXPECT_THAT(ids, ElementsAre("A-2", "A-3", "A-5", "A-6", "A-7"));
  EXPECT_TRUE(found[0].done && found[0].set_box && !found[0].set_status && found[0].link_summary);
  EXPECT_TRUE(found[1].done && !found[1].set_box && found[1].set_status && !found[1].link_summary);
  EXPECT_TRUE(!found[2].done && !found[2].set_box && !found[2].set_status);
  EXPECT_TRUE(found[3].done && !found[3].set_box && !found[3].set_status);
  EXPECT_TRUE(!found[4].set_box && !found[4].set_status);
  EXPECT_EQ(found[0].message,
            "A-2: the list says pending, its file says completed, there is a summary; it counts as completed");
  const auto changes = box_changes(found);
  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_EQ(changes[0].id, "A-2");
  EXPECT_TRUE(changes[0].link_summary);
  EXPECT_EQ(to_faults(found, "t")[2].code, "session-disagrees");
}

TEST(Reconciling, StrictlyAsksForTheFileAndASummary) {
  const std::vector<TaskRecord> records{{"A-1", BoxState::completed, File::read, "completed", false},
                                        {"A-2", BoxState::completed, File::read, "completed", true}};
  const auto found = disagreements(records, DonePolicy::strict);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_FALSE(found[0].done);
  EXPECT_TRUE(found[0].set_box && found[0].set_status);
  EXPECT_THAT(disagreements(records, DonePolicy::either), IsEmpty());
}

// Summaries ---------------------------------------------------------------------------------------------------------

TEST(Summaries, AreWrittenFromWhatTheAgentSaid) {
  EXPECT_EQ(
      summary_text({"IMPL-1", "A\ntitle", "I did it.\n", {"src/a.ts"}, "2026-11-15T12:00:00Z"}),
      "# Task: IMPL-1 A title\n\n## Implementation Summary\n\nI did it.\n\n### Files Modified\n- `src/a.ts`\n\n## "
      "Status: Complete\n\nFinished: 2026-11-15T12:00:00Z\n");
  EXPECT_THAT(summary_text({"IMPL-1", "t", "", {}, ""}), HasSubstr("nothing was said about it"));
}

TEST(Summaries, NameTheFilesOfATask) {
  EXPECT_THAT(
      files_in_summary("# Task\n- not/this\n### Files Modified\n- `src/a.ts`: text\n- **src/b.ts**: Created\n"
                       "- **`src/c.ts:11`**: x\n- src/d.ts (new)\n- `/etc/passwd`: no\n- `../up`: no\n- `src/a.ts`\n"
                       "\n### Content Added\n- `src/z.ts`\n"),
      ElementsAre("src/a.ts", "src/b.ts", "src/c.ts", "src/d.ts"));
  EXPECT_THAT(files_in_summary("**Files Modified:**\n* `a`\n"), ElementsAre("a"));
  EXPECT_THAT(files_in_summary("no list"), IsEmpty());
}

TEST(Summaries, GiveACommitItsMessage) {
  EXPECT_EQ(commit_message("feature", "Add x", "# Task\n\n---\n- Made x\n"), "feat: Add x - Made x");
  EXPECT_EQ(commit_message("bugfix", "Mend", ""), "fix: Mend");
  EXPECT_EQ(commit_message("odd", "Do\nit", "# h\n"), "chore: Do it");
}

// Archives ----------------------------------------------------------------------------------------------------------

const ArchiveEntry entry{.session = "WFS-a",
                         .description = "It",
                         .archived = time_from_ms(1794744000000),
                         .path = ".workflow/archives/WFS-a",
                         .duration = Millis{5'400'000},
                         .tasks_completed = 3,
                         .summaries = 2,
                         .tags = {"workflow", "a"}};

TEST(Archives, AddToAListByItselfOrInAnObject) {
  const auto fresh = add_to_manifest(std::nullopt, entry, "m");
  ASSERT_TRUE(fresh);
  const auto value = boost::json::parse(*fresh);
  EXPECT_EQ(value.at(0).at("session_id").as_string(), "WFS-a");
  EXPECT_EQ(value.at(0).at("metrics").at("duration_hours").as_double(), 1.5);
  EXPECT_EQ(value.at(0).at("tags").as_array().size(), 2U);
  EXPECT_EQ(*add_to_manifest(*fresh, entry, "m"), *fresh) << "once is enough";

  const std::string list = "[\n  {\n    \"session_id\": \"WFS-old\",  \"x\": 1.0\n  }\n]\n";
  const auto longer = add_to_manifest(list, entry, "m");
  ASSERT_TRUE(longer);
  EXPECT_TRUE(
      longer->starts_with("[\n  {\n    \"session_id\": \"WFS-old\",  \"x\": 1.0\n  },\n  {\n    \"session_id\": "
                          "\"WFS-a\",\n"))
      << *longer;
  EXPECT_THAT(*longer, EndsWith("\n  }\n]\n"));

  const std::string object = "{\n  \"v\": 1,\n  \"archives\": []\n}\n";
  const auto in_object = add_to_manifest(object, entry, "m");
  ASSERT_TRUE(in_object);
  EXPECT_EQ(boost::json::parse(*in_object).at("archives").at(0).at("session_id").as_string(), "WFS-a");
  EXPECT_TRUE(in_object->starts_with("{\n  \"v\": 1,\n  \"archives\": [\n    {\n"));
  for (const char* bad : {"{", "3", R"({"archives": 1})"}) {
    EXPECT_EQ(add_to_manifest(bad, entry, "m").error().code, "corrupt-manifest") << bad;
  }
}

TEST(Archives, GoOnFromWhereverTheyWere) {
  ArchiveState disk{.source = true};
  std::vector<ArchiveStep> steps;
  for (int i = 0; i < 10; ++i) {
    steps.push_back(next_archive_step(disk));
    if (steps.back() == ArchiveStep::done) break;
    if (steps.back() == ArchiveStep::mark) disk.marked = true;
    if (steps.back() == ArchiveStep::move) disk = {.destination = true, .marked = true};
    if (steps.back() == ArchiveStep::record) disk.recorded = true;
    if (steps.back() == ArchiveStep::unmark) disk.marked = false;
  }
  EXPECT_THAT(steps, ElementsAre(ArchiveStep::mark, ArchiveStep::move, ArchiveStep::record, ArchiveStep::unmark,
                                 ArchiveStep::done));
  EXPECT_EQ(next_archive_step({.source = true, .destination = true, .marked = true}), ArchiveStep::refuse);
  EXPECT_EQ(next_archive_step({}), ArchiveStep::refuse);
}

TEST(Archives, HaveTagsToBeFoundBy) {
  EXPECT_THAT(tags_of("WFS-fix-config-data-a", "test"), ElementsAre("test", "fix", "config", "data"));
  EXPECT_THAT(tags_of("WFS-x1", ""), ElementsAre("workflow", "x1"));
}

}  // namespace
}  // namespace baton::session
