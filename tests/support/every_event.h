#pragma once

#include <memory>
#include <vector>

#include "core/event.h"
#include "support/story.h"

namespace baton::test {

/// At least one event of each kind, with all that can be awkward in it.
inline std::vector<EventBody> every_event() {
  const std::string awkward = "q\"\\\n\t\x01 \xC3\xA9 \xE2\x82\xAC {}[],:";
  Plan plan = plan_of("a; b: a; c: a b");
  plan.version = "1.2";
  plan.source = "workflows/x.md";
  Work work;
  work.title = awkward;
  work.skill = "s";
  work.mission = awkward;
  work.inputs = {"in/1", "in/2"};
  work.env = {"A=" + awkward};
  work.output = "out.json";
  work.checks = {{Check::Kind::required_field, "a.b", 0}, {Check::Kind::min_quotes, "", 3}};
  work.answers = true;
  work.reviews = true;
  work.extends = Extends::decompose;
  work.sub_task = awkward;
  work.timeout = Millis{90'000};
  work.tree = ".";
  work.notes = {awkward, "b"};
  plan.steps[1].work = std::make_shared<const Work>(work);
  plan.steps[1].policy = {.retries = 3, .on_unknown = OnUnknown::ask, .timeout = Millis{12'345}};
  plan.steps[1].policy.check_retries = 2;
  plan.steps[1].policy.limit_retries = 3;
  plan.steps[1].policy.timeout_blocks = true;
  plan.steps[1].policy.empty_is_final = true;
  plan.steps[1].policy.fail_fast = true;
  plan.steps[1].flow = std::make_shared<const Flow>(Flow{.tree = true});
  plan.steps[2].final = true;
  RunSettings settings{.seed = 0xFFFF'FFFF'FFFF'FFF1U, .jobs = 3, .time_budget = Millis{60'000}};
  settings.cost_budget = Cost{1'500'000'000};
  settings.token_budget = 123;
  settings.options = {{"task", awkward}, {"runtime", "command"}, {"folder", "/p/.baton/runs/r"}, {"sandbox", "s-1"}};
  const StepIndex s = step_index(1);
  const Time t = time_from_ms(1'790'000'000'123);
  return {
      event::RunCreated{std::make_shared<const Plan>(plan), settings, {{s, "0123"}, {step_index(0), ""}}},
      event::DriverTook{4711, "host-1", 0xFFFF'FFFF'FFFFU},
      event::SettingsChanged{RunSettings{}},
      event::SettingsChanged{RunSettings{.wall_floor = Millis{5}, .log_bytes_max = 4096}},
      event::AttemptAdmitted{s, 1, "command", "", ""},
      event::AttemptAdmitted{s, 2, "claude", "opus", "boot-id"},
      event::AttemptAdmitted{s, 2, "command", "", "boot-id", 3},
      event::AttemptEnded{.step = s, .attempt = 2, .finished = t, .dropped = true},
      event::AttemptStarted{s, 1, 42, t},
      event::AttemptUsed{s, 1, Usage{{1, 2, 3, 4}, Cost{-5}}},
      event::AttemptUsed{s, 1, Usage{{1, 2, 3, 4}, {}}},
      event::AttemptUsed{s, 1, Usage{{}, Cost{5}, 1, true, awkward}},
      event::AttemptEnded{.step = s, .attempt = 1, .exit = 0, .finished = t},
      event::AttemptEnded{.step = s, .attempt = 1, .unknown = true, .finished = t},
      event::AttemptEnded{.step = s,
                          .attempt = 2,
                          .failure = Failure{"rate-limited", awkward, true, Millis{30'000}},
                          .signal = 9,
                          .finished = t},
      event::OutputChecked{s, 1, {{"r1", true, ""}, {"r2", false, awkward}}, "0123abcd"},
      event::OutputChecked{s, 1, {}, ""},
      event::OutputChecked{s, 1, {}, "", Failure{"response-empty", awkward, false}},
      event::TimerFired{{TimerId::Kind::attempt_timeout, s}},
      event::TimerFired{{TimerId::Kind::time_budget, {}}},
      event::PauseAsked{awkward},
      event::ResumeAsked{},
      event::CancelAsked{"me"},
      event::RetryAsked{},
      event::RetryAsked{s},
      event::PlanExtended{step_index(0), step_index(3), {plan.steps[1], plan.steps[2]}, true, {{s, step_index(3)}}},
      event::PlanExtended{step_index(0), step_index(3), {}, false, {}, "plan-build", awkward},
      event::ReviewAnswered{true, awkward, "0123"},
      event::ReviewAnswered{false, "", ""},
      event::TurnTaken{s, 1, 2, TurnVerdict::ask, awkward, "", nullptr, {}, ""},
      event::AttemptUsed{s, 1, Usage{{1, 2, 3, 4}, Cost{7}, 9}},
      event::AttemptUsed{s, 1, Usage{{1, 2, 3, 4}, Cost{7}, 9}, true},
      event::AttemptEnded{.step = s,
                          .attempt = 2,
                          .failure = Failure{"agent-usage-limit", awkward, true, {}, t},
                          .finished = t,
                          .note = Failure{"response-truncated", awkward, false}},
      event::AttemptEnded{
          .step = s, .attempt = 3, .failure = Failure{"agent-usage-limit", awkward, true, {}, t, true}, .finished = t},
      event::TimerFired{{TimerId::Kind::time_warning, {}}},
      event::AttemptQuiet{s, 2, Millis{90'000}},
      event::TurnTaken{s, 2, 1, TurnVerdict::go, "", "", std::make_shared<const Work>(work), {}, "", {s}},
      event::TurnTaken{s, 1, 3, TurnVerdict::go, "", "", nullptr, {plan.steps[0], plan.steps[1]}, ""},
      event::TurnTaken{s, 1, 1, TurnVerdict::skip, awkward, "", nullptr, {}, ""},
      event::TurnTaken{s, 1, 2, TurnVerdict::fail, awkward, "loop-exhausted", nullptr, {}, ""},
      event::TurnTaken{s, 1, 2, TurnVerdict::block, awkward, "unknown-dependency", nullptr, {}, ""},
      event::TurnTaken{s, 1, 2, TurnVerdict::done, "", "", nullptr, {}, "0123"},
      event::GateAnswered{s, true, ""},
      event::GateAnswered{{}, false, awkward},
      event::OutputChanged{s, {{"r", false, awkward}}, "0123"},
      event::OutputChanged{s, {}, "", true},
      event::ReviewAnswered{true, awkward, "0123"},
      event::DriverTook{4712, "host-1", 7, true},
      event::DriverTook{.pid = 4713, .host = "host-1", .epoch = 8, .rules = event::Rules::first},
      event::PlaceTaken{},
      event::StepDeferred{s, awkward, t},
      event::WorkerReported{s, 2, "r1", "consensus_blocked", "writer", awkward, R"({"severity":"HIGH"})"},
      event::WorkerReported{s, 1, "r2", "complete", awkward, "", ""},
      event::StepDecided{s, false, awkward},
      event::StepDecided{s, true, ""},
      event::AttemptAdmitted{s, 4, "command", "", "boot-id", 0, "0123-4567"},
      event::DriverTook{.pid = 4714, .host = "host-1", .epoch = 9, .rules = event::Rules::bounded},
      event::OutputDoubted{s, {}},
      event::OutputDoubted{s, step_index(2)},
      event::OutputsStand{},
  };
}

}  // namespace baton::test
