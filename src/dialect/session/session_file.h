#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/fault.h"
#include "base/time.h"

namespace baton::session {

/// What workflow-session.json says. Everything may be missing.
struct SessionFile {
  std::string id;
  std::string project;            ///< for people; its description or topic where it has none
  std::string status = "active";  ///< as it is written
  std::string type;               ///< workflow, review, tdd, test, docs, simple, …; may be empty
  std::string created_at;         ///< as it is written; may be empty
  std::string started_at;         ///< execution_started_at
  bool has_project = false;
  bool has_status = false;

  /// Its own word for "nothing is left to do here".
  [[nodiscard]] bool is_over() const { return status == "completed" || status == "archived"; }
};

/// Fault: corrupt-session-file, with its place.
Expected<SessionFile> read_session_file(std::string_view text, const std::string& file);

/// What is to be said of a session. Times that are not set stay as they are.
struct SessionChange {
  std::string status;                ///< active, completed, partial, archived
  std::optional<Time> started = {};  ///< kept as it is where it is set already
  std::optional<Time> completed = {};
  std::optional<Time> archived = {};
  std::optional<Time> updated = {};  ///< only together with another change
};

/// The text with that changed, and else byte for byte as it was. What says so already comes back the same.
Expected<std::string> edit_session_file(std::string_view text, const std::string& file, const SessionChange& change);

}  // namespace baton::session
