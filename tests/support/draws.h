#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/hash.h"
#include "base/time.h"

namespace baton::test {

/// Chance, all of it from one seed: the same draws on every machine.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(mix(seed)) {}

  std::uint64_t next() { return mix(state_++); }
  /// In [0, n).
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() % n); }
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(double p) { return unit_interval(next()) < p; }
  /// Short ones often, long ones now and then: each scale between `low` and `high` is as likely as the next.
  Millis lasting(std::int64_t low, std::int64_t high) {
    std::int64_t top = low;
    while (top < high && chance(0.7)) top = top * 3 + 1;
    return Millis{between(low, top < high ? top : high)};
  }
  template <class T>
  const T& one_of(const std::vector<T>& items) {
    return items[below(items.size())];
  }

 private:
  std::uint64_t state_;
};

}  // namespace baton::test
