#pragma once

#include "tool/enclosure.h"

namespace baton::tool {

/// A mount namespace in which only the enclosure's folders can be written. REQUIRES: one thread.
Confinement enter_namespace(const Enclosure& enclosure);

}  // namespace baton::tool
