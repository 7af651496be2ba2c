#pragma once

#include "cli/verbs.h"

namespace baton::cli {

/// `run` of a session: found, looked over, then begun; or, with --resume-session, gone on with.
int run_session(Project project, const RunOptions& options);

}  // namespace baton::cli
