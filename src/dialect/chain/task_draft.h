#pragma once

#include <string>
#include <vector>

#include "dialect/chain/decompose.h"

namespace baton::chain {

/// A sub-task as the answer has it, before it is brought together with the others.
struct TaskDraft {
  std::string name;
  std::string id;     ///< another way to speak of it; may be empty
  std::string title;  ///< the same
  std::string group;  ///< empty: none
  std::string text;
  std::vector<std::string> dependencies;
};

/// Gives the tasks names and slugs of their own, and says which needs which.
/// REQUIRES: at most sub_tasks_max.
Decomposition bring_together(std::vector<TaskDraft> drafts, std::vector<std::string> warnings);

}  // namespace baton::chain
