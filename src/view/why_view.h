#pragma once

#include <string>
#include <vector>

#include "core/event.h"
#include "core/run.h"

namespace baton {

/// The chain of events that led to the step's state, from the journal alone; a skipped step's chain goes on with the
/// step that failed.
std::string why_text(const Run& run, const std::vector<Event>& events, StepIndex step);

}  // namespace baton
