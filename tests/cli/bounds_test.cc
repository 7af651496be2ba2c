// What keeps a run from starting attempts, or filling the disk, without end.
#include <signal.h>
#include <time.h>

#include <gmock/gmock.h>

#include "support/scripted_claude.h"

namespace baton::test {
namespace {

using ::testing::ElementsAre;

class Bounds : public WithScriptedClaude {
 protected:
  void turn_away(const std::string& shell) {
    place.workflow("w", {agent_step("a", "m", "retries: 0"), agent_step("b", "m", "needs: [a]")});
    claude.does("a", "begin\n" + shell);
  }
  /// A program whose quota is used up until so many seconds from its start on.
  static std::string used_up(int seconds) {
    return fmt::format(
        "echo '{{\"type\":\"rate_limit_event\",\"rate_limit_info\":{{\"status\":\"rejected\",\"rateLimitType\":"
        "\"five_hour\",\"resetsAt\":'$(($(date +%s) + {}))'}}}}'\n"
        "fails 429 api_error 'You have hit your usage limit'",
        seconds);
  }
};

/// Each in a project of its own: the others would keep off the provider.
class UselessWalls : public Bounds, public ::testing::WithParamInterface<const char*> {};

TEST_P(UselessWalls, ParkTheRunForTheFloor) {
  turn_away(GetParam());
  const time_t before = ::time(nullptr);
  const Outcome ran = place.baton({"run", "w", "--json", "--no-wait"});
  EXPECT_EQ(ran.code, 75) << ran;
  tm until{};
  const std::string told = text_at(json_lines(ran.out).back(), "until");
  ASSERT_NE(::strptime(told.c_str(), "%Y-%m-%dT%H:%M:%S", &until), nullptr) << ran;
  EXPECT_GE(::timegm(&until), before + 60);
  EXPECT_LE(::timegm(&until), ::time(nullptr) + 60);
  EXPECT_THAT(claude.started(), ElementsAre("a.1"));
  // What else would go to the same provider keeps off it as long.
  place.workflow("other", {agent_step("c", "m")});
  Process other = place.start({"run", "other", "--json"});
  EXPECT_TRUE(eventually([&] { return has(other.out(), "step.deferred"); })) << other.out();
  EXPECT_EQ(place.baton({"cancel", "last"}).code, 0);
  EXPECT_EQ(other.wait().code, 5);
  EXPECT_EQ(claude.started().size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(
    Named, UselessWalls,
    ::testing::Values(
        "echo '{\"type\":\"rate_limit_event\",\"rate_limit_info\":{\"status\":\"rejected\",\"rateLimitType\":"
        "\"five_hour\",\"resetsAt\":'$(($(date +%s) - 2))'}}'; fails 429 api_error 'You have hit your usage limit'",
        "fails 429 api_error 'Claude AI usage limit reached|1700000000'",
        "fails 429 api_error 'You have hit your usage limit'"));

TEST_F(Bounds, TwelveWallsInARowPauseTheRunAndAPersonGoesOn) {
  turn_away(used_up(-2));
  const Outcome ran = place.baton({"run", "w", "--set", "limits.wall_floor=1ms"});
  EXPECT_EQ(ran.code, 4) << ran;
  EXPECT_TRUE(has(ran.err, "error[too-many-walls]: step 'a' was turned away 12 times in a row")) << ran;
  EXPECT_EQ(claude.started().size(), 12U);
  EXPECT_EQ(text_at(place.show().at("error").as_object(), "code"), "too-many-walls");

  claude.does("a", "begin; answer m1 100 20; put '{\"title\":1}'; result 100 20 0.0008");
  EXPECT_EQ(place.baton({"resume", "last"}).code, 0);
  EXPECT_EQ(claude.started().size(), 14U);
}

TEST_F(Bounds, AnAttemptThatPrintsWithoutEndIsStopped) {
  for (const char* where : {"", " >&2"}) {
    place.workflow("w",
                   {step("a", fmt::format("while :; do echo so it goes on and on and on; done{}", where), "retries: 3"),
                    step("b", "true")});
    const Outcome ran = place.baton({"run", "w", "--set", "limits.log_bytes=20000"});
    EXPECT_EQ(ran.code, 1) << ran;
    const json::object shown = place.show();
    EXPECT_EQ(code_in(shown, "a", 1), "log-too-large") << where;
    EXPECT_EQ(step_of(shown, "a").at("attempts").as_array().size(), 1U) << "it would print as much once more";
    EXPECT_EQ(text_at(step_of(shown, "b"), "state"), "completed");
  }
}

TEST_F(Bounds, AnAttemptThatPrintsWithoutEndIsStoppedAlsoWhereNobodyDrives) {
  place.workflow("w", {step("a",
                            "until_file() { while [ ! -e go ]; do sleep 0.02; done; }; touch begun; until_file\n"
                            "while :; do echo so it goes on and on and on; done")});
  Process run = place.start({"run", "w", "--set", "limits.log_bytes=20000"});
  ASSERT_TRUE(eventually([&] { return place.exists("begun"); }));
  run.kill(SIGKILL);
  (void)run.wait();
  place.write("go", "");
  ASSERT_TRUE(eventually([&] { return place.run_state() == "failed"; })) << place.run_state();
  EXPECT_EQ(code_in(place.show(), "a", 1), "log-too-large");
}

}  // namespace
}  // namespace baton::test
