#pragma once

#include <string>

#include "cli/context.h"
#include "core/run.h"

namespace baton::cli {

/// What is done when a session's run has come to its end: one that is completed goes to the archive, unless its run was
/// told otherwise or was a rehearsal. The answer is the exit code, `code` as it is if all is well. Can be done again
/// after a crash at any instant.
int end_session(const Project& project, const Run& run, int code);

/// Moves a session to the archive and adds it to the manifest. One that is there already, whole, is left alone.
/// `folder`: the session's, from the project's.
Status archive_session(const Project& project, const std::string& folder);

}  // namespace baton::cli
