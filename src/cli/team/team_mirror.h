#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>

#include "cli/context.h"
#include "engine/dialect_run.h"

namespace baton::cli {

/// Keeps the files of a team session true while it is run: team-session.json, the message bus and its state, and what
/// goes into wisdom/. They follow every commit: workers and people go by them.
class TeamMirror {
 public:
  TeamMirror(const Project& project, std::string id) : project_(project), id_(std::move(id)) {}

  /// The bus is not edited but added to, under its own lock: others write to it at the same time.
  Expected<DialectRun::Shown> files(const Run& run, const DialectRun::Read& read);

 private:
  Status tell(const Run& run);

  const Project& project_;
  std::string id_;
  std::optional<std::set<std::string>> told_;  ///< keys of the messages that are on the bus
};

}  // namespace baton::cli
