#pragma once

#include <string>
#include <string_view>

#include "safety/policy.h"

namespace baton::safety {

/// What a policy says of a command line.
struct Verdict {
  bool blocked = false;
  Rule rule;               ///< the one that fits; also where an exception let the command pass
  std::string found;       ///< the part that it fits
  std::string read_as;     ///< the reading it was found in; empty: the text as it stands
  std::string source;      ///< the words of that reading, as they were written
  std::string allowed_by;  ///< the pattern of the exception, if one let it pass

  /// True if a rule fits, whether or not an exception let it pass.
  [[nodiscard]] bool fits() const { return !rule.pattern.empty(); }
};

/// Looks at the text as it stands with the user's own patterns, and at every command that a shell would run for it with
/// all of them. An exception lets pass just the command it is found in, not the others beside it. A text too long or
/// too deep to be read is blocked. Whether the policy is enabled is for the caller to ask.
Verdict judge(const Policy& policy, std::string_view command);

/// In one line, for whoever wanted to run it: what was blocked, why, and what to do instead.
std::string reason(const Verdict& verdict);

/// In short, for a log: the rule's name (or its pattern), and the part that it fits.
std::string brief_reason(const Verdict& verdict);

}  // namespace baton::safety
