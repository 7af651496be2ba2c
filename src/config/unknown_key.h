#pragma once

#include <string_view>

#include "base/fault.h"

namespace baton {

/// What is wrong with a key that is none, and which one was probably meant. Without a place.
/// REQUIRES: find_key(key) == nullptr.
Fault unknown_key(std::string_view key);

}  // namespace baton
