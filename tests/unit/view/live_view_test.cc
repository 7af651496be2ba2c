#include "view/live_view.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "view/cells.h"
#include "view/event_view.h"
#include "view/list_view.h"
#include "view/run_facts.h"
#include "view/show_view.h"
#include "view/why_view.h"

namespace baton {
namespace {

/// a completed; b failed after a retry; c needs b; d runs.
class ViewTest : public testing::Test {
 protected:
  ViewTest() {
    auto plan = std::make_shared<Plan>();
    plan->workflow = "kit";
    plan->dialect = "markdown";
    auto work = std::make_shared<Work>();
    work->command = {"/bin/true"};
    const auto add = [&](const std::string& id, std::vector<StepIndex> needs, int retries) {
      Step s{id, std::move(needs), work};
      s.policy.retries = retries;
      plan->steps.push_back(s);
    };
    add("a", {}, 0);
    add("b-with-a-rather-long-name", {}, 1);
    add("c", {step_index(1)}, 0);
    add("d", {}, 0);
    happens(0, event::RunCreated{plan, {}});
    happens(0, event::DriverTook{1, "host", 1});
    for (std::size_t i : {0U, 1U, 3U}) start(i, 1, 0);
    end(0, 1, 500, {});
    end(1, 1, 700, Failure{"command-failed", "exit code 3", true});
    happens(2000, event::TimerFired{{TimerId::Kind::retry, step_index(1)}});
    start(1, 2, 2000);
    end(1, 2, 2500, Failure{"command-failed", "exit code 3: no\x1b[2Jsuch file", true});
    model_.id = "k7f2m9qx";
    model_.run = &run_;
    model_.now = time_from_ms(1'800'000'003'000);
    model_.said[step_index(3)] =
        "still reading 漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字";
  }

  void happens(std::int64_t ms, EventBody body) {
    Event e{time_from_ms(1'800'000'000'000 + ms), std::move(body)};
    for (const Command& c : run_.apply(e)) {
      if (const auto* a = std::get_if<command::Announce>(&c)) announced_.push_back(*a);
    }
    events_.push_back(e);
  }
  void start(std::size_t i, int n, std::int64_t ms) {
    happens(ms, event::AttemptAdmitted{step_index(i), n, "command", {}, {}});
    happens(ms, event::AttemptStarted{step_index(i), n, 42, time_from_ms(1'800'000'000'000 + ms)});
  }
  void end(std::size_t i, int n, std::int64_t ms, std::optional<Failure> failure) {
    event::AttemptEnded e{step_index(i), n, false, failure, failure ? 3 : 0, {}, time_from_ms(1'800'000'000'000 + ms)};
    happens(ms, e);
  }

