#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace baton {

/// 64 bits of FNV-1a, finished by a mixer: for checksums of records and for identities of contents we made ourselves.
/// It sees accidents, not malice.
std::uint64_t hash64(std::string_view bytes, std::uint64_t seed = 0);

/// Sixteen hexadecimal digits.
std::string hex(std::uint64_t value);

/// The next number of a splitmix64 sequence. Same seed, same numbers, on every machine.
std::uint64_t mix(std::uint64_t value);

/// An even draw from [0, 1), made from `value` alone.
double unit_interval(std::uint64_t value);

}  // namespace baton
