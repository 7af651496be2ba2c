#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fault.h"
#include "base/time.h"
#include "dialect/session/session_file.h"

namespace baton::session {

/// Something that is there, by its path from the project's folder.
struct DiskEntry {
  std::string path;
  bool folder = false;
  std::int64_t bytes = 0;
  Time modified{};
};

/// Where a session lies, and so which rules it was made by.
enum class SessionPlace : std::uint8_t {
  active,    ///< `.workflow/active/WFS-x`
  sessions,  ///< `.workflow/sessions/WFS-x`
  marked,    ///< `.workflow/WFS-x`, with `.workflow/.active-WFS-x`
  unmarked,  ///< `.workflow/WFS-x` without a marker
  archived,  ///< `.workflow/archives/WFS-x`, `.workflow/.archives/WFS-x`
};

struct FoundSession {
  std::string id;
  std::string folder;
  SessionPlace place = SessionPlace::active;
  Time modified{};
  bool session_file = false;
  bool todo_list = false;
  bool impl_plan = false;
  bool plan_json = false;
  bool archiving = false;  ///< an archive was begun and not finished
  std::size_t task_files = 0;
  std::size_t summaries = 0;
  std::vector<std::string> leftovers = {};  ///< `.tmp` files: half of a write, never looked into
};

struct Discovery {
  std::vector<FoundSession> sessions;  ///< by place, then newest first
  Faults warnings;                     ///< orphaned-marker: a marker of a session that is not there
};

/// What sessions there are. Pure: the listing is somebody else's. It has to have `.workflow/`, what is in its folders
/// of sessions, and two levels of each session.
Discovery discover(const std::vector<DiskEntry>& listing);

/// An id that may become part of a path: letters, digits, `_`, `-`, at most 100.
bool is_session_id(std::string_view id);

/// What keeps a session from being run, as errors, and what it does without, as warnings: session-incomplete. Nothing
/// is made up for what is missing.
Faults faults_of(const FoundSession& session);

/// Which session is meant. `named`: by the user, with or without a path before it; empty: the one active one. Sessions
/// that say they are over count only if there is no other (`over[i]` of `sessions[i]`). Faults: no-session,
/// several-sessions, session-not-found.
Expected<std::size_t> choose(const Discovery& found, std::string_view named, const std::vector<bool>& over);

/// What an answer to "which one?" means: a number from 1, a whole id, or part of just one.
std::optional<std::size_t> chosen_by(std::string_view answer, const std::vector<std::string>& ids);

}  // namespace baton::session
