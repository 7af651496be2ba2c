#pragma once

#include <string>

#include "core/log_line.h"

namespace baton {

/// A line of an attempt's output as people see it, with its newline. Whatever it holds, it drives no terminal: control
/// characters are shown as signs, and the only ones that are real are our own colours.
std::string log_text(const LogLine& line, bool color);

}  // namespace baton
