#pragma once

#include <expected>
#include <string>
#include <vector>

#include "cli/context.h"
#include "dialect/markdown/reader.h"

namespace baton::cli {

/// A workflow file that was found.
struct FoundWorkflow {
  std::string name;       ///< file stem
  std::string path;       ///< absolute
  std::string folder;     ///< where it was found, relative to the root
  bool shadowed = false;  ///< one of the same name in an earlier folder wins
};

/// Every workflow of the project, by folder precedence and name. Other Markdown in those folders goes to `others`.
std::vector<FoundWorkflow> find_workflows(const Project& project, std::vector<std::string>* others = nullptr);

/// TARGET of cli.md: a workflow's name or a workflow file. Faults: no-target, unknown-workflow, not-a-workflow.
Expected<FoundWorkflow> find_target(const Project& project, const std::string& target);

MarkdownDefaults defaults_from(const Config& config);

/// Files that definitions name, beneath the project's root and nowhere else.
ReadFile files_of(const Project& project);

/// Whether skills that are not found, or cannot be read, are told of.
enum class SkillNews { told, untold };

/// Reads the definition with this binding. Every fault at once. What is wrong with its skills is a warning. `runtime`
/// is that of its run, if one is named.
std::expected<Workflow, Faults> read_definition(const Project& project, const FoundWorkflow& found,
                                                const Binding& binding, SkillNews news,
                                                const std::string& runtime = {});

/// The skills are going to be needed: what is wrong with them becomes an error.
void make_skills_count(Faults& faults);

/// For `check` and `plan`, which have no sandbox and no inputs: stands in for both.
Binding stand_in_binding();

/// Whether a path of a definition leads to a file or folder.
bool is_there(const Project& project, const std::string& path);

}  // namespace baton::cli
