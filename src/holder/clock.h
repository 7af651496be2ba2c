#pragma once

#include <time.h>

#include <cstdint>

namespace baton {

inline std::int64_t clock_ms(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

/// What is waited for is told by this one.
inline std::int64_t monotonic_ms() { return clock_ms(CLOCK_MONOTONIC); }
/// What is told or written, by this one.
inline std::int64_t wall_ms() { return clock_ms(CLOCK_REALTIME); }

}  // namespace baton
