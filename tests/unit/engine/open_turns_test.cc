// Which turns are open, and which of them are new.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/dialect_run.h"
#include "support/story.h"

namespace baton::test {
namespace {

/// A run whose steps have all been asked for their turns.
struct Asked : testing::Test {
  baton::Run run;
  OpenTurns open;

  Asked() {
    Plan plan = plan_of("a; b; c");
    for (Step& step : plan.steps) step.flow = std::make_shared<const Flow>(Flow{.deferred = true});
    (void)run.apply({Time{}, event::RunCreated{std::make_shared<const Plan>(std::move(plan)), {.jobs = 4}}});
    for (const Command& c : run.apply({Time{}, event::DriverTook{}})) take(c);
  }
  void take(const Command& c) {
    if (const auto* turn = std::get_if<command::TakeTurn>(&c)) open.ask(*turn);
  }
  std::string names(const std::vector<command::TakeTurn>& turns) const {
    std::string names;
    for (const command::TakeTurn& turn : turns) names += run.step(turn.step).id;
    return names;
  }
};

TEST_F(Asked, AreNewOnce) {
  EXPECT_EQ(names(open.fresh(run)), "abc");
  EXPECT_EQ(names(open.fresh(run)), "");
  EXPECT_EQ(names(open.all(run)), "abc") << "and open still";
}

TEST_F(Asked, AreNotNewOnceAllWereLookedAt) {
  EXPECT_EQ(names(open.all(run)), "abc");
  EXPECT_EQ(names(open.fresh(run)), "");
}

TEST_F(Asked, AreGoneOnceClosedOrAnswered) {
  open.close(step_index(0));
  (void)run.apply({Time{}, event::TurnTaken{step_index(1), 1, 1, TurnVerdict::done, "", "", nullptr, {}, ""}});
  EXPECT_EQ(names(open.fresh(run)), "c");
  EXPECT_EQ(names(open.all(run)), "c");
}

}  // namespace
}  // namespace baton::test
