#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/fault.h"
#include "io/descriptor.h"

namespace baton {

using SteadyTime = std::chrono::steady_clock::time_point;

struct HolderProgram {
  std::string path;
  std::string state_dir;
  std::vector<std::string> environment = {};
};

/// A non-blocking connection to the holder of that state folder; not open if none listens.
Descriptor connect_to_holder(const std::string& state_dir);

/// As above, but starts the holder where there is none. One that is just going away is waited for; gives up at `until`.
Expected<Descriptor> reach_holder(const HolderProgram& program, SteadyTime until);

}  // namespace baton
