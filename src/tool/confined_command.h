#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "tool/enclosure.h"

namespace baton::tool {

/// A shell line, and what confines it.
struct ConfinedCommand {
  std::string line;
  Enclosure enclosure;
  bool unconfined = false;  ///< it is run where the kernel cannot confine it, too
};

struct ConfinedEnd {
  std::string output;  ///< both streams, as they came; of much, the head and the tail
  std::string how;     ///< `[exit code 0]`, `[ended after 120s]`
  bool is_good = false;
  std::string unavailable = {};  ///< why it cannot be confined here, and was not run
};

/// What a model's command finds in its environment: of ours, a short list of names and no other, since any other may
/// hold a key.
std::vector<std::string> command_environment(const std::vector<std::string>& ours, std::string_view temporary);

/// Runs the command in the enclosure's folder, confined to it, and waits for it, not longer than that; then all that it
/// started is killed. `scratch`: a file for its output, which is taken away again. REQUIRES: one thread, no other
/// child.
ConfinedEnd run_confined(const ConfinedCommand& command, const std::string& scratch, Millis lasts_max,
                         std::size_t bytes_max);

}  // namespace baton::tool
