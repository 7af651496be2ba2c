#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fault.h"
#include "base/time.h"

namespace baton {

/// A skill as its `SKILL.md` says it: the fields of the open Agent Skills format, and those that others added to it.
struct Skill {
  std::string name;  ///< the front matter's, else the folder's
  std::string description;
  std::string model;
  std::vector<std::string> tools;  ///< `allowed-tools`, else `tools`
  std::optional<Millis> timeout;
  bool inputless = false;  ///< a step with it may leave `input` out
  std::string license;
  std::string compatibility;
  std::map<std::string, std::string> metadata;
  std::string body;  ///< what an agent is told; without blank lines around it
  Faults warnings;
};

/// Where a skill's text comes from.
struct SkillSource {
  std::string file;         ///< for people
  std::string folder_name;  ///< the skill's other name
};

/// Reads a whole `SKILL.md`. Skills are written by many hands, so its front matter is never a reason to refuse it: one
/// that is not YAML is read line by line, unknown keys are passed over, a name or value that is no good is a warning.
/// Faults: file-too-large, bad-character (NUL, not UTF-8).
Expected<Skill> read_skill(std::string_view text, const SkillSource& source);

/// The same from the beginning of the file alone, for lists: the body stays empty. Only the front matter has to be
/// text.
Expected<Skill> read_skill_head(std::string_view beginning, const SkillSource& source);

}  // namespace baton
