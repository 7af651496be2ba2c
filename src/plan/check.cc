#include "plan/check.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/boost_json.h"
#include "base/limits.h"
#include "base/text.h"
#include "plan/check_rules.h"
#include "text/json_value.h"

namespace baton {
namespace {

namespace json = boost::json;

/// How many elements the array at `path` has; nothing where there is no array.
const json::array* array_at(const json::value& root, std::string_view path) {
  const json::value* found = find_value(root, path);
  return found == nullptr ? nullptr : found->if_array();
}

std::int64_t count_at(const json::value& root, std::string_view path) {
  const json::array* array = array_at(root, path);
  return array == nullptr ? 0 : static_cast<std::int64_t>(array->size());
}

bool is_there(const json::value* value) { return value != nullptr && !value->is_null(); }

CheckResult check_field(const json::value& root, const std::string& path) {
  bool passed = is_there(find_value(root, path));
  if (!passed && path.find('*') != std::string::npos) {
    passed = true;
    visit_values(root, path, [&](const std::string&, const json::value* value) { passed = passed && is_there(value); });
  }
  return {"has_" + path, passed, passed ? "OK" : "Missing required field: " + path};
}

CheckResult check_quotes(const json::value& root, std::int64_t least) {
  const std::int64_t count = count_at(root, "importantQuotes");
  if (count >= least) return {"min_quotes", true, fmt::format("Found {} quotes (min: {})", count, least)};
  return {"min_quotes", false, fmt::format("Found {} quotes, need at least {}", count, least)};
}

CheckResult check_key_points(const json::value& root, std::int64_t least) {
  const std::int64_t count = std::max(count_at(root, "bullets"), count_at(root, "keyPoints"));
  if (count >= least) return {"min_key_points", true, fmt::format("Found {} key points (min: {})", count, least)};
  return {"min_key_points", false, fmt::format("Found {} key points, need at least {}", count, least)};
}

CheckResult check_outline(const json::value& root, std::int64_t least) {
  // The skill that writes outlines makes an object with `sections`; a bare array is what the rule first meant.
  const bool bare = array_at(root, "suggestedOutline") != nullptr;
  const std::int64_t count = count_at(root, bare ? "suggestedOutline" : "suggestedOutline.sections");
  if (count >= least) {
    return {"min_outline_sections", true, fmt::format("Found {} outline sections (min: {})", count, least)};
  }
  return {"min_outline_sections", false, fmt::format("Found {} sections, need at least {}", count, least)};
}

CheckResult check_hooks(const json::value& root) {
  const bool nested = array_at(root, "ideas.hooks") != nullptr;
  const std::int64_t count = count_at(root, nested ? "ideas.hooks" : "hooks");
  if (count > 0) return {"has_hooks", true, fmt::format("Found {} hooks", count)};
  return {"has_hooks", false, "No hooks found in artifact"};
}

CheckResult check_value(const Check& check, const json::value& root, const Evidence& evidence) {
  switch (check.kind) {
    case Check::Kind::required_field:
      return check_field(root, check.path);
    case Check::Kind::min_quotes:
      return check_quotes(root, check.count);
    case Check::Kind::min_key_points:
      return check_key_points(root, check.count);
    case Check::Kind::min_outline_sections:
      return check_outline(root, check.count);
    case Check::Kind::has_hooks:
      return check_hooks(root);
    case Check::Kind::type:
    case Check::Kind::one_of:
    case Check::Kind::min_length:
    case Check::Kind::max_length:
    case Check::Kind::min_items:
    case Check::Kind::max_items:
    case Check::Kind::minimum:
    case Check::Kind::maximum:
    case Check::Kind::pattern:
    case Check::Kind::equals:
    case Check::Kind::schema:
    case Check::Kind::command:
      break;
  }
  return check_rule(check, root, evidence);
}

/// `number`: which of the command checks it is, from 0.
CheckResult check_command(const Evidence& evidence, std::size_t number) {
  std::string name = number == 0 ? "command" : fmt::format("command_{}", number + 1);
  if (number >= evidence.commands.size()) return {std::move(name), false, "The command was not run"};
  const CommandOutcome& outcome = evidence.commands[number];
  return {std::move(name), outcome.passed, outcome.message};
}

CheckResult unreadable(std::string_view why) {
  return {"file_readable", false, fmt::format("Failed to read artifact: {}", why)};
}

}  // namespace

bool is_text_check(const Check& check) {
  if (check.kind == Check::Kind::command) return true;
  return check.path.empty() && (check.kind == Check::Kind::min_length || check.kind == Check::Kind::max_length ||
                                check.kind == Check::Kind::pattern);
}

std::vector<CheckResult> evaluate(const std::vector<Check>& checks, OutputFormat format, std::string_view content,
                                  const Evidence& evidence) {
  if (content.size() > Limits::output_bytes_max) {
    return {unreadable(fmt::format("it is larger than {} bytes", Limits::output_bytes_max))};
  }
  std::optional<json::value> root;
  if (format == OutputFormat::json || !std::ranges::all_of(checks, is_text_check)) {
    auto parsed = parse_json(content);
    if (!parsed) return {unreadable(parsed.error())};
    root.emplace(std::move(*parsed));
  }
  std::vector<CheckResult> results;
  results.reserve(checks.size());
  std::size_t commands = 0;
  for (const Check& check : checks) {
    if (check.kind == Check::Kind::command) {
      results.push_back(check_command(evidence, commands++));
    } else {
      results.push_back(is_text_check(check) ? check_text(check, content) : check_value(check, *root, evidence));
    }
  }
  return results;
}

std::vector<const Check*> command_checks(const std::vector<Check>& checks) {
  std::vector<const Check*> commands;
  for (const Check& check : checks) {
    if (check.kind == Check::Kind::command) commands.push_back(&check);
  }
  return commands;
}

std::vector<std::string> compared_steps(const std::vector<Check>& checks) {
  std::vector<std::string> steps;
  for (const Check& check : checks) {
    if (!check.step.empty() && std::ranges::find(steps, check.step) == steps.end()) steps.push_back(check.step);
  }
  return steps;
}

std::vector<Check> checks_by_comparison(const std::vector<Check>& of_other, const std::string& id) {
  std::vector<Check> asked;
  for (const Check& compares : of_other) {
    if (compares.step != id) continue;
    const std::string& field = compares.value;
    if (field != "$") asked.push_back({.kind = Check::Kind::required_field, .path = field});
    for (const Check& check : of_other) {
      if (check.path.empty() || check.path != compares.path || !check.step.empty()) continue;
      asked.push_back(check);
      asked.back().path = field;
    }
  }
  return asked;
}

CommandOutcome command_outcome(std::optional<int> exit, int signal, std::string_view printed) {
  constexpr std::size_t message_bytes_max = 300;
  const bool passed = exit == 0;
  const std::string_view text = trim(printed);
  const std::string_view last = trim(text.substr(text.rfind('\n') + 1));  // npos + 1 is 0: the only line
  if (!last.empty()) return {passed, shorten(last, message_bytes_max)};
  if (passed) return {true, "OK"};
  return {false, exit ? fmt::format("The command ended with exit code {}", *exit)
                      : fmt::format("The command was ended by signal {}", signal)};
}

CheckResult output_missing(const std::string& path) {
  return {"output_written", false, "Output file was not written: " + path};
}

CheckResult output_unchanged(const std::string& path) {
  return {"output_written", false,
          fmt::format("Output file was not written: {} is as it was before the attempt began ('touch' it where it is "
                      "up to date)",
                      path)};
}

CheckResult output_spoilt(const std::string& path) {
  return {"output_kept", false, "Output file is not what it was when it was checked: " + path};
}

bool all_passed(const std::vector<CheckResult>& results) { return std::ranges::all_of(results, &CheckResult::passed); }

}  // namespace baton
