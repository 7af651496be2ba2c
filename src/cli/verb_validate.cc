// validate: one output, checked against rules given on the command line.
#include <unistd.h>

#include <fmt/core.h>

#include <filesystem>

#include "base/limits.h"
#include "base/text.h"
#include "cli/check_commands.h"
#include "cli/definition.h"
#include "cli/reporter.h"
#include "cli/verbs.h"
#include "dialect/markdown/rules.h"
#include "engine/real_files.h"
#include "view/json_text.h"

namespace baton::cli {
namespace {

namespace fs = std::filesystem;

std::string result_json(const std::vector<CheckResult>& results) {
  return JsonObject{}.flag("passed", all_passed(results)).raw("checks", json_of(results)).done() + "\n";
}

Expected<std::string> rules_text(const std::string& argument) {
  if (!argument.starts_with('@')) return argument;
  auto text = RealFiles{}.read(argument.substr(1), Limits::file_bytes_max);
  if (!text) return std::unexpected(text.error());
  if (!*text) return fault("file-unreadable", fmt::format("there is no file {}", argument.substr(1)));
  return std::move(**text);
}

Expected<std::string> output_text(const std::string& file) {
  auto text = RealFiles{}.read(file, Limits::output_bytes_max);
  if (!text) return std::unexpected(text.error());
  if (!*text) return fault("file-unreadable", fmt::format("there is no file {}", file));
  return std::move(**text);
}

int answer_with_checks(const ValidateOptions& options, const std::vector<CheckResult>& results) {
  write_out(STDOUT_FILENO, result_json(results));
  return all_passed(results) || options.compat ? exit_done : exit_failed;
}

}  // namespace

int validate_verb(const Common& common, const ValidateOptions& options) {
  auto project = Project::open(common);
  if (!project) return print(common, project.error()), exit_refused;
  const auto content = output_text(options.file);
  if (!content) {
    if (!options.compat) return print(common, content.error()), exit_refused;
    return answer_with_checks(options,
                              {{"file_readable", false, "Failed to read artifact: " + content.error().message}});
  }
  const auto rules = rules_text(options.rules);
  if (!rules) return print(common, rules.error()), exit_refused;
  const OutputFormat format = options.file.ends_with(".json") ? OutputFormat::json : OutputFormat::text;
  const std::string name = options.rules.starts_with('@') ? options.rules.substr(1) : "RULES-JSON";
  const auto checks = read_rules(*rules, name, format, files_of(*project));
  if (!checks) {
    const Fault& first = checks.error().front();
    if (!options.compat || first.code != "bad-rules") return print(common, checks.error()), exit_refused;
    return answer_with_checks(options, {{"criteria_valid", false, "Invalid criteria JSON: " + first.message}});
  }

  Evidence evidence;
  const std::string output = fs::absolute(options.file).lexically_normal().string();
  for (const Check* check : command_checks(*checks)) {
    evidence.commands.push_back(run_check_command(*check, project->root(), output));
  }
  return answer_with_checks(options, evaluate(*checks, format, *content, evidence));
}

}  // namespace baton::cli
