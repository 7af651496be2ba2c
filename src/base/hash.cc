#include "base/hash.h"

#include <fmt/core.h>

namespace baton {

std::uint64_t mix(std::uint64_t value) {
  value += 0x9E3779B97F4A7C15U;
  value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9U;
  value = (value ^ (value >> 27U)) * 0x94D049BB133111EBU;
  return value ^ (value >> 31U);
}

std::uint64_t hash64(std::string_view bytes, std::uint64_t seed) {
  std::uint64_t hash = 0xCBF29CE484222325U ^ mix(seed);
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  return mix(hash);
}

std::string hex(std::uint64_t value) { return fmt::format("{:016x}", value); }

double unit_interval(std::uint64_t value) {
  return static_cast<double>(mix(value) >> 11U) / 9007199254740992.0;  // 2^53
}

}  // namespace baton
