#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "dialect/markdown/expression.h"
#include "dialect/markdown/needs.h"
#include "dialect/markdown/scope.h"

namespace baton::markdown {

/// Where an expression stands: some places may say more than others.
enum class In : std::uint8_t { input, output, mission, command, with, question, list, when, until, for_each };

/// What is wrong with a list that is written as JSON.
std::optional<Fault> list_fault(const std::string& list);

/// Says what the expressions of one workflow stand for, and reports those that stand for nothing.
class Meaning {
 public:
  Meaning(const WorkflowDraft& draft, const Scope& scope, FaultList& faults);

  void set_numbers(StepNumbers numbers) { numbers_ = std::move(numbers); }

  /// What a step writes (`own`; differs from item to item where it is made for items), and what others see of it.
  /// `is_sure`: if that is nothing, it is no consequence of another fault.
  void set_output(std::size_t step, Composed own, Composed seen, bool is_sure);
  [[nodiscard]] const Composed& own_output(std::size_t step) const { return outputs_[step].own; }
  [[nodiscard]] const Composed& seen_output(std::size_t step) const { return outputs_[step].seen; }

  Composed of_text(const Located& text, In where, const StepDraft& step);
  Composed of_expression(const Expression& expression, In where, const StepDraft& step, Spot spot);

  /// A condition (or what a `for_each` goes over) with all names as the run knows them; empty if it is faulty.
  std::string of_condition(const Located& source, In where, const StepDraft& step);

  /// The step whose output a check compares with, by the id the run knows it by.
  std::string compared_step(const std::string& name, const StepDraft& step, Spot spot);

  /// Who speaks of whom.
  [[nodiscard]] const std::vector<Mention>& mentions() const { return mentions_; }

 private:
  struct Output {
    Composed own;
    Composed seen;
    bool is_set = false;
    bool is_sure = false;
  };

  Composed limited(Composed value, Spot spot);
  Composed of_step_path(const Reference& reference, In where, const StepDraft& step, Spot spot);
  std::optional<std::string> rewritten(const Reference& reference, In where, const StepDraft& step, Spot spot);
  std::optional<std::string> rewritten_step(const Reference& reference, In where, const StepDraft& step, Spot spot);
  std::optional<std::string> rewritten_input(const Reference& reference, const StepDraft& step, Spot spot);
  std::optional<std::string> rewritten_sandbox(const StepDraft& step, Spot spot);
  /// The step that is spoken of; nothing if there is none, which was reported then.
  std::optional<std::size_t> spoken_of(const Reference& reference, bool may_be_own, const StepDraft& step, Spot spot);
  [[nodiscard]] InputValue input_value(const std::string& name) const;

  void check_input(const Reference& reference, const StepDraft& step, Spot spot);
  void report_unknown_expression(const Expression& expression, const StepDraft& step, Spot spot);
  void report_unknown_states(const Located& source, const StepDraft& step);
  void report_unknown_step(const Reference& reference, const StepDraft& step, Spot spot);
  void report_item(const Reference& reference, const StepDraft& step, Spot spot);

  const WorkflowDraft& draft_;
  const Scope& scope_;
  FaultList& faults_;
  StepNumbers numbers_;
  std::unordered_map<std::string, const InputDecl*> declared_;
  std::vector<Output> outputs_;
  std::vector<Mention> mentions_;
  std::size_t substituted_bytes_ = 0;
  bool said_too_much_ = false;
};

}  // namespace baton::markdown
