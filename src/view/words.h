#pragma once

#include <string>
#include <string_view>

#include "core/run.h"

namespace baton {

/// The sign people see beside a step.
std::string_view sign(StepState state);
std::string_view sign(RunState state);
/// "1 step", "3 steps"
std::string counted(std::size_t n, std::string_view noun);
/// "5 completed, 1 failed, 2 skipped": only what there is.
/// Why a run has not begun, or does not go on: so many have to make room first.
std::string waits_for_place(std::size_t before);
std::string tally(const Run& run);
/// "1.2k", "3.4M"
std::string short_number(std::int64_t n);
/// "$0.42", "$0.0031", "cost unknown"
std::string money(const std::optional<Cost>& cost);
/// Where it is not known, the part that is: "at least $0.42"
std::string money(const std::optional<Cost>& cost, Cost known);

}  // namespace baton
