#pragma once

#include <string>
#include <vector>

namespace baton {

/// A prompt for a runtime that can read no files, cut where it changes: what stands first is the same for most attempts
/// of its kind, so that a provider that keeps prefixes has to read it once. Parts may be empty.
struct PromptBlocks {
  std::string skill;                    ///< who the agent is
  std::vector<std::string> references;  ///< what the skill brings along, whole
  std::string context;                  ///< what the steps of a run share
  std::string task;                     ///< what this attempt is to do

  bool operator==(const PromptBlocks&) const = default;
};

}  // namespace baton
