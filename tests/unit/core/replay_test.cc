// The same events always give the same state and the same commands; what is outstanding is what is in flight.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "support/digest.h"
#include "support/draws.h"
#include "support/story.h"

namespace baton::test {
namespace {

Plan draw_small_plan(Draws& draws) {
  Plan plan;
  plan.workflow = "drawn";
  const std::size_t steps = 1 + draws.below(12);
  for (std::size_t n = 0; n < steps; ++n) {
    Step step;
    step.id = fmt::format("s{}", n);
    for (std::size_t tries = 0; n > 0 && tries < draws.below(4); ++tries) {
      const StepIndex need = step_index(draws.below(n));
      if (std::ranges::find(step.needs, need) == step.needs.end()) step.needs.push_back(need);
    }
    Work work{.command = {"x"}};
    if (draws.chance(0.5)) work.output = "out";
    step.work = std::make_shared<const Work>(std::move(work));
    step.policy = {.retries = static_cast<std::int32_t>(draws.below(3)),
                   .on_unknown = static_cast<OnUnknown>(draws.below(3)),
                   .timeout = Millis{draws.chance(0.5) ? draws.between(1, 3000) : 0},
                   .retry_delay = Millis{draws.between(0, 500)}};
    plan.steps.push_back(std::move(step));
  }
  return plan;
}

/// Any event at all, whether or not it fits: the world and people say what they like.
EventBody draw_event(Draws& draws, const Run& run) {
  const StepIndex step = step_index(draws.below(run.step_count()));
  const int attempt =
      std::max(1, static_cast<int>(run.of(step).attempts.size()) - static_cast<int>(draws.below(5) == 0));
  switch (draws.below(12)) {
    case 0:
      return event::DriverTook{1, "h", draws.next()};
    case 1:
      return event::AttemptUsed{step, attempt, Usage{{draws.between(0, 500), 1, 0, 0}, Cost{draws.between(0, 99)}}};
    case 2:
      return event::AttemptStarted{step, attempt, 9, run.last_event() - Millis{draws.between(0, 50)}};
    case 3:
      return event::PauseAsked{"me"};
    case 4:
      return event::ResumeAsked{};
    case 5:
      if (draws.chance(0.1)) return event::CancelAsked{"me"};
      return event::OutputChecked{step, attempt, {{"r", draws.chance(0.5), "m"}}, "d"};
    case 6:
      return event::RetryAsked{draws.chance(0.5) ? std::optional{step} : std::nullopt};
    case 7:
      return event::TimerFired{{static_cast<TimerId::Kind>(draws.below(3)), step}};
    case 8: {
      event::AttemptEnded e{
          .step = step, .attempt = attempt, .unknown = draws.chance(0.2), .finished = run.last_event()};
      if (draws.chance(0.4)) e.failure = Failure{"command-failed", "no", draws.chance(0.7)};
      return e;
    }
    case 9:
      return event::OutputChecked{step, attempt, {{"r", draws.chance(0.7), "m"}}, "d"};
    default:
      return event::AttemptAdmitted{step, run.next_attempt(step), "command", "m", "boot"};
  }
}

/// Counts, states and commands agree with each other.
void expect_consistent(const Run& run) {
  std::array<std::size_t, step_states> counts{};
  std::size_t in_flight = 0;
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    const StepRun& s = run.of(step_index(n));
    ++counts.at(static_cast<std::size_t>(s.state.state()));
    if (s.state == StepState::running) ++in_flight;
    if (s.state != StepState::completed) continue;
    ASSERT_EQ(s.attempts.back().state, AttemptState::completed);
  }
  for (std::size_t s = 0; s < step_states; ++s) ASSERT_EQ(run.count(static_cast<StepState>(s)), counts.at(s));
  ASSERT_EQ(run.in_flight(), in_flight);
  std::size_t starts = 0;
  std::size_t checks = 0;
  for (const Command& c : run.outstanding()) {
    if (const auto* start = std::get_if<command::StartAttempt>(&c)) {
      ++starts;
      ASSERT_EQ(run.of(start->step).state, StepState::running);
      ASSERT_EQ(run.of(start->step).attempts.back().n, start->attempt);
    }
    if (std::holds_alternative<command::CheckOutput>(c)) ++checks;
  }
  ASSERT_EQ(starts, in_flight);
  ASSERT_EQ(checks, run.count(StepState::checking));
}

TEST(Replay, OfAnyEventsGivesTheSameStateAndCommands) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE(seed);
    Draws draws{seed};
    Story story{draw_small_plan(draws)};
    story.settings.seed = seed;
    story.settings.token_budget = draws.chance(0.3) ? 2000 : 0;
    story.settings.time_budget = Millis{draws.chance(0.3) ? 5000 : 0};
    story.begin();
    for (int n = 0; n < 120; ++n) {
      story.after(Millis{draws.between(0, 400)}).happens(draw_event(draws, story.run));
      expect_consistent(story.run);
      if (HasFatalFailure()) return;
    }
    Story again{Plan{}};
    for (const Event& e : story.history) {
      for (Command& c : again.run.apply(e)) again.commands.push_back(c);
    }
    ASSERT_EQ(digest(again.run), digest(story.run));
    ASSERT_EQ(digest(again.commands), digest(story.commands));
    ASSERT_EQ(again.run.take_touched(), story.run.take_touched());
  }
}

TEST(Outstanding, IsWhatIsInFlight) {
  Story story{"a; b; c; d"};
  story.policy("a").timeout = Millis{5000};
  story.policy("d").retries = 1;
  story.with_output("c").begin().begins("a").admit("b").begins("c").ends("c").begins("d").fails("d");
  std::vector<std::string> found;
  for (const Command& c : story.run.outstanding()) {
    if (const auto* s = std::get_if<command::StartAttempt>(&c)) found.push_back("start " + story.run.step(s->step).id);
    if (const auto* s = std::get_if<command::CheckOutput>(&c)) found.push_back("check " + story.run.step(s->step).id);
    if (const auto* s = std::get_if<command::SetTimer>(&c))
      found.push_back("timer " + story.run.step(s->timer.step).id);
  }
  EXPECT_EQ(found, (std::vector<std::string>{"timer a", "timer d", "start a", "start b", "check c"}));
}

TEST(Outstanding, RepeatsAStopThatWasUnderWay) {
  Story story{"a"};
  story.begin().begins("a").happens(event::CancelAsked{"me"});
  const std::vector<Command> outstanding = story.run.outstanding();
  EXPECT_EQ(std::ranges::count_if(outstanding,
                                  [](const Command& c) { return std::holds_alternative<command::StopAttempt>(c); }),
            1);
}

}  // namespace
}  // namespace baton::test
