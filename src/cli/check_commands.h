#pragma once

#include <string>

#include "plan/check.h"

namespace baton::cli {

/// Runs a check's command here and now, for outputs that no run is at work on: in `root`, with the output's absolute
/// path in BATON_OUTPUT. It has 60 s.
CommandOutcome run_check_command(const Check& check, const std::string& root, const std::string& output);

}  // namespace baton::cli
