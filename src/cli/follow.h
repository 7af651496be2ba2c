#pragma once

#include <string>

#include "cli/context.h"

namespace baton::cli {

/// Watches a run that another process drives, to its end, and reports it as if it were driven here. If that process
/// goes away without settling the run, it is taken over.
Expected<int> follow(const Project& project, SqliteJournal& journal, const std::string& run);

/// A run that has come to rest is on record before the files that go by it are written: returns when whoever drove it
/// has left, which is after that; or after some seconds, should it be stuck.
void await_driver_gone(SqliteJournal& journal, const std::string& run);

}  // namespace baton::cli
