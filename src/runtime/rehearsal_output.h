#pragma once

#include <cstdint>
#include <string>

#include "plan/plan.h"

namespace baton {

/// An output that meets the step's own checks, made of the words of its mission. Same chance, same output.
std::string made_up_output(const Step& step, std::uint64_t chance);

/// A few words of the step's mission, such as an agent might say.
std::string made_up_words(const Step& step, std::uint64_t chance);

}  // namespace baton
