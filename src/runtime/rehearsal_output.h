#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace baton {

/// An output that meets the step's own checks wherever one can be found, made of the words of its mission. Same chance,
/// same output. `compared`: outputs of other steps that the checks compare with, by step. `comparisons`: what the
/// checks of other steps ask of this output, which is met where that does no harm to its own.
std::string made_up_output(const Step& step, std::uint64_t chance,
                           const std::map<std::string, std::string>& compared = {},
                           const std::vector<Check>& comparisons = {});

/// A few words of the step's mission, such as an agent might say.
std::string made_up_words(const Step& step, std::uint64_t chance);

}  // namespace baton
