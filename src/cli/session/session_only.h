#pragma once

#include <string>
#include <vector>

#include "cli/session/session_files.h"

namespace baton::cli {

/// `--only`: the list with these tasks, and with those that are done, so that what they need is known. Faults:
/// unknown-step; need-not-met, where a task needs one that is not done and not among them.
session::TodoList only_these(session::TodoList list, const std::vector<std::string>& only, const SessionFiles& files,
                             Faults& faults);

}  // namespace baton::cli