  baton::Run run_;
  std::vector<Event> events_;
  std::vector<command::Announce> announced_;
  LiveModel model_;
  RunPlaces places_{"/project", "/project/.baton/runs/k7f2m9qx"};
};

TEST_F(ViewTest, AFrameIsNeverWiderOrTallerThanTheTerminal) {
  for (const std::size_t columns : {20U, 40U, 80U, 200U}) {
    for (const std::size_t rows : {4U, 6U, 24U}) {
      const auto lines = live_lines(model_, {columns, rows, false});
      EXPECT_LE(lines.size(), rows);
      for (const std::string& line : lines) EXPECT_LE(columns_of(line), columns) << line;
    }
  }
}

TEST_F(ViewTest, AFrameAtEightyColumns) {
  const auto lines = live_lines(model_, {80, 24, false});
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(lines[0], "kit  k7f2m9qx  1/4 steps  3.0s");
  EXPECT_EQ(lines[1], "  ✓ a                             0.5s  ");
  EXPECT_EQ(lines[2], "  ✗ b-with-a-rather-long-name     0.5s  exit code 3: no\\x1b[2Jsuch file");
  EXPECT_EQ(lines[3], "  – c                                   it needs 'b-with-a-rather-long-name', w…");
  EXPECT_TRUE(lines[4].starts_with("  ⠋ d                             3.0s  still reading 漢字")) << lines[4];
}

TEST_F(ViewTest, ALongIdIsCutOnlyWhereTheTerminalEnds) {
  const auto line_of_b = [&](std::size_t columns) {
    for (const std::string& line : live_lines(model_, {.columns = columns, .rows = 24, .color = false})) {
      if (line.find("b-with") != std::string::npos) return line;
    }
    return std::string{};
  };
  for (const std::size_t columns : {30U, 40U, 60U, 80U}) {
    EXPECT_NE(line_of_b(columns).find(" b-with-a-rather-long-name"), std::string::npos) << columns;
  }
  EXPECT_EQ(columns_of(line_of_b(20)), 20U);
}

TEST(AttemptsAtWork, AreNotThoseThatWaitForASlot) {
  auto plan = std::make_shared<Plan>();
  auto work = std::make_shared<Work>(Work{.command = {"/bin/true"}});
  for (const char* id : {"a", "b", "c"}) plan->steps.push_back({.id = id, .needs = {}, .work = work, .policy = {}});
  baton::Run run;
  const auto happens = [&](EventBody body) { (void)run.apply({time_from_ms(1'000), std::move(body)}); };
  happens(event::RunCreated{plan, {.jobs = 2}});
  happens(event::DriverTook{1, "host", 1});
  for (std::size_t i = 0; i < 3; ++i) happens(event::AttemptAdmitted{step_index(i), 1, "command", {}, {}});
  happens(event::AttemptStarted{step_index(0), 1, 42, time_from_ms(1'000)});
  ASSERT_EQ(run.in_flight(), 3U);
  EXPECT_EQ(attempts_at_work(run), "1 attempt is at work");
  happens(event::AttemptStarted{step_index(1), 1, 43, time_from_ms(1'000)});
  EXPECT_EQ(attempts_at_work(run), "2 attempts are at work");
}

TEST_F(ViewTest, FewRowsShowWhatMattersMost) {
  const auto lines = live_lines(model_, {80, 5, false});
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_NE(lines[1].find("b-with"), std::string::npos);
  EXPECT_NE(lines[2].find(" d "), std::string::npos);
  EXPECT_NE(lines[3].find("2 steps"), std::string::npos);
}

TEST_F(ViewTest, WhatAgentsPrintCannotDriveTheTerminal) {
  for (const std::string& line : summary_lines(model_, places_, {80, 24, false})) {
    EXPECT_EQ(line.find('\x1b'), std::string::npos) << line;
  }
  EXPECT_EQ(show_text("k7f2m9qx", run_, places_, {}, model_.now).find('\x1b'), std::string::npos);
}

TEST_F(ViewTest, AnAnswerThatWasCutOffIsToldEverywhere) {
  event::AttemptEnded cut{step_index(3), 1, false, {}, 0, {}, time_from_ms(1'800'000'003'000)};
  cut.note = Failure{"response-truncated", "its answer was cut off", false};
  happens(3000, cut);
  const auto found = std::ranges::find_if(announced_, [](const command::Announce& a) {
    return a.kind == command::Announce::Kind::step_finished && a.step == step_index(3);
  });
  ASSERT_NE(found, announced_.end());
  const command::Announce finished = *found;
  ASSERT_EQ(run_.of(step_index(3)).state, StepState::completed);
  EXPECT_TRUE(event_line("r", run_, places_, finished, model_.now).ends_with(", but: its answer was cut off"));
  EXPECT_NE(event_json("r", run_, places_, finished, model_.now)
                .find(R"("state":"completed","attempt":1,"error":{"code":"response-truncated")"),
            std::string::npos)
      << event_json("r", run_, places_, finished, model_.now);
  EXPECT_NE(show_text("r", run_, places_, {}, model_.now).find("but: its answer was cut off"), std::string::npos);
  EXPECT_NE(live_lines(model_, {80, 24, false})[4].find("but: its answer was cut off"), std::string::npos);
  for (const auto& a : announced_) {
    if (a.kind != command::Announce::Kind::step_finished || a.step == step_index(3)) continue;
    EXPECT_EQ(event_line("r", run_, places_, a, model_.now).find("but:"), std::string::npos) << "of no other";
  }
}

TEST_F(ViewTest, MoneyThatIsSpentIsToldAsTheReasonOfAPark) {
  const Time until = time_from_ms(1'800'000'000'000 + 3'600'000);
  baton::Run run;
  auto plan = std::make_shared<Plan>();
  auto work = std::make_shared<Work>();
  work->mission = "m";
  plan->steps.push_back(Step{"a", {}, work});
  const Time now = time_from_ms(1'800'000'000'000);
  (void)run.apply({now, event::RunCreated{plan, {}}});
  (void)run.apply({now, event::DriverTook{1, "host", 1}});
  std::vector<command::Announce> told;
  const Event deferred{now, event::StepDeferred{step_index(0), "anthropic", until, "today's budget is spent"}};
  for (const Command& c : run.apply(deferred)) {
    if (const auto* a = std::get_if<command::Announce>(&c)) told.push_back(*a);
  }
  ASSERT_EQ(told.size(), 2U);
  EXPECT_TRUE(event_line("r", run, places_, told[0], now).ends_with(": today's budget is spent"));
  EXPECT_TRUE(event_line("r", run, places_, told[1], now).ends_with(": today's budget is spent"));
  for (const auto& a : told) {
    EXPECT_NE(event_json("r", run, places_, a, now).find(R"("reason":"today's budget is spent")"), std::string::npos);
  }
  EXPECT_NE(show_text("r", run, places_, {}, now).find("today's budget is spent"), std::string::npos);
  EXPECT_NE(why_text(run, {deferred}, step_index(0)).find("today's budget is spent"), std::string::npos);
}

TEST_F(ViewTest, RetryingAndFinishedAreToldAsJson) {
  std::string retrying;
  std::string skipped;
  for (const auto& a : announced_) {
    if (a.kind == command::Announce::Kind::step_retrying) retrying = event_json("r", run_, places_, a, model_.now);
    if (a.kind == command::Announce::Kind::step_finished && a.step == step_index(2)) {
      skipped = event_json("r", run_, places_, a, model_.now);
    }
  }
  EXPECT_NE(retrying.find(R"("type":"step.retrying")"), std::string::npos);
  EXPECT_NE(retrying.find(R"("attempt":1,"reason":"command-failed: exit code 3","delay_ms":1)"), std::string::npos)
      << retrying;
  EXPECT_NE(skipped.find(R"("state":"skipped")"), std::string::npos) << skipped;
  EXPECT_NE(skipped.find(R"("code":"need-failed")"), std::string::npos) << skipped;
}

TEST_F(ViewTest, ShowJsonHasEveryAttemptWithItsTimes) {
  const auto paths = [](const std::string& step, int n) {
    return AttemptPaths{"/p/" + step, "/l/" + std::to_string(n)};
  };
  const std::string json = show_json("r", run_, places_, DriverFact{7, "h"}, paths, model_.now);
  EXPECT_NE(json.find(R"("driver":{"pid":7,"host":"h"})"), std::string::npos);
  EXPECT_NE(json.find(R"("n":2,"state":"failed","runtime":"command","model":null,"exit":3)"), std::string::npos)
      << json;
  EXPECT_NE(json.find(R"("started_at":"2027-01-15T08:00:02.000Z","finished_at":"2027-01-15T08:00:02.500Z")"),
            std::string::npos)
      << json;
  EXPECT_NE(json.find(R"("progress":{"done":1,"total":4,"current":["d"]})"), std::string::npos) << json;
}

TEST_F(ViewTest, WhyFollowsASkippedStepToItsCause) {
  const std::string text = why_text(run_, events_, step_index(2));
  EXPECT_NE(text.find("c is skipped"), std::string::npos);
  EXPECT_NE(text.find("b-with-a-rather-long-name is failed"), std::string::npos);
  EXPECT_NE(text.find("the wait before the next attempt was over"), std::string::npos);
}

TEST(Cells, MeasureWideAndCombiningCharacters) {
  EXPECT_EQ(columns_of("abc"), 3U);
  EXPECT_EQ(columns_of("漢字"), 4U);
  EXPECT_EQ(columns_of("e\xCC\x81"), 1U);
  EXPECT_EQ(columns_of("🙂"), 2U);
  EXPECT_EQ(cut("漢字漢字", 5), "漢字…");
  EXPECT_EQ(fit("ab", 4), "ab  ");
  EXPECT_EQ(columns_of(fit("漢字漢字", 4)), 4U);
}

TEST(List, IsAnArrayWithCostsThatMayBeUnknown) {
  RunRow row;
  row.id = "r1";
  row.workflow = "kit";
  row.state = RunState::completed;
  EXPECT_NE(list_json({row}, {}).find(R"("cost_usd":null)"), std::string::npos);
  row.cost = Cost{1'230'000'000};
  EXPECT_NE(list_json({row}, {}).find(R"("cost_usd":1.23)"), std::string::npos);
  EXPECT_EQ(list_json({}, {}), "[]");
  row.cost.reset();
  EXPECT_NE(list_text({row}, {}).find("cost unknown"), std::string::npos);
  row.known = Cost{1'230'000'000};
  EXPECT_NE(list_text({row}, {}).find("at least $1.23"), std::string::npos);
}

}  // namespace
}  // namespace baton
