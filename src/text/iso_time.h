#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace baton {

/// `2026-11-15T09:30:00Z`, with a fraction, with `+08:00`, or a date alone. Nothing for what is no time.
std::optional<Time> read_time(std::string_view text);

/// `2026-11-15T09:30:00Z`: how these files write times.
std::string utc_seconds(std::int64_t ms);

/// `2026-11-15T09:30:00.125+00:00`: how the message bus writes times.
std::string bus_time(Time time);

}  // namespace baton
