#pragma once

#include <string>

#include "cli/context.h"

namespace baton::cli {

/// What a Markdown run prints on stdout when it ends: {"status","sandboxId","workflow","artifact"}.
void print_result(const Project& project, SqliteJournal& journal, const std::string& run, int exit_code);

}  // namespace baton::cli
