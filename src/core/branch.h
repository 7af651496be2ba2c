#pragma once

#include <string>

namespace baton {

/// The branch that a chain's run works on, where it has a worktree.
inline std::string branch_of(const std::string& run) { return "baton/" + run; }

/// The skill of the steps that resolve a merge which stopped at conflicts.
constexpr const char* resolving_skill = "resolve";

}  // namespace baton
