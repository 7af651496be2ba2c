#include "dialect/markdown/reader.h"

#include <fmt/core.h>

#include "base/limits.h"
#include "base/text.h"
#include "dialect/markdown/draft.h"
#include "dialect/markdown/front_matter.h"
#include "dialect/yaml_tree.h"

namespace baton {
namespace {

/// The faults that make a file unreadable as a whole; nothing if its front matter is there to be read.
std::optional<Fault> refuse_file(const MarkdownSource& source) {
  if (source.text.size() > Limits::file_bytes_max) {
    return Fault{"file-too-large",
                 fmt::format("the file is larger than {} MiB", Limits::file_bytes_max >> 20U),
                 "split the workflow",
                 {source.file, 1, 1}};
  }
  return find_bad_bytes(source.text, source.file);
}

}  // namespace

std::expected<Workflow, Faults> read_markdown(const MarkdownSource& source, const Binding& binding,
                                              const MarkdownDefaults& defaults) {
  if (auto fault = refuse_file(source)) return std::unexpected(Faults{std::move(*fault)});
  const auto front = split_front_matter(source.text, source.file);
  if (!front) return std::unexpected(Faults{front.error()});

  YamlRead yaml = read_yaml(front->yaml, source.file, front->lines_before);
  FaultList faults{source.file};
  faults.add(std::move(yaml.faults));
  if (!yaml.tree) return std::unexpected(faults.take());
  const auto root = yaml.tree->root();
  if (!root || !root->is_mapping()) {
    faults.error("no-steps", {front->lines_before + 1, 1}, "the front matter has no keys",
                 "write 'name:', 'description:' and 'steps:' in it");
    return std::unexpected(faults.take());
  }

  markdown::WorkflowDraft draft = markdown::read_workflow_draft(*root, source.file, defaults, faults);
  Workflow workflow;
  workflow.plan.steps = markdown::make_steps(draft, binding, defaults, faults);
  workflow.warnings = faults.take();
  if (has_errors(workflow.warnings)) return std::unexpected(std::move(workflow.warnings));

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
