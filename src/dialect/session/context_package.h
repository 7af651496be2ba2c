#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dialect/session/task.h"

namespace baton::session {

/// What a session's `context-package.json` knows of documents: the synthesis, the guidance, each role's analysis, how
/// conflicts were resolved. Nothing if it cannot be read: a task does without.
std::vector<Artifact> artifacts_of_package(std::string_view text);

/// A task's artifacts, with those that only say "see the context package" replaced by what is there. Of a kind that the
/// package does not have nothing is left.
std::vector<Artifact> resolved(const std::vector<Artifact>& artifacts, const std::vector<Artifact>& package);

}  // namespace baton::session
