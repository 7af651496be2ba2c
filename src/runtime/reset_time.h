#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "base/time.h"

namespace baton {

/// How far a zone's clocks are ahead of UTC at that moment; "" is where we are. Nothing if nobody knows the zone.
using OffsetOf = std::function<std::optional<Millis>(std::string_view zone, Time at)>;

/// When a quota is there again, by what a program says of it: `limit reached|1784079000`, `resets 1:40pm`,
/// `resets 3am (Europe/London)`, `resets Oct 9 at 5pm`, `resets at 15:00`. Words may be read late, so the moment may
/// have passed at `now`, and is told as it is: a day that is named is the nearest one of that name, whatever its year;
/// a clock's time is the next one, unless it passed within the last hour, or the next one lies beyond the window that
/// the words name (five hours). What cannot be read says nothing.
std::optional<Time> reset_in(std::string_view text, Time now, const OffsetOf& offset_of);

}  // namespace baton
