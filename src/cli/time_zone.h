#pragma once

#include <optional>
#include <string_view>

#include "base/time.h"

namespace baton::cli {

/// An OffsetOf (runtime/reset_time.h): how far the clocks of a zone (`Europe/London`; "": ours) are ahead of UTC.
/// Changes TZ for a moment, so: the main thread only, like all of Baton.
std::optional<Millis> offset_of_zone(std::string_view zone, Time at);

}  // namespace baton::cli
