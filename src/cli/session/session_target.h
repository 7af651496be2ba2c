#pragma once

#include <optional>
#include <string>

#include "cli/context.h"
#include "dialect/session/discovery.h"

namespace baton::cli {

/// True if TARGET of `run`, `check` or `plan` means a session: a folder of one, or an id `WFS-…` that no file has.
/// Nothing named: the project has a `.workflow/`.
bool means_session(const Project& project, const std::string& target);

/// The session that is meant. Named by id or folder, or the one active one; several are asked about where there is
/// somebody to ask, and with `yes` the newest is taken. Faults: no-session, several-sessions, session-not-found.
Expected<session::FoundSession> find_session(const Project& project, const std::string& named, bool yes);

}  // namespace baton::cli
