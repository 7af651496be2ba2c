#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/run.h"

namespace baton {

/// A step comes after another one, if only through others.
bool comes_after(const Run& run, StepIndex step, StepIndex other);

/// Who writes which file of one run, as far as it is known by now: names that values make are known one by one.
class OutputWriters {
 public:
  /// The step is going to write this file. Answers another step that writes it, too, where neither needs the other.
  std::optional<StepIndex> note(const Run& run, StepIndex step, const std::string& output);
  /// All that write this file.
  const std::vector<StepIndex>& of(const Run& run, const std::string& output);

 private:
  void catch_up(const Run& run);

  std::unordered_map<std::string, std::vector<StepIndex>> writers_;  ///< by plain path
  std::size_t seen_ = 0;                                             ///< so many steps of the run
};

}  // namespace baton
