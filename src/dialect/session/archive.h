#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fault.h"
#include "base/time.h"

namespace baton::session {

/// What is kept of a session that is over.
struct ArchiveEntry {
  std::string session;
  std::string description;
  Time archived{};
  std::string path;  ///< where it is now, from the project's folder
  std::optional<Millis> duration = {};
  std::size_t tasks_completed = 0;
  std::size_t summaries = 0;
  std::vector<std::string> tags = {};
};

/// The manifest with this entry at its end; everything else stays byte for byte. A list, or an object with a list
/// `archives`; a new one is a list. An entry of the same session and path is not added again: an archive that was
/// interrupted may be gone on with. Fault: corrupt-manifest.
Expected<std::string> add_to_manifest(const std::optional<std::string>& existing, const ArchiveEntry& entry,
                                      const std::string& file);

/// Some words of a session's id and type, to find it again by.
std::vector<std::string> tags_of(std::string_view session, std::string_view type);

/// How far an archive has come, as the disk shows it.
struct ArchiveState {
  bool source = false;       ///< the session is where it was
  bool destination = false;  ///< it is in the archive
  bool marked = false;       ///< `.archiving` is in whichever of the two is there
  bool recorded = false;     ///< the manifest has it
};

enum class ArchiveStep : std::uint8_t { mark, move, record, unmark, done, refuse };

/// The next thing to do. Each can be done again after a crash; a destination that is not ours is refused.
ArchiveStep next_archive_step(const ArchiveState& state);

}  // namespace baton::session
