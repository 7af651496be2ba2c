#include "dialect/markdown/meaning.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "core/states.h"
#include "dialect/markdown/no_values.h"

namespace baton::markdown {
namespace {

constexpr std::size_t substituted_bytes_max = 32U << 20U;  // over the whole file: short texts can name long paths often

constexpr const char* known_forms =
    "there are ${{ sandbox }}, ${{ inputs.NAME }}, ${{ steps.ID.output }}, ${{ steps.ID.output.FIELD }}, and in steps "
    "with 'for_each' ${{ item }} and ${{ index }}";

}  // namespace

std::optional<Fault> list_fault(const std::string& list) {
  const auto items = items_of(list, NoValues{}, {});
  return items ? std::nullopt : std::optional{items.error()};
}

Meaning::Meaning(const WorkflowDraft& draft, const Scope& scope, FaultList& faults)
    : draft_{draft}, scope_{scope}, faults_{faults}, outputs_(draft.steps.size()) {
  for (const InputDecl& input : draft.inputs) declared_.emplace(input.name, &input);
}

void Meaning::set_output(std::size_t step, Composed own, Composed seen, bool is_sure) {
  outputs_[step] = {std::move(own), std::move(seen), true, is_sure};
}

// Texts ---------------------------------------------------------------------------------------------------------------

Composed Meaning::of_text(const Located& text, In where, const StepDraft& step) {
  return substitute(text.text, [&](const Expression& e) { return of_expression(e, where, step, text.spot); });
}

Composed Meaning::of_expression(const Expression& expression, In where, const StepDraft& step, Spot spot) {
  if (!expression.problem.empty()) {
    report_unknown_expression(expression, step, spot);
    return Composed{expression.source};
  }
  if (expression.lone) {
    const Reference& reference = *expression.lone;
    if (reference.kind == Reference::Kind::sandbox) return limited(scope_.sandbox, spot);
    if (reference.is_path() && reference.kind == Reference::Kind::input) {
      check_input(reference, step, spot);
      return limited(input_value(reference.name).text, spot);
    }
    if (reference.is_path()) return limited(of_step_path(reference, where, step, spot), spot);
  }
  std::string source = rewrite_expression(
      trim(expression.inner), [&](const Reference& reference) { return rewritten(reference, where, step, spot); });
  return limited(Composed::expression(std::move(source)), spot);
}

Composed Meaning::limited(Composed value, Spot spot) {
  substituted_bytes_ += value.size();
  if (substituted_bytes_ <= substituted_bytes_max) return value;
  if (!said_too_much_) {
    said_too_much_ = true;
    faults_.error("substitution-too-large", spot,
                  fmt::format("the values of all expressions take more than {} MiB", substituted_bytes_max >> 20U),
                  "shorten the paths, or split the workflow");
  }
  return {};
}

Composed Meaning::of_step_path(const Reference& reference, In where, const StepDraft& step, Spot spot) {
  if (where == In::output) {
    faults_.error("bad-output-reference", spot,
                  fmt::format("the output of {} is named after another step's: '${{{{ {} }}}}'", step.display,
                              to_source(reference)),
                  "give it a path of its own; read the other one with 'input'");
    return {};
  }
  const bool may_be_own = where == In::mission || where == In::command;  // where it is at work
  const auto target = spoken_of(reference, may_be_own, step, spot);
  if (!target) return {};
  if (&draft_.steps[*target] == &step && may_be_own) return outputs_[*target].own;
  const Composed& seen = outputs_[*target].seen;
  if (seen.is_known()) return seen;
  return Composed::expression(fmt::format("steps.{}{}.output", scope_.prefix, reference.name));
}

std::string Meaning::compared_step(const std::string& name, const StepDraft& step, Spot spot) {
  (void)spoken_of({.kind = Reference::Kind::step_output, .name = name}, false, step, spot);
  return scope_.prefix + name;
}

void Meaning::report_unknown_expression(const Expression& expression, const StepDraft& step, Spot spot) {
  faults_.error("unknown-expression", spot,
                fmt::format("{} has an expression that cannot be read: '{}': {}", step.display,
                            shorten(expression.source, 60), expression.problem),
                known_forms);
}

// Conditions ----------------------------------------------------------------------------------------------------------

std::string Meaning::of_condition(const Located& source, In where, const StepDraft& step) {
  const auto references = references_of(source.text);
  if (!references) {
    faults_.error("bad-expression", spot_at(source, references.error().at),
                  fmt::format("'{}' of {} cannot be read: {}",
                              where == In::when ? "when" : (where == In::until ? "until" : "for_each"), step.display,
                              references.error().message),
                  "docs/expressions.md has the whole language");
    return {};
  }
  report_unknown_states(source, step);
  const std::string written = rewrite_expression(source.text, [&](const Reference& reference) {
    return rewritten(reference, where, step, spot_at(source, reference.at));
  });
  return std::string{trim(written)};
}

std::optional<std::string> Meaning::rewritten(const Reference& reference, In where, const StepDraft& step, Spot spot) {
  switch (reference.kind) {
    case Reference::Kind::sandbox:
      return rewritten_sandbox(step, spot);
    case Reference::Kind::input:
      return rewritten_input(reference, step, spot);
    case Reference::Kind::step_output:
    case Reference::Kind::step_state:
      return rewritten_step(reference, where, step, spot);
    case Reference::Kind::item:
      if (!step.for_each || where == In::for_each) report_item(reference, step, spot);
      return std::nullopt;
    case Reference::Kind::index:
      if (!step.is_composite() || where == In::for_each) report_item(reference, step, spot);
      return std::nullopt;
    case Reference::Kind::own_output:
      if (where == In::until) return std::nullopt;
      faults_.error(
          "bad-expression", spot,
          fmt::format("{} speaks of '{}', but only 'until' of a loop can", step.display, to_source(reference)),
          "name the step: steps.ID.output");
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<std::string> Meaning::rewritten_sandbox(const StepDraft& step, Spot spot) {
  if (scope_.sandbox.is_known()) return quote_text(scope_.sandbox.text(false));
  if (scope_.sandbox.lone_expression()) return std::nullopt;
  faults_.error("bad-expression", spot,
                fmt::format("{} compares the sandbox, which is not one value in a workflow inside a fanned-out one",
                            step.display),
                "leave it out");
  return std::nullopt;
}

std::optional<std::string> Meaning::rewritten_step(const Reference& reference, In where, const StepDraft& step,
                                                   Spot spot) {
  const auto target = spoken_of(reference, where == In::until, step, spot);
  const bool is_own = target && &draft_.steps[*target] == &step;
  if (is_own && where == In::until && reference.kind == Reference::Kind::step_output) {
    return to_source({.kind = Reference::Kind::own_output, .field = reference.field});
  }
  if (scope_.prefix.empty()) return std::nullopt;
  Reference named = reference;
  named.name = scope_.prefix + reference.name;
  return to_source(named);
}

std::optional<std::string> Meaning::rewritten_input(const Reference& reference, const StepDraft& step, Spot spot) {
  check_input(reference, step, spot);
  // In a run of its own an input may be given yet; as a part of another one it has no value, and can be asked for it.
  if (!scope_.prefix.empty() && !scope_.inputs.contains(reference.name)) return "null";
  const auto expression = input_value(reference.name).expression;
  auto whole = expression ? lone_reference(*expression) : std::nullopt;
  if (whole) {
    if (!reference.field.empty()) whole->field += (whole->field.empty() ? "" : ".") + reference.field;
    return to_source(*whole);
  }
  if (expression && reference.field.empty()) return "(" + *expression + ")";
  faults_.error("bad-expression", spot,
                fmt::format("{} looks into the input '{}', but what it was given is {}", step.display, reference.name,
                            expression ? "one plain value" : "a path that was put together"),
                "give the input a step's output or an input as it is: with: {NAME: ${{ steps.ID.output }}}");
  return std::nullopt;
}

// What is spoken of ---------------------------------------------------------------------------------------------------

InputValue Meaning::input_value(const std::string& name) const {
  const auto given = scope_.inputs.find(name);
  if (given != scope_.inputs.end()) return given->second;
  const auto declared = declared_.find(name);
  const bool is_declared = declared != declared_.end();
  // Who names a workflow as a step gives it its inputs there, or not at all.
  if (!scope_.prefix.empty() && is_declared && declared->second->is_optional()) return {};
  const bool is_json = is_declared && declared->second->type == "json";
  InputValue value{scope_.sandbox, std::nullopt};
  value.text.add_text(fmt::format("/inputs/{}{}", name, is_json ? ".json" : ".md"));
  if (scope_.prefix.empty()) value.expression = "inputs." + name;
  return value;
}

void Meaning::check_input(const Reference& reference, const StepDraft& step, Spot spot) {
  const bool known = declared_.contains(reference.name) || (declared_.empty() && reference.name == "content");
  if (known || !faults_.deserves_hint()) return;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min<std::size_t>(draft_.inputs.size(), 50); ++i) {
    names.push_back(draft_.inputs[i].name);
  }
  faults_.error("unknown-input", spot,
                fmt::format("Unknown input reference: inputs.{} in {}", reference.name, step.display),
                fmt::format("Declared inputs: {}; declare it with '- name: {}' under 'inputs:'",
                            names.empty() ? "(none)" : shorten(join(names, ", "), 400), reference.name));
}

std::optional<std::size_t> Meaning::spoken_of(const Reference& reference, bool may_be_own, const StepDraft& step,
                                              Spot spot) {
  const auto found = numbers_.find(reference.name);
  if (found == numbers_.end()) {
    report_unknown_step(reference, step, spot);
    return std::nullopt;
  }
  const std::size_t target = found->second;
  const StepDraft& other = draft_.steps[target];
  const Output& output = outputs_[target];
  const bool has_none = output.is_set ? output.seen.is_empty() && output.own.is_empty() && output.is_sure
                                      : !other.output && !other.run && !other.has_workflow;
  if (reference.kind == Reference::Kind::step_output && has_none) {
    faults_.error("unknown-step-reference", spot,
                  fmt::format("{} uses the output of step '{}', which has none", step.display, reference.name),
                  other.has_workflow ? fmt::format("add 'output: <path>' to the final step of the workflow '{}'",
                                                   other.workflow ? other.workflow->text : "")
                                     : fmt::format("add 'output: <path>' to step '{}'", reference.name));
  }
  if (&other != &step || !may_be_own) {
    mentions_.push_back({static_cast<std::size_t>(&step - draft_.steps.data()), target, spot});
  }
  return target;
}

void Meaning::report_unknown_step(const Reference& reference, const StepDraft& step, Spot spot) {
  if (!faults_.deserves_hint()) return;
  const std::vector<std::string> ids = known_ids(draft_.steps);
  const std::string near = nearest(reference.name, ids);
  faults_.error(
      "unknown-step-reference", spot,
      fmt::format("{} uses the output of '{}', but there is no such step", step.display, reference.name),
      near.empty() ? fmt::format("steps: {}", shorten(join(ids, ", "), 400)) : fmt::format("did you mean '{}'?", near));
}

/// A comparison with a state that no step can be in has always the same answer, and nobody meant that.
void Meaning::report_unknown_states(const Located& source, const StepDraft& step) {
  for (const ComparedState& compared : compared_states(source.text)) {
    std::vector<std::string> known;
    for (std::size_t i = 0; i < step_states; ++i) known.emplace_back(name(static_cast<StepState>(i)));
    if (std::ranges::find(known, compared.state) != known.end()) continue;
    const std::string near = nearest(compared.state, known);
    faults_.error(
        "unknown-state", spot_at(source, compared.at),
        fmt::format("{} compares the state of '{}' with '{}', but there is no such state", step.display, compared.step,
                    shorten(printable(compared.state), 80)),
        near.empty() ? fmt::format("states: {}", join(known, ", ")) : fmt::format("did you mean '{}'?", near));
  }
}

void Meaning::report_item(const Reference& reference, const StepDraft& step, Spot spot) {
  const std::string word = to_source(reference);
  faults_.error("item-outside-for-each", spot,
                fmt::format("{} speaks of '{}', but it is not made for each item of a list", step.display, word),
                reference.kind == Reference::Kind::index ? "'index' is for steps with 'for_each' or 'loop'"
                                                         : "'item' is for steps with 'for_each'");
}

}  // namespace baton::markdown
