// What a run waits for, and the clock by which it waits.
#include "core/timers.h"

#include <gtest/gtest.h>

#include "plan/plan.h"

namespace baton::test {
namespace {

constexpr Time noon = Time{std::chrono::hours{12}};
constexpr TimerId its_retry = retry_of(step_index(3));

/// Timers, and the commands that they gave since the last look.
struct TimersInTime {
  Timers timers;
  Time now = noon;
  std::vector<Command> commands;

  void arm(TimerId timer, int in) { timers.arm(timer, Millis{in}, now, commands); }
  void disarm(TimerId timer) { timers.disarm(timer, commands); }
  void freeze() { timers.freeze(now, commands); }
  void thaw() { timers.thaw(now, commands); }
  [[nodiscard]] std::optional<Millis> left(TimerId timer) const { return timers.left_of(timer, now); }
  /// "set 500", "cancel": what the world was told.
  std::string told() {
    std::string text;
    for (const Command& c : commands) {
      if (!text.empty()) text += ' ';
      if (const auto* set = std::get_if<command::SetTimer>(&c))
        text += "set " + std::to_string((set->due - now).count());
      if (std::holds_alternative<command::CancelTimer>(c)) text += "cancel";
    }
    commands.clear();
    return text;
  }
};

TEST(Timers, FireOnceAndNotBeforeTheirTime) {
  TimersInTime clock;
  clock.arm(its_retry, 500);
  EXPECT_EQ(clock.told(), "set 500");
  clock.now += Millis{499};
  EXPECT_FALSE(clock.timers.fires(its_retry, clock.now));
  EXPECT_EQ(clock.left(its_retry), Millis{1});
  clock.now += Millis{1};
  EXPECT_TRUE(clock.timers.fires(its_retry, clock.now));
  EXPECT_FALSE(clock.timers.fires(its_retry, clock.now));
  EXPECT_FALSE(clock.left(its_retry));
}

TEST(Timers, AreReplacedAndTakenAway) {
  TimersInTime clock;
  clock.arm(its_retry, 500);
  clock.arm(its_retry, 900);
  EXPECT_EQ(clock.told(), "set 500 set 900");
  EXPECT_EQ(clock.left(its_retry), Millis{900});
  clock.disarm(its_retry);
  clock.disarm(its_retry);
  EXPECT_EQ(clock.told(), "cancel") << "what is not armed is not taken away";
  EXPECT_FALSE(clock.timers.has(its_retry));
}

TEST(Timers, KeepWhatIsLeftOfThemWhileTheRunIsFrozen) {
  TimersInTime clock;
  clock.arm(its_retry, 500);
  clock.now += Millis{200};
  clock.freeze();
  EXPECT_EQ(clock.told(), "set 300 cancel");
  clock.now += Millis{10'000};
  EXPECT_FALSE(clock.timers.fires(its_retry, clock.now));
  clock.arm(timeout_of(step_index(1)), 70);
  EXPECT_EQ(clock.told(), "") << "the world's timers stand still, too";
  EXPECT_TRUE(clock.timers.armed().empty());
  clock.thaw();
  EXPECT_EQ(clock.told(), "set 70 set 300");
  EXPECT_TRUE(clock.timers.stopped().empty());
}

TEST(Timers, ThatAreDueWhenTheRunIsFrozenFireAtOnceAfterwards) {
  TimersInTime clock;
  clock.arm(its_retry, 500);
  clock.now += Millis{800};
  clock.freeze();
  clock.thaw();
  EXPECT_TRUE(clock.timers.fires(its_retry, clock.now));
}

TEST(Timers, CountNoTimeInWhichTheRunWasFrozen) {
  TimersInTime clock;
  const Time start = clock.now;
  clock.now += Millis{100};
  clock.freeze();
  clock.now += Millis{40};
  EXPECT_EQ(clock.timers.passed_since(start, clock.now), Millis{100});
  clock.freeze();
  clock.now += Millis{60};
  clock.thaw();
  clock.now += Millis{7};
  EXPECT_EQ(clock.timers.passed_since(start, clock.now), Millis{107});
  EXPECT_EQ(clock.timers.passed_since(start + Millis{150}, clock.now), Millis{7}) << "it began while all stood still";
  EXPECT_EQ(clock.timers.times_frozen(), 1U);
}

TEST(Timers, StopTheBudgetAloneWhereTheRunIsNotFrozen) {
  TimersInTime clock;
  clock.timers.arm_budget(Millis{1000}, Millis{1000}, clock.now, clock.commands);
  clock.arm(its_retry, 300);
  EXPECT_EQ(clock.told(), "set 1000 set 800 set 300") << "warned of when the last fifth begins";
  clock.now += Millis{250};
  clock.timers.stop_budget(clock.now, clock.commands);
  EXPECT_EQ(clock.told(), "cancel cancel");
  clock.now += Millis{5000};
  EXPECT_EQ(clock.left(time_budget_timer), Millis{750});
  EXPECT_TRUE(clock.timers.fires(its_retry, clock.now)) << "it did not stand still";
  clock.thaw();
  EXPECT_EQ(clock.told(), "set 750 set 550");
}

TEST(Timers, WarnOfNoBudgetOfWhichTheLastFifthHasBegun) {
  TimersInTime clock;
  clock.timers.arm_budget(Millis{200}, Millis{1000}, clock.now, clock.commands);
  EXPECT_EQ(clock.told(), "set 200");
  clock.timers.disarm_budget(clock.commands);
  EXPECT_FALSE(clock.timers.has(time_budget_timer));
}

TEST(Timers, LetABudgetThatIsUsedUpFireAgain) {
  TimersInTime clock;
  clock.timers.arm_budget(Millis{10}, Millis{1000}, clock.now, clock.commands);
  clock.now += Millis{10};
  ASSERT_TRUE(clock.timers.fires(time_budget_timer, clock.now));
  clock.timers.note_budget_used_up();
  clock.freeze();
  clock.thaw();
  EXPECT_TRUE(clock.timers.fires(time_budget_timer, clock.now));
}

TEST(Timers, DropAllButTheBudget) {
  TimersInTime clock;
  clock.timers.arm_budget(Millis{1000}, Millis{1000}, clock.now, clock.commands);
  clock.arm(its_retry, 300);
  clock.freeze();
  clock.timers.drop_all_but_budget(clock.now, clock.commands);
  EXPECT_FALSE(clock.timers.is_frozen());
  EXPECT_FALSE(clock.timers.has(its_retry));
  EXPECT_EQ(clock.left(time_budget_timer), Millis{1000});
}

TEST(TimersDeathTest, AreNotArmedWhileTheyStandStill) {
  TimersInTime clock;
  clock.timers.arm_budget(Millis{1000}, Millis{1000}, clock.now, clock.commands);
  clock.timers.stop_budget(clock.now, clock.commands);
  EXPECT_DEATH(clock.arm(time_budget_timer, 5), "a timer is armed that stands still");
}

TEST(TimersDeathTest, AreNotArmedForThePast) {
  TimersInTime clock;
  EXPECT_DEATH(clock.arm(its_retry, -1), "a timer is armed for the past");
}

TEST(TimersDeathTest, AreNotUsedUpWhileTheyRun) {
  TimersInTime clock;
  clock.timers.arm_budget(Millis{1000}, Millis{1000}, clock.now, clock.commands);
  EXPECT_DEATH(clock.timers.note_budget_used_up(), "a time budget that is armed is not used up");
}

}  // namespace
}  // namespace baton::test
