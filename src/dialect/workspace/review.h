#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fault.h"

namespace baton::workspace {

enum class Verdict : std::uint8_t { approve, revise, reject };
std::string_view name(Verdict verdict);  ///< APPROVE, REVISE, REJECT
std::optional<Verdict> verdict(std::string_view name);

struct Finding {
  enum class Severity : std::uint8_t { critical, major, minor, suggestion };
  Severity severity = Severity::minor;
  std::string section;
  std::string description;

  bool operator==(const Finding&) const = default;
};
std::string_view name(Finding::Severity severity);

struct RevisionRequest {
  enum class Weight : std::uint8_t { required, recommended, optional };
  Weight weight = Weight::required;
  std::string description;

  bool operator==(const RevisionRequest&) const = default;
};
std::string_view name(RevisionRequest::Weight weight);

/// What a reviewer says of a piece of work.
struct Judgement {
  Verdict verdict = Verdict::revise;
  std::string summary = {};
  std::vector<Finding> findings = {};
  std::vector<RevisionRequest> requests = {};

  bool operator==(const Judgement&) const = default;
};

/// A review's file.
struct Review {
  std::string id;
  std::string task_id;
  std::string created_at;
  std::string reviewer;  ///< a skill, or director
  std::string author;    ///< a skill
  Judgement judgement;

  bool operator==(const Review&) const = default;
};

struct ReviewRead {
  std::optional<Review> review;
  Faults faults;
};

/// Faults: no-front-matter, missing-task-field, bad-task-value. Findings and requests of unknown weight are passed
/// over.
ReviewRead read_review(std::string_view text, const std::string& file);
std::string write_review(const Review& review);

/// What a reviewer is asked to answer with.
extern const char* const verdict_instructions;
/// The same as JSON Schema, for models that can be held to one.
extern const char* const verdict_schema;

/// Reads a reviewer's answer: one JSON object with a `verdict`, perhaps in a fence. Words may go before one that has
/// all its members and is the answer's document (plan/answer_document.h), and nothing may follow. Whatever is not
/// clearly a verdict is none: the error says why. So nothing is ever approved by accident: by somebody's words that are
/// quoted, or by an answer that was cut off.
std::expected<Judgement, std::string> read_verdict(std::string_view answer);

/// What can be seen without reading for sense: empty is critical; under 100 characters or 3 lines is major; no heading
/// is minor.
std::vector<Finding> structural_findings(std::string_view output);

/// The reviewer's word and what can be seen anyway: the worse counts, and each major becomes a request.
Judgement judged(Judgement said, const std::vector<Finding>& seen);

}  // namespace baton::workspace
