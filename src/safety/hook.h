#pragma once

#include <string>
#include <string_view>

#include "base/fault.h"
#include "safety/policy.h"

namespace baton::safety {

/// What the hook answers claude: the exit code, and what is said on stderr. 2 blocks the tool, and the model is told.
struct HookAnswer {
  int code = 0;
  std::string said;
};

/// `input` is what claude writes to a PreToolUse hook: tool_name and tool_input, among others. What cannot be read is
/// blocked: a guard that does not understand must not wave through.
HookAnswer answer_hook(const Policy& policy, std::string_view input);

/// The answer where there is no policy to judge by.
HookAnswer blocked_without_policy(const Faults& faults);

/// The text in quotes that every shell reads as this one word.
std::string shell_quoted(std::string_view text);

/// The settings for claude's `--settings`: before each shell command, `baton safety hook` is asked. Both paths are
/// absolute. Anything but a clear yes of that program blocks: one that is gone, or that crashed, too.
std::string hook_settings(std::string_view baton, std::string_view policy_file);

/// The same, laid over settings of the user's own (a JSON object): his hooks stay, and ours is added to them.
/// Faults: bad-agent-settings.
Expected<std::string> hook_settings(std::string_view baton, std::string_view policy_file, std::string_view own);

}  // namespace baton::safety
