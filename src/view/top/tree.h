#pragma once

#include <string>
#include <vector>

#include "core/run.h"

namespace baton::top {

/// A step's row in the tree of a run.
struct TreeRow {
  StepIndex step{};
  std::string lead;  ///< the lines that show where it belongs
};

/// The run's graph as a tree to be read from above: what may run at once stands side by side beneath what it needs, and
/// what brings it together again follows at the level of where it parted.
std::vector<TreeRow> tree_of(const Run& run);

}  // namespace baton::top
