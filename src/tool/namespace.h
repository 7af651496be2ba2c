#pragma once

#include "tool/enclosure.h"

namespace baton::tool {

/// A mount namespace in which only the enclosure's folders can be written. False: it cannot be had here, and nothing
/// was changed that matters. REQUIRES: one thread.
bool enter_namespace(const Enclosure& enclosure);

}  // namespace baton::tool
