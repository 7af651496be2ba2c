#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "core/run.h"

namespace baton {

/// What the checks of one run's steps ask of other steps' outputs, by comparing with them.
class Comparisons {
 public:
  /// What is asked of the output of this step, by steps that are made later, too.
  std::vector<Check> with(const Run& run, const Step& step);

 private:
  void add(const Run& run, const Step& step);

  std::unordered_map<std::string, std::vector<Check>> asked_;  ///< by step; by output, where others write that
  std::size_t seen_ = 0;                                       ///< so many steps of the run
};

}  // namespace baton
