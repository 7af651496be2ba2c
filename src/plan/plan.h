#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "plan/check.h"

namespace baton {

/// A step's place in its plan. Dense, so that a run can keep its state in plain arrays.
enum class StepIndex : std::uint32_t {};
constexpr std::size_t at(StepIndex i) { return static_cast<std::size_t>(i); }
constexpr StepIndex step_index(std::size_t i) { return static_cast<StepIndex>(i); }

/// What to do with an attempt whose end nobody saw (its holder was killed, the machine went down).
enum class OnUnknown : std::uint8_t { retry, fail, ask };

/// What one step may spend, all its attempts together. What is 0 or absent has no limit.
struct StepBudget {
  std::optional<std::int64_t> nano_usd;
  std::int64_t tokens = 0;
  std::int64_t turns = 0;

  [[nodiscard]] bool is_set() const { return nano_usd.has_value() || tokens > 0 || turns > 0; }
  bool operator==(const StepBudget&) const = default;
};

/// What a step's answer does to the rest of the plan.
enum class Extends : std::uint8_t {
  nothing,
  route,      ///< it names the workflow that takes the place of what is left
  decompose,  ///< it lists sub-tasks that the skill after it is run for, each by itself
  review,     ///< it is a verdict: what it is about may have to be done once more
};

/// What a step does. Shared between steps where a plan repeats it; never changes.
struct Work {
  std::string title;                 ///< for people; may be empty
  std::string skill;                 ///< agent steps
  std::string mission;               ///< agent steps
  std::vector<std::string> command;  ///< command steps: argv; a string in the definition became {"/bin/sh","-c",text}
  std::vector<std::string> env;     ///< NAME=VALUE: values a shell line refers to, so that none is ever spliced into it
  std::vector<std::string> inputs;  ///< paths, relative to the project root
  std::string output;               ///< path, relative to the project root; empty if there is none
  OutputFormat output_format = OutputFormat::json;
  std::vector<Check> checks;
  std::string runtime;  ///< named by the step itself; empty: the run's
  std::string model;    ///< named by the step itself; empty: the run's
  std::string mode;     ///< of asking a model's API: `batch`, `call`; empty: as the settings say
  StepBudget budget;
  bool answers = false;  ///< its answer is its output: whoever runs it writes that down, the agent need not
  bool reviews = false;  ///< its answer is a verdict, and the run ends with a person's word on it
  Extends extends = Extends::nothing;
  std::string sub_task;  ///< the part of the whole it sees to; empty: the whole
  std::string tree;  ///< where it works: empty: the project's folder; `.`: the run's own tree; else a sub-task's own
  std::vector<std::string> notes;  ///< further lines of context, found when its turn came
  Millis timeout{0};               ///< of one attempt, found when its turn came; 0: the policy's
  std::vector<std::string> also;   ///< further steps that the same worker sees to, in this order: an inner loop

  [[nodiscard]] bool is_command() const { return !command.empty(); }
  /// There is something to be checked when an attempt has ended well.
  [[nodiscard]] bool has_output() const { return answers || !output.empty(); }
  /// Nobody has to work on it: a gate by itself, or a step that only brings others together.
  [[nodiscard]] bool is_nothing() const { return command.empty() && skill.empty() && mission.empty(); }
  bool operator==(const Work&) const = default;
};

/// How often and how long a step is tried. Zero or unset values were filled in from the configuration on reading.
struct Policy {
  std::int32_t retries = 0;
  std::int32_t check_retries = 0;  ///< of failed checks, where that is more
  std::int32_t limit_retries = 0;  ///< of attempts whose provider was asked too often, where that is more
  OnUnknown on_unknown = OnUnknown::retry;
  Millis timeout{0};  ///< of one attempt; 0: none
  Millis retry_delay{1000};
  Millis stop_grace{5000};
  Millis stall{
      0};  ///< an attempt that gives no sign of life for so long is warned of, after twice that stopped; 0: never
  bool timeout_blocks = false;  ///< an attempt whose time is up is not tried again: its step is blocked
  bool timeout_pauses = false;  ///< the same, but the run is paused and a person is asked what becomes of the step
  bool empty_is_final = false;  ///< an answer that is empty is not asked for again
  bool fail_fast = false;       ///< if it fails, whatever else is at work is stopped, and nothing new begins

  auto operator<=>(const Policy&) const = default;
};

struct Flow;

struct Step {
  std::string id;
  std::vector<StepIndex> needs;
  std::shared_ptr<const Work> work;
  std::shared_ptr<const Flow> flow = {};  ///< null for most: it runs once, as it stands, when its needs are met
  Policy policy;
  bool final = false;

  /// How long one attempt may take; 0: as long as it likes.
  [[nodiscard]] Millis timeout() const {
    return work != nullptr && work->timeout.count() > 0 ? work->timeout : policy.timeout;
  }
};

/// What decides, when a step's turn comes (its needs are met), whether, how often and on what it runs.
///
/// A composite step (`for_each` or `loop_max`) has no attempts of its own: its body is made anew for each item or round
/// as steps of the run, it waits for those, and its turn comes again when they have ended.
struct Flow {
  std::string when;           ///< a condition (plan/expression.h); empty: always
  std::string for_each;       ///< an expression that gives a list, or a JSON array; empty: once
  std::string until;          ///< a condition: the loop ends when it holds
  std::int32_t loop_max = 0;  ///< rounds; 0: no loop
  bool gate = false;          ///< a person has to approve before it goes on
  std::string question;       ///< what that person is asked
  bool tree = false;          ///< its working tree has to be made ready before it starts
  bool deferred = false;      ///< its work speaks of values that are known only when its turn comes
  std::vector<Step> body;  ///< of a composite: the step itself, or a sub-workflow's steps `ID:CHILD`; needs count from
                           ///< the body's first step
  std::string sandbox;     ///< what `${{ sandbox }}` stands for in deferred texts
  std::string item;        ///< of a step that was made for an item: the item, as JSON; else empty
  std::int32_t index = 0;  ///< of that item, or of the round; from 1

  [[nodiscard]] bool is_composite() const { return !for_each.empty() || loop_max > 0; }
  bool operator==(const Flow& other) const;
};

/// An immutable graph of steps. A dialect makes it; a run keeps it in its first event.
struct Plan {
  std::string workflow;  ///< the name people use for it
  std::string dialect;   ///< markdown, chain, session, team, workspace
  std::string version;   ///< the definition's own, may be empty
  std::string source;    ///< the file it came from, relative to the project root
  std::vector<Step> steps;
};

/// The step whose output is the run's artifact: the one marked final, else the last in execution order.
std::optional<StepIndex> final_step(const Plan& plan);

std::optional<StepIndex> find_step(const Plan& plan, std::string_view id);

/// Indices in execution order: dependencies first, declaration order otherwise. Empty if the plan has a cycle.
std::vector<StepIndex> execution_order(const Plan& plan);

/// The ids along one cycle, first one repeated at the end; empty if there is none.
std::vector<std::string> find_cycle(const Plan& plan);

}  // namespace baton
