#pragma once

#include <string>

#include "cli/context.h"
#include "core/run.h"

namespace baton::cli {

/// What a Markdown run prints on stdout when it ends (not with --json): {"status","sandboxId","workflow","artifact"}.
/// What went wrong is said on stderr first, in every mode, with what to do about it.
void print_result(const Project& project, const Run& run, const std::string& id);
void print_result(const Project& project, SqliteJournal& journal, const std::string& id);

}  // namespace baton::cli
