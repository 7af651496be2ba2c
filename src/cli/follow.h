#pragma once

#include <string>

#include "cli/context.h"

namespace baton::cli {

/// Watches a run that another process drives, to its end, and reports it as if it were driven here. If that process
/// goes away without settling the run, it is taken over.
Expected<int> follow(const Project& project, SqliteJournal& journal, const std::string& run);

}  // namespace baton::cli
