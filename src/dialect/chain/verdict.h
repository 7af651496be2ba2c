#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace baton::chain {

/// Something a review found.
struct Issue {
  std::string severity;  ///< blocker, tech_debt, skippable, or whatever the review calls it; may be empty
  std::string text;
  std::string file;  ///< may be empty

  bool operator==(const Issue&) const = default;
};

/// What a review came to.
struct Verdict {
  bool known = false;   ///< the answer has a verdict that can be read
  bool passed = false;  ///< only ever true if it is known
  std::string summary;
  std::vector<Issue> issues;

  bool operator==(const Verdict&) const = default;
};

/// Reads the verdict in a review's answer: a JSON object with `success`, by itself, fenced or within prose. In doubt it
/// has not passed: if there are several and one of them has not, or if one speaks of a blocker.
Verdict read_verdict(std::string_view answer);

/// The verdict for people, on a line: "passed: summary" or "not passed: summary (2 blockers, 1 other issue)".
std::string to_text(const Verdict& verdict);

}  // namespace baton::chain
