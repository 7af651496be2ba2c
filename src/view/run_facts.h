#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/facts.h"
#include "core/run.h"

namespace baton {

/// Where a run stands in the world; a run itself knows no paths.
struct RunPlaces {
  std::string root;    ///< the project
  std::string folder;  ///< the run's own folder
};

/// Whoever drives a run now.
struct DriverFact {
  int pid = 0;
  std::string host;
};

/// Where the step's output is, as an absolute path; nullopt if it has none.
std::optional<std::string> output_of(const Run& run, StepIndex step, const RunPlaces& places);

/// The final step's output, as an absolute path, once that step is completed.
std::optional<std::string> artifact_of(const Run& run, const RunPlaces& places);

/// From start to end; to `now` while it goes on.
Millis duration_of(const Run& run, Time now);

/// How many attempts are at work, in words: those that were admitted ahead and wait for a slot are not.
std::string attempts_at_work(const Run& run);

std::vector<std::string> steps_at_work(const Run& run);

/// The ids of the steps that `by` added last.
std::vector<std::string> steps_added(const Run& run, StepIndex by);

/// All steps as people read them: in the plan's order, and after each one those that it added.
std::vector<StepIndex> steps_in_reading_order(const Run& run);

}  // namespace baton
