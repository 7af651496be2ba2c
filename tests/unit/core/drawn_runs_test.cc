// Whole runs, drawn: plans with everything that a plan can have, and events of every kind, those that the world would
// tell and those that do not fit. Whatever comes, the run stays sound, and the same events give the same run again.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <map>

#include "support/digest.h"
#include "support/draws.h"
#include "support/story.h"

namespace baton::test {
namespace {

std::shared_ptr<const Flow> drawn_flow(Draws& draws, bool has_tree, bool may_be_composite) {
  Flow flow;
  if (draws.chance(0.3)) flow.when = "x";
  flow.gate = draws.chance(0.3);
  flow.tree = has_tree && draws.chance(0.7);
  if (may_be_composite && draws.chance(0.3)) flow.for_each = "[1]";
  if (may_be_composite && flow.for_each.empty() && draws.chance(0.2)) flow.loop_max = 3;
  return std::make_shared<const Flow>(std::move(flow));
}

std::shared_ptr<const Work> drawn_work(Draws& draws, const std::string& id, bool may_extend) {
  Work work;
  if (draws.chance(0.7)) {
    work.command = {"x"};
  } else if (draws.chance(0.6)) {
    work.mission = "m";
  }
  if (draws.chance(0.4)) work.output = id + ".json";
  work.answers = draws.chance(0.1);
  if (may_extend && !work.mission.empty() && draws.chance(0.4)) {
    work.answers = true;
    work.extends = static_cast<Extends>(1 + draws.below(3));
  }
  work.reviews = draws.chance(0.05);
  if (draws.chance(0.15)) work.budget.nano_usd = 100;
  if (draws.chance(0.1)) work.budget.tokens = 900;
  if (draws.chance(0.1)) work.tree = draws.chance(0.5) ? "." : "t";
  return std::make_shared<const Work>(std::move(work));
}

/// Needs some of the first `needs_of` steps.
Step drawn_step(Draws& draws, std::string id, std::size_t needs_of, bool is_planned) {
  Step step;
  step.id = std::move(id);
  for (std::size_t tries = 0; needs_of > 0 && tries < draws.below(4); ++tries) {
    const StepIndex need = step_index(draws.below(needs_of));
    if (std::ranges::find(step.needs, need) == step.needs.end()) step.needs.push_back(need);
  }
  step.work = drawn_work(draws, step.id, is_planned);
  const bool extends = step.work->extends != Extends::nothing;
  if (draws.chance(0.4)) step.flow = drawn_flow(draws, !step.work->tree.empty(), is_planned && !extends);
  step.policy = {.retries = static_cast<std::int32_t>(draws.below(3)),
                 .check_retries = static_cast<std::int32_t>(draws.below(3)),
                 .on_unknown = static_cast<OnUnknown>(draws.below(3)),
                 .timeout = Millis{draws.chance(0.5) ? draws.between(1, 3000) : 0},
                 .retry_delay = Millis{draws.between(0, 500)},
                 .stall = Millis{draws.chance(0.3) ? 500 : 0},
                 .timeout_blocks = draws.chance(0.1),
                 .timeout_pauses = draws.chance(0.1),
                 .fail_fast = draws.chance(0.05)};
  return step;
}

/// A run and the world around it, in which mostly happens what the run waits for.
class DrawnRun {
 public:
  explicit DrawnRun(std::uint64_t seed) : draws_(seed), story(drawn_plan()) {
    story.outputs_stand = false;
    story.settings.seed = seed;
    if (draws_.chance(0.3)) story.settings.token_budget = 5000;
    if (draws_.chance(0.3)) story.settings.time_budget = Millis{draws_.between(2000, 20'000)};
    if (draws_.chance(0.3)) story.settings.cost_budget = Cost{draws_.between(100, 1500)};
    story.begin();
  }
  void goes_on() {
    if (draws_.chance(0.3)) story.after(Millis{draws_.between(0, 300)});
    if (draws_.chance(0.12) || !what_it_waits_for()) anything();
  }

 private:
  Draws draws_;  // before the story, whose plan is drawn

 public:
  Story story;

 private:
  Plan drawn_plan() {
    Plan plan;
    plan.workflow = "drawn";
    const std::size_t steps = 1 + draws_.below(10);
    for (std::size_t n = 0; n < steps; ++n) plan.steps.push_back(drawn_step(draws_, fmt::format("s{}", n), n, true));
    return plan;
  }
  Run& run() { return story.run; }
  StepIndex any_step() { return step_index(draws_.below(run().step_count())); }
  /// The step's present attempt; now and then the one before.
  int an_attempt(StepIndex i) {
    return std::max(1, static_cast<int>(run().of(i).attempts.size()) - static_cast<int>(draws_.below(9) == 0));
  }
  std::vector<CheckResult> drawn_results() { return {{"rule", draws_.chance(0.75), "m"}}; }
  std::string drawn_digest() { return fmt::format("d{}", draws_.below(4)); }
  Usage drawn_usage() {
    const auto cost = draws_.chance(0.85) ? std::optional{Cost{draws_.between(0, 60)}} : std::nullopt;
    return {.tokens = {draws_.between(0, 300), 1, 0, 0}, .cost = cost, .turns = draws_.between(0, 3)};
  }
  Failure drawn_failure() {
    const std::vector<std::string> codes{"command-failed",   "checks-failed",      "agent-rate-limited",
                                         "api-rate-limited", "agent-empty-answer", "budget-exhausted"};
    Failure failure{draws_.one_of(codes), "no", draws_.chance(0.7)};
    if (draws_.chance(0.15)) failure.retry_after = Millis{draws_.between(0, 200'000)};
    if (draws_.chance(0.1)) failure.parked_until = story.now + Millis{draws_.between(-100, 3000)};
    return failure;
  }
  /// `from` is needed by `to`, if only through others; or it is the same.
  bool leads(StepIndex from, StepIndex to) {
    if (from == to) return true;
    return std::ranges::any_of(run().needs_of(to), [&](StepIndex need) { return leads(from, need); });
  }

  bool what_it_waits_for() {
    if (const auto next = run().next_ready(); next && run().in_flight() < 6 && draws_.chance(0.5)) return begins(*next);
    const std::vector<Command> open = run().outstanding();
    if (open.empty()) return false;
    const Command command = draws_.one_of(open);
    return std::visit([&](const auto& c) { return answers(c); }, command);
  }
  bool begins(StepIndex i) {
    const StepIndex doubted = any_step();
    if (draws_.chance(0.04)) {
      story.happens(event::StepDeferred{i, "rt", story.now + Millis{draws_.between(0, 100'000)}, ""});
    } else if (draws_.chance(0.05) && doubted != i && leads(doubted, i)) {
      story.happens(event::OutputDoubted{doubted, i});
    } else {
      const std::string runtime = draws_.chance(0.5) ? "command" : "claude";
      story.happens(event::AttemptAdmitted{i, run().next_attempt(i), runtime, "m", "boot"});
    }
    return true;
  }
  bool answers(const command::StartAttempt& c) {
    const Attempt& attempt = *run().attempt(c.step, c.attempt);
    if (const auto next = run().next_after(c.step); next && draws_.chance(0.4)) {
      story.happens(event::AttemptAdmitted{*next, run().next_attempt(*next), "command", "m", "boot", c.attempt});
      return true;
    }
    if (attempt.ahead && draws_.chance(0.9)) return false;
    if (attempt.state == AttemptState::admitted && !attempt.ahead && draws_.chance(0.8)) {
      story.happens(event::AttemptStarted{c.step, c.attempt, 5, story.now});
      return true;
    }
    return ends(c.step, c.attempt);
  }
  bool answers(const command::StopAttempt& c) { return ends(c.step, c.attempt); }
  bool ends(StepIndex i, int n) {
    const Attempt& attempt = *run().attempt(i, n);
    event::AttemptEnded e{.step = i, .attempt = n, .unknown = draws_.chance(0.06), .finished = story.now};
    const bool never_began = attempt.after > 0 && attempt.state == AttemptState::admitted;
    e.dropped = attempt.ahead || (never_began && draws_.chance(0.4));
    if (!e.dropped && draws_.chance(0.3)) e.failure = drawn_failure();
    if (!e.dropped && draws_.chance(0.5)) story.happens(event::AttemptUsed{i, n, drawn_usage(), draws_.chance(0.5)});
    if (run().of(i).state == StepState::running) story.happens(std::move(e));
    return true;
  }
  bool answers(const command::CheckOutput& c) {
    event::OutputChecked e{c.step, c.attempt, drawn_results(), drawn_digest()};
    if (draws_.chance(0.03)) e.failure = drawn_failure();
    story.happens(std::move(e));
    if (run().of(c.step).state.is_answered()) extends(c.step);
    return true;
  }
  /// The answer of this step changes the plan. What it adds needs what is going to stay.
  void extends(StepIndex by) {
    event::PlanExtended e{.by = by, .first = step_index(run().step_count())};
    e.replaces_rest = draws_.chance(0.3);
    const auto goes = [&](StepIndex i) {
      const StepStanding standing = run().of(i).state;
      const bool has_not_begun = standing == StepState::pending || standing == StepState::ready;
      return standing.is_replaced() || (e.replaces_rest && has_not_begun) || at(i) >= run().plan().steps.size();
    };
    for (std::size_t n = 0; n < draws_.below(3); ++n) {
      e.steps.push_back(drawn_step(draws_, fmt::format("x{}", run().step_count() + n), run().step_count(), false));
      std::erase_if(e.steps.back().needs, goes);
    }
    const StepIndex waiting = any_step();
    if (!e.steps.empty() && e.steps[0].needs.empty() && waiting != by) e.joins.emplace_back(waiting, e.first);
    story.happens(std::move(e));
  }
  bool answers(const command::TakeTurn& c) {
    const Step& step = run().step(c.step);
    const bool is_composite = step.flow->is_composite();
    event::TurnTaken e{.step = c.step, .generation = c.generation, .round = c.round};
    if (draws_.chance(0.08)) {
      e.verdict = TurnVerdict::skip;
    } else if (draws_.chance(0.08)) {
      e.verdict = draws_.chance(0.5) ? TurnVerdict::fail : TurnVerdict::block;
    } else if (!is_composite) {
      e.verdict = draws_.chance(0.1) ? TurnVerdict::ask : TurnVerdict::go;
      const StepIndex found = any_step();
      if (draws_.chance(0.15) && !leads(c.step, found) && !run().of(found).state.is_replaced()) e.needs = {found};
    } else if (c.round > 1 && (step.flow->loop_max == 0 || c.round > 3 || draws_.chance(0.5))) {
      e.verdict = TurnVerdict::done;
      e.digest = drawn_digest();
    } else {
      const std::size_t parts = 1 + draws_.below(3);
      for (std::size_t n = 0; n < parts; ++n) {
        e.made.push_back(drawn_step(draws_, fmt::format("{}.{}.{}", step.id, c.round, n), n, false));
      }
    }
    story.happens(std::move(e));
    return true;
  }
  bool answers(const command::VerifyOutputs& /*c*/) {
    if (draws_.chance(0.3)) {
      story.happens(event::OutputDoubted{any_step(), {}});
    } else {
      story.happens(event::OutputsStand{});
    }
    return true;
  }
  bool answers(const command::SetTimer& c) {
    if (c.due > story.now && draws_.chance(0.8)) story.now = c.due;
    story.happens(event::TimerFired{c.timer});
    return true;
  }
  template <class Other>
  bool answers(const Other& /*c*/) {
    return false;
  }

  /// What people and a world that is late may say at any time.
  void anything() {
    const StepIndex i = any_step();
    const auto named = draws_.chance(0.5) ? std::optional{i} : std::nullopt;
    switch (draws_.below(16)) {
      case 0:
        return said(event::DriverTook{1, "h", draws_.next(), draws_.chance(0.2)});
      case 1:
        return said(event::AttemptUsed{i, an_attempt(i), drawn_usage(), draws_.chance(0.3)});
      case 2:
        return said(event::PauseAsked{"me"});
      case 3:
        return said(event::CancelAsked{"me"});
      case 4:
        return said(event::RetryAsked{named});
      case 5:
        return said(event::GateAnswered{named, draws_.chance(0.7), "said so"});
      case 6:
        return said(event::OutputChanged{i, drawn_results(), drawn_digest(), draws_.chance(0.2)});
      case 7:
        return said(event::OutputDoubted{i, {}});
      case 8:
        return said(event::StepDecided{i, draws_.chance(0.5), "me"});
      case 9:
        return said(event::WorkerReported{i, an_attempt(i), fmt::format("id{}", draws_.below(20)), "complete"});
      case 10:
        return said(event::PlaceTaken{});
      case 11:
        return said(event::ReviewAnswered{draws_.chance(0.5), "m", "abc"});
      case 12:
        return said(event::AttemptQuiet{i, an_attempt(i), Millis{draws_.between(100, 1500)}});
      case 13: {
        RunSettings settings = run().settings();
        settings.time_budget = Millis{draws_.chance(0.5) ? draws_.between(1000, 8000) : 0};
        settings.token_budget = draws_.between(0, 4000);
        return said(event::SettingsChanged{settings});
      }
      default:
        return said(event::ResumeAsked{});
    }
  }
  void said(EventBody body) { story.happens(std::move(body)); }
};

TEST(DrawnRuns, StaySoundAndAreTheSameWhenTheyAreReadAgain) {
  constexpr std::uint64_t seeds = 1500;
  std::map<RunState, int> reached;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(seed);
    DrawnRun drawn{seed};
    for (int n = 0; n < 120; ++n) drawn.goes_on();
    ++reached[drawn.story.run.state()];
    Story again{Plan{}};
    for (const Event& e : drawn.story.history) {
      for (Command& c : again.run.apply(e)) again.commands.push_back(c);
    }
    ASSERT_EQ(digest(again.run), digest(drawn.story.run));
    ASSERT_EQ(digest(again.commands), digest(drawn.story.commands));
  }
  EXPECT_EQ(reached.size(), 10U) << "the draws have become too tame to reach every state of a run";
}

}  // namespace
}  // namespace baton::test
