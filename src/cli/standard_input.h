#pragma once

#include <cstddef>
#include <string>

#include "base/fault.h"

namespace baton::cli {

/// All that comes on standard input. Faults: file-unreadable, file-too-large.
Expected<std::string> read_standard_input(std::size_t bytes_max);

}  // namespace baton::cli
