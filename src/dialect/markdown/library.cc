#include "dialect/markdown/library.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "base/limits.h"
#include "text/front_matter.h"

namespace baton::markdown {
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

void read_lines(WorkflowFile& file, const MarkdownDefaults& defaults) {
  if (auto fault = refuse_file(file.source)) return file.faults.add({std::move(*fault)});
  const auto front = split_front_matter(file.source.text, file.source.file);
  if (!front) return file.faults.add({front.error()});
  file.yaml = read_yaml(front->yaml, file.source.file, front->lines_before);
  file.faults.add(std::move(file.yaml.faults));
  if (!file.yaml.tree) return;
  const auto root = file.yaml.tree->root();
  if (!root || !root->is_mapping()) {
    return file.faults.error("no-steps", {front->lines_before + 1, 1}, "the front matter has no keys",
                             "write 'name:', 'description:' and 'steps:' in it");
  }
  file.draft = read_workflow_draft(*root, file.source.file, defaults, file.faults);
}

WorkflowFile* Library::find(const std::string& name) {
  const auto [known, is_new] = by_name_.try_emplace(name, nullptr);
  if (!is_new || !binding_.others.find) return known->second;
  auto source = binding_.others.find(name);
  if (!source) return nullptr;
  files_.emplace_back(std::move(*source));
  known->second = &files_.back();
  read_lines(*known->second, defaults_);
  return known->second;
}

std::vector<std::string> Library::names() const {
  return binding_.others.names ? binding_.others.names() : std::vector<std::string>{};
}

bool Library::take_room(std::size_t steps) {
  steps_ += steps;
  return steps_ <= steps_max;
}

Faults Library::take_faults() {
  Faults all;
  for (WorkflowFile& file : files_) std::ranges::move(file.faults.take(), std::back_inserter(all));
  return all;
}

}  // namespace baton::markdown
