// Who gets a place, who gets a slot, and what a failure means for all.
#include "core/shares.h"

#include <gtest/gtest.h>

namespace baton::test {
namespace {

QueueEntry running(const std::string& run, std::int64_t created) { return {run, created, true, true}; }
QueueEntry waiting(const std::string& run, std::int64_t created, bool driven = true) {
  return {run, created, false, driven};
}
std::string names(const std::vector<QueueEntry>& entries) {
  std::string text;
  for (const QueueEntry& e : entries) text += e.run + " ";
  return text;
}

TEST(Shares, DaysAndMonthsAreThoseOfUtc) {
  const Time at = time_from_ms(1'709'164'799'999);  // 2024-02-28T23:59:59.999Z
  EXPECT_EQ(rfc3339(day_of(at).from), "2024-02-28T00:00:00.000Z");
  EXPECT_EQ(rfc3339(day_of(at).until), "2024-02-29T00:00:00.000Z");
  EXPECT_EQ(rfc3339(month_of(at).from), "2024-02-01T00:00:00.000Z");
  EXPECT_EQ(rfc3339(month_of(at).until), "2024-03-01T00:00:00.000Z");
  EXPECT_EQ(rfc3339(month_of(time_from_ms(1'735'689'599'000)).until), "2025-01-01T00:00:00.000Z");
}

TEST(Places, AreForThoseThatWereCreatedFirst) {
  const std::vector<QueueEntry> all{running("a", 1), waiting("c", 3), waiting("b", 2), waiting("d", 4)};
  EXPECT_FALSE(place_for("b", 2, all, 1).taken);
  EXPECT_EQ(place_for("b", 2, all, 1).before, 1U);
  EXPECT_EQ(place_for("d", 4, all, 1).before, 3U);
  EXPECT_TRUE(place_for("b", 2, all, 2).taken);
  EXPECT_FALSE(place_for("c", 3, all, 2).taken) << "the free place is for b, whether it has looked or not";
  EXPECT_EQ(place_for("c", 3, all, 2).before, 1U);
  EXPECT_TRUE(place_for("d", 4, all, 4).taken);
}

TEST(Places, ARunThatRunsCountsHoweverLateItWasCreated) {
  EXPECT_FALSE(place_for("a", 1, {waiting("a", 1), running("z", 9)}, 1).taken);
}

TEST(Places, ARunIsNotInItsOwnWay) {
  EXPECT_TRUE(place_for("a", 1, {waiting("a", 1)}, 1).taken);
  EXPECT_TRUE(place_for("a", 1, {running("a", 1)}, 1).taken) << "what an earlier driver of it left";
}

TEST(Places, NextInLineAreAsManyAsThereIsRoomFor) {
  const std::vector<QueueEntry> all{waiting("c", 3), running("a", 1), waiting("b", 2, false)};
  EXPECT_EQ(names(next_in_line(all, 1)), "");
  EXPECT_EQ(names(next_in_line(all, 2)), "b ");
  EXPECT_EQ(names(next_in_line(all, 9)), "b c ");
  EXPECT_EQ(names(next_in_line({running("a", 1), running("b", 2)}, 1)), "") << "the limit was lowered";
}

TEST(Slots, AreGivenWhileThereAreAny) {
  const SlotEntry got = slots_for({"a", 1, 0}, 5, {{"b", 1, 0}}, 4);
  EXPECT_EQ(got.used, 3);
  EXPECT_GT(got.ticket, 0) << "it waits for more";
  EXPECT_EQ(slots_for({"a", 0, 0}, 1, {}, 1).ticket, 0) << "it has all it wants";
}

TEST(Slots, WhoWaitedLongestGetsTheNext) {
  const std::vector<SlotEntry> others{{"b", 0, 7}, {"c", 1, 9}};
  EXPECT_EQ(slots_for({"a", 0, 8}, 1, others, 2).used, 0) << "the one that is free is b's";
  EXPECT_EQ(slots_for({"a", 0, 6}, 1, others, 2).used, 1);
  EXPECT_EQ(slots_for({"a", 0, 8}, 1, others, 3).used, 1);
  EXPECT_EQ(slots_for({"a", 0, 8}, 2, others, 4).used, 1) << "of two that are left the second is c's";
}

TEST(Slots, WhoGivesOneBackAndWantsAnotherStandsBehindThoseThatWait) {
  SlotEntry a{"a", 1, 0};
  SlotEntry b = slots_for({"b", 0, 0}, 1, {a}, 1);
  ASSERT_EQ(b.used, 0);
  for (int turn = 0; turn < 4; ++turn) {
    a = slots_for({"a", 0, a.ticket}, 1, {b}, 1);
    ASSERT_EQ(a.used, 0) << turn;
    b = slots_for(b, 1, {a}, 1);
    ASSERT_EQ(b.used, 1) << turn;
    b = slots_for({"b", 0, b.ticket}, 1, {a}, 1);
    ASSERT_EQ(b.used, 0) << turn;
    a = slots_for(a, 1, {b}, 1);
    ASSERT_EQ(a.used, 1) << turn;
  }
}

TEST(Slots, WhoWantsNoneDoesNotWait) { EXPECT_EQ(slots_for({"a", 2, 5}, 0, {}, 1).ticket, 0); }

TEST(CoolDowns, FollowWhatTheProviderSaidOrAGuess) {
  const Time now = time_from_ms(1000);
  const auto after = [&](const Failure& f) {
    return cool_down_after(f, "claude", now, Millis{60'000}, Millis{60'000});
  };
  const auto told = after({"agent-rate-limited", "", true, Millis{5000}});
  ASSERT_TRUE(told);
  EXPECT_EQ(told->runtime, "claude");
  EXPECT_EQ(told->until, now + Millis{5000});
  EXPECT_EQ(told->guessed, Time{});
  EXPECT_EQ(after({"agent-usage-limit", "", true, {}, now + Millis{9}})->until, now + Millis{9});
  const Failure passed{"agent-usage-limit", "", true, {}, now - Millis{9}, true};
  EXPECT_EQ(after(passed)->until, now + Millis{60'000}) << "a moment that has passed says nothing of use";
  const auto guessed = after({"agent-rate-limited", "", true});
  ASSERT_TRUE(guessed);
  EXPECT_EQ(guessed->until, now + Millis{60'000});
  EXPECT_EQ(guessed->guessed, now);
  EXPECT_FALSE(after({"agent-overloaded", "", true})) << "a request that failed says nothing of the next";
  EXPECT_FALSE(after({"api-rate-limited", "", true})) << "that guess is the governor's";
  EXPECT_FALSE(after({"agent-crashed", "", true}));
  EXPECT_FALSE(after({"checks-failed", "", true}));
}

}  // namespace
}  // namespace baton::test
