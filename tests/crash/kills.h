#pragma once

#include <signal.h>
#include <stdlib.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include "support/programs.h"

namespace baton::test {

/// A number from the environment: soak asks for more.
inline std::uint64_t number_from(const char* name, std::uint64_t otherwise) {
  const char* text = ::getenv(name);
  return text == nullptr ? otherwise : std::stoull(text);
}

/// True once the time is up, false if the process ended by itself before.
inline bool outlasts(Process& process, std::chrono::microseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < until) {
    if (process.ended()) return false;
    std::this_thread::sleep_for(std::chrono::microseconds{200});
  }
  return !process.ended();
}

/// Waits for the process, or kills it once the time is up. True if it was killed.
inline bool end_within(Process& process, std::chrono::microseconds time) {
  if (!outlasts(process, time)) return false;
  process.kill(SIGKILL);
  return process.wait().killed;
}

/// kill -9 for all of them, and waits until they are gone. What they start meanwhile is not meant.
inline void kill_these(const std::vector<pid_t>& pids) {
  for (const pid_t pid : pids) ::kill(pid, SIGKILL);
  EXPECT_TRUE(eventually([&] {
    for (const pid_t pid : pids) {
      if (is_alive(pid)) return false;
    }
    return true;
  }));
}

}  // namespace baton::test
