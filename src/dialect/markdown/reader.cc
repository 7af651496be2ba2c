#include "dialect/markdown/reader.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "dialect/markdown/file_rules.h"
#include "dialect/markdown/library.h"
#include "dialect/markdown/scope.h"
#include "plan/path_rule.h"
#include "text/front_matter.h"

namespace baton {
namespace {

markdown::Scope scope_of(const Binding& binding, const markdown::WorkflowFile& file) {
  markdown::Scope scope;
  scope.sandbox = markdown::Composed{binding.sandbox.empty() ? "sandbox" : binding.sandbox};
  for (const auto& [name, path] : binding.inputs) {
    scope.inputs[name] = {markdown::Composed{path}, "inputs." + name};
  }
  for (const InputDecl& input : file.draft->inputs) {
    if (!binding.looks_for_optional || !input.is_optional()) continue;
    scope.inputs[input.name] = {markdown::Composed::expression("inputs." + input.name), "inputs." + input.name};
  }
  scope.within = {&file};
  return scope;
}

}  // namespace

std::expected<Workflow, Faults> read_markdown(const MarkdownSource& source, const Binding& binding,
                                              const MarkdownDefaults& defaults) {
  markdown::WorkflowFile file{source};
  markdown::read_lines(file, defaults);
  if (!file.draft) return std::unexpected(file.faults.take());

  markdown::Library library{binding, defaults};
  Workflow workflow;
  markdown::MadeSteps made = markdown::make_steps(file, scope_of(binding, file), defaults, library);
  workflow.plan.steps = std::move(made.steps);
  workflow.absent = markdown::check_files(workflow.plan, file, library, binding);
  workflow.warnings = file.faults.take();
  std::ranges::move(library.take_faults(), std::back_inserter(workflow.warnings));
  if (has_errors(workflow.warnings)) {
    for (AbsentInput& input : workflow.absent) workflow.warnings.push_back(std::move(input.fault));
    return std::unexpected(std::move(workflow.warnings));
  }

  // Said outright: a run may add steps, and the last one in order would then be another.
  if (!workflow.plan.steps.empty()) workflow.plan.steps[made.final].final = true;
  markdown::WorkflowDraft& draft = *file.draft;
  workflow.name = std::move(draft.name);
  workflow.version = std::move(draft.version);
  workflow.description = std::move(draft.description);
  workflow.inputs = std::move(draft.inputs);
  workflow.plan.workflow = source.stem.empty() ? workflow.name : source.stem;
  workflow.plan.dialect = "markdown";
  workflow.plan.version = workflow.version;
  workflow.plan.source = source.file;
  return workflow;
}

bool is_workflow_name(std::string_view name) {
  return !name.empty() && name.front() != '.' && name.find('/') == std::string_view::npos &&
         !has_control_characters(name);
}

bool looks_like_markdown_workflow(std::string_view text) {
  const auto front = split_front_matter(text, {});
  if (!front) return false;
  for (const std::string_view line : split(front->yaml, '\n')) {
    for (const std::string_view key : {"steps", "outputs"}) {
      if (line.starts_with(key) && trim(line.substr(key.size())).starts_with(':')) return true;
    }
  }
  return false;
}

}  // namespace baton
