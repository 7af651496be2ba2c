#pragma once

#include <string>
#include <vector>

#include "core/run.h"
#include "engine/seams.h"

namespace baton {

/// What a step reads, as it stands when an attempt begins.
struct StepInputs {
  std::vector<std::string> there;    ///< as the step names them
  std::vector<std::string> missing;  ///< neither there nor left out
};

/// Results of steps that did not run are left out: nobody is told of them, and nobody misses them. `folder` is where
/// the step works.
StepInputs find_inputs(const Run& run, StepIndex step, Files& files, const std::string& folder);

}  // namespace baton
