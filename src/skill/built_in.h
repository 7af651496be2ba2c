#pragma once

#include <vector>

#include "skill/registry.h"

namespace baton {

/// The skills that the program brings along, by name: src/skill/built_in.
const std::vector<BuiltInSkill>& built_in_skills();

}  // namespace baton
