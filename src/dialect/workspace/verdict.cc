// What a reviewer's answer says, and what can be seen of the work without him.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/boost_json.h"
#include "base/letters.h"
#include "base/text.h"
#include "base/utf8.h"
#include "dialect/workspace/review.h"
#include "plan/answer_document.h"
#include "text/embedded_json.h"
#include "text/json_members.h"
#include "text/json_value.h"

namespace baton::workspace {
namespace {

std::string upper(std::string_view text) {
  std::string out;
  for (const char c : text) out += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

std::optional<Finding::Severity> severity_of(const std::string& word) {
  using enum Finding::Severity;
  for (const Finding::Severity s : {critical, major, minor, suggestion}) {
    if (name(s) == lower(word)) return s;
  }
  return std::nullopt;
}

/// All that was asked for is there. A part of it stands in many a sentence about somebody's verdict.
bool is_complete(const boost::json::object& object) {
  const auto is_there = [&](std::initializer_list<std::string_view> keys) { return value_at(object, keys) != nullptr; };
  return is_there({"verdict"}) && is_there({"summary"}) && is_there({"findings"}) &&
         is_there({"revisionInstructions", "revision_instructions"});
}

/// Findings that are not what was asked for are passed over: they only ever make things worse for the work.
std::vector<Finding> findings_of(const boost::json::object& object) {
  std::vector<Finding> findings;
  const boost::json::value* list = value_at(object, {"findings"});
  if (list == nullptr || !list->is_array()) return findings;
  for (const boost::json::value& item : list->get_array()) {
    if (!item.is_object()) continue;
    const auto severity = severity_of(word_at(item.get_object(), {"severity"}));
    std::string text = word_at(item.get_object(), {"description", "text"});
    if (!severity || text.empty()) continue;
    std::string where = word_at(item.get_object(), {"section"});
    findings.push_back({*severity, where.empty() ? "general" : std::move(where), std::move(text)});
  }
  return findings;
}

void add_requests(const boost::json::object& object, Judgement& judgement) {
  const boost::json::value* said = value_at(object, {"revisionInstructions", "revision_instructions"});
  if (said == nullptr) return;
  const auto add = [&](const boost::json::value& v) {
    std::string text = word_of(v);
    if (!text.empty()) judgement.requests.push_back({RevisionRequest::Weight::required, std::move(text)});
  };
  if (!said->is_array()) return add(*said);
  for (const boost::json::value& item : said->get_array()) add(item);
}

std::expected<Judgement, std::string> judgement_of(const boost::json::object& object) {
  const boost::json::value* word = value_at(object, {"verdict"});
  if (word == nullptr) return std::unexpected("it has no 'verdict'");
  const std::string text = word_of(*word);
  const auto said = verdict(upper(text));
  if (!said) return std::unexpected(fmt::format("'{}' is no verdict", shorten(text, 60)));
  Judgement judgement;
  judgement.verdict = *said;
  judgement.summary = word_at(object, {"summary"});
  judgement.findings = findings_of(object);
  add_requests(object, judgement);
  const auto is_grave = [](const Finding& f) { return f.severity == Finding::Severity::critical; };
  if (judgement.verdict == Verdict::approve && std::ranges::any_of(judgement.findings, is_grave)) {
    return std::unexpected("it approves what it finds a critical fault in");
  }
  return judgement;
}

Verdict worse(Verdict one, Verdict other) { return std::max(one, other); }

std::string key_of(const Finding& f) { return f.section + "\n" + f.description; }

}  // namespace

std::expected<Judgement, std::string> read_verdict(std::string_view answer) {
  std::expected<Judgement, std::string> result = std::unexpected("there is no JSON object in it");
  int candidates = 0;
  const bool has_document = document_of(answer).has_value();  // what stands in a sentence is none
  each_json(answer, [&](const EmbeddedJson& found) {
    if (found.value == nullptr) {
      if (candidates == 0) result = std::unexpected("its JSON is broken: " + found.trouble);
      return true;
    }
    if (!found.value->is_object() || found.value->get_object().if_contains("verdict") == nullptr) {
      if (candidates == 0) result = std::unexpected("it has no 'verdict'");
      return true;
    }
    ++candidates;
    const boost::json::object& object = found.value->get_object();
    if (found.whole || (found.last && has_document && is_complete(object))) {
      result = judgement_of(object);
    } else if (!found.last) {
      result = std::unexpected("words follow the verdict, and may take it back");
    } else {
      result = std::unexpected("the verdict stands among words and is not complete");
    }
    return true;
  });
  if (candidates > 1) return std::unexpected("there are several verdicts in it");
  return result;
}

std::vector<Finding> structural_findings(std::string_view output) {
  using enum Finding::Severity;
  if (trim(output).empty()) return {{critical, "output", "it is empty"}};
  std::vector<Finding> findings;
  std::size_t lines = 0;
  bool heading = false;
  for (const std::string_view line : split(output, '\n')) {
    if (!trim(line).empty()) ++lines;
    heading = heading || trim(line).starts_with('#');
  }
  if (count_characters(trim(output)) < 100) findings.push_back({major, "output", "it has less than 100 characters"});
  if (lines < 3) findings.push_back({major, "output", "it has less than 3 lines"});
  if (!heading) findings.push_back({minor, "output", "it has no heading"});
  return findings;
}

Judgement judged(Judgement said, const std::vector<Finding>& seen) {
  for (const Finding& f : seen) {
    if (f.severity == Finding::Severity::critical) said.verdict = Verdict::reject;
    if (f.severity == Finding::Severity::major) {
      said.verdict = worse(said.verdict, Verdict::revise);
      said.requests.push_back({RevisionRequest::Weight::required, fmt::format("{}: {}", f.section, f.description)});
    }
    const auto same = [&](const Finding& other) { return key_of(other) == key_of(f); };
    if (std::ranges::none_of(said.findings, same)) said.findings.push_back(f);
  }
  return said;
}

}  // namespace baton::workspace
