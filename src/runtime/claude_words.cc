#include "runtime/claude_words.h"

#include <fmt/core.h>

namespace baton {

std::string about(const claude::UsedTool& tool) {
  const std::string by = tool.by_helper ? "[agent] " : "";
  return tool.about.empty() ? fmt::format("{}[tool] {}", by, tool.name)
                            : fmt::format("{}[tool] {}: {}", by, tool.name, tool.about);
}

std::string about(const claude::Retries& r) {
  const std::string reason = r.error.empty() || r.error == "unknown" ? "no answer" : r.error;
  const std::string status = r.status ? fmt::format(" ({})", *r.status) : "";
  return fmt::format("[retry] {} of {} in {}: {}{}", r.attempt, r.attempts_max, brief(r.delay), reason, status);
}

std::string about(const claude::RateLimit& limit) {
  const std::string until = limit.resets ? ", resets at " + rfc3339(*limit.resets) : "";
  const std::string_view what = limit.status == "rejected" ? "used up" : "nearly used up";
  return fmt::format("[limit] the quota {} is {}{}", limit.window.empty() ? "of the account" : limit.window, what,
                     until);
}

std::string about(const claude::Denied& denied) { return fmt::format("[denied] {}: {}", denied.tool, denied.message); }

std::string about(const claude::PassedOver& passed) {
  return fmt::format("[note] {} too long to be read, passed over", passed.lines == 1 ? "a line was" : "lines were");
}

}  // namespace baton
