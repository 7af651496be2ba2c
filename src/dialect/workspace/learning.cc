#include "dialect/workspace/learning.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>

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

std::optional<std::pair<std::string_view, std::string_view>> bullet(std::string_view line) {
  const std::string_view item = trim(line);
  if (!item.starts_with("- **")) return std::nullopt;
  const std::size_t end = item.find(":**");
  if (end == std::string_view::npos) return std::nullopt;
  return std::pair{item.substr(4, end - 4), trim(item.substr(end + 3))};
}

/// An entry that is being read.
struct Draft {
  Learning learning;
  bool usable = true;

  void take(std::string_view key, std::string_view value) {
    if (key == "Agent") learning.agent = value;
    if (key == "Goal") learning.goal_id = value;
    if (key == "Learning") learning.learning = value;
    if (key == "Action") learning.action = value;
    if (key == "Outcome") {
      const auto* const found = std::ranges::find(outcome_names, value);
      usable = usable && found != outcome_names.end();
      if (usable) learning.outcome = static_cast<Learning::Outcome>(found - outcome_names.begin());
    }
    if (key == "Tags") {
      for (const std::string_view tag : split(value, ',')) {
        if (!trim(tag).empty()) learning.tags.emplace_back(trim(tag));
      }
    }
    if (key == "Confidence") {
      double number = 0;
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
      if (error == std::errc{} && end == value.data() + value.size()) learning.confidence = number;
    }
  }
};

}  // namespace

std::vector<Learning> read_learnings(std::string_view text) {
  std::vector<Learning> found;
  std::optional<Draft> draft;
  const auto finish = [&] {
    if (draft && draft->usable && !draft->learning.agent.empty()) found.push_back(std::move(draft->learning));
    draft.reset();
  };
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with("### ")) {
      finish();
      draft.emplace();
      draft->learning.time = trim(line.substr(4));
    } else if (const auto item = bullet(line); item && draft) {
      draft->take(item->first, item->second);
    }
  }
  finish();
  return found;
}

std::string with_learning(std::string_view text, const Learning& learning) {
  std::string result{text};
  const std::string entry = entry_text(learning);
  if (result.find(entry) != std::string::npos) return result;
  if (trim(result).empty()) result = "# Learnings\n";
  if (!result.ends_with('\n')) result += '\n';
  return result + "\n" + entry;
}

}  // namespace baton::workspace
