#pragma once

#include <cstdint>
#include <string>

#include "plan/plan.h"

namespace baton {

/// What the agent of a step that answers might say: a workflow that there is, a list of sub-tasks, a verdict, or a few
/// words about its work. Same chance, same answer.
std::string made_up_answer(const Step& step, std::uint64_t chance);

}  // namespace baton
