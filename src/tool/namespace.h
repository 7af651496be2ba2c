#pragma once

#include "tool/enclosure.h"

namespace baton::tool {

/// A mount namespace in which only the enclosure's folders can be written. False: this system gives none, for
/// the reason in errno. REQUIRES: one thread.
bool enter_namespace(const Enclosure& enclosure);

}  // namespace baton::tool
