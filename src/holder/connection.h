#pragma once

#include <string>

#include "base/frame.h"

namespace baton {

/// One client. What is said to it waits in `out` until the loop comes round, so that one system call carries it all.
struct Connection {
  int fd = -1;
  std::string in = {};
  std::string out = {};
  bool broken = false;
  bool watches_output = false;

  void say(const Message& message) { out += encode_frame(message); }
};

}  // namespace baton
