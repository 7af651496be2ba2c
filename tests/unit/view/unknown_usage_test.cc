// Costs and tokens that nobody told, in every view: null or a word, never 0.
#include <gmock/gmock.h>

#include "base/boost_json.h"
#include "support/story.h"
#include "view/event_view.h"
#include "view/live_view.h"
#include "view/report/report.h"
#include "view/show_view.h"
#include "view/top/cost_pane.h"

namespace baton::test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A step that told what it used, one that told nothing, one that is a command.
class UnknownUsageViews : public ::testing::Test {
 protected:
  UnknownUsageViews() {
    story.begin();
    begin("told", "claude");
    story.happens(
        event::AttemptUsed{story.step("told"), 1, Usage{{10, 5, 0, 0}, Cost{7'000'000}, 1, false, "claude-opus-5-5"}});
    story.ends("told");
    begin("silent", "claude");
    story.fails("silent", false);
    begin("command", "command");
    story.ends("command");
  }
  void begin(const char* id, const char* runtime) {
    story.happens(event::AttemptAdmitted{story.step(id), 1, runtime, runtime[1] == 'l' ? "opus" : "", "boot"});
    story.start(id);
  }
  boost::json::value shown() {
    const PathsOf paths = [](const std::string&, int) { return AttemptPaths{}; };
    return boost::json::parse(show_json("r1", story.run, {"/p", "/p/r1"}, {}, paths, story.now));
  }

  Story story{"told; silent; command"};
};

TEST_F(UnknownUsageViews, ShowGivesNullAtEveryLevelAndCountsTheUnknown) {
  const boost::json::value run = shown();
  EXPECT_TRUE(run.at("cost_usd").is_null());
  EXPECT_EQ(run.at("tokens").at("input"), 10) << "the sum of what is known";
  EXPECT_EQ(run.at("tokens_unknown"), 1);
  EXPECT_EQ(run.at_pointer("/steps/0/cost_usd"), 0.007);
  EXPECT_EQ(run.at_pointer("/steps/0/attempts/0/cost_usd"), 0.007);
  EXPECT_EQ(run.at_pointer("/steps/0/attempts/0/tokens/output"), 5);
  EXPECT_TRUE(run.at_pointer("/steps/1/cost_usd").is_null());
  EXPECT_TRUE(run.at_pointer("/steps/1/attempts/0/cost_usd").is_null());
  EXPECT_TRUE(run.at_pointer("/steps/1/attempts/0/tokens").is_null());
  EXPECT_EQ(run.at_pointer("/steps/2/attempts/0/cost_usd"), 0) << "a command costs nothing";
  EXPECT_EQ(run.at_pointer("/steps/2/attempts/0/tokens/input"), 0);
  EXPECT_THAT(show_text("r1", story.run, {"/p", "/p/r1"}, {}, story.now), HasSubstr("15 tokens, at least $0.007"));
}

TEST_F(UnknownUsageViews, AKnownRunHasNoSuchMember) {
  Story known{"a"};
  known.begin().all_goes_well();
  const PathsOf paths = [](const std::string&, int) { return AttemptPaths{}; };
  const auto run = boost::json::parse(show_json("r1", known.run, {"/p", "/p/r1"}, {}, paths, known.now));
  EXPECT_EQ(run.at("cost_usd"), 0);
  EXPECT_FALSE(run.as_object().contains("tokens_unknown"));
}

TEST_F(UnknownUsageViews, TheReportSaysUnknownAndNamesTheModelThatAnswered) {
  RunReport report;
  report.id = "r1";
  report.run = &story.run;
  report.events = &story.history;
  report.now = story.now;
  const std::string page = report_html(report);
  EXPECT_THAT(page, HasSubstr("at least $0.007"));
  EXPECT_THAT(page, HasSubstr("claude claude-opus-5-5"));
  EXPECT_THAT(page, Not(HasSubstr("<td class=\"n\">0</td><td class=\"n\">$0.00</td><td class=\"long\">exit")))
      << "the silent one";
  EXPECT_THAT(page, HasSubstr("<td class=\"n\">unknown</td><td class=\"n\">unknown</td>"));
}

TEST_F(UnknownUsageViews, TheEventOfUsageGivesNullForWhatWasNotTold) {
  Story live{"a"};
  live.begin().begins("a").happens(event::AttemptUsed{live.step("a"), 1, Usage{{}, {}, 2, true}});
  const command::Announce used{command::Announce::Kind::step_used, live.step("a"), 1, {}, {}};
  const auto line = boost::json::parse(event_json("r1", live.run, {"/p", "/p/r1"}, used, live.now));
  EXPECT_TRUE(line.at("tokens").is_null());
  EXPECT_TRUE(line.at("cost_usd").is_null());
}

TEST_F(UnknownUsageViews, TheDashboardsCostsNameTheModelThatAnswered) {
  std::string text;
  for (const top::Entry& entry : top::cost_entries(story.run)) text += entry.text + "\n";
  EXPECT_THAT(text, HasSubstr("opus-5-5"));
  EXPECT_THAT(text, HasSubstr("≥$0.0070"));
  EXPECT_THAT(text, HasSubstr("unknown"));
}

}  // namespace
}  // namespace baton::test
