#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan/expression.h"
#include "plan/plan.h"

namespace baton::markdown {

/// The files of one step as it is going to run: by itself, or for one item or in the first round of a composite.
struct StepFiles {
  const Step* step = nullptr;       ///< as the plan has it
  std::size_t top = 0;              ///< its place in the plan, or that of its composite
  std::size_t node = 0;             ///< its place in the graph
  int item = 0;                     ///< from 1; 0: not made for an item
  std::string output;               ///< plain; empty: none, or not known yet
  std::string pattern;              ///< of an output that is not known yet
  std::vector<std::string> inputs;  ///< plain; empty where one is not known yet
};

struct KnownFiles {
  std::vector<StepFiles> files;
  std::vector<Step> graph;  ///< nothing but needs: of the plan's steps, and of the bodies of composites among them
};

/// The files of the plan's steps, a composite's body with them. Items count where their list is written down.
/// `inputs`: those that a run is given, once they are known; names and items that they make are known then, too.
KnownFiles known_files(const Plan& plan, const Values* inputs = nullptr);

/// The path could be what the text with expressions turns out to be.
bool may_become(std::string_view text, std::string_view path);

}  // namespace baton::markdown
