#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fault.h"

namespace baton::workspace {

/// What is known of a skill beyond its own file.
struct SkillEntry {
  std::string squad = {};  ///< empty: it belongs to none
  std::string description = {};
  bool feeds_all = false;  ///< every other skill builds on it
  std::vector<std::string> feeds = {};

  bool operator==(const SkillEntry&) const = default;
};

/// Which squad each skill belongs to. Whoever is not listed can still be run; it only has no place of its own.
struct Squads {
  std::string foundation;  ///< the skill that writes the shared context; may be empty
  std::map<std::string, SkillEntry, std::less<>> skills;

  /// Empty if the skill is unknown or belongs to no squad.
  [[nodiscard]] std::string squad_of(std::string_view skill) const;
};

/// The squads of the first such workspaces.
const Squads& built_in_squads();

struct SquadsRead {
  Squads squads;
  Faults faults;
};

/// Reads a `skills.yaml`: `squads`, `foundation_skill`, `skills`. All faults at once; what can be used is used.
/// Faults: those of YAML, bad-skills-file.
SquadsRead read_squads(std::string_view text, const std::string& file);

/// From the folders there are: each `SQUAD/SKILL` beneath `outputs/`.
Squads squads_of_folders(const std::vector<std::string>& folders);

}  // namespace baton::workspace
