#include "dialect/markdown/sub_workflow.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "text/decimal.h"

namespace baton::markdown {
namespace {

constexpr std::size_t nesting_max = 8;

class SubWorkflow {
 public:
  SubWorkflow(const StepDraft& draft, const Scope& scope, Meaning& meaning, FaultList& faults)
      : draft_{draft}, scope_{scope}, meaning_{meaning}, faults_{faults} {}

  std::optional<MadeSteps> make(const MarkdownDefaults& defaults, Library& library) {
    if (!draft_.workflow) return std::nullopt;
    WorkflowFile* file = library.find(draft_.workflow->text);
    if (file == nullptr) report_unknown(library);
    const WorkflowDraft nothing;
    const bool is_readable = file != nullptr && file->draft.has_value();
    Scope inner = scope_of(is_readable ? *file->draft : nothing, is_readable);
    if (!is_readable || is_too_deep(*file)) return std::nullopt;
    if (!library.take_room(file->draft->steps.size())) {
      refuse("too-many-steps",
             fmt::format("with the steps of '{}' the workflow has more than {}", draft_.workflow->text, steps_max),
             "split the workflow");
      return std::nullopt;
    }
    inner.within.push_back(file);
    MadeSteps made = make_steps(*file, inner, defaults, library);
    check_made(made);
    return made;
  }

 private:
  void refuse(std::string code, std::string message, std::string help) {
    faults_.error(std::move(code), draft_.workflow->spot, std::move(message), std::move(help));
  }

  void report_unknown(const Library& library) {
    const std::vector<std::string> names = library.names();
    const std::string near = nearest(draft_.workflow->text, names);
    std::string help = near.empty() ? "" : fmt::format("did you mean '{}'? ", near);
    help += names.empty() ? "there are none here" : fmt::format("workflows found: {}", shorten(join(names, ", "), 400));
    faults_.error("unknown-workflow", draft_.workflow->spot,
                  fmt::format("{} names a workflow '{}', but there is none", draft_.display, draft_.workflow->text),
                  std::move(help));
  }

  bool is_too_deep(const WorkflowFile& file) {
    const auto itself = std::ranges::find(scope_.within, file.source.file,
                                          [](const WorkflowFile* outer) { return outer->source.file; });
    if (itself != scope_.within.end()) {
      std::string cycle;
      for (auto it = itself; it != scope_.within.end(); ++it) cycle += (*it)->source.stem + " -> ";
      faults_.error("workflow-cycle", draft_.workflow->spot,
                    fmt::format("Circular workflows detected: {}{}", cycle, file.source.stem),
                    "a workflow cannot be a step of itself; for rounds there is 'loop'");
      return true;
    }
    if (scope_.within.size() <= nesting_max) return false;
    faults_.error("workflow-too-deep", draft_.workflow->spot,
                  fmt::format("workflows are nested more than {} deep", nesting_max), "flatten them");
    return true;
  }

  // Inputs
  // -----------------------------------------------------------------------------------------------------------------

  Scope scope_of(const WorkflowDraft& inner, bool is_readable) {
    Scope scope;
    scope.prefix = scope_.prefix + draft_.id + ":";
    scope.within = scope_.within;
    scope.in_copies = scope_.in_copies || draft_.is_composite();
    if (draft_.is_composite()) {
      scope.sandbox = Composed::expression("sandbox");
    } else {
      scope.sandbox = scope_.sandbox;
      scope.sandbox.add_text("/" + draft_.id);
    }
    for (const InputDecl& input : inner.inputs) {
      if (input.default_value) scope.inputs[input.name] = plain_value(*input.default_value);
    }
    for (const WithDraft& with : draft_.with) {
      scope.inputs[with.name.text] = value_of(with);
      if (is_readable) check_name(with, inner);
    }
    if (is_readable) report_missing(inner);
    return scope;
  }

  static InputValue plain_value(const std::string& text) {
    const bool is_literal = text == "true" || text == "false" || text == "null" || is_json_number(text);
    return {Composed{text}, is_literal ? text : quote_text(text)};
  }

  InputValue value_of(const WithDraft& with) {
    Composed text = meaning_.of_text(with.value, In::with, draft_);
    text.trim();
    const Template parts = cut(trim(with.value.text));
    if (parts.expressions.empty()) return plain_value(std::string{trim(with.value.text)});
    const bool is_lone = parts.expressions.size() == 1 && parts.pieces[0].empty() && parts.pieces[1].empty();
    if (!is_lone || !parts.expressions[0].problem.empty()) return {std::move(text), std::nullopt};
    // What it is in a condition: said with the names of this workflow's run, not with a path.
    Located inner{std::string{parts.expressions[0].inner}, with.value.spot};
    return {std::move(text), meaning_.of_condition(inner, In::with, draft_)};
  }

