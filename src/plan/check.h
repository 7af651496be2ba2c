#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace baton {

/// One rule that a step's output has to meet.
struct Check {
  enum class Kind : std::uint8_t {
    required_field,        ///< `path` reaches a value that is not null
    min_quotes,            ///< `importantQuotes` has at least `count`
    min_key_points,        ///< the longer of `bullets` and `keyPoints` has at least `count`
    min_outline_sections,  ///< `suggestedOutline` (or its `sections`) has at least `count`
    has_hooks,             ///< `ideas.hooks` or `hooks` is not empty
  };
  Kind kind = Kind::required_field;
  std::string path = {};
  std::int64_t count = 0;

  bool operator==(const Check&) const = default;
};

/// How one rule came out, in the words that go into the next attempt's prompt.
struct CheckResult {
  std::string name;
  bool passed = false;
  std::string message;

  bool operator==(const CheckResult&) const = default;
};

/// What an output must be at all before its rules are looked at.
enum class OutputFormat : std::uint8_t { json, text };

/// Checks one output, all rules, in order. `json` outputs that cannot be parsed fail a single check
/// `file_readable`; with no rules a readable output passes with an empty list.
/// REQUIRES: `content` is the file's whole text.
std::vector<CheckResult> evaluate(const std::vector<Check>& checks, OutputFormat format, std::string_view content);

/// The result for an output that was not written at all: it fails like any other check.
CheckResult output_missing(const std::string& path);

bool all_passed(const std::vector<CheckResult>& results);

/// The `validate` rules as compact JSON, as an agent is told them: {"required_fields":["a"],"min_quotes":3}.
std::string rules_json(const std::vector<Check>& checks);

}  // namespace baton
