#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/fault.h"

namespace baton::git {

/// Where a landing was about to take its target. On disk from before the target moves until every checkout has
/// followed; how far it came is seen from the target itself.
struct LandingRecord {
  std::string run;
  std::string branch;
  std::string target;
  std::string ref;
  std::string before;
  std::string after;
  std::string tip = {};  ///< what the branch was at
  bool back = false;     ///< it cannot be finished, and is on its way back to `before`
};

/// `<trees>/RUN.landing`.
std::string landing_record_path(const std::string& trees, const std::string& run);

/// Synced, whole or not at all. Faults: file-failed.
Status write_record(const std::string& trees, const LandingRecord& record);
/// One that is damaged was never whole, so nothing was done on it yet: it reads as absent.
std::optional<LandingRecord> read_record(const std::string& path);
void remove_record(const std::string& trees, const std::string& run);

/// What a kill left of records that were just being written. REQUIRES: the landing's lock.
void remove_unwritten_records(const std::string& trees);

/// The paths of all records in the folder.
std::vector<std::string> landing_records(const std::string& trees);

}  // namespace baton::git
