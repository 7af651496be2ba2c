#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "view/report/report.h"

namespace baton {

/// The class of a state's colour.
std::string_view color_class(StepState state);
std::string_view color_class(RunState state);
std::string_view color_class(AttemptState state);

/// A time in which the whole run stood still, and why.
struct Standstill {
  RunState state = RunState::paused;
  Time from{}, to{};
};
/// Found by going through what happened once more; one that is still open ends at `now`. That a run has ended is one
/// only if it was taken up again.
std::vector<Standstill> standstills(const std::vector<Event>& events, Time now);

/// The steps in layers, each beneath all it needs, with lines between.
std::string graph_svg(const Run& run);

/// A row a step: its attempts, the waits between them, and the times in which the run stood still.
std::string timeline_svg(const RunReport& report);

/// Bars of tokens and cost by step.
std::string usage_svg(const Run& run);

}  // namespace baton
