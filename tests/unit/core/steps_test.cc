// How the steps of a run stand, and what is counted of them.
#include "core/steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/story.h"

namespace baton::test {
namespace {

using ::testing::ElementsAre;

/// The steps of a graph, by name.
struct StepsByName {
  explicit StepsByName(std::string_view graph) : StepsByName(plan_of(graph)) {}
  explicit StepsByName(Plan plan) : steps(std::make_shared<const Plan>(std::move(plan))) {}

  [[nodiscard]] StepIndex at(std::string_view id) const { return steps.find(id).value(); }
  void set(std::string_view id, StepStanding standing) { steps.set(at(id), standing); }
  Attempt& admit(std::string_view id, bool ahead = false) {
    Attempt attempt;
    attempt.n = steps.next_attempt(at(id));
    attempt.ahead = ahead;
    attempt.after = ahead ? 1 : 0;
    if (!ahead) set(id, StepStanding::ready());
    return steps.admit(at(id), std::move(attempt));
  }
  [[nodiscard]] bool meets(std::string_view id, std::string_view need) const { return steps.is_met(at(id), at(need)); }

  Steps steps;
};

Plan with_flow(Plan plan, std::string_view id, Flow flow) {
  plan.steps[baton::at(*find_step(plan, id))].flow = std::make_shared<const Flow>(std::move(flow));
  return plan;
}

TEST(Steps, AreCountedByState) {
  StepsByName s{"a; b: a; c"};
  EXPECT_EQ(s.steps.count(StepState::pending), 3U);
  s.set("a", StepStanding::ready());
  s.set("a", StepStanding::completed());
  s.set("c", StepStanding::waiting_for_time());
  EXPECT_EQ(s.steps.count(StepState::pending), 1U);
  EXPECT_EQ(s.steps.count(StepState::ready), 0U);
  EXPECT_EQ(s.steps.count(StepState::completed), 1U);
  s.steps.set_reason(s.at("c"), StepStanding::waiting_for_quota());
  EXPECT_TRUE(s.steps.waits_for_quota());
  EXPECT_EQ(s.steps.count(StepState::waiting), 1U);
}

TEST(Steps, AreToldOnceEachWhenTheyWereTouched) {
  StepsByName s{"a; b; c"};
  s.set("c", StepStanding::ready());
  s.set("c", StepStanding::running());
  s.steps.touch(s.at("a"));
  EXPECT_THAT(s.steps.take_touched(), ElementsAre(s.at("a"), s.at("c")));
  EXPECT_TRUE(s.steps.take_touched().empty());
}

TEST(Steps, AreReadyInTheOrderInWhichTheyBecameSo) {
  StepsByName s{"a; b; c"};
  s.set("c", StepStanding::ready());
  s.set("a", StepStanding::ready());
  EXPECT_EQ(s.steps.next_ready(), s.at("c"));
  s.set("c", StepStanding::pending());
  EXPECT_EQ(s.steps.next_ready(), s.at("a"));
  s.admit("a");
  EXPECT_FALSE(s.steps.next_ready());
}

TEST(Steps, WhosePlaceOthersTookBeforeTheyBeganNeverExisted) {
  StepsByName s{"a; b; c"};
  s.set("a", StepStanding::completed());
  for (const char* id : {"a", "b"}) s.steps.replace(s.at(id));
  s.steps.replace(s.at("b"));
  EXPECT_FALSE(s.steps.never_existed(s.at("a"))) << "it was done";
  EXPECT_TRUE(s.steps.never_existed(s.at("b")));
  EXPECT_EQ(s.steps.total(), 2U);
  EXPECT_EQ(s.steps.count(StepState::cancelled), 0U);
  EXPECT_EQ(s.steps.count(StepState::completed), 1U);
}

TEST(Steps, AreFoundByNameAndNotThoseWhosePlaceOthersTook) {
  StepsByName s{"a; b"};
  s.steps.replace(s.at("a"));
  Step second = s.steps.step(s.at("a"));
  s.steps.graph().append(second);
  s.steps.add();
  EXPECT_EQ(s.steps.find("a"), step_index(2));
  EXPECT_FALSE(s.steps.find("z"));
}

TEST(Steps, MeetANeedThatIsCompletedOrThatAPersonLeftOut) {
  StepsByName s{"a; b: a"};
  EXPECT_FALSE(s.meets("b", "a"));
  EXPECT_EQ(s.steps.count_unmet(s.at("b")), 1U);
  s.set("a", StepStanding::skipped_by_condition());
  EXPECT_FALSE(s.meets("b", "a"));
  s.set("a", StepStanding::skipped_by_person());
  EXPECT_TRUE(s.meets("b", "a"));
  s.set("a", StepStanding::completed());
  EXPECT_TRUE(s.meets("b", "a"));
}

TEST(Steps, WithAConditionOfTheirOwnTolerateANeedThatWasSkipped) {
  StepsByName s{with_flow(plan_of("a; b: a; c: a"), "b", {.when = "x"})};
  s.set("a", StepStanding::skipped_by_condition());
  EXPECT_TRUE(s.meets("b", "a"));
  EXPECT_FALSE(s.meets("c", "a"));
}

TEST(Steps, CountAttemptsInFlight) {
  StepsByName s{"a; b: a; c: b"};
  s.admit("a");
  EXPECT_EQ(s.steps.next_after(s.at("a")), s.at("b"));
  s.admit("b", true);
  EXPECT_EQ(s.steps.in_flight(), 1U) << "b waits for the end of a";
  EXPECT_EQ(s.steps.follower_of(s.at("a")), s.at("b"));
  EXPECT_TRUE(s.steps.is_conditional(s.at("b")));
  EXPECT_FALSE(s.steps.next_after(s.at("a"))) << "one follows already";
  s.steps.free_slot_of(s.at("a"));
  EXPECT_EQ(s.steps.in_flight(), 1U) << "its slot went to b";
  EXPECT_FALSE(s.steps[s.at("b")].attempts.back().ahead);
}

TEST(Steps, HaveOneAttemptAtWork) {
  StepsByName s{"a"};
  EXPECT_EQ(s.steps.current(s.at("a"), 1), nullptr);
  s.admit("a");
  EXPECT_NE(s.steps.current(s.at("a"), 1), nullptr);
  EXPECT_EQ(s.steps.current(s.at("a"), 2), nullptr);
  EXPECT_EQ(s.steps.current(step_index(7), 1), nullptr);
  EXPECT_EQ(s.steps.attempt(s.at("a"), 1)->n, 1);
  EXPECT_EQ(s.steps.attempt(s.at("a"), 0), nullptr);
}

TEST(Steps, ThatHaveNotBegunAreReplacedTogether) {
  StepsByName s{"a; b; c; d"};
  s.set("b", StepStanding::ready());
  s.set("c", StepStanding::failed());
  s.admit("d");
  s.steps.replace_rest();
  EXPECT_TRUE(s.steps.never_existed(s.at("a")));
  EXPECT_TRUE(s.steps.never_existed(s.at("b")));
  EXPECT_EQ(s.steps[s.at("c")].state.state(), StepState::failed);
  EXPECT_EQ(s.steps[s.at("d")].state.state(), StepState::running);
}

TEST(Steps, NeedWhatTheyAreJoinedToOnceEach) {
  StepsByName s{"a; b; c: a"};
  s.set("b", StepStanding::completed());
  EXPECT_FALSE(s.steps.join(s.at("c"), {s.at("a"), s.at("b")}));
  EXPECT_THAT(s.steps.graph().needs_of(s.at("c")), ElementsAre(s.at("a"), s.at("b")));
  s.set("a", StepStanding::completed());
  EXPECT_TRUE(s.steps.join(s.at("c"), {s.at("b")}));
  EXPECT_EQ(s.steps.graph().needs_of(s.at("c")).size(), 2U);
}

TEST(Steps, WaitAgainForAStepThatIsAtWorkOnceMore) {
  StepsByName s{"a; b: a; c: b; d: a"};
  s.set("b", StepStanding::ready());
  s.set("c", StepStanding::ready());
  s.set("d", StepStanding::failed());
  s.set("a", StepStanding::pending());
  s.steps.wait_again_for(s.at("a"), s.at("c"));
  EXPECT_EQ(s.steps[s.at("b")].state.state(), StepState::pending);
  EXPECT_EQ(s.steps.graph().unmet(s.at("b")), 1U);
  EXPECT_EQ(s.steps[s.at("c")].state.state(), StepState::pending) << "it was about to build on it, through b";
  EXPECT_TRUE(s.steps.graph().needs(s.at("c"), s.at("a")));
  EXPECT_EQ(s.steps[s.at("d")].state.state(), StepState::failed);
}

TEST(Steps, WaitLongerBeforeEachRetry) {
  Plan plan = plan_of("a");
  plan.steps[0].policy.retry_delay = Millis{1000};
  StepsByName s{plan};
  const Millis first = s.steps.retry_delay(s.at("a"), 7, {});
  EXPECT_GE(first, Millis{1000});
  EXPECT_LE(first, Millis{1250});
  EXPECT_EQ(s.steps.retry_delay(s.at("a"), 7, {}), first) << "the same chance from the same seed";
  s.steps.ref(s.at("a")).backoffs = 2;
  EXPECT_GE(s.steps.retry_delay(s.at("a"), 7, {}), Millis{4000});
  const Failure told{.code = "x", .message = "", .may_retry = true, .retry_after = Millis{90'000}};
  EXPECT_EQ(s.steps.retry_delay(s.at("a"), 7, told), Millis{90'000}) << "the other side knows better";
}

TEST(StepsDeathTest, WhatOthersTookThePlaceOfDoesNotComeBack) {
  StepsByName s{"a"};
  s.steps.replace(s.at("a"));
  EXPECT_DEATH(s.set("a", StepStanding::ready()), "what others took the place of comes back");
}

TEST(StepsDeathTest, OnlyAStepThatIsThereIsChanged) {
  StepsByName s{"a"};
  EXPECT_DEATH(s.steps.set(step_index(1), StepStanding::ready()), "a step is changed that is not there");
}

TEST(StepsDeathTest, AnOutputIsCheckedThatAnAttemptMade) {
  StepsByName s{"a"};
  EXPECT_DEATH(s.set("a", StepStanding::checking()), "an output is checked that no attempt made");
}

TEST(StepsDeathTest, NoStepIsSkippedBecauseOfItself) {
  StepsByName s{"a"};
  EXPECT_DEATH(s.set("a", StepStanding::skipped_behind(s.at("a"))), "a step is skipped because of itself");
}

TEST(StepsDeathTest, OnlyAStepThatMayStartIsAdmitted) {
  StepsByName s{"a; b: a"};
  Attempt first;
  first.n = 1;
  EXPECT_DEATH(s.steps.admit(s.at("a"), std::move(first)), "a step is admitted that may not start");
  EXPECT_DEATH(s.admit("b", true), "an attempt waits for one that does not lead to it");
}

TEST(StepsDeathTest, AReasonFitsTheState) {
  StepsByName s{"a"};
  EXPECT_DEATH(s.steps.set_reason(s.at("a"), StepStanding::waiting_for_quota()), "a reason does not fit");
}

TEST(StepsDeathTest, AttemptsAreNumberedOn) {
  StepsByName s{"a"};
  Attempt third;
  third.n = 3;
  EXPECT_DEATH(s.steps.admit(s.at("a"), std::move(third)), "attempts are not numbered on");
}

TEST(StepsDeathTest, NoAttemptEndsTwice) {
  StepsByName s{"a"};
  s.admit("a");
  s.steps.free_slot_of(s.at("a"));
  EXPECT_DEATH(s.steps.free_slot_of(s.at("a")), "an attempt ends that was not in flight");
}

TEST(StepsDeathTest, NoAttemptIsDroppedThatWasNotThere) {
  StepsByName s{"a"};
  EXPECT_DEATH(s.steps.drop_attempt(s.at("a")), "an attempt is dropped that was not there");
}

TEST(StepsDeathTest, AStepIsAddedToTheGraphFirst) {
  StepsByName s{"a"};
  EXPECT_DEATH(s.steps.add(), "a step is added that the graph does not have");
}

}  // namespace
}  // namespace baton::test
