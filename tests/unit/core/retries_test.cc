// Attempts that do not end well, and what comes after them.
#include <gtest/gtest.h>

#include "support/story.h"

namespace baton::test {
namespace {

using Announced = command::Announce::Kind;

TEST(Retries, WaitTwiceAsLongEachTime) {
  Story story{"a"};
  story.policy("a").retries = 5;
  story.begin();
  std::int64_t base = 1000;
  for (int n = 0; n < 5; ++n, base *= 2) {
    story.begins("a").fails("a");
    ASSERT_EQ(story.state("a"), StepState::waiting);
    const Millis delay = story.due_in(retry_timer, "a").value();
    EXPECT_GE(delay.count(), base);
    EXPECT_LE(delay.count(), base * 5 / 4) << "jitter only adds, and at most a quarter";
    story.after(delay).fires(retry_timer, "a");
    ASSERT_EQ(story.state("a"), StepState::ready);
  }
  story.begins("a").fails("a");
  EXPECT_EQ(story.run.state(), RunState::failed);
}

TEST(Retries, HaveAJitterThatTheSeedDecides) {
  const auto delay_with = [](std::uint64_t seed) {
    Story story{"a"};
    story.settings.seed = seed;
    story.policy("a") = {.retries = 1, .retry_delay = Millis{100'000}};
    story.begin().begins("a").fails("a");
    return story.due_in(retry_timer, "a").value();
  };
  EXPECT_EQ(delay_with(1), delay_with(1));
  EXPECT_NE(delay_with(1), delay_with(2));
}

TEST(Retries, ComeBackWhenTheOtherSideSaid) {
  Story story{"a"};
  story.policy("a").retries = 1;
  story.begin().begins("a").ends("a", Failure{"rate-limited", "later", true, Millis{30'000}});
  EXPECT_EQ(story.due_in(retry_timer, "a"), Millis{30'000});
}

TEST(Retries, AreNotTriedWhereTheyCannotHelp) {
  Story story{"a"};
  story.policy("a").retries = 5;
  story.begin().begins("a").fails("a", false);
  EXPECT_EQ(story.state("a"), StepState::failed);
}

TEST(Retries, ATimerBeforeItsTimeChangesNothing) {
  Story story{"a"};
  story.policy("a").retries = 1;
  story.begin().begins("a").fails("a").after(Millis{999}).fires(retry_timer, "a");
  EXPECT_EQ(story.state("a"), StepState::waiting);
}

TEST(Checks, AreAStateOfTheirOwn) {
  Story story{"a; b: a"};
  story.with_output("a").begin().begins("a").ends("a");
  EXPECT_EQ(story.states(), "a:checking b:pending");
  EXPECT_EQ(story.run.in_flight(), 0U);
  EXPECT_EQ(story.commanded<command::CheckOutput>().size(), 1U);
  story.checked("a", true);
  EXPECT_EQ(story.states(), "a:completed b:ready");
}

TEST(Checks, ThatFailStartTheNextAttemptAtOnceAndShareTheRetries) {
  Story story{"a"};
  story.policy("a").retries = 2;
  story.with_output("a").begin().begins("a").ends("a").checked("a", false);
  EXPECT_EQ(story.state("a"), StepState::ready);
  EXPECT_EQ(story.run.attempt(story.step("a"), 1)->detail->failure->code, "checks-failed");
  story.begins("a").fails("a").after(Millis{5000}).fires(retry_timer, "a");
  EXPECT_EQ(story.run.of(story.step("a")).retries_used, 2);
  story.begins("a").ends("a").checked("a", false);
  EXPECT_EQ(story.state("a"), StepState::failed);
}

TEST(Checks, OfAnEarlierAttemptChangeNothing) {
  Story story{"a"};
  story.policy("a").retries = 1;
  story.with_output("a").begin().begins("a").ends("a").checked("a", false).begins("a").ends("a");
  story.happens(event::OutputChecked{story.step("a"), 1, {}, ""});
  EXPECT_EQ(story.state("a"), StepState::checking);
}

TEST(UnknownFate, IsTriedAgainWithoutUsingUpARetry) {
  Story story{"a"};
  story.policy("a").retries = 0;
  story.begin();
  for (int n = 0; n < 20; ++n) {
    story.begins("a").vanishes("a");
    ASSERT_EQ(story.state("a"), StepState::ready);
    ASSERT_EQ(story.run.attempt(story.step("a"), n + 1)->state, AttemptState::unknown);
  }
  EXPECT_EQ(story.run.of(story.step("a")).retries_used, 0);
  story.does("a");
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST(UnknownFate, IsNotTriedForEver) {
  Story story{"a"};
  story.begin();
  int tries = 0;
  for (; tries < 1000 && story.run.state() == RunState::running; ++tries) {
    if (const auto wait = story.due_in(retry_timer, "a")) story.after(*wait).fires(retry_timer, "a");
    story.begins("a").vanishes("a");
  }
  EXPECT_EQ(story.run.state(), RunState::failed);
  EXPECT_EQ(tries, 101);
}

TEST(UnknownFate, FailsTheStepWhereItSaysSo) {
  Story story{"a; b: a"};
  story.policy("a") = {.retries = 3, .on_unknown = OnUnknown::fail};
  story.begin().begins("a").vanishes("a");
  EXPECT_EQ(story.states(), "a:failed b:skipped");
}

TEST(UnknownFate, AsksAPersonAndTheRestGoesOn) {
  Story story{"a; b: a; x"};
  story.policy("a").on_unknown = OnUnknown::ask;
  story.begin().begins("a").vanishes("a");
  EXPECT_EQ(story.states(), "a:waiting b:pending x:ready");
  EXPECT_EQ(story.run.state(), RunState::running);
  story.does("x");
  EXPECT_EQ(story.run.state(), RunState::reviewing);
  EXPECT_TRUE(story.announced(Announced::run_reviewing));
  story.happens(event::RetryAsked{});
  EXPECT_EQ(story.states(), "a:ready b:pending x:completed");
  story.all_goes_well();
  EXPECT_EQ(story.run.state(), RunState::completed);
}

TEST(UnknownFate, IsNeverASuccess) {
  Story story{"a"};
  story.begin().begins("a");
  story.happens(event::AttemptEnded{.step = story.step("a"), .attempt = 1, .unknown = true, .exit = 0});
  EXPECT_EQ(story.run.attempt(story.step("a"), 1)->state, AttemptState::unknown);
  EXPECT_NE(story.state("a"), StepState::completed);
}

TEST(Events, HeardTwiceOrLateChangeNothing) {
  Story story{"a; b: a"};
  story.begin().does("a");
  const std::string before = story.states();
  story.commands.clear();
  story.ends("a").fails("a").vanishes("a").start("a").uses("a", 100);
  story.happens(event::AttemptEnded{.step = story.step("b"), .attempt = 1, .exit = 0});
  story.happens(event::AttemptEnded{.step = step_index(99), .attempt = 1, .exit = 0});
  story.checked("a", false);
  EXPECT_EQ(story.states(), before);
  EXPECT_TRUE(story.commands.empty());
  EXPECT_EQ(story.run.in_flight(), 0U);
  EXPECT_EQ(story.run.tokens().total(), 0);
}

}  // namespace
}  // namespace baton::test
