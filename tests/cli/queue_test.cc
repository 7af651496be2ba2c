// Several processes on one project: runs and steps that are limited together, and a provider that all leave alone.
#include <signal.h>

#include <fmt/core.h>
#include <gmock/gmock.h>

#include "support/scripted_claude.h"

namespace baton::test {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

const std::string one_run = "limits.concurrent_runs=1";
const std::string one_step = "limits.concurrent_steps=1";

class Queue : public Outside {
 protected:
  Process run(const std::string& workflow) { return place.start({"run", workflow, "--json", "--set", one_run}); }
  /// The run's id, once its first line is there.
  static std::string id_of(Process& process) {
    EXPECT_TRUE(eventually([&] { return has(process.out(), "\n"); }));
    return text_at(json_lines(process.out()).front(), "run");
  }
  static bool is_queued(Process& process, int before) {
    return eventually([&] {
      return has(process.out(), fmt::format("\"run.queued\",")) &&
             has(process.out(), fmt::format("\"before\":{}", before));
    });
  }
};

TEST_F(Queue, RunsOfSeveralProcessesGoOneAfterAnotherInOrderOfCreation) {
  place.workflow("w", {step("a", "echo $BATON_RUN >> begun; " + await_file("go") + "; echo $BATON_RUN >> ended")});
  std::vector<Process> runs;
  std::vector<std::string> ids;
  for (int n = 0; n < 3; ++n) {
    runs.push_back(run("w"));
    ASSERT_TRUE(n == 0 || is_queued(runs.back(), n)) << runs.back().out();
    ids.push_back(id_of(runs.back()));
  }
  ASSERT_TRUE(eventually([&] { return place.exists("begun"); }));
  EXPECT_EQ(place.run_state(ids[1]), "queued");
  EXPECT_TRUE(has(place.baton({"list"}).out, "queued"));
  place.write("go", "");
  for (Process& r : runs) EXPECT_EQ(r.wait().code, 0);
  EXPECT_EQ(lines_of(place.read("begun")), ids);
  EXPECT_EQ(lines_of(place.read("ended")), ids);
  for (std::size_t n = 1; n < ids.size(); ++n) {
    EXPECT_GE(text_at(place.show(ids[n]), "started_at"), text_at(place.show(ids[n - 1]), "finished_at"));
  }
  const auto lines = json_lines(runs[2].out());
  EXPECT_EQ(text_at(lines.front(), "type"), "run.started") << "the first line, also of one that has to wait";
  EXPECT_EQ(text_at(lines.at(1), "type"), "run.queued");
  EXPECT_EQ(of_type(lines, "run.resumed").size(), 1U);
  EXPECT_EQ(text_at(lines.back(), "type"), "run.finished");
}

TEST_F(Queue, StartedAtOnceTheyNeverRunTogether) {
  place.workflow("w", {step("a", "mkdir alone || echo $BATON_RUN >> together"),
                       step("b", "echo $BATON_RUN >> ran; rmdir alone", "needs: [a]")});
  std::vector<Process> runs;
  for (int n = 0; n < 5; ++n) runs.push_back(run("w"));
  for (Process& r : runs) EXPECT_EQ(r.wait().code, 0) << r.err();
  EXPECT_FALSE(place.exists("together")) << place.read("together");
  // The journal's own order of creation.
  std::vector<std::string> created;
  const json::value listed = parse_json(place.baton({"list", "--json"}).out);
  for (const json::value& r : listed.as_array()) created.insert(created.begin(), text_at(r.as_object(), "run"));
  EXPECT_EQ(lines_of(place.read("ran")), created);
}

TEST_F(Queue, KilledTheFirstLetsTheNextGoAndComesBackBehindIt) {
  place.workflow("first",
                 {step("a", "touch first-here; " + await_file("go")), step("b", "echo first >> ran", "needs: [a]")});
  place.workflow("second", {step("a", "touch second-here; " + await_file("go2") + "; echo second >> ran")});
  Process first = run("first");
  ASSERT_TRUE(eventually([&] { return place.exists("first-here"); }));
  const std::string first_id = id_of(first);
  Process second = run("second");
  ASSERT_TRUE(is_queued(second, 1));
  EXPECT_FALSE(place.exists("second-here"));
  first.kill(SIGKILL);
  EXPECT_TRUE(first.wait().killed);
  EXPECT_TRUE(eventually([&] { return place.exists("second-here"); }));
  // Its attempt ends, the holder wakes it, and it waits for the place that is taken now.
  place.write("go", "");
  EXPECT_TRUE(eventually([&] { return place.run_state(first_id) == "queued"; }));
  EXPECT_EQ(place.read("ran"), "");
  place.write("go2", "");
  EXPECT_EQ(second.wait().code, 0);
  EXPECT_TRUE(eventually([&] { return place.run_state(first_id) == "completed"; }));
  EXPECT_EQ(place.read("ran"), "second\nfirst\n");
}

TEST_F(Queue, AQueuedRunIsCancelledAndPausedAtOnce) {
  place.workflow("w", {step("a", "touch here; " + await_file("go"))});
  Process first = run("w");
  ASSERT_TRUE(eventually([&] { return place.exists("here"); }));
  Process second = run("w");
  ASSERT_TRUE(is_queued(second, 1));
  Process third = run("w");
  ASSERT_TRUE(is_queued(third, 2));
  const std::string third_id = id_of(third);
  EXPECT_EQ(place.baton({"pause", id_of(second)}).code, 0);
  EXPECT_EQ(second.wait().code, 4);
  EXPECT_EQ(place.baton({"cancel", third_id}).code, 0);
  EXPECT_EQ(third.wait().code, 5);
  EXPECT_EQ(place.run_state(third_id), "cancelled");
  Process resumed = place.start({"resume", id_of(second), "--json"});
  ASSERT_TRUE(is_queued(resumed, 1)) << "what was set for the run holds for its resume";
  place.write("go", "");
  EXPECT_EQ(first.wait().code, 0);
  EXPECT_EQ(resumed.wait().code, 0);
}

TEST_F(Queue, InterruptedWhileItWaitsItStaysQueuedAndIsInNobodysWay) {
  place.workflow("w", {step("a", "touch here; " + await_file("go"))});
  Process first = run("w");
  ASSERT_TRUE(eventually([&] { return place.exists("here"); }));
  Process second = run("w");
  ASSERT_TRUE(is_queued(second, 1));
  second.kill(SIGTERM);
  EXPECT_EQ(second.wait().code, 143);
  EXPECT_EQ(place.run_state(id_of(second)), "queued");
  Process third = run("w");
  ASSERT_TRUE(is_queued(third, 1)) << "only the first is before it";
  place.write("go", "");
  EXPECT_EQ(first.wait().code, 0);
  EXPECT_EQ(third.wait().code, 0);
  EXPECT_EQ(place.baton({"resume", id_of(second)}).code, 0);
}

TEST_F(Queue, ADetachedRunWaitsWithNobodyThereAndGoesByItself) {
  place.workflow("w", {step("a", "touch here; " + await_file("go") + "; echo $BATON_RUN >> ran")});
  Process first = run("w");
  ASSERT_TRUE(eventually([&] { return place.exists("here"); }));
  const std::string first_id = id_of(first);
  std::vector<std::string> ids{first_id};
  for (int n = 0; n < 2; ++n) {
    const Outcome left = place.baton({"run", "w", "--detach", "--set", one_run});
    ASSERT_EQ(left.code, 0) << left;
    ids.push_back(lines_of(left.out).at(0));
  }
  EXPECT_TRUE(eventually([&] { return place.living("baton").size() == 1; })) << "only the first's driver is there";
  for (std::size_t n = 1; n < 3; ++n) EXPECT_EQ(place.run_state(ids[n]), "queued");
  place.write("go", "");
  EXPECT_EQ(first.wait().code, 0);
  for (std::size_t n = 1; n < 3; ++n) {
    EXPECT_TRUE(eventually([&] { return place.run_state(ids[n]) == "completed"; })) << n;
  }
  EXPECT_EQ(lines_of(place.read("ran")), ids);
}

TEST_F(Queue, PlainLinesSayWhatARunWaitsFor) {
  place.workflow("w", {step("a", "touch here; " + await_file("go"))});
  Process first = run("w");
  ASSERT_TRUE(eventually([&] { return place.exists("here"); }));
  Process second = place.start({"run", "w", "--set", one_run});
  EXPECT_TRUE(eventually([&] { return has(second.err(), "waits for a free place: 1 run before it"); })) << second.err();
  place.write("go", "");
  EXPECT_EQ(first.wait().code, 0);
  EXPECT_EQ(second.wait().code, 0);
}

TEST_F(Queue, StepsOfTwoRunsNeverOverlapWhereOneIsAllowed) {
  const std::string alone =
      "mkdir alone || echo $BATON_RUN $BATON_STEP >> together; echo $BATON_RUN >> ran; rmdir alone";
  place.workflow("w", {step("a", alone), step("b", alone), step("c", alone), step("d", alone, "needs: [a]")});
  Process first = place.start({"run", "w", "--set", one_step});
  Process second = place.start({"run", "w", "--set", one_step});
  EXPECT_EQ(first.wait().code, 0) << first.err();
  EXPECT_EQ(second.wait().code, 0) << second.err();
  EXPECT_FALSE(place.exists("together")) << place.read("together");
  EXPECT_EQ(lines_of(place.read("ran")).size(), 8U);
}

TEST_F(Queue, ADeadRunsSlotIsFree) {
  place.workflow("first", {step("a", "touch here; " + await_file("go"))});
  place.workflow("second", {step("a", "touch second-here")});
  Process first = place.start({"run", "first", "--set", one_step});
  ASSERT_TRUE(eventually([&] { return place.exists("here"); }));
  Process second = place.start({"run", "second", "--set", one_step});
  first.kill(SIGKILL);
  EXPECT_TRUE(first.wait().killed);
  EXPECT_EQ(second.wait().code, 0);
  EXPECT_TRUE(place.exists("second-here"));
  place.write("go", "");
}

class CoolDown : public WithScriptedClaude {
 protected:
  static std::string used_up(int seconds) {
    return fmt::format(
        "begin\n"
        "echo '{{\"type\":\"rate_limit_event\",\"rate_limit_info\":{{\"status\":\"rejected\",\"rateLimitType\":"
        "\"five_hour\",\"resetsAt\":'$(($(date +%s) + {}))'}}}}'\n"
        "fails 429 api_error 'You have hit your usage limit'",
        seconds);
  }
};

TEST_F(CoolDown, WhatOneProcessIsToldMakesAnothersRunWaitAndBothFinishByThemselves) {
  place.workflow("one", {agent_step("a", "m")});
  place.workflow("two", {step("c", "touch commanded"), agent_step("b", "m")});
  claude.does("a.1", used_up(6));
  Process one = place.start({"run", "one", "--json"});
  ASSERT_TRUE(eventually([&] { return has(one.out(), "run.parked"); })) << one.out();
  Process two = place.start({"run", "two", "--json"});
  ASSERT_TRUE(eventually([&] { return has(two.out(), "step.deferred"); })) << two.out();
  EXPECT_THAT(claude.started(), ElementsAre("a.1")) << "nobody asks meanwhile";
  EXPECT_TRUE(eventually([&] { return place.exists("commanded"); })) << "a command has no provider";
  EXPECT_EQ(one.wait().code, 0);
  EXPECT_EQ(two.wait().code, 0);
  EXPECT_THAT(claude.started(), UnorderedElementsAre("a.1", "a.2", "b.1"));
  const auto deferred = of_type(json_lines(two.out()), "step.deferred");
  EXPECT_EQ(text_at(deferred.front(), "runtime"), "claude");
  const auto started = of_type(json_lines(two.out()), "step.started");
  EXPECT_GE(text_at(started.back(), "time"), text_at(deferred.front(), "until"));
}

TEST_F(CoolDown, ALongOneParksTheOtherRunToo) {
  place.workflow("one", {agent_step("a", "m")});
  place.workflow("two", {agent_step("b", "m")});
  claude.does("a.1", used_up(3600));
  EXPECT_EQ(place.baton({"run", "one", "--no-wait"}).code, 75);
  EXPECT_EQ(place.baton({"run", "two", "--no-wait"}).code, 75);
  EXPECT_THAT(claude.started(), ElementsAre("a.1"));
}

TEST_F(CoolDown, AProviderThatNamesNoTimeIsLeftAloneByOthersForTheBackoff) {
  place.workflow("one", {agent_step("a", "m", "retries: 0")});
  place.workflow("two", {agent_step("b", "m")});
  claude.does("a", "begin; fails 429 api_error 'Too many requests'");
  EXPECT_EQ(place.baton({"run", "one", "--set", "limits.rate_limit_backoff=1h"}).code, 1);
  EXPECT_EQ(place.baton({"run", "two", "--no-wait"}).code, 75);
  EXPECT_THAT(claude.started(), ElementsAre("a.1"));
}

}  // namespace
}  // namespace baton::test
