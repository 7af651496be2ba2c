#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/fault.h"

namespace baton {

using Millis = std::chrono::milliseconds;

/// A moment, in milliseconds of UTC. Nothing in the pure part asks for the current one: it arrives inside events.
using Time = std::chrono::time_point<std::chrono::system_clock, Millis>;

constexpr Time time_from_ms(std::int64_t ms) { return Time{Millis{ms}}; }
constexpr std::int64_t to_ms(Time t) { return t.time_since_epoch().count(); }

/// `2026-11-15T09:30:00.125Z`
std::string rfc3339(Time t);

/// `90s`, `20m`, `2h`, `250ms`, `1d`, `1h30m`; a bare number is seconds (fractions allowed). Never negative.
Expected<Millis> parse_duration(std::string_view text);

/// What a person reads: `0.4s`, `12s`, `3m 05s`, `2h 10m`.
std::string brief(Millis duration);

}  // namespace baton
