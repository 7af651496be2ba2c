#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace baton::courier {

/// One call at a time looks up a host's address, and the others wait for what it finds: libcurl starts a thread for
/// each lookup, and two thousand calls must not become two thousand threads. Pure; times are handed in.
class Gates {
 public:
  using Id = std::uint64_t;
  static constexpr std::int64_t known_ms = 60'000;  ///< so long an address is good

  enum class Way {
    waits,
    goes,   ///< the address is known
    leads,  ///< it looks the address up
  };
  Way enter(const std::string& host, Id id, std::int64_t now);

  enum class Outcome {
    found,      ///< the address is known now: all who wait may go
    not_found,  ///< all who wait will not find it either
    left,       ///< it gave up, or waited no longer
  };
  /// What became of one that entered. Answers whom that frees; the first of them leads, unless the address was found.
  std::vector<Id> settle(const std::string& host, Id id, Outcome outcome, std::int64_t now);

 private:
  struct Gate {
    std::int64_t known_until = 0;
    Id leader = 0;
    std::deque<Id> waiting = {};
  };
  std::map<std::string, Gate> gates_;
};

}  // namespace baton::courier
