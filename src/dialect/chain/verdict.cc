#include "dialect/chain/verdict.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/boost_json.h"
#include "base/text.h"
#include "text/embedded_json.h"
#include "text/json_members.h"

namespace baton::chain {
namespace {

namespace json = boost::json;

constexpr std::size_t issues_max = 1000;
constexpr std::size_t review_bytes_max = 16U << 10U;

/// Lower case, words joined with '_'.
std::string word(std::string_view text) {
  std::string out = slug(text, 40);
  std::ranges::replace(out, '-', '_');
  return out;
}

std::optional<bool> yes_or_no(const json::value& value) {
  if (const auto* flag = value.if_bool()) return *flag;
  static constexpr std::array<std::string_view, 13> yes = {"true",     "yes",      "pass",     "passed", "passes",
                                                           "approve",  "approved", "success",  "ok",     "accept",
                                                           "accepted", "lgtm",     "succeeded"};
  static constexpr std::array<std::string_view, 14> no = {"false",           "no",           "fail",
                                                          "failed",          "fails",        "reject",
                                                          "rejected",        "failure",      "changes_requested",
                                                          "request_changes", "not_approved", "not_passed",
                                                          "blocked",         "needs_work"};
  const std::string said = word(word_of(value));
  if (std::ranges::find(yes, said) != yes.end()) return true;
  if (std::ranges::find(no, said) != no.end()) return false;
  return std::nullopt;
}

Issue read_issue(const json::value& value) {
  Issue issue;
  if (const auto* object = value.if_object()) {
    issue.severity = word(word_at(*object, {"severity", "issue_severity", "level", "type"}));
    issue.text = word_at(*object, {"description", "issue_description", "text", "message", "title", "issue"});
    issue.file = word_at(*object, {"file", "path", "file_path", "location"});
  } else {
    issue.text = word_of(value);
  }
  issue.text = shorten(issue.text, review_bytes_max);
  issue.file = shorten(issue.file, 500);
  return issue;
}

/// Nothing if the object is no verdict.
std::optional<Verdict> verdict_of(const json::object& object) {
  const json::value* said = value_at(object, {"success", "passed", "approved", "verdict"});
  if (said == nullptr) return std::nullopt;
  const std::optional<bool> passed = yes_or_no(*said);
  if (!passed) return std::nullopt;
  Verdict verdict{.known = true, .passed = *passed, .summary = {}, .issues = {}};
  verdict.summary = shorten(word_at(object, {"review_summary", "summary"}), review_bytes_max);
  const json::value* issues = value_at(object, {"review_issues", "issues"});
  const auto* list = issues != nullptr ? issues->if_array() : nullptr;
  for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
    Issue issue = read_issue((*list)[i]);
    if (issue.severity == "blocker") verdict.passed = false;
    if (verdict.issues.size() < issues_max && issue != Issue{}) verdict.issues.push_back(std::move(issue));
  }
  return verdict;
}

}  // namespace

Verdict read_verdict(std::string_view answer) {
  Verdict verdict;
  bool all_passed = true;
  each_json(answer, [&](const EmbeddedJson& found) {
    if (found.value == nullptr) verdict = {};  // it may be the one that counts
    const auto* object = found.value != nullptr ? found.value->if_object() : nullptr;
    if (std::optional<Verdict> read = object != nullptr ? verdict_of(*object) : std::nullopt) {
      all_passed = all_passed && read->passed;
      verdict = std::move(*read);
    }
    return true;
  });
  verdict.passed = verdict.known && all_passed;
  return verdict;
}

std::string to_text(const Verdict& verdict) {
  std::string text = !verdict.known   ? "not known: the answer has no verdict that can be read"
                     : verdict.passed ? "passed"
                                      : "not passed";
  if (!verdict.summary.empty()) text += ": " + verdict.summary;
  const auto blockers = std::ranges::count(verdict.issues, "blocker", &Issue::severity);
  const auto others = static_cast<std::ptrdiff_t>(verdict.issues.size()) - blockers;
  std::vector<std::string> counts;
  if (blockers > 0) counts.push_back(fmt::format("{} {}", blockers, blockers == 1 ? "blocker" : "blockers"));
  if (others > 0) {
    counts.push_back(fmt::format("{} {}{}", others, blockers > 0 ? "other " : "", others == 1 ? "issue" : "issues"));
  }
  if (!counts.empty()) text += fmt::format(" ({})", join(counts, ", "));
  std::ranges::replace(text, '\n', ' ');
  return text;
}

}  // namespace baton::chain
