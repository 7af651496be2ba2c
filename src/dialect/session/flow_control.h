#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fault.h"
#include "dialect/session/flow_command.h"
#include "dialect/session/variables.h"

namespace baton::session {

/// What is to be done now for a step of preparation.
struct FlowAction {
  FlowCommand::Kind kind = FlowCommand::Kind::shell;  ///< shell or read
  std::string text;                                   ///< a line for `/bin/sh -c`, or a path from the project's folder
  std::vector<std::string> env = {};                  ///< NAME=VALUE
  int first_line = 0;
  int last_line = 0;
  std::string step;  ///< the step's name, for messages
};

/// How that ended.
struct FlowAnswer {
  bool ok = false;
  std::string text;      ///< what it printed, or what is in the file
  std::string why = {};  ///< what went wrong
};

/// What came of one step.
struct FlowOutcome {
  enum class State : std::uint8_t {
    done,
    skipped,    ///< it went wrong and was optional
    handed_on,  ///< some or all of it only an agent can do
    failed,
  };
  std::string name;
  std::string action;
  std::string output_to;
  std::string output;                  ///< what its commands gave, one after the other, at most flow_output_max bytes
  std::vector<std::string> for_agent;  ///< commands that are handed on, with their values
  State state = State::done;
  std::string note = {};  ///< what went wrong
};

inline constexpr std::size_t flow_output_max = 64U << 10U;  ///< of one step
inline constexpr std::size_t flow_total_max = 256U << 10U;  ///< of all steps of a task

/// The steps of `pre_analysis`, one command after the other. A pure state machine: whoever drives it does what next()
/// says and answers, until there is nothing left or the task has failed.
class FlowControl {
 public:
  FlowControl(const Task& task, const PlanDoc& plan, Roots roots);

  /// What is to be done now; nullopt: it is over.
  [[nodiscard]] std::optional<FlowAction> next();
  /// REQUIRES: next() gave an action that has no answer yet.
  void answer(FlowAnswer answer);

  /// The task cannot go on: flow-step-failed, or flow-step-asks where a person has to see to it.
  [[nodiscard]] const std::optional<Fault>& failure() const { return failure_; }
  [[nodiscard]] const std::vector<FlowOutcome>& outcomes() const { return outcomes_; }
  /// All values known by now: those of the task and the outputs of its steps.
  [[nodiscard]] const Variables& variables() const { return variables_; }
  [[nodiscard]] const Faults& warnings() const { return warnings_; }

 private:
  [[nodiscard]] const PreStep& step() const { return steps_[step_]; }
  void begin_step();
  void end_step();
  void went_wrong(const std::string& why);
  void warn_of_unknown(const std::vector<std::string>& names);
  [[nodiscard]] std::optional<FlowAction> action_of(const std::string& written);
  [[nodiscard]] std::size_t room() const;

  std::string task_;
  std::vector<PreStep> steps_;
  Roots roots_;
  Variables variables_;
  std::size_t step_ = 0;
  std::size_t command_ = 0;
  std::size_t total_ = 0;
  bool in_step_ = false;
  bool retried_ = false;
  std::optional<FlowAction> open_;
  std::vector<FlowOutcome> outcomes_;
  std::optional<Fault> failure_;
  Faults warnings_;
};

}  // namespace baton::session
