#pragma once

#include "base/time.h"

namespace baton {

/// This thread does nothing for so long, or until a signal comes.
void pause_for(Millis duration);

}  // namespace baton
