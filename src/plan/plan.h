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

  [[nodiscard]] bool is_command() const { return !command.empty(); }
  bool operator==(const Work&) const = default;
};

/// How often and how long a step is tried. Zero or unset values were filled in from the configuration on reading.
struct Policy {
  std::int32_t retries = 0;
  OnUnknown on_unknown = OnUnknown::retry;
  Millis timeout{0};  ///< of one attempt; 0: none
  Millis retry_delay{1000};
  Millis stop_grace{5000};

  auto operator<=>(const Policy&) const = default;
};

struct Step {
  std::string id;
  std::vector<StepIndex> needs;
  std::shared_ptr<const Work> work;
  Policy policy;
  bool final = false;
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
