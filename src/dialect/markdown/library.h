#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>

#include "dialect/markdown/draft.h"

namespace baton::markdown {

/// One workflow file, gone through line by line.
struct WorkflowFile {
  explicit WorkflowFile(MarkdownSource from) : source{std::move(from)}, faults{source.file} {}

  MarkdownSource source;
  FaultList faults;
  YamlRead yaml;                       ///< what the draft's nodes live in
  std::optional<WorkflowDraft> draft;  ///< nothing if the file cannot be read; why is among the faults
};

/// Reads the lines of `file`.
void read_lines(WorkflowFile& file, const MarkdownDefaults& defaults);

/// The workflows that steps name, each read once.
class Library {
 public:
  Library(const Binding& binding, const MarkdownDefaults& defaults) : binding_{binding}, defaults_{defaults} {}

  /// Null if there is none of that name.
  WorkflowFile* find(const std::string& name);
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] const ReadFile& read_file() const { return binding_.read_file; }

  /// How many steps there may yet be; takes them off.
  bool take_room(std::size_t steps);

  /// The faults of all files that were read, file by file.
  Faults take_faults();

 private:
  const Binding& binding_;
  const MarkdownDefaults& defaults_;
  std::deque<WorkflowFile> files_;
  std::map<std::string, WorkflowFile*> by_name_;
  std::size_t steps_ = 0;
};

}  // namespace baton::markdown
