#pragma once

#include <string>
#include <vector>

#include "cli/workspace/workspace_files.h"
#include "dialect/workspace/review.h"

namespace baton::cli {

/// What somebody said of a piece of work, and when.
struct SaidOfWork {
  std::string reviewer;  ///< a skill, or director
  std::string time;
  workspace::Judgement judgement;
};

/// The review of each task in a file of its own, and what is to be learnt from it in `memory/learnings.md`. Said again
/// with the same time, it is found and not written twice.
Status write_reviews(const WorkspaceFiles& files, const std::vector<std::string>& tasks, const SaidOfWork& said);

/// A person's answers to those gates of the run that he has answered, each written down once.
Status write_answered_gates(const WorkspaceFiles& files, const Run& run);

}  // namespace baton::cli
