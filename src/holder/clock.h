#pragma once

#include <stdlib.h>
#include <time.h>

#include <cstdint>

#include "base/number.h"

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

/// How long to be patient, where the environment says so: for tests.
inline int patience_ms(const char* variable, int otherwise) {
  const char* const text = ::getenv(variable);
  return text != nullptr ? parse_whole<int>(text).value_or(0) : otherwise;
}

}  // namespace baton
