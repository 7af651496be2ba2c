// What attempts used, and what nobody knows of it.
#include <gtest/gtest.h>

#include "core/facts.h"
#include "support/story.h"

namespace baton::test {
namespace {

/// Attempts of an agent, which is paid for.
class UnknownUsage : public ::testing::Test {
 protected:
  void admit(const char* id, const char* runtime = "claude") {
    const StepIndex i = story.step(id);
    story.happens(event::AttemptAdmitted{i, story.run.next_attempt(i), runtime, "opus", "boot"});
  }
  void begin(const char* id, const char* runtime = "claude") {
    admit(id, runtime);
    story.start(id);
  }
  void ends_unstarted(const char* id, bool unknown) {
    event::AttemptEnded e;
    e.step = story.step(id);
    e.attempt = story.attempts(id);
    e.unknown = unknown;
    if (!unknown) e.failure = Failure{"agent-not-started", "", false};
    e.finished = story.now;
    story.happens(std::move(e));
  }
  KnownUsage last_of(const char* id) { return known_usage(story.run, story.run.of(story.step(id)).attempts.back()); }

  Story story{"a; b"};
};

TEST_F(UnknownUsage, AnAttemptOfWhichNothingWasToldHasUnknownCostAndTokens) {
  story.begin();
  begin("a");
  EXPECT_EQ(last_of("a").cost, std::nullopt) << "what it has used so far is not known either";
  story.fails("a", false);
  EXPECT_EQ(last_of("a").cost, std::nullopt);
  EXPECT_EQ(last_of("a").tokens, std::nullopt);
  EXPECT_EQ(story.run.cost(), std::nullopt);
  EXPECT_EQ(story.run.tokens_unknown(), 1U);
  begin("b");
  story.uses("b", 10, Cost{5}).ends("b");
  EXPECT_EQ(story.run.cost(), std::nullopt) << "a sum with an unknown part is unknown";
  EXPECT_EQ(story.run.known_cost(), Cost{5});
  EXPECT_EQ(story.run.tokens().total(), 10) << "the sum of what is known";
  EXPECT_EQ(story.run.tokens_unknown(), 1U);
}

TEST_F(UnknownUsage, WhatIsToldInTimeIsKnown) {
  story.begin();
  begin("a");
  story.uses("a", 10, Cost{5}).uses("a", 20, Cost{7}).ends("a");
  EXPECT_EQ(story.run.cost(), Cost{7});
  EXPECT_EQ(story.run.tokens_unknown(), 0U);
}

TEST_F(UnknownUsage, ACommandAndARehearsalCostNothingAndThatIsKnown) {
  story.begin();
  begin("a", "command");
  story.ends("a");
  begin("b", "rehearsal");
  story.fails("b", false);
  EXPECT_EQ(last_of("a").cost, Cost{});
  EXPECT_EQ(last_of("a").tokens, Tokens{});
  EXPECT_EQ(story.run.cost(), Cost{});
  EXPECT_EQ(story.run.tokens_unknown(), 0U);
}

TEST_F(UnknownUsage, OneThatNeverRanCostNothing) {
  story.begin();
  admit("a");
  EXPECT_EQ(last_of("a").cost, Cost{}) << "it has not begun";
  ends_unstarted("a", false);
  EXPECT_EQ(last_of("a").cost, Cost{});
  EXPECT_EQ(story.run.cost(), Cost{});
}

TEST_F(UnknownUsage, OneThatMayHaveRunIsUnknown) {
  story.begin();
  admit("a");
  ends_unstarted("a", true);
  EXPECT_EQ(last_of("a").cost, std::nullopt) << "nobody saw it begin, and nobody can say that it did not";
  EXPECT_EQ(story.run.cost(), std::nullopt);
  admit("b");
  story.ends("b");
  EXPECT_EQ(last_of("b").cost, std::nullopt) << "its start was never heard of, its exit was";
  EXPECT_EQ(story.run.tokens_unknown(), 2U);
}

TEST_F(UnknownUsage, CostAndTokensAreKnownEachForItself) {
  story.begin();
  begin("a");
  story.happens(event::AttemptUsed{story.step("a"), 1, Usage{{}, Cost{5}, 1, true}}).ends("a");
  EXPECT_EQ(last_of("a").cost, Cost{5});
  EXPECT_EQ(last_of("a").tokens, std::nullopt);
  EXPECT_EQ(story.run.cost(), Cost{5});
  EXPECT_EQ(story.run.tokens_unknown(), 1U);
  begin("b");
  story.happens(event::AttemptUsed{story.step("b"), 1, Usage{{}, {}, 1, true}});
  EXPECT_EQ(story.run.tokens_unknown(), 2U);
  story.uses("b", 3).ends("b");
  EXPECT_EQ(last_of("b").tokens, (Tokens{3, 0, 0, 0})) << "told after all";
  EXPECT_EQ(story.run.tokens_unknown(), 1U);
  EXPECT_EQ(story.run.cost(), std::nullopt);
}

TEST_F(UnknownUsage, TheModelThatAnsweredIsNamedAndElseTheOneAskedFor) {
  story.begin();
  begin("a");
  const auto model = [&] { return model_of(story.run, story.run.of(story.step("a")).attempts.back()); };
  EXPECT_EQ(model(), "opus");
  story.happens(event::AttemptUsed{story.step("a"), 1, Usage{{1, 0, 0, 0}, {}, 1, false, "claude-haiku-5-5"}});
  EXPECT_EQ(model(), "claude-haiku-5-5");
}

}  // namespace
}  // namespace baton::test
