#include "dialect/workspace/learning.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "dialect/workspace/front.h"

namespace baton::workspace {
namespace {

constexpr std::array<std::string_view, 3> outcome_names{"success", "failure", "partial"};

std::string entry_text(const Learning& l) {
  std::string text = fmt::format("### {}\n\n- **Agent:** {}\n", on_one_line(l.time), on_one_line(l.agent));
  if (!l.goal_id.empty()) text += fmt::format("- **Goal:** {}\n", on_one_line(l.goal_id));
  text += fmt::format("- **Outcome:** {}\n- **Learning:** {}\n- **Action:** {}\n",
                      outcome_names.at(static_cast<std::size_t>(l.outcome)), on_one_line(l.learning),
                      on_one_line(l.action));
  if (!l.tags.empty()) text += fmt::format("- **Tags:** {}\n", on_one_line(join(l.tags, ", ")));
  if (l.confidence) text += fmt::format("- **Confidence:** {}\n", *l.confidence);
  return text;
}

}  // namespace

std::string with_learning(std::string_view text, const Learning& learning) {
  std::string result{text};
  const std::string entry = entry_text(learning);
  if (result.find(entry) != std::string::npos) return result;
  if (trim(result).empty()) result = "# Learnings\n";
  if (!result.ends_with('\n')) result += '\n';
  return result + "\n" + entry;
}

}  // namespace baton::workspace
