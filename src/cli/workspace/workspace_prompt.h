#pragma once

#include "cli/project_skills.h"
#include "cli/workspace/workspace_files.h"
#include "dialect/workspace/prompt_layout.h"
#include "engine/dialect_run.h"

namespace baton::cli {

/// What the agent of a task is told, as its files are now. The task itself is what it was when it was taken in hand.
std::optional<LaidOutPrompt> task_prompt(const WorkspaceFiles& files, ProjectSkills& skills, const Run& run,
                                         StepIndex step, int attempt);

/// A skill's `references/*.md`, by name. One that cannot be read is left out; `left_out` gets its path.
std::vector<workspace::Reference> references_of(const SkillText& skill, std::vector<std::string>* left_out = nullptr);

}  // namespace baton::cli
