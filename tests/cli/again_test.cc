// Trying again: retries by themselves, retry and resume by a person, and how a run is named.
#include <fmt/core.h>

#include "support/programs.h"

namespace baton::test {
namespace {

using Again = Outside;

TEST_F(Again, ARetryWaitsItsDelayAndSaysSo) {
  place.workflow(
      "w", {step("flaky", "echo try $BATON_ATTEMPT >> tries; [ $BATON_ATTEMPT = 2 ] || { echo not yet >&2; exit 9; }",
                 "retries: 1")});
  const Outcome ran = place.baton({"run", "w", "--json"});
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(place.read("tries"), "try 1\ntry 2\n");
  const auto retrying = of_type(json_lines(ran.out), "step.retrying");
  ASSERT_EQ(retrying.size(), 1U) << ran;
  EXPECT_EQ(text_at(retrying.front(), "step"), "flaky");
  EXPECT_EQ(number_at(retrying.front(), "attempt"), 1);
  EXPECT_TRUE(has(text_at(retrying.front(), "reason"), "not yet"));
  const std::int64_t delay = number_at(retrying.front(), "delay_ms");
  EXPECT_GE(delay, 1000);
  EXPECT_LE(delay, 1250);
  const json::object shown = place.show();
  EXPECT_EQ(text_at(attempt_of(shown, "flaky", 1), "state"), "failed");
  EXPECT_EQ(number_at(attempt_of(shown, "flaky", 1), "exit"), 9);
  EXPECT_EQ(text_at(attempt_of(shown, "flaky", 2), "state"), "completed");
  // It really waited: the second attempt began at least the delay after the first one's end.
  const auto finished = of_type(json_lines(ran.out), "run.finished");
  EXPECT_GE(number_at(finished.front(), "duration_ms"), delay);
}

TEST_F(Again, RetriesEndAndTheDelayDoubles) {
  place.workflow("w", {step("bad", "echo x >> tries; exit 1", "retries: 2")});
  const Outcome ran = place.baton({"run", "w", "--json", "--set", "limits.retry_delay=20ms"});
  EXPECT_EQ(ran.code, 1) << ran;
  EXPECT_EQ(count_lines(place.file("tries"), "x"), 3);
  const auto retrying = of_type(json_lines(ran.out), "step.retrying");
  ASSERT_EQ(retrying.size(), 2U);
  EXPECT_GE(number_at(retrying[0], "delay_ms"), 20);
  EXPECT_LE(number_at(retrying[0], "delay_ms"), 25);
  EXPECT_GE(number_at(retrying[1], "delay_ms"), 40);
  EXPECT_LE(number_at(retrying[1], "delay_ms"), 50);
}

TEST_F(Again, CommandsAreNotRetriedUnlessAsked) {
  place.workflow("w", {step("bad", "echo x >> tries; exit 1")});
  EXPECT_EQ(place.baton({"run", "w"}).code, 1);
  EXPECT_EQ(count_lines(place.file("tries"), "x"), 1);
}

class AfterAFailure : public Outside {
 protected:
  AfterAFailure() {
    place.workflow("w",
                   {step("good", "echo good >> ran"), step("bad", "echo bad >> ran; [ -e mended ]", "needs: [good]"),
                    step("child", "echo child >> ran", "needs: [bad]")});
    EXPECT_EQ(place.baton({"run", "w"}).code, 1);
  }
  void expect_mended(const Outcome& outcome) {
    EXPECT_EQ(outcome.code, 0) << outcome;
    EXPECT_EQ(place.read("ran"), "good\nbad\nbad\nchild\n");
    const json::object shown = place.show();
    EXPECT_EQ(step_states_of(shown), (std::vector<std::string>{"good=completed", "bad=completed", "child=completed"}));
    EXPECT_EQ(text_at(shown, "state"), "completed");
    EXPECT_FALSE(shown.contains("error"));
  }
};

TEST_F(AfterAFailure, RetryGoesOnFromTheFailedStep) {
  place.write("mended", "");
  expect_mended(place.baton({"retry", "last"}));
}

TEST_F(AfterAFailure, ResumeGoesOnFromWhatIsIncomplete) {
  place.write("mended", "");
  const Outcome resumed = place.baton({"resume", "last", "--json"});
  expect_mended(resumed);
  const auto lines = json_lines(resumed.out);
  EXPECT_EQ(text_at(lines.front(), "type"), "run.started");
  EXPECT_EQ(text_at(lines.at(1), "type"), "run.resumed");
  EXPECT_EQ(text_at(lines.back(), "type"), "run.finished");
}

TEST_F(AfterAFailure, AnUnmendedRetryFailsAgain) {
  EXPECT_EQ(place.baton({"retry", "last", "bad"}).code, 1);
  EXPECT_EQ(place.read("ran"), "good\nbad\nbad\n");
  EXPECT_EQ(place.run_state(), "failed");
}

TEST_F(AfterAFailure, RetryOfANamedStepRunsItAndItsDependants) {
  place.write("mended", "");
  EXPECT_EQ(place.baton({"retry", "last"}).code, 0);
  const Outcome again = place.baton({"retry", "last", "bad"});
  EXPECT_EQ(again.code, 0) << again;
  EXPECT_EQ(place.read("ran"), "good\nbad\nbad\nchild\nbad\nchild\n");
}

TEST_F(AfterAFailure, RefusalsChangeNothing) {
  const Outcome unknown = place.baton({"retry", "last", "no-such"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_TRUE(says_error(unknown, "unknown-step")) << unknown;
  const Outcome cancel = place.baton({"cancel", "last"});
  EXPECT_EQ(cancel.code, 2) << cancel;
  EXPECT_EQ(place.read("ran"), "good\nbad\n");
}

TEST_F(Again, ARunThatIsOverIsNotResumed) {
  place.workflow("w", {step("a", "echo a >> ran")});
  ASSERT_EQ(place.baton({"run", "w"}).code, 0);
  const Outcome resumed = place.baton({"resume", "last"});
  EXPECT_EQ(resumed.code, 2);
  EXPECT_TRUE(says_error(resumed, "run-is-over")) << resumed;
  const Outcome retried = place.baton({"retry", "last"});
  EXPECT_EQ(retried.code, 2) << "no step has failed: " << retried;
  EXPECT_TRUE(says_error(retried, "nothing-to-retry")) << retried;
  for (const char* verb : {"pause", "cancel"}) {
    const Outcome refused = place.baton({verb, "last"});
    EXPECT_EQ(refused.code, 2);
    EXPECT_TRUE(says_error(refused, "run-is-over")) << refused;
  }
  EXPECT_EQ(place.read("ran"), "a\n");
}

TEST_F(Again, RunsAreNamedByIdPrefixOrLast) {
  place.workflow("w", {step("a", "true")});
  std::vector<std::string> ids;
  std::map<char, int> firsts;
  // Ids begin with a letter: after 27 runs two share it at the latest, usually after a handful.
  while (ids.size() < 27 && (ids.size() < 2 || firsts[ids.back()[0]] < 2)) {
    ASSERT_EQ(place.baton({"run", "w"}).code, 0);
    ids.push_back(text_at(place.show("last"), "run"));
    ++firsts[ids.back()[0]];
  }
  for (const std::string& id : ids) {
    EXPECT_EQ(text_at(place.show(id), "run"), id);
    EXPECT_EQ(text_at(place.show(id.substr(0, 7)), "run"), id);
  }
  const Outcome ambiguous = place.baton({"show", ids.back().substr(0, 1)});
  EXPECT_EQ(ambiguous.code, 2);
  EXPECT_TRUE(says_error(ambiguous, "ambiguous-run")) << ambiguous;
  EXPECT_TRUE(has(ambiguous.err, ids.back())) << "the candidates are named: " << ambiguous;
  for (const char* verb : {"show", "resume", "retry", "pause", "cancel", "logs", "wake"}) {
    const Outcome unknown = place.baton({verb, "0-no-such"});
    EXPECT_EQ(unknown.code, 2) << verb;
    EXPECT_TRUE(says_error(unknown, "unknown-run")) << unknown;
  }
}

TEST_F(Again, WithoutAnyRunNothingIsMade) {
  for (const char* verb : {"show", "resume", "retry", "pause", "cancel", "logs"}) {
    const Outcome unknown = place.baton({verb, "last"});
    EXPECT_EQ(unknown.code, 2) << verb;
    EXPECT_TRUE(says_error(unknown, "unknown-run")) << unknown;
  }
  EXPECT_FALSE(file_exists(place.state()));
}

TEST_F(Again, AFaultAsJson) {
  const Outcome unknown = place.baton({"resume", "no-such", "--json"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_EQ(unknown.out, "");
  const auto faults = json_lines(unknown.err);
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(text_at(faults.front(), "type"), "error");
  EXPECT_EQ(text_at(faults.front(), "code"), "unknown-run");
  for (const char* key : {"message", "file", "line", "column", "help"})
    EXPECT_TRUE(faults.front().contains(key)) << key;
}

}  // namespace
}  // namespace baton::test
