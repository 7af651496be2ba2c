#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace baton::session {

/// What is known of a task's work when its agent wrote no summary.
struct SummaryFacts {
  std::string id;
  std::string title;
  std::string answer;              ///< what the agent said last
  std::vector<std::string> files;  ///< that it changed, if that is known
  std::string finished;            ///< a time, as text; may be empty
};

/// `.summaries/ID-summary.md`.
std::string summary_text(const SummaryFacts& facts);

/// The paths that a summary lists as changed, each once, in whichever way it marks them. Best effort: people write
/// these. Paths that lead out of the project are left out.
std::vector<std::string> files_in_summary(std::string_view text);

/// Its first line that is text and no heading; empty if there is none.
std::string first_line_of(std::string_view text);

/// `feat: title - first line`, for a task's own commit.
std::string commit_message(std::string_view type, std::string_view title, std::string_view summary);

}  // namespace baton::session