  void check_name(const WithDraft& with, const WorkflowDraft& inner) {
    std::vector<std::string> names;
    for (const InputDecl& input : inner.inputs) names.push_back(input.name);
    if (names.empty()) names.emplace_back("content");
    if (std::ranges::find(names, with.name.text) != names.end()) return;
    const std::string near = nearest(with.name.text, names);
    faults_.error(
        "unknown-input", with.name.spot,
        fmt::format("the workflow '{}' declares no input '{}'", draft_.workflow->text, shorten(with.name.text, 80)),
        near.empty() ? fmt::format("Declared inputs: {}", shorten(join(names, ", "), 400))
                     : fmt::format("did you mean '{}'?", near));
  }

  void report_missing(const WorkflowDraft& inner) {
    for (const InputDecl& input : inner.inputs) {
      const bool is_given =
          std::ranges::any_of(draft_.with, [&](const WithDraft& with) { return with.name.text == input.name; });
      if (is_given || !input.required || input.default_value) continue;
      refuse("missing-input", fmt::format("the workflow '{}' needs the input '{}'", draft_.workflow->text, input.name),
             fmt::format("add 'with: {{{}: <path or expression>}}'{}", input.name,
                         input.description.empty() ? "" : fmt::format(" ({})", input.description)));
    }
  }

  // What came of it
  // --------------------------------------------------------------------------------------------------------

  void check_made(const MadeSteps& made) {
    const std::string& name = draft_.workflow->text;
    if (draft_.is_composite() && !made.composites.empty()) {
      refuse("nested-fan-out",
             fmt::format("{} is made for each {}, and so is step '{}' of the workflow '{}'", draft_.display,
                         draft_.for_each ? "item" : "round", made.composites.front(), name),
             "let only one of them have 'for_each' or 'loop'");
    }
    if (draft_.for_each && !made.fixed.empty()) {
      refuse("items-share-output",
             fmt::format("every item of {} would write the same file: the output of step '{}'", draft_.display,
                         made.fixed.front()),
             fmt::format("let the outputs of the workflow '{}' begin with ${{{{ sandbox }}}}", name));
    }
    const std::size_t room = draft_.is_composite() ? made_id_room : 0;
    for (const Step& step : made.steps) {
      if (step.id.size() + room > id_bytes_max) {
        refuse("bad-step-id", fmt::format("the step '{}' gets too long a name", step.id), "shorten the ids");
      }
      if (draft_.gate && step.id == scope_.prefix + draft_.id + ":gate") {
        refuse("duplicate-step-id",
               fmt::format("the gate before {} would be called '{}', as a step of the workflow '{}' is", draft_.display,
                           step.id, name),
               "give that step another id");
      }
    }
  }

  const StepDraft& draft_;
  const Scope& scope_;
  Meaning& meaning_;
  FaultList& faults_;
};

}  // namespace

void report_taken_ids(const std::vector<StepDraft>& drafts, const StepNumbers& numbers, FaultList& faults) {
  for (const StepDraft& draft : drafts) {
    if (draft.is_composite() && draft.id.size() + made_id_room > id_bytes_max) {
      faults.error("bad-step-id", draft.spot,
                   fmt::format("the id of {} is too long for a step that others are named after", draft.display),
                   fmt::format("shorten it to {} characters", id_bytes_max - made_id_room));
    }
    for (std::size_t colon = draft.id.find(':'); colon != std::string::npos; colon = draft.id.find(':', colon + 1)) {
      const auto other = numbers.find(draft.id.substr(0, colon));
      if (other == numbers.end()) continue;
      const StepDraft& owner = drafts[other->second];
      if (!owner.is_composite() && !owner.has_workflow) continue;
      faults.error("duplicate-step-id", draft.spot,
                   fmt::format("'{}' is how a step made by {} may be called", draft.id, owner.display),
                   fmt::format("give it an id that does not begin with '{}:'", owner.id));
    }
  }
}

std::optional<MadeSteps> make_workflow(const StepDraft& draft, const Scope& scope, Meaning& meaning,
                                       const MarkdownDefaults& defaults, Library& library, FaultList& faults) {
  return SubWorkflow{draft, scope, meaning, faults}.make(defaults, library);
}

}  // namespace baton::markdown
