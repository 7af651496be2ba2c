#include "core/wall.h"

#include <algorithm>

namespace baton {
namespace {

constexpr Millis wait_here_max{60'000};
constexpr Millis floor_max = std::chrono::hours{1};

}  // namespace

bool is_long_wait(Millis wait) { return wait > wait_here_max; }

bool is_wall(const Failure& failure) {
  return failure.used_up || failure.parked_until ||
         (failure.may_retry && failure.retry_after && is_long_wait(*failure.retry_after));
}

Time end_of_wall(const Failure& failure, Time ended, Time now, Millis floor) {
  if (failure.parked_until && *failure.parked_until > ended) return std::min(*failure.parked_until, ended + parked_max);
  if (!failure.parked_until && failure.retry_after) return now + std::min(*failure.retry_after, parked_max);
  return now + floor;
}

Millis wall_floor(Millis first, int walls) {
  constexpr int doublings_max = 30;
  const int doublings = std::clamp(walls - 1, 0, doublings_max);
  return std::min(std::min(first, floor_max) * (std::int64_t{1} << doublings), floor_max);
}

}  // namespace baton
