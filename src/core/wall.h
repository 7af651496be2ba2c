#pragma once

#include "core/failure.h"

namespace baton {

/// The attempt ran into a wall: a quota is used up, or the provider says when to come back and that is not soon. A wall
/// uses up no retry, so a step is tried again as long as it stands there.
bool is_wall(const Failure& failure);

/// So long is worth no process that waits for it: the run is parked.
bool is_long_wait(Millis wait);

/// No window of a provider's is longer. What it says is later than that is not believed: it is asked once more.
constexpr Millis parked_max = std::chrono::days{35};

/// When a step whose attempt ended at a wall is tried again. What the provider says counts where it lies after that end
/// and within 35 days; where it does not, or nothing is said, `floor` has to pass from `now` on.
Time end_of_wall(const Failure& failure, Time ended, Time now, Millis floor);

/// How long to keep off a wall that says nothing of use, after so many in a row: `first`, doubled each time, up to an
/// hour.
Millis wall_floor(Millis first, int walls);

}  // namespace baton
