#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "core/run.h"

namespace baton::test {

/// "a; b: a; c: a; d: b c" - steps by name, each with its needs.
inline Plan plan_of(std::string_view graph) {
  Plan plan;
  plan.workflow = "story";
  plan.dialect = "markdown";
  const auto work = std::make_shared<const Work>(Work{.command = {"/bin/true"}});
  for (const std::string_view part : split(graph, ';')) {
    const auto colon = part.find(':');
    Step step;
    step.id = trim(part.substr(0, colon));
    step.work = work;
    step.policy.retry_delay = Millis{1000};
    if (colon != std::string_view::npos) {
      for (const std::string_view need : split(trim(part.substr(colon + 1)), ' ')) {
        step.needs.push_back(*find_step(plan, need));
      }
    }
    plan.steps.push_back(std::move(step));
  }
  return plan;
}

constexpr auto retry_timer = TimerId::Kind::retry;

/// One run, told event by event. Everything it commands is kept until it is looked at.
class Story {
 public:
  explicit Story(std::string_view graph) : plan(plan_of(graph)) {}
  explicit Story(Plan its_plan) : plan(std::move(its_plan)) {}

  // --- Given ----------------------------------------------------------------------------------------------------
  Plan plan;
  RunSettings settings{.seed = 7, .jobs = 4};
  bool outputs_stand = true;  ///< where the run asks, all of them are as they were

  Policy& policy(std::string_view id) { return plan.steps[at(*find_step(plan, id))].policy; }
  Story& with_output(std::string_view id) {
    Step& step = plan.steps[at(*find_step(plan, id))];
    Work work = *step.work;
    work.output = step.id + ".json";
    step.work = std::make_shared<const Work>(std::move(work));
    return *this;
  }

  Story& with_flow(std::string_view id, Flow flow) {
    plan.steps[at(*find_step(plan, id))].flow = std::make_shared<const Flow>(std::move(flow));
    return *this;
  }
  Story& with_budget(std::string_view id, StepBudget budget) {
    Step& step = plan.steps[at(*find_step(plan, id))];
    Work work = *step.work;
    work.budget = budget;
    step.work = std::make_shared<const Work>(std::move(work));
    return *this;
  }
  Story& with_nothing(std::string_view id) {
    plan.steps[at(*find_step(plan, id))].work = std::make_shared<const Work>();
    return *this;
  }

  // --- When -----------------------------------------------------------------------------------------------------
  Story& begin() {
    happens(event::RunCreated{std::make_shared<const Plan>(plan), settings});
    return happens(event::DriverTook{1, "here", 1});
  }
  Story& happens(EventBody body) {
    history.push_back({now, std::move(body)});
    bool asks = false;
    for (Command& c : run.apply(history.back())) {
      asks = asks || std::holds_alternative<command::VerifyOutputs>(c);
      commands.push_back(c);
    }
    return asks && outputs_stand ? happens(event::OutputsStand{}) : *this;
  }
  Story& after(Millis passed) {
    now += passed;
    return *this;
  }
  Story& admit(std::string_view id) {
    return happens(event::AttemptAdmitted{step(id), run.next_attempt(step(id)), "command", "", "boot"});
  }
  Story& start(std::string_view id) { return happens(event::AttemptStarted{step(id), attempts(id), 42, now}); }
  Story& begins(std::string_view id) { return admit(id).start(id); }
  Story& ends(std::string_view id, std::optional<Failure> failure = {}) {
    event::AttemptEnded e;
    e.step = step(id);
    e.attempt = attempts(id);
    e.failure = std::move(failure);
    e.exit = e.failure ? 1 : 0;
    e.finished = now;
    return happens(std::move(e));
  }
  Story& fails(std::string_view id, bool may_retry = true) {
    return ends(id, Failure{"command-failed", "exit code 1", may_retry});
  }
  Story& vanishes(std::string_view id) {
    return happens(event::AttemptEnded{.step = step(id), .attempt = attempts(id), .unknown = true, .finished = now});
  }
  Story& checked(std::string_view id, bool passed) {
    return happens(event::OutputChecked{step(id), attempts(id), {{"rule", passed, passed ? "" : "wrong"}}, "d"});
  }
  /// The step's turn comes to this.
  Story& turns(std::string_view id, TurnVerdict verdict, std::string_view made = {}) {
    const FlowRun* flow = run.flow_of(step(id));
    event::TurnTaken e;
    e.step = step(id);
    e.generation = flow == nullptr ? 1 : flow->generation;
    e.round = flow == nullptr ? 1 : flow->round + 1;
    e.verdict = verdict;
    if (verdict == TurnVerdict::skip || verdict == TurnVerdict::fail) e.reason = "said so";
    if (verdict == TurnVerdict::fail) e.code = "loop-exhausted";
    if (!made.empty()) e.made = plan_of(made).steps;
    return happens(std::move(e));
  }
  Story& does(std::string_view id) { return begins(id).ends(id); }
  Story& fires(TimerId::Kind kind, std::string_view id = {}) {
    return happens(event::TimerFired{{kind, id.empty() ? StepIndex{} : step(id)}});
  }
  Story& uses(std::string_view id, std::int64_t tokens, std::optional<Cost> cost = {}) {
    return happens(event::AttemptUsed{step(id), attempts(id), Usage{{tokens, 0, 0, 0}, cost}});
  }
  /// Lets every step that may start run well, until nothing is left to do.
  Story& all_goes_well() {
    while (const auto next = run.next_ready()) does(run.step(*next).id);
    return *this;
  }

  // --- Then -----------------------------------------------------------------------------------------------------
  [[nodiscard]] StepIndex step(std::string_view id) const { return run.find(id).value(); }
  [[nodiscard]] int attempts(std::string_view id) const { return static_cast<int>(run.of(step(id)).attempts.size()); }
  [[nodiscard]] StepState state(std::string_view id) const { return run.of(step(id)).state; }
  [[nodiscard]] std::string states() const {
    std::string text;
    for (std::size_t n = 0; n < run.step_count(); ++n) {
      const StepIndex i = step_index(n);
      text += (n > 0 ? " " : "") + run.step(i).id + ":" + std::string{name(run.of(i).state)};
    }
    return text;
  }
  /// The commands of a kind since the last look at any kind of them.
  template <class T>
  std::vector<T> commanded() {
    std::vector<T> found;
    for (const Command& c : commands) {
      if (const T* match = std::get_if<T>(&c)) found.push_back(*match);
    }
    commands.clear();
    return found;
  }
  [[nodiscard]] bool announced(command::Announce::Kind kind) const {
    return std::ranges::any_of(commands, [&](const Command& c) {
      const auto* a = std::get_if<command::Announce>(&c);
      return a != nullptr && a->kind == kind;
    });
  }
  /// The time for which a timer was last set.
  [[nodiscard]] std::optional<Millis> due_in(TimerId::Kind kind, std::string_view id = {}) const {
    const TimerId timer{kind, id.empty() ? StepIndex{} : step(id)};
    for (const Command& c : run.outstanding()) {
      const auto* set = std::get_if<command::SetTimer>(&c);
      if (set != nullptr && set->timer == timer) return set->due - now;
    }
    return std::nullopt;
  }

  Run run;
  Time now = time_from_ms(1'000'000);
  std::vector<Event> history;
  std::vector<Command> commands;
};

}  // namespace baton::test
