#pragma once

#include "cli/completion.h"

namespace baton::cli {

/// What the option or argument may be given, on this line, in this project.
Completion values_of(const OptionShape& option, const TypedLine& line);

}  // namespace baton::cli
