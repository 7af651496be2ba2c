#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace baton {

/// One rule that a step's output has to meet. Paths are dotted: `items.0.x`, and `items.*.x` for every item; `$` is the
/// whole output.
struct Check {
  enum class Kind : std::uint8_t {
    required_field,        ///< `path` reaches a value that is not null
    min_quotes,            ///< `importantQuotes` has at least `count`
    min_key_points,        ///< the longer of `bullets` and `keyPoints` has at least `count`
    min_outline_sections,  ///< `suggestedOutline` (or its `sections`) has at least `count`
    has_hooks,             ///< `ideas.hooks` or `hooks` is not empty
    type,                  ///< `value`: a type's name, or a list of them, as JSON
    one_of,                ///< `value`: a list of values, as JSON
    min_length,            ///< a string of at least `count` characters; without a path: the whole text
    max_length,
    min_items,  ///< a list or object of at least `count`
    max_items,
    minimum,  ///< `value`: a number
    maximum,
    pattern,  ///< `value`: an expression of RE2's, found anywhere; without a path: in the whole text
    equals,   ///< `value`: JSON; with a `step`: the path of a field of that step's output
    schema,   ///< `value`: a JSON Schema
    command,  ///< `argv` ends with 0; `value`: as it was written, as JSON
  };
  Kind kind = Kind::required_field;
  std::string path = {};
  std::int64_t count = 0;
  std::string value = {};
  std::string step = {};
  std::vector<std::string> argv = {};
  std::vector<std::string> env = {};  ///< NAME=VALUE that a shell line in `argv` refers to

  bool operator==(const Check&) const = default;
};

/// The key of `validate` that such a check is written with: `required_fields`, `types`, `min_length` …
std::string_view rule_name(Check::Kind kind);

/// Looks at the output as a text and not as JSON.
bool is_text_check(const Check& check);

/// How one rule came out, in the words that go into the next attempt's prompt.
struct CheckResult {
  std::string name;
  bool passed = false;
  std::string message;

  bool operator==(const CheckResult&) const = default;
};

/// What an output must be at all before its rules are looked at.
enum class OutputFormat : std::uint8_t { json, text };

/// How a command check came out.
struct CommandOutcome {
  bool passed = false;
  std::string message;
};

/// From how the program ended and what it printed, both streams together: the last line is the message.
/// `exit`: nothing if `signal` ended it.
CommandOutcome command_outcome(std::optional<int> exit, int signal, std::string_view printed);

/// What checks need to know besides the output itself. Whoever asks for the checks has read the files and run the
/// commands; nothing here does.
struct Evidence {
  /// The whole text of another step's output; nothing if there is none.
  std::function<std::optional<std::string>(const std::string& step_id)> output_of = {};
  /// How the command checks came out, in the order of command_checks(). One that is not there has failed.
  std::vector<CommandOutcome> commands = {};
};

/// The command checks among these, in order. Each is run with its `argv` and `env`, and the output's absolute path in
/// BATON_OUTPUT.
std::vector<const Check*> command_checks(const std::vector<Check>& checks);

/// The ids of the steps whose outputs these checks compare with, each once.
std::vector<std::string> compared_steps(const std::vector<Check>& checks);

/// What checks of another step's output ask of that of step `id`, because they compare with it: the field has to be
/// there, and to be what they want of their own.
std::vector<Check> checks_by_comparison(const std::vector<Check>& of_other, const std::string& id);

/// Checks one output, all rules, in order. `json` outputs that cannot be parsed fail a single check
/// `file_readable`; with no rules a readable output passes with an empty list.
/// REQUIRES: `content` is the file's whole text.
std::vector<CheckResult> evaluate(const std::vector<Check>& checks, OutputFormat format, std::string_view content,
                                  const Evidence& evidence = {});

/// The result for an output that was not written at all: it fails like any other check.
CheckResult output_missing(const std::string& path);

/// The same for one that lies there as it lay there before the attempt began.
CheckResult output_unchanged(const std::string& path);

/// Said beside the rules that an output fails which met them once.
CheckResult output_spoilt(const std::string& path);

bool all_passed(const std::vector<CheckResult>& results);

/// The `validate` rules as compact JSON, as an agent is told them: {"required_fields":["a"],"min_quotes":3}.
std::string rules_json(const std::vector<Check>& checks);

}  // namespace baton
