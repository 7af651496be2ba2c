#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "base/frame.h"

namespace baton {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

/// One client. What is said to it waits in `out` until the loop comes round, so that one system call carries it all.
struct Connection {
  int fd = -1;
  std::string in = {};
  std::string out = {};
  std::int64_t send_at = never;  ///< monotonic: when `out` has to go
  bool broken = false;
  bool watches_output = false;

  /// By that time at the latest; at once, if none is named.
  void say(const Message& message, std::int64_t by = 0) {
    out += encode_frame(message);
    send_at = std::min(send_at, by);
  }
};

}  // namespace baton
