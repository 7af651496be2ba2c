#include "dialect/workspace/review.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"
#include "dialect/workspace/front.h"
#include "text/fault_list.h"

namespace baton::workspace {
namespace {

constexpr std::array<std::string_view, 3> verdict_names{"APPROVE", "REVISE", "REJECT"};
constexpr std::array<std::string_view, 4> severity_names{"critical", "major", "minor", "suggestion"};
constexpr std::array<std::string_view, 3> weight_names{"required", "recommended", "optional"};

template <class T, std::size_t N>
std::optional<T> among(const std::array<std::string_view, N>& names, std::string_view word) {
  const auto found = std::ranges::find(names, word);
  if (found == names.end()) return std::nullopt;
  return static_cast<T>(found - names.begin());
}

bool is_review_heading(std::string_view line, std::string_view word) {
  return line.starts_with("## ") && trim(line.substr(3)) == word;
}

/// The lines of a section. The summary is somebody's own words and may have headings: it ends only at one of ours.
std::vector<std::string_view> section(const std::vector<std::string_view>& lines, std::string_view word) {
  constexpr std::array<std::string_view, 3> own{"Summary", "Findings", "Revision Requests"};
  std::vector<std::string_view> found;
  bool inside = false;
  for (const std::string_view line : lines) {
    const bool heading = std::ranges::any_of(own, [&](std::string_view o) { return is_review_heading(line, o); });
    if (heading) {
      inside = is_review_heading(line, word);
    } else if (inside) {
      found.push_back(line);
    }
  }
  while (!found.empty() && trim(found.front()).empty()) found.erase(found.begin());
  while (!found.empty() && trim(found.back()).empty()) found.pop_back();
  return found;
}

/// `- **[word]** rest`
std::optional<std::pair<std::string, std::string_view>> marked(std::string_view line) {
  const std::string_view item = trim(line);
  if (!item.starts_with("- **[")) return std::nullopt;
  const std::size_t end = item.find("]**");
  if (end == std::string_view::npos) return std::nullopt;
  std::string word;
  for (const char c : item.substr(5, end - 5)) word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return std::pair{word, trim(item.substr(end + 3))};
}

std::vector<Finding> read_findings(const std::vector<std::string_view>& lines) {
  std::vector<Finding> findings;
  for (const std::string_view line : lines) {
    const auto mark = marked(line);
    const auto severity = mark ? among<Finding::Severity>(severity_names, mark->first) : std::nullopt;
    if (!severity) continue;
    const std::size_t colon = mark->second.find(':');
    if (colon == std::string_view::npos) continue;
    findings.push_back({*severity, std::string{trim(mark->second.substr(0, colon))},
                        std::string{trim(mark->second.substr(colon + 1))}});
  }
  return findings;
}

std::vector<RevisionRequest> read_requests(const std::vector<std::string_view>& lines) {
  std::vector<RevisionRequest> requests;
  for (const std::string_view line : lines) {
    const auto mark = marked(line);
    const auto weight = mark ? among<RevisionRequest::Weight>(weight_names, mark->first) : std::nullopt;
    if (weight) requests.push_back({*weight, std::string{mark->second}});
  }
  return requests;
}

}  // namespace

const char* const verdict_instructions =
    "Answer with one JSON object and nothing else:\n"
    "{\"verdict\": \"APPROVE\" | \"REVISE\" | \"REJECT\", \"summary\": \"…\",\n"
    " \"findings\": [{\"section\": \"…\", \"severity\": \"critical\" | \"major\" | \"minor\" | \"suggestion\", "
    "\"description\": \"…\"}],\n"
    " \"revisionInstructions\": \"what has to change; empty if nothing has\"}";

const char* const verdict_schema =
    R"({"type":"object","additionalProperties":false,"required":["verdict","summary","findings","revisionInstructions"],)"
    R"("properties":{"verdict":{"enum":["APPROVE","REVISE","REJECT"]},"summary":{"type":"string"},)"
    R"("findings":{"type":"array","items":{"type":"object","additionalProperties":false,)"
    R"("required":["section","severity","description"],"properties":{"section":{"type":"string"},)"
    R"("severity":{"enum":["critical","major","minor","suggestion"]},"description":{"type":"string"}}}},)"
    R"("revisionInstructions":{"type":"string"}}})";

std::string_view name(Verdict verdict) { return verdict_names.at(static_cast<std::size_t>(verdict)); }
std::optional<Verdict> verdict(std::string_view name) { return among<Verdict>(verdict_names, name); }
std::string_view name(Finding::Severity severity) { return severity_names.at(static_cast<std::size_t>(severity)); }
std::string_view name(RevisionRequest::Weight weight) { return weight_names.at(static_cast<std::size_t>(weight)); }

ReviewRead read_review(std::string_view text, const std::string& file) {
  const auto front = read_front(text, file);
  if (!front) return {std::nullopt, {front.error()}};
  FaultList faults{file};
  Review review;
  const auto field = [&](const char* key) {
    const FrontLine* line = front->find(key);
    if (line != nullptr && !line->value.empty()) return line->value;
    faults.error("missing-task-field", {1, 1}, fmt::format("the review has no '{}'", key));
    return std::string{};
  };
  review.id = field("id");
  review.task_id = field("task_id");
  review.created_at = field("created_at");
  review.reviewer = field("reviewer");
  review.author = field("author");
  const std::string word = field("verdict");
  const auto said = verdict(word);
  if (!word.empty() && !said) {
    const FrontLine* line = front->find("verdict");
    faults.error("bad-task-value", {line->line, line->column}, fmt::format("'verdict' cannot be '{}'", word),
                 "it is one of APPROVE, REVISE, REJECT");
  }
  review.judgement.verdict = said.value_or(Verdict::revise);
  std::vector<std::string_view> lines = split(text.substr(front->body), '\n');
  for (std::string_view& line : lines) {
    if (line.ends_with('\r')) line.remove_suffix(1);
  }
  std::vector<std::string> summary;
  for (const std::string_view line : section(lines, "Summary")) summary.emplace_back(line);
  review.judgement.summary = join(summary, "\n");
  review.judgement.findings = read_findings(section(lines, "Findings"));
  review.judgement.requests = read_requests(section(lines, "Revision Requests"));
  Faults found = faults.take();
  if (has_errors(found)) return {std::nullopt, std::move(found)};
  return {std::move(review), std::move(found)};
}

std::string write_review(const Review& r) {
  const Judgement& j = r.judgement;
  std::string text = fmt::format(
      "---\nid: {}\ntask_id: {}\ncreated_at: {}\nreviewer: {}\nauthor: {}\nverdict: {}\n---\n\n# Review: {}\n\n", r.id,
      r.task_id, r.created_at, r.reviewer, r.author, name(j.verdict), r.task_id);
  text += fmt::format("**Reviewer:** {}\n**Author:** {}\n**Verdict:** {}\n\n## Summary\n\n{}\n", r.reviewer, r.author,
                      name(j.verdict), j.summary);
  if (!j.findings.empty()) text += "\n## Findings\n\n";
  for (const Finding& f : j.findings) {
    text += fmt::format("- **[{}]** {}: {}\n", name(f.severity), on_one_line(f.section), on_one_line(f.description));
  }
  if (!j.requests.empty()) text += "\n## Revision Requests\n\n";
  for (const RevisionRequest& request : j.requests) {
    text += fmt::format("- **[{}]** {}\n", name(request.weight), on_one_line(request.description));
  }
  return text;
}

}  // namespace baton::workspace
