#include "plan/turn.h"

namespace baton {

bool Flow::operator==(const Flow& other) const {
  return when == other.when && for_each == other.for_each && until == other.until && loop_max == other.loop_max;
}

// Conditions and items are read by no dialect yet: a step runs as it stands.
TurnResult take_turn(const Step& /*step*/, const Turn& /*turn*/, const Values& /*values*/) { return {}; }

}  // namespace baton
