// team-session.json as a run goes on, and what is said on the bus.
#include <gmock/gmock.h>

#include "base/boost_json.h"
#include "dialect/team/session_edit.h"
#include "unit/dialect/team/world.h"

namespace baton::team {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* before = R"({
	"session_id" : "TC-x", "odd": 1.50e3,
	"task_description": "Write a paper",
	"status": "paused",
	"team_name": "papers",
	"roles": [ {"name": "writer"} ],
	"pipeline": { "dependency_graph": {"A-1":[]}, "tasks_total": 9 },
	"completed_tasks": [ "OTHER-1",
	   "A-2" ],
	"zz": null
}
)";

struct TeamEdits : testing::Test {
  TeamStory team{made_of({task_of("A-1", "writer", {}, {"artifacts/1.md"}), task_of("A-2", "writer", {"A-1"})})};

  void SetUp() override { team.story.begin(); }
  SessionState state(const std::string& completion = "interactive") {
    return state_of("run1", team.story.run, completion);
  }
  std::string edit(const std::string& text) {
    auto out = edited(text, "team-session.json", state());
    EXPECT_TRUE(out) << to_text(out.error());
    return out.value_or("");
  }
  std::vector<std::string> said() {
    std::vector<std::string> out;
    for (const Message& m : messages_of("run1", team.story.run, team.team))
      out.push_back(m.from + ">" + m.to + " " + m.type + ": " + m.summary);
    return out;
  }
};

TEST_F(TeamEdits, OnlyWhatChangedChanges) {
  team.begins("A-1");
  const std::string after = edit(before);
  EXPECT_EQ(after, R"({
	"session_id" : "TC-x", "odd": 1.50e3,
	"task_description": "Write a paper",
	"status": "active",
	"team_name": "papers",
	"roles": [ {"name": "writer"} ],
	"pipeline": { "dependency_graph": {"A-1":[]}, "tasks_total": 2, "tasks_completed": 0 },
	"completed_tasks": ["OTHER-1"],
	"zz": null,
	"active_workers" : [{"task": "A-1", "role": "writer", "worker_id": "run1/A-1.1", "pid": 42, "started_at": "1970-01-01T00:16:40Z"}],
	"updated_at" : "1970-01-01T00:16:40Z"
}
)");
  EXPECT_EQ(edit(after), after) << "said once is said";
}

TEST_F(TeamEdits, TheEndOfItAll) {
  team.does("A-1").does("A-2");
  const auto after = boost::json::parse(edit(before)).as_object();
  EXPECT_EQ(after.at("status"), "completed");
  EXPECT_EQ(after.at("completed_tasks"), boost::json::parse(R"(["OTHER-1","A-2","A-1"])")) << "in the order they stood";
  EXPECT_EQ(after.at("active_workers"), boost::json::array{});
  EXPECT_TRUE(after.contains("completed_at"));
  EXPECT_EQ(state("auto_keep").status, "paused");
}

TEST_F(TeamEdits, ABrokenFileIsNotWrittenTo) { EXPECT_FALSE(edited("{ broken", "f", state())); }

TEST_F(TeamEdits, ABrokenFileIsMadeAnewFromWhatIsOnRecord) {
  team.does("A-1");
  const auto whole = boost::json::parse(rebuilt(before, folder, team.story.run, state())).as_object();
  EXPECT_EQ(whole.at("team_name"), "papers");
  EXPECT_EQ(whole.at("completed_tasks"), boost::json::parse(R"(["OTHER-1","A-1"])"));
  const auto bare = boost::json::parse(rebuilt("", folder, team.story.run, state())).as_object();
  EXPECT_EQ(bare.at("session_id"), "TC-x");
  EXPECT_EQ(bare.at("roles"), boost::json::parse(R"([{"name":"writer"}])"));
  EXPECT_EQ(bare.at("completed_tasks"), boost::json::parse(R"(["A-1"])"));
}

TEST_F(TeamEdits, FurtherTasksGoToWhereTasksAre) {
  Task task = task_of("A-3", "writer", {"A-2"}, {"artifacts/3.md"});
  task.description = "more";
  const std::string list = with_tasks("{\n  \"tasks\": [\n    {\"id\": \"A-1\"}\n  ],\n  \"x\": 1\n}", {task});
  EXPECT_THAT(list, HasSubstr("\"x\": 1"));
  const auto tasks = boost::json::parse(list).as_object().at("tasks").as_array();
  ASSERT_EQ(tasks.size(), 2U);
  EXPECT_EQ(tasks[1].as_object().at("owner"), "writer");
  EXPECT_EQ(tasks[1].as_object().at("artifacts"), boost::json::parse(R"(["artifacts/3.md"])"));
  const auto map =
      boost::json::parse(with_tasks(R"({"tasks":{"A-1":{}}})", {task})).as_object().at("tasks").as_object();
  EXPECT_EQ(map.at("A-3").as_object().at("subject"), "Do A-3");
  EXPECT_EQ(boost::json::parse(with_tasks(R"({"capabilities":[]})", {task})).as_object().at("tasks").as_array().size(),
            1U);
}

TEST_F(TeamEdits, EverythingThatHappensIsSaidOnce) {
  team.story.settings.options["team_notes"] = "";
  team.begins("A-1").says("A-1", "progress", "half").says("A-1", "complete", "done", "", 2);
  team.story.fails("A-1")
      .after(Millis{3000})
      .fires(TimerId::Kind::retry, "A-1")
      .begins("A-1")
      .vanishes("A-1")
      .begins("A-1");
  team.story.ends("A-1").checked("A-1", true);
  const std::vector<std::string> all = said();
  EXPECT_THAT(all, Contains("executor>writer task_unblocked: Task A-1 unblocked: spawning writer worker (attempt 1)"));
  EXPECT_THAT(all, Contains("writer>executor progress: half"));
  EXPECT_THAT(
      all,
      Contains("executor>all warning: [writer] complete for A-1 (attempt 2) came when that was not at work: done"));
  EXPECT_THAT(all, Contains("executor>all error: Task A-1 attempt 1 failed: exit code 1"));
  EXPECT_THAT(all, Contains("executor>all warning: Task A-1 reset from interrupted state"));
  EXPECT_THAT(all, Contains("executor>all writer_complete: Task A-1 complete"));
  std::set<std::string> keys;
  for (const Message& m : messages_of("run1", team.story.run, team.team))
    EXPECT_TRUE(keys.insert(key_of(m)).second) << key_of(m);
  team.does("A-2");
  EXPECT_THAT(said(), Contains(HasSubstr("Task A-2 declares no artifact")));
  EXPECT_THAT(said(), Contains("executor>all shutdown: Pipeline complete: 2/2 tasks"));
}

TEST_F(TeamEdits, AGapIsAWarningAndARequest) {
  TeamStory two{made_of({task_of("A-1", "writer"), task_of("TEST-1", "tester")})};
  two.story.begin();
  two.begins("A-1")
      .says("A-1", "capability_gap", "who tests?", R"({"suggested_capability":"tester"})")
      .says("A-1", "capability_gap", "who sings?", R"({"suggested_capability":"singer"})");
  std::vector<std::string> all;
  for (const Message& m : messages_of("r", two.story.run, two.team))
    all.push_back(m.to + " " + m.type + ": " + m.summary);
  EXPECT_THAT(all, Contains("tester agent_request: [writer] asks: who tests?"));
  EXPECT_THAT(all, Contains(HasSubstr("all warning: capability_gap of [writer]: singer; no role covers it")));
}

}  // namespace
}  // namespace baton::team
