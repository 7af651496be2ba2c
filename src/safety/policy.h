#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fault.h"

namespace baton::safety {

/// A pattern of RE2's that commands are looked at with, upper and lower case alike.
struct Rule {
  std::string name;     ///< of a built-in rule; empty: the user's own
  std::string pattern;  ///< as it was written
  std::string why;      ///< what is wrong with such a command, in plain words; may be empty
  std::string origin;   ///< `built-in`, a file with its line, `BATON_SAFETY__…`, `--set`

  /// The user's own are looked for in the text as it is, too. Ours only in what a shell would really run.
  [[nodiscard]] bool is_own() const { return name.empty(); }
  bool operator==(const Rule&) const = default;
};

/// What is said about safety; nothing compiled yet.
struct PolicyText {
  bool enabled = true;
  std::vector<Rule> blocked;
  std::vector<Rule> allow;  ///< exceptions: a command that one of these fits may run
  bool operator==(const PolicyText&) const = default;
};

/// A list of patterns of the configuration, and where it stands.
struct ConfiguredPatterns {
  std::vector<std::string> patterns;
  std::string origin;  ///< as Setting has it: `default`, FILE:LINE, a variable, `--set`
};

/// What the configuration says.
struct PolicyWords {
  bool enabled = true;
  std::optional<ConfiguredPatterns> blocked = {};  ///< unset: the built-in list
  ConfiguredPatterns allow = {};
};

/// Patterns that are ready to judge with. Copies are cheap.
class Policy {
 public:
  /// `@built-in` among the blocked patterns stands for all of ours, `@NAME` for one. Faults: bad-safety-pattern, all at
  /// once, each with its place.
  static std::expected<Policy, Faults> from(const PolicyWords& words);
  static std::expected<Policy, Faults> compile(PolicyText text);
  static const Policy& built_in();

  [[nodiscard]] bool enabled() const { return text().enabled; }
  [[nodiscard]] const PolicyText& text() const;

  /// Where `rule` (an index into text().blocked) is found in a text.
  [[nodiscard]] std::optional<std::string> find(std::size_t rule, std::string_view text) const;
  /// The first exception that is found in it.
  [[nodiscard]] const Rule* exception_in(std::string_view text) const;

 private:
  struct Compiled;
  explicit Policy(std::shared_ptr<const Compiled> compiled) : compiled_{std::move(compiled)} {}
  std::shared_ptr<const Compiled> compiled_;
};

/// How a run keeps its policy: one object, which read_policy reads.
std::string to_json(const PolicyText& policy);
/// Faults: bad-safety-policy, bad-safety-pattern.
std::expected<Policy, Faults> read_policy(std::string_view json);

/// What agents are told about it: a few plain sentences, no expressions. None if it is not enabled or empty.
std::vector<std::string> rules(const Policy& policy);

}  // namespace baton::safety
